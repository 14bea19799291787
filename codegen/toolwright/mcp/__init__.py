"""Model Context Protocol: a registry offered to clients.

Needs the official SDK, which is imported when it is first used: `pip install 'toolwright[mcp]'`.
"""

from typing import TYPE_CHECKING, Any

from .sdk import McpMissingError

if TYPE_CHECKING:
    from .serve import serve_http, serve_mcp, serve_stdio
    from .server import mcp_server

__all__ = [
    "McpMissingError",
    "mcp_server",
    "serve_http",
    "serve_mcp",
    "serve_stdio",
]

_HOMES = {
    "mcp_server": "server",
    "serve_http": "serve",
    "serve_mcp": "serve",
    "serve_stdio": "serve",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{home}", __name__), name)
