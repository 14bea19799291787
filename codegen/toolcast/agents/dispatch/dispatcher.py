"""An answer's calls, carried out and answered."""

from collections.abc import Sequence
from typing import Any

import msgspec

from ...jsonschema.json_values import JsonObject
from ...runtime.arguments import Arguments
from ...runtime.binding import AnyBinding
from ...runtime.context import ToolContext
from ...runtime.result import ToolResult
from ...runtime.view import ToolView
from ...runtime.wire.fragments import MAX_CALLS
from ..run_side_by_side import run_side_by_side, runs_alone
from .call import Call
from .parse_answer import parse
from .render_results import render
from .wire_formats import format_of

_CUT = (
    "Nothing was done for this call of {!r}: the answer ended early (at its length limit, by a filter, by a "
    "failure of the provider, or with a call that cannot be read), so its arguments may not be whole. Send "
    "the call again, with less text before it, or in smaller steps."
)
_MANY = (
    "Nothing was done for this call of {!r}: it is beyond the {:,} calls that one answer may have. Send the "
    "rest in the next answer."
)
_CUSTOM = (
    "Tool {!r} was called as a custom tool, with text for arguments, and nothing was done. Only a tool "
    "with one parameter takes its value so; the parameters of this one: {}. Call it as a function, with a "
    "JSON object."
)
_CALLERS = {
    "code": "Tool {!r} may not be called by code, and nothing was done. Call it outside of a program.",
    "model": "Tool {!r} may be called by code only, and nothing was done. Call it in a program.",
}
"""Answers to a caller that the tool's spec leaves out."""


class Dispatcher:
    """Parses the calls of answers in one wire format, carries them out, and renders the results.

    The calls of an answer run at the same time, except those of tools with `parallel: false`, and are
    answered in order. The object keeps no state: it serves any number of answers, tasks and event loops.

    Attributes:
        format: name of the wire format.
        provider: id of the provider that determines the wire form of arguments.
    """

    def __init__(
        self, registry: ToolView, format: str, *, provider: str | None = None, limit: int = 8
    ) -> None:
        """Make a dispatcher.

        Args:
            registry: a registry, a selection, or the `tools` of a Disclosure.
            format: name of a wire format, or of a provider that uses one.
            provider: id of the provider whose definitions went into the request; `format` by default.
            limit: calls that run at once.

        Raises:
            ValueError: the format does not exist, or `limit` is below 1.
        """
        self.format = format_of(format).name
        self.provider = format if provider is None else provider
        if limit < 1:
            raise ValueError(f"limit must be at least 1, not {limit!r}.")
        self._registry = registry
        self._limit = limit

    async def run(self, response: Any, context: ToolContext | None = None) -> list[JsonObject]:
        """Carry out every call of an answer.

        Args:
            response: the answer: a dict, JSON text, or the official client's object.
            context: circumstances for every handler; the id and the tool of each call are filled in.

        Returns:
            The messages that answer the calls; `[]` where there are none.

        Raises:
            DispatchError: the response is no answer of the format.
            UnknownProviderError: nothing was generated for `provider`.
        """
        calls = parse(response, self.format)
        return render(calls, await self.execute(calls, context), self.format)

    def run_sync(self, response: object, context: ToolContext | None = None) -> list[JsonObject]:
        """Carry out every call of an answer, in a program without an event loop.

        Args:
            response: as for `run`.
            context: as for `run`.

        Returns:
            The messages that answer the calls; `[]` where there are none.

        Raises:
            DispatchError: as for `run`.
            UnknownProviderError: as for `run`.
            RuntimeError: an event loop runs in this thread; there, await `run`.
        """
        return self._registry.run_sync(self.run(response, context))

    async def execute(
        self, calls: Sequence[Call], context: ToolContext | None = None
    ) -> tuple[ToolResult, ...]:
        """Carry out calls. Cancelling this cancels all of them, and waits for that.

        Args:
            calls: calls of one answer.
            context: as for `run`.

        Returns:
            The result of every call, in their order.

        Raises:
            UnknownProviderError: nothing was generated for `provider`.
        """
        for name in {call.name for call in calls}:
            binding = self._binding(name)
            if binding is not None:  # a missing dialect is the program's fault, not the model's
                binding.definition(self.provider, strict=True)  # as generated: no environment is read
        return await run_side_by_side(
            calls,
            lambda call: self._one(call, context),
            lambda call: runs_alone(self._registry, call.name),
            self._limit,
        )

    def refused(self, call: Call) -> ToolResult | None:
        """Return the result of a call that `execute` answers without calling its tool.

        Args:
            call: a call of an answer.

        Returns:
            A failed result for a call that is `cut` or beyond the 1,024 of one answer, that comes from a
            caller outside of the tool's spec, or that has a text for a tool without exactly one parameter;
            else None.
        """
        if call.cut:
            return ToolResult.failed(_CUT.format(call.name))
        if call.index >= MAX_CALLS:
            return ToolResult.failed(_MANY.format(call.name, MAX_CALLS))
        if call.caller is not None:
            binding = self._binding(call.name)
            if binding is not None and not binding.allows_caller(call.caller):
                return ToolResult.failed(_CALLERS[call.caller].format(binding.name))
        if call.custom:
            names = self._parameters(call.name)
            if names is not None and len(names) != 1:
                listed = ", ".join(map(repr, names)) or "none"
                return ToolResult.failed(_CUSTOM.format(call.name, f"{listed:.1000}"))
        return None

    def _parameters(self, name: str) -> list[str] | None:
        """List the names of a tool's parameters; None for a tool that the registry will not call."""
        binding = self._binding(name)
        return None if binding is None else sorted(binding.schema().get("properties", ()))

    def _binding(self, name: str) -> AnyBinding | None:
        """Return a tool's binding; None for one that is unknown or cannot be loaded: its call says so."""
        found = self._registry.resolve(name)
        try:
            return None if found is None else self._registry.get(found).binding
        except Exception:  # whatever a module raises when it is imported
            return None

    async def _one(self, call: Call, context: ToolContext | None) -> ToolResult:
        refused = self.refused(call)
        if refused is not None:
            return refused
        arguments: Arguments = call.arguments
        provider: str | None = self.provider
        if call.custom:
            # The value itself, in the contract's own form. Where it is no text, the contract refuses it.
            names = self._parameters(call.name) or ()
            arguments, provider = dict.fromkeys(names, call.arguments), None
        if context is None:
            context = ToolContext(call_id=call.id)
        else:
            context = msgspec.structs.replace(context, call_id=call.id, tool="")
        return await self._registry.execute(call.name, arguments, provider=provider, context=context)
