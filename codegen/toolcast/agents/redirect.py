"""A view of tools whose calls take a way around the registry's own."""

from collections.abc import Awaitable
from typing import TYPE_CHECKING, Protocol

from ..runtime.arguments import Arguments
from ..runtime.context import ToolContext
from ..runtime.result import ToolResult
from ..runtime.view import Snapshot, ToolView

if TYPE_CHECKING:
    from ..runtime.wire.guesses import Guesses


class Execute(Protocol):
    """The shape of `ToolView.execute`."""

    def __call__(
        self,
        name: str,
        arguments: Arguments,
        provider: str | None = None,
        context: ToolContext | None = None,
        guesses: "Guesses | None" = None,
    ) -> Awaitable[ToolResult]: ...


class Through(ToolView):
    """The tools of `base`; their calls go to `execute`."""

    def __init__(self, base: ToolView, execute: Execute) -> None:
        self._base = base
        self._executor = base._executor
        self._through = execute

    def _snapshot(self) -> Snapshot:
        return self._base._snapshot()

    async def execute(
        self,
        name: str,
        arguments: Arguments,
        provider: str | None = None,
        context: ToolContext | None = None,
        guesses: "Guesses | None" = None,
    ) -> ToolResult:
        """Carry out a call, as the registry does it, by that way."""
        return await self._through(name, arguments, provider, context, guesses)
