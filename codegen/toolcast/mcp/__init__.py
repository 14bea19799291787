"""Model Context Protocol: a registry offered to clients, and a live server's tools in a registry.

Needs the official SDK, which is imported when it is first used: `pip install 'toolcast[mcp]'`.
"""

from typing import TYPE_CHECKING, Any

from .sdk import McpMissingError

if TYPE_CHECKING:
    from .changes import ToolChanges
    from .listing_limits import Limits, ListingError
    from .live_tools import McpTools, mcp_tools
    from .offered_tools import RefusedTool
    from .pins import Pin, PinChange, Pins, PinsError
    from .serve import serve_http, serve_mcp, serve_stdio
    from .server import mcp_server
    from .server_tool import LiveTool
    from .terms import hinted_permission

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
    "Limits": "listing_limits",
    "ListingError": "listing_limits",
    "LiveTool": "server_tool",
    "McpTools": "live_tools",
    "Pin": "pins",
    "PinChange": "pins",
    "Pins": "pins",
    "PinsError": "pins",
    "RefusedTool": "offered_tools",
    "ToolChanges": "changes",
    "hinted_permission": "terms",
    "mcp_server": "server",
    "mcp_tools": "live_tools",
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
