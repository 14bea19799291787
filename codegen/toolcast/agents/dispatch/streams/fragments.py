"""Common parts of the readers of streams: text from fragments, and bounds for all that is held."""

from collections.abc import Callable, Hashable
from typing import Any, Protocol

import msgspec

from ....jsonschema.json_values import JsonMapping, JsonObject
from ....runtime.wire.fragments import MOST_CALLS, FragmentError, Fragments
from ..answer_fields import kind, text
from ..call import ArgumentsPiece, CallBegun, DispatchError, Piece, TextPiece, ThinkingPiece

Event = JsonObject

_MAX_SMALL = 64 * 1024
"""Bytes of what an answer says about itself: usage, and why it ended."""


class Stream(Protocol):
    """One format's answer under construction."""

    ended: bool

    def feed(self, event: Event) -> None:
        """Take the next event."""

    def response(self) -> JsonObject:
        """Return the answer so far, in the form that it has without a stream."""
        ...


class Pieces:
    """Text by key, put together from fragments, and a budget of `limit` characters for all else."""

    __slots__ = ("_calls", "_fragments", "_kept", "_left", "_told", "_with_arguments", "limit")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._fragments = Fragments(limit=limit, calls=MOST_CALLS)
        self._left = limit
        self._kept = 0
        self._told: list[Piece] = []
        self._calls: dict[Hashable, int] = {}  # calls that were told, and their positions
        self._with_arguments: set[Hashable] = set()  # those of which a piece of the arguments was told

    def take(self) -> list[Piece]:
        """Return what was told since the last time."""
        told, self._told = self._told, []
        return told

    def tell_text(self, text: Any) -> None:
        if text:
            self._told.append(TextPiece(text))

    def tell_thought(self, text: Any) -> None:
        if text:
            self._told.append(ThinkingPiece(text))

    def tell_call(self, key: Hashable, name: str, id: str) -> bool:
        """Tell that a call begins; False where it was told, or has no name yet."""
        if key in self._calls or not name:
            return False
        at = self._calls[key] = len(self._calls)
        self._told.append(CallBegun(at, name, id))
        return True

    def tell_arguments(self, key: Hashable, arguments: object) -> None:
        """Tell the next piece of the arguments of a call that was told."""
        if key in self._calls and (arguments or isinstance(arguments, dict)):
            as_text: str = (
                arguments if isinstance(arguments, str) else msgspec.json.encode(arguments).decode()
            )
            self._told.append(ArgumentsPiece(self._calls[key], as_text))
            self._with_arguments.add(key)

    def tell_all_arguments(self, key: Hashable, arguments: object) -> None:
        """Tell whole arguments, unless a piece of them was told."""
        if key not in self._with_arguments:
            self.tell_arguments(key, arguments)

    def add(
        self,
        key: Hashable,
        fragment: Any,
        path: str,
        tell: Callable[[str], TextPiece | ThinkingPiece] | None = None,
    ) -> None:
        """Add the next fragment of a text, nothing for None, and tell it. Raises DispatchError."""
        piece = text(fragment, path)
        try:
            self._fragments.add(piece, key)
        except FragmentError as problem:
            raise DispatchError(f"{path}: {problem}") from None
        if piece and tell is not None:
            self._told.append(tell(piece))

    def text(self, key: Hashable) -> str:
        return self._fragments.text(key)

    def has(self, key: Hashable) -> bool:
        """Tell whether the text has begun."""
        return key in self._fragments.calls

    def keep_text(self, event: Event, key: str, path: str) -> str:
        """Count a text under a key, "" for none. Raises DispatchError."""
        found = event.get(key)
        if found is None:
            return ""
        kept: str = self.keep(text(found, f"{path}.{key}"), f"{path}.{key}")
        return kept

    def keep(self, value: Any, path: str) -> Any:
        """Count a value that is kept as it is. Raises DispatchError past the bounds."""
        if value == "":  # what a server leaves out of each of any number of events
            return value
        self._kept += 1
        try:
            self._left -= len(msgspec.json.encode(value))
        except (TypeError, ValueError, RecursionError):
            raise DispatchError(f"{path}: expected JSON, got {kind(value)}") from None
        if self._left < 0 or self._kept > 4 * MOST_CALLS:
            raise DispatchError(f"{path}: the answer is too large")
        return value


def section(event: Any, key: str, path: str) -> JsonObject:
    """Return the object under a key, empty for none. Raises DispatchError."""
    found = event.get(key)
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise DispatchError(f"{path}.{key}: expected an object, got {kind(found)}")
    return found


def objects(value: Any, path: str) -> list[JsonObject]:
    """Return a list of objects, empty for None. Raises DispatchError."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise DispatchError(f"{path}: expected a list, got {kind(value)}")
    for at, item in enumerate(value):
        if not isinstance(item, dict):
            raise DispatchError(f"{path}[{at}]: expected an object, got {kind(item)}")
    return value


def number(event: JsonMapping, key: str, path: str) -> int:
    """Return a whole number that must be there. Raises DispatchError."""
    found = event.get(key)
    if isinstance(found, bool) or not isinstance(found, int):
        raise DispatchError(f"{path}.{key}: expected a whole number, got {kind(found)}")
    return found


def goes_on(block: Event, piece: Event) -> bool:
    """Tell whether a piece of reasoning goes on with an open, unsigned block that it agrees with."""
    if "signature" in block or block.get("closed"):
        return False
    return all(block.get(key, value) == value for key, value in piece.items())


def small(value: Any, path: str) -> Any:
    """Return a value about the answer, of which the last one counts. Raises DispatchError past the bound."""
    try:
        size = len(msgspec.json.encode(value))
    except (TypeError, ValueError, RecursionError):
        raise DispatchError(f"{path}: expected JSON, got {kind(value)}") from None
    if size > _MAX_SMALL:
        raise DispatchError(f"{path}: {size} bytes, {_MAX_SMALL} allowed")
    return value


def report(problem: object) -> DispatchError:
    """Make an error of one that the provider sent instead of the rest."""
    if isinstance(problem, dict):
        problem = problem.get("message") or problem
    return DispatchError(f"the stream ended with an error of the provider: {problem!s:.500}")
