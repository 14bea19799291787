"""Model Context Protocol: a registry offered to clients, and a live server's tools in a registry.

Needs the official SDK, which is imported when it is first used: `pip install 'toolcast[mcp]'`.
"""

from typing import TYPE_CHECKING

from ..lazy_exports import lazy_exports
from .sdk import McpMissingError

if TYPE_CHECKING:
    from .bearer_auth import BearerAuth, Principal, Verify, fixed_token, principal_of
    from .call_limits import CallLimits
    from .handlers import McpHandler, register_mcp
    from .http_options import HttpOptions, Replay
    from .live_tools import McpTools, ToolChanges, mcp_tools
    from .offered_tools import RefusedTool
    from .pins import Pin, PinChange, Pins, PinsError
    from .prompts import Prompts
    from .resources import Resources
    from .serve import http_app, serve_http, serve_mcp, serve_stdio
    from .server import mcp_server
    from .server_tool import Limits, ListingError, LiveTool
    from .terms import hinted_permission

__all__ = [
    "BearerAuth",
    "CallLimits",
    "HttpOptions",
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
    "Principal",
    "Prompts",
    "RefusedTool",
    "Replay",
    "Resources",
    "ToolChanges",
    "Verify",
    "fixed_token",
    "hinted_permission",
    "http_app",
    "mcp_server",
    "mcp_tools",
    "principal_of",
    "register_mcp",
    "serve_http",
    "serve_mcp",
    "serve_stdio",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "BearerAuth": ".bearer_auth",
        "CallLimits": ".call_limits",
        "HttpOptions": ".http_options",
        "Limits": ".server_tool",
        "ListingError": ".server_tool",
        "LiveTool": ".server_tool",
        "McpHandler": ".handlers",
        "McpTools": ".live_tools",
        "Pin": ".pins",
        "PinChange": ".pins",
        "Pins": ".pins",
        "PinsError": ".pins",
        "Principal": ".bearer_auth",
        "Prompts": ".prompts",
        "RefusedTool": ".offered_tools",
        "Replay": ".http_options",
        "Resources": ".resources",
        "ToolChanges": ".live_tools",
        "Verify": ".bearer_auth",
        "fixed_token": ".bearer_auth",
        "hinted_permission": ".terms",
        "http_app": ".serve",
        "mcp_server": ".server",
        "mcp_tools": ".live_tools",
        "principal_of": ".bearer_auth",
        "register_mcp": ".handlers",
        "serve_http": ".serve",
        "serve_mcp": ".serve",
        "serve_stdio": ".serve",
    },
)
