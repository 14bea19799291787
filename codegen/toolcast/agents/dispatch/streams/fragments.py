"""What every stream needs: text that arrives in fragments, and bounds for all that is held."""

from collections.abc import Hashable, Mapping
from typing import Any, Protocol

import msgspec

from ....runtime.wire.fragments import MAX_CALLS, FragmentError, Fragments
from ..answer_fields import kind, text
from ..call import DispatchError

Event = dict[str, Any]


class Stream(Protocol):
    """One format's answer under construction."""

    ended: bool

    def feed(self, event: Event) -> None:
        """Take the next event."""

    def response(self) -> dict[str, Any]:
        """The answer so far, as the format has it without a stream."""
        ...


class Pieces:
    """Text by key, put together from fragments, and a budget for everything else that is kept."""

    __slots__ = ("_fragments", "_kept", "_left")

    def __init__(self, limit: int) -> None:
        self._fragments = Fragments(limit=limit)
        self._left = limit
        self._kept = 0

    def add(self, key: Hashable, fragment: Any, path: str) -> None:
        """The next fragment of a text; nothing for None. Raises DispatchError."""
        piece = text(fragment, path)
        try:
            self._fragments.add(piece, key)
        except FragmentError as problem:
            raise DispatchError(f"{path}: {problem}") from None

    def text(self, key: Hashable) -> str:
        """What has come so far."""
        return self._fragments.text(key)

    def has(self, key: Hashable) -> bool:
        """Whether the text has begun."""
        return key in self._fragments.calls

    def keep(self, value: Any, path: str) -> Any:
        """Count a value that is kept as it is. Raises DispatchError past the bounds."""
        self._kept += 1
        try:
            self._left -= len(msgspec.json.encode(value))
        except (TypeError, ValueError, RecursionError):
            raise DispatchError(f"{path}: expected JSON, got {kind(value)}") from None
        if self._left < 0 or self._kept > 16 * MAX_CALLS:
            raise DispatchError(f"{path}: the answer is too large")
        return value


def section(event: Any, key: str, path: str) -> dict[str, Any]:
    """The object under a key; an empty one where there is none. Raises DispatchError."""
    found = event.get(key)
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise DispatchError(f"{path}.{key}: expected an object, got {kind(found)}")
    return found


def objects(value: Any, path: str) -> list[dict[str, Any]]:
    """A list of objects; an empty one for None. Raises DispatchError."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise DispatchError(f"{path}: expected a list, got {kind(value)}")
    for at, item in enumerate(value):
        if not isinstance(item, dict):
            raise DispatchError(f"{path}[{at}]: expected an object, got {kind(item)}")
    return value


def number(event: Mapping[str, Any], key: str, path: str) -> int:
    """A whole number that must be there. Raises DispatchError."""
    found = event.get(key)
    if isinstance(found, bool) or not isinstance(found, int):
        raise DispatchError(f"{path}.{key}: expected a whole number, got {kind(found)}")
    return found


def report(problem: Any) -> DispatchError:
    """An error that the provider sent instead of the rest."""
    if isinstance(problem, dict):
        problem = problem.get("message") or problem
    return DispatchError(f"the stream ended with an error of the provider: {problem!s:.500}")
