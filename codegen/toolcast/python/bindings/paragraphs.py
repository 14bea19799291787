"""Literals that take several lines where one is too short: texts and dict displays, in black's layout."""

import re
from collections.abc import Iterator
from typing import Any

from ..structs.source_literals import literal, text
from .layout import LINE_LENGTH


def paragraph(value: str, before: int, indent: int, after: int = 1) -> str:
    """A literal of `value` that stands `before` columns into its line, with `after` more behind it.

    What does not fit becomes several literals, one per line of text or part of one, in parentheses; rows
    are indented by `indent` plus four.
    """
    line = text(value)
    if before + len(line) + after <= LINE_LENGTH:
        return line
    pieces = [text(piece) for piece in _pieces(value, LINE_LENGTH - indent - 6)]
    if len(pieces) == 1:
        return line
    joined = " ".join(pieces)  # may be shorter than `line`: each piece has the quotes that suit it
    if indent + 4 + len(joined) <= LINE_LENGTH:
        pieces = [joined]
    rows = "\n".join(" " * (indent + 4) + piece for piece in pieces)
    return f"(\n{rows}\n{' ' * indent})"


def _pieces(value: str, width: int) -> Iterator[str]:
    """Parts of `value`, cut after newlines and spaces, whose literals are about `width` long."""
    for line in re.findall(r"[^\n]*\n+|[^\n]+", value):
        rest = line
        while len(rest) > width or len(text(rest)) > width + 2:
            limit = width
            while len(text(rest[:limit])) > width + 2:
                limit -= max(1, (len(text(rest[:limit])) - width) // 10)
            end = rest.rfind(" ", 0, limit) + 1
            if end < width // 4:
                end = limit
            yield rest[:end]
            rest = rest[end:]
        if rest:
            yield rest


def mapping(values: dict[str, str], before: int, indent: int, after: int = 1) -> str:
    """A dict display of sources by key, on one line where it fits, else one row for each."""
    rows = [f"{text(key)}: {value}" for key, value in values.items()]
    line = "{" + ", ".join(rows) + "}"
    if before + len(line) + after <= LINE_LENGTH:
        return line
    return "{\n" + "".join(f"{' ' * (indent + 4)}{row},\n" for row in rows) + " " * indent + "}"


def display(value: Any, before: int, indent: int, after: int = 1) -> str:
    """A literal of JSON data: dicts and lists that do not fit on a line have a row for each part."""
    line = literal(value)
    if before + len(line) + after <= LINE_LENGTH or not isinstance(value, dict | list) or not value:
        return line
    pad = " " * (indent + 4)
    if isinstance(value, dict):
        heads = [f"{text(key)}: " for key in value]
        parts = zip(heads, value.values(), strict=True)
        rows = [head + display(item, len(pad) + len(head), indent + 4) for head, item in parts]
        start, end = "{", "}"
    else:
        rows = [display(item, len(pad), indent + 4) for item in value]
        start, end = "[", "]"
    return f"{start}\n" + "".join(f"{pad}{row},\n" for row in rows) + " " * indent + end
