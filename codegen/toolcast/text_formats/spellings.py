"""Spellings of values and markers by family: how strings, lists and objects are written, and the white
space and names in templates, as a model writes them and as what other text must not have.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from ..contract.tree import Field
from ..jsonschema.charset import SPACE, Ranges, complement, union
from .expressions import (
    NOTHING,
    Characters,
    Choice,
    Expression,
    Repeat,
    Rule,
    Rules,
    Text,
    choice,
    joined,
    one_of,
    optional,
    repeated,
    sequence,
)
from .restricted_text import Ending, TooLargeError, closed, holds
from .scalars import ANY_TEXT, characters
from .text_format import HOLE

_NO_KEY: Final = (
    Ending(one_of(union([*SPACE, *((ord(sign), ord(sign)) for sign in '{}[],<>"')]))),
    Ending(Text(":")),
    Ending(Characters(((0x3A, 0x3A),)), anchored=True),
)
"""Characters and texts that no key without marks has: the reader ends it there."""


class Spelling:
    """The spelling of values: JSON. Subclasses write other languages.

    Attributes:
        widened: whether a string was said without its lengths and patterns, which would take too many rules.
    """

    widened = False

    true: Expression = Text("true")
    false: Expression = Text("false")
    null: Expression = Text("null")
    comma: Expression = sequence(Text(","), optional(Text(" ")))
    colon: Expression = sequence(Text(":"), optional(Text(" ")))
    brackets: tuple[str, str] = ("[", "]")
    braces: tuple[str, str] = ("{", "}")

    _escapes: Mapping[int, str] = {
        **{point: json.dumps(chr(point))[1:-1] for point in range(0x20)}, 0x22: '\\"', 0x5C: "\\\\"
    }  # fmt: skip
    """Characters that a string has no place for, and what is written in place of them."""

    def ordered(self, fields: Sequence[Field]) -> Sequence[Field]:
        """Return properties in the order in which they are written."""
        return fields

    def quoted(self, texts: Expression) -> Expression:
        """Return a string of these texts."""
        return sequence(Text('"'), self.content(texts), Text('"'))

    def key(self, texts: Expression) -> Expression:
        """Return the key of an object; as a rule it is a string."""
        return self.quoted(texts)

    def characters(self, ranges: Ranges) -> Expression:
        """Return one character of a string's content."""
        return _character(ranges, tuple(self._escapes.items()))

    def text(self, text: str) -> Expression:
        """Return an exact content of a string, which may have halves of surrogate pairs."""
        halves = {point: f"\\u{point:04x}" for point in map(ord, text) if 0xD800 <= point <= 0xDFFF}
        return Text(text.translate({**self._escapes, **halves}))

    def content(self, texts: Expression) -> Expression:
        """Return the content of a string whose texts are made of the characters themselves."""
        if isinstance(texts, Text):
            return self.text(texts.text)
        if isinstance(texts, Characters):
            return self.characters(texts.ranges)
        if isinstance(texts, Repeat):
            return repeated(self.content(texts.part), texts.least, texts.most)
        assert not isinstance(texts, Rule)
        if isinstance(texts, Choice):
            return choice(map(self.content, texts.options))
        return sequence(*map(self.content, texts.parts))

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
        between = [each for item in items for each in (self.comma, item)][1:]
        return joined(Text(around[0]), *between, Text(around[1]))


@lru_cache(maxsize=1024)
def _character(ranges: Ranges, escapes: tuple[tuple[int, str], ...]) -> Expression:
    escaped: dict[str, list[tuple[int, int]]] = {}
    for at, to in escapes:
        if any(low <= at <= high for low, high in ranges):
            escaped.setdefault(to[:-1], []).append((ord(to[-1]), ord(to[-1])))
    plain = complement(union([*complement(ranges), *((at, at) for at, _ in escapes)]))
    others = (sequence(Text(head), one_of(union(last))) for head, last in escaped.items())
    return choice([characters(plain), *others])


class _Single(Spelling):
    """Strings as Python prints them."""

    _escapes: Mapping[int, str] = {
        **{point: repr(chr(point))[1:-1] for point in range(0x20)}, 0x27: "\\'", 0x5C: "\\\\"
    }  # fmt: skip


class Python(Spelling):
    """Values as Python writes them, or JSON: models write either."""

    true = choice((Text("True"), Text("true")))
    false = choice((Text("False"), Text("false")))
    null = choice((Text("None"), Text("null")))

    def quoted(self, texts: Expression) -> Expression:
        """Return a string between two double quotes, or two single ones."""
        return choice([super().quoted(texts), sequence(Text("'"), _Single().content(texts), Text("'"))])


class Raw(Spelling):
    """Texts as they are."""

    _escapes: Mapping[int, str] = {}


class Elements(Spelling):
    """Members one after the other."""

    comma = Text("")


class Ended(Spelling):
    """Strings that cannot hold what ends them, or the text around them."""

    def __init__(self, rules: Rules, endings: Sequence[Ending]) -> None:
        """Write strings without `endings`."""
        self._rules = rules
        self._endings = endings

    def ended(self, open: str, texts: Expression, close: str) -> Expression:
        """Return texts, behind what opens them, with what closes them."""
        content = sequence(Text(open), self.content(texts))
        if isinstance(content, Text):
            shut = holds(content.text, close, self._endings)
            return NOTHING if shut else sequence(content, Text(close))
        try:
            return closed(self._rules, "string", content, close, self._endings)
        except TooLargeError:
            if texts == ANY_TEXT:
                raise
            self.widened = True
            return self.ended(open, ANY_TEXT, close)

    def quoted(self, texts: Expression) -> Expression:
        """Return a string without what ends the text around it."""
        return self.ended('"', texts, '"')


class _Bare(Ended):
    """Texts as they are, without what ends them."""

    _escapes: Mapping[int, str] = {}


class Braces(Ended):
    """Values as Gemma writes them: keys are words, and strings stand between marks without any escape."""

    colon = optional(Text(" "))  # a key has its colon
    _escapes: Mapping[int, str] = {}

    def __init__(self, rules: Rules, quote: str) -> None:
        """Write strings between two `quote`."""
        super().__init__(rules, (Ending(Text(quote)),))
        self._quote = quote

    def ordered(self, fields: Sequence[Field]) -> Sequence[Field]:
        """Return properties by their names, as the family's templates write them."""
        return sorted(fields, key=lambda each: each.encode_name)

    def quoted(self, texts: Expression) -> Expression:
        """Return a string between marks, without one within."""
        return joined(Text(self._quote), self.ended("", texts, self._quote))

    def key(self, texts: Expression) -> Expression:
        """Return a key with its colon: without marks where that is possible, else as a string."""
        bare = _Bare(self._rules, _NO_KEY).ended("", texts, ":")
        if bare != NOTHING and isinstance(texts, Text):
            return bare
        return choice([bare, joined(self.quoted(texts), Text(":"))])


# -- markers -------------------------------------------------------------------------------------

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
_BEFORE_WORD: Final = re.compile(r"[\w\"'{]")


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
    words = _BEHIND_WORD.search(template, 0, hole.start()) and _BEFORE_WORD.match(template, hole.end())
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
