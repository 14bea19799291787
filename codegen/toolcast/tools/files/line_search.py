"""Lines of a text that match a pattern, in linear time (RE2), and stopped at a limit."""

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from time import monotonic
from typing import Any, Final, Protocol

from msgspec import Struct

from ...runtime import RefusalError
from ...runtime.workers import abandoned
from ..libraries import require
from .search_pattern import RE2, PatternError, shorten, translate

_MEMORY: Final = 2 << 20
"""Bytes that RE2 may use for one pattern."""
_LARGEST_PROGRAM: Final = 100_000
"""Instructions of a pattern."""
_STEPS: Final = 1 << 28
"""Instructions times bytes of one call of RE2, which cannot be stopped: some 1.5 s in the worst case."""


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
    """When work has to end, for loops that may be long.

    Attributes:
        seconds: how long it may take.
        ends: when it has to end, as `time.monotonic` counts.
    """

    seconds: float
    ends: float

    @staticmethod
    def after(seconds: float) -> "TimeLimit":
        """A limit that begins now."""
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

        Args:
            text: lines that end in line feeds.
            limit: when to stop.

        Yields:
            The lines; ascending, and never the same line twice.

        Raises:
            OversizedError: a line, or with `multiline` the text, is too large for this pattern.
            RefusalError: the time is over.
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

    Args:
        pattern: a regular expression in the dialect of `translate`.
        ignore_case: whether capital and small letters are the same.
        multiline: whether a match may go across lines.

    Returns:
        The compiled pattern.

    Raises:
        PatternError: it is none, or too large.
        ImportError: google-re2 is not installed.
    """
    engine = load_re2()
    text = translate(pattern, RE2, ignore_case=ignore_case, multiline=multiline)
    options = engine.Options()
    options.max_mem = _MEMORY
    options.log_errors = False
    options.never_capture = True
    try:
        expression: _Expression = engine.compile(text, options)
    except engine.error as problem:
        raise PatternError(
            f"The pattern {shorten(pattern)} is too large, or its counts are: together they may be "
            "at most 1000 where they are nested. Use smaller counts, or * and +."
        ) from problem
    size = expression.programsize
    if size > _LARGEST_PROGRAM:
        raise PatternError(
            f"The pattern {shorten(pattern)} is too large: {size:,} steps, where {_LARGEST_PROGRAM:,} are "
            "allowed. Use smaller counts and fewer properties."
        )
    return LinePattern(expression, multiline, _STEPS // max(size, 1))


@cache
def load_re2() -> Any:
    """The library RE2 (google-re2). Raises ImportError, with the remedy."""
    require("grep", "re2")
    return import_module("re2")
