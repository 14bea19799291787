"""JSON pointers (RFC 6901)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def escape(segment: str) -> str:
    """Escape a segment of a pointer: `~` as `~0`, `/` as `~1`.

    Args:
        segment: name of a member.

    Returns:
        The token.
    """
    if "~" in segment or "/" in segment:
        return segment.replace("~", "~0").replace("/", "~1")
    return segment


def unescape(token: str) -> str:
    """Unescape a token of a pointer: the inverse of `escape`.

    Args:
        token: text between two slashes.

    Returns:
        The segment.
    """
    return token.replace("~1", "/").replace("~0", "~") if "~" in token else token


def join(segments: Iterable[str | int]) -> str:
    """Make a pointer of a path: `["properties", "a/b"]` is `/properties/a~1b`.

    Args:
        segments: names of members and indices of items.

    Returns:
        The pointer; empty for an empty path.
    """
    return "".join([f"/{escape(str(segment))}" for segment in segments])


def split(pointer: str) -> list[str]:
    """The segments of a pointer.

    Args:
        pointer: the pointer; text before the first `/`, such as `#`, is ignored.

    Returns:
        The segments, unescaped.
    """
    return [unescape(token) for token in pointer.split("/")[1:]]


def child(value: Any, segment: str) -> Any:
    """The member of an object, or the item of an array.

    Args:
        value: a JSON value.
        segment: name of the member, or index of the item.

    Returns:
        The member or item.

    Raises:
        LookupError: there is none.
    """
    if isinstance(value, (dict, Mapping)):  # the plain one first: it is found in a third of the time
        return value[segment]
    if isinstance(value, (list, tuple)) and segment.isascii() and segment.isdecimal():
        return value[int(segment[:_INDEX_DIGITS])]
    raise LookupError(segment)


_INDEX_DIGITS = 12
"""More digits than any index has: Python refuses to convert thousands of them."""


def resolve(document: Any, pointer: str) -> Any:
    """The value at a pointer.

    Args:
        document: a JSON value.
        pointer: a pointer from its root.

    Returns:
        The value, not a copy.

    Raises:
        LookupError: there is none.
    """
    value = document
    for segment in split(pointer):
        value = child(value, segment)
    return value
