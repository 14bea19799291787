"""Spellings of values and markers by family: how strings, lists and objects are written, and the white
space and names in templates, as a model writes them and as what other text must not have.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final, TypeAlias

from msgspec import Struct

from ..jsonschema.charset import Ranges, complement, union
from .expressions import (
    NOTHING,
    Characters,
    Choice,
    Expression,
    Repeat,
    Rules,
    Text,
    choice,
    joined,
    one_of,
    optional,
    parts_of,
    repeated,
    sequence,
)
from .restricted_text import Ending, TooLargeError, closed, holds
from .scalars import ANY_TEXT, characters
from .text_format import HOLE

_SPACE: Final = union((each, each) for each in range(0x3001) if chr(each).isspace())
"""White space as readers have it, the `\\s` of Python's expressions. U+FEFF is none of it."""
_NO_KEY: Final = (
    Ending(one_of(union([*_SPACE, *((ord(sign), ord(sign)) for sign in '{}[],<>"')]))),
    Ending(Text(":")),
    Ending(Characters(((0x3A, 0x3A),)), anchored=True),
)
"""Characters and texts that no key without marks has: the reader ends it there."""


_Escapes: TypeAlias = "tuple[tuple[int, str], ...]"
"""Characters, each with what is written for it."""
_JSON: Final[_Escapes] = (
    *((point, json.dumps(chr(point))[1:-1]) for point in range(0x20)), (0x22, '\\"'), (0x5C, "\\\\")
)  # fmt: skip
_PYTHON: Final[_Escapes] = (
    *((point, repr(chr(point))[1:-1]) for point in range(0x20)), (0x27, "\\'"), (0x5C, "\\\\")
)  # fmt: skip


class Marks(Struct, frozen=True, kw_only=True):
    """The marks with which a language writes values. By default they are those of JSON.

    Attributes:
        quotes: what encloses strings, with what is written for characters that have no place in between.
        literals: the words for true, false and null.
        bare: whether keys stand without marks where they can, in the order of their names.
    """

    quotes: tuple[tuple[str, _Escapes], ...] = (('"', _JSON),)
    literals: tuple[Expression, Expression, Expression] = (Text("true"), Text("false"), Text("null"))
    bare: bool = False


COMMA: Final = sequence(Text(","), optional(Text(" ")))
JSON: Final = Marks()
PYTHON: Final = Marks(
    quotes=(('"', _JSON), ("'", _PYTHON)),
    literals=(
        choice((Text("True"), Text("true"))),
        choice((Text("False"), Text("false"))),
        choice((Text("None"), Text("null"))),
    ),
)
"""Values as Python writes them, or JSON: models write either."""


def braces(quote: str) -> Marks:
    """Return the marks of Gemma: keys are words, and strings stand between `quote` without any escape."""
    return Marks(quotes=((quote, ()),), bare=True)


class Spelling:
    """Values in some marks, as a model writes them.

    Attributes:
        by_name: whether properties are written in the order of their names.
        widened: whether a string was said without its lengths and patterns, which would take too many rules.
    """

    brackets: Final = ("[", "]")
    braces: Final = ("{", "}")

    def __init__(self, rules: Rules, marks: Marks = JSON, endings: Sequence[Ending] = ()) -> None:
        """Write strings without `endings`, which end the text around them."""
        self._rules = rules
        self._marks = marks
        self._endings = tuple(endings)
        self.true, self.false, self.null = marks.literals
        self.colon = sequence(Text("" if marks.bare else ":"), optional(Text(" ")))  # a bare key has its own
        self.by_name = marks.bare
        self.widened = False

    def quoted(self, texts: Expression) -> Expression:
        """Return a string of these texts."""
        return choice(
            self._ended(mark, texts, mark, escapes, self._endings)
            if escapes
            else joined(Text(mark), self._ended("", texts, mark, escapes, (Ending(Text(mark)),)))
            for mark, escapes in self._marks.quotes
        )

    def key(self, texts: Expression) -> Expression:
        """Return the key of an object: a string; or a word with its colon, where that is possible."""
        if not self._marks.bare:
            return self.quoted(texts)
        bare = self._ended("", texts, ":", (), _NO_KEY)
        if bare != NOTHING and isinstance(texts, Text):
            return bare
        return choice([bare, joined(self.quoted(texts), Text(":"))])

    def _ended(
        self, open: str, texts: Expression, close: str, escapes: _Escapes, endings: Sequence[Ending]
    ) -> Expression:
        """Return texts without endings, behind what opens them, with what closes them."""
        content = sequence(Text(open), _content(texts, escapes))
        if not endings:
            return sequence(content, Text(close))
        if isinstance(content, Text):
            shut = holds(content.text, close, endings)
            return NOTHING if shut else sequence(content, Text(close))
        try:
            return closed(self._rules, "string", content, close, endings)
        except TooLargeError:
            if texts == ANY_TEXT:
                raise
            self.widened = True
            return self._ended(open, ANY_TEXT, close, escapes, endings)

    def literal(self, value: object) -> Expression:
        """Return one exact value."""
        if isinstance(value, str):
            return self.quoted(Text(value))
        if value is None or isinstance(value, bool):
            return self.null if value is None else self.true if value else self.false
        if isinstance(value, list | tuple):
            return self.listed(self.brackets, [self.literal(item) for item in value])
        if isinstance(value, Mapping):
            items = [
                joined(self.key(Text(name)), self.colon, self.literal(item)) for name, item in value.items()
            ]
            return self.listed(self.braces, items)
        whole = isinstance(value, float) and value.is_integer() and abs(value) < 1e16
        return Text(repr(int(value) if whole else value))  # type: ignore[call-overload]

    def listed(self, around: tuple[str, str], items: Sequence[Expression]) -> Expression:
        """Return some items in brackets."""
        between = [each for item in items for each in (COMMA, item)][1:]
        return joined(Text(around[0]), *between, Text(around[1]))


def _content(texts: Expression, escapes: _Escapes) -> Expression:
    """Return the content of a string whose texts are made of the characters themselves."""
    if isinstance(texts, Text):  # an exact one may have halves of surrogate pairs
        halves = {point: f"\\u{point:04x}" for point in map(ord, texts.text) if 0xD800 <= point <= 0xDFFF}
        return Text(texts.text.translate({**dict(escapes), **halves}))
    if isinstance(texts, Characters):
        return _character(texts.ranges, escapes)
    if isinstance(texts, Repeat):
        return repeated(_content(texts.part, escapes), texts.least, texts.most)
    parts = [_content(each, escapes) for each in parts_of(texts)]
    return choice(parts) if isinstance(texts, Choice) else sequence(*parts)


@lru_cache(maxsize=1024)
def _character(ranges: Ranges, escapes: _Escapes) -> Expression:
    escaped: dict[str, list[tuple[int, int]]] = {}
    for at, to in escapes:
        if any(low <= at <= high for low, high in ranges):
            escaped.setdefault(to[:-1], []).append((ord(to[-1]), ord(to[-1])))
    plain = complement(union([*complement(ranges), *((at, at) for at, _ in escapes)]))
    others = (sequence(Text(head), one_of(union(last))) for head, last in escaped.items())
    return choice([characters(plain), *others])


# -- markers -------------------------------------------------------------------------------------

GAP: Final = Repeat(Characters(((0x0A, 0x0A), (0x20, 0x20))), 0, 8)
"""White space where a template leaves it free: bounded, so that a model cannot write it without end."""
SPACES: Final = Repeat(Characters(_SPACE))
"""Any white space, as markers have it for readers."""
ID: Final = Repeat(Characters(((0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A))), 1, 64)
_NUMBER: Final = Repeat(Characters(((0x30, 0x39),)), 1, 4)


def _all_but(signs: str, ranges: Ranges = ()) -> Expression:
    return characters(complement(union([*ranges, *((ord(each), ord(each)) for each in signs)])))


_NAME: Final = _all_but("\"'`<>|()[]{},;=*\\", _SPACE)
_KEY: Final = _all_but("<>\"'=\r\n")
_HOLES: Final = {"name": _NAME, "id": _NAME, "number": Characters(((0x30, 0x39),)), "key": _KEY}
_BEHIND_WORD: Final = re.compile(r"[\w\"'}]\Z")
_BEFORE_WORD: Final = re.compile(r"[\w\"'{]")


def written(template: str, *, name: str = "", key: str = "") -> Expression:
    """Write a template as the family's own: a blank between words is one, a line break is one, and other
    white space is free.

    Args:
        template: a marker, with holes.
        name: the text of `{name}`.
        key: the text of `{key}`.
    """
    texts: dict[str, Expression] = {"name": Text(name), "key": Text(key), "id": ID, "number": _NUMBER}
    return _filled(template, lambda hole: texts[hole[1]] if hole[1] else _white_space(template, hole))


def _filled(template: str, fill: Callable[[re.Match[str]], Expression]) -> Expression:
    """Return a template with something for each hole, and for white space."""
    parts: list[Expression] = []
    at = 0
    for hole in HOLE.finditer(template):
        parts += [Text(template[at : hole.start()]), fill(hole)]
        at = hole.end()
    return sequence(*parts, Text(template[at:]))


def _white_space(template: str, hole: re.Match[str]) -> Expression:
    if "\n" in hole[0]:
        return Text("\n")
    words = _BEHIND_WORD.search(template, 0, hole.start()) and _BEFORE_WORD.match(template, hole.end())
    return Text(" ") if words else GAP


def literal_of(template: str) -> str:
    """Return a template up to its first hole or white space."""
    hole = HOLE.search(template)
    return template if hole is None else template[: hole.start()]


def pattern(template: str) -> Expression:
    """Return what a template matches in a text, up to where that is certain."""
    template = template.rstrip()

    def fill(hole: re.Match[str]) -> Expression:
        ends = hole.end() == len(template)
        return Repeat(_HOLES[hole[1]], 1, 1 if ends else None) if hole[1] else SPACES

    return _filled(template, fill)
