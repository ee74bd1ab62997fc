import os

import pytest
from fauxgate import Gateway, serve


@pytest.fixture(scope="session")
def server():
    if url := os.environ.get("FAUXGATE_URL"):
        yield Gateway(url)  # It runs already, for example as a service in CI.
    else:
        with serve("--dialect", "ngrok", "--clock", "manual", "--start", "2026-01-01T00:00:00Z") as gateway:
            yield gateway


@pytest.fixture
def gateway(server):
    """An empty gateway, at the start of its clock."""
    server.reset()
    return server


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Adds the gateway's report to a failed test."""
    report = yield
    if report.failed and "gateway" in item.funcargs:
        report.sections.append(("What happened at the gateway", item.funcargs["gateway"].report()))
    return report
