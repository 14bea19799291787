"""A registered tool whose module nobody has needed yet."""

from typing import TYPE_CHECKING, Any

from .errors import MissingDataError, UnknownProviderError
from .handlers import Handler
from .strictness import named

if TYPE_CHECKING:
    from .binding import Level, ToolBinding
    from .bindings_map import LazyBindings


class Later:
    """Name and handler of a tool. `binding` imports the tool's module; the full definition does not."""

    __slots__ = ("_bindings", "_made", "handler", "name")

    def __init__(self, bindings: "LazyBindings", name: str, handler: Handler) -> None:
        self._bindings = bindings
        self._made: ToolBinding[Any, Any] | None = None
        self.name = name
        self.handler = handler

    @property
    def binding(self) -> "ToolBinding[Any, Any]":
        """The tool's binding. Raises what importing its module raises."""
        made = self._made
        if made is None:
            made = self._made = self._bindings[self.name]
        return made

    @property
    def module(self) -> str:
        """Where the binding comes from."""
        return self._bindings.module(self.name)

    def definition(self, provider: str, level: "Level", *, strict: bool | None = None) -> bytes:
        """What `binding.definition` gives."""
        if self._made is None and level == "full" and (strict or (strict is None and not named())):
            try:
                return self._bindings.definition(self.name, provider)
            except (MissingDataError, UnknownProviderError):
                pass  # the binding says what is wrong, and where
        return self.binding.definition(provider, level, strict=strict)
