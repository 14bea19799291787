"""Requests for values of arguments: `completion/complete`."""

from typing import Any

from ..sdk import load
from .offered_functions import INVALID_PARAMS, OfferedFunctions
from .prompts import Prompts
from .resources import Resources
from .text_arguments import TextArguments


class Completions:
    """The handler of one server's completions. `context` is the SDK's `ServerRequestContext`."""

    def __init__(self, resources: Resources, prompts: Prompts, functions: OfferedFunctions) -> None:
        self._resources = resources
        self._prompts = prompts
        self._functions = functions
        self._types = load("mcp.types")
        self._error = load("mcp.shared.exceptions").MCPError

    async def complete(self, context: Any, params: Any) -> Any:
        """Values of an argument of a prompt, or of a template of resources."""
        arguments, name = self._arguments(params.ref)
        known = {} if params.context is None else dict(params.context.arguments or {})

        async def propose(_context: Any) -> tuple[list[str], int]:
            return await arguments.values(params.argument.name, params.argument.value, known)

        values, total = await self._functions.value(context, "Completion of", name, propose)
        made = self._types.Completion(values=values, total=total, has_more=total > len(values))
        return self._types.CompleteResult(completion=made)

    def _arguments(self, ref: Any) -> tuple[TextArguments, str]:
        """The arguments that a reference leads to. Raises the SDK's MCPError where it leads nowhere."""
        if ref.type == "ref/prompt":
            found: Any = self._prompts.prompts.get(ref.name)
            name = ref.name
        else:
            found = self._resources.templates.get(ref.uri) or self._resources.resources.get(ref.uri)
            name = ref.uri
        if found is None:
            raise self._error(INVALID_PARAMS, f"There is nothing to complete under {name!r:.80}.")
        return found.arguments, name
