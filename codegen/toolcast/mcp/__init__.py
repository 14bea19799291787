"""Model Context Protocol: a registry offered to clients, and a live server's tools in a registry.

Needs the official SDK, which is imported when it is first used: `pip install 'toolcast[mcp]'`.
"""

from typing import TYPE_CHECKING

from ..lazy_exports import lazy_exports
from .sdk import McpMissingError

if TYPE_CHECKING:
    from .handlers import McpHandler, register_mcp
    from .live_tools import McpTools, ToolChanges, mcp_tools
    from .offered_tools import RefusedTool
    from .pins import Pin, PinChange, Pins, PinsError
    from .serve import serve_http, serve_mcp, serve_stdio
    from .server import mcp_server
    from .server_tool import Limits, ListingError, LiveTool
    from .terms import hinted_permission

__all__ = [
    "Limits",
    "ListingError",
    "LiveTool",
    "McpHandler",
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
    "register_mcp",
    "serve_http",
    "serve_mcp",
    "serve_stdio",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "Limits": ".server_tool",
        "ListingError": ".server_tool",
        "LiveTool": ".server_tool",
        "McpHandler": ".handlers",
        "McpTools": ".live_tools",
        "Pin": ".pins",
        "PinChange": ".pins",
        "Pins": ".pins",
        "PinsError": ".pins",
        "RefusedTool": ".offered_tools",
        "ToolChanges": ".live_tools",
        "hinted_permission": ".terms",
        "mcp_server": ".server",
        "mcp_tools": ".live_tools",
        "register_mcp": ".handlers",
        "serve_http": ".serve",
        "serve_mcp": ".serve",
        "serve_stdio": ".serve",
    },
)
