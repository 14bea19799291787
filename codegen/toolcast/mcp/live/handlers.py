"""Handlers of tools that were imported from an MCP server: each call goes to the live server."""

from collections.abc import Mapping
from typing import Any

import msgspec

from ...runtime.binding import AnyBinding
from ...runtime.context import ToolContext
from ...runtime.errors import EncodeError
from ...runtime.handler_results import result_validator
from ...runtime.registry import ToolRegistry
from ...runtime.result import ToolResult
from .live_calls import LiveServer, call_live
from .server_tool import Limits

_TIMEOUT = 60.0


class McpHandler:
    """Forwards the calls of one tool to the MCP server that its spec was imported from, by the server's name
    of the tool. It fits the handler Protocol of every binding with a `source` of the kind mcp.

    Whatever the server or the connection does is a result.
    """

    def __init__(
        self,
        binding: AnyBinding,
        session: Any,
        *,
        timeout: float | None = _TIMEOUT,
        limits: Limits | None = None,
    ) -> None:
        """Make a handler.

        Args:
            binding: the generated binding of an imported spec.
            session: the SDK's connected `Client` or `ClientSession`.
            timeout: seconds for one call; None for no limit.
            limits: limits for what the server sends.

        Raises:
            ValueError: the binding was not imported from an MCP server, or `timeout` is not positive.
        """
        source = binding.source
        if source is None or source["kind"] != "mcp":
            raise ValueError(f"Tool {binding.name!r} was not imported from an MCP server.")
        if timeout is not None and timeout <= 0:
            raise ValueError("timeout must be positive, or None.")
        self._binding = binding
        self._tool = source["name"]
        self._live = LiveServer(session, source["from"], limits or Limits(), timeout)

    @property
    def tool(self) -> str:
        """Return the server's name of the tool."""
        return self._tool

    async def __call__(self, params: object, context: ToolContext, /) -> ToolResult:
        """Forward one call.

        Args:
            params: typed parameters.
            context: circumstances of the call.

        Returns:
            The server's answer, or the reason why there is none.
        """
        try:
            arguments = msgspec.json.decode(self._binding.encode(params))
        except EncodeError as problem:
            return ToolResult.failed(str(problem))
        binding = self._binding
        output = None if binding.result is None else result_validator(binding)
        return await call_live(self._live, self._tool, arguments, context, output)


def register_mcp(
    registry: ToolRegistry,
    bindings: Mapping[str, AnyBinding],
    session: Any,
    *,
    source: str | None = None,
    timeout: float | None = _TIMEOUT,
    limits: Limits | None = None,
) -> tuple[str, ...]:
    """Register a handler for every binding that was imported from one MCP server.

    Args:
        registry: gets the tools.
        bindings: BINDINGS of a generated package; those from elsewhere, and external ones, are left to the
            program.
        session: as for `McpHandler`.
        source: which server, as `from` in the specs says; None where all come from one.
        timeout: as for `McpHandler`.
        limits: as for `McpHandler`.

    Returns:
        The names of the tools that were registered.

    Raises:
        ValueError: no spec comes from that server, or they come from several and `source` is None. Then no
            tool is registered.
        DuplicateToolError: a name is taken, and the registry was made with `on_duplicate="raise"`.
        FrozenRegistryError: after `freeze()` or `aclose()`.
    """
    imported = [
        (binding.source["from"], binding)
        for binding in bindings.values()
        if binding.source is not None and binding.source["kind"] == "mcp" and not binding.external
    ]
    servers = sorted({server for server, _ in imported})
    listed = ", ".join(repr(server) for server in servers[:5]) or "none"
    if source is None and len(servers) > 1:
        raise ValueError(f"The specs come from {len(servers)} servers: give source=, one of {listed}.")
    found = [binding for server, binding in imported if source is None or server == source]
    if not found:
        wanted = "an MCP server" if source is None else f"the MCP server {source!r}"
        raise ValueError(f"No spec was imported from {wanted}; servers are: {listed}.")
    handlers = [McpHandler(binding, session, timeout=timeout, limits=limits) for binding in found]
    return tuple(
        binding.name
        for binding, handler in zip(found, handlers, strict=True)
        if registry.register(binding, handler)
    )
