"""Patterns that text made by a model could keep busy."""

from typing import Any, Final

from ..runtime.schema import UnsupportedPattern
from ..runtime.schema.ecma import degree, is_safe

_STEPS: Final = 100_000_000
"""Steps of a search that are over in some tenths of a second."""


def slow_pattern(pattern: Any, longest: Any = None) -> str | None:
    """What is slow about a pattern; None where nothing is, or where it is no pattern at all.

    `longest` is the `maxLength` beside it, if there is one: it may keep the cost small.
    """
    if not isinstance(pattern, str):
        return None
    limit = longest if isinstance(longest, int | float) else None
    try:
        risk = is_safe(pattern)
        power = 1 if risk else degree(pattern)
    except UnsupportedPattern:
        return None
    if risk:
        short = limit is not None and 0 <= limit <= 20 and 2**limit <= _STEPS
        return None if short else f"the pattern {pattern!r} can take exponential time: {risk}"
    if power == 1 or (limit is not None and 0 <= limit < _STEPS and limit**power <= _STEPS):
        return None
    grows = "with the square" if power == 2 else f"with the power {power}"
    return (
        f"the pattern {pattern!r} can take time that grows {grows} of the text's length: "
        "endless repetitions in it can share one text in many ways"
    )
