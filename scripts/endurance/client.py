"""Ngrok's official Python client while the server is killed again and again: see scripts/endurance.mjs."""

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import ngrok

with open(sys.argv[1]) as file:
    given = json.load(file)
places = given["places"]


def answered(call):
    """Repeats a call while nobody answers. A refusal is an error."""
    while True:
        try:
            return call()
        except ngrok.Error:
            raise
        except Exception:
            time.sleep(0.05)


def everything(client):
    # Its iterator is none to `for`.
    listed, found = iter(client.reserved_addrs.list()), []
    while each := next(listed, None):
        found.append(each)
    return found


def use(place, other):
    name = place["name"]
    client = ngrok.Client(place["key"], place["url"])
    made = []
    while len(made) < given["writes"]:
        made.append(answered(lambda: client.reserved_addrs.create(description=name)).id)
        print("answered\n", end="", flush=True)
        time.sleep(0.02)
    listed = answered(lambda: everything(client))
    ids = [each.id for each in listed]
    assert len(set(ids)) == len(ids) and set(made) <= set(ids)
    if other is None:
        return
    assert all(each.description == name for each in listed)
    try:
        answered(lambda: everything(ngrok.Client(place["key"], other["url"])))
        raise AssertionError("the key of another sandbox was taken")
    except ngrok.Error as error:
        assert error.error_code == "ERR_GATEWAY_90606"


others = places[1:] + places[:1] if len(places) > 1 else [None]
with ThreadPoolExecutor(len(places)) as pool:
    list(pool.map(use, places, others))
