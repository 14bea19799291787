"""Texts of a spec that hold what a reader does not see."""

import json
from collections.abc import Iterator
from typing import Any

from ..hidden_characters import describe_character, escape_hidden, hidden_offsets, is_deceptive
from ..spec.parsed_document import Path
from .finding import Finding
from .linted_tool import Subject

_BEFORE = 20
"""Characters of the text that lead to the place."""


def hidden_text(subject: Subject) -> Iterator[Finding]:
    """A finding for each key and text of the spec, and of the shared types that it uses, at its place."""
    for path, text in _texts(subject.tool.document.data):
        for code, message in _problems(path, text):
            yield subject.finding(code, message, _FIX, at=path)
    for name, location in subject.normal.locations.items():
        for path, text in _texts(subject.normal.defs[name]) if location.file else ():
            for code, message in _problems(path, text):
                yield subject.finding(code, message, _FIX, schema=("$defs", name, *path))


_FIX = "take it out: who reads the spec does not see it, and a model reads it"


def _texts(data: Any) -> Iterator[tuple[Path, str]]:
    """Every key and every text below `data`, in order; a key has the path of its value."""
    waiting: list[tuple[Path, Any]] = [((), data)]
    while waiting:
        path, value = waiting.pop()
        below: list[tuple[Path, Any]] = []
        if isinstance(value, str):
            yield path, value
        elif isinstance(value, dict):
            for key, item in value.items():
                yield (*path, key), key
                below.append(((*path, key), item))
        elif isinstance(value, list):
            below = [((*path, index), item) for index, item in enumerate(value)]
        waiting += reversed(below)


def _problems(path: Path, text: str) -> Iterator[tuple[str, str]]:
    """(code, message) of what is hidden in one text."""
    indexes = [index for index in hidden_offsets(text) if text[index] != "\r"]
    for code, grave in (("hidden-text", True), ("hidden-character", False)):
        found = [index for index in indexes if is_deceptive(text[index]) == grave]
        if not found:
            continue
        first = found[0]
        lead = "".join(char for char in text[max(0, first - _BEFORE) : first] if char.isprintable())
        where = f"behind {lead!r}" if lead else "at the beginning"
        more = f", and {len(found) - 1} more" if len(found) > 1 else ""
        name = ".".join(_visible(str(step)) for step in path)
        yield code, f"`{name}` holds {describe_character(text[first])}, character {first + 1}, {where}{more}"


def _visible(step: str) -> str:
    """A step of a path on one line, with what nobody sees as JSON escapes it."""
    return escape_hidden(json.dumps(step, ensure_ascii=False)[1:-1])
