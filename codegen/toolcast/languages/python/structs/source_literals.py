"""JSON values as Python source. Whatever a string holds, it stays inside one literal (law L8)."""

import ast
import re
from collections.abc import Iterator
from typing import Any, Final

from ....hidden_characters import hidden_offsets

LINE_LENGTH: Final = 88
"""Columns: what black and ruff have by default, so that both pass in a project that configures neither."""
_WIDTH: Final = LINE_LENGTH - 6
"""Columns that docstrings fill, their indent included."""


def literal(value: Any) -> str:
    """Write source that evaluates to `value`; dict order is kept."""
    if isinstance(value, str):
        return text(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{text(k)}: {literal(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        items = ", ".join(literal(v) for v in value)
        return f"[{items}]" if isinstance(value, list) else f"({items}{',' if len(value) == 1 else ''})"
    return repr(value).replace("e+", "e")  # 1e+16 is 1e16 in black's layout


def text(value: str) -> str:
    """Write a printable literal on one line, in the quotes that black prefers: those with fewer escapes."""
    quote = "'" if value.count('"') > value.count("'") else '"'
    # Without one kind of quote, repr escapes none of the other kind either.
    return quote + f"\\{quote}".join(_printable(repr(part)[1:-1]) for part in value.split(quote)) + quote


def paragraph(value: str, before: int, indent: int) -> str:
    """Write a literal that stands `before` columns into its line. A long one becomes several literals in
    parentheses, one for each line of text or part of one, indented by `indent` plus four. A text that fits
    on a row of its own stays one literal: ruff joins the parts of such a text.
    """
    line = text(value)
    width = LINE_LENGTH - indent - 4
    if before + len(line) < LINE_LENGTH or len(line) <= width:
        return line
    pieces = [text(piece) for piece in _pieces(value, width - 2)]
    if len(pieces) == 1:
        return line
    rows = "\n".join(" " * (indent + 4) + piece for piece in pieces)
    return f"(\n{rows}\n{' ' * indent})"


def _pieces(value: str, width: int) -> Iterator[str]:
    """Parts of `value`, cut after newlines and spaces, whose literals are about `width` long."""
    for line in re.findall(r"[^\n]*\n+|[^\n]+", value):
        rest = line
        while len(rest) > width or len(text(rest)) > width + 2:
            limit = width
            while len(text(rest[:limit])) > width + 2:
                limit -= max(1, (len(text(rest[:limit])) - width) // 10)
            end = rest.rfind(" ", 0, limit) + 1
            if end < width // 4:
                end = limit
            yield rest[:end]
            rest = rest[end:]
        if rest:
            yield rest


def deferred(annotation: str, indent: int = 8) -> str:
    """Write a lambda of `annotation`, which has a row with this indent to itself where its call takes
    several. A long union stands in parentheses: ruff adds them, and black does not.
    """
    row = f"lambda: {annotation}"
    if indent + len(row) < LINE_LENGTH or not isinstance(ast.parse(annotation, mode="eval").body, ast.BinOp):
        return row
    return f"lambda: ({annotation})"


def docstring(value: str, indent: str) -> str:
    """Write a docstring from any text: stripped line by line, unable to end early, in the shape that black
    leaves.
    """
    rows = [
        row.rstrip()
        for line in value.expandtabs(4).splitlines()
        for row in _wrapped(line, _WIDTH - len(indent))
    ]
    rows = [_printable(row.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')) for row in rows]
    while rows and not rows[0].strip():
        rows.pop(0)
    while rows and not rows[-1]:
        rows.pop()
    if not rows:
        return ""
    rows[0] = rows[0].lstrip()
    if rows[0].startswith('"'):
        rows[0] = "\\" + rows[0]  # a fourth quote mark in a row would read badly
    margin = min((len(r) - len(r.lstrip()) for r in rows[1:] if r), default=0)
    rows = [rows[0], *(row[margin:] for row in rows[1:])]
    if len(rows) == 1:
        body = rows[0]
        if body.endswith('"'):
            body += " "
        return f'"""{body}"""'
    tail = ["" if not row else indent + row for row in rows[1:]]
    return '"""' + "\n".join([rows[0], *tail]) + "\n" + indent + '"""'


def _printable(row: str) -> str:
    hidden_indices = frozenset(hidden_offsets(row))
    if not hidden_indices and row.isprintable():
        return row
    return "".join(
        ch if ch.isprintable() and index not in hidden_indices else ascii(ch)[1:-1]
        for index, ch in enumerate(row)
    )


def _wrapped(line: str, width: int) -> list[str]:
    """A line in pieces of at most `width` where its spaces allow; a list item's pieces stay under it."""
    hang = " " * (len(line) - len(line.lstrip(" -*")))
    pieces: list[str] = []
    while len(line) > width:
        cut = line.rfind(" ", len(hang) + 1, width)
        if cut < 0:
            break
        pieces.append(line[:cut])
        line = hang + line[cut + 1 :].lstrip(" ")
    return [*pieces, line]
