"""What the score finds in sets of tools without recorded calls."""

from __future__ import annotations

from collections.abc import Sequence

from toolcast.lint.confusable import confused_pairs
from toolcast.lint.findability import retrievals
from toolcast.lint.tool_texts import ToolTexts

from .tool_sets import ToolSet


def others_part(sets: Sequence[ToolSet]) -> str:
    """What the score finds in sets without recorded calls, as Markdown."""
    lines = [
        "| set | tools | alike pairs | that take off points | tools in one of these | found first by summary"
        " | by parameters |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for chosen in sets:
        pairs = confused_pairs(chosen.tools)
        taking = [each for each in pairs if not each.distinct]
        named = {name for each in taking for name in (each.first, each.second)}
        first = _first(chosen.tools)
        lines.append(
            f"| {chosen.name} | {len(chosen.tools)} | {len(pairs)} | {len(taking)} | {len(named)} "
            f"| {first['summary']} | {first['parameters']} |"
        )
    return "\n".join(lines)


def _first(tools: Sequence[ToolTexts]) -> dict[str, str]:
    counts: dict[str, list[bool]] = {"summary": [], "parameters": []}
    for each in (found for own in retrievals(tools) for found in own):
        counts[each.kind].append(each.rank == 1)
    return {kind: f"{sum(places) / len(places):.0%}" if places else "–" for kind, places in counts.items()}
