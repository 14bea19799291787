"""A text's calls carried out, and the message that answers them."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ...runtime.context import ToolContext
from ...runtime.result import ToolResult
from ...runtime.standalone_schema import standalone_schema
from ...runtime.view import ToolView
from ...runtime.wire.guesses import Guesses, Name
from ...text_formats.text_format import AUTO
from ..run_side_by_side import run_side_by_side, runs_alone
from .parse_text import Formats, checked_formats, parse
from .parsed_text import Call
from .render_text import render_results

_TEXT_GUESSES: tuple[Name, ...] = ("number", "boolean", "json-text", "empty-string", "surplus-nesting")
"""Guesses at text between tags, of which each is made only where the contract refuses the text."""


class Outcome(Struct, frozen=True, kw_only=True):
    """The calls of a text, and what answers them.

    Attributes:
        text: what is left for the user.
        calls: the calls in the text.
        results: one result for each call.
        message: the message for the model; "" where the text has no calls and no problems.
    """

    text: str
    calls: tuple[Call, ...]
    results: tuple[ToolResult, ...]
    message: str


class TextDispatcher:
    """Carries out the calls in texts with the tools of a registry or a selection.

    Attributes:
        guesses: guesses that are applied to arguments whose values are text.
    """

    def __init__(self, registry: ToolView, *, limit: int = 8, format: Formats = AUTO) -> None:
        """Make a dispatcher.

        Args:
            registry: a registry or a selection.
            limit: calls of a text that run at once.
            format: the text formats in which calls are read, as for `parse`, and results go back, as for
                `render_results`. "toolcast" is the form that `instructions` asks for, and no other.

        Raises:
            ValueError: `limit` is below 1, or there is no such format.
        """
        if limit < 1:
            raise ValueError(f"limit must be at least 1, not {limit!r}.")
        self._registry = registry
        self._limit = limit
        self._format = checked_formats(format)
        own = registry.guesses
        # The registry's own guesses hold for textual calls, too.
        self.guesses = Guesses({*_TEXT_GUESSES, *(own.allow if own is not None else ())})

    async def run(self, text: str, context: ToolContext | None = None, *, cut: bool = False) -> Outcome:
        """Carry out the calls of a text side by side, except those of tools with `parallel: false`.

        Only cancellation passes through, and reaches every handler.

        Args:
            text: the model's answer.
            context: circumstances for every handler.
            cut: whether the answer was cut off: a call that its end leaves open does not run.

        Returns:
            The calls, their results, and the message that answers them.
        """
        parsed = parse(text, self._format, cut=cut)
        results = await self.execute(parsed.calls, context)
        message = render_results(parsed.calls, results, parsed.problems, format=self._format)
        return Outcome(text=parsed.text, calls=parsed.calls, results=results, message=message)

    async def execute(
        self, calls: Sequence[Call], context: ToolContext | None = None
    ) -> tuple[ToolResult, ...]:
        """Carry out calls side by side, except those of tools with `parallel: false`.

        Only cancellation passes through, and reaches every handler.

        Args:
            calls: calls of one text.
            context: circumstances for every handler.

        Returns:
            One result for each call, in their order.
        """
        return await run_side_by_side(
            calls,
            lambda call: self._execute(call, context),
            lambda call: runs_alone(self._registry, call.name),
            self._limit,
        )

    async def _execute(self, call: Call, context: ToolContext | None) -> ToolResult:
        arguments: Any = call.arguments
        circumstances = context
        if call.id and not (context is not None and context.call_id):
            circumstances = replace(context or ToolContext(), call_id=call.id)
        if call.textual and isinstance(call.arguments, str):
            names = self._possible_names(call)
            if names is not None and len(names) != 1:
                return await self._refuse_unnamed(call, names, circumstances)
            arguments = call.arguments if names is None else {names[0]: call.arguments}
        guesses = self.guesses if call.textual else None
        return await self._registry.execute(call.name, arguments, None, circumstances, guesses)

    def _possible_names(self, call: Call) -> list[str] | None:
        """Return the parameters that a value without a name may be for; None where the registry refuses the
        tool.
        """
        name = self._registry.resolve(call.name)
        if name is None:
            return None
        try:
            schema = standalone_schema(self._registry.get(name).binding)
        except Exception:  # whatever a module raises when it is imported
            return None
        required = [*schema.get("required", ())]
        return required if len(required) == 1 else [*schema.get("properties", {})]

    async def _refuse_unnamed(self, call: Call, names: list[str], context: ToolContext | None) -> ToolResult:
        """Have the registry refuse the call, so that a Disclosure and recorders know of it, and say what to
        change.
        """
        result = await self._registry.execute(call.name, call.arguments, None, context, Guesses())
        if result.success:
            return result
        name = self._registry.resolve(call.name)
        words = (
            f"The call of {name!r} has a value and no parameter's name; it cannot be told which of "
            f"{', '.join(sorted(names)) or 'none'} is meant. Name the parameters."
        )
        return replace(result, error=f"{words}\n{result.error}")
