"""A served gateway, with its controls."""

from __future__ import annotations

import json
import os
import ssl
import time
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from difflib import get_close_matches
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

from . import types

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

__tracebackhide__ = True  # pytest shows the line of the test that made the call.

JsonObject = dict[str, Any]
Duration = timedelta | int | str
"""A duration: a timedelta, a number of ms, or a string such as "30s"."""
Time = datetime | str
"""A time: a datetime with a time zone, or a string such as "2026-02-01T00:00:00Z"."""

TIMEOUT = 60  # Seconds. A move of the clock stops after 10 s of work, and other calls wait for it.
POLL = 0.005  # Seconds.
CHANGES = ("POST /faults", "POST /provisioning/script", "PUT /state", "POST /snapshots/restore", "POST /undo")
"""The calls that add things which a test could leave unused."""


class GatewayError(RuntimeError):
    """A rejected call, with the server's message, its `status` and its `body`. Or no server starts or responds."""

    def __init__(self, message: str, status: int | None = None, body: Any = None):
        super().__init__(message)
        self.status = status
        self.body = body


class Gateway:
    """
    A gateway that is being served. A rejected control raises a GatewayError with the server's message.

    Fields have the names of the control API. A domain is named by its name or its id.
    """

    def __init__(
        self,
        url: str,
        describe_end: Callable[[], str | None] = lambda: None,
        trust: ssl.SSLContext | None = None,
        root: Gateway | None = None,
    ):
        """Connects to a running gateway. `trust` is for a server with --tls. `root` is the gateway that created it."""
        self.url = url.rstrip("/")
        self.agent_url = self.url
        """The address of the local API of ngrok's agent, as programs expect at http://127.0.0.1:4040."""
        self._describe_end = describe_end
        self._trust = trust
        self._root = root
        self.created: list[Gateway] = []
        """The additional gateways that are still open."""
        self._may_leave_unused = False

    def create(self, **options: Unpack[types.Options]) -> Gateway:
        """Creates an additional gateway on the server, with its own state and clock. It is removed with this one, or by `with`."""
        created = self.control("POST", "/gateways", require_values(dict(options)))
        self.created.append(Gateway(created["url"], self._describe_end, self._trust, self))
        return self.created[-1]

    def close(self) -> None:
        """Removes the gateway from its server, if `create` made it, and first those that it created."""
        for each in [*self.created]:
            each.close()
        if self._root and self in self._root.created:
            self._root.created.remove(self)
            self._root.control("DELETE", "/gateways", name=self.url.rpartition("/")[2])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def control(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        """Makes any call of the control API, such as `control("POST", "/snapshots", {"name": "before"})`."""
        place = urlsplit(self.url)
        target = f"{place.path}/_fauxgate{path}" + (f"?{urlencode(require_values(query))}" if query else "")
        headers = {"content-type": "application/json"}
        if key := os.environ.get("FAUXGATE_CONTROL_KEY"):
            headers["fauxgate-control-key"] = key
        content = None if body is None else json.dumps(body, default=to_json).encode()
        try:
            status, is_json, text = send(place.scheme, place.netloc, self._trust, method, target, content, headers)
        except (OSError, HTTPException) as error:
            raise GatewayError(self._describe_end() or f"No gateway responds at {self.url}: {error}") from None
        response = json.loads(text) if is_json else text or None
        if status < 400:
            self._may_leave_unused |= f"{method} {path}" in CHANGES
            return response
        message = response.get("msg") if isinstance(response, dict) else response
        raise GatewayError(message or f"{method} {target} has the status {status}", status, response)

    def reset(self) -> None:
        """Returns to the initial state, with the clock at its start."""
        self.control("POST", "/reset")

    def now(self) -> str:
        return read_time(self.control("GET", "/clock"))

    def advance(self, duration: Duration) -> str:
        """Advances the clock by a duration, and returns the time: `advance(timedelta(seconds=30))` or `advance("30s")`."""
        return read_time(self.control("POST", "/clock", {"advance": duration}))

    def advance_to(self, time: Time) -> str:
        """Advances the clock to a time: `advance_to("2026-02-01T00:00:00Z")`."""
        return read_time(self.control("POST", "/clock", {"to": time}))

    def advance_to_next(self) -> str:
        """Advances the clock to the next event, such as the attempt of a certificate."""
        return read_time(self.control("POST", "/clock", {"next": True}))

    def wait_for_request(self, timeout: float = 10) -> types.WaitingRequest:
        """
        Waits until a fault's latency delays a request, and returns that request. Call it before `advance` when the request comes
        from another thread: until it has arrived, advancing the clock does not help it. `timeout` is in real seconds.
        """
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            waiting: list[types.WaitingRequest] = self.control("GET", "/clock").get("waiting", [])
            if waiting:
                return waiting[0]
            time.sleep(POLL)
        raise GatewayError(f"No request waited within {timeout} s. Only a fault with latency makes one wait.\n{self.report()}")

    def script(self, *outcomes: types.Outcome, **where: Unpack[types.ScriptOptions]) -> None:
        """Scripts the outcomes of the next attempts: `script("DNS_ERROR", "success", domain="app.example.com")`."""
        self.control("POST", "/provisioning/script", {"outcomes": outcomes, **require_values(dict(where))})

    def clear_script(self, **where: Unpack[types.ScriptFilter]) -> None:
        """Drops all pending outcomes, or those of a domain: `clear_script(domain="app.example.com")`."""
        self.control("DELETE", "/provisioning/script", **where)

    def attempt(self, domain: str) -> types.ReservedDomain:
        """Runs the attempt of a domain's job now, and returns the domain."""
        return self._provision("attempt", domain)

    def renew(self, domain: str) -> types.ReservedDomain:
        """Advances the clock to the renewal of the domain's certificate, and returns the domain."""
        return self._provision("renew", domain)

    def expire(self, domain: str) -> types.ReservedDomain:
        """Advances the clock to the first second after the certificate's expiry, and returns the domain."""
        return self._provision("expire", domain)

    def _provision(self, call: str, domain: str) -> types.ReservedDomain:
        found: types.ReservedDomain = self.control("POST", f"/provisioning/{call}", {"id": domain})
        return found

    def timeline(self, domain: str) -> list[types.TimelineEntry]:
        """Lists what happened during a domain's provisioning."""
        return list(self.control("GET", "/provisioning/timeline", id=domain))

    def fault(self, **fault: Unpack[types.Fault]) -> types.ListedFault:
        """Makes matching requests fail or arrive late: `fault(operation="reserved_domains.create", status=503)`."""
        added: types.ListedFault = self.control("POST", "/faults", require_values(dict(fault)))
        return added

    def faults(self) -> list[types.ListedFault]:
        """Lists the faults. `missed` of a pending fault says why it did not apply."""
        return list(self.control("GET", "/faults"))

    def clear_faults(self, **where: Unpack[types.FaultFilter]) -> None:
        """Removes all faults, or one: `clear_faults(id=fault["id"])`."""
        self.control("DELETE", "/faults", **where)

    def unused(self) -> list[str]:
        """Lists the faults and the scripted outcomes that nothing has used, with the reason."""
        return list(self.control("GET", "/unused")) if self._may_leave_unused else []

    def dns(self) -> list[types.DnsRecord]:
        """Lists the records of the simulated zone. Attempts check them with the option `dns="simulated"`."""
        return list(self.control("GET", "/dns"))

    def set_dns(self, name: str, type: types.RecordType, **fields: Unpack[types.DnsFields]) -> None:
        """Sets the record of a name: `set_dns("app.example.com", "CNAME", value=target, after="2m")`."""
        self.control("PUT", "/dns", {"name": name, "type": type, **require_values(dict(fields))})

    def clear_dns(self, **where: Unpack[types.DnsFilter]) -> None:
        """Removes all records, or those that match: `clear_dns(name="app.example.com")`."""
        self.control("DELETE", "/dns", **where)

    def declare(self, **things: Unpack[types.Declaration]) -> types.Declared:
        """Declares what no operation creates: `declare(dev_domain={"name": "app"})`."""
        declared: types.Declared | None = self.control("POST", "/declare", require_values(dict(things)))
        return declared or {}

    def end(self, id: str) -> None:
        """Ends a declared session, endpoint or dev domain."""
        self.control("DELETE", "/declare", id=id)

    def visit(self, url: str, **request: Unpack[types.VisitFields]) -> types.TrafficOutcome:
        """Sends a request as a visitor would, and returns the response: `visit(url, method="POST")`."""
        outcome: types.TrafficOutcome = self.control("POST", "/traffic", {"url": url, **require_values(dict(request))})
        return outcome

    def upstream(self, url: str, **response: Unpack[types.UpstreamFields]) -> None:
        """Sets the response of an upstream to visitors: `upstream(url, status=200, body="hello")`."""
        self.control("PUT", "/traffic/upstreams", {"url": url, **require_values(dict(response))})

    def requests(self, **where: Unpack[types.RequestFilter]) -> list[types.Request]:
        """Lists the received requests, or those with equal fields: `requests(operation="reserved_domains.create")`."""
        wanted = require_values(dict(where))
        require_names(wanted, types.Request.__annotations__)
        checked = {name: wanted[name] for name in ("operation", "method", "path", "status") if name in wanted}
        received: list[types.Request] = self.control("GET", f"/requests?{urlencode(checked)}")
        return [each for each in received if all(each.get(name) == value for name, value in wanted.items())]

    def sent_events(self, **where: Unpack[types.EventFilter]) -> list[types.SentEvent]:
        """Lists the account's events, or those of one type: `sent_events(type="ip_policy_created.v0")`."""
        return list(self.control("GET", "/sent-events", **where))

    def last_request(self, **where: Unpack[types.RequestFilter]) -> types.Request | None:
        found = self.requests(**where)
        return found[-1] if found else None

    def survives(
        self,
        function: Callable[[str], Any],
        setup: Callable[[str], Any] | None = None,
        **settings: Unpack[types.SurvivalSettings],
    ) -> str:
        """
        Calls a function once for each way that each request can fail, each time with the URL of a fresh gateway.

        Raises a SurvivalError with the smallest story if a failure breaks the function, and else returns a summary. Settings
        are those of POST /_fauxgate/explorations, such as `faults=2`, `copies=2` or `restart=True`; `setup` is a function
        that prepares the gateway at a URL.
        """
        from .survives import survives

        return survives(self, function, setup, **settings)

    def report(self) -> str:
        """Returns a human-readable report of what happened."""
        return str(self.control("GET", "/report", **{"for": "python"}))

    def snapshot(self) -> JsonObject:
        """Returns the state, without secrets, for `restore`."""
        return dict(self.control("GET", "/state"))

    def restore(self, snapshot: JsonObject) -> None:
        self.control("PUT", "/state", snapshot)


def send(
    scheme: str,
    netloc: str,
    trust: ssl.SSLContext | None,
    method: str,
    target: str,
    content: bytes | None,
    headers: dict[str, str],
) -> tuple[int, bool, str]:
    """Sends a request without a proxy. Returns the status, whether the response is JSON, and its text."""
    secure = scheme == "https"
    connection = HTTPSConnection(netloc, timeout=TIMEOUT, context=trust) if secure else HTTPConnection(netloc, timeout=TIMEOUT)
    try:
        connection.request(method, target, content, headers)
        response = connection.getresponse()
        kind = response.headers.get_content_type()
        if kind == "text/event-stream":
            raise GatewayError(
                f"{method} {target} is a stream of events without an end, and a control returns a whole response. "
                "Call requests() or timeline(domain), or read the stream with a client for server-sent events."
            )
        is_json = kind == "application/json"
        return response.status, is_json, response.read().decode("utf-8", "replace")
    finally:
        connection.close()


def read_time(clock: JsonObject) -> str:
    """Returns the time of a clock. Its `now` leaves out the milliseconds."""
    fraction = clock["ms"] % 1000
    return clock["now"].replace("Z", f".{fraction:03}Z") if fraction else str(clock["now"])


def to_json(value: object) -> object:
    """Writes a timedelta as a number of ms, and a datetime as a timestamp. Both must be whole ms, as all times of a gateway are."""
    if isinstance(value, timedelta):
        if value % timedelta(milliseconds=1):
            raise ValueError(f"{value!r} is not a whole number of milliseconds.")
        return value // timedelta(milliseconds=1)
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError(f"{value!r} has no time zone. Add one, such as tzinfo=timezone.utc.")
        if value.microsecond % 1000:
            raise ValueError(f"{value!r} is not a whole number of milliseconds.")
        return value.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    raise TypeError(f"{value!r} is not JSON, no timedelta and no datetime.")


def require_values(fields: dict[str, Any]) -> dict[str, Any]:
    """Rejects a variable without a value. A null counts as omitted, so the call would apply to everything."""
    for name, value in fields.items():
        if value is None:
            raise TypeError(f"{name} is None. Give it a value, or omit it.")
    return fields


def require_names(fields: dict[str, Any], known: dict[str, Any]) -> None:
    """Rejects a misspelled filter. It would match nothing."""
    for name in fields:
        if name not in known:
            near = "".join(f" Did you mean {each}?" for each in get_close_matches(name, known, 1))
            raise TypeError(f"{name} is not a field of a request.{near} Allowed: {', '.join(sorted(known))}.")
