"""The type of server that `mcp_server` makes, for transports of the SDK and for clients in one process.

The SDK has two types of servers. Its transports and its client take either; others take the high-level one
alone, and go to the low-level server behind it at once (`fastmcp.Client`, `fastmcp.server.create_proxy`). So
the type here is both, and its low-level server is itself.
"""

from functools import cache
from typing import Any

from ..sdk import load

_ATTRIBUTES = (
    "name",
    "version",
    "title",
    "description",
    "instructions",
    "website_url",
    "icons",
    "middleware",
)
"""Properties of the high-level type, which the low-level one sets as attributes."""
_PARTS = frozenset(
    ("_tool_manager", "_resource_manager", "_prompt_manager", "_custom_starlette_routes", "_token_verifier")
)
"""What the high-level type's own methods use: a call of one ends here."""


@cache
def server_type() -> type[Any]:
    """The SDK's low-level server, as a subtype of the high-level one.

    Decorators of the high-level type (`@server.tool()`) would register what no client ever sees; they raise
    AttributeError.

    Raises:
        McpMissingError: the SDK is not installed.
    """
    bases = (load("mcp.server.lowlevel.server").Server, load("mcp.server.mcpserver").MCPServer)
    members: dict[str, Any] = dict.fromkeys(_ATTRIBUTES)
    members["__doc__"] = "An MCP server that offers a registry, for the transports and clients of the SDK."
    members["__module__"] = __name__
    members["_lowlevel_server"] = property(lambda self: self)
    members["__getattr__"] = _missing
    return type("RegistryServer", bases, members)


def _missing(_server: Any, name: str) -> Any:
    if name in _PARTS:
        raise AttributeError(
            "this server offers a registry, and has no tools, resources or prompts of its own: register "
            "tools with the registry, and give the rest to mcp_server"
        )
    raise AttributeError(f"'RegistryServer' object has no attribute {name!r}")
