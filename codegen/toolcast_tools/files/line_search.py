"""Lines of a text that match a pattern, in linear time (RE2), and stopped at a limit.

Where ripgrep is installed, it is a hint which files to read: it only chooses among files that the workspace
lists; they are opened by the workspace, and searched again. So a folder or a link that changes meanwhile
shows nothing of another file.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from time import monotonic
from typing import Any, Final, Protocol

from msgspec import Struct
from toolcast.runtime import RefusalError
from toolcast.runtime.workers import abandoned

from ..libraries import require
from .search_pattern import RE2, RIPGREP, PatternError, shorten, translate

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

    Raises PatternError: it is none, or too large; ImportError: google-re2 is not installed.

    Args:
        pattern: a regular expression in the dialect of `translate`.
        ignore_case: whether capital and small letters are the same.
        multiline: whether a match may go across lines.
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
    """Return the library RE2 (google-re2). Raises ImportError, with the remedy."""
    require("grep", "re2")
    return import_module("re2")


_PATTERN: Final = 60_000
"""Bytes of a pattern that a pipe holds."""
_OUTPUT: Final = 64 << 20
"""Bytes of names."""
_POLL: Final = 0.2
_END: Final = 5.0
"""Seconds that it may take to end after its last output."""
_PLAIN: Final = re.compile(r"[\w.-]+", re.ASCII)
_MATCHES: Final = 0
_NO_MATCH: Final = 1


class Preselection(Struct, frozen=True):
    """A search by ripgrep.

    Attributes:
        pattern: in the dialect of `translate`.
        ignore_case: whether capital and small letters are the same.
        multiline: whether a match may go across lines.
        names: patterns of file names, of which one has to match; none for every file.
        exclude: names of files and folders that are not searched.
        largest: size of a file in bytes up to which it is searched.
    """

    pattern: str
    ignore_case: bool
    multiline: bool
    names: tuple[str, ...]
    exclude: frozenset[str]
    largest: int


def preselect(program: str, folder: str, asked: Preselection, limit: TimeLimit) -> frozenset[str] | None:
    """Ask ripgrep which files hold a pattern.

    Returns the paths from `folder` on, at least those that match; None where ripgrep cannot say, because it
    refuses the pattern or may not read a file. Raises RefusalError: the time is over.

    Args:
        program: path of ripgrep.
        folder: path of the folder to search.
        asked: what is looked for.
        limit: when it is killed.
    """
    text = translate(
        asked.pattern, RIPGREP, ignore_case=asked.ignore_case, multiline=asked.multiline
    ).encode()
    if len(text) > _PATTERN:
        return None
    try:
        output = _run([program, *_arguments(asked)], folder, text, limit)
    except (OSError, subprocess.TimeoutExpired):
        return None  # it was removed, does not end, or there are no descriptors or processes left
    if output is None:
        return None
    return frozenset(os.fsdecode(name.removeprefix(b"./")) for name in output.split(b"\0")[:-1])


def find_ripgrep(workspace: Path) -> str | None:
    """Find ripgrep on PATH, or beside the interpreter.

    Returns its absolute path; None where it is not installed.

    Args:
        workspace: a folder whose programs are not run: what may write files there would run them by a search.
    """
    for folder in (*os.get_exec_path(), str(Path(sys.executable).parent)):
        found = shutil.which("rg", path=folder)
        if found is not None:
            program = Path(found).absolute()
            if not any(path.is_relative_to(workspace) for path in (program, program.resolve())):
                return str(program)
    return None


def _arguments(asked: Preselection) -> list[str]:
    plain = sorted(name for name in asked.exclude if _PLAIN.fullmatch(name))
    return [
        *("--no-config", "--no-messages", "--files-with-matches", "--null", "--color=never"),
        *("--hidden", "--no-ignore", "--text", "--no-mmap", "--case-sensitive", "--engine=default"),
        *(f"--max-filesize={asked.largest}", "--regex-size-limit=64M", "--dfa-size-limit=64M"),
        *(["--multiline"] if asked.multiline else []),
        *(f"--glob=!{name}" for name in plain),
        *(f"--type-add=wanted:{pattern}" for pattern in asked.names),
        *(["--type=wanted"] if asked.names else []),
        *("--file=-", "./"),
    ]


def _run(command: list[str], folder: str, pattern: bytes, limit: TimeLimit) -> bytes | None:
    """Return the output of ripgrep; None if it fails, or prints too much."""
    with subprocess.Popen(
        command,
        cwd=folder,
        env={},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        bufsize=0,
        start_new_session=True,
    ) as process:
        try:
            output = _exchange(process, pattern, limit)
        finally:
            process.kill()
    return output if process.returncode in (_MATCHES, _NO_MATCH) else None


def _exchange(process: "subprocess.Popen[bytes]", pattern: bytes, limit: TimeLimit) -> bytes | None:
    """Write the pattern and read what is printed until it ends; None where that is too much."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(pattern)
    process.stdin.close()
    output = bytearray()
    with DefaultSelector() as selector:
        selector.register(process.stdout, EVENT_READ)
        while len(output) <= _OUTPUT:
            limit.check()
            if selector.select(_POLL):
                part = os.read(process.stdout.fileno(), 1 << 16)
                if not part:
                    process.wait(_END)
                    return bytes(output)
                output += part
    return None
