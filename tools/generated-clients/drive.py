"""Makes calls with a generated client, as tools/generated-clients/index.mjs describes: drive.py FOLDER URL.

The client parses each answer into its types.
"""

import json
import sys
from datetime import datetime
from enum import Enum
from typing import get_args

folder, url = sys.argv[1:]
sys.path.insert(0, folder)
import openapi_client as api  # noqa: E402

client = api.ApiClient(api.Configuration(host=url), "Authorization", "Bearer key")
groups = [getattr(api, name)(client) for name in dir(api) if name.endswith("Api")]


def plain(value):
    """Returns the data of what the client has parsed."""
    if isinstance(value, list):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Enum):
        return value.value
    return plain(value.to_dict()) if hasattr(value, "to_dict") else value


def models(annotation):
    """Lists the models in the type of a parameter."""
    found = [annotation] if hasattr(annotation, "from_dict") else []
    return found + [each for part in get_args(annotation) for each in models(part)]


def send(call):
    name = call["operation"].replace(".", "_")
    method = next(getattr(each, name + "_with_http_info") for each in groups if hasattr(each, name))
    types = {name: models(each) for name, each in method.__annotations__.items() if name != "return"}
    arguments = {}
    for name, value in call["named"].items():
        own = name.lower().replace("-", "_")
        # Words of Python have another name.
        arguments[own if own in types else f"var_{own}"] = value
    if "body" in call:
        name, (model, *_) = next((name, found) for name, found in types.items() if found)
        arguments[name] = model.from_dict(call["body"])
    try:
        response = method(*call["ids"], **arguments)
    except api.ApiException as error:
        return {"status": error.status, "error": error.body}
    text = response.raw_data.decode()
    return {"status": response.status_code, "text": text, "answer": plain(response.data)}


for line in sys.stdin:
    try:
        reply = send(json.loads(line))
    except Exception as error:
        reply = {"failure": repr(error)}
    print(json.dumps(reply), flush=True)
