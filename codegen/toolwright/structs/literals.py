"""JSON values as Python source. Whatever a string holds, it stays inside one literal (law L8)."""

import re
from typing import Any, Final

WIDTH: Final = 96
"""Columns that docstrings fill, their indent included."""


def literal(value: Any) -> str:
    """Source text that evaluates to `value`; dict order is kept."""
    if isinstance(value, str):
        return text(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{text(k)}: {literal(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        items = ", ".join(literal(v) for v in value)
        return f"[{items}]" if isinstance(value, list) else f"({items}{',' if len(value) == 1 else ''})"
    return repr(value)


def text(value: str) -> str:
    """A double-quoted literal, printable and on one line, as black would leave it."""
    source = repr(value)
    inner = source[1:-1]
    if source[0] == "'" and ('"' in inner or "'" in inner):
        inner = re.sub(r"""\\(.)|"|'""", _requote, inner)
    return f'"{inner}"'


def _requote(found: re.Match[str]) -> str:
    if found[0] == '"':
        return '\\"'
    return "'" if found[0] == "\\'" else found[0]


def lines(value: str, width: int = 80) -> list[str]:
    """Literals that concatenate to `value`: one or more per line of text, each about `width` long."""
    pieces: list[str] = []
    for line in value.splitlines(keepends=True) or [""]:
        while len(line) > width:
            cut = line.rfind(" ", 0, width) + 1 or width
            pieces.append(line[:cut])
            line = line[cut:]
        if line:
            pieces.append(line)
    return [text(piece) for piece in pieces] or ['""']


def paragraph(value: str) -> str:
    """A literal over as many lines as it needs, in parentheses where that is more than one."""
    pieces = lines(value)
    return pieces[0] if len(pieces) == 1 else "(" + " ".join(pieces) + ")"


def docstring(value: str, indent: str) -> str:
    """A docstring that reads like one, from any text: stripped line by line, unable to end early.

    Black reshapes docstrings; this one already has the shape that black leaves.
    """
    rows = [row.rstrip() for line in value.expandtabs(4).splitlines() for row in _wrapped(line, WIDTH - len(indent))]
    rows = ["".join(ch if ch.isprintable() else repr(ch)[1:-1] for ch in _escaped(row)) for row in rows]
    while rows and not rows[0].strip():
        rows.pop(0)
    while rows and not rows[-1]:
        rows.pop()
    if not rows:
        return ""
    rows[0] = rows[0].lstrip()
    margin = min((len(r) - len(r.lstrip()) for r in rows[1:] if r), default=0)
    rows = [rows[0], *(row[margin:] for row in rows[1:])]
    if len(rows) == 1:
        body = rows[0]
        if body.endswith('"') or body.endswith("\\"):
            body += " "
        return f'"""{body}"""'
    tail = ["" if not row else indent + row for row in rows[1:]]
    return '"""' + "\n".join([rows[0], *tail]) + "\n" + indent + '"""'


def _escaped(row: str) -> str:
    return row.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')


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
