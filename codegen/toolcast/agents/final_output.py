"""The final output of a run as a tool: offered beside the others, and never carried out."""

from collections.abc import Sequence
from typing import Any

import msgspec

from ..jsonschema.json_values import JsonObject
from ..runtime.binding import AnyBinding
from ..runtime.context import Framework, ToolContext
from ..runtime.definitions import DefinitionBytes
from ..runtime.result import ToolResult
from ..runtime.snapshot import Entry, Snapshot
from ..runtime.view import CallRequest, ToolView

_TAKEN = "This is your final answer."
_ASK = "Call the tool {!r} to give your final answer; nothing else counts as one."


class FinalOutput:
    """The tool that ends a run when it is called, and the tools with it."""

    def __init__(self, binding: AnyBinding, tools: ToolView) -> None:
        """Put the tool beside others. Its results, secrets and permission count for nothing: it is not
        carried out.

        Raises ValueError where a tool of the run has the same name.
        """
        if binding.name in tools:
            raise ValueError(f"final= has the name of a tool of the run, {binding.name!r}. Rename one.")
        # A reference to a secret stays one: the output is the model's own text.
        self.binding = msgspec.structs.replace(
            binding, result=None, secrets=(), permission="read", external=False
        )
        self.tools: ToolView = _WithFinal(tools, self.binding)
        self.request = _ASK.format(binding.name)

    def defined(self, definitions: bytes, provider: str) -> bytes:
        """Put the tool's definition first, so that it keeps its place when a Disclosure shows more."""
        others = [definitions[1:-1]] if definitions != b"[]" else []
        return DefinitionBytes(b"[" + b",".join([self.binding.definition(provider), *others]) + b"]")

    def output_of(self, calls: Sequence[object], results: Sequence[ToolResult]) -> object:
        """Return the parameters of the first accepted call of the tool, or None."""
        for call, result in zip(calls, results, strict=True):
            if result.success and self.tools.resolve(getattr(call, "name", "")) == self.binding.name:
                # Out of the state of a run it comes as plain data.
                plain = isinstance(result.data, dict)
                return _typed(self.binding, result.data) if plain else result.data
        return None


def _typed(binding: AnyBinding, plain: JsonObject) -> Any:
    """Decode parameters that were stored as plain data, with what the program filled in."""
    inject = binding.inject
    sent = {name: item for name, item in plain.items() if name not in inject}
    return binding.decode(sent, injected={name: plain[name] for name in inject if name in plain})


class _WithFinal(ToolView):
    def __init__(self, base: ToolView, binding: AnyBinding) -> None:
        self._base = base
        self._executor = base._executor
        self._final = Entry(binding, _take)
        self._made: tuple[Snapshot, Snapshot] | None = None  # the base's, and the one with the final tool

    def snapshot(self) -> Snapshot:
        whole = self._base.snapshot()
        if self._made is None or self._made[0] is not whole:
            name = self._final.binding.name
            self._made = (whole, Snapshot({**whole.entries, name: self._final}, {}))
        return self._made[1]

    async def carry_out(self, request: CallRequest) -> ToolResult:
        if self.resolve(request.name) != self._final.binding.name:
            return await self._base.execute(*msgspec.structs.astuple(request))
        # A policy that asks for every call need not ask for one that does nothing.
        approved = msgspec.structs.replace(
            request.context or ToolContext(), framework=Framework(approved=True)
        )
        return await super().carry_out(msgspec.structs.replace(request, context=approved))


async def _take(params: object, _: ToolContext) -> ToolResult:
    return ToolResult.ok(_TAKEN, data=params)
