"""Requests for prompts: `prompts/list` and `prompts/get`."""

from typing import Any

from ...agents.dispatch.media_blocks import mcp
from ...runtime.errors import RefusalError
from ...runtime.result import Content
from ..sdk import load
from .offered_functions import INVALID_PARAMS, OfferedFunctions, Remember
from .prompts import Prompts, messages_of


class OfferedPrompts:
    """The handlers of one server's requests for prompts. `context` is the SDK's `ServerRequestContext`."""

    def __init__(self, prompts: Prompts, functions: OfferedFunctions, remember: Remember) -> None:
        self._prompts = prompts
        self._functions = functions
        self._remember = remember
        self._types = load("mcp.types")
        self._error = load("mcp.shared.exceptions").MCPError

    async def list(self, context: Any, params: Any) -> Any:
        """One page of the prompts."""
        self._remember(context)
        entries, following = self._functions.page(self._prompts.prompts, params)
        listed = [self._types.Prompt.model_validate(entry, by_name=False) for entry in entries]
        return self._types.ListPromptsResult(prompts=listed, next_cursor=following)

    async def get(self, context: Any, params: Any) -> Any:
        """The messages of a prompt."""
        prompt = self._prompts.prompts.get(params.name)
        if prompt is None:
            raise self._error(INVALID_PARAMS, f"Unknown prompt: {params.name!r:.80}")
        try:
            typed = prompt.arguments.convert(params.arguments or {})
        except RefusalError as problem:
            raise self._functions.refused(problem) from None
        arguments = (typed,) if prompt.parameterized else ()
        value = await self._functions.value(context, "Prompt", prompt.name, prompt.content, *arguments)
        try:
            messages = messages_of(value)
        except TypeError as problem:
            raise self._functions.failed(f"Prompt {prompt.name!r}", problem) from None
        made = [{"role": message.role, "content": _block(message.content)} for message in messages]
        return self._types.GetPromptResult.model_validate(
            {"messages": made, **({"description": prompt.description} if prompt.description else {})},
            by_name=False,
        )


def _block(content: str | Content) -> dict[str, Any]:
    if isinstance(content, str):
        return {"type": "text", "text": content}
    return {"type": "text", "text": content.text} if content.kind == "text" else mcp(content)
