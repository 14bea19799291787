"""Proves that values of some schemas are values of another, or names the places where the proof fails.

The first side is a set of cases, each wider than what it stands for; the second is a conjunction of keywords.
Every case must satisfy every keyword. References are coinductive: a pair that is being compared holds.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec.json import encode
from msgspec.structs import replace

from ...jsonschema.case_facts import array_lengths, object_sizes, smallest, values_of, whole_numbers
from ...jsonschema.cases import (
    ALL,
    FRACTION,
    KINDS,
    Case,
    Part,
    admitted,
    asserts,
    cases_of,
    mask_of,
    mask_of_types,
    names_of_types,
    possible_facts,
    stated_types,
)
from ...jsonschema.json_values import JsonObject, equal, key
from ...jsonschema.keywords import ASSERTIONS, HOLDS_SCHEMAS, SCHEMA, SCHEMA_LIST, SCHEMA_MAP, TYPE_OF
from ..instances.generator import Generator, PartBudget, fits
from .array_gaps import array_gaps
from .conditions import condition_gaps, exclusion_gaps, union_gaps
from .gaps import OF_KEYWORD, Gap, Goal, SearchingEmptiness, merged
from .object_gaps import object_gaps
from .scalar_gaps import no_fraction_gap, number_gaps, string_gaps

_COMPARED_DEPTH: Final = 60
"""Levels of schemas that are compared; deeper ones count as different."""
_SETS: Final = frozenset({"required", "enum", "type"})


class _SameSchemas:
    """Compares schemas of two sides; remembers every pair. References are followed in step."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], bool] = {}
        self._assumed: list[tuple[int, int]] = []
        self._keys: dict[int, tuple[object, frozenset[object]]] = {}

    def same(self, left: Part, right: Part) -> bool:
        """Return whether two schemas have equal normal forms; a pair within itself counts as equal."""
        found = self._same(left, right, 0)
        if not found:  # what was taken to be equal may rest on a pair that is not
            for pair in self._assumed:
                del self._known[pair]
        self._assumed.clear()
        return found

    def _same(self, left: Part, right: Part, depth: int) -> bool:
        left, right = _unwrapped(left), _unwrapped(right)
        one, two = left.schema, right.schema
        if isinstance(one, bool) or isinstance(two, bool) or (one is two and left.side is right.side):
            return one is two
        if depth > _COMPARED_DEPTH:
            return False
        pair = (id(one), id(two))
        known = self._known.get(pair)
        if known is None:
            self._known[pair] = True
            self._assumed.append(pair)
            known = self._equal(left, right, depth)
            if not known:
                self._known[pair] = False
                self._assumed.remove(pair)
        return known

    def _equal(self, left: Part, right: Part, depth: int) -> bool:
        one, two = _asserted(left.schema), _asserted(right.schema)
        if one != two:
            return False
        return all(self._keyword(left, right, name, depth) for name in sorted(one, key=_cheap_first))

    def _keyword(self, left: Part, right: Part, name: str, depth: int) -> bool:
        one, two = left.schema[name], right.schema[name]
        if name == "$ref":
            return self._same(left.side.target(one), right.side.target(two), depth + 1)
        if name in SCHEMA:
            return self._same(left.below(name), right.below(name), depth + 1)
        if name in SCHEMA_LIST:
            return len(one) == len(two) and all(
                self._same(ours, theirs, depth + 1)
                for ours, theirs in zip(left.listed(name), right.listed(name), strict=True)
            )
        if name in SCHEMA_MAP:
            return one.keys() == two.keys() and all(
                self._same(left.below(name, each), right.below(name, each), depth + 1) for each in one
            )
        if name in _SETS:
            return self.members(one) == self.members(two)
        if name == "dependentRequired":
            return _named_sets(one) == _named_sets(two)
        return equal(one, two)

    def members(self, value: object) -> frozenset[Any]:
        """Return the members of `required`, `enum` or `type`, as keys of JSON equality."""
        if not isinstance(value, list):
            return frozenset([key(value)])
        known = self._keys.get(id(value))
        if known is None:
            known = self._keys[id(value)] = (value, frozenset(map(key, value)))
        return known[1]


def _asserted(schema: Mapping[str, object]) -> set[str]:
    """Return the keywords of a schema that may refuse a value of its types."""
    mask = stated_types(schema)
    return {
        name
        for name, value in schema.items()
        if asserts(name, value) and KINDS.get(TYPE_OF.get(name, ""), ALL) & mask
    }


def _unwrapped(part: Part) -> Part:
    """Return the schema that a reference, or a union or `allOf` of one, stands for."""
    for _ in range(_MAX_WRAPS):
        schema = part.schema
        if isinstance(schema, bool) or not _WRAPS & schema.keys():
            break
        stated = [name for name, value in schema.items() if asserts(name, value)]
        if stated == ["$ref"]:
            part = part.side.target(schema["$ref"])
        elif len(stated) == 1 and stated[0] in _WRAPS and len(schema[stated[0]]) == 1:
            part = part.below(stated[0], 0)
        else:
            break
    return part


_WRAPS: Final = frozenset({"$ref", "allOf", "anyOf", "oneOf"})
_MAX_WRAPS: Final = 20


def _cheap_first(name: str) -> bool:
    return name in HOLDS_SCHEMAS or name == "$ref"


def _named_sets(value: Mapping[str, list[str]]) -> dict[str, frozenset[str]]:
    return {name: frozenset(names) for name, names in value.items()}


_MAX_STEPS: Final = 10_000
"""Schemas that are compared for one pair of contracts."""
_MAX_PARTS: Final = 5_000
"""Parts of all values that are made while schemas are compared, and then for each place."""
_MAX_DEPTH: Final = 40
"""Levels of properties and items."""
_MAX_IN_PLACE: Final = 60
"""Levels of references and unions at one place, of all places above it together."""
_MAX_SHOWN: Final = 5
_NO_LIMIT: Final = 10**9


class SchemaProver:
    """Compares schemas of two sides. Holds the memo and the budget of one comparison."""

    def __init__(self, *, forgiving: bool) -> None:
        """`forgiving`: an explicit null of an optional property that refuses null counts as absent."""
        self._left = _MAX_STEPS
        self._forgiving = forgiving
        self._same = _SameSchemas()
        self._done: dict[tuple[object, ...], list[Gap]] = {}
        self._active: dict[tuple[object, ...], int] = {}
        self._assumed = _NO_LIMIT
        self._in_place = 0
        self._places: list[Part] = []
        self._required: dict[int, frozenset[str]] = {}
        self._masks: dict[int | bool, int] = {}
        self._made: dict[tuple[str, bytes], Part] = {}
        self.emptiness = SearchingEmptiness(self.spend, self.contains)
        self.budget = PartBudget(_MAX_PARTS)
        self.builder = Generator(self.budget)
        self.varied = Generator(self.budget, random.Random(0), 300)
        self.varied.fullness = 0.7

    def spend(self) -> bool:
        """Count one step; False once there are no more."""
        self._left -= 1
        return self._left > 0

    def same(self, left: Part, right: Part) -> bool:
        """Return whether two schemas have equal normal forms."""
        return self._same.same(left, right)

    # -- a place ----------------------------------------------------------------------------------

    def gaps(self, parts: Sequence[Part], target: Part, *, without_null: bool = False) -> list[Gap]:
        """Return why values of all of `parts` may be refused by `target`."""
        if target.schema is True or any(self.same(part, target) for part in parts):
            return []
        pair = (frozenset(part.key for part in parts), target.key, without_null, self._forgiving)
        if pair in self._done:
            return self._done[pair]
        if pair in self._active:
            self._assumed = min(self._assumed, self._active[pair])
            return []
        depth = len(self._active)
        if depth > _MAX_DEPTH or not self.spend():
            return [self._too_much(parts[0].pointer)]
        self._active[pair] = depth
        self._places.append(target)
        outer, self._assumed = self._assumed, _NO_LIMIT
        found = [self._guarded(gap) for gap in self._place_gaps(parts, target, without_null=without_null)]
        self._places.pop()
        del self._active[pair]
        if found or self._assumed >= depth:
            self._done[pair] = found
        self._assumed = min(outer, self._assumed if self._assumed < depth else _NO_LIMIT)
        return found

    def _guarded(self, gap: Gap) -> Gap:
        """The same gap, whose values end with the budget: places that lead to one another in two ways each
        have too many paths.
        """

        def values() -> Iterator[Any]:
            self.budget.left -= 1
            if self.budget.left > 0:
                yield from gap.values()

        return Gap(gap.pointer, gap.reason, gap.message, values, gap.at_place)

    def _place_gaps(self, parts: Sequence[Part], target: Part, *, without_null: bool) -> list[Gap]:
        found: list[Gap] = []
        mask = 0
        for case in cases_of(parts):
            if without_null and case.kind == "null":
                continue
            mask |= case.mask
            gaps = self.case_gaps(case, target)
            if gaps and self.emptiness.case(case):
                continue
            found += gaps
        return self._one_type_gap(merged(found), mask, target)

    def _one_type_gap(self, gaps: list[Gap], mask: int, target: Part) -> list[Gap]:
        """Join the types that are refused at one place, null among them."""
        places = {gap.pointer for gap in gaps if gap.reason == "type-narrowed" and gap.at_place}
        if not places:
            return gaps
        theirs = self.mask(target)
        message = f"{_types_text(mask)} before, {_types_text(theirs) or 'no value'} now"
        return merged(
            Gap(gap.pointer, "type-narrowed", message if mask & ~theirs else gap.message, gap.values)
            if gap.at_place and gap.pointer in places and gap.reason in ("type-narrowed", "null-refused")
            else gap
            for gap in gaps
        )

    def _too_much(self, pointer: str) -> Gap:
        message = "the schemas are too large or too deep to be compared completely"
        return Gap(pointer, "value-refused", message, lambda: iter(()))

    # -- one case ---------------------------------------------------------------------------------

    def case_gaps(self, case: Case, target: Part) -> list[Gap]:
        """Return why values of one case may be refused by `target`."""
        schema = target.schema
        if schema is True or any(self.same(fact, target) for fact in case.facts):
            return []
        if schema is False:
            return [
                Goal(self, case, target).gap("value-refused", "no value is accepted now", lambda: iter(()))
            ]
        if self._in_place > _MAX_IN_PLACE or not self.spend():
            return [self._too_much(case.pointer)]
        self._in_place += 1
        try:
            return self._keyword_gaps(case, target)
        finally:
            self._in_place -= 1

    def _keyword_gaps(self, case: Case, target: Part) -> list[Gap]:
        schema, goal = target.schema, Goal(self, case, target)
        if not case.mask & self.mask(target):
            return [self._type_gap(goal)]
        only = _only_value(case)
        if only is not None:
            case = replace(case, literals=only)
        if case.literals is not None:
            return self._literal_gaps(case, target)
        found: list[Gap] = []
        if case.kind == "number" and "type" in schema and not mask_of_types(schema["type"]) & FRACTION:
            gap = no_fraction_gap(goal)
            found += [gap] if gap is not None else []
        if "enum" in schema or "const" in schema:
            found += self._enum_gaps(goal)
        if "$ref" in schema:
            found += self.case_gaps(case, target.side.target(schema["$ref"]))
        for part in target.listed("allOf"):
            found += self.case_gaps(case, part)
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                found += union_gaps(goal, keyword)
        if "not" in schema:
            found += exclusion_gaps(goal)
        if "if" in schema and ("then" in schema or "else" in schema):
            found += condition_gaps(goal)
        if case.kind == "number":
            found += number_gaps(goal)
        elif case.kind == "string":
            found += string_gaps(goal)
        elif case.kind == "array":
            found += array_gaps(goal)
        elif case.kind == "object":
            found += object_gaps(goal)
        return found

    def mask(self, part: Part) -> int:
        """Return the types that a schema may accept."""
        return admitted(part, self._masks)

    # -- types and literals -----------------------------------------------------------------------

    def _type_gap(self, goal: Goal) -> Gap:
        case, target = goal.case, goal.target
        if case.kind == "null":
            return goal.gap("null-refused", "null before, no null now", lambda: iter((None,)))
        names = _types_text(self.mask(target))
        message = f"{_types_text(case.mask)} before, {names or 'no value'} now"
        return goal.gap("type-narrowed", message, lambda: goal.values(case))

    def _literal_gaps(self, case: Case, target: Part) -> list[Gap]:
        assert case.literals is not None
        listed = self._only_lists(target)
        refused = [
            value
            for value in case.literals
            if (key(value) not in listed if listed is not None else not target.accepts(value))
            and fits(case, value)
        ]
        grouped: dict[str, list[object]] = {}
        for value in refused:
            grouped.setdefault(self._literal_reason(case, target, value), []).append(value)
        found: list[Gap] = []
        for reason, values in grouped.items():
            shown = ", ".join(f"{value!r:.60}" for value in values[:_MAX_SHOWN])
            more = f" and {len(values) - _MAX_SHOWN} more" if len(values) > _MAX_SHOWN else ""
            message = f"accepted before, refused now: {shown}{more}"
            found.append(Gap(case.pointer, reason, message, lambda values=values: iter(values), True))  # type: ignore[misc]
        return found

    def _only_lists(self, target: Part) -> frozenset[object] | None:
        """Return the members of an `enum`, where nothing else is said."""
        schema = target.schema
        if "enum" not in schema or schema.keys() & _OTHER_THAN_ENUM:
            return None
        return self._same.members(schema["enum"])

    def _literal_reason(self, case: Case, target: Part, value: object) -> str:
        if value is None:
            return "null-refused"
        if not mask_of(value) & self.mask(target):
            return "type-narrowed"
        listed = any("enum" in fact.schema or "const" in fact.schema for fact in case.facts)
        if any("enum" in fact.schema or "const" in fact.schema for fact in possible_facts([target])):
            return "enum-value-removed" if listed else "enum-added"
        violations = target.side.validator(target.schema).violations(value, 1)
        return OF_KEYWORD.get(violations[0].keyword, "value-refused") if violations else "value-refused"

    def _enum_gaps(self, goal: Goal) -> list[Gap]:
        case, target = goal.case, goal.target
        numbers = whole_numbers(case) if case.kind == "number" else None
        if numbers is not None:
            return self._literal_gaps(replace(case, literals=tuple(numbers)), target)
        schema = target.schema
        members = schema["enum"] if "enum" in schema else [schema["const"]]
        shown = ", ".join(f"{value!r:.60}" for value in members[:_MAX_SHOWN])
        more = ", …" if len(members) > _MAX_SHOWN else ""
        message = f"any {_types_text(case.mask)} before, only {shown}{more} now"
        return [goal.gap("enum-added", message, lambda: goal.values(case))]

    def made(self, part: Part, schema: JsonObject) -> Part:
        """Make a schema that stands for a restriction, on the side and at the place of `part`."""
        known = (part.side.name, encode(schema))
        if known not in self._made:
            self._made[known] = Part(part.side, schema, part.pointer)
        return self._made[known]

    def disjoint(self, case: Case, part: Part) -> bool:
        """Return whether it is shown that no value of `case` is accepted by `part`."""
        return self.spend() and all(self.emptiness.case(both) is not None for both in cases_of([part], case))

    def contains(self, case: Case, target: Part) -> bool:
        """Return whether every value of `case` is surely accepted by `target`, null as it is. It rests on no
        pair that is being compared: what it shows is remembered for good.
        """
        kept, self._forgiving = self._forgiving, False
        outer, self._assumed = self._assumed, _NO_LIMIT
        try:
            return not self.case_gaps(case, target) and self._assumed == _NO_LIMIT
        finally:
            self._forgiving, self._assumed = kept, outer

    def forgives_null(self, target: Part, name: str) -> bool:
        """Return whether an explicit null of the property `name` counts as absent: no schema that may apply
        requires it.
        """
        if not self._forgiving:
            return False
        place = self._places[-1] if self._places else target
        known = self._required.get(id(place.schema))
        if known is None:
            facts = possible_facts([place])
            known = frozenset(name for names in values_of(facts, "required") for name in names)
            self._required[id(place.schema)] = known
        return name not in known


def _only_value(case: Case) -> tuple[object, ...] | None:
    """Return the only value of a case, an empty text, array or object."""
    if case.literals is not None:
        return None
    if case.kind == "string":
        return ("",) if smallest(case.facts, "maxLength") == 0 else None
    if case.kind == "array":
        return ([],) if array_lengths(case.facts).most == 0 else None
    if case.kind == "object":
        return ({},) if object_sizes(case.facts).most == 0 else None
    return None


_OTHER_THAN_ENUM: Final = (ASSERTIONS | HOLDS_SCHEMAS | {"$ref"}) - {"enum"}


def _types_text(mask: int) -> str:
    return " or ".join(names_of_types(mask))
