"""Bounds, items and members that the schemas of one case state together."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import ceil, inf, lcm
from typing import Any, Final

from msgspec import Struct

from .cases import MAX_FACTS, Case, Part, possible_facts
from .json_values import is_number
from .search import found

Facts = Sequence[Part]

_FORMAT_LENGTHS: Final = {
    "date": (10, 10),
    "date-time": (20, None),
    "time": (9, None),
    "duration": (3, None),
    "email": (3, None),
    "hostname": (1, None),
    "ipv4": (7, 15),
    "ipv6": (2, 45),
    "uri": (2, None),
    "uuid": (36, 36),
}
"""Lengths that every text of a format has, at least and at most."""


def values_of(facts: Facts, keyword: str) -> list[Any]:
    """Return the values of `keyword`."""
    return [fact.schema[keyword] for fact in facts if keyword in fact.schema]


def largest(facts: Facts, keyword: str) -> int:
    """Return the largest value of a keyword that counts; 0 without one."""
    return max((int(value) for value in values_of(facts, keyword)), default=0)


def smallest(facts: Facts, keyword: str) -> int | None:
    """Return the smallest value of a keyword that counts."""
    return min((int(value) for value in values_of(facts, keyword)), default=None)


def exact(value: float) -> Fraction:
    """Return a number as the shortest decimal that reads back as it; a large float as its integer."""
    if isinstance(value, int) or abs(value) >= 2**53:
        return Fraction(value)
    return Fraction(repr(value))


def _common_multiple(steps: Sequence[Fraction]) -> Fraction:
    bottom = lcm(*(step.denominator for step in steps))
    return Fraction(lcm(*(int(step * bottom) for step in steps)), bottom)


class Interval(Struct, frozen=True):
    """Bounds of numbers, each perhaps open, and the step between them."""

    low: Fraction | None = None
    high: Fraction | None = None
    low_open: bool = False
    high_open: bool = False
    step: Fraction | None = None

    @property
    def first(self) -> Fraction | None:
        """The least multiple of `step` within the bounds; the lower bound where there is no step."""
        if self.low is None or self.step is None:
            return self.low
        at = ceil(self.low / self.step) * self.step
        return at + self.step if self.low_open and at == self.low else at

    @property
    def last(self) -> Fraction | None:
        """The largest multiple of `step` within the bounds; the upper bound where there is no step."""
        first = self.mirrored.first
        return None if first is None else -first

    @property
    def mirrored(self) -> "Interval":
        """The interval of the negated numbers."""
        low, high = (None if bound is None else -bound for bound in (self.high, self.low))
        return Interval(low, high, self.high_open, self.low_open, self.step)

    @property
    def empty(self) -> bool:
        if self.low is None or self.high is None:
            return False
        first, last = self.first, self.last
        assert first is not None
        assert last is not None
        return first > last or (self.step is None and first == last and (self.low_open or self.high_open))


def interval_of(facts: Facts, *, whole: bool) -> Interval:
    """Return the bounds of the numbers of a case."""
    low, low_open, high, high_open = None, False, None, False
    steps: list[Fraction] = [Fraction(1)] if whole else []
    for fact in facts:
        schema = fact.schema
        for keyword, is_open in (("minimum", False), ("exclusiveMinimum", True)):
            if _is_finite(schema.get(keyword)):
                bound = exact(schema[keyword])
                if low is None or (bound, is_open) > (low, low_open):
                    low, low_open = bound, is_open
        for keyword, is_open in (("maximum", False), ("exclusiveMaximum", True)):
            if _is_finite(schema.get(keyword)):
                bound = exact(schema[keyword])
                if high is None or (bound, not is_open) < (high, not high_open):
                    high, high_open = bound, is_open
        if _is_finite(schema.get("multipleOf")):
            steps.append(Fraction(repr(schema["multipleOf"])))
    return Interval(low, high, low_open, high_open, _common_multiple(steps) if steps else None)


def _is_finite(value: Any) -> bool:
    return is_number(value) and -inf < value < inf


class Lengths(Struct, frozen=True):
    """Bounds of the lengths of texts, arrays or objects."""

    least: int
    most: int | None

    @property
    def empty(self) -> bool:
        return self.most is not None and self.least > self.most


def text_lengths(facts: Facts) -> Lengths:
    """Return the lengths of the texts of a case, by its bounds and formats."""
    least, most = largest(facts, "minLength"), smallest(facts, "maxLength")
    for name in values_of(facts, "format"):
        low, high = _FORMAT_LENGTHS.get(name, (0, None))
        least = max(least, low)
        most = high if most is None else most if high is None else min(most, high)
    return Lengths(least, most)


# -- arrays ---------------------------------------------------------------------------------------


def item_parts(facts: Facts, index: int) -> list[Part]:
    """Return the schemas that apply to the item at `index`."""
    parts: list[Part] = []
    for fact in facts:
        prefix = fact.schema.get("prefixItems", ())
        if index < len(prefix):
            parts.append(fact.below("prefixItems", index))
        elif "items" in fact.schema:
            parts.append(fact.below("items"))
        elif "unevaluatedItems" in fact.schema and leaves_rest(fact):
            parts.append(fact.below("unevaluatedItems"))
    return parts


def leaves_rest(fact: Part) -> bool:
    """Return whether `unevaluatedItems` applies to all items behind the prefix: nothing else does."""
    if "items" in fact.schema or "contains" in fact.schema:
        return False
    applied = possible_facts([fact])
    return len(applied) < MAX_FACTS and all(
        each.schema is fact.schema or each.schema.keys().isdisjoint(_EVALUATE_ITEMS) for each in applied
    )


_EVALUATE_ITEMS: Final = ("items", "prefixItems", "contains", "unevaluatedItems")


def prefix_length(facts: Facts) -> int:
    """Return the number of first items with schemas of their own."""
    return max((len(value) for value in values_of(facts, "prefixItems")), default=0)


def array_lengths(facts: Facts) -> Lengths:
    """Return the lengths of the arrays of a case: `items: false` ends them behind the prefix."""
    least, most = largest(facts, "minItems"), smallest(facts, "maxItems")
    for fact in facts:
        prefix = fact.schema.get("prefixItems", ())
        ends = [index for index, schema in enumerate(prefix) if schema is False][:1]
        if not ends and fact.schema.get("items") is False:
            ends = [len(prefix)]
        if not ends and fact.schema.get("unevaluatedItems") is False and leaves_rest(fact):
            ends = [len(prefix)]
        for end in ends:
            most = end if most is None else min(most, end)
        if "contains" in fact.schema and fact.schema["contains"] is not False:
            least = max(least, int(fact.schema.get("minContains", 1)))
    return Lengths(least, most)


# -- objects --------------------------------------------------------------------------------------


def matches(pattern: str, name: str) -> bool:
    """Return whether a property name matches a pattern; no where that is not decided."""
    return bool(found(pattern, name))


def required_names(facts: Facts) -> list[str]:
    """Return the properties that are required, also by others that are."""
    names = dict.fromkeys(name for value in values_of(facts, "required") for name in value)
    dependent = [value for value in values_of(facts, "dependentRequired") if value]
    grown = bool(dependent)
    while grown:
        more = [
            other
            for value in dependent
            for name, others in value.items()
            if name in names
            for other in others
            if other not in names
        ]
        names.update(dict.fromkeys(more))
        grown = bool(more)
    return list(names)


class _Evaluated(Struct, frozen=True):
    """The names and patterns of names that a schema and those in place below it may evaluate."""

    names: frozenset[str]
    patterns: tuple[str, ...]

    def covers(self, name: str) -> bool:
        return name in self.names or any(matches(pattern, name) for pattern in self.patterns)


def evaluated(fact: Part) -> _Evaluated | None:
    """Return what `unevaluatedProperties` of a schema surely leaves out; None where that depends on more."""
    if "additionalProperties" in fact.schema:
        return None
    names: set[str] = set()
    patterns: list[str] = []
    applied = possible_facts([fact])
    if len(applied) >= MAX_FACTS:
        return None
    for each in applied:
        schema = each.schema
        if each.schema is not fact.schema and (
            "additionalProperties" in schema or "unevaluatedProperties" in schema
        ):
            return None
        names.update(schema.get("properties", ()))
        patterns += schema.get("patternProperties", ())
    return _Evaluated(frozenset(names), tuple(patterns))


def unevaluated(facts: Facts) -> Iterator[tuple[Part, _Evaluated]]:
    """Yield the schemas of `unevaluatedProperties`, with the names to which they surely do not apply."""
    for fact in facts:
        if "unevaluatedProperties" in fact.schema:
            known = evaluated(fact)
            if known is not None:
                yield fact.below("unevaluatedProperties"), known


def declared_names(facts: Facts) -> list[str]:
    """Return the properties that any of the schemas declares, or lists as allowed names."""
    names: dict[str, None] = {}
    for _, known in unevaluated(facts):
        names.update(dict.fromkeys(sorted(known.names)))
    for fact in facts:
        names.update(dict.fromkeys(fact.schema.get("properties", ())))
        listed = fact.schema.get("propertyNames")
        if isinstance(listed, dict):
            values = listed.get("enum", [listed["const"]] if "const" in listed else [])
            names.update(dict.fromkeys(value for value in values if isinstance(value, str)))
    return list(names)


def member_parts(facts: Facts, name: str) -> list[Part] | None:
    """Return the schemas that apply to the property `name`; None where one of them is `false`."""
    parts: list[Part] = []
    for fact in facts:
        schema = fact.schema
        named = False
        if name in schema.get("properties", ()):
            parts.append(fact.below("properties", name))
            named = True
        for pattern in schema.get("patternProperties", ()):
            matched = found(pattern, name)
            if matched:
                parts.append(fact.below("patternProperties", pattern))
            named = named or matched is not False  # where that is not decided, neither schema applies
        if not named and "additionalProperties" in schema:
            parts.append(fact.below("additionalProperties"))
        if "propertyNames" in schema and fact.below("propertyNames").refuses(name):
            return None
    parts += [part for part, known in unevaluated(facts) if not known.covers(name)]
    return None if any(part.schema is False for part in parts) else parts


def is_closed(facts: Facts) -> bool:
    """Return whether only names that the schemas declare are allowed."""
    for fact in facts:
        schema = fact.schema
        if schema.get("additionalProperties") is False and not schema.get("patternProperties"):
            return True
        names = schema.get("propertyNames")
        if names is False or (isinstance(names, dict) and ("enum" in names or "const" in names)):
            return True
    return any(part.schema is False and not known.patterns for part, known in unevaluated(facts))


def object_sizes(facts: Facts) -> Lengths:
    """Return how many properties the objects of a case have."""
    least = max(largest(facts, "minProperties"), len(required_names(facts)))
    most = smallest(facts, "maxProperties")
    if is_closed(facts):
        count = sum(member_parts(facts, name) is not None for name in declared_names(facts))
        most = count if most is None else min(most, count)
    return Lengths(least, most)


def patterned(facts: Facts) -> Iterator[tuple[Part, str]]:
    """Yield every pattern of names, with the schema that has it."""
    for fact in facts:
        for pattern in fact.schema.get("patternProperties", ()):
            yield fact, pattern


def whole_numbers(case: Case) -> list[int | float] | None:
    """Return all numbers of a case, where they are few."""
    interval = interval_of(case.facts, whole=case.whole)
    first, last, step = interval.first, interval.last, interval.step
    if first is None or last is None or step is None or (last - first) / step > _MAX_LISTED:
        return None
    found: list[int | float] = []
    while first <= last:
        found.append(as_number(first))
        first += step
    return found


_MAX_LISTED: Final = 256
"""Numbers of a range that are listed one by one."""


def as_number(value: Fraction) -> int | float:
    """Return a fraction as JSON: an integer where it is whole."""
    return int(value) if value.denominator == 1 else float(value)
