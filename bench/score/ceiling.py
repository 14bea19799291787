"""What a rule that reads only specs can reach, judged by recorded calls."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence

from toolcast.lint.confusable import confused_pairs

from .retrieval import QUERIES, Pair, ranked
from .tool_sets import Call, ToolSet


def ceiling_part(sets: Sequence[ToolSet]) -> str:
    """Two predictions that know calls, which no spec has, against pairs that calls confuse, as Markdown."""
    values, names = QUERIES["names and values"], QUERIES["names"]
    halves: list[tuple[Collection[Pair], Collection[Pair]]] = []
    nameless: list[tuple[Collection[Pair], Collection[Pair]]] = []
    shared = 0
    for chosen in sets:
        confused = ranked(chosen, values).confused.keys()
        first, second = (ranked(each, values).confused.keys() for each in _split(chosen))
        halves.append((first, second))
        nameless.append((ranked(chosen, names).confused.keys(), confused))
        with_words = {frozenset((each.first, each.second)) for each in confused_pairs(chosen.tools, 0.0)}
        shared += len(with_words & confused)
    count = sum(len(confused) for _, confused in nameless)
    lines = [
        "| pairs predicted by | predicted | confused pairs | both | share of confused pairs | false alarms |",
        "|---|--:|--:|--:|--:|--:|",
        _row("every second call of the same tools, against the others", halves),
        _row("the names of the arguments of the same calls", nameless),
        "",
        f"{count - shared} of {count} confused pairs share no word of their names, summaries and parameters,"
        " but for words of more than 100 tools.",
    ]
    return "\n".join(lines)


def _row(title: str, found: Sequence[tuple[Collection[Pair], Collection[Pair]]]) -> str:
    predicted, confused = (sum(map(len, each)) for each in zip(*found, strict=True))
    right = sum(len({*own} & {*actual}) for own, actual in found)
    return (
        f"| {title} | {predicted} | {confused} | {right} | {right / confused:.0%} |"
        f" {1 - right / predicted:.0%} |"
    )


def _split(chosen: ToolSet) -> Iterator[ToolSet]:
    """The calls of each tool that has two or more, in turn in two sets."""
    by_tool: dict[int, list[Call]] = defaultdict(list)
    for call in chosen.calls:
        by_tool[call.tool].append(call)
    several = [own for own in by_tool.values() if len(own) > 1]
    for half in (0, 1):
        yield ToolSet(chosen.name, chosen.tools, tuple(call for own in several for call in own[half::2]))
