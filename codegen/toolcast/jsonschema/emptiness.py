"""Schemas that no value satisfies, and the reason in words.

What is not decided counts as satisfiable. Types, literals, bounds and what is required decide here;
`containment` adds patterns and excluded schemas, where a search is worth its cost.
"""

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Final

from .case_facts import (
    Facts,
    Interval,
    array_lengths,
    as_number,
    interval_of,
    item_parts,
    largest,
    member_parts,
    object_sizes,
    prefix_length,
    required_names,
    smallest,
)
from .cases import FORBIDDEN, Case, Part, cases_of, possible_facts

_MAX_DEPTH: Final = 40
"""Levels below a schema that are looked into."""
_MAX_STEPS: Final = 100_000
"""Schemas that are looked into in one document, so that a hostile one costs little."""


class Emptiness:
    """Shows that schemas have no value in common. Remembers what it has shown."""

    def __init__(self, spend: Callable[[], bool] | None = None) -> None:
        """`spend` counts a schema that is looked into, and is False once there were too many (default: after
        `_MAX_STEPS`)."""
        self._left = _MAX_STEPS
        self._spend = self._count if spend is None else spend
        self._known: dict[frozenset[int], tuple[str | None, tuple[Part, ...]]] = {}

    def _count(self) -> bool:
        self._left -= 1
        return self._left > 0

    def reason(self, parts: Iterable[Part], depth: int = 0) -> str | None:
        """Return why no value is accepted by all of `parts`, as a clause. `FORBIDDEN` where they refuse all
        values explicitly; None where some value is accepted, or where that is not decided.
        """
        parts = tuple(parts)
        keys = frozenset(part.key for part in parts)
        if keys not in self._known:
            if depth > _MAX_DEPTH or not self._spend():
                return None
            self._known[keys] = None, parts  # a schema that contains itself
            self._known[keys] = self._reason(parts, depth), parts
        return self._known[keys][0]

    def _reason(self, parts: tuple[Part, ...], depth: int) -> str | None:
        reasons = self._of_cases(parts, depth)
        if reasons is None or reasons == [FORBIDDEN]:
            return None if reasons is None else FORBIDDEN
        facts = possible_facts(parts)
        unions = [name for fact in facts for name in ("anyOf", "oneOf") if name in fact.schema]
        without = self._of_cases(parts, depth, unions=False) if unions else reasons
        if without is not None:
            return "; ".join(without)
        return f"no branch of its `{unions[0]}` can have a value: {'; '.join(reasons)}"

    def _of_cases(self, parts: tuple[Part, ...], depth: int, *, unions: bool = True) -> list[str] | None:
        """Return why none of the cases of `parts` has a value; None where one may have."""
        reasons: list[str] = []
        for case in cases_of(parts, without_values=reasons, unions=unions):
            reason = self.case(case, depth)
            if reason is None:
                return None
            reasons.append(reason)
        return list(dict.fromkeys(reasons))

    def case(self, case: Case, depth: int = 0) -> str | None:
        """Return why a case of one kind has no value; None if it may have one."""
        if case.literals is not None:
            return self._no_literal(case)
        if case.kind == "number":
            return _no_number(interval_of(case.facts, whole=case.whole))
        if case.kind == "string":
            return self.no_text(case)
        found = self._no_array(case, depth) if case.kind == "array" else self._no_object(case, depth)
        return next(found, None)

    def _no_literal(self, case: Case) -> str | None:
        assert case.literals is not None
        if any(not any(fact.refuses(value) for fact in case.facts) for value in case.literals):
            return None
        stated = [name for name in ("enum", "const") for fact in case.facts if name in fact.schema]
        return f"the rest of it refuses every {f'value of its `{stated[0]}`' if stated else case.kind}"

    def no_text(self, case: Case) -> str | None:
        """Return why a case of strings has no value; None if it may have one."""
        return next(_above(case.facts, "minLength", "maxLength"), None)

    def _no_array(self, case: Case, depth: int) -> Iterator[str]:
        yield from _above(case.facts, "minItems", "maxItems")
        lengths = array_lengths(case.facts)
        kinds = prefix_length(case.facts) + 1  # behind them, all items have the same schemas
        for index in range(min(lengths.least, kinds)):
            why = self.reason(item_parts(case.facts, index), depth + 1)
            if why is not None:
                yield f"item {index} of at least {lengths.least} can have no value: {why}"
        if lengths.empty:
            yield f"it has at least {lengths.least} items, and at most {lengths.most}"
        for fact in case.facts:
            few = fact.schema.get("minContains", 1) if "contains" in fact.schema else 0
            if few <= 0:
                continue
            most = fact.schema.get("maxContains", few)
            if few > most:
                yield f"`minContains` {few} is above `maxContains` {most}"
            places = kinds if lengths.most is None else min(kinds, lengths.most)
            reasons = [
                self.reason([*item_parts(case.facts, index), fact.below("contains")], depth + 1)
                for index in range(places)
            ]
            stated = [each for each in reasons if each is not None]
            if len(stated) == places:
                yield f"no item can be what `contains` asks for: {'; '.join(dict.fromkeys(stated))}"

    def _no_object(self, case: Case, depth: int) -> Iterator[str]:
        yield from _above(case.facts, "minProperties", "maxProperties")
        required = required_names(case.facts)
        most = smallest(case.facts, "maxProperties")
        if most is not None and len(required) > most:
            yield f"{len(required)} properties are required and `maxProperties` is {most}"
        for name in required:
            parts = member_parts(case.facts, name)
            why = FORBIDDEN if parts is None else self.reason(parts, depth + 1)
            if why == FORBIDDEN:
                yield f"the property {name!r:.60} is required, and another part of it forbids it"
            elif why is not None:
                yield f"the required property {name!r:.60} can have no value: {why}"
        sizes = object_sizes(case.facts)
        if sizes.empty:
            yield f"`minProperties` is {sizes.least} and {sizes.most} properties are allowed"


def _above(facts: Facts, least: str, most: str) -> Iterator[str]:
    """The bounds of a size, where they exclude each other."""
    low, high = largest(facts, least), smallest(facts, most)
    if high is not None and low > high:
        yield f"`{least}` {low} is above `{most}` {high}"


def _no_number(numbers: Interval) -> str | None:
    low, high = numbers.low, numbers.high
    if not numbers.empty or low is None or high is None:
        return None
    least, most = _text(low), _text(high)
    if low > high or (low == high and (numbers.low_open or numbers.high_open)):
        below = "exclusiveMinimum" if numbers.low_open else "minimum"
        above = "exclusiveMaximum" if numbers.high_open else "maximum"
        relation = "is above" if low > high else "leaves nothing below"
        return f"`{below}` {least} {relation} `{above}` {most}"
    step = numbers.step
    kind = "integer" if step is None or step == 1 else f"multiple of {_text(step)}"
    return f"no {kind} lies between {least} and {most}"


def _text(number: Fraction) -> str:
    return f"{as_number(number)!r:.40}" if abs(number) < 10**300 else "(a huge number)"
