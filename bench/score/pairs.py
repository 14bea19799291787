"""Pairs of tools that the score flags, against pairs that searches confused."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

from msgspec import Struct
from toolcast.lint.confusable import ALIKE, confused_pairs
from toolcast.lint.tool_texts import example_text

from .retrieval import Pair, ranked
from .tool_sets import ToolSet

THRESHOLDS = tuple(step / 20 for step in range(3, 17))


class Outcome(Struct, frozen=True):
    """Flagged pairs beside confused ones. `calls` counts confused calls, `seen` those whose pair is
    flagged.
    """

    flagged: int
    confused: int
    right: int
    calls: int
    seen: int

    @property
    def share(self) -> float:
        """The share of confused pairs that are flagged."""
        return self.right / self.confused if self.confused else 0.0

    @property
    def false(self) -> float:
        """The share of flagged pairs that were never confused."""
        return 1 - self.right / self.flagged if self.flagged else 0.0

    @property
    def agreement(self) -> float:
        """The harmonic mean of recall and precision."""
        return 2 * self.right / (self.flagged + self.confused) if self.flagged + self.confused else 0.0


def half_of(pair: Pair) -> int:
    """0: thresholds are chosen on it; 1: they are reported on it."""
    return zlib.crc32("\0".join(sorted(pair)).encode()) % 2


def outcome(
    sets: Sequence[ToolSet], least: float, halves: Sequence[int], *, distinct: bool = True
) -> Outcome:
    """Confused and flagged pairs of some halves; of the flagged those with a call of one of the two.

    Args:
        sets: tools with their calls.
        least: the least likeness of a flagged pair.
        halves: which halves of the pairs.
        distinct: whether pairs that names or descriptions tell apart are flagged, too.

    Returns:
        Counts.
    """
    flagged = confused = right = calls = seen = 0
    for chosen in sets:
        called = {chosen.tools[each.tool].name for each in chosen.calls}
        counts = {
            pair: count
            for pair, count in ranked(chosen, example_text).confused.items()
            if half_of(pair) in halves
        }
        pairs = (
            frozenset((each.first, each.second))
            for each in confused_pairs(chosen.tools, least)
            if distinct or not each.distinct
        )
        alike = {pair for pair in pairs if pair & called and half_of(pair) in halves}
        flagged += len(alike)
        confused += len(counts)
        right += len(alike & counts.keys())
        calls += sum(counts.values())
        seen += sum(count for pair, count in counts.items() if pair in alike)
    return Outcome(flagged, confused, right, calls, seen)


def pairs_part(sets: Sequence[ToolSet]) -> str:
    """Flagged pairs against confused ones, the curve and the threshold that it gives, as Markdown."""
    curve = {least: outcome(sets, least, (0,)) for least in THRESHOLDS}
    best = max(curve, key=lambda least: (curve[least].agreement, least))
    lines = [
        f"Shipped threshold: {ALIKE:g}. Best on the first half, by the harmonic mean of recall and precision:"
        f" {best:g}.",
        "",
        "| corpus, second half | confused pairs | flagged | both | share of confused pairs flagged"
        " | share of confused calls flagged | false alarms |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    rows = [*((each.name, (each,), True) for each in sets), ("all", tuple(sets), True)]
    rows.append(("all: take off points", tuple(sets), False))
    for name, chosen, distinct in rows:
        found = outcome(chosen, ALIKE, (1,), distinct=distinct)
        calls = found.seen / found.calls if found.calls else 0.0
        lines.append(
            f"| {name} | {found.confused} | {found.flagged} | {found.right} | {found.share:.0%} "
            f"| {calls:.0%} | {found.false:.0%} |"
        )
    lines += [
        "",
        "| threshold | first half: flagged | of confused pairs | false alarms | second half: flagged"
        " | of confused pairs | false alarms |",
        "|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for least, own in curve.items():
        other = outcome(sets, least, (1,))
        lines.append(
            f"| {least:.2f} | {own.flagged} | {own.share:.0%} | {own.false:.0%} | {other.flagged} | "
            f"{other.share:.0%} | {other.false:.0%} |"
        )
    return "\n".join(lines)
