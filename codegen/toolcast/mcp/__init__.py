"""Model Context Protocol: a registry offered to clients, and a live server's tools in a registry.

Needs the official SDK, which is imported when it is first used: `pip install 'toolcast[mcp]'`.
"""

from typing import TYPE_CHECKING

from ..lazy_exports import lazy_exports
from .sdk import McpMissingError

if TYPE_CHECKING:
    from .live.handlers import McpHandler, register_mcp
    from .live.live_tools import McpTools, ToolChanges, mcp_tools
    from .live.offered_tools import RefusedTool
    from .live.pins import Pin, PinChange, Pins, PinsError
    from .live.server_tool import Limits, ListingError, LiveTool
    from .live.terms import hinted_permission
    from .serving.bearer_auth import BearerAuth, Principal, Verify, fixed_token, principal_of
    from .serving.call_limits import CallLimits
    from .serving.prompts_and_resources import Prompts, Resources
    from .serving.serve import HttpOptions, http_app, serve_http, serve_mcp, serve_stdio
    from .serving.server import mcp_server
    from .serving.sessions import Replay

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
        "BearerAuth": ".serving.bearer_auth",
        "CallLimits": ".serving.call_limits",
        "HttpOptions": ".serving.serve",
        "Limits": ".live.server_tool",
        "ListingError": ".live.server_tool",
        "LiveTool": ".live.server_tool",
        "McpHandler": ".live.handlers",
        "McpTools": ".live.live_tools",
        "Pin": ".live.pins",
        "PinChange": ".live.pins",
        "Pins": ".live.pins",
        "PinsError": ".live.pins",
        "Principal": ".serving.bearer_auth",
        "Prompts": ".serving.prompts_and_resources",
        "RefusedTool": ".live.offered_tools",
        "Replay": ".serving.sessions",
        "Resources": ".serving.prompts_and_resources",
        "ToolChanges": ".live.live_tools",
        "Verify": ".serving.bearer_auth",
        "fixed_token": ".serving.bearer_auth",
        "hinted_permission": ".live.terms",
        "http_app": ".serving.serve",
        "mcp_server": ".serving.server",
        "mcp_tools": ".live.live_tools",
        "principal_of": ".serving.bearer_auth",
        "register_mcp": ".live.handlers",
        "serve_http": ".serving.serve",
        "serve_mcp": ".serving.serve",
        "serve_stdio": ".serving.serve",
    },
)
