"""Calls what pyngrok has for the agent, with both versions of ngrok's config."""

import json
import os
import re
import urllib.request

from pyngrok import agent, ngrok
from pyngrok.conf import PyngrokConfig
from pyngrok.exception import PyngrokNgrokHTTPError

DENY = {"on_http_request": [{"actions": [{"type": "deny"}]}]}


def visit(url):
    """Sends a request as a visitor would, and returns its status."""
    headers = {"content-type": "application/json"}
    control = os.environ["FAUXGATE_URL"] + "/_fauxgate/traffic"
    request = urllib.request.Request(control, json.dumps({"url": url}).encode(), headers)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["status"]


def check(version):
    config = PyngrokConfig(ngrok_path=os.environ["NGROK"], config_path=os.path.abspath(f"{version}.yml"), config_version=version)
    connect = lambda *args, **options: ngrok.connect(*args, pyngrok_config=config, **options)
    ngrok.set_auth_token("any", config)
    ngrok.set_api_key("any", config)
    assert ngrok.get_version(config)[0] == "3.39.0"

    web = connect("8000")
    assert (web.proto, web.upstream["url"]) == ("https", "http://localhost:8000"), web.data
    closed = connect("8000", traffic_policy=DENY, url="https://closed.example.com")
    assert closed.public_url == "https://closed.example.com"
    assert re.fullmatch(r"tcp://\d\.tcp\.ngrok\.io:\d+", connect("22", "tcp").public_url)
    assert connect("443", "tls").public_url.startswith("tls://")
    assert len(ngrok.get_tunnels(config)) == 4
    if version == "2":
        assert re.fullmatch("[0-9a-f]{32}", web.id)
        connect("8000", bind_tls="both", auth="bob:long-password")
        assert [each.proto for each in ngrok.get_tunnels(config)][-2:] == ["https", "http"]

    try:
        connect("8000", name=web.name)
    except PyngrokNgrokHTTPError as error:
        body = json.loads(error.body)
        assert (error.status_code, body["error_code"]) == (400, 102), error
        assert "already exists" in body["details"]["err"]
    else:
        raise AssertionError("the name was not taken")

    assert (visit(web.public_url + "/hook"), visit(closed.public_url)) == (200, 403)
    web.refresh_metrics()
    assert web.metrics["http"]["count"] == 1
    (captured,) = agent.get_requests(web.name, config)
    assert (captured.request["uri"], captured.response["status_code"]) == ("/hook", 200)
    assert agent.get_request(captured.id, config).tunnel_name == web.name
    agent.replay_request(captured.id, pyngrok_config=config)
    agent.replay_request(captured.id, closed.name, config)
    assert [each.tunnel_name for each in agent.get_requests(pyngrok_config=config)] == [closed.name, web.name, web.name]
    agent.delete_requests(config)
    assert agent.get_requests(pyngrok_config=config) == []
    assert agent.get_agent_status(config).status == "online"

    for each in ngrok.get_tunnels(config):
        ngrok.disconnect(each.public_url, config)
    assert ngrok.get_tunnels(config) == []
    ngrok.kill(config)


check("2")
check("3")
