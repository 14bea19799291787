"""A plan as a unified diff."""

import difflib
from collections.abc import Iterator

from ..build.plan import Plan
from .console import paint, printable


def render_diff(plan: Plan, shown_output: str, *, colour: bool) -> Iterator[str]:
    """Lines with their newlines, file by file, deletions and new files included."""
    changes: list[tuple[str, bytes | None, bytes | None]] = [
        *((write.path, write.old, write.content) for write in plan.writes),
        *((delete.path, delete.old, None) for delete in plan.deletes),
    ]
    for path, old, new in sorted(changes, key=lambda change: change[0]):
        before = "/dev/null" if old is None else f"a/{shown_output}/{path}"
        after = "/dev/null" if new is None else f"b/{shown_output}/{path}"
        lines = difflib.unified_diff(_lines(old), _lines(new), before, after)
        for number, line in enumerate(lines):
            yield _line(line, head=number < 2, colour=colour)


def _lines(content: bytes | None) -> list[str]:
    return (content or b"").decode("utf-8", "replace").splitlines(keepends=True) if content else []


def _line(line: str, *, head: bool, colour: bool) -> str:
    text = printable(line.rstrip("\n"))
    end = "\n" if line.endswith("\n") else "\n\\ No newline at end of file\n"
    if head:
        style = "bold"
    else:
        style = {"+": "add", "-": "del", "@": "hint"}.get(line[:1], "")
    return (paint(text, style, colour) if style else text) + end
