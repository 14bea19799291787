"""A registry as function tools of the OpenAI Agents SDK.

from toolcast.bridges.openai_agents import function_tools

agent = Agent(name="Editor", tools=function_tools(registry))
"""

from typing import Any

from ..agents.dispatch.render_results import placeholder
from ..jsonschema.json_values import JsonObject
from ..runtime.binding import AnyBinding
from ..runtime.context import Framework, ToolContext
from ..runtime.result import Content, ToolResult, words
from ..runtime.view import ToolView
from .frameworks import definition_parts, load, offered_bindings

_agents = load("agents", "openai-agents>=0.24")


def function_tools(registry: ToolView, provider: str = "openai-responses") -> list[Any]:
    """Make the function tools of a registry, or of a selection, as it is now.

    A failure is a text for the model that begins with "Error: ". Without an approver of the policy's own, a
    call that it asks about interrupts the run until it is approved. Handlers find the run's context in
    `context.extra["run_context"]`.

    Args:
        registry: a registry or a selection.
        provider: id of the provider of the definitions: "openai-responses", or "openai" for models of the
            Chat Completions API.

    Returns:
        A `FunctionTool` for each tool, sorted by name; none for external tools, which a warning names.

    Raises:
        UnknownProviderError: nothing was generated for `provider`.
    """
    offered = offered_bindings(registry, "the OpenAI Agents SDK")
    return [_function_tool(registry, binding, provider) for binding in offered]


def _function_tool(registry: ToolView, binding: AnyBinding, provider: str) -> Any:
    name = binding.name
    parts = definition_parts(binding, provider)

    async def invoke(run: Any, arguments: str) -> Any:
        context = ToolContext(
            call_id=run.tool_call_id,
            extra={"run_context": run},
            framework=Framework(approved=bool(run.is_tool_approved(name, run.tool_call_id))),
        )
        return _output(await registry.execute(name, arguments, provider, context))

    async def needs_approval(run: object, arguments: JsonObject, call_id: str) -> bool:
        context = ToolContext(call_id=call_id, extra={"run_context": run})
        return registry.preview(name, arguments, provider, context).asks

    policy = registry.policy
    made = _agents.FunctionTool(
        name=name,
        description=parts.description,
        params_json_schema=parts.schema,
        on_invoke_tool=invoke,
        strict_json_schema=bool(parts.strict),
        needs_approval=needs_approval if policy is not None and policy.approver is None else False,
    )
    made.params_json_schema = parts.schema  # the SDK would rewrite it once more
    # Where tools are deferred, the agent needs a `ToolSearchTool`. The schema of results is left out: with
    # it, the SDK ends the run at the text of a failure.
    made.allowed_callers = parts.members.get("allowed_callers")
    made.defer_loading = parts.members.get("defer_loading", False)
    return made


def _output(result: ToolResult) -> Any:
    """Return text, or a list of the SDK's output types where there is content beside it."""
    text = words(result) if result.success else f"Error: {words(result)}"
    if not result.content:
        return text
    return [*([_agents.ToolOutputText(text=text)] if text else []), *map(_piece, result.content)]


def _piece(piece: Content) -> Any:
    if piece.kind == "text":
        return _agents.ToolOutputText(text=piece.text)
    if piece.kind == "image":
        return _agents.ToolOutputImage(image_url=piece.data_url)
    if piece.kind == "file":
        name = piece.name or "file"
        return _agents.ToolOutputFileContent(file_data=piece.data_url, filename=name)
    return _agents.ToolOutputText(text=placeholder(piece, "openai-responses"))
