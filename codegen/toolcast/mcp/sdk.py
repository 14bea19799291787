"""The official SDK, imported when it is first needed.

Its modules come untyped: it is an optional extra, and type checks must not depend on what is installed.
"""

from importlib import import_module
from typing import Any

# The first release with the API that this package uses.
_REMEDY = "run: pip install 'toolcast[mcp]' (mcp 2.3 or newer)"


INVALID_PARAMS = -32602
"""JSON-RPC's code; the specification asks for it where a tool is unknown (server/tools, "Error Handling")."""
INVALID_REQUEST = -32600
INTERNAL_ERROR = -32603
MISSING_CAPABILITY = -32021
"""The code, since 2026-07-28, of a request that needs what its client does not offer."""
METHOD_NOT_FOUND = -32601
HEADER_MISMATCH = -32020
TASKS = "io.modelcontextprotocol/tasks"
"""The extension by which a call is answered with a task (SEP-2663)."""


class McpMissingError(ImportError):
    """The official MCP SDK, or the release of it that is needed, is not installed."""


def load(module: str) -> Any:
    """Import a module of the SDK. Raises McpMissingError, with the remedy."""
    try:
        return import_module(module)
    except ModuleNotFoundError as missing:
        root = (missing.name or "").partition(".")[0]
        if root not in ("mcp", "mcp_types"):
            raise McpMissingError(f"MCP needs {missing.name}, which is not installed; {_REMEDY}") from missing
        old = "too old" if root != missing.name else "not installed"
        raise McpMissingError(f"The MCP SDK is {old}; {_REMEDY}") from missing


def protocol_error(code: int, message: str, data: Any = None) -> Exception:
    """Return an error that the SDK's server answers a request with."""
    error: Exception = load("mcp.shared.exceptions").MCPError(code, message, data)
    return error
