"""The tools a program offers, and their execution."""

import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

import msgspec

from .binding import Level, ToolBinding
from .bridge import report, run
from .context import ToolContext
from .errors import DuplicateToolError, FrozenRegistryError, UnknownToolError
from .handlers import Handler
from .parse import Arguments
from .result import ToolResult

if TYPE_CHECKING:
    from .ways.guesses import Guesses

P = TypeVar("P")
H = TypeVar("H")


class Entry(NamedTuple):
    """A registered tool."""

    binding: ToolBinding[Any, Any]
    handler: Handler


class Refused(NamedTuple):
    """A registration that came too late: whose, and who has the name."""

    name: str
    refused: str
    kept: str


class _Snapshot:
    """All tools between two registrations, sorted by name, and what was rendered of them."""

    __slots__ = ("definitions", "entries")

    def __init__(self, entries: dict[str, Entry]) -> None:
        self.entries = {name: entries[name] for name in sorted(entries)}
        self.definitions: dict[tuple[str, str], bytes] = {}


class ToolRegistry:
    """Tools by name; the first registration of a name wins.

    Registration is guarded by a lock and may come from any thread; a reader sees all of it or none.
    """

    def __init__(
        self, *, on_duplicate: Literal["refuse", "raise"] = "refuse", guesses: "Guesses | None" = None
    ) -> None:
        """`guesses` are made at arguments that a contract refuses, whatever the tool; none by default."""
        if on_duplicate not in ("refuse", "raise"):
            raise ValueError(f"on_duplicate must be 'refuse' or 'raise', not {on_duplicate!r}.")
        self._on_duplicate = on_duplicate
        self._guesses = guesses
        self._lock = threading.Lock()
        self._entries: dict[str, Entry] = {}  # in order of arrival; only touched under the lock
        self._sorted: _Snapshot | None = None  # for readers; made anew after a registration
        self._refused: tuple[Refused, ...] = ()
        self._frozen = False

    def register(self, binding: ToolBinding[P, H], handler: H) -> bool:
        """Offer a tool. False where its name is taken: then nothing changes but `refused`, and the log.

        Raises DuplicateToolError instead where the registry was made so, FrozenRegistryError after
        `freeze()`, and TypeError for a handler that cannot be called.
        """
        if not callable(handler):
            raise TypeError(f"The handler of {binding.name!r} is not callable: {type(handler).__name__}.")
        with self._lock:
            if self._frozen:
                raise FrozenRegistryError(
                    f"Tool {binding.name!r} came after freeze(). Register every tool before the first round."
                )
            present = self._entries.get(binding.name)
            if present is None:
                self._entries[binding.name] = Entry(binding, handler)
                self._sorted = None
                return True
            refused = Refused(binding.name, _origin(binding, handler), _origin(*present))
            self._refused = (*self._refused, refused)
        self._tell(refused)
        return False

    def _tell(self, refused: Refused) -> None:
        import logging

        logging.getLogger("toolwright.runtime").warning(
            "Tool %r is registered already: refused %s, kept %s.", *refused
        )
        if self._on_duplicate == "raise":
            raise DuplicateToolError(
                f"Tool {refused.name!r} is registered already: {refused.refused} came after {refused.kept}. "
                "Give one of them another name."
            )

    def _snapshot(self) -> _Snapshot:
        snapshot = self._sorted
        if snapshot is None:
            with self._lock:
                snapshot = self._sorted = _Snapshot(self._entries)
        return snapshot

    def freeze(self) -> None:
        """Take no further registrations."""
        with self._lock:
            self._frozen = True

    @property
    def frozen(self) -> bool:
        """Whether `freeze()` was called."""
        return self._frozen

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all tools, sorted."""
        return tuple(self._snapshot().entries)

    @property
    def refused(self) -> tuple[Refused, ...]:
        """Registrations that lost, in the order they came."""
        return self._refused

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._snapshot().entries

    def __len__(self) -> int:
        return len(self._snapshot().entries)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def get(self, name: str) -> Entry:
        """Binding and handler of a tool. Raises UnknownToolError, with the nearest names."""
        entry = self._snapshot().entries.get(name) if isinstance(name, str) else None
        if entry is None:
            raise UnknownToolError(_unknown(name, self.names))
        return entry

    async def execute(
        self,
        name: str,
        arguments: Arguments,
        provider: str | None = None,
        context: ToolContext | None = None,
        guesses: "Guesses | None" = None,
    ) -> ToolResult:
        """Carry out a call. Whatever happens is a ToolResult; only cancellation passes through.

        `arguments` is the provider's JSON text, or a parsed mapping; `provider` the dialect it is written in.
        `guesses` takes the place of the registry's own.
        """
        try:
            binding, handler = self.get(name)
        except UnknownToolError as problem:
            return ToolResult.failed(str(problem))
        try:
            circumstances = _complete(context, binding.name, provider)
        except Exception as problem:
            return report(binding.name, "reading the context", problem)
        return await run(
            binding, handler, arguments, circumstances, self._guesses if guesses is None else guesses
        )

    def definitions(self, provider: str, level: Level = "full") -> bytes:
        """What goes into a request: a JSON array of all tool objects, sorted by name; `[]` without tools.

        The same bytes until the next registration, so prompt caches hold. Raises UnknownProviderError.
        """
        snapshot = self._snapshot()
        ready = snapshot.definitions.get((provider, level))
        if ready is None:
            objects = [entry.binding.definition(provider, level) for entry in snapshot.entries.values()]
            ready = b"[" + b",".join(objects) + b"]"
            snapshot.definitions[provider, level] = ready
        return ready


def _complete(context: ToolContext | None, tool: str, provider: str | None) -> ToolContext:
    if context is None:
        return ToolContext(tool=tool, provider=provider)
    return msgspec.structs.replace(
        context, tool=context.tool or tool, provider=context.provider if provider is None else provider
    )


def _origin(binding: ToolBinding[Any, Any], handler: Any) -> str:
    """Where a registration comes from: the binding's module and the handler's."""
    named = handler if hasattr(handler, "__qualname__") else type(handler)
    return f"{binding.module} with {named.__module__}.{named.__qualname__}"


def _unknown(name: Any, names: tuple[str, ...]) -> str:
    from difflib import get_close_matches

    # A model may send anything for a name; only a short one is worth comparing.
    asked = name[:64] if isinstance(name, str) else type(name).__name__
    near = get_close_matches(asked, names, n=3)
    if near:
        return f"There is no tool {asked!r}. Did you mean {', '.join(near)}?"
    listed = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
    return f"There is no tool {asked!r}. " + (f"Tools: {listed}." if names else "No tool is registered.")
