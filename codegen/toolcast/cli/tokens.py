"""How token costs look: one table for the set, one for its tools."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..console import one_line, paint

if TYPE_CHECKING:
    from ..lint.tokens import Tokens


def table(tokens: "Tokens", colour: bool) -> str:
    """Totals by provider, then every tool, what costs most first; plain columns that pipes can cut."""
    totals = {each.provider: each for each in tokens.totals}
    sums = [(each.provider, f"{each.full}", f"{each.brief}") for each in tokens.totals]
    rows = [
        (
            each.tool,
            each.provider,
            f"{each.full}",
            _share(each.full, totals[each.provider].full),
            f"{each.brief}",
        )
        for each in tokens.costs
    ]
    lines = [f"tokens, {tokens.note}", *columns(("all tools", "full", "brief"), sums, 1, colour), ""]
    lines += columns(("tool", "provider", "full", "share", "brief"), rows, 2, colour)
    return "\n".join([*lines, ""])


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else ""


def columns(head: Sequence[str], rows: Sequence[Sequence[str]], left: int, colour: bool) -> list[str]:
    """Aligned columns; the first `left` to the left, numbers to the right."""
    widths = [max(len(row[index]) for row in (head, *rows)) for index in range(len(head))]

    def line(row: Sequence[str]) -> str:
        cells = [
            cell.ljust(width) if index < left else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        return one_line("  ".join(cells).rstrip())

    return [paint(line(head), "bold", colour), *map(line, rows)]
