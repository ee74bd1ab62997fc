"""Calls ngrok's official Python client as the lines of its input say: see scripts/clients/drivers.mjs."""

import json
import re
import sys
from datetime import timedelta

import ngrok


def read(value):
    """Everything that an object of the client shows; what the answer lacks is a KeyError there."""
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
    """What its calls of modules take: an object of the client, made of the fields."""

    def __init__(self, fields):
        self._props = fields


MODULES = {"module", "backend", "ip_restriction", "compression", "tls", "tls_termination"}


def called(client, asked):
    given = dict(asked.get("body") or {})
    for name in MODULES & given.keys():
        given[name] = Module(given[name])
    if "id" in asked:
        given["id"] = asked["id"]
    method = getattr(client, asked["call"])
    if asked["call"] != "list":
        return read(method(**given))
    # Its iterator is none to `for`.
    listed, found = iter(method(limit=asked["limit"])), []
    while each := next(listed, None):
        found.append(read(each))
    return found


def answer_to(asked):
    client = ngrok.Client(asked["key"], asked["url"])
    for name in asked["family"].split("."):
        client = getattr(client, name, None)
    if not hasattr(client, asked["call"]):
        return {"unknown": True}
    try:
        return {"answer": called(client, asked)}
    except ngrok.Error as error:
        return {"error": {"status": error.http_status_code, "code": error.error_code}}
    except Exception as error:
        # Of an answer from 500 on, it tells the text alone.
        status, code = re.search(r"with (\d+) ", str(error)), re.search(r"ERR_\w+", str(error))
        if not status:
            return {"failure": repr(error)}
        return {"error": {"status": int(status[1]), "code": code and code[0]}}


for line in sys.stdin:
    print(json.dumps(answer_to(json.loads(line))), flush=True)
