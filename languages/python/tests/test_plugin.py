"""The plugin, in runs of pytest inside of a test."""

import importlib.util
import re
import signal
import socket
import subprocess
import sys

import fauxgate
import fauxgate.server
import pytest
from fauxgate.plugin import SharedServer, connect_to_shared
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
    lines = ["*What happened in the gateway*", "The gateway at 2026-01-01*", "*reserved_domains.create*503*"]
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
    assert result.stdout.str().count("What happened in the gateway") == 1


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


def test_named_options_of_each_gateway_come_from_the_configuration(pytester):
    pytester.makeini("[pytest]\nfauxgate_options = start=2027-01-01T00:00:00Z takenDomains='[\"a.example.com\"]'")
    pytester.makepyfile(
        "def test_now(fauxgate):\n"
        "    assert fauxgate.now() == '2027-01-01T00:00:00Z'\n"
        "    assert fauxgate.control('GET', '/controls')['options']['takenDomains'] == ['a.example.com']"
    )
    pytester.runpytest_subprocess().assert_outcomes(passed=1)


@pytest.mark.parametrize("flag", ["--tls", "--clock=system", "--clock system"])
def test_flags_of_the_server_come_from_the_configuration(pytester, flag):
    pytester.makeini(f"[pytest]\nfauxgate_options = {flag}")
    pytester.makepyfile("def test_clock(fauxgate): print('at', fauxgate.url, fauxgate.control('GET', '/clock')['manual'])")
    result = pytester.runpytest_subprocess("-rP")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["at https:*True" if flag == "--tls" else "at http:*False"])


RUNNING = """
def test_now(fauxgate):
    assert fauxgate.now() == "2026-01-01T00:00:00Z"
    fauxgate.advance("1h")
    fauxgate.fault(status=503)
"""


def test_a_running_server_has_a_gateway_for_each_test_with_the_start_of_the_fixture(pytester, monkeypatch):
    with fauxgate.server.connect("--start", "2029-01-01T00:00:00Z") as server:
        home = fauxgate.Gateway(server.url)
        monkeypatch.setenv("FAUXGATE_URL", server.url)
        pytester.makepyfile(f"import pytest\npytestmark = pytest.mark.fauxgate(strict=False)\n{RUNNING}\n{RUNNING.replace('now(f', 'again(f')}")
        pytester.runpytest_subprocess().assert_outcomes(passed=2)
        assert (home.now(), home.faults()) == ("2029-01-01T00:00:00Z", [])
        pytester.makeini("[pytest]\nfauxgate_options = --plan free")
        result = pytester.runpytest_subprocess()
        result.assert_outcomes(errors=2)
        result.stdout.fnmatch_lines(["*FAUXGATE_URL names a server that runs already, so it takes no flags: --plan free*"])


UNUSED = """
import pytest

def test_unused(fauxgate): fauxgate.fault(operation="reserved_domains.create", status=503)

@pytest.mark.fauxgate(strict=False)
def test_allowed(fauxgate): fauxgate.fault(status=503)

def test_script(fauxgate): fauxgate.script("DNS_ERROR")
"""


def test_an_unused_fault_or_outcome_fails_a_test(pytester):
    pytester.makepyfile(UNUSED)
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(failed=2, passed=1)
    result.stdout.fnmatch_lines(["1 fault is still waiting for requests.", "*There were no requests.", "*strict=False*"])
    result.stdout.fnmatch_lines(["No attempt used these outcomes: DNS_ERROR for any domain.*"])


ADDITIONAL = """
import pytest
from fauxgate import Gateway, GatewayError

ALL = []

def test_unused(fauxgate):
    ALL.append(fauxgate.create(plan="free"))
    ALL[0].fault(operation="ip_policies.create", status=503)

def test_fails(fauxgate): assert not fauxgate.create().url

@pytest.fixture
def closed(fauxgate):
    created = fauxgate.create()
    yield
    created.close()
    created.close()

def test_closed(fauxgate, closed): pass

def test_nothing_remains():
    with pytest.raises(GatewayError, match="no gateway"): Gateway(ALL[0].url).now()
"""


def test_the_gateways_that_a_gateway_creates_belong_to_its_test(pytester):
    pytester.makepyfile(ADDITIONAL)
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(failed=2, passed=2)
    result.stdout.fnmatch_lines(["1 fault is still waiting for requests."])
    assert len(re.findall("What happened in the gateway", result.stdout.str())) == 4


def test_a_restored_fault_that_is_unused_fails_a_test(pytester):
    pytester.makepyfile(
        """
        def test_restored(fauxgate, fauxgate_server):
            with fauxgate_server.create() as other:
                other.fault(status=503)
                fauxgate.restore(other.snapshot())
        """
    )
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["1 fault is still waiting for requests."])


def test_a_failing_assertion_in_the_teardown_of_a_fixture_shows_the_report(pytester):
    pytester.makepyfile(
        """
        import pytest

        @pytest.fixture
        def client(fauxgate):
            yield
            assert fauxgate.requests()

        def test_passes(client): pass
        """
    )
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*What happened in the gateway*", "The gateway at 2026-01-01*"])


def test_an_unknown_option_is_named(pytester):
    pytester.makepyfile("import pytest\n@pytest.mark.fauxgate(plna='free')\ndef test_url(fauxgate): pass")
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*plna*"])


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
    def test_workers_share_one_server_and_each_test_has_its_gateway(self, pytester):
        pytester.makepyfile(XDIST)
        result = pytester.runpytest_subprocess("-n", "2", "-rP")
        result.assert_outcomes(passed=8)
        urls = re.findall(r"^server (\S+)$", result.stdout.str(), re.M)
        assert len(set(urls)) == 8
        servers = {url.split("/g/")[0] for url in urls}
        assert len(servers) == 1
        assert all(ends(url) for url in servers)

    def test_workers_use_a_running_server_together(self, pytester, monkeypatch):
        with fauxgate.server.connect() as server:
            monkeypatch.setenv("FAUXGATE_URL", server.url)
            pytester.makepyfile(XDIST)
            pytester.runpytest_subprocess("-n", "2").assert_outcomes(passed=8)

    def test_workers_that_connect_at_once_or_end_early_do_not_keep_another_waiting(self, pytestconfig, tmp_path, monkeypatch):
        (tmp_path / "server.py").write_text("print('listens on http://127.0.0.1:1', flush=True); input()")
        monkeypatch.setenv("FAUXGATE", f"{sys.executable} {tmp_path / 'server.py'}")
        shared = SharedServer(pytestconfig)
        for worker in [socket.create_connection(shared.place[:2], timeout=5) for _ in range(32)]:
            worker.close()
        with connect_to_shared(*shared.place) as server:
            assert server.url == "http://127.0.0.1:1"
        shared.close()

    def test_a_command_that_cannot_be_started_is_reported_by_each_worker(self, pytester, monkeypatch):
        monkeypatch.setenv("FAUXGATE", "no-such-program")
        pytester.makepyfile(XDIST)
        result = pytester.runpytest_subprocess("-n", "2", timeout=60)
        result.assert_outcomes(errors=8)
        result.stdout.fnmatch_lines(["no-such-program cannot be started: *"])

    def test_a_server_that_does_not_start_is_reported_by_each_worker(self, pytester):
        pytester.makeini("[pytest]\nfauxgate_options = --plan gold")
        pytester.makepyfile(XDIST)
        result = pytester.runpytest_subprocess("-n", "2")
        result.assert_outcomes(errors=8)
        result.stdout.fnmatch_lines(["The server ended with 2: *"])
