"""The pytest plugin: the fixture `fauxgate`, and the report of a failing test."""

import inspect
import os
from collections.abc import Generator, Iterator

import pytest

from .gateway import Gateway, GatewayError
from .server import serve
from .survives import SurvivalError

OF_TEST = pytest.StashKey[Gateway]()
SHARED = "FAUXGATE_URL names one server, but each worker of pytest-xdist needs its own: unset it, or use -n 0."


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("fauxgate_options", "Options of `fauxgate serve`, such as `--plan free`.", type="args", default=[])


def pytest_configure(config: pytest.Config) -> None:
    text = "survives(**settings): run the test once for each failure of each request to its gateway, the fixture fauxgate."
    config.addinivalue_line("markers", text)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    marker = pyfuncitem.get_closest_marker("survives")
    if not marker:
        return None
    gateway = pyfuncitem.funcargs.get("fauxgate")
    if not isinstance(gateway, Gateway):
        pytest.fail("A test with the marker survives needs the fixture fauxgate.", pytrace=False)
    args = {name: pyfuncitem.funcargs[name] for name in inspect.signature(pyfuncitem.obj).parameters}
    try:
        gateway.survives(
            lambda url: pyfuncitem.obj(**{**args, "fauxgate": Gateway(url)}), **{"name": pyfuncitem.name, **marker.kwargs}
        )
    except SurvivalError as error:
        pytest.fail(str(error), pytrace=False)
    return True


@pytest.fixture(scope="session")
def fauxgate_server(pytestconfig: pytest.Config) -> Iterator[Gateway]:
    """The server of the run, or of the worker of pytest-xdist. Nothing resets it between tests."""
    workers = getattr(pytestconfig, "workerinput", {}).get("workercount", 1)
    if workers > 1 and os.environ.get("FAUXGATE_URL"):
        pytest.fail(SHARED, pytrace=False)
    try:
        with serve(*pytestconfig.getini("fauxgate_options")) as gateway:
            yield gateway
    except GatewayError as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None


@pytest.fixture
def fauxgate(request: pytest.FixtureRequest, fauxgate_server: Gateway) -> Iterator[Gateway]:
    """An empty gateway of ngrok's API, at the start of its clock: 2026-01-01T00:00:00Z."""
    fauxgate_server.reset()
    request.node.stash[OF_TEST] = fauxgate_server
    yield fauxgate_server
    fauxgate_server.reset()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Adds the gateway's report to a failing test. After the teardown, the gateway is empty."""
    report = yield
    gateway = item.stash.get(OF_TEST, None)
    if gateway and report.failed and report.when != "teardown":
        try:
            text = gateway.report()
        except GatewayError as error:
            text = str(error)
        report.sections.append(("What happened at the gateway", text))
    return report
