"""The figures as Markdown."""

from __future__ import annotations

import json
import statistics
from collections.abc import Sequence
from typing import TYPE_CHECKING

import jsonschema_rs

from ..peers.table import COLUMNS, table
from .contestant import Answer, Contestant
from .values import Tool

if TYPE_CHECKING:  # it imports what is compared
    from .sent import Row

_SHOWN = 600


def decoding(tools: Sequence[Tool], contestants: Sequence[Contestant]) -> str:
    """Tools and values, one row a contestant; the first one is what times are divided by."""
    head = [
        "", "tools", "exact", "valid refused", "invalid taken", "nulls taken", "own schema differs", "time",
    ]  # fmt: skip
    return "\n".join(table([head, *(_row(tools, each, contestants[0]) for each in contestants)]))


def _row(tools: Sequence[Tool], who: Contestant, first: Contestant) -> list[str]:
    pairs = [(tool, answer) for tool in tools if tool.values and (answer := who.answers[tool.name])]
    judged = [each for tool, answer in pairs for each in zip(tool.values, answer.refusals, strict=True)]
    valid = [refusal for value, refusal in judged if value.accepted]
    invalid = [refusal for value, refusal in judged if not value.allowed]
    nulls = [refusal for value, refusal in judged if value.allowed and not value.accepted]
    return [
        who.name,
        f"{len(pairs):,}",
        f"{sum(_exact(tool, answer) for tool, answer in pairs):,}",
        f"{sum(refusal is not None for refusal in valid):,} of {len(valid):,}",
        f"{sum(refusal is None for refusal in invalid):,} of {len(invalid):,}",
        f"{sum(refusal is None for refusal in nulls):,} of {len(nulls):,}",
        _differing(pairs),
        _ratio(who, first),
    ]


def _exact(tool: Tool, answer: Answer) -> bool:
    judged = zip(tool.values, answer.refusals, strict=True)
    return all(
        value.accepted == (refusal is None) for value, refusal in judged if value.accepted == value.allowed
    )


def _differing(pairs: Sequence[tuple[Tool, Answer]]) -> str:
    counts = [differing(tool, answer) for tool, answer in pairs if answer.schema is not None]
    return f"{sum(counts):,}" if counts else "–"


def differing(tool: Tool, answer: Answer) -> int:
    """How many values the published schema takes and the decoder refuses, or the reverse.

    A null for an optional property does not count. All count where it is no schema.
    """
    try:
        validator = jsonschema_rs.validator_for(answer.schema, validate_formats=True)
    except ValueError:
        return len(tool.values)
    return sum(
        validator.is_valid(json.loads(value.text)) != (refusal is None)
        for value, refusal in zip(tool.values, answer.refusals, strict=True)
        if value.accepted == value.allowed
    )


def _ratio(who: Contestant, first: Contestant) -> str:
    ratios = [
        theirs.nanoseconds / ours.nanoseconds
        for name, theirs in who.answers.items()
        if theirs and (ours := first.answers[name]) and theirs.nanoseconds and ours.nanoseconds
    ]
    return f"{statistics.median(ratios):.1f} ×" if ratios else "–"


def tokens(rows: Sequence[tuple[str, int, int]]) -> str:
    """What is sent: what, of how many tools, tokens."""
    head = ["sent", "tools", "tokens", "a tool"]
    return "\n".join(
        table([head, *([what, f"{n:,}", f"{count:,}", f"{count / n:.0f}"] for what, n, count in rows)])
    )


def sent(rows: Sequence[Row]) -> str:
    """Verdicts on what is sent, one row an output."""
    head = ["output", "schemas", *(title for title, _ in COLUMNS)]
    body = [
        [
            row.output,
            str(sum(row.counts.values())),
            *(str(sum(row.counts.get(each, 0) for each in those) or "") for _, those in COLUMNS),
        ]
        for row in rows
    ]
    keep = [i for i in range(len(head)) if i < 3 or any(row[i] for row in body)]
    return "\n".join(table([[row[i] for i in keep] for row in [head, *body]]))


def texts(call: str, found: Sequence[tuple[str, str | None]]) -> str:
    """What a model would read after `call`, from each."""
    parts = [f"The call `{call}` is answered with:"]
    for name, refusal in found:
        if refusal is None:
            parts.append(f"**{name}**: it is taken.")
        else:
            cut = refusal if len(refusal) <= _SHOWN else refusal[:_SHOWN] + " …"
            parts.append(f"**{name}**:\n\n```text\n{cut.strip()}\n```")
    return "\n\n".join(parts)
