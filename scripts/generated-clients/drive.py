"""Makes calls with a client that a generator made: drive.py FOLDER URL CALLS.json; answers go through its types."""
import json
import re
import sys

folder, url, calls = sys.argv[1:]
sys.path.insert(0, folder)
import openapi_client as api  # noqa: E402

client = api.ApiClient(api.Configuration(host=url, access_token="key"))
groups = [getattr(api, name)(client) for name in dir(api) if name.endswith("Api")]
ids = {}


def filled(value):
    return json.loads(re.sub(r"@(\w+)", lambda match: ids[match[1]], json.dumps(value)))


for call in json.load(open(calls)):
    name = call["operation"].replace(".", "_")
    method = next(getattr(each, name) for each in groups if hasattr(each, name))
    sent = {call["version"].lower().replace("-", "_"): "2", **filled(call["ids"])}
    if "body" in call:
        schema = call["schema"]
        parameter = next(each for each in method.__annotations__ if each.replace("_", "") == schema.lower())
        sent[parameter] = getattr(api, schema).from_dict(filled(call["body"]))
    answer = method(**sent)
    print(call["operation"], flush=True)
    if "saved" in call:
        ids[call["saved"]] = answer.id
