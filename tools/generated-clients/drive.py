"""Makes calls with a generated client: drive.py FOLDER URL CALLS.json. The client parses each answer into its types."""
import json
import re
import sys

folder, url, calls = sys.argv[1:]
sys.path.insert(0, folder)
import openapi_client as api  # noqa: E402

client = api.ApiClient(api.Configuration(host=url, access_token="key"))
groups = [getattr(api, name)(client) for name in dir(api) if name.endswith("Api")]
ids = {}


def fill_ids(value):
    return json.loads(re.sub(r"@(\w+)", lambda match: ids[match[1]], json.dumps(value)))


for call in json.load(open(calls)):
    name = call["operation"].replace(".", "_")
    method = next(getattr(each, name) for each in groups if hasattr(each, name))
    arguments = {call["version"].lower().replace("-", "_"): "2", **fill_ids(call["ids"])}
    if "body" in call:
        schema = call["schema"]
        parameter = next(each for each in method.__annotations__ if each.replace("_", "") == schema.lower())
        arguments[parameter] = getattr(api, schema).from_dict(fill_ids(call["body"]))
    answer = method(**arguments)
    print(call["operation"], flush=True)
    if "saved" in call:
        ids[call["saved"]] = answer.id
