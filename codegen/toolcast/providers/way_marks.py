"""How an encoding is noted on the output while it is made: under a key that no schema can hold.

A mark survives what the walk does to a node afterwards (copies, merges, wrappers). Once the output
stands, `ways` takes all marks out again and makes the way back of them.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from ..runtime.wire import WireForm
from .state import State


class _Mark(str):
    """Equal to itself only: a keyword or property of the same letters is another key."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    __hash__ = str.__hash__


MARK: str = _Mark("way back")


def mark(state: State, node: dict[str, Any], **steps: Any) -> dict[str, Any]:
    """A copy of `node` that notes these fields of its `WireForm`, with those it has. Forms of children are
    noted at the children."""
    state.encoded = True
    return {**node, MARK: replace(node.get(MARK, WireForm()), **steps)}


def unmarked(value: Any) -> Any:
    """A copy of a schema without any mark, to be shown."""
    if isinstance(value, dict):
        return {key: unmarked(item) for key, item in value.items() if key is not MARK}
    return [unmarked(item) for item in value] if isinstance(value, list) else value
