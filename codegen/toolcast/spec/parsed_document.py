"""A parsed file: plain data, the position of each value in it, and diagnostics at those positions."""

import re
from bisect import bisect_right
from typing import Any, Protocol

from msgspec import Struct

from ..diagnostics import Diagnostic, Severity

Path = tuple[str | int, ...]
"""A path inside a document: object keys and array indices from the root."""


class Document(Protocol):
    """One parsed file: plain JSON data, with the line and column of each path in it."""

    @property
    def file(self) -> str:
        """The posix path as shown in diagnostics, e.g. `specs/files/edit.yaml`."""
        ...

    @property
    def data(self) -> Any:
        """Plain JSON values only: dict, list, str, int, float, bool, None."""
        ...

    def locate(self, path: Path, *, key: bool = False) -> tuple[int, int]:
        """Return line and column (from 1) of the value at `path`, or of its key; of the nearest parent if
        absent.
        """
        ...


class SharedTypes(dict[str, Document]):
    """The shared types of a run, by path. `broken` has those with errors: they are reported there, and not as
    missing where specs refer to them."""

    broken: frozenset[str] = frozenset()

    def __init__(self) -> None:
        """`made` and `indexes` are for the compiler: what it made of types, and of their files."""
        super().__init__()
        self.made: list[Any] = []
        self.indexes: dict[Any, Any] = {}


def diagnose(
    document: Document,
    path: Path,
    code: str,
    message: str,
    hint: str = "",
    *,
    key: bool = False,
    severity: Severity = "error",
) -> Diagnostic:
    """Make a diagnostic at a position in a document; with `key`, at that of the key, not of its value."""
    line, column = document.locate(path, key=key)
    return Diagnostic(
        file=document.file, line=line, column=column, code=code, message=message, hint=hint, severity=severity
    )


_BREAK = re.compile(r"\r\n?|\n")
_LITERAL = re.compile(r"\|[0-9+-]*[ \t]*(?:#.*)?")
"""The sign before the lines of a literal block of YAML."""


class Lines:
    """The offsets at which the lines of a text start. CR, LF and CRLF each end a line, as in YAML."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(found.end() for found in _BREAK.finditer(text))]

    def position(self, offset: int) -> tuple[int, int]:
        """Return line and column (from 1, in code points) of the character at `offset`."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


def in_scalar(source: str, place: tuple[int, int], value: str, offset: int) -> tuple[int, int]:
    """Return line and column of the character at `offset` (from 0) of a string that begins at `place` in
    `source`. Of a string that is written with escapes or folded lines, return its beginning.
    """
    lines = _BREAK.split(source)
    line, column = place
    first = lines[line - 1][column - 1 :]
    if _LITERAL.fullmatch(first):
        row = value.count("\n", 0, offset)
        content = value.split("\n")[row]
        written = lines[line + row] if line + row < len(lines) else ""
        if written.endswith(content):
            within = offset - (value.rfind("\n", 0, offset) + 1)
            return line + row + 1, len(written) - len(content) + within + 1
    quoted = first[:1] in ("'", '"')
    if "\n" not in value and first[quoted:].startswith(value):
        return line, column + quoted + offset
    return place


class ParsedNode(Struct):
    """The position of a value. `members` for a mapping, `items` for a list, neither for a scalar."""

    line: int
    column: int
    members: "dict[str, Member] | None" = None
    items: "list[ParsedNode] | None" = None


class Member(Struct):
    """One entry of a mapping: the position of its key, and its value."""

    line: int
    column: int
    value: ParsedNode


def locate(root: ParsedNode, path: Path, *, key: bool) -> tuple[int, int]:
    """Return line and column of the value at `path` (or of its key); of the nearest parent where it is
    absent. A list item has no key: the position is its value's.
    """
    node, line, column = root, root.line, root.column
    for step in path:
        if isinstance(step, str):
            member = (node.members or {}).get(step)
            if member is None:
                break
            node = member.value
            line, column = (member.line, member.column) if key else (node.line, node.column)
        else:
            items = node.items or []
            if not 0 <= step < len(items):
                break
            node = items[step]
            line, column = node.line, node.column
    return line, column
