"""Lines of a text that match a pattern, in linear time (RE2), and stopped at a limit."""

import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from time import monotonic
from typing import Any, Final, Protocol

from msgspec import Struct
from toolcast.hidden_characters import escape_hidden
from toolcast.runtime import RefusalError
from toolcast.runtime.workers import abandoned

from ..libraries import require

_MEMORY: Final = 2 << 20
"""Bytes that RE2 may use for one pattern."""
_LARGEST_PROGRAM: Final = 100_000
"""Instructions of a pattern."""
_STEPS: Final = 1 << 28
"""Instructions times bytes of one call of RE2, which cannot be stopped: some 1.5 s in the worst case."""

_SHOWN: Final = 80
"""Characters of a pattern that an error repeats."""
_TOKEN: Final = re.compile(r"\\([bB]\{|.)|\[\^?(\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*)\]|(\n)", re.DOTALL)
"""An escape, the members of a class, or a line break."""
_OPERATION: Final = re.compile(r"&&|--|~~|\[(?!:)")
_SYNTAX: Final = (
    "There is no look-around and no reference to a group; write \\x{E9} for a character by its number, at "
    "most 1000 repetitions (nested ones multiply), and a backslash before a character meant literally."
)


class PatternError(RefusalError):
    """A pattern that cannot be searched for; the text says why, and what can be written."""

    def __init__(self, pattern: str, problem: str) -> None:
        shown = repr(pattern) if len(pattern) <= _SHOWN else f"{pattern[:_SHOWN]!r}…"
        super().__init__(f"The pattern {shown} {problem}")


class OversizedError(Exception):
    """A text, or a line of it, that is too large for a pattern of this size."""


class Span(Struct, frozen=True):
    """Lines that match, as offsets in bytes.

    Attributes:
        start: of the first line.
        end: of the last one, without its line feed.
        match: where the match begins.
    """

    start: int
    end: int
    match: int


class _Match(Protocol):
    def start(self) -> int: ...
    def end(self) -> int: ...


class _Expression(Protocol):
    @property
    def programsize(self) -> int: ...
    def search(self, text: bytes, pos: int, endpos: int) -> _Match | None: ...


class TimeLimit(Struct, frozen=True):
    """A time limit for loops that may be long.

    Attributes:
        seconds: how long it may take.
        ends: when it has to end, as `time.monotonic` counts.
    """

    seconds: float
    ends: float

    @staticmethod
    def after(seconds: float) -> "TimeLimit":
        """Return a limit that begins now."""
        return TimeLimit(seconds, monotonic() + seconds)

    def check(self) -> None:
        """Raise RefusalError where the time is over, or nobody waits for the result any more."""
        if monotonic() > self.ends:
            raise RefusalError(
                f"The search took longer than {self.seconds:g} seconds and was stopped. Search a smaller "
                "folder, narrow it with glob or file_types, or use a simpler pattern."
            )
        if abandoned():
            raise RefusalError("The call was cancelled.")


class LinePattern(Struct, frozen=True):
    """A compiled pattern.

    Attributes:
        expression: of RE2.
        multiline: whether matches may go across lines.
        block: bytes that one call of RE2 may look at.
    """

    expression: Any
    multiline: bool
    block: int

    def spans(self, text: bytes, limit: TimeLimit) -> Iterator[Span]:
        """Find the lines that match.

        Yields the lines; ascending, and never the same line twice. Raises OversizedError: a line, or with
        `multiline` the text, is too large for this pattern; RefusalError: the time is over.

        Args:
            text: lines that end in line feeds.
            limit: when to stop.
        """
        return self._across_lines(text, limit) if self.multiline else self._in_lines(text, limit)

    def _in_lines(self, text: bytes, limit: TimeLimit) -> Iterator[Span]:
        search = self.expression.search
        start, size = 0, len(text)
        while start < size:
            # Whole lines: no match goes across their ends.
            end = size if size - start <= self.block else text.rfind(b"\n", start, start + self.block) + 1
            if end <= start:
                raise OversizedError
            while start < end:
                limit.check()
                match = search(text, start, end)
                if match is None or match.start() >= end:
                    start = end
                    break
                first = text.rfind(b"\n", start, match.start()) + 1 or start
                last = text.find(b"\n", match.start(), end)
                last = end if last < 0 else last
                yield Span(first, last, match.start())
                start = last + 1

    def _across_lines(self, text: bytes, limit: TimeLimit) -> Iterator[Span]:
        if len(text) > self.block:
            raise OversizedError
        at, size = 0, len(text)
        found: Span | None = None
        while at < size:
            limit.check()
            match = self.expression.search(text, at, size)
            if match is None or match.start() >= size:
                break
            start, end = match.start(), match.end()
            first = text.rfind(b"\n", 0, start) + 1
            last = text.find(b"\n", max(start, end - 1))
            last = size if last < 0 else last
            if found is not None and first <= found.end:
                found = Span(found.start, max(last, found.end), found.match)
            else:
                if found is not None:
                    yield found
                found = Span(first, last, start)
            at = end if end > start else start + 1
        if found is not None:
            yield found


def compile_pattern(pattern: str, *, ignore_case: bool = False, multiline: bool = False) -> LinePattern:
    """Compile a pattern.

    Raises PatternError: it is none, too large, or ripgrep, whose syntax models know, would read it in another
    way; ImportError: google-re2 is not installed.

    Args:
        pattern: a regular expression in the syntax of RE2, with `^` and `$` for the ends of each line.
        ignore_case: whether capital and small letters are the same.
        multiline: whether a match may go across lines; otherwise nothing matches a line feed.
    """
    engine = load_re2()
    options = engine.Options()
    options.max_mem = _MEMORY
    options.log_errors = False
    options.never_capture = True
    options.case_sensitive = not ignore_case
    options.never_nl = not multiline
    try:
        expression: _Expression = engine.compile(f"(?m){pattern}", options)
    except engine.error as problem:
        (reason,) = problem.args
        text = reason.decode("utf-8", "replace").partition(": (?m)")[0][:_SHOWN]
        raise PatternError(pattern, f"cannot be used: {escape_hidden(text)}. {_SYNTAX}") from problem
    except UnicodeEncodeError as problem:
        raise PatternError(pattern, "has half of a character. Write the whole character.") from problem
    _check_reading(pattern, multiline)
    size = expression.programsize
    if size > _LARGEST_PROGRAM:
        limit = f"{size:,} steps, where {_LARGEST_PROGRAM:,} are allowed"
        raise PatternError(pattern, f"is too large: {limit}. Use smaller counts and fewer properties.")
    return LinePattern(expression, multiline, _STEPS // max(size, 1))


def _check_reading(pattern: str, multiline: bool) -> None:
    for found in _TOKEN.finditer(pattern):
        escape, members, line_break = found.groups()
        if not multiline and (line_break or escape == "n"):
            advice = "Set multiline to match across lines."
            raise PatternError(pattern, f"has a line break, and lines are searched one by one. {advice}")
        if escape in ("<", ">", "b{", "B{"):
            raise PatternError(pattern, f"has \\{escape}. Write \\b for the edge of a word.")
        if members is not None and _OPERATION.search(re.sub(r"\\.", "", members)):
            raise PatternError(pattern, "has [, &&, -- or ~~ in a class, an operation. Escape it.")


@cache
def load_re2() -> Any:
    """Return the library RE2 (google-re2). Raises ImportError, with the remedy."""
    require("grep", "re2")
    return import_module("re2")
