"""A plan as a unified diff, and as data."""

import difflib
from collections.abc import Iterator
from typing import Any

from ..console import one_line, paint, printable
from ..project.output.plan import Plan
from ..project.state.fingerprint import digest


def render_diff(plan: Plan, shown_output: str, *, colour: bool, raw: bool = False) -> Iterator[str]:
    """Lines with their newlines, file by file, deletions and new files included.

    `raw` keeps every character as it is, so that `git apply` can carry the diff out; bytes that are no text
    come as surrogates. Else what would steer a terminal is written out.
    """
    changes: list[tuple[str, bytes | None, bytes | None]] = [
        *((write.path, write.old, write.content) for write in plan.writes),
        *((delete.path, delete.old, None) for delete in plan.deletes),
    ]
    for path, old, new in sorted(changes, key=lambda change: change[0]):
        before = "/dev/null" if old is None else f"a/{shown_output}/{path}"
        after = "/dev/null" if new is None else f"b/{shown_output}/{path}"
        lines = list(difflib.unified_diff(_lines(old), _lines(new), before, after))
        for number, line in enumerate(lines or (f"--- {before}\n", f"+++ {after}\n")):  # an empty file
            yield _line(line, head=number < 2, colour=colour, raw=raw)


def _lines(content: bytes | None) -> list[str]:
    """Lines end at LF and nowhere else; `splitlines` knows ten other ends."""
    if not content:
        return []
    *lines, rest = content.decode("utf-8", "surrogateescape").split("\n")
    return [f"{line}\n" for line in lines] + ([rest] if rest else [])


def _line(line: str, *, head: bool, colour: bool, raw: bool) -> str:
    text = line.removesuffix("\n")
    text = text if raw else printable(text)
    end = "\n" if line.endswith("\n") else "\n\\ No newline at end of file\n"
    if head:
        style = "bold"
    else:
        style = {"+": "add", "-": "del", "@": "hint"}.get(line[:1], "")
    return (paint(text, style, colour) if style else text) + end


def render_list(plan: Plan, shown_output: str, *, colour: bool) -> Iterator[str]:
    """What would happen to each file, a line each."""
    done: list[tuple[str, str, str]] = [
        (write.path, write.kind, "add" if write.kind == "new" else "hint") for write in plan.writes
    ]
    done += [(delete.path, "deleted", "del") for delete in plan.deletes]
    for path, kind, style in sorted(done):
        yield f"{paint(f'{kind:8}', style, colour)} {one_line(shown_output)}/{one_line(path)}\n"


def as_data(plan: Plan, shown_output: str) -> dict[str, Any]:
    """The same for programs; digests are SHA-256 of the bytes that will stand there."""
    return {
        "writes": [
            {
                "path": f"{shown_output}/{write.path}",
                "kind": write.kind,
                "size": len(write.content),
                "digest": f"sha256:{digest(write.content)}",
            }
            for write in plan.writes
        ],
        "deletes": [{"path": f"{shown_output}/{delete.path}"} for delete in plan.deletes],
        "unchanged": plan.unchanged,
        "blocked": plan.blocked,
    }
