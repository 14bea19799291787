"""Whether a search finds the tool of a recorded call by the names and values of its arguments.

The tool that was called is the label. Another one that the search ranks first makes a confused pair.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from toolcast.lint.findability import ToolSearch
from toolcast.lint.tool_texts import example_text, separated

from .tool_sets import ToolSet

Pair = frozenset[str]


class Ranked(Struct, frozen=True):
    """How calls were found: counts of places, and the pairs that were confused with their counts."""

    first: int
    three: int
    queries: int
    confused: Mapping[Pair, int]


def ranked(chosen: ToolSet, query: Callable[[Any], str]) -> Ranked:
    """Look for each call's tool by words of the call."""
    places: list[int | None] = []
    confused: Counter[Pair] = Counter()
    search = ToolSearch(chosen.tools)
    for call in chosen.calls:
        name = chosen.tools[call.tool].name
        found = search.retrieval(name, "example", query(call.arguments))
        places.append(None if found is None else found.rank)
        if found is not None and found.winner:
            confused[frozenset((name, found.winner))] += 1
    three = sum(place is not None and place <= 3 for place in places)
    return Ranked(places.count(1), three, len(places), confused)


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield separated(key)
            yield from _keys(item)
    elif isinstance(value, list):
        for item in value:
            yield from _keys(item)


QUERIES: Mapping[str, Callable[[Any], str]] = {
    "names and values": example_text,
    "names": lambda arguments: " ".join(_keys(arguments)),
}


def retrieval_part(sets: Sequence[ToolSet]) -> str:
    """Retrieval of recorded calls, as Markdown."""
    lines = [
        "| corpus | tools | calls | query | right tool first | among three | confused pairs |",
        "|---|--:|--:|---|--:|--:|--:|",
    ]
    for chosen in sets:
        for title, query in QUERIES.items():
            found = ranked(chosen, query)
            lines.append(
                f"| {chosen.name} | {len(chosen.tools)} | {found.queries} | {title} | "
                f"{found.first / found.queries:.1%} | {found.three / found.queries:.1%} | "
                f"{len(found.confused)} |"
            )
    return "\n".join(lines)
