"""A text that arrives in pieces, and the ways to read on in it.

A reader is a generator: it yields an event, or None where it needs more of the text than has arrived, and is
resumed when there is more. What it decides therefore never depends on where the text was cut. Offsets into
`text` hold until the next None.
"""

import re
from collections.abc import Callable, Generator, Iterable
from functools import cached_property
from typing import Literal, TypeAlias, TypeVar

from msgspec import Struct

from ....runtime.arguments import MAX_TEXT
from ..parsed_text import ArgumentsPiece, BrokenError, Event
from .marker_patterns import Pattern, any_of

T = TypeVar("T")
Reading: TypeAlias = Generator[Event | None, None, T]
"""Reads on, tells what it finds, and returns T."""

_SPACE = re.compile(r"\s*")
_BETWEEN = re.compile(r"[\s,;]*")
_Trim: TypeAlias = Literal["none", "newline", "blanks"]
_HELD: dict[_Trim, str | None] = {"none": "", "newline": "\r\n", "blanks": None}
"""White space at the end of a piece that may not belong to the value; None for any."""


class Syntax(Struct, frozen=True):
    """The syntax between brackets.

    `run` matches all that is neither a bracket nor the beginning of a string, with whole strings; `opening`
    opening brackets, with what is neither between and behind them. `strings` has, for each quote, the rest of
    a string up to it or to where the text ends.
    """

    opening: re.Pattern[str]
    closing: str
    run: re.Pattern[str]
    strings: dict[str, re.Pattern[str]]


JSON = Syntax(
    opening=re.compile(r"[{\[][\s,:\-+.\w{\[]*+"),
    closing="}]",
    run=re.compile(r'(?:[\s,:\-+.\w]++|"(?:[^"\\]++|\\.)*+")*+', re.DOTALL),
    strings={'"': re.compile(r'(?:[^"\\]++|\\.)*+', re.DOTALL)},
)
PYTHON = Syntax(
    opening=re.compile(r"[(\[{][\s,:=\-+.\w/*|;(\[{]*+"),
    closing=")]}",
    run=re.compile(r"""(?:[\s,:=\-+.\w/*|;]++|"(?:[^"\\]++|\\.)*+"|'(?:[^'\\]++|\\.)*+')*+""", re.DOTALL),
    strings={mark: re.compile(rf"(?:[^{mark}\\]++|\\.)*+", re.DOTALL) for mark in "\"'"},
)


class Feed:
    """A text that arrives, as far as it was not read: `text` from the offset `base` on, read up to `at`.
    Offsets are of characters. `final`: nothing more comes. `steps`: characters looked at, by which tests
    tell linear from quadratic.
    """

    __slots__ = ("at", "base", "final", "steps", "text")

    def __init__(self) -> None:
        self.text = ""
        self.at = 0
        self.base = 0
        self.final = False
        self.steps = 0

    @property
    def offset(self) -> int:
        """Offset in the whole text of what is read next."""
        return self.base + self.at

    def push(self, piece: str) -> None:
        self.base += self.at
        self.text = self.text[self.at :] + piece
        self.at = 0

    def put_back(self, text: str) -> None:
        """Go back before `text`, which was read last."""
        self.text = text + self.text[self.at :]
        self.base += self.at - len(text)
        self.at = 0


class Ends:
    """Literals of which the first one ends what is read. Compiled when they are first needed."""

    def __init__(self, literals: Iterable[str]) -> None:
        self.literals = tuple(sorted({each for each in literals if each}))

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Matches the longest literal that stands somewhere."""
        return re.compile(any_of(self.literals) if self.literals else r"(?!)")

    @cached_property
    def begun(self) -> frozenset[str]:
        """The beginnings of the literals."""
        return frozenset(each[:size] for each in self.literals for size in range(1, len(each)))

    @cached_property
    def longest(self) -> int:
        """Length of the longest literal, less one."""
        return max(map(len, self.literals), default=1) - 1

    def at(self, text: str, start: int) -> str:
        """Return the literal at `start`, or ""."""
        found = self.pattern.match(text, start)
        return "" if found is None else found[0]

    def held(self, text: str, start: int) -> int:
        """Count the characters at the end of `text`, not before `start`, that may begin a literal."""
        for size in range(min(self.longest, len(text) - start), 0, -1):
            if text[len(text) - size :] in self.begun:
                return size
        return 0


def match(feed: Feed, pattern: Pattern) -> "Reading[re.Match[str] | None]":
    """Match `pattern` where reading goes on; None where it cannot match. Reads nothing."""
    while True:
        found = pattern.whole.match(feed.text, feed.at)
        feed.steps += 1 if found is None else found.end() - feed.at + 1
        if found is not None and (feed.final or found.end() < len(feed.text) or not pattern.may_grow):
            return found
        if feed.final or len(feed.text) - feed.at > pattern.longest:
            return found
        if found is None and not pattern.begun(feed.text, feed.at):
            return None
        yield None


def ahead(feed: Feed, ends: Ends) -> "Reading[str]":
    """Return the literal of `ends` that comes next, or "". Reads nothing."""
    while not feed.final:
        rest = feed.text[feed.at : feed.at + ends.longest + 1]
        if rest and rest not in ends.begun:
            break
        yield None
    return ends.at(feed.text, feed.at)


def next_character(feed: Feed) -> "Reading[str]":
    """Return the next character; "" at the end of the text. Reads nothing."""
    while feed.at >= len(feed.text) and not feed.final:
        yield None
    return feed.text[feed.at : feed.at + 1]


def skip_space(feed: Feed) -> "Reading[str]":
    """Read white space; return the character after it, "" at the end of the text."""
    while True:
        space = _SPACE.match(feed.text, feed.at)
        feed.at = feed.at if space is None else space.end()
        if feed.at < len(feed.text):
            return feed.text[feed.at]
        if feed.final:
            return ""
        else:
            yield None


def between(feed: Feed) -> "Reading[str]":
    """Read white space and separators between two values."""
    pieces: list[str] = []
    while True:
        found = _BETWEEN.match(feed.text, feed.at)
        pieces.append("" if found is None else found[0])
        feed.at += len(pieces[-1])
        if feed.at < len(feed.text) or feed.final:
            return "".join(pieces)
        yield None


def until(
    feed: Feed,
    ends: Ends,
    tell: "Callable[[str], Event] | None" = None,
    trim: _Trim = "none",
    *,
    is_end: "Callable[[], Reading[bool]] | None" = None,
    keep: bool = True,
) -> "Reading[tuple[str, bool]]":
    """Read to the first of `ends`, which is not read, or to the end of the text.

    Returns what was read ("" without `keep`), and whether one of `ends` follows. `tell` makes an event of
    each piece; `trim` is white space that is not part of it; `is_end` decides about the one of `ends` that
    comes next. Raises BrokenError where what is kept is too large.
    """
    line_break = ""
    if trim == "blanks":
        yield from skip_space(feed)
    elif trim == "newline":
        line_break = yield from _skip_line_break(feed)
    pieces: list[str] = []
    waiting: list[str] = []  # white space that is the value's only if more of the value follows
    size = 0
    while True:
        text, at = feed.text, feed.at
        found = ends.pattern.search(text, at)
        stop = len(text) if found is None else found.start()
        if found is None or (not feed.final and len(text) - stop <= ends.longest):
            held = len(text) - ends.held(text, at)
            if held <= stop:  # what was found may be part of a longer one
                stop, found = held, None
        feed.steps += stop - at + 1
        feed.at = stop
        piece = text[at:stop]
        over = found is not None and is_end is not None and not (yield from is_end())
        if found is not None and over:
            feed.at += len(found[0])
            piece, found = piece + found[0], None
        if found is not None:
            piece = _trimmed("".join([*waiting, piece]), trim, line_break)
            waiting = []
        else:
            kept = piece.rstrip(_HELD[trim])
            if not kept:
                waiting.append(piece)
                piece = ""
            else:
                waiting, piece = [piece[len(kept) :]], "".join([*waiting, kept])
        if piece:
            if keep:
                pieces.append(piece)
                size = _checked_size(size + len(piece))
            if tell is not None:
                yield tell(piece)
        if found is not None:
            return "".join(pieces), True
        if over:
            continue
        if feed.final:
            return "".join(pieces), False
        yield None


def balanced(
    feed: Feed, syntax: Syntax, *, depth: int = 0, told: bool = False
) -> "Reading[tuple[str, bool]]":
    """Read brackets and all that they hold, from an opening one, or from within `depth` of them.

    Brackets count without their kind: who parses the text compares them. With `told`, pieces are told as
    arguments. Returns the text, and whether it is whole: not where something is not in `syntax`, or the text
    ends before. Raises BrokenError where it is too large.
    """
    pieces: list[str] = []
    quote, size = "", 0
    while True:
        text, begun, at = feed.text, feed.at, feed.at
        broken = ended = False
        while at < len(text) and not ended:
            run = (syntax.strings[quote] if quote else syntax.run).match(text, at)
            at = at if run is None else run.end()
            if quote:
                if not text.startswith(quote, at):
                    break  # the string goes on
                at, quote = at + len(quote), ""
            elif at < len(text):
                if text[at] in syntax.closing:
                    depth -= 1
                    at += 1
                    ended = depth <= 0
                elif (opened := syntax.opening.match(text, at)) is not None:
                    at = opened.end()
                    depth += 1 if len(opened[0]) == 1 else sum(map(opened[0].count, "([{"))
                else:
                    quote = next((each for each in syntax.strings if text.startswith(each, at)), "")
                    at += len(quote)
                    if not quote:
                        broken = feed.final or not any(each.startswith(text[at:]) for each in syntax.strings)
                        break
        feed.steps += at - begun + 1
        feed.at = at
        if at > begun:
            pieces.append(text[begun:at])
            size = _checked_size(size + at - begun)
            if told:
                yield ArgumentsPiece("", pieces[-1])
        if ended or broken or feed.final:
            return "".join(pieces), ended
        yield None


def _checked_size(size: int) -> int:
    if size > MAX_TEXT:
        raise BrokenError(f"the call is too large: more than {MAX_TEXT} characters")
    return size


def _trimmed(value: str, trim: _Trim, line_break: str) -> str:
    if trim == "blanks":
        return value.rstrip()
    if trim == "none" or value[-1:] != "\n":
        return value
    value = value[:-1]
    return value if line_break == "\n" else value.removesuffix("\r")


def _skip_line_break(feed: Feed) -> "Reading[str]":
    size = 1
    if (yield from next_character(feed)) == "\r":
        while len(feed.text) - feed.at < 2 and not feed.final:
            yield None
        size = 2
    found = feed.text[feed.at : feed.at + size]
    if found not in ("\n", "\r\n"):
        return ""
    feed.at += size
    return found
