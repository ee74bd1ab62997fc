"""A served gateway, with its controls."""

import json
import os
from collections.abc import Callable
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any
from urllib.parse import urlencode, urlsplit

__tracebackhide__ = True  # pytest shows the line of the test that made the call.

JsonObject = dict[str, Any]

TIMEOUT = 60  # Seconds. A move of the clock stops after 10 s of work, and other calls wait for it.


class GatewayError(RuntimeError):
    """A refused call, with the server's message, its `status` and its `body`. Or no server starts or answers."""

    def __init__(self, message: str, status: int | None = None, body: Any = None):
        super().__init__(message)
        self.status = status
        self.body = body


class Gateway:
    """
    A served gateway. A refused control raises a GatewayError with the server's message.

    Fields have the names of the control API. A duration is a text such as "30s", or a number of ms. A domain is named
    by its name or its id.
    """

    def __init__(self, url: str, describe_end: Callable[[], str | None] = lambda: None):
        """Connects to a running server. `describe_end` returns what the server printed, if it has ended."""
        self.url = url.rstrip("/")
        self._describe_end = describe_end

    def control(self, method: str, path: str, body: Any = None, **query: str) -> Any:
        """Makes any call of the control API, such as `control("POST", "/snapshots", {"name": "before"})`."""
        place = urlsplit(self.url)
        target = f"{place.path}/_fauxgate{path}" + (f"?{urlencode(require_values(query))}" if query else "")
        headers = {"content-type": "application/json"}
        if key := os.environ.get("FAUXGATE_CONTROL_KEY"):
            headers["fauxgate-control-key"] = key
        connection = (HTTPSConnection if place.scheme == "https" else HTTPConnection)(place.netloc, timeout=TIMEOUT)
        try:
            connection.request(method, target, None if body is None else json.dumps(body).encode(), headers)
            response = connection.getresponse()
            text = response.read().decode()
        except (OSError, HTTPException) as error:
            raise GatewayError(self._describe_end() or f"No gateway answers at {self.url}: {error}") from None
        finally:
            connection.close()
        answer = json.loads(text) if response.headers.get_content_type() == "application/json" else text or None
        if response.status < 400:
            return answer
        message = answer.get("msg") if isinstance(answer, dict) else answer
        raise GatewayError(message or f"{method} {target} answers {response.status}", response.status, answer)

    def reset(self) -> None:
        """Returns to the initial state, with the clock at its start."""
        self.control("POST", "/reset")

    def now(self) -> str:
        return str(self.control("GET", "/clock")["now"])

    def advance(self, duration: str | int) -> str:
        """Advances the clock by a duration, and returns the time: `advance("30s")`."""
        return str(self.control("POST", "/clock", {"advance": duration})["now"])

    def advance_to(self, time: str) -> str:
        """Advances the clock to a time: `advance_to("2026-02-01T00:00:00Z")`."""
        return str(self.control("POST", "/clock", {"to": time})["now"])

    def advance_to_next(self) -> str:
        """Advances the clock to the next event, such as the attempt of a certificate."""
        return str(self.control("POST", "/clock", {"next": True})["now"])

    def script(self, *outcomes: str | JsonObject, **where: Any) -> None:
        """Scripts the outcomes of the next attempts: `script("DNS_ERROR", "success", domain="app.example.com")`."""
        self.control("POST", "/provisioning/script", {"outcomes": outcomes, **require_values(where)})

    def clear_script(self, **domain: str) -> None:
        """Drops all pending outcomes, or those of a domain: `clear_script(domain="app.example.com")`."""
        self.control("DELETE", "/provisioning/script", **domain)

    def attempt(self, domain: str) -> JsonObject:
        """Runs the attempt of a domain's job now, and returns the domain."""
        return dict(self.control("POST", "/provisioning/attempt", {"id": domain}))

    def renew(self, domain: str) -> JsonObject:
        """Advances the clock to the renewal of the domain's certificate, and returns the domain."""
        return dict(self.control("POST", "/provisioning/renew", {"id": domain}))

    def expire(self, domain: str) -> JsonObject:
        """Advances the clock to the first second after the certificate's expiry, and returns the domain."""
        return dict(self.control("POST", "/provisioning/expire", {"id": domain}))

    def timeline(self, domain: str) -> list[JsonObject]:
        """Lists what the provisioning of a domain did."""
        return list(self.control("GET", "/provisioning/timeline", id=domain))

    def fault(self, **fault: Any) -> JsonObject:
        """Makes matching requests fail or arrive late: `fault(operation="reserved_domains.create", status=503)`."""
        return dict(self.control("POST", "/faults", require_values(fault)))

    def faults(self) -> list[JsonObject]:
        """Lists the faults. A pending one has in `missed` why it did not apply."""
        return list(self.control("GET", "/faults"))

    def clear_faults(self, **id: str) -> None:
        """Removes all faults, or one: `clear_faults(id=fault["id"])`."""
        self.control("DELETE", "/faults", **id)

    def dns(self) -> list[JsonObject]:
        """Lists the records of the simulated zone. Attempts check them with the option `--dns simulated`."""
        return list(self.control("GET", "/dns"))

    def set_dns(self, name: str, type: str, **fields: Any) -> None:
        """Sets the record of a name: `set_dns("app.example.com", "CNAME", value=target, after="2m")`."""
        self.control("PUT", "/dns", {"name": name, "type": type, **require_values(fields)})

    def clear_dns(self, **where: str) -> None:
        """Removes all records, or those that match: `clear_dns(name="app.example.com")`."""
        self.control("DELETE", "/dns", **where)

    def declare(self, **things: Any) -> JsonObject:
        """Declares what no operation creates: `declare(dev_domain={"name": "app"})`."""
        return dict(self.control("POST", "/declare", require_values(things)) or {})

    def end(self, id: str) -> None:
        """Ends a declared session, endpoint or dev domain."""
        self.control("DELETE", "/declare", id=id)

    def visit(self, url: str, **request: Any) -> JsonObject:
        """Sends a request as a visitor would, and returns the response: `visit(url, method="POST")`."""
        return dict(self.control("POST", "/traffic", {"url": url, **require_values(request)}))

    def upstream(self, url: str, **response: Any) -> None:
        """Sets the response of an upstream to visitors: `upstream(url, status=200, body="hello")`."""
        self.control("PUT", "/traffic/upstreams", {"url": url, **require_values(response)})

    def requests(self, **where: Any) -> list[JsonObject]:
        """Lists the received requests, or those with equal fields: `requests(operation="reserved_domains.create")`."""
        wanted = require_values(where).items()
        return [each for each in self.control("GET", "/requests") if all(each[name] == value for name, value in wanted)]

    def sent_events(self, **where: str) -> list[JsonObject]:
        """Lists the events of the account, or those of a type: `sent_events(type="ip_policy_created.v0")`."""
        return list(self.control("GET", "/sent-events", **require_values(where)))

    def last_request(self, **where: Any) -> JsonObject | None:
        found = self.requests(**where)
        return found[-1] if found else None

    def survives(self, function: Callable[[str], Any], **settings: Any) -> str:
        """
        Calls a function once for each failure of each request, each time with the URL of a fresh gateway.

        Raises a SurvivalError with the smallest story if a failure breaks the function, and else returns a summary. Settings
        are those of POST /_fauxgate/explorations, such as `faults=2`, `copies=2` or `restart=True`; `setup` is a function
        that prepares the gateway at a URL.
        """
        from .survives import survives

        return survives(self, function, **require_values(settings))

    def report(self) -> str:
        """Returns a text about what happened, for people."""
        return str(self.control("GET", "/report"))

    def snapshot(self) -> JsonObject:
        """Returns the state, without secrets, for `restore`."""
        return dict(self.control("GET", "/state"))

    def restore(self, snapshot: JsonObject) -> None:
        self.control("PUT", "/state", snapshot)


def require_values(fields: dict[str, Any]) -> dict[str, Any]:
    """Refuses a variable without a value. A null counts as left out, and the call would apply to everything."""
    for name, value in fields.items():
        if value is None:
            raise TypeError(f"{name} is None. Give it a value, or leave it out.")
    return fields
