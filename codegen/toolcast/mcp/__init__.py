"""Model Context Protocol: a registry offered to clients, and a live server's tools in a registry.

Needs the official SDK, which is imported when it is first used: `pip install 'toolcast[mcp]'`.
"""

from typing import TYPE_CHECKING, Any

from .sdk import McpMissingError

if TYPE_CHECKING:
    from .changes import ToolChanges
    from .limits import Limits, ListingError
    from .offers import RefusedTool
    from .pins import Pin, PinChange, Pins, PinsError
    from .serve import serve_http, serve_mcp, serve_stdio
    from .server import mcp_server
    from .source import LiveTool
    from .terms import hinted_permission
    from .tools import McpTools, mcp_tools

__all__ = [
    "Limits",
    "ListingError",
    "LiveTool",
    "McpMissingError",
    "McpTools",
    "Pin",
    "PinChange",
    "Pins",
    "PinsError",
    "RefusedTool",
    "ToolChanges",
    "hinted_permission",
    "mcp_server",
    "mcp_tools",
    "serve_http",
    "serve_mcp",
    "serve_stdio",
]

_HOMES = {
    "Limits": "limits",
    "ListingError": "limits",
    "LiveTool": "source",
    "McpTools": "tools",
    "Pin": "pins",
    "PinChange": "pins",
    "Pins": "pins",
    "PinsError": "pins",
    "RefusedTool": "offers",
    "ToolChanges": "changes",
    "hinted_permission": "terms",
    "mcp_server": "server",
    "mcp_tools": "tools",
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
