"""JSON pointers (RFC 6901)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def escape(segment: str) -> str:
    """Escape a segment of a pointer: `~` as `~0`, `/` as `~1`."""
    if "~" in segment or "/" in segment:
        return segment.replace("~", "~0").replace("/", "~1")
    return segment


def unescape(token: str) -> str:
    """Unescape a token of a pointer: the inverse of `escape`."""
    return token.replace("~1", "/").replace("~0", "~") if "~" in token else token


def join(segments: Iterable[str | int]) -> str:
    """Make a pointer of a path: `["properties", "a/b"]` is `/properties/a~1b`."""
    return "".join([f"/{escape(str(segment))}" for segment in segments])


def split(pointer: str) -> list[str]:
    """Return the segments of a pointer, unescaped; text before the first `/`, such as `#`, is ignored."""
    return [unescape(token) for token in pointer.split("/")[1:]]


def child(value: Any, segment: str) -> Any:
    """Return the member of an object, or the item of an array. Raises LookupError where there is none."""
    if isinstance(value, (dict, Mapping)):  # the plain one first: it is found in a third of the time
        return value[segment]
    if isinstance(value, (list, tuple)) and segment.isascii() and segment.isdecimal():
        return value[int(segment[:_INDEX_DIGITS])]
    raise LookupError(segment)


_INDEX_DIGITS = 12
"""More digits than any index has: Python refuses to convert thousands of them."""


def resolve(document: Any, pointer: str) -> Any:
    """Return the value at a pointer from the root of a document. Raises LookupError where there is none."""
    value = document
    for segment in split(pointer):
        value = child(value, segment)
    return value
