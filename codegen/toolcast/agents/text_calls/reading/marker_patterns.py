"""Markers of text formats: templates with holes, matched against a text that may go on."""

import re
from collections.abc import Iterable, Iterator
from functools import cached_property

from ....text_formats.text_format import HOLE, KEY, NAME

_HOLES = {
    "name": NAME,
    "id": r"[^<>\"'\s\[\]{}]{1,256}",
    "number": r"\d{1,9}",
    "key": KEY,
}
HOLES = frozenset(_HOLES)
"""The names of holes in templates."""
_LENGTHS = {"name": 520, "id": 256, "number": 9, "key": 256, "": 64}
"""Characters that stand for a hole, or for white space, at most."""
_SPACE = r"\s{0,64}"
_BEGUN = {
    **{hole: re.compile(pattern.replace("{1,", "{0,")) for hole, pattern in _HOLES.items()},
    "name": re.compile(rf"(?:{NAME}(?::\Z)?)?"),
    "": re.compile(_SPACE),
}


class Pattern:
    """A template, compiled when it is first needed, and templates of which one must follow it.

    `literal` is the template up to its first hole.
    """

    def __init__(self, template: str, follows: tuple[str, ...] = ()) -> None:
        self.template = template
        self.follows = follows
        first = HOLE.search(template)
        self.literal = template if first is None else template[: first.start()]

    @cached_property
    def longest(self) -> int:
        """Most characters of a match and of what must follow it."""
        return max(_longest(self.template + each) for each in self.follows or ("",))

    @cached_property
    def whole(self) -> re.Pattern[str]:
        """Matches the template, and looks ahead."""
        return re.compile(self.expression(named=True))

    def expression(self, *, named: bool) -> str:
        """Make the regular expression of the template, and of what must follow; `named`: holes are groups."""
        ahead = "|".join(_expression(each, named=False) for each in self.follows)
        return _expression(self.template, named=named) + (f"(?={ahead})" if self.follows else "")

    @cached_property
    def head(self) -> re.Pattern[str]:
        """Matches the template up to its first hole, and what begins that."""
        first = HOLE.search(self.template)
        if first is None:
            return re.compile(re.escape(self.literal))
        begun = r"\s" if first[1] is None else f"(?:{_HOLES[first[1]]})"
        return re.compile(re.escape(self.literal) + begun)

    @cached_property
    def _pieces(self) -> "tuple[tuple[str | re.Pattern[str], ...], ...]":
        return tuple(_pieces(self.template + each) for each in self.follows or ("",))

    def begun(self, text: str, start: int) -> bool:
        """Tell whether the text ends, after `start`, within the template or what must follow it."""
        if len(text) - start > self.longest:
            return False
        return any(_ends_within(pieces, text, start) for pieces in self._pieces)

    @cached_property
    def may_grow(self) -> bool:
        """True where a match at the end of the text may be longer when more arrives."""
        last = HOLE.split(self.template)[-1]
        return not self.follows and not last


def _longest(template: str) -> int:
    return len(template) + sum(_LENGTHS[hole] for _, hole in _parts(template) if hole is not None)


def any_of(literals: Iterable[str]) -> str:
    """Make a regular expression for one of some literals, none empty, the longest first.

    It is a tree of their beginnings, so that no character is compared with each literal.
    """
    rests: dict[str, set[str]] = {}
    for each in sorted(literals):
        rests.setdefault(each[0], set()).add(each[1:])
    return "|".join(re.escape(first) + _rest(several) for first, several in rests.items())


def _rest(several: set[str]) -> str:
    longer = several - {""}
    if not longer:
        return ""
    least, most = min(several), max(several)
    size = next((at for at, sign in enumerate(least) if not most.startswith(sign, at)), len(least))
    if size:
        return re.escape(least[:size]) + _rest({each[size:] for each in several})
    return f"(?:{any_of(longer)})" + ("?" if longer != several else "")


def _parts(template: str) -> "Iterator[tuple[str, str | None]]":
    """Give each literal with the hole behind it: its name, "" for white space, None at the end."""
    at = 0
    for hole in HOLE.finditer(template):
        yield template[at : hole.start()], hole[1] or ""
        at = hole.end()
    yield template[at:], None


def _expression(template: str, *, named: bool = True) -> str:
    parts: list[str] = []
    for literal, hole in _parts(template):
        parts.append(re.escape(literal))
        if hole is not None:
            name = f"P<{hole}>" if named else ":"
            parts.append(f"(?{name}{_HOLES[hole]})" if hole else _SPACE)
    return "".join(parts)


def _pieces(template: str) -> "tuple[str | re.Pattern[str], ...]":
    parts: list[str | re.Pattern[str]] = []
    for literal, hole in _parts(template):
        parts += [literal] if hole is None else [literal, _BEGUN[hole]]
    return tuple(part for part in parts if part)


def _ends_within(pieces: "tuple[str | re.Pattern[str], ...]", text: str, start: int) -> bool:
    at = start
    for piece in pieces:
        if at == len(text):
            return True
        if isinstance(piece, str):
            if not text.startswith(piece, at):
                return piece.startswith(text[at : at + len(piece)])
            at += len(piece)
        else:
            found = piece.match(text, at)
            at = at if found is None else found.end()
    return False
