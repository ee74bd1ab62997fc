"""The plugin, in runs of pytest inside of a test."""

import importlib.util
import re
import signal
import subprocess
import sys

import fauxgate
import pytest
from test_server import answers, ends


def test_the_fixture_needs_no_configuration(pytester):
    pytester.makepyfile("def test_url(fauxgate): assert fauxgate.now() == '2026-01-01T00:00:00Z'")
    pytester.runpytest_subprocess().assert_outcomes(passed=1)


def test_a_failing_test_shows_the_report(pytester):
    pytester.makepyfile(
        """
        import pytest

        @pytest.fixture
        def client(fauxgate):
            fauxgate.fault(operation="reserved_domains.create", status=503)

        def test_fails(client): assert 1 == 2
        """
    )
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(failed=1)
    lines = ["*What happened at the gateway*", "The gateway at 2026-01-01*", "*reserved_domains.create*503*"]
    result.stdout.fnmatch_lines(lines)


def test_a_failing_setup_shows_the_report_and_a_passing_test_does_not(pytester):
    pytester.makepyfile(
        """
        import pytest

        @pytest.fixture
        def broken(fauxgate): assert 1 == 2

        def test_error(broken): pass
        def test_passes(fauxgate): pass
        """
    )
    result = pytester.runpytest_subprocess("-rA")
    result.assert_outcomes(errors=1, passed=1)
    assert result.stdout.str().count("What happened at the gateway") == 1


def test_a_refused_call_points_to_the_line_of_the_test(pytester):
    pytester.makepyfile("def test_fails(fauxgate):\n    fauxgate.advance('soon')\n")
    result = pytester.runpytest_subprocess()
    result.stdout.fnmatch_lines(["*fauxgate.advance('soon')", "*GatewayError: advance is \"soon\". Allowed: *"])
    assert "gateway.py" not in result.stdout.str()


def test_without_a_server_the_run_says_what_to_install(pytester, monkeypatch):
    monkeypatch.delenv("FAUXGATE", raising=False)
    monkeypatch.setenv("PATH", "")
    pytester.makepyfile("def test_url(fauxgate): pass")
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["fauxgate needs Node 20.19 or newer: install it *"])


def test_options_of_the_server_come_from_the_configuration(pytester):
    pytester.makeini("[pytest]\nfauxgate_options = --start 2027-01-01T00:00:00Z")
    pytester.makepyfile("def test_now(fauxgate): assert fauxgate.now() == '2027-01-01T00:00:00Z'")
    pytester.runpytest_subprocess().assert_outcomes(passed=1)


def test_a_running_server_is_left_empty(pytester, monkeypatch):
    with fauxgate.serve() as running:
        monkeypatch.setenv("FAUXGATE_URL", running.url)
        pytester.makepyfile("def test_now(fauxgate): fauxgate.advance('1h'); fauxgate.fault(status=503)")
        pytester.runpytest_subprocess().assert_outcomes(passed=1)
        assert (running.now(), running.faults()) == ("2026-01-01T00:00:00Z", [])


SLOW = """
import os, time

def test_slow(fauxgate):
    with open("url", "w") as file: file.write(fauxgate.url)
    os.rename("url", "ready")
    time.sleep(60)
"""


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_a_signal_that_ends_pytest_ends_the_server(pytester, name):
    pytester.makepyfile(SLOW)
    run = pytester.popen([sys.executable, "-m", "pytest", "-q"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    ready = pytester.path / "ready"
    while not ready.exists() and run.poll() is None:
        pass
    url = ready.read_text()
    assert answers(url)
    run.send_signal(getattr(signal, name))
    run.wait()
    assert ends(url)


XDIST = """
import pytest

@pytest.mark.parametrize("number", range(8))
def test_many(fauxgate, number, testrun_uid):
    fauxgate.advance("1h")
    assert fauxgate.now() == "2026-01-01T01:00:00Z"
    print("server", fauxgate.url)
"""


@pytest.mark.skipif(not importlib.util.find_spec("xdist"), reason="pytest-xdist is not installed.")
class TestWorkers:
    def test_each_worker_has_a_server(self, pytester):
        pytester.makepyfile(XDIST)
        result = pytester.runpytest_subprocess("-n", "2", "-rP")
        result.assert_outcomes(passed=8)
        urls = set(re.findall(r"^server (\S+)$", result.stdout.str(), re.M))
        assert len(urls) == 2
        assert all(ends(url) for url in urls)

    def test_workers_cannot_share_a_server(self, pytester, monkeypatch):
        monkeypatch.setenv("FAUXGATE_URL", "http://127.0.0.1:1")
        pytester.makepyfile(XDIST)
        result = pytester.runpytest_subprocess("-n", "2")
        result.assert_outcomes(errors=8)
        result.stdout.fnmatch_lines(["FAUXGATE_URL names one server, but each worker*"])
