import json
import os
import unittest
import urllib.request


def send(method, url, body=None, headers=None):
    content = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, content, {"Content-Type": "application/json", **(headers or {})}, method=method)
    with urllib.request.urlopen(request) as answer:
        text = answer.read()
        return json.loads(text) if text else None


def app(method, path, body=None):
    return send(method, os.environ["APP_URL"] + path, body)


def control(method, path, body=None):
    key = os.environ["FAUXGATE_CONTROL_KEY"]
    return send(method, os.environ["CONTROL_URL"] + path, body, {"Fauxgate-Control-Key": key})


class SitesTest(unittest.TestCase):
    def setUp(self):
        control("POST", "/reset")

    def test_a_site_goes_live(self):
        site = app("POST", "/sites", {"name": "app.example.com"})
        self.assertEqual(site["state"], "waiting")
        control("POST", "/clock", {"advance": "30s"})
        self.assertEqual(app("GET", f"/sites/{site['id']}")["state"], "live")

    def test_a_site_without_its_dns_record_says_so(self):
        control("POST", "/provisioning/script", {"outcomes": ["DNS_ERROR"]})
        site = app("POST", "/sites", {"name": "app.example.com"})
        control("POST", "/clock", {"advance": "30s"})
        self.assertEqual(app("GET", f"/sites/{site['id']}")["state"], "DNS_ERROR")
