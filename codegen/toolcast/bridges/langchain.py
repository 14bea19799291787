"""A registry as tools of LangChain.

from toolcast.bridges.langchain import tools

agent = create_agent("openai:gpt-5.4-mini", tools(registry, "openai"))
"""

import sys
from typing import Any

import msgspec

from ..agents.dispatch.render_results import placeholder
from ..jsonschema.json_values import JsonObject
from ..runtime.binding import AnyBinding
from ..runtime.context import Framework, ToolContext
from ..runtime.middleware.policy import Approver
from ..runtime.result import Content, ToolResult, words
from ..runtime.view import ToolView
from .frameworks import definition_parts, load, offered_bindings

_REQUIREMENT = "langchain-core>=1.7"
_base = load("langchain_core.tools.base", _REQUIREMENT)
_BaseTool: Any = _base.BaseTool
_config = load("langchain_core.runnables.config", _REQUIREMENT)
_pydantic = load("pydantic", _REQUIREMENT)


def tools(registry: ToolView, provider: str = "openai", *, approver: Approver | None = None) -> list[Any]:
    """Make the LangChain tools of a registry, or of a selection, as it is now.

    A call gives a `ToolMessage` with the typed value as JSON data for an artifact, which checkpointers of
    LangGraph can store; a failure has `status="error"`. Handlers find LangChain's configuration in
    `context.extra["config"]`. Interrupts of LangGraph pass through.

    LangChain rewrites schemas when it binds tools: it inlines references and drops titles. A model gets them
    unchanged by `model.bind_tools(registry.definition_objects(provider))`.

    Args:
        registry: a registry or a selection.
        provider: id of the chat model's provider, for the definitions.
        approver: asked about calls where the policy has no approver of its own, such as an async function
            that calls LangGraph's `interrupt`.

    Returns:
        A `BaseTool` for each tool, sorted by name; none for external tools, which a warning names.

    Raises:
        UnknownProviderError: nothing was generated for `provider`.
    """
    offered = offered_bindings(registry, "LangChain")
    return [_tool(registry, binding, provider, approver) for binding in offered]


def _tool(
    registry: ToolView, binding: AnyBinding, provider: str, approver: Approver | None
) -> "RegistryTool":
    parts = definition_parts(binding, provider)
    return RegistryTool.bound(
        (registry, provider, approver),
        name=binding.name,
        description=parts.description,
        args_schema=parts.schema,
        metadata={"group": binding.group, "permission": binding.permission},
    )


class RegistryTool(_BaseTool):  # type: ignore[misc]  # the framework comes untyped
    """One tool of a registry. Made by `tools`."""

    response_format: str = "content_and_artifact"
    handle_tool_error: Any = True
    _registry: Any = _pydantic.PrivateAttr()
    _provider: Any = _pydantic.PrivateAttr()
    _approver: Any = _pydantic.PrivateAttr(default=None)

    @classmethod
    def bound(cls, to: tuple[ToolView, str, Approver | None], **fields: object) -> "RegistryTool":
        """Make a tool of a registry, with a provider's definition and an approver."""
        made = cls(**fields)
        made._registry, made._provider, made._approver = to
        return made

    def _to_args_and_kwargs(
        self, tool_input: str | JsonObject, tool_call_id: str | None
    ) -> tuple[tuple[object, ...], JsonObject]:
        # One positional argument: a parameter may have any name, `config` and `run_manager` included.
        return (tool_input, tool_call_id or ""), {}

    def _run(self, *arguments: Any) -> tuple[object, object]:
        return self._answered(self._registry.run_sync(self._executed(*arguments)))

    async def _arun(self, *arguments: Any) -> tuple[object, object]:
        return self._answered(await self._executed(*arguments))

    def _answered(self, result: ToolResult) -> tuple[Any, Any]:
        """Return content and artifact. Raises ToolException for a failure."""
        if not result.success:
            raise _base.ToolException(words(result))
        artifact = self._artifact(result.data)
        if not result.content:
            return result.output, artifact
        first = [{"type": "text", "text": result.output}] if result.output else []
        return [*first, *map(_block, result.content)], artifact

    def _artifact(self, value: object) -> object:
        """Return a typed value as JSON data; what JSON cannot hold as it is, for the program alone."""
        if value is None:
            return None
        binding = self._registry.get(self.name).binding
        try:
            return msgspec.json.decode(binding.encode_result(value))
        except TypeError:
            return value

    async def _executed(self, arguments: Any, call_id: str) -> ToolResult:
        context = ToolContext(
            call_id=call_id,
            extra={"config": _config.ensure_config()},
            framework=Framework(approver=self._approver, passes=_interrupts()),
        )
        result: ToolResult = await self._registry.execute(self.name, arguments, self._provider, context)
        return result


def _interrupts() -> tuple[type[BaseException], ...]:
    """List what LangGraph raises to interrupt a run, where it is loaded, and LangChain's own failure."""
    graph = sys.modules.get("langgraph.errors")
    bubbles = getattr(graph, "GraphBubbleUp", None)
    return (_base.ToolException,) if bubbles is None else (_base.ToolException, bubbles)


def _block(piece: Content) -> JsonObject:
    if piece.kind == "text":
        return {"type": "text", "text": piece.text}
    if piece.kind == "audio":  # no block that a ToolMessage holds
        return {"type": "text", "text": placeholder(piece, "LangChain")}
    block: JsonObject = {"type": piece.kind, "base64": piece.base64, "mime_type": piece.media_type}
    return {**block, "filename": piece.name} if piece.name else block
