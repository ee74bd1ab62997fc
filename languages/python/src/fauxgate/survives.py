"""Finds the failure that breaks a function."""

import ctypes
from collections.abc import Callable, Mapping
from threading import Thread
from typing import Any

from .gateway import Gateway, require_values

__tracebackhide__ = True


class Crash(BaseException):
    """Ends a call of the function, as the end of its process would. Do not catch it."""


class SurvivalError(AssertionError):
    """The story of the smallest failure that breaks the function, and its `replay`."""

    def __init__(self, report: str, replay: str | None):
        super().__init__(report)
        self.replay = replay


def survives(
    gateway: Gateway,
    function: Callable[[str], Any],
    setup: Callable[[str], Any] | None = None,
    **settings: Any,
) -> str:
    """Implements `Gateway.survives`."""
    require_values(settings)
    name = settings.pop("name", name_of(function, "The code"))
    again = {**settings, "setup": setup} if setup else settings
    replay = format_replay(f"fauxgate.survives({name_of(function, 'function')}, ", again)
    call = {"name": name, "replayCall": replay, "for": "python", "timeout": 30, **settings}
    id = gateway.control("POST", "/explorations", {**call, "setup": setup is not None})["id"]
    calls: dict[tuple[int, str], Thread] = {}
    while (step := gateway.control("POST", "/explorations/next", {"id": id}))["do"] != "finish":
        key = (step["run"], step.get("copy", ""))
        if step["do"] == "kill":
            raise_in(calls[key])
        else:
            calls[key] = Thread(target=call_once, args=(gateway, id, step, setup if step["do"] == "setup" else function))
            calls[key].daemon = True
            calls[key].start()
    if not step["survives"]:
        raise SurvivalError(step["report"], step.get("replay"))
    return str(step["report"])


def name_of(function: Callable[[str], Any], default: str) -> str:
    """Returns the name of a function that has one, unlike a lambda or an object."""
    name = str(getattr(function, "__name__", default))
    return name if name.isidentifier() else default


def format_replay(start: str, settings: Mapping[str, Any]) -> str:
    """Returns the code that replays one schedule, with the settings of the search."""
    again = [f"{name}={name_of(value, name) if callable(value) else repr(value)}" for name, value in settings.items()]
    return f"{start}{', '.join(['replay=REPLAY', *again])})"


def call_once(gateway: Gateway, id: str, step: dict[str, Any], function: Callable[[str], Any]) -> None:
    end: dict[str, Any] = {"id": id, **{name: step[name] for name in ("run", "copy", "life") if name in step}}
    try:
        function(step["url"])
    except BaseException as error:  # A crash and a SystemExit end the call too.
        end["error"] = f"{type(error).__name__}: {error}"
    gateway.control("POST", "/explorations/ended", end)


def raise_in(thread: Thread) -> None:
    """Raises a crash in a thread, where its request ends next."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(Crash))
