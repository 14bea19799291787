"""A registry as tools of a FastMCP server, beside its own.

from toolcast.bridges.fastmcp import RegistryProvider

server = FastMCP("files", providers=[RegistryProvider(registry)])
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from ..jsonschema.json_values import JsonObject
from ..mcp.serving.client_channel import Progress
from ..mcp.serving.listed import Listed, ListedTool, answer
from ..runtime.context import Framework, ToolContext
from ..runtime.middleware.policy import Approver
from ..runtime.view import ToolView
from .frameworks import load

_REQUIREMENT = "fastmcp>=4.1"
_tools = load("fastmcp.tools.base", _REQUIREMENT)
_providers = load("fastmcp.server.providers.base", _REQUIREMENT)
_dependencies = load("fastmcp.server.dependencies", _REQUIREMENT)
_exceptions = load("fastmcp.exceptions", _REQUIREMENT)
_types = load("mcp_types", _REQUIREMENT)
_pydantic = load("pydantic", _REQUIREMENT)
_Provider: Any = _providers.Provider
_Tool: Any = _tools.Tool

_REVISION = "2025-11-25"
"""FastMCP holds structured content to objects, as this revision of the protocol does."""


class RegistryProvider(_Provider):  # type: ignore[misc]  # the framework comes untyped
    """The tools of a registry, or of a selection, for a FastMCP server. It follows later registrations.

    Clients get the definitions that were generated for "mcp", with output schemas and annotations; external
    tools are left out. A failure is an `isError` result. Handlers find FastMCP's `Context` in
    `context.extra["context"]`, and may raise FastMCP's `ToolError`.
    """

    def __init__(self, registry: ToolView, *, approver: Approver | None = None) -> None:
        """Make a provider.

        Args:
            registry: a registry or a selection.
            approver: asked about calls where the policy has no approver of its own, such as an async function
                that asks the client's user (`get_context().elicit(…)`).

        Raises:
            UnknownProviderError: nothing was generated for "mcp".
        """
        super().__init__()
        self._registry = registry
        self._approver = approver
        self._listed = Listed(registry, "mcp", None)

    async def _list_tools(self) -> Sequence[object]:
        self._listed.changed()
        tools = self._listed.tools(_REVISION)
        return [self._tool(name, tool) for name, tool in tools.items()]

    async def _get_tool(self, name: str, version: object = None) -> object:
        del version  # tools of a registry have none
        self._listed.changed()
        tool = self._listed.tools(_REVISION).get(name)
        return None if tool is None else self._tool(name, tool)

    def _tool(self, name: str, tool: ListedTool) -> Any:
        definition: JsonObject = msgspec.json.decode(tool.definition)
        annotations = definition.get("annotations")
        icons = definition.get("icons")
        return RegistryTool.bound(
            (self._registry, tool, self._approver),
            name=name,
            title=definition.get("title"),
            description=definition.get("description"),
            parameters=definition["inputSchema"],
            output_schema=definition.get("outputSchema"),
            annotations=None if annotations is None else _types.ToolAnnotations.model_validate(annotations),
            icons=None if icons is None else [_types.Icon.model_validate(icon) for icon in icons],
            meta=definition.get("_meta"),
        )


class RegistryTool(_Tool):  # type: ignore[misc]  # the framework comes untyped
    """One tool of a registry. Made by `RegistryProvider`."""

    _registry: Any = _pydantic.PrivateAttr()
    _listed: Any = _pydantic.PrivateAttr()
    _approver: Any = _pydantic.PrivateAttr(default=None)

    @classmethod
    def bound(cls, to: tuple[ToolView, ListedTool, Approver | None], **fields: object) -> "RegistryTool":
        """Make a tool of a registry, as it is listed, with an approver."""
        made = cls(**fields)
        made._registry, made._listed, made._approver = to
        return made

    async def run(self, arguments: JsonObject) -> Any:
        """Carry out a call; return FastMCP's `ToolResult`. What a handler raises for FastMCP passes."""
        server = _dependencies.get_context()
        progress = Progress(server.report_progress)
        context = ToolContext(
            call_id=str(server.request_id),
            report=progress.report,
            extra={"context": server},
            framework=Framework(
                approver=self._approver, passes=(_exceptions.FastMCPError, _exceptions.MCPError)
            ),
        )
        try:
            result = await self._registry.execute(self.name, arguments, self._listed.provider, context)
        except BaseException:  # a cancellation
            progress.stop()
            raise
        await progress.flush()
        plain = answer(self.name, self._listed, result, _REVISION)
        return _tools.ToolResult.from_mcp_result(_types.CallToolResult.model_validate(plain))
