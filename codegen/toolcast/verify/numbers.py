"""Numbers and strings for the constraints that stand together on one value."""

import math
import random
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from .pattern_samples import sample
from .samples import FLOATS, FORMATS, INTEGERS, STRINGS

Facts = Sequence[dict[str, Any]]
"""Schemas that all judge one value."""


def values_of(facts: Facts, keyword: str) -> list[Any]:
    """What the schemas say for `keyword`."""
    return [schema[keyword] for schema in facts if keyword in schema]


def numeric(facts: Facts, keyword: str) -> list[Any]:
    """The same, numbers only."""
    return [v for v in values_of(facts, keyword) if isinstance(v, (int, float)) and not isinstance(v, bool)]


def number(rng: random.Random, facts: Facts, *, whole: bool) -> int | float:
    """A number that is likely to fit: at a bound, near one, or a multiple."""
    lows = numeric(facts, "minimum") + numeric(facts, "exclusiveMinimum")
    highs = numeric(facts, "maximum") + numeric(facts, "exclusiveMaximum")
    low, high = (max(lows) if lows else None), (min(highs) if highs else None)
    steps = [step for step in numeric(facts, "multipleOf") if step > 0]
    if steps:
        return _multiple(rng, steps, low, high, whole=whole)
    near: list[int | float] = []
    if low is not None:
        near += [low, low + 1, low + rng.randint(0, 20)]
    if high is not None:
        near += [high, high - 1, high - rng.randint(0, 20)]
    if low is not None and high is not None and high - low < 1e300:
        near += [low + (high - low) * rng.random(), (low + high) / 2]
    if not near:
        near = [rng.choice(INTEGERS), rng.randint(-20, 20)]
        if not whole:
            near += [rng.choice(FLOATS), rng.uniform(-100, 100)]
    value = rng.choice(near)
    if whole and isinstance(value, float):
        value = math.floor(value) if rng.random() < 0.5 else math.ceil(value)
    if not whole and rng.random() < 0.3 and abs(value) < 1e15:
        value = value + rng.choice((0.5, -0.5, 0.25, 0.1))
    return value


def _multiple(rng: random.Random, steps: list[Any], low: Any, high: Any, *, whole: bool) -> int | float:
    step = Decimal(1)
    for each in steps:
        exact = Decimal(str(each))
        step = exact if step == 1 and len(steps) == 1 else _common(step, exact)
    if whole:
        step = _common(step, Decimal(1))
    first = math.ceil(Decimal(str(low)) / step) if low is not None else None
    last = math.floor(Decimal(str(high)) / step) if high is not None else None
    if first is None:
        first = (last - 40) if last is not None else -20
    if last is None or last < first:
        last = first + 40
    found = step * rng.choice((first, last, rng.randint(first, last)))
    return int(found) if found == found.to_integral_value() else float(found)


def _common(one: Decimal, other: Decimal) -> Decimal:
    """The least common multiple of two positive decimals."""
    scale = Decimal(10) ** max(0, -min(_exponent(one), _exponent(other)))
    return Decimal(math.lcm(int(one * scale), int(other * scale)) or 1) / scale


def _exponent(value: Decimal) -> int:
    found = value.normalize().as_tuple().exponent
    return max(found, -30) if isinstance(found, int) else 0


def string(rng: random.Random, facts: Facts) -> str:
    """A string that is likely to fit patterns, a format and lengths."""
    low = max([0, *(int(v) for v in numeric(facts, "minLength"))])
    highs = [int(v) for v in numeric(facts, "maxLength")]
    high = min(highs) if highs else None
    patterns = [v for v in values_of(facts, "pattern") if isinstance(v, str)]
    formats = [v for v in values_of(facts, "format") if v in FORMATS]
    if patterns:
        for _ in range(8):
            text = sample(rng, rng.choice(patterns))
            if text is None:
                break
            if low <= len(text) and (high is None or len(text) <= high):
                return text
    if formats and rng.random() < 0.9:
        return rng.choice(FORMATS[rng.choice(formats)][0])
    text = rng.choice(STRINGS)
    wanted = (
        rng.choice((low, low + 1, low + 5)) if high is None else rng.choice((low, high, min(high, low + 1)))
    )
    wanted = min(wanted, 20_000)
    if len(text) < low:
        text += rng.choice(("a", "é", "😀", "Z ")) * wanted
        text = text[: max(wanted, low)]
    return text if high is None or len(text) <= high else text[:high]
