"""A text with its encodings decoded, its escapes resolved and its invisible characters removed, with the
offsets of the original.

A secret is searched in these views, so that it is found however it was escaped, encoded, wrapped or coloured.
Two encodings may be nested, and up to `LEVELS` of one family of escapes, or of all families together. Each
view takes time in proportion to the text, and their number has a bound.
"""

import binascii
import html
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final

from msgspec import Struct

from .searched_values import INVISIBLE, SHORTEST, SPACE, as_bytes

_HEX = "[0-9a-fA-F]"


_NEXT = rf"\\x[89abAB]{_HEX}"
_NUMBER = rf"\\x{_HEX}{{2}}"
_BYTES = rf"\\x[c-dC-D]{_HEX}{_NEXT}|\\x[eE]{_HEX}(?:{_NEXT}){{2}}|\\x[fF][0-7](?:{_NEXT}){{3}}|{_NUMBER}"
"""One character whose UTF-8 bytes stand each in hexadecimal, or one number."""
_OCTAL = r"\\[0-3][0-7][0-7]"
_OCTALS = (
    r"\\3[0-3][0-7]\\2[0-7][0-7]|\\34[0-7](?:\\2[0-7][0-7]){2}|\\35[0-7](?:\\2[0-7][0-7]){2}"
    r"|\\36[0-7](?:\\2[0-7][0-7]){3}"
)
_SLASHES = (
    rf"\\u[dD][89abAB]{_HEX}{{2}}\\u[dD][c-fC-F]{_HEX}{{2}}|\\u{_HEX}{{4}}"
    rf"|\\U{_HEX}{{8}}|\\u\{{{_HEX}{{1,6}}\}}|\\N\{{[A-Za-z0-9() -]{{1,100}}\}}|{{bytes}}{_OCTAL}"
    r"|\\[0-7]{1,2}|\\(?:[\s\S])"
)
_SLASH = _SLASHES.replace("{bytes}", f"{_BYTES}|{_OCTALS}|")
_SLASH_CHARACTERS = _SLASHES.replace("{bytes}", f"{_NUMBER}|")
"""The same where each number is a character, as in a text of Python's, and not a byte."""
_PERCENT = rf"%{_HEX}{{2}}|%u{_HEX}{{4}}"
_ENTITY = rf"&\#0{{0,100}}[0-9]{{1,7}};?|&\#[xX]0{{0,100}}{_HEX}{{1,6}};?|&[A-Za-z][A-Za-z0-9]{{1,31}};?"
_PRINTABLE = rf"={_HEX}{{2}}|=[ \t]*\r?\n"
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "v": "\v", "a": "\a", "e": "\x1b"}


class Family(Struct, frozen=True):
    """`sign`: the character that each token of the family begins with; "" for several."""

    sign: str
    pattern: re.Pattern[str]
    meaning: Callable[[re.Match[str]], str]


def _slash(token: str) -> str:
    kind = token[1]
    if kind in "01234567":
        return _bytes_or_character([int(part, 8) for part in token.split("\\")[1:]])
    if len(token) == 2:
        return _CONTROLS.get(kind, "" if kind == "\n" else kind)
    if kind == "x":
        return _bytes_or_character([int(part, 16) for part in token.split("\\x")[1:]])
    if kind == "N":
        import unicodedata

        try:
            return as_bytes(unicodedata.lookup(token[3:-1]))
        except KeyError:
            return token
    if len(token) == 12:  # a surrogate pair
        high, low = int(token[2:6], 16), int(token[8:], 16)
        return as_bytes(chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)))
    return _character(int(token[2:].strip("{}"), 16)) or token


def _bytes_or_character(numbers: list[int]) -> str:
    """Several bytes are those of one character in UTF-8; one number is a character."""
    return bytes(numbers).decode("latin-1") if len(numbers) > 1 else _character(numbers[0])


def _character(code: int) -> str:
    return as_bytes(chr(code)) if code <= 0x10FFFF else ""


def _percent(token: str) -> str:
    return _character(int(token[2:], 16)) if token[1] == "u" else chr(int(token[1:], 16))


def _entity(token: str) -> str:
    meaning = html.unescape(token)
    if not meaning:  # HTML has no control characters; a terminal that is sent them has
        digits = token[2:].rstrip(";")
        return _character(int(digits[1:], 16) if digits[0] in "xX" else int(digits))
    return as_bytes(meaning)


def _printable(token: str) -> str:
    return chr(int(token[1:], 16)) if len(token) == 3 and token[1] not in " \t\r" else ""


_MEANINGS: dict[str, Callable[[str], str]] = {"\\": _slash, "%": _percent, "&": _entity, "=": _printable}


@lru_cache(maxsize=4096)
def _of_token(token: str) -> str:
    return _MEANINGS[token[0]](token)


def _meaning(found: re.Match[str]) -> str:
    return _of_token(found[0])


FAMILIES: Final = tuple(
    Family(sign, re.compile(pattern), _meaning)
    for sign, pattern in (
        ("\\", _SLASH),
        ("\\", _SLASH_CHARACTERS),
        ("%", _PERCENT),
        ("&", _ENTITY),
        ("=", _PRINTABLE),
        ("", f"{_SLASH}|{_PERCENT}|{_ENTITY}|{_PRINTABLE}"),
    )
)
"""One family at a time, since a value may hold what looks like another's escape; and all at once."""


LEVELS: Final = 4
"""Nested escapes that are decoded: JSON in JSON in a URL has three."""

_ODD = re.compile("[\0-\x08\x1b\x7f-\xff]")
_BEYOND = re.compile("[^\0-\x7f]")
_PLUS = re.compile(r"\++")
_NO_DIGIT = re.compile(r"\\[xX]|0[xX](?=[0-9A-Fa-f])|[^0-9A-Za-z]+")
_DIGITS = re.compile(rf"[0-9A-Fa-f]{{{2 * SHORTEST - 2},}}")
CHARACTERS: Final = re.compile(f"[^\udc80-\udcff]{{{SHORTEST},}}")
"""What may hold a value in bytes that were decoded with `surrogateescape`: others are no UTF-8."""
_LETTERS = re.compile(f"[A-Za-z0-9+/_-]{{{SHORTEST},}}")
_TO_ALPHABET = bytes.maketrans(b"-_", b"+/")
_END = "\xff"
"""Stands in no text in UTF-8."""

Put = Callable[[re.Match[str]], str]
Piece = tuple[int, int, int]
"""Where a piece begins here and there, and how many characters there make one here: 0 for a token, all of
which became all of the piece; -1 for base64."""


class View:
    """A text made from another; knows which part of the first text a part came from."""

    __slots__ = ("_pieces", "_source", "text")

    def __init__(
        self, text: str, source: "View | None" = None, pieces: Callable[[], list[Piece]] | None = None
    ) -> None:
        self.text = text
        self._source = source
        self._pieces: Callable[[], list[Piece]] | list[Piece] | None = pieces

    def replaced(self, pattern: re.Pattern[str], put: Put | None = None, text: str | None = None) -> "View":
        """With each match replaced by what `put` makes of it, or by nothing. `text`: the outcome, where it is
        known."""
        source = self.text
        made = pattern.sub("" if put is None else put, source) if text is None else text
        return self if made == source else View(made, self, lambda: _replaced(source, pattern, put))

    def without_invisible(self) -> "View":
        return self.replaced(INVISIBLE) if _ODD.search(self.text) else self

    def without_space(self) -> "View":
        """Python splits ASCII text at the white space that `SPACE` means, in a fraction of the time."""
        return self.replaced(SPACE, None, "".join(self.text.split()) if self.text.isascii() else None)

    def decoded(self, text: str, pieces: list[Piece]) -> "View":
        """Another text, each character of which is decoded from some of this one."""
        return View(text, self, lambda: pieces)

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """The part of the first text that became `text[start:end]`, which must not be empty."""
        if self._source is None:
            return start, end
        if callable(self._pieces):
            self._pieces = self._pieces()
        assert self._pieces is not None
        low, _ = self._one(start)
        _, high = self._one(end - 1)
        return self._source.origin(low, high)

    def _one(self, at: int) -> tuple[int, int]:
        """Which characters of the source became the one at `at`."""
        assert isinstance(self._pieces, list)
        assert self._source is not None
        index = bisect_right(self._pieces, (at, _FAR, 0)) - 1
        here, there, ratio = self._pieces[index]
        if ratio > 0:
            low = there + (at - here) * ratio
            return low, low + ratio
        if ratio < 0:  # base64: three characters here are four there
            return there + (at - here) * 4 // 3, min(
                there + ((at - here + 1) * 4 + 2) // 3, len(self._source.text)
            )
        following = self._pieces[index + 1] if index + 1 < len(self._pieces) else None
        return there, len(self._source.text) if following is None else following[1]


_FAR = 1 << 62


def _replaced(text: str, pattern: re.Pattern[str], put: Put | None) -> list[Piece]:
    pieces: list[Piece] = []
    here = there = 0
    for found in pattern.finditer(text):
        start, end = found.span()
        if start > there:
            pieces.append((here, there, 1))
            here += start - there
        new = "" if put is None else put(found)
        if new:
            pieces.append((here, start, 0))
            here += len(new)
        there = end
        if new:
            # A token ends where the next piece begins, so that one is always there.
            pieces.append((here, there, 1))
    if there < len(text) or not pieces:
        pieces.append((here, there, 1))
    return pieces


def most_bytes(text: str) -> int:
    """How many bytes a view of the text has at most that could be a value's. A character has up to four in
    UTF-8; no escape or encoding is shorter than what it stands for, but a few names of HTML entities."""
    return len(text) if text.isascii() and "&" not in text else 4 * len(text)


def views(text: str, spaced: bool) -> Iterator[View]:
    """All views to search: in UTF-8 with a character for each byte, without white space and what is
    invisible. `spaced` adds those in which plus signs are white space, too."""
    first = View(text).replaced(_BEYOND, lambda found: as_bytes(found[0]), as_bytes(text))
    visited: dict[tuple[int, int], int] = {}
    for view in _explored(first, 2, LEVELS, visited):
        yield view
        if spaced and "+" in view.text:
            yield view.replaced(_PLUS)


def _explored(view: View, mixes: int, levels: int, visited: dict[tuple[int, int], int]) -> Iterator[View]:
    """A text without white space, and with up to `mixes` encodings decoded; of the first family of escapes
    `levels`."""
    effort = 8 * mixes + levels
    if visited.get(key := (len(view.text), hash(view.text)), -1) >= effort:
        return
    visited[key] = effort
    visible = view.without_invisible()
    flat = visible.without_space().without_invisible()  # which white space or each other may have parted
    yield flat
    if not mixes:
        return
    for decoded in _decoded(flat):
        if (readable := _readable(decoded)) is not None:
            yield from _explored(readable, mixes - 1, 1, visited)
    for family in FAMILIES:
        inner = visible
        for level in range(levels):
            following = _unescaped(inner, family)
            if following is inner:
                break
            inner = following
            yield from _explored(inner, mixes - 1, 0 if level else 1, visited)
        if levels and flat is not visible:  # white space within escapes
            yield from _explored(_unescaped(flat, family), mixes - 1, 0, visited)


def _unescaped(view: View, family: Family) -> View:
    """With every escape of a family decoded once."""
    if family.sign not in view.text:
        return view
    return view.replaced(family.pattern, family.meaning)


def _decoded(flat: View) -> Iterator[View]:
    """All that a text could be in base64, wherever that begins, and in hexadecimal."""
    parts: list[str] = []
    pieces: list[Piece] = []
    here = 0
    for found in _LETTERS.finditer(flat.text):
        parts.append(found[0] + "A" * (4 - len(found[0]) % 4))
        pieces.append((here, found.start(), 1))
        here += len(parts[-1])
    joined = flat.decoded("".join(parts), pieces)
    letters = joined.text.encode("ascii").translate(_TO_ALPHABET) + b"AAAA"
    for offset in range(4 if parts else 0):
        data = letters[offset : offset + (len(letters) - offset) // 4 * 4]
        yield joined.decoded(binascii.a2b_base64(data).decode("latin-1"), [(0, offset, -1)])
    digits = flat.replaced(_NO_DIGIT)
    runs = [found.span() for found in _DIGITS.finditer(digits.text)]
    for offset in range(2 if runs else 0):
        parts, pieces, here = [], [], 0
        for start, end in runs:
            start += offset
            end -= (end - start) % 2
            parts.append(bytes.fromhex(digits.text[start:end]).decode("latin-1") + _END)
            pieces.append((here, start, 2))
            here += len(parts[-1])
        yield digits.decoded("".join(parts), pieces)


def _readable(view: View) -> View | None:
    """The parts of a decoded text that are UTF-8: of what was not encoded, hardly any."""
    text = view.text.encode("latin-1").decode("utf-8", "surrogateescape")
    parts: list[str] = []
    pieces: list[Piece] = []
    here = there = last = 0
    for found in CHARACTERS.finditer(text):
        start, end = found.span()
        there += len(text[last:start].encode("utf-8", "surrogateescape"))
        part = as_bytes(found[0])
        parts.append(part + _END)
        pieces.append((here, there, 1))
        here += len(part) + 1
        there += len(part)
        last = end
    return view.decoded("".join(parts), pieces) if parts else None
