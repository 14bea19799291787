"""Searching files for a pattern: which files, in which order, and what a result shows of each."""

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import get_close_matches
from fnmatch import translate
from functools import cache
from itertools import chain, pairwise
from pathlib import Path
from typing import IO, Final

from msgspec import Struct
from toolcast.runtime import RefusalError

from ..byte_order_marks import byte_order_mark
from ..generated.files.grep import GrepContext, GrepParams, GrepResult, GrepResultMatchesItem
from ..workspace import Entry, PathError, Workspace
from ..workspace.atomic_write import is_temporary
from .line_search import OversizedError, Span, TimeLimit, compile_pattern
from .text_files import shown_path


@cache
def file_types() -> dict[str, tuple[str, ...]]:
    """Return the patterns of file names of each type, by its name."""
    data = (Path(__file__).parent / "file_types.toml").read_text(encoding="utf-8")
    return {name: tuple(patterns) for name, patterns in tomllib.loads(data)["types"].items()}


def _patterns_of(types: Sequence[str]) -> tuple[str, ...]:
    """Return the patterns of file names of any of some types; none for no types. Raises RefusalError: a type
    is not known.
    """
    known = file_types()
    for name in types:
        if name not in known:
            near = get_close_matches(name, known, cutoff=0.5)
            hint = f"Near are {', '.join(near)}. " if near else ""
            raise RefusalError(
                f"There is no file type {name!r}. {hint}Types have the names that ripgrep has for them, "
                "such as py, rust, ts, md and json; use glob for other files."
            )
    return tuple(dict.fromkeys(pattern for name in types for pattern in known[name]))


@cache
def name_expression(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """Return the expression that a file name matches in full if it matches one of the patterns."""
    return re.compile("|".join(map(translate, patterns)))


_LONGEST: Final = 1_000
"""Characters that are shown of a line, or of a match that goes across lines."""
_LEAD: Final = 200
"""Characters before a match that are shown of a longer line."""
_LARGEST_RESULT: Final = 1_000_000
"""Characters of all lines of a result."""


class SearchOptions(Struct, frozen=True):
    """Options of all searches of one workspace.

    Attributes:
        exclude: names of files and folders that are not searched.
        largest: size in bytes up to which files are searched.
        seconds: how long a search may take.
    """

    exclude: frozenset[str]
    largest: int
    seconds: float


class _Candidate(Struct, frozen=True):
    """A file to search."""

    path: str
    size: int
    open: Callable[[], IO[bytes]]


def search_content(workspace: Workspace, params: GrepParams, options: SearchOptions) -> GrepResult:
    """Search files for a pattern.

    Returns what matches, by path. Raises RefusalError: the pattern, the path, the glob or a type cannot be
    used, or the time is over.

    Args:
        options: of the program.
    """
    limit = TimeLimit.after(options.seconds)
    pattern = compile_pattern(params.pattern, ignore_case=params.ignore_case, multiline=params.multiline)
    matches: list[GrepResultMatchesItem] = []
    size = skipped = 0
    truncated = False
    for candidate in _candidates(workspace, params, options, limit):
        limit.check()
        text = _text(candidate, options.largest)
        if text is None:
            skipped += 1
            continue
        try:
            for match in _matches(shown_path(candidate.path), text, pattern.spans(text, limit), params):
                size += _size(match)
                if len(matches) == params.limit or size > _LARGEST_RESULT:
                    truncated = True
                    break
                matches.append(match)
        except OversizedError:
            skipped += 1
        if truncated:
            break
    return GrepResult(matches=matches, truncated=truncated, skipped=skipped)


def _candidates(
    workspace: Workspace, params: GrepParams, options: SearchOptions, limit: TimeLimit
) -> Iterable[_Candidate]:
    """Return the files to read, in the order of results."""
    path = "." if params.path is None else params.path
    status = workspace.stat(path)
    if status.kind != "folder":
        workspace.open(path, "rb").close()  # refused where it cannot be opened; in a folder it is passed over
        return [_Candidate(workspace.relative(path), status.size, lambda: workspace.open(path, "rb"))]
    names = _patterns_of(params.file_types)
    entries = _listed(workspace, path, params.glob, options.exclude, limit)
    if names:
        expression = name_expression(names)
        entries = [entry for entry in entries if expression.fullmatch(entry.path.rpartition("/")[2])]
    return (_Candidate(entry.path, entry.size, entry.open) for entry in entries)


def _listed(
    workspace: Workspace, path: str, glob: str | None, exclude: frozenset[str], limit: TimeLimit
) -> list[Entry]:

    def skip(name: str) -> bool:
        return name in exclude or is_temporary(name)

    if glob is None:
        found = workspace.walk(path, skip=skip)
    else:
        anywhere = glob if "/" in glob else f"**/{glob}"
        found = workspace.glob(anywhere, path, skip=skip, include_hidden=True)
    entries: list[Entry] = []
    for entry in found:
        limit.check()
        if entry.kind == "file":
            entries.append(entry)
    return entries


def _text(candidate: _Candidate, largest: int) -> bytes | None:
    """Return the text of a file; None if it is too large or cannot be read."""
    if candidate.size > largest:
        return None
    try:
        with candidate.open() as file:
            content = file.read(largest + 1)
    except (PathError, OSError):
        return None
    return _searchable(content) if len(content) <= largest else None


def _searchable(content: bytes) -> bytes:
    """Return the text of a file as patterns see it: UTF-8 without a byte order mark, lines ending in line
    feeds; nothing where it is binary.
    """
    mark, encoding = byte_order_mark(content)
    text = content[len(mark) :]
    if encoding.startswith("utf-16"):
        text = text.decode(encoding, "replace").encode()
    return b"" if b"\0" in text else text.replace(b"\r\n", b"\n")


def _matches(
    path: str, text: bytes, spans: Iterator[Span], params: GrepParams
) -> Iterator[GrepResultMatchesItem]:
    """Return the entry of a result for one file."""
    if params.output == "lines":
        yield from _lines(path, text, spans, params.context or GrepContext())
    elif params.output == "files":
        if next(spans, None) is not None:
            yield GrepResultMatchesItem(path=path)
    elif count := sum(1 for _ in spans):
        yield GrepResultMatchesItem(path=path, count=count)


def _lines(
    path: str, text: bytes, spans: Iterator[Span], context: GrepContext
) -> Iterator[GrepResultMatchesItem]:
    line, counted, shown = 1, 0, 0
    for span, following in pairwise(chain(spans, (None,))):
        if span is None:
            return
        line += text.count(b"\n", counted, span.start)
        counted = span.start
        before = _before(text, span.start, shown, context.before)
        stop = len(text) if following is None else following.start
        after, shown = _after(text, span.end + 1, stop, context)
        yield GrepResultMatchesItem(
            path=path,
            line=line,
            text=_cut(text[span.start : span.end], span.match - span.start),
            before=before or None,
            after=after or None,
        )


def _before(text: bytes, end: int, shown: int, count: int) -> list[str]:
    """Return at most `count` lines before the offset `end`, that were not shown yet."""
    lines: list[str] = []
    while len(lines) < count and end > shown:
        start = text.rfind(b"\n", shown, end - 1) + 1 or shown
        lines.append(_cut(text[start : end - 1]))
        end = start
    return lines[::-1]


def _after(text: bytes, start: int, stop: int, context: GrepContext) -> tuple[list[str], int]:
    """Return lines from the offset `start` on, before the offset `stop`, and where the line after them
    begins.
    """
    lines: list[str] = []
    while len(lines) < context.after and start < stop:
        end = text.find(b"\n", start, stop)
        end = stop if end < 0 else end
        lines.append(_cut(text[start:end]))
        start = end + 1
    return lines, start


def _cut(line: bytes, match: int = 0) -> str:
    """Return a line, or the part of a long one around the offset `match`."""
    text = line.decode("utf-8", "replace")
    if len(text) <= _LONGEST:
        return text
    start = max(0, len(line[:match].decode("utf-8", "replace")) - _LEAD)
    end = start + _LONGEST
    return f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"


def _size(match: GrepResultMatchesItem) -> int:
    lines = (match.path, match.text or "", *(match.before or ()), *(match.after or ()))
    return sum(map(len, lines))
