"""Reads one file to a `SourceDocument` and its problems. YAML 1.2 or strict JSON, by suffix."""

import os
import stat
from pathlib import Path as FilePath
from typing import Any, Final, Literal

from msgspec import Struct

from ..diagnostics import UNMERGED, Diagnostic, conflict_line
from .parsed_document import Lines, ParsedNode, Path, in_scalar, locate
from .spec_checker import MAX_BYTES, Problem, RefusedError

Kind = Literal["yaml", "json"]
_PIECE = 65_536
_TOLERATED: Final = {"duplicate-key"}
"""Problems that leave no doubt about what the other parts of the text are."""


class SourceDocument:
    """A `Document` that finds positions on the first call of `locate`, from the text."""

    __slots__ = ("_data", "_file", "_kind", "_positions", "_text")

    def __init__(self, file: str, data: object, text: str, kind: Kind) -> None:
        self._file = file
        self._data = data
        self._text = text
        self._kind: Kind = kind
        self._positions: ParsedNode | None = None

    @property
    def file(self) -> str:
        return self._file

    @property
    def data(self) -> Any:
        """Plain JSON values. Parts that the file repeats by alias are one object: do not change them."""
        return self._data

    @property
    def text(self) -> str:
        """The text of the file, without a byte order mark."""
        return self._text

    def locate(self, path: Path, *, key: bool = False) -> tuple[int, int]:
        if self._positions is None:
            self._positions = _positions(self._text, self._kind)
        return locate(self._positions, path, key=key)

    def locate_character(self, path: Path, value: str, offset: int) -> tuple[int, int]:
        """Return line and column of one character of the string `value` at `path`; see `in_scalar`."""
        return in_scalar(self._text, self.locate(path), value, offset)

    def __repr__(self) -> str:
        return f"SourceDocument({self._file!r})"


class ParsedFile(Struct, frozen=True):
    """The content of a file, and the problems of its text. `document` is None where the text cannot be read.
    Of a repeated key the first counts: the other parts can be checked, and nothing is made of it.
    """

    document: SourceDocument | None
    diagnostics: tuple[Diagnostic, ...] = ()


def read_document(
    file: FilePath, shown: str, most: int = MAX_BYTES
) -> SourceDocument | tuple[Diagnostic, ...]:
    """Read a file of at most `most` bytes: its document where nothing is wrong with the text, else the
    problems.
    """
    return _without_problems(read_file(file, shown, most))


def parse_document(data: bytes, shown: str, kind: Kind) -> SourceDocument | tuple[Diagnostic, ...]:
    """Parse the bytes of a file: its document where nothing is wrong with the text, else the problems."""
    return _without_problems(parse_file(data, shown, kind))


def _without_problems(parsed: ParsedFile) -> SourceDocument | tuple[Diagnostic, ...]:
    return parsed.diagnostics if parsed.document is None or parsed.diagnostics else parsed.document


def read_file(file: FilePath, shown: str, most: int = MAX_BYTES) -> ParsedFile:
    """Read `file`, of at most `most` bytes; `shown` is its path in messages. `.json` is JSON, else YAML."""
    try:
        state = file.stat()  # before it is opened: opening a named pipe would block
        if not stat.S_ISREG(state.st_mode):
            return _unreadable(shown, "it is not a regular file")
        with file.open("rb", buffering=0) as stream:
            data = stream.read(min(state.st_size, most) + 1) or b""
            while len(data) <= most and (more := stream.read(_PIECE)):
                data += more  # it grew, or was read in part
    except OSError as error:
        return _unreadable(shown, os.strerror(error.errno).lower() if error.errno else str(error))
    except ValueError:
        return _unreadable(shown, "its path is not usable")
    return parse_file(data, shown, "json" if file.suffix == ".json" else "yaml", most)


def parse_file(data: bytes, shown: str, kind: Kind, most: int = MAX_BYTES) -> ParsedFile:
    """Parse the bytes of one file; `shown` is its path in diagnostics."""
    if len(data) > most:
        message = f"the file is larger than {most:,} bytes"
        return ParsedFile(None, (Diagnostic(file=shown, code="too-large", message=message, hint="split it"),))
    try:
        text = decode(data)
    except RefusedError as error:
        return ParsedFile(None, _diagnostics(shown, [error.problem]))
    if kind == "json":
        from .json_reader import parse_json  # each format's parser is loaded on first use

        value, problems = parse_json(text)
    else:
        from .yaml_reader import parse_yaml

        value, problems = parse_yaml(text)
    usable = all(problem.code in _TOLERATED for problem in problems)
    if not usable and (line := conflict_line(text)):
        problems = [Problem(line, 1, "merge-conflict", UNMERGED, "keep one side, or parts of both")]
    document = SourceDocument(shown, value, text, kind) if usable else None
    return ParsedFile(document, _diagnostics(shown, problems))


def decode(data: bytes) -> str:
    """Return UTF-8 text without its byte order mark. Raises `RefusedError` at the first wrong byte."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start].decode()
        line, column = Lines(before).position(len(before))
        raise RefusedError(
            Problem(
                line,
                column,
                "not-utf-8",
                f"the byte 0x{data[error.start]:02x} is not UTF-8",
                "save the file as UTF-8",
            )
        ) from None


def _positions(text: str, kind: Kind) -> ParsedNode:
    if kind == "yaml":
        from .yaml_reader import yaml_positions

        return yaml_positions(text)
    from .json_reader import json_positions

    return json_positions(text)


def _unreadable(shown: str, reason: str) -> ParsedFile:
    message = f"the file cannot be read: {reason}"
    hint = "check its path and rights"
    return ParsedFile(None, (Diagnostic(file=shown, code="cannot-read", message=message, hint=hint),))


def _diagnostics(shown: str, problems: list[Problem]) -> tuple[Diagnostic, ...]:
    found = [
        Diagnostic(file=shown, line=p.line, column=p.column, code=p.code, message=p.message, hint=p.hint)
        for p in problems
    ]
    return tuple(sorted(found))
