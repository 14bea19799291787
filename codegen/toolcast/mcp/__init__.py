"""Model Context Protocol: a registry offered to clients, and a live server's tools in a registry.

Needs the official SDK, which is imported when it is first used: `pip install 'toolcast[mcp]'`.
"""

from ..runtime.context import Principal
from .live.live_calls import McpHandler, register_mcp, task_extension
from .live.live_tools import McpTools, ToolChanges, mcp_tools
from .live.offered_tools import LockFinding, LockVerdict, RefusedTool, ToolLock
from .live.server_tool import Limits, ListingError, LiveTool
from .live.terms import hinted_permission
from .sdk import McpMissingError
from .serving.clients import BearerAuth, CallLimits, Verify, fixed_token, principal_of
from .serving.http_api import ApiOptions, api_app
from .serving.prompts_and_resources import Prompts, Resources
from .serving.serve import HttpOptions, http_app, serve_http, serve_mcp, serve_stdio
from .serving.server import mcp_server
from .serving.sessions import Replay
from .serving.tasks import Tasks

__all__ = [
    "ApiOptions",
    "BearerAuth",
    "CallLimits",
    "HttpOptions",
    "Limits",
    "ListingError",
    "LiveTool",
    "LockFinding",
    "LockVerdict",
    "McpHandler",
    "McpMissingError",
    "McpTools",
    "Principal",
    "Prompts",
    "RefusedTool",
    "Replay",
    "Resources",
    "Tasks",
    "ToolChanges",
    "ToolLock",
    "Verify",
    "api_app",
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
    "task_extension",
]
