"""The pytest plugin: the fixture `fauxgate`, and the report of a failing test."""

from __future__ import annotations

import inspect
import json
import os
import secrets
import sys
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing import ProcessError
from multiprocessing.connection import Client, Listener
from threading import Thread
from typing import TYPE_CHECKING, Any, TextIO

import pytest

from .gateway import Gateway, GatewayError
from .server import Server, connect, without_proxy
from .survives import SurvivalError, format_replay, survives

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .types import Options

OF_TEST = pytest.StashKey[Gateway]()
STRICT = pytest.StashKey[bool]()
NOTICES = pytest.StashKey[TextIO]()
SHARED = pytest.StashKey["SharedServer"]()
SERVERS = pytest.StashKey[ExitStack]()
WORKERS = 1024  # More than any run has.


def options(*, strict: bool = True, **options: Unpack[Options]) -> pytest.MarkDecorator:
    """The marker `fauxgate` with checked types: `@options(plan="free")`."""
    return pytest.mark.fauxgate(strict=strict, **options)


def pytest_addoption(parser: pytest.Parser) -> None:
    about = "Options of each gateway, such as `plan=free`, and flags of a server that starts here, such as `--tls`."
    parser.addini("fauxgate_options", about, type="args", default=[])


def pytest_configure(config: pytest.Config) -> None:
    marker = "fauxgate(strict=True, **options): options of the test's gateway, such as plan='free'. strict=False allows unused faults."
    config.addinivalue_line("markers", marker)
    text = "survives(**settings): run the test once for each way that each request can fail to its gateway, the fixture fauxgate."
    config.addinivalue_line("markers", text)
    # pytest has not replaced the standard error yet, so a test that hangs cannot hide what is printed here.
    config.stash[SERVERS] = ExitStack()
    config.stash[NOTICES] = open_stderr()


def open_stderr() -> TextIO:
    try:
        descriptor = sys.__stderr__.fileno() if sys.__stderr__ else -1
        return open(os.dup(descriptor), "w", encoding="utf-8")
    except (OSError, ValueError):
        return open(os.devnull, "w", encoding="utf-8")


def pytest_unconfigure(config: pytest.Config) -> None:
    # After the last report, which the server still has to give.
    config.stash[SERVERS].close()
    if shared := config.stash.get(SHARED, None):
        shared.close()
    config.stash[NOTICES].close()


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Lets the workers of pytest-xdist share one server. It starts when the first of them needs it."""
    shared = node.config.stash.setdefault(SHARED, None) or SharedServer(node.config)
    node.config.stash[SHARED] = shared
    node.workerinput["fauxgate"] = shared.place


class SharedServer:
    """Starts one server for all workers of pytest-xdist, and tells them its URL."""

    def __init__(self, config: pytest.Config):
        self._flags = split_options(config)[0]
        self._notices = config.stash[NOTICES]
        self._stack = ExitStack()
        self._known: tuple[str, str] | None = None
        self._is_closed = False
        key = secrets.token_bytes(16)
        # Workers connect while the server starts. Those beyond the backlog would wait for ever.
        self._listener = Listener(("127.0.0.1", 0), backlog=WORKERS, authkey=key)
        self.place = (*self._listener.address, key.hex())
        Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while not self._is_closed:
            # A worker can end at any time, and the others still need an answer.
            with suppress(OSError, EOFError, ProcessError), self._listener.accept() as worker:
                self._known = self._known or self._start()
                worker.send(self._known)

    def _start(self) -> tuple[str, str]:
        """Returns the URL with the root certificate, or the message of the error."""
        try:
            server = self._stack.enter_context(connect(*self._flags, notices=self._notices))
            return server.url, server.root
        except GatewayError as error:
            return "", str(error)

    def close(self) -> None:
        self._is_closed = True
        self._listener.close()
        self._stack.close()


@contextmanager
def connect_to_shared(address: str, port: int, key: str) -> Iterator[Server]:
    """Connects a worker of pytest-xdist to the server of the run."""
    with Client((address, port), authkey=bytes.fromhex(key)) as controller:
        url, root = controller.recv()
    if not url:
        raise GatewayError(root)
    with without_proxy(url):
        yield Server(url, root)


def split_options(config: pytest.Config) -> tuple[list[str], dict[str, Any]]:
    """Returns the flags of the server, and the options of each gateway."""
    words: list[str] = config.getini("fauxgate_options")
    named = [word for word in words if "=" in word and not word.startswith("-")]
    return [word for word in words if word not in named], dict(map(read_option, named))


def read_option(word: str) -> tuple[str, Any]:
    name, _, text = word.partition("=")
    try:
        return name, json.loads(text)
    except ValueError:
        return name, text


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    marker = pyfuncitem.get_closest_marker("survives")
    if not marker:
        return None
    gateway = pyfuncitem.funcargs.get("fauxgate")
    if not isinstance(gateway, Gateway):
        pytest.fail("A test with the marker survives needs the fixture fauxgate.", pytrace=False)
    args = {name: pyfuncitem.funcargs[name] for name in inspect.signature(pyfuncitem.obj).parameters}
    replay = format_replay("@pytest.mark.survives(", marker.kwargs)
    try:
        survives(
            gateway,
            lambda url: pyfuncitem.obj(**{**args, "fauxgate": Gateway(url)}),
            **{"name": pyfuncitem.name, "replayCall": replay, **marker.kwargs},
        )
    except (GatewayError, SurvivalError) as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None
    return True


@pytest.fixture(scope="session")
def fauxgate_server(pytestconfig: pytest.Config) -> Server:
    """The server of the run: `fauxgate_server.create(plan="free")` is an additional gateway."""
    place: Any = getattr(pytestconfig, "workerinput", {}).get("fauxgate")
    flags = split_options(pytestconfig)[0]
    is_shared = bool(place) and not os.environ.get("FAUXGATE_URL")
    connected = connect_to_shared(*place) if is_shared else connect(*flags, notices=pytestconfig.stash[NOTICES])
    try:
        return pytestconfig.stash[SERVERS].enter_context(connected)
    except GatewayError as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None


@pytest.fixture
def fauxgate(request: pytest.FixtureRequest, fauxgate_server: Server) -> Gateway:
    """A gateway of ngrok's API for this test only. Its clock is at 2026-01-01T00:00:00Z."""
    merged = split_options(request.config)[1]
    for marker in reversed(list(request.node.iter_markers("fauxgate"))):
        merged |= marker.kwargs
    request.node.stash[STRICT] = merged.pop("strict", True)
    try:
        gateway = fauxgate_server.create(**merged)
    except GatewayError as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None
    request.node.stash[OF_TEST] = gateway
    return gateway


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fails a test that left something unused, adds the gateway's report to a failing one, and removes the gateway at the end."""
    report = yield
    gateway = item.stash.get(OF_TEST, None)
    if not gateway:
        return report
    gateways = [gateway, *gateway.created]
    try:
        is_checked = report.passed and report.when == "call" and item.stash[STRICT]
        if is_checked and (unused := [text for each in gateways for text in each.unused()]):
            report.outcome = "failed"
            report.longrepr = "\n".join([*unused, "To allow this, mark the test: @pytest.mark.fauxgate(strict=False)"])
        # The runs of code that must survive failures had gateways of their own, and the story tells about these.
        is_told = item.get_closest_marker("survives") or (call.excinfo and call.excinfo.errisinstance(SurvivalError))
        if report.failed and not is_told:
            report.sections += [("What happened in the gateway", each.report()) for each in gateways]
        if report.when == "teardown":
            gateway.close()
    except GatewayError as error:
        report.sections.append(("What happened in the gateway", str(error)))
    return report
