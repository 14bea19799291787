"""Gaps: the reasons why containment is not shown; cases without values, by a search."""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple, Protocol

from msgspec import Struct
from msgspec.structs import replace

from ...jsonschema.case_facts import (
    Facts,
    Lengths,
    array_lengths,
    object_sizes,
    text_lengths,
    values_of,
)
from ...jsonschema.cases import Case, Part, mask_of
from ...jsonschema.emptiness import Emptiness
from ...jsonschema.json_values import JsonObject
from ..instances.generator import Generator, PartBudget, UnfillableError, fits
from ..instances.pattern_texts import UndecidedTextError, find_text
from ..instances.scalar_values import patterns_of

_MAX_NESTED: Final = 3
"""Proofs that a case is refused, inside of each other."""


class SearchingEmptiness(Emptiness):
    """Emptiness that also searches for texts, and for schemas that a case excludes."""

    def __init__(self, spend: Callable[[], bool], contains: Callable[[Case, Part], bool]) -> None:
        """`spend` counts one step, and is False at the end; `contains` is `Prover.contains`."""
        super().__init__(spend)
        self._contains = contains
        self._nested = 0

    def case(self, case: Case, depth: int = 0) -> str | None:
        """Return why a case of one kind has no value; None where that is not shown."""
        return super().case(case, depth) or self._refused(case)

    def _refused(self, case: Case) -> str | None:
        if not case.refused or self._nested >= _MAX_NESTED:
            return None
        self._nested += 1
        try:
            for part in case.refused:
                others = tuple(each for each in case.refused if each is not part)
                if self._contains(replace(case, refused=others), part):
                    return "all its values are excluded"
            return None
        finally:
            self._nested -= 1

    def no_text(self, case: Case) -> str | None:
        """Return why a case of strings has no value, by its patterns and formats, too."""
        lengths = text_lengths(case.facts)
        if lengths.empty:
            return super().no_text(case) or "its formats and lengths exclude each other"
        patterns = list(dict.fromkeys(values_of(case.facts, "pattern")))
        patterns += patterns_of(values_of(case.facts, "format"))
        if not patterns or (len(patterns) == 1 and lengths.least == 0 and lengths.most is None):
            return None
        try:
            found = find_text(patterns, (), lengths.least, lengths.most)
        except UndecidedTextError:
            return None
        return "its patterns, formats and lengths exclude each other" if found is None else None


Values = Callable[[], Iterator[Any]]
"""Values that may be witnesses, made when they are asked for; likely ones first."""


class Gap(Struct, frozen=True, eq=False):
    """One reason why containment is not shown at one place. `values` are of that place (then `at_place`);
    around it, each step adds what contains them.
    """

    pointer: str
    reason: str
    message: str
    values: Values
    at_place: bool = False

    def around(self, embed: Callable[[object], Iterable[object]]) -> "Gap":
        """Return the gap one level further out; `embed` puts a value into one that contains it."""

        def values() -> Iterator[Any]:
            for value in self.values():
                yield from embed(value)

        return Gap(self.pointer, self.reason, self.message, values)


class Prover(Protocol):
    """The comparison of any schemas, as far as the comparisons of single types need it."""

    budget: PartBudget
    builder: Generator
    varied: Generator
    emptiness: SearchingEmptiness

    def spend(self) -> bool: ...
    def same(self, left: Part, right: Part) -> bool: ...
    def gaps(self, parts: Sequence[Part], target: Part, *, without_null: bool = False) -> list[Gap]: ...
    def case_gaps(self, case: Case, target: Part) -> list[Gap]: ...
    def made(self, part: Part, schema: JsonObject) -> Part: ...
    def disjoint(self, case: Case, part: Part) -> bool: ...
    def contains(self, case: Case, target: Part) -> bool: ...
    def forgives_null(self, target: Part, name: str) -> bool: ...


class Goal(Struct, frozen=True, eq=False):
    """Every value of `case` has to satisfy `target`."""

    prover: Prover
    case: Case
    target: Part

    @property
    def facts(self) -> Facts:
        """Return the schemas that apply to all values of the case."""
        return self.case.facts

    def gap(self, reason: str, message: str, values: Values) -> Gap:
        """Make a gap at the place of the case, which yields only values of the case that `target` refuses.
        Behind `values`, it searches for more.
        """

        def fitting() -> Iterator[object]:
            for value in chain(values(), self._searched()):
                if (
                    mask_of(value) & self.case.mask
                    and not self.target.accepts(value)
                    and fits(self.case, value)
                ):
                    yield value

        return Gap(self.case.pointer, reason, message, fitting, True)

    def _searched(self) -> Iterator[object]:
        budget = self.prover.budget
        builder = Generator(budget, random.Random(0), 300)
        for number in range(_LOCAL_VALUES):
            if budget.left <= 0:
                return
            builder.fullness = (0.0, 0.3, 0.7, 1.0)[number % 4]
            yield from made_of(lambda: builder.of_case(self.case, hints=(self.target,)))

    def values(self, case: Case) -> Iterator[Any]:
        """Yield a small value of a case, if one can be made."""
        return made_of(lambda: self.prover.builder.of_case(case))

    def made(self, schema: JsonObject) -> Part:
        """Make a schema that stands for a restriction, on the side and at the place of `target`."""
        return self.prover.made(self.target, schema)


def made_of(*makers: Callable[[], object]) -> Iterator[Any]:
    """Yield each value that can be made."""
    for make in makers:
        try:
            yield make()
        except UnfillableError:
            continue


_LOCAL_VALUES: Final = 40
"""Values that a search at one place makes."""


def merged(gaps: Iterable[Gap]) -> list[Gap]:
    """Merge gaps of one reason at one place, in the order of the first."""
    grouped: dict[tuple[str, str], list[Gap]] = {}
    for gap in gaps:
        grouped.setdefault((gap.pointer, gap.reason), []).append(gap)
    return [together(group) if len(group) > 1 else group[0] for group in grouped.values()]


def together(gaps: Sequence[Gap]) -> Gap:
    """Merge gaps into the first one, with the values of all in turn."""

    def values() -> Iterator[Any]:
        waiting = [gap.values() for gap in gaps]
        while waiting:
            for each in list(waiting):
                found = next(each, _END)
                if found is _END:
                    waiting.remove(each)
                else:
                    yield found

    first = gaps[0]
    return Gap(first.pointer, first.reason, first.message, values, first.at_place)


_END = object()


class _Counted(NamedTuple):
    """Items of arrays or properties of objects. `noun` is for messages; reasons begin with `min-` and `max-`
    before it. `least` and `most` are the keywords of the bounds, `sizes` the numbers of them in the values
    of a case.
    """

    noun: str
    least: str
    most: str
    sizes: Callable[[Facts], Lengths]


ITEMS: Final = _Counted("items", "minItems", "maxItems", array_lengths)
PROPERTIES: Final = _Counted("properties", "minProperties", "maxProperties", object_sizes)


def size_gaps(goal: Goal, counted: _Counted, of_size: Callable[[JsonObject], Iterator[object]]) -> list[Gap]:
    """Return a gap for each bound of a size that the target has and the case has not. `of_size` makes values
    of the case that also meet a schema with one bound of the size.
    """
    ours, found = counted.sizes(goal.facts), []
    schema = goal.target.schema
    low, high = int(schema.get(counted.least, 0)), schema.get(counted.most)
    noun = counted.noun
    if ours.least < low:
        message = f"at least {ours.least} {noun} before, {low} now"
        fewer = {counted.most: low - 1}
        found.append(goal.gap(f"min-{noun}-raised", message, lambda: of_size(fewer)))
    if high is not None and (ours.most is None or ours.most > high):
        before = f"any number of {noun}" if ours.most is None else f"at most {ours.most} {noun}"
        message = f"{before} before, at most {int(high)} now"
        further = {counted.least: int(high) + 1}
        found.append(goal.gap(f"max-{noun}-lowered", message, lambda: of_size(further)))
    return found


REASONS: Final[Mapping[str, str]] = {
    "required-added": "A property that was not declared before is required now.",
    "made-required": "A property that was optional before is required now.",
    "property-removed": "A declared property is refused now: the object is closed and no longer declares it.",
    "property-forbidden": "A property is refused now, whatever its value.",
    "property-declared": "A property that was not declared had any value before; now it has a schema.",
    "object-closed": "Properties that are not declared were accepted before and are refused now.",
    "property-names-narrowed": "Names of properties that were accepted before are refused now.",
    "min-properties-raised": "An object needs more properties than before.",
    "max-properties-lowered": "An object may have fewer properties than before.",
    "dependency-added": "One property requires another now.",
    "type-narrowed": "Values of a JSON type that was accepted before are refused now.",
    "null-refused": "null was accepted before and is refused now.",
    "enum-value-removed": "A value that was listed before is refused now.",
    "enum-added": "Only listed values are accepted now.",
    "minimum-raised": "Numbers that were large enough before are too small now.",
    "maximum-lowered": "Numbers that were small enough before are too large now.",
    "multiple-of-narrowed": "Numbers must be multiples of another number now.",
    "min-length-raised": "Texts that were long enough before are too short now.",
    "max-length-lowered": "Texts that were short enough before are too long now.",
    "pattern-added": "Texts must match a pattern now.",
    "pattern-changed": "Texts that matched the former pattern do not match the present one.",
    "format-added": "Texts must be of a format now.",
    "format-changed": "Texts of the former format are not of the present one.",
    "min-items-raised": "An array needs more items than before.",
    "max-items-lowered": "An array may have fewer items than before.",
    "unique-items-added": "Items that are equal are refused now.",
    "contains-narrowed": "An array must contain other items, or another number of them, than before.",
    "items-forbidden": "An item at this position is refused now, whatever its value.",
    "branch-removed": "Values of one branch of a union fit no branch now.",
    "union-narrowed": "Values that fitted a branch before fit none of several similar branches now.",
    "branches-overlap": "A value fits more than one branch of `oneOf` now, which refuses it.",
    "exclusion-added": "Values are excluded by `not` now.",
    "condition-narrowed": "Values to which a condition applies are refused now.",
    "value-refused": "Values are refused now, and no simpler kind of narrowing says why.",
}
"""Every kind of narrowing, and what it says of values of the first contract."""

OF_KEYWORD: Final[Mapping[str, str]] = {
    "required": "made-required",
    "additionalProperties": "object-closed",
    "unevaluatedProperties": "object-closed",
    "propertyNames": "property-names-narrowed",
    "minProperties": "min-properties-raised",
    "maxProperties": "max-properties-lowered",
    "dependentRequired": "dependency-added",
    "type": "type-narrowed",
    "enum": "enum-value-removed",
    "const": "enum-value-removed",
    "minimum": "minimum-raised",
    "exclusiveMinimum": "minimum-raised",
    "maximum": "maximum-lowered",
    "exclusiveMaximum": "maximum-lowered",
    "multipleOf": "multiple-of-narrowed",
    "minLength": "min-length-raised",
    "maxLength": "max-length-lowered",
    "pattern": "pattern-changed",
    "format": "format-changed",
    "minItems": "min-items-raised",
    "maxItems": "max-items-lowered",
    "uniqueItems": "unique-items-added",
    "contains": "contains-narrowed",
    "minContains": "contains-narrowed",
    "maxContains": "contains-narrowed",
    "unevaluatedItems": "items-forbidden",
    "anyOf": "union-narrowed",
    "oneOf": "union-narrowed",
    "not": "exclusion-added",
}
"""The kind of narrowing that a violated keyword shows, where nothing else does."""
