"""Line and column of single values in a large JSON text, without a position for every value.

`json` itself skips what stands beside the path that is asked for: a position in 13 MB costs a fraction of a
second, where positions of all values would take a minute.
"""

import json
import re
from collections.abc import Iterator

from ...spec.parsed_document import Path
from ...spec.positions import Lines

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()
_Entry = tuple[int, int]
"""Offsets of a member's key and of its value; of an item, its own twice."""


class JsonPositions:
    """Positions in a text that was parsed before: it is JSON, and not nested too deeply."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = Lines(text)
        self._entries: dict[int, dict[str | int, _Entry]] = {}

    def locate(self, path: Path, *, key: bool = False) -> tuple[int, int]:
        """Line and column (from 1) of the value at `path`, or of its key; the nearest parent if absent."""
        entry = (self._skip(0),) * 2
        for step in path:
            found = self._below(entry[1]).get(step)
            if found is None:
                break
            entry = found
        return self._lines.position(entry[0] if key else entry[1])

    def _below(self, offset: int) -> dict[str | int, _Entry]:
        """What the object or array at `offset` holds; nothing for any other value."""
        known = self._entries.get(offset)
        if known is None:
            kind = self._text[offset : offset + 1]
            pairs = self._members(offset) if kind == "{" else self._items(offset) if kind == "[" else ()
            known = self._entries[offset] = dict(pairs)
        return known

    def _members(self, offset: int) -> Iterator[tuple[str | int, _Entry]]:
        at = self._skip(offset + 1)
        while self._text[at] != "}":
            name, after = _DECODER.raw_decode(self._text, at)
            value = self._skip(self._skip(after) + 1)
            yield name, (at, value)
            at = self._past(value)

    def _items(self, offset: int) -> Iterator[tuple[str | int, _Entry]]:
        at, index = self._skip(offset + 1), 0
        while self._text[at] != "]":
            yield index, (at, at)
            at, index = self._past(at), index + 1

    def _past(self, value: int) -> int:
        """The offset of what follows a value and its comma."""
        _, after = _DECODER.raw_decode(self._text, value)
        at = self._skip(after)
        return self._skip(at + 1) if self._text[at] == "," else at

    def _skip(self, at: int) -> int:
        found = _SPACE.match(self._text, at)
        return found.end() if found else at
