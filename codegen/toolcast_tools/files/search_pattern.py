r"""Regular expressions of `grep`: one dialect, written in the syntax of each engine.

Linear-time engines differ in details: what `\w` and `\b` know, how letters are folded, what ends a line,
which escapes exist. A pattern is read once here, and every character of it reaches an engine as a class that
both read alike. What only one of them has is refused, whichever is there.

    def \w+\(      [d][e][f][\x{20}](?:[0-9A-Z\x{5F}a-z])+[\x{28}]

The engines carry tables of different Unicode versions. Classes are made from Python's, and given as ranges.
"""

import string
import sys
from bisect import bisect_right
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import groupby
from typing import Final
from unicodedata import category

from msgspec import Struct
from toolcast.runtime import RefusalError

_Ranges = tuple[tuple[int, int], ...]
"""A set of characters: first and last code point of each run; sorted, none touches the next."""

_LAST = sys.maxunicode
_LAST_CASED = 0x1FFFF
"""The planes after it hold ideographs, tags and private characters: none has cases."""
_SURROGATES = (0xD800, 0xDFFF)
"""Halves of UTF-16; no file in UTF-8 has them, and both engines refuse them."""

_DIGITS: _Ranges = ((0x30, 0x39),)
_SPACES: _Ranges = ((0x09, 0x0D), (0x20, 0x20))
_WORD: _Ranges = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
_LINE_FEED: _Ranges = ((0x0A, 0x0A),)
_POSIX: dict[str, _Ranges] = {
    "alnum": ((0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A)),
    "alpha": ((0x41, 0x5A), (0x61, 0x7A)),
    "ascii": ((0x00, 0x7F),),
    "blank": ((0x09, 0x09), (0x20, 0x20)),
    "cntrl": ((0x00, 0x1F), (0x7F, 0x7F)),
    "digit": _DIGITS,
    "graph": ((0x21, 0x7E),),
    "lower": ((0x61, 0x7A),),
    "print": ((0x20, 0x7E),),
    "punct": ((0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)),
    "space": _SPACES,
    "upper": ((0x41, 0x5A),),
    "word": _WORD,
    "xdigit": ((0x30, 0x39), (0x41, 0x46), (0x61, 0x66)),
}
"""The classes of POSIX, over ASCII."""

_GROUPS = {"L": "ultmo", "M": "nce", "N": "dlo", "P": "cdseifo", "S": "mcko", "Z": "slp", "C": "cfo"}
CATEGORIES = frozenset(group + kind for group, kinds in _GROUPS.items() for kind in ("", *kinds))
"""General categories of Unicode that `general_category` knows."""


def union(*sets: Iterable[tuple[int, int]]) -> _Ranges:
    """Return the characters that are in any of `sets`."""
    merged: list[tuple[int, int]] = []
    for first, last in sorted(span for ranges in sets for span in ranges):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = merged[-1][0], max(merged[-1][1], last)
        else:
            merged.append((first, last))
    return tuple(merged)


def complement(ranges: _Ranges) -> _Ranges:
    """Return the characters that are not in `ranges`."""
    edges = [-1, *(edge for first, last in ranges for edge in (first, last)), _LAST + 1]
    gaps = zip(edges[::2], edges[1::2], strict=True)
    return tuple((before + 1, after - 1) for before, after in gaps if before + 1 <= after - 1)


def difference(ranges: _Ranges, without: _Ranges) -> _Ranges:
    """Return the characters in `ranges` that are not in `without`."""
    return complement(union(complement(ranges), without))


def contains(ranges: _Ranges, code: int) -> bool:
    """Return whether the character `code` is in `ranges`."""
    index = bisect_right(ranges, (code, _LAST))
    return index > 0 and ranges[index - 1][1] >= code


@cache
def general_category(name: str) -> _Ranges:
    """Return the characters of a general category of Unicode, such as `Lu`, or of a group of them, such as
    `L`.
    """
    spans: list[tuple[int, int]] = []
    for kind, codes in groupby(range(_LAST + 1), key=lambda code: category(chr(code))):
        run = list(codes)
        if kind.startswith(name):
            spans.append((run[0], run[-1]))
    return union(spans)


@lru_cache(256)
def fold(ranges: _Ranges) -> _Ranges:
    """`ranges`, and the other cases of their letters: simple case folding of Unicode, one letter for one."""
    others = [
        (other, other) for code, orbit in _orbits().items() if contains(ranges, code) for other in orbit
    ]
    return union(ranges, others)


def _bracketed(ranges: _Ranges) -> str:
    """`ranges` as a character class that both engines read alike; of an empty set, what never matches."""
    spans = "".join(
        f"{_escaped(first)}-{_escaped(last)}" if first < last else _escaped(first)
        for first, last in difference(ranges, (_SURROGATES,))
    )
    return f"[{spans}]" if spans else r"[^\x{0}-\x{10FFFF}]"


def _escaped(code: int) -> str:
    return chr(code) if code < 0x80 and chr(code).isalnum() else f"\\x{{{code:X}}}"


@cache
def _orbits() -> dict[int, tuple[int, ...]]:
    """Return the letters that have other cases, each with all letters that fold to the same."""
    folded = {code: _simple_fold(chr(code)) for code in range(_LAST_CASED + 1)}
    orbits: dict[str, list[int]] = {}
    for code, target in folded.items():
        if target != chr(code):
            orbits.setdefault(target, [ord(target)]).append(code)
    return {code: tuple(orbit) for orbit in orbits.values() for code in orbit}


def _simple_fold(letter: str) -> str:
    """Return a letter's simple case folding: the full one where that is one letter, the small letter
    otherwise.
    """
    return next((other for other in (letter.casefold(), letter.lower()) if len(other) == 1), letter)


_LARGEST_COUNT: Final = 1000
"""Repetitions that `{n,m}` may ask for; RE2's own limit, nested counts multiplied."""
_DEPTH: Final = 100
_LARGEST: Final = 200_000
"""Characters of a translated pattern."""
_SHOWN: Final = 80
_CLASSES: Final[dict[str, _Ranges]] = {"d": _DIGITS, "s": _SPACES, "w": _WORD}
_CONTROLS: Final = {"a": 0x07, "f": 0x0C, "n": 0x0A, "r": 0x0D, "t": 0x09, "v": 0x0B}
_HEX_DIGITS: Final = {"x": 2, "u": 4, "U": 8}
_OPERATORS: Final = ("&&", "--", "~~")
_LOOK: Final = (
    "Both engines search in linear time and know no look-around and no references to groups. "
    "Search for a simpler pattern, and look at the lines that it finds."
)


class PatternError(RefusalError):
    """A pattern that cannot be searched for; the text states where and why."""


class _Syntax(Struct, frozen=True):
    """An engine's syntax of assertions and line breaks.

    Attributes:
        boundary: the place between a word of ASCII and something else.
        inside: every other place.
        line_end: the place before the end of a line.
        line_break: what the engine finds where a line ends, as alternatives of a line feed.
    """

    boundary: str
    inside: str
    line_end: str
    line_break: str


RE2: Final = _Syntax(r"\b", r"\B", "(?m:$)", "")
"""RE2 searches text whose lines end in line feeds."""
RIPGREP: Final = _Syntax(r"(?-u:\b)", r"(?-u:\B)", "(?mR:$)", r"\r\n|")
"""ripgrep searches files as they are; their lines may end in a carriage return and a line feed."""


class _Flags(Struct, frozen=True):
    ignore_case: bool
    dot_all: bool


class _Group:
    """A group that is open: its alternatives, and the flags that hold again where it ends."""

    __slots__ = ("atoms", "branches", "outer", "repeatable", "start")

    def __init__(self, outer: _Flags, start: int) -> None:
        self.outer = outer
        self.start = start
        self.branches: list[str] = []
        self.atoms: list[str] = []
        self.repeatable = False

    def text(self) -> str:
        return "|".join([*self.branches, "".join(self.atoms)])


def translate(pattern: str, syntax: _Syntax, *, ignore_case: bool = False, multiline: bool = False) -> str:
    r"""Write a pattern in the syntax of an engine.

    Returns the pattern, without a line feed in it. Raises PatternError: the pattern is none, or uses what is
    not in the dialect.

    Args:
        pattern: a regular expression in the syntax of ripgrep. `\d`, `\s`, `\w` and `\b` know ASCII.
        syntax: of the engine.
        ignore_case: whether capital and small letters are the same.
        multiline: whether a match may go across lines; otherwise no class matches a line feed.
    """
    return _Translation(pattern, syntax, multiline).run(_Flags(ignore_case, False))


class _Translation:
    """One pass over a pattern."""

    def __init__(self, pattern: str, syntax: _Syntax, multiline: bool) -> None:
        self.pattern = pattern
        self.syntax = syntax
        self.multiline = multiline
        self.position = 0
        self.size = 0
        """Characters added so far; those of a nested group count again for each group around it."""

    def run(self, flags: _Flags) -> str:
        self.flags = flags
        self.groups = [_Group(flags, 0)]
        while self.position < len(self.pattern):
            self._step(self._next())
        if len(self.groups) > 1:
            raise self._error("has a '(' without its ')'", at=self.groups[-1].start)
        return f"(?:{self.groups[0].text()})"

    def _step(self, letter: str) -> None:
        group = self.groups[-1]
        if letter == "(":
            self._open()
        elif letter == ")":
            self._close()
        elif letter == "|":
            group.branches.append("".join(group.atoms))
            group.atoms, group.repeatable = [], False
        elif letter in "*+?" or (letter == "{" and self._is_count()):
            self._repeat(letter)
        elif letter == "[":
            self._add_set(self._class())
        elif letter == ".":
            self._add_set(complement(() if self.flags.dot_all else _LINE_FEED))
        elif letter == "^":
            self._add("(?m:^)")
        elif letter == "$":
            self._add(self.syntax.line_end)
        elif letter == "\\":
            self._escape()
        else:
            self._add_letter(ord(letter))

    # What is added to the open group.

    def _add(self, atom: str) -> None:
        self.size += len(atom)
        if self.size > _LARGEST:
            raise self._error("is too large. Use fewer groups and properties")
        self.groups[-1].atoms.append(atom)
        self.groups[-1].repeatable = True

    def _add_letter(self, code: int) -> None:
        if code == 0x0A and not self.multiline:
            raise self._error(
                "has a line break, and lines are searched one by one. Set multiline to match across lines"
            )
        if 0xD800 <= code <= 0xDFFF:
            raise self._error("has half of a character of UTF-16. Write the whole character")
        letter: _Ranges = ((code, code),)
        self._add_set(fold(letter) if self.flags.ignore_case else letter)

    def _add_set(self, ranges: _Ranges) -> None:
        if not self.multiline:
            ranges = difference(ranges, _LINE_FEED)
        text = _bracketed(ranges)
        if self.syntax.line_break and contains(ranges, 0x0A):
            text = f"(?:{self.syntax.line_break}{text})"
        self._add(text)

    def _repeat(self, letter: str) -> None:
        group = self.groups[-1]
        count = letter
        if letter == "{":
            end = self.pattern.index("}", self.position)
            count = self.pattern[self.position - 1 : end + 1]
            self.position = end + 1
            self._check_count(count)
        if not group.atoms or not group.repeatable:
            raise self._error(
                f"repeats nothing, or a repetition, with {count!r}. "
                "Escape it with a backslash to match it literally, or put what it repeats into a group"
            )
        lazy = "?" if self._take("?") else ""
        group.atoms[-1] = f"(?:{group.atoms[-1]}){count}{lazy}"
        group.repeatable = False

    def _is_count(self) -> bool:
        """Return whether a brace opens a count; one that does not is a character like others."""
        body, brace, _ = self.pattern[self.position :].partition("}")
        least, comma, most = body.partition(",")
        digits = all(not part or (part.isascii() and part.isdigit()) for part in (least, most))
        return bool(brace) and digits and bool(least or (comma and most))

    def _check_count(self, count: str) -> None:
        least, comma, most = count[1:-1].partition(",")
        if not least:
            raise self._error(f"has the count {count!r} without its least number. Write {{0,{most}}}")
        if any(len(part) > 4 or int(part or 0) > _LARGEST_COUNT for part in (least, most)):
            raise self._error(
                f"repeats more than {_LARGEST_COUNT} times with {count!r}. Use * or +, or a smaller count"
            )
        if comma and most and int(most) < int(least):
            raise self._error(f"has the count {count!r}, whose numbers are in the wrong order")

    # Groups.

    def _open(self) -> None:
        if len(self.groups) > _DEPTH:
            raise self._error(f"nests more than {_DEPTH} groups. Use a simpler pattern")
        start = self.position - 1
        outer = self.flags
        if self._take("?") and not self._named():
            if self.pattern[self.position : self.position + 1] in ("=", "!", "<", ">", "P"):
                raise self._error(f"has a group that looks around or refers to another. {_LOOK}", at=start)
            if not self._set_flags(start):
                return  # (?i): for the rest of the group that is open
        self.groups.append(_Group(outer, start))

    def _named(self) -> bool:
        """Go over `P<name>` or `<name>`, if it is there."""
        rest = self.pattern[self.position :]
        mark = next((mark for mark in ("P<", "<") if rest.startswith(mark)), None)
        if mark is None or rest.startswith(("<=", "<!")):
            return False
        name, end, _ = rest[len(mark) :].partition(">")
        if not end or not name.isidentifier():
            raise self._error("has a group whose name is none. Write (…) instead")
        self.position += len(mark) + len(name) + 1
        return True

    def _set_flags(self, start: int) -> bool:
        """Set the flags of `(?i-s:` or `(?i)`. Returns whether a group is open now."""
        values = {"i": self.flags.ignore_case, "s": self.flags.dot_all, "m": True}
        turned_on = True
        while self.position < len(self.pattern):
            letter = self._next()
            if letter in ":)":
                self.flags = _Flags(values["i"], values["s"])
                return letter == ":"
            if letter == "-" and turned_on:
                turned_on = False
            elif letter in values and (letter != "m" or turned_on):
                values[letter] = turned_on
            else:
                break
        raise self._error(
            "has a group of an unknown kind. Known are (…), (?:…), (?<name>…), and the flags i and s, as in "
            "(?i)",
            at=start,
        )

    def _close(self) -> None:
        group = self.groups.pop()
        if not self.groups:
            raise self._error("has a ')' without its '('. Escape it with a backslash to match it literally")
        self.flags = group.outer
        self._add(f"(?:{group.text()})")

    # Escapes and classes.

    def _escape(self) -> None:
        letter = self._next_of("a backslash at its end. Write \\\\ to match one")
        if letter == "b":
            if self.pattern.startswith("{", self.position):
                raise self._error("has a kind of boundary that is not known. Write \\b")
            self._add(self.syntax.boundary)
        elif letter == "B":
            self._add(self.syntax.inside)
        else:
            value = self._escaped(letter)
            if isinstance(value, int):
                self._add_letter(value)
            else:
                self._add_set(self._folded(value))

    def _escaped(self, letter: str) -> int | _Ranges:
        """Return the character, or the set, after a backslash and `letter`."""
        if letter.lower() in _CLASSES:
            ranges = _CLASSES[letter.lower()]
            return ranges if letter.islower() else complement(ranges)
        if letter in "pP":
            ranges = self._property()
            return ranges if letter == "p" else complement(ranges)
        if letter in _CONTROLS:
            return _CONTROLS[letter]
        if letter in _HEX_DIGITS:
            return self._code(_HEX_DIGITS[letter])
        if letter in "<>":
            raise self._error(f"has '\\{letter}'. Write {letter} for the character, or \\b for a word's edge")
        if letter in string.punctuation or letter == " ":
            return ord(letter)
        if letter.isdigit() or letter == "k":
            raise self._error(f"refers to a group with '\\{letter}'. {_LOOK}")
        if letter in "AzZG":
            raise self._error(f"has '\\{letter}'. Write ^ for the start of a line and $ for its end")
        raise self._error(f"has the unknown escape '\\{letter}'. Leave out the backslash")

    def _code(self, digits: int) -> int:
        rest = self.pattern[self.position :]
        if rest.startswith("{"):
            text, end, _ = rest[1:].partition("}")
            length, valid = len(text) + 2, bool(end) and 0 < len(text) <= 8
        else:
            text = rest[:digits]
            length, valid = digits, len(text) == digits
        if not valid or not set(text) <= set(string.hexdigits) or int(text, 16) > 0x10FFFF:
            raise self._error(
                "has an escape with a number that is no character. Write \\x{…} with 1 to 6 digits"
            )
        self.position += length
        return int(text, 16)

    def _property(self) -> _Ranges:
        name = self._next_of("a property without its name")
        negated = False
        if name == "{":
            body, end, _ = self.pattern[self.position :].partition("}")
            self.position += len(body) + len(end)
            negated = body.startswith("^")
            name = body.removeprefix("^")
        if name not in CATEGORIES:
            raise self._error(
                f"has the property {name[:_SHOWN]!r}. Known are the general categories of Unicode, such as "
                "L, Lu and Nd; write other sets as ranges, such as [\\x{4E00}-\\x{9FFF}]"
            )
        return complement(general_category(name)) if negated else general_category(name)

    def _class(self) -> _Ranges:
        """Return the set that a class in brackets stands for."""
        start = self.position - 1
        negated = self._take("^")
        members: list[_Ranges] = []
        first = True
        while first or not self.pattern.startswith("]", self.position):
            member = self._member(start)
            self._check_operator(start)
            if isinstance(member, int) and self._take_dash():
                last = self._member(start)
                if not isinstance(last, int) or last < member:
                    raise self._error("has a range in a class whose ends are not in order", at=start)
                members.append(((member, last),))
            else:
                members.append(((member, member),) if isinstance(member, int) else member)
            first = False
        self.position += 1
        ranges = self._folded(union(*members))
        return complement(ranges) if negated else ranges

    def _take_dash(self) -> bool:
        """Go over the dash of a range; before the bracket that closes the class it is a character."""
        return not self.pattern.startswith("-]", self.position) and self._take("-")

    def _check_operator(self, start: int) -> None:
        operator = self.pattern[self.position : self.position + 2]
        if operator in _OPERATORS:
            raise self._error(
                f"has {operator!r} in a class, which ripgrep reads as an operation. Escape it", at=start
            )

    def _member(self, start: int) -> int | _Ranges:
        """Return the character, or the set, that comes next in a class."""
        self._check_operator(start)
        rest = self.pattern[self.position : self.position + 2]
        if not rest:
            raise self._error("has a '[' without its ']'. Escape it to match it literally", at=start)
        letter = self._next()
        if letter == "\\":
            letter = self._next_of("a backslash at its end. Write \\\\ to match one")
            if letter in "bB":
                raise self._error("has a boundary in a class. Write it outside", at=start)
            return self._escaped(letter)
        if letter != "[":
            return ord(letter)
        if rest != "[:":
            raise self._error("has a '[' in a class. Escape it to match it literally", at=start)
        name, end, _ = self.pattern[self.position + 1 :].partition(":]")
        ranges = _POSIX.get(name.removeprefix("^")) if end else None
        if ranges is None:
            raise self._error(f"has an unknown class of POSIX. Known are {', '.join(_POSIX)}", at=start)
        self.position += len(name) + 3
        return complement(ranges) if name.startswith("^") else ranges

    def _folded(self, ranges: _Ranges) -> _Ranges:
        return fold(ranges) if self.flags.ignore_case else ranges

    # Characters.

    def _next(self) -> str:
        self.position += 1
        return self.pattern[self.position - 1]

    def _next_of(self, missing: str) -> str:
        if self.position >= len(self.pattern):
            raise self._error(f"has {missing}")
        return self._next()

    def _take(self, letter: str) -> bool:
        taken = self.pattern.startswith(letter, self.position)
        self.position += taken
        return taken

    def _error(self, problem: str, at: int | None = None) -> PatternError:
        place = (self.position - 1 if at is None else at) + 1
        return PatternError(f"The pattern {shorten(self.pattern)} {problem} (at character {place}).")


def shorten(pattern: str) -> str:
    """Return a pattern as an error repeats it: quoted, and cut where it is long."""
    return repr(pattern) if len(pattern) <= _SHOWN else f"{pattern[:_SHOWN]!r}…"
