"""Text of strangers within a prompt or a result: nothing in it is a marker, a special token or a fence."""

import json
import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache

from ...text_formats.text_format import TextFormat, known_formats

_COMMON = frozenset({"<", "```"})
"""Beginnings of tags, special tokens and fences in any format."""
_HOLE = re.compile(r"\{(?:name|id|number|key)\}")
_SPACES = re.compile(r"\s+")
_ANY_SPACES = r"\s{0,64}"
_CALL = r"\s*[^\W\d][\w.]{0,127}\("
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPE = r"\\(?:u[0-9a-f]{4}|.)"
_STRUCTURE = frozenset("{}[](),:;=\"' \n")
_BREAKS = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Ends of lines, for some readers, that JSON does not escape; and what no encoding has."""
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


class Inert:
    """Makes text inert for some formats, and for all that are read without being named."""

    def __init__(self, formats: Iterable[TextFormat]) -> None:
        formats = tuple(formats)
        lists = any(form.peek and form.content == "python" for each in formats for form in each.calls)
        marks = _first_characters(
            _COMMON | _known_literals() | {literal for each in formats for literal in _literals(each)},
            lists=lists,
        )
        self._marks = re.compile(marks)
        self._json = re.compile(f"{_ESCAPE}|{marks}")

    def json(self, value: object, *, indent: int = 0, compact: bool = False) -> str:
        """Return JSON of the same value, with escapes for characters that could begin a marker."""
        separators = (",", ":") if compact else None
        text = json.dumps(value, ensure_ascii=False, indent=indent or None, separators=separators)
        return _STRING.sub(self._string, text)

    def text(self, text: str, then: str = "\n") -> str:
        """Return text with character references for what could begin a marker; `then` begins each further
        line.
        """
        lines = (_CONTROLS.sub(" ", line).rstrip() for line in text.strip().splitlines())
        return then.join(self.references(line) for line in lines)

    def line(self, text: str) -> str:
        return self.text(" ".join(text.split()))

    def references(self, text: str) -> str:
        """Replace what could begin a marker by character references, and change nothing else."""
        return self._marks.sub(_references, text)

    def _string(self, found: re.Match[str]) -> str:
        text = self._json.sub(lambda each: each[0] if each[0][0] == "\\" else _escapes(each[0]), found[0])
        return _BREAKS.sub(lambda each: f"\\u{ord(each[0]):04x}", text)


@lru_cache(maxsize=128)
def inert(formats: tuple[TextFormat, ...]) -> Inert:
    return Inert(formats)


def _first_characters(marks: Iterable[str], *, lists: bool) -> str:
    """Make a pattern for the first character of each marker: another one may begin behind it.

    `lists`: a list of calls in Python is a marker, too.
    """
    rests: dict[str, list[str]] = {"[": [_CALL]} if lists else {}
    for mark in sorted(marks):
        rests.setdefault(mark[0], []).append(_rest(mark))
    # Each alternative begins with a character, so that the search skips all others at once.
    return "|".join(
        re.escape(first) + ("" if "" in several else f"(?=(?:{'|'.join(several)}))")
        for first, several in rests.items()
    )


def _rest(mark: str) -> str:
    """Make a pattern for the marker behind its first character. White space in it is any, or none."""
    pieces = _SPACES.split(mark[1:])
    pattern = _ANY_SPACES.join(re.escape(piece) for piece in pieces)
    # A word of prose is a marker only where what it opens follows, as with `functools[`.
    return pattern + rf"{_ANY_SPACES}[\[{{(]" if mark.isalnum() else pattern


def _escapes(mark: str) -> str:
    units = mark.encode("utf-16-be")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def _references(found: re.Match[str]) -> str:
    return "&lt;" if found[0] == "<" else f"&#{ord(found[0])};"


@cache
def _known_literals() -> frozenset[str]:
    known = (each for each in known_formats().values() if not each.bare)
    return frozenset(literal for each in known for literal in _literals(each))


def _literals(format: TextFormat) -> Iterator[str]:
    """List how the format's markers begin, where that is not made inert anyway."""
    found: list[str] = [*format.dropped, *format.ends]
    for markers in (*format.sections, *format.thoughts, *format.results):
        found += (markers.open, markers.close)
    for form in format.calls:
        # What a form without a marker begins with is plain JSON or Python, whose calls `escaped` breaks.
        found += form.close if form.peek else (*form.open, *form.close)
        for parameter in form.parameters:
            found += (*parameter.open, *parameter.close)
    for marker in found:
        hole = _HOLE.search(marker)
        literal = (marker if hole is None else marker[: hole.start()]).strip()
        if literal and not literal.startswith(tuple(_COMMON)) and not _STRUCTURE.issuperset(literal):
            yield literal
    for prompt in format.prompts:
        yield from prompt.tokens
