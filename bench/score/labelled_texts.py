"""Imperatives and repeated text that lint finds, against labels."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from toolcast.lint.imperatives import imperatives
from toolcast.lint.repeated_text import repeated_parts

from ..corpora.compile import CORPORA
from .tool_sets import records

LABELS = Path(__file__).resolve().parents[1] / "labels"


def labels(file: Path) -> dict[str, tuple[bool, str]]:
    """The labels of a file by id, with what stands behind them."""
    rows = (
        line.split() for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith("#")
    )
    return {row[0]: (row[1] == "yes", row[2] if len(row) > 2 else "") for row in rows}


def _judged(rows: Sequence[tuple[bool, bool]]) -> tuple[int, int, int]:
    """Found and labelled; found only; labelled only."""
    both = sum(found and label for found, label in rows)
    return (
        both,
        sum(found and not label for found, label in rows),
        sum(label and not found for found, label in rows),
    )


def _share(part: int, rest: int) -> str:
    return f"{part / (part + rest):.0%} ({part} of {part + rest})" if part + rest else "–"


def texts_part(corpora: Path) -> str:
    """Imperatives and repeated text against labels, as Markdown."""
    found: dict[str, list[tuple[bool, bool]]] = {}
    listed = {name: records(corpora, name) for name in CORPORA}
    for id, (label, _) in labels(LABELS / "imperatives.txt").items():
        corpus, _, line = id.partition(":")
        text = listed[corpus][int(line) - 1]["description"] or ""
        half = "second half" if zlib.crc32(id.encode()) % 2 else "first half"
        found.setdefault(f"imperatives, {half}", []).append((bool(imperatives(text)), label))
    for id, (label, drawn) in labels(LABELS / "repeated_text.txt").items():
        place, _, path = id.partition("#")
        corpus, _, line = place.partition(":")
        schema: Any = listed[corpus][int(line) - 1]["parameters"]
        steps = path.split("/")
        for step in steps:
            schema = (
                schema["properties"][step[1:]]
                if step[:1] == "."
                else schema[int(step) if step.isdecimal() else step]
            )
        name = steps[-1].removeprefix(".")
        repeated = bool(repeated_parts(name, schema, schema["description"]))
        found.setdefault(f"repeated text, {drawn}", []).append((repeated, label))
    lines = ["| labels | texts | labelled yes | precision | recall |", "|---|--:|--:|--:|--:|"]
    for title, rows in sorted(found.items()):
        both, wrong, missed = _judged(rows)
        lines.append(
            f"| {title} | {len(rows)} | {both + missed} | {_share(both, wrong)} | {_share(both, missed)} |"
        )
    return "\n".join(lines)
