"""Pairs that the score finds alike, against labels of a reader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from toolcast.lint.confusable import ALIKE, confused_pairs

from .labelled_texts import LABELS
from .pairs import half_of
from .retrieval import Pair
from .tool_sets import ToolSet, records, set_name

THRESHOLDS = (0.4, ALIKE, 0.55, 0.6, 0.7)

Labels = Mapping[tuple[str, Pair], bool]
"""By the name of a set and two of its tools: whether they may be taken for each other."""


class Agreement(Struct, frozen=True):
    """Flagged pairs that have a label, beside all labels. `unlabelled` counts flagged pairs without one."""

    flagged: int
    right: int
    labelled: int
    unlabelled: int

    def __str__(self) -> str:
        """As cells of a table: flagged pairs, precision, recall and flagged pairs without a label."""
        precision = f"{self.right / self.flagged:.0%}" if self.flagged else "–"
        return f"{self.flagged} | {precision} | {self.right / self.labelled:.0%} | {self.unlabelled}"


def pair_labels(corpora: Path) -> Labels:
    """The labels of `bench/labels/alike_pairs.txt`."""
    listed: dict[str, list[dict[str, object]]] = {}
    found: dict[tuple[str, Pair], bool] = {}
    for line in (LABELS / "alike_pairs.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        *ids, label = line.split()
        tools = []
        for id in ids:
            corpus, _, number = id.partition(":")
            if corpus not in listed:
                listed[corpus] = records(corpora, corpus)
            tools.append(listed[corpus][int(number) - 1])
        pair = frozenset(str(each["name"]) for each in tools)
        found[set_name(corpus, tools[0]), pair] = label == "yes"
    return found


def agreement(
    sets: Sequence[ToolSet], labels: Labels, least: float, half: int, *, distinct: bool
) -> Agreement:
    """Alike pairs of one half against labels; those that names or descriptions tell apart if `distinct`."""
    alike = {
        (chosen.name, frozenset((each.first, each.second)))
        for chosen in sets
        for each in confused_pairs(chosen.tools, least)
        if distinct or not each.distinct
    }
    alike = {each for each in alike if half_of(each[1]) == half}
    yes = {each for each, label in labels.items() if label and half_of(each[1]) == half}
    known = alike & labels.keys()
    return Agreement(len(known), len(known & yes), len(yes), len(alike) - len(known))


def labelled_pairs_part(sets: Sequence[ToolSet], labels: Labels) -> str:
    """Alike pairs, and those of them that take off points, against labels, as Markdown."""
    of_half = [[label for (_, pair), label in labels.items() if half_of(pair) == half] for half in (0, 1)]
    counts = [f"{len(own)} pairs, {sum(own)} labelled yes" for own in of_half]
    lines = [
        f"First half: {counts[0]}; second half: {counts[1]}.",
        "",
        "| half | threshold | alike | precision | recall | without a label"
        " | takes off points | precision | recall | without a label |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for half, title in enumerate(("first", "second")):
        for least in THRESHOLDS:
            alike, taking = (
                agreement(sets, labels, least, half, distinct=distinct) for distinct in (True, False)
            )
            lines.append(f"| {title} | {least:.2f} | {alike} | {taking} |")
    return "\n".join(lines)
