"""The differences between two states of the specs as a report has them."""

from ..diff.compare_states import RANKS, Outcome
from .report_model import ComparedChange, Comparison


def comparison(outcome: Outcome) -> Comparison:
    """The differences between two states as a report has them.

    Args:
        outcome: the comparison.

    Returns:
        It, with what specs suppress marked.
    """
    both = [(each, False) for each in outcome.findings] + [(each, True) for each in outcome.suppressed]
    changes = (
        ComparedChange(
            level=each.level,
            audience=each.change.audience,
            rule=each.change.rule,
            tool=each.change.tool,
            message=each.change.message,
            hint=each.change.hint,
            file=each.change.file,
            line=each.change.line,
            old=each.change.old,
            providers=each.change.providers,
            witness=each.change.witness,
            undecided=each.change.undecided,
            suppressed=suppressed,
        )
        for each, suppressed in both
    )
    return Comparison(
        old=outcome.old,
        new=outcome.new,
        compared=len(outcome.pairs),
        unchanged=outcome.unchanged,
        changes=tuple(sorted(changes, key=lambda each: (each.suppressed, RANKS[each.level], each.tool))),
        diagnostics=outcome.diagnostics,
    )
