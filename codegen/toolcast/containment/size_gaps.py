"""How many items or properties the values of a case have, against the bounds of one schema."""

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from .case_facts import Facts, Lengths, array_lengths, object_sizes
from .cases import Case
from .gaps import Gap, Prover
from .sides import Part


class Counted(NamedTuple):
    """What is counted.

    Attributes:
        noun: for messages; reasons begin with `min-` and `max-` before it.
        least: the keyword of the lower bound.
        most: the keyword of the upper bound.
        sizes: how many of them the values of a case have.
    """

    noun: str
    least: str
    most: str
    sizes: Callable[[Facts], Lengths]


ITEMS: Final = Counted("items", "minItems", "maxItems", array_lengths)
PROPERTIES: Final = Counted("properties", "minProperties", "maxProperties", object_sizes)


def size_gaps(
    prover: Prover,
    case: Case,
    target: Part,
    counted: Counted,
    of_size: Callable[[dict[str, Any]], Iterator[Any]],
) -> list[Gap]:
    """The bounds of a size that `target` has and `case` has not.

    Args:
        prover: makes the gaps.
        case: whose values may be refused.
        target: whose bounds refuse them.
        counted: what is counted.
        of_size: values of the case that also meet a schema with one bound of the size.

    Returns:
        At most one gap for each bound.
    """
    ours, found = counted.sizes(case.facts), []
    low, high = int(target.schema.get(counted.least, 0)), target.schema.get(counted.most)
    noun = counted.noun
    if ours.least < low:
        message = f"at least {ours.least} {noun} before, {low} now"
        fewer = {counted.most: low - 1}
        found.append(prover.gap(case, target, f"min-{noun}-raised", message, lambda: of_size(fewer)))
    if high is not None and (ours.most is None or ours.most > high):
        before = f"any number of {noun}" if ours.most is None else f"at most {ours.most} {noun}"
        message = f"{before} before, at most {int(high)} now"
        further = {counted.least: int(high) + 1}
        found.append(prover.gap(case, target, f"max-{noun}-lowered", message, lambda: of_size(further)))
    return found
