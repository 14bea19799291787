"""Text as a reader would see it who undoes escapes and ignores white space, and the way back to its places.

A secret is looked for in these views, so that it is found however it was escaped, wrapped or indented.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator

LEVELS = 4
"""Escapes in escapes that are undone: JSON in JSON in a URL has three."""

_SPACE = re.compile(r"\s+")
_PLUS = re.compile(r"\++")
_HEX = "[0-9a-fA-F]"


def _utf8(prefix: str) -> str:
    """One character, its UTF-8 bytes each as `prefix` and two digits."""
    following = f"{prefix}[89abAB]{_HEX}"
    return (
        rf"{prefix}[c-dC-D]{_HEX}{following}|{prefix}[eE]{_HEX}(?:{following}){{2}}"
        rf"|{prefix}[fF][0-7](?:{following}){{3}}|{prefix}[0-7]{_HEX}"
    )


_BYTE = r"\\x"
_SLASH = (
    rf"\\u[dD][89abAB]{_HEX}{{2}}\\u[dD][c-fC-F]{_HEX}{{2}}|\\u{_HEX}{{4}}"
    rf"|\\U{_HEX}{{8}}|\\u\{{{_HEX}{{1,6}}\}}"
    rf"|{_utf8(_BYTE)}|\\x{_HEX}{{2}}|\\(?:.|\n)"
)
_PERCENT = _utf8("%")
_ENTITY = rf"&(?:amp|lt|gt|quot|apos);|&\#[0-9]{{1,7}};|&\#[xX]{_HEX}{{1,6}};"
# One family at a time, since a value may hold what looks like another's escape; and all at once.
_FAMILIES = (
    ("\\", re.compile(_SLASH)),
    ("%", re.compile(_PERCENT)),
    ("&", re.compile(_ENTITY)),
    ("", re.compile(f"{_SLASH}|{_PERCENT}|{_ENTITY}")),
)
_LETTERS = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
_ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


def _meaning(found: re.Match[str]) -> str:
    """The character that an escape stands for; the escape itself where it stands for none."""
    token = found[0]
    if token[0] == "%":
        return bytes.fromhex(token.replace("%", "")).decode("utf-8", "replace")
    if token.count("\\x") > 1:
        return bytes.fromhex(token.replace("\\x", "")).decode("utf-8", "replace")
    if token[0] == "&":
        name = token[1:-1]
        if name[0] != "#":
            return _ENTITIES[name]
        return _char(int(name[2:], 16) if name[1] in "xX" else int(name[1:])) or token
    if len(token) == 12:  # a surrogate pair
        high, low = int(token[2:6], 16), int(token[8:], 16)
        return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
    if len(token) > 2:
        return _char(int(token[2:].strip("{}"), 16)) or token
    return _LETTERS.get(token[1], token[1])


def _char(code: int) -> str:
    return chr(code) if code <= 0x10FFFF else ""


class View:
    """A text made from another by replacing tokens; knows which part of the first text a part came from."""

    __slots__ = ("_new", "_old", "_pattern", "_put", "_source", "text")

    def __init__(
        self,
        text: str,
        source: "View | None" = None,
        pattern: re.Pattern[str] = _SPACE,
        put: Callable[[re.Match[str]], str] | None = None,
    ) -> None:
        self.text = text
        self._source = source
        self._pattern = pattern
        self._put = put
        self._new: list[int] = []
        self._old: list[tuple[int, int]] = []

    def unescaped(self, escape: re.Pattern[str]) -> "View":
        """With every such escape undone once."""
        return View(escape.sub(_meaning, self.text), self, escape, _meaning)

    def squeezed(self, plus: bool = False) -> "View":
        """Without white space, or with `plus` without plus signs, which stand for it in forms."""
        if plus:
            return View(self.text.replace("+", ""), self, _PLUS)
        return View("".join(self.text.split()), self, _SPACE)

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """The part of the first text that became `text[start:end]`, which must not be empty."""
        if self._source is None:
            return start, end
        if not self._new:
            self._map(self._source.text)
        first = bisect_right(self._new, start) - 1
        last = bisect_right(self._new, end - 1) - 1
        begin, size = self._old[first]
        low = begin if size else begin + start - self._new[first]
        begin, size = self._old[last]
        high = begin + size if size else begin + end - self._new[last]
        return self._source.origin(low, high)

    def _map(self, text: str) -> None:
        """Pieces in order: where each begins here, and there; with a length where it is a token."""
        here = there = 0
        for found in self._pattern.finditer(text):
            self._piece(here, there, 0, found.start() - there)
            here += found.start() - there
            put = "" if self._put is None else self._put(found)
            self._piece(here, found.start(), found.end() - found.start(), len(put))
            here += len(put)
            there = found.end()
        self._piece(here, there, 0, len(text) - there)

    def _piece(self, here: int, there: int, size: int, length: int) -> None:
        if length:
            self._new.append(here)
            self._old.append((there, size))


def views(text: str, spaced: bool) -> Iterator[View]:
    """All views without white space in which to look. `spaced` adds those in which plus signs are white
    space, too."""
    plain = View(text)
    yield from _without_space(plain, spaced)
    present = [sign for sign, _ in _FAMILIES[:-1] if sign in text]
    for sign, escape in _FAMILIES:
        # With one sign in the text, all at once differs only where undoing brings another.
        if sign not in text or not (sign or present):
            continue
        view = plain
        for _ in range(LEVELS):
            following = view.unescaped(escape)
            if following.text == view.text:
                break
            view = following
            yield from _without_space(view, spaced)


def _without_space(view: View, spaced: bool) -> Iterator[View]:
    squeezed = view.squeezed()
    yield squeezed
    if spaced and "+" in squeezed.text:
        yield squeezed.squeezed(plus=True)
