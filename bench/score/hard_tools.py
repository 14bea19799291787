"""Tools that the score finds hard to find, against searches by recorded calls."""

from __future__ import annotations

from collections.abc import Sequence

from toolcast.lint.findability import FEW, QueryKind, ToolSearch, retrievals
from toolcast.lint.tool_texts import example_text

from .tool_sets import ToolSet


def tools_part(sets: Sequence[ToolSet]) -> str:
    """Tools that are hard to find by their summary or their parameters, against recorded calls, as Markdown.

    A tool is hard to find by its calls where more than half of them find another one first.
    """
    lines = [
        "| corpus | tools with calls | of them hard to find | searched by | flagged from place | flagged |"
        " of the hard ones | false alarms |",
        "|---|--:|--:|---|--:|--:|--:|--:|",
    ]
    kinds: tuple[tuple[QueryKind, str], ...] = (("summary", "summary"), ("parameters", "names of parameters"))
    for chosen in sets:
        missed: dict[int, list[bool]] = {}
        search = ToolSearch(chosen.tools)
        for call in chosen.calls:
            name = chosen.tools[call.tool].name
            found = search.retrieval(name, "example", example_text(call.arguments))
            missed.setdefault(call.tool, []).append(found is None or found.rank != 1)
        hard = {tool for tool, misses in missed.items() if 2 * sum(misses) > len(misses)}
        own = retrievals(chosen.tools)
        for kind, title in kinds:
            for place in (2, FEW + 1):
                flagged = {
                    tool
                    for tool in missed
                    for each in own[tool]
                    if each.kind == kind and (each.rank is None or each.rank >= place)
                }
                right = len(flagged & hard)
                false = f"{1 - right / len(flagged):.0%}" if flagged else "–"
                lines.append(
                    f"| {chosen.name} | {len(missed)} | {len(hard)} | {title} | {place} | {len(flagged)} | "
                    f"{right} | {false} |"
                )
    return "\n".join(lines)
