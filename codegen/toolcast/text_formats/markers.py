"""Markers of text formats in grammars: as a model writes them, and as what other text must not have."""

import re
from typing import Final

from ..jsonschema.charset import SPACE, Ranges, complement, union
from .expressions import Characters, Expression, Repeat, Text, sequence
from .scalars import characters
from .text_format import HOLE

GAP: Final = Repeat(Characters(((0x0A, 0x0A), (0x20, 0x20))), 0, 8)
"""White space where a template leaves it free: bounded, so that a model cannot write it without end."""
SPACES: Final = Repeat(Characters(SPACE))
"""Any white space, as markers have it for readers."""
ID: Final = Repeat(Characters(((0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A))), 1, 64)
_NUMBER: Final = Repeat(Characters(((0x30, 0x39),)), 1, 4)


def _all_but(signs: str, ranges: Ranges = ()) -> Expression:
    return characters(complement(union([*ranges, *((ord(each), ord(each)) for each in signs)])))


_NAME: Final = _all_but("\"'`<>|()[]{},;=*\\", SPACE)
_KEY: Final = _all_but("<>\"'=\r\n")
_HOLES: Final = {"name": _NAME, "id": _NAME, "number": Characters(((0x30, 0x39),)), "key": _KEY}
_BEHIND_WORD: Final = re.compile(r"[\w\"'}]\Z")
_WORD: Final = re.compile(r"[\w\"'{]")


def written(template: str, *, name: str = "", key: str = "") -> Expression:
    """Write a template as the family's own: a blank between words is one, a line break is one, and other
    white space is free.

    Args:
        template: a marker, with holes.
        name: the text of `{name}`.
        key: the text of `{key}`.
    """
    parts: list[Expression] = []
    at = 0
    for hole in HOLE.finditer(template):
        parts.append(Text(template[at : hole.start()]))
        at = hole.end()
        if hole[1] is None:
            parts.append(_white_space(template, hole))
        else:
            texts = {"name": name, "key": key}
            parts.append(Text(texts[hole[1]]) if hole[1] in texts else ID if hole[1] == "id" else _NUMBER)
    return sequence(*parts, Text(template[at:]))


def _white_space(template: str, hole: re.Match[str]) -> Expression:
    if "\n" in hole[0]:
        return Text("\n")
    words = _BEHIND_WORD.search(template, 0, hole.start()) and _WORD.match(template, hole.end())
    return Text(" ") if words else GAP


def literal_of(template: str) -> str:
    """Return a template up to its first hole or white space."""
    hole = HOLE.search(template)
    return template if hole is None else template[: hole.start()]


def pattern(template: str) -> Expression:
    """Return what a template matches in a text, up to where that is certain."""
    parts: list[Expression] = []
    at = 0
    template = template.rstrip()
    for hole in HOLE.finditer(template):
        parts.append(Text(template[at : hole.start()]))
        at = hole.end()
        if hole[1] is None:
            parts.append(SPACES)
        else:
            parts.append(Repeat(_HOLES[hole[1]], 1, None if template[at:] else 1))
    return sequence(*parts, Text(template[at:]))
