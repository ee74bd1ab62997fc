"""A gateway to test against: starts `fauxgate serve` and uses its controls. Needs the standard library alone."""

import json
import os
import re
import shlex
import signal
import subprocess
import urllib.error
import urllib.request
from collections import deque
from contextlib import contextmanager
from threading import Thread

# Call the gateway without a proxy, because it is on this machine.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Gateway:
    """The controls of a served gateway. What it refuses raises a RuntimeError that says why."""

    def __init__(self, url):
        self.url = url.rstrip("/")

    def control(self, method, path, body=None):
        """Any call of the control API, such as `control("PUT", "/dns", {…})`."""
        headers = {"content-type": "application/json"}
        if key := os.environ.get("FAUXGATE_CONTROL_KEY"):
            headers["fauxgate-control-key"] = key
        content = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}/_fauxgate{path}", content, headers, method=method)
        try:
            with _opener.open(request) as answer:
                text = answer.read().decode()
                is_json = answer.headers.get("content-type", "").startswith("application/json")
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {path} answers {error.code}: {error.read().decode()}") from None
        return json.loads(text) if is_json else text

    def reset(self):
        self.control("POST", "/reset")

    def advance(self, duration):
        """Lets time pass: `advance("30s")`."""
        return self.control("POST", "/clock", {"advance": duration})["now"]

    def script(self, *outcomes, **where):
        """Orders the outcomes of attempts: `script("DNS_ERROR", "success", domain="app.example.com")`."""
        self.control("POST", "/provisioning/script", {"outcomes": outcomes, **where})

    def fault(self, **fault):
        """Arms a fault: `fault(operation="reserved_domains.create", times=1, status=503)`."""
        self.control("POST", "/faults", fault)

    def requests(self):
        return self.control("GET", "/requests")

    def report(self):
        return self.control("GET", "/report")


def drain(output):
    """Reads the later output too, or the pipe fills up."""
    with output:
        deque(output, maxlen=0)


@contextmanager
def serve(*options):
    """A gateway of one's own on a free port. FAUXGATE says with which command, where it is not npx."""
    command = shlex.split(os.environ.get("FAUXGATE", "npx --yes fauxgate"))
    process = subprocess.Popen(
        [*command, "serve", "--port", "0", *options], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        said = process.stdout.readline()
        url = re.search(r"http://\S+", said)
        if not url:
            raise RuntimeError(f"fauxgate did not start; it said {said!r}")
        Thread(target=drain, args=[process.stdout], daemon=True).start()
        yield Gateway(url[0])
    finally:
        # To the whole group, because npx forwards no signals.
        os.killpg(process.pid, signal.SIGTERM)
        process.wait()
