"""Calls ngrok's official Python client as the lines of its input describe: see tools/clients/drivers.mjs."""

import inspect
import json
import re
import sys
from datetime import datetime, timedelta

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


def wrap(value, annotation):
    """Returns the argument of a parameter: its objects are modules, except those with data as their keys."""
    if isinstance(value, list):
        return [wrap(each, annotation) for each in value]
    if isinstance(value, dict) and not annotation.startswith("Mapping"):
        return Module(value)
    return value


def call(method, request):
    """Makes a call with the fields that its method takes, and with None for those that it demands. The client cannot send
    a datetime, which is the default of some."""
    sent = {name: request[name] for name in ("id", "limit") if name in request} | (request.get("body") or {})
    answer = method(
        **{
            name: wrap(sent.get(name), str(each.annotation))
            for name, each in inspect.signature(method).parameters.items()
            if name in sent or each.default is each.empty or isinstance(each.default, datetime)
        }
    )
    if not hasattr(answer, "__iter__"):
        return read(answer)
    # `for` does not accept the iterator of the client.
    pages, found = iter(answer), []
    while each := next(pages, None):
        found.append(read(each))
    return found


def methods(place, name=""):
    """Returns the names of all methods, by their families. A namespace has families."""
    if hasattr(place, "_client"):
        return {name: [each for each in dir(place) if not each.startswith("_")]}
    parts = getattr(place, "_fields", None) or [each for each in dir(type(place)) if each[0] != "_"]
    return {
        family: calls
        for part in parts
        for family, calls in methods(getattr(place, part), f"{name}.{part}".strip(".")).items()
    }


def handle(request):
    client = ngrok.Client(request["key"], request["url"])
    if request["call"] == "methods":
        return {"answer": methods(client)}
    for name in request["family"].split("."):
        client = getattr(client, name, None)
    if not hasattr(client, request["call"]):
        return {"unknown": True}
    try:
        return {"answer": call(getattr(client, request["call"]), request)}
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
