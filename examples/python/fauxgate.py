"""Starts `fauxgate serve` for tests, and uses its controls. Needs only the standard library."""

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
    """The controls of a served gateway. A refused call raises a RuntimeError with the reason."""

    def __init__(self, url):
        self.url = url.rstrip("/")

    def control(self, method, path, body=None):
        """Makes any call of the control API, such as `control("PUT", "/dns", {…})`."""
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
        except urllib.error.URLError as error:
            raise RuntimeError(f"No gateway answers at {self.url}: {error.reason}") from None
        return json.loads(text) if is_json else text

    def reset(self):
        self.control("POST", "/reset")

    def advance(self, duration):
        """Advances the clock: `advance("30s")`."""
        return self.control("POST", "/clock", {"advance": duration})["now"]

    def script(self, *outcomes, **where):
        """Scripts the outcomes of the next attempts: `script("DNS_ERROR", "success", domain="app.example.com")`."""
        require_values(where)
        self.control("POST", "/provisioning/script", {"outcomes": outcomes, **where})

    def fault(self, **fault):
        """Makes matching requests fail: `fault(operation="reserved_domains.create", times=1, status=503)`."""
        require_values(fault)
        self.control("POST", "/faults", fault)

    def requests(self):
        return self.control("GET", "/requests")

    def report(self):
        return self.control("GET", "/report")


def require_values(conditions):
    """Refuses a variable without a value: over HTTP, a null is left out, and the call would apply to everything."""
    for name, value in conditions.items():
        if value is None:
            raise TypeError(f"{name} is None. Give it a value, or leave it out.")


def drain(output):
    """Reads the later output too, or the pipe fills up."""
    with output:
        deque(output, maxlen=0)


@contextmanager
def serve(*options):
    """Serves a gateway on a free port. FAUXGATE can name another command than npx fauxgate."""
    command = shlex.split(os.environ.get("FAUXGATE", "npx --yes fauxgate"))
    process = subprocess.Popen(
        [*command, "serve", "--port", "0", *options], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        line = process.stdout.readline()
        url = re.search(r"http://\S+", line)
        if not url:
            raise RuntimeError(f"fauxgate did not start; it printed {line!r}")
        Thread(target=drain, args=[process.stdout], daemon=True).start()
        yield Gateway(url[0])
    finally:
        # To the whole group, because npx forwards no signals.
        os.killpg(process.pid, signal.SIGTERM)
        process.wait()
