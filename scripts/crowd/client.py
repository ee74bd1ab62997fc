"""Ngrok's official Python client in many sandboxes at once, whose process is killed meanwhile: see scripts/crowd.mjs."""

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import ngrok

with open(sys.argv[1]) as file:
    given = json.load(file)
sandboxes = given["sandboxes"]


def until(ask):
    """Asks again while nobody answers. What is refused is an error."""
    while True:
        try:
            return ask()
        except ngrok.Error:
            raise
        except Exception:
            time.sleep(0.05)


def everything(client):
    listed = iter(client.reserved_addrs.list())
    found = []
    # Its iterator is none to `for`.
    while each := next(listed, None):
        found.append(each)
    return found


def used(sandbox, foreign):
    name = sandbox["name"]
    client = ngrok.Client(sandbox["key"], sandbox["url"])
    made = []
    while len(made) < given["writes"]:
        made.append(until(lambda: client.reserved_addrs.create(description=name)).id)
        print("answered\n", end="", flush=True)
    listed = until(lambda: everything(client))
    ids = [each.id for each in listed]
    assert len(set(ids)) == len(ids)
    assert set(made) <= set(ids)
    assert all(each.description == name for each in listed)
    try:
        until(lambda: everything(ngrok.Client(sandbox["key"], foreign["url"])))
        raise AssertionError("the key of another sandbox was taken")
    except ngrok.Error as error:
        assert "203" in error.error_code


with ThreadPoolExecutor(len(sandboxes)) as pool:
    list(pool.map(used, sandboxes, sandboxes[1:] + sandboxes[:1]))
print(f"{len(sandboxes)} sandboxes have what was answered and nothing else.", flush=True)
