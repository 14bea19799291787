"""A text as a reader sees it, with its escapes resolved, and as base64 and hexadecimal are read, with the
offsets of the original. Each view takes time in proportion to the text, and there are 23 at most."""

import re
from array import array
from collections.abc import Callable, Iterator
from typing import Final, Literal

Kind = Literal["text", "base64", "hex"]
_Put = Callable[[re.Match[str]], str]

LEVELS: Final = 3
"""Times that escapes are resolved: JSON in JSON has two, and three where its slashes are escaped."""

_HEX = "[0-9a-fA-F]"
_ESCAPE = re.compile(
    rf"\\u[dD][89abAB]{_HEX}{{2}}\\u[dD][c-fC-F]{_HEX}{{2}}|\\u{_HEX}{{4}}|\\[^ux]", re.DOTALL
)
_NEXT = rf"%[89abAB]{_HEX}"
_PERCENT = re.compile(
    rf"%[0-7]{_HEX}|%[c-dC-D]{_HEX}{_NEXT}|%[eE]{_HEX}(?:{_NEXT}){{2}}|%[fF][0-7](?:{_NEXT}){{3}}"
)
_FORM = re.compile(rf"\+|{_PERCENT.pattern}")
_HIDDEN = re.compile(
    "\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]{0,512}(?:\x07|\x1b\\\\)|[@-Z\\\\^_=>])"
    "|[\0-\x08\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef]"
)
"""ANSI sequences, control and zero-width characters: what shows a text may remove them."""
_SPACE = re.compile(r"\s+")
_NO_DIGIT = re.compile(r"\\[xX]|0[xX](?=[0-9A-Fa-f])|[^0-9A-Za-z]+")
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
_ALPHABET = str.maketrans("-_", "+/")


class View:
    """A text made from another; knows which part of the first text a part came from."""

    __slots__ = ("_ends", "_pattern", "_put", "_source", "_starts", "text")

    def __init__(
        self,
        text: str,
        source: "View | None" = None,
        pattern: re.Pattern[str] = _SPACE,
        put: _Put | None = None,
    ) -> None:
        self.text = text
        self._source = source
        self._pattern = pattern
        self._put = put
        self._starts = array("q")
        self._ends = array("q")

    def replaced(self, pattern: re.Pattern[str], put: _Put) -> "View":
        """With each match replaced by what `put` makes of it; the same object where nothing matches."""
        made = pattern.sub(put, self.text)
        return self if made == self.text else View(made, self, pattern, put)

    def as_base64(self) -> "View":
        """Without white space, in the first alphabet of base64."""
        return View("".join(self.text.split()).translate(_ALPHABET), self, _SPACE)

    def as_digits(self) -> "View":
        """Without what may stand between digits, in lower case."""
        return View(_NO_DIGIT.sub("", self.text).lower(), self, _NO_DIGIT)

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """The part of the first text that became `text[start:end]`, which must not be empty."""
        if self._source is None:
            return start, end
        if not self._starts:
            self._locate(self._source.text)
        return self._source.origin(self._starts[start], self._ends[end - 1])

    def _locate(self, source: str) -> None:
        last = 0
        for found in self._pattern.finditer(source):
            begin, stop = found.span()
            self._copy(last, begin)
            made = 0 if self._put is None else len(self._put(found))
            self._starts.extend([begin] * made)
            self._ends.extend([stop] * made)
            last = stop
        self._copy(last, len(source))

    def _copy(self, begin: int, stop: int) -> None:
        self._starts.extend(range(begin, stop))
        self._ends.extend(range(begin + 1, stop + 1))


def views(text: str) -> Iterator[tuple[Kind, View]]:
    """All views to search, each with the kind of form that may stand in it."""
    whole = View(text)
    first = whole.replaced(_HIDDEN, lambda _: "")
    if first is not whole:
        yield "text", whole
    yield from _readings(first)
    for sign, pattern, put in (("\\", _ESCAPE, _unescaped), ("%", _PERCENT, _unquoted)):
        inner = first
        for _ in range(LEVELS):
            outer = inner
            if sign not in outer.text or (inner := outer.replaced(pattern, put)) is outer:
                break
            yield from _readings(inner)
    if "+" in first.text:
        yield "text", first.replaced(_FORM, _unquoted)


def _readings(view: View) -> Iterator[tuple[Kind, View]]:
    yield "text", view
    yield "base64", view.as_base64()
    yield "hex", view.as_digits()


def _unescaped(found: re.Match[str]) -> str:
    token = found[0]
    if len(token) == 2:
        return _CONTROLS.get(token[1], token[1])
    if len(token) == 6:
        return chr(int(token[2:], 16))
    high, low = int(token[2:6], 16), int(token[8:], 16)
    return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))


def _unquoted(found: re.Match[str]) -> str:
    token = found[0]
    return " " if token == "+" else bytes.fromhex(token.replace("%", "")).decode("utf-8", "replace")
