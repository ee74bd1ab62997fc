"""An emulator of ngrok's API for tests. With pytest, use the fixture `fauxgate`; without pytest, use `serve`."""

from .gateway import Gateway, GatewayError
from .server import serve
from .survives import SurvivalError

__all__ = ["Gateway", "GatewayError", "SurvivalError", "serve"]
