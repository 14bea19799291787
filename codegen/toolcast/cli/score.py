"""How a score looks: the set, its tools with the reasons of each point, and pairs that may be confused."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from ..console import one_line, paint
from .tokens import columns

if TYPE_CHECKING:
    from ..lint.confusable import ConfusedPair
    from ..score.score_model import Deduction, Score, TokenUse

_TOOLS: Final = 20
"""Tools whose reasons are shown: those with the fewest points."""
_PAIRS: Final = 20


def score_text(score: "Score", colour: bool) -> str:
    """The score as text: totals first, then the tools with the fewest points, then the pairs most alike."""
    return "\n".join([*_set(score, colour), *_tools(score, colour), *_pairs(score, colour)])


def _set(score: "Score", colour: bool) -> Iterator[str]:
    whole = score.set
    yield paint(f"score of the set: {whole.points} of 100", "bold", colour)
    if whole.queries:
        share = whole.found_first / whole.queries
        yield f"  a search finds the right tool first for {share:.0%} of {whole.queries} queries"
    yield from map(_reason, whole.deductions)
    rows = [(each.provider, f"{each.full}", _limit(each), f"{each.brief}") for each in whole.tokens]
    if rows:
        yield from columns(("all tools", "tokens", "of limit", "brief"), rows, 1, colour)
    yield ""


def _limit(use: "TokenUse") -> str:
    return "" if use.share is None else f"{use.share:.0%}"


def _tools(score: "Score", colour: bool) -> Iterator[str]:
    shown = [each for each in score.tools if each.deductions]
    for each in shown[:_TOOLS]:
        yield paint(one_line(f"{each.tool}: {each.points} of 100"), "bold", colour)
        yield from map(_reason, each.deductions)
    if len(shown) > _TOOLS:
        yield f"and {len(shown) - _TOOLS} more tools with fewer than 100 points (--format json has all)"
    if len(score.tools) > len(shown):
        yield f"100 of 100: {len(score.tools) - len(shown)} of {len(score.tools)} tools"
    if score.tools:
        yield ""


def _reason(deduction: "Deduction") -> str:
    code = f" [{deduction.code}]" if deduction.code else ""
    return one_line(f"  -{deduction.points} {deduction.part}: {deduction.reason}{code}")


def _pairs(score: "Score", colour: bool) -> Iterator[str]:
    if not score.pairs:
        return
    rows = [
        (
            f"{each.similarity:.0%}",
            each.first,
            each.second,
            _difference(each),
            _words(each.words),
        )
        for each in score.pairs[:_PAIRS]
    ]
    yield from columns(("alike", "tool", "other tool", "difference", "by the words"), rows, 5, colour)
    if len(score.pairs) > _PAIRS:
        yield f"and {len(score.pairs) - _PAIRS} more pairs"
    yield ""


def _difference(pair: "ConfusedPair") -> str:
    """Where a model reads how the tools differ; empty where nowhere."""
    if pair.stated:
        return "stated"
    return "names" if pair.names_differ else ""


def _words(words: Sequence[str]) -> str:
    return ", ".join(words)
