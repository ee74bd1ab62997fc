"""Calls ngrok's official Python client as the lines of its input describe: see scripts/clients/drivers.mjs."""

import json
import re
import sys
from datetime import timedelta

import ngrok


def read(value):
    """Returns all fields that an object of the client shows. A field that the answer lacks raises a KeyError."""
    if isinstance(value, list):
        return [read(each) for each in value]
    if isinstance(value, timedelta):
        return value.total_seconds()
    if not hasattr(value, "_props"):
        return value
    found = {}
    for name in (name for name, part in vars(type(value)).items() if isinstance(part, property)):
        try:
            found[name] = read(getattr(value, name))
        except KeyError:
            pass
    return found


class Module:
    """The parameter of a module in calls: an object like those of the client, with the fields."""

    def __init__(self, fields):
        self._props = fields


MODULES = {"module", "backend", "ip_restriction", "compression", "tls", "tls_termination"}


def call(client, request):
    arguments = dict(request.get("body") or {})
    for name in MODULES & arguments.keys():
        arguments[name] = Module(arguments[name])
    if "id" in request:
        arguments["id"] = request["id"]
    method = getattr(client, request["call"])
    if request["call"] != "list":
        return read(method(**arguments))
    # `for` does not accept the iterator of the client.
    listed, found = iter(method(limit=request["limit"])), []
    while each := next(listed, None):
        found.append(read(each))
    return found


def handle(request):
    client = ngrok.Client(request["key"], request["url"])
    for name in request["family"].split("."):
        client = getattr(client, name, None)
    if not hasattr(client, request["call"]):
        return {"unknown": True}
    try:
        return {"answer": call(client, request)}
    except ngrok.Error as error:
        return {"error": {"status": error.http_status_code, "code": error.error_code}}
    except Exception as error:
        # For a status from 500, the client raises an error that has only a text.
        status, code = re.search(r"with (\d+) ", str(error)), re.search(r"ERR_\w+", str(error))
        if not status:
            return {"failure": repr(error)}
        return {"error": {"status": int(status[1]), "code": code and code[0]}}


for line in sys.stdin:
    print(json.dumps(handle(json.loads(line))), flush=True)
