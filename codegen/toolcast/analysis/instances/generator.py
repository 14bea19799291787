"""Makes values of schemas: small ones without chance, or varied ones with a `random.Random`.

`hard` schemas are met; `soft` ones are met where that is possible. `hints` only suggest: bounds and members
of another schema, at which two contracts are likely to differ.
"""

import random
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, islice
from typing import Any, Final, TypeVar

from ...jsonschema.case_facts import (
    array_lengths,
    declared_names,
    is_closed,
    item_parts,
    largest,
    member_parts,
    object_sizes,
    patterned,
    prefix_length,
    required_names,
    values_of,
)
from ...jsonschema.cases import Case, Part, cases_of, mask_of, possible_facts
from ...jsonschema.json_values import JsonObject, key
from ...jsonschema.keywords import TYPE_OF
from .pattern_texts import sample
from .scalar_values import MAX_LENGTH, STRINGS, Numbers, Texts

T = TypeVar("T")

_MAX_DEPTH: Final = 12
_MAX_PARTS: Final = 3_000
"""Parts of one value."""
_MIN_PARTS: Final = 10
"""Parts that each value counts for at least."""
_MANY_PARTS: Final = 400
"""Parts of a varied value, past which it gets nothing that is optional."""
_TRIES: Final = 5
_REPEATED: Final = 4
_TESTED: Final = frozenset(
    {
        "not", "oneOf", "if", "contains", "dependentSchemas", "dependentRequired", "unevaluatedProperties",
        "unevaluatedItems", "propertyNames", "patternProperties", "uniqueItems", "minProperties",
        "maxProperties", "enum", "const",
    }
)  # fmt: skip
"""Keywords for which an array or an object is tested once it is made."""
_OF_KIND: Final = {
    kind: frozenset(word for word, each in TYPE_OF.items() if each == kind)
    for kind in ("number", "string", "array", "object")
}
"""Keywords for values of one type."""
_NAMES: Final = ("other", "x", "_1", "Key", "a b", "")


class UnfillableError(Exception):
    """No value was found."""


class _SpentError(Exception):
    pass


class PartBudget:
    """The parts of values that are made in one comparison."""

    def __init__(self, left: int) -> None:
        self.left = left


class _Facts:
    """Schemas that all apply to one value, and their joint statements, each computed once."""

    def __init__(self, parts: tuple[Part, ...]) -> None:
        self.parts = parts
        self._members: dict[str, tuple[Part, ...] | None] = {}
        self._items: dict[int, tuple[Part, ...]] = {}
        self.keywords = frozenset[str]().union(*(part.schema.keys() for part in parts))

    def member(self, name: str) -> tuple[Part, ...] | None:
        if name not in self._members:
            parts = member_parts(self.parts, name)
            self._members[name] = None if parts is None else tuple(parts)
        return self._members[name]

    def item(self, index: int) -> tuple[Part, ...]:
        index = min(index, self.prefix)
        if index not in self._items:
            self._items[index] = tuple(item_parts(self.parts, index))
        return self._items[index]

    @cached_property
    def required(self) -> list[str]:
        return required_names(self.parts)

    @cached_property
    def declared(self) -> list[str]:
        return declared_names(self.parts)

    @cached_property
    def closed(self) -> bool:
        return is_closed(self.parts)

    @cached_property
    def patterns(self) -> list[str]:
        return [pattern for _, pattern in patterned(self.parts)]

    @cached_property
    def needed(self) -> list[Any]:
        return [each for each in values_of(self.parts, "dependentRequired") if each]

    @cached_property
    def prefix(self) -> int:
        return prefix_length(self.parts)

    @cached_property
    def open(self) -> bool:
        return bool(self.patterns) or any(map(bool, values_of(self.parts, "additionalProperties")))

    def tested(self, kind: str) -> bool:
        """Return whether a value of a kind may be refused, made as it is."""
        return not self.keywords.isdisjoint(
            _TESTED | _OF_KIND[kind] if kind in ("number", "string") else _TESTED
        )


class Generator:
    """Makes values; each call counts against the parts of one value."""

    def __init__(
        self, budget: PartBudget | None = None, rng: random.Random | None = None, most: int = _MAX_PARTS
    ) -> None:
        """Make values of at most `budget` parts in all, and try at most `most` parts of one value. `rng`
        makes varied values; without it the same schemas always give the same small value.
        """
        self._budget = budget
        self._most = most
        self._hits = 0
        self._known: dict[object, tuple[object, tuple[Part, ...], tuple[Part, ...]] | None] = {}
        self._cases: dict[object, tuple[list[Case], tuple[Part, ...]]] = {}
        self._facts_of: dict[object, _Facts] = {}
        self._near_of: dict[object, _Facts] = {}
        self._scalars: dict[object, tuple[Case, Numbers | Texts]] = {}
        self.rng = rng
        self.fullness = 0.0
        self._left = self._frugal = most

    def value(self, hard: Iterable[Part], soft: Iterable[Part] = (), hints: Iterable[Part] = ()) -> Any:
        """Return a value that all of `hard` accept, and `soft` where possible. Raises UnfillableError."""
        return self._bounded(lambda: self._fill(tuple(hard), tuple(soft), tuple(hints), 0))

    def varied(self, schema: Part, fullness: float | None = None) -> object:
        """Return a value by chance, with that share of optional properties; without it, with any share.
        Raises UnfillableError.
        """
        assert self.rng is not None
        self.fullness = self.rng.choice((0.0, 0.2, 0.5, 0.8, 1.0)) if fullness is None else fullness
        return self.value((schema,))

    def of_case(self, case: Case, soft: Iterable[Part] = (), hints: Iterable[Part] = ()) -> object:
        """Return a value of a case, and of `soft` where possible. Raises UnfillableError."""
        return self._bounded(lambda: self._of_cases([case], tuple(soft), tuple(hints), 0))

    def object_with(
        self,
        case: Case,
        name: str,
        value: object,
        soft: Iterable[Part] = (),
        hints: Iterable[Part] = (),
    ) -> JsonObject:
        """Return an object of a case with one property set, whatever the schemas say of it. Raises
        UnfillableError.
        """
        return self._bounded(
            lambda: self._object(case, _soft_facts(soft, case), tuple(hints), 0, {name: value})
        )

    def object_without(self, case: Case, name: str, soft: Iterable[Part] = ()) -> JsonObject:
        """Return an object of a case without one property. Raises UnfillableError."""
        return self._bounded(lambda: self._object(case, _soft_facts(soft, case), (), 0, {}, name))

    def array_with(self, case: Case, index: int, value: object, soft: Iterable[Part] = ()) -> list[object]:
        """Return an array of a case with one item set, whatever the schemas say of it. Raises
        UnfillableError."""
        return self._bounded(lambda: self._array(case, _soft_facts(soft, case), (), 0, {index: value}))

    def _bounded(self, make: Callable[[], T]) -> T:
        left = self._most if self._budget is None else min(self._most, self._budget.left)
        if left <= 0:
            raise UnfillableError
        self._left, self._frugal = left, left - _MANY_PARTS
        try:
            return make()
        except _SpentError:
            raise UnfillableError from None
        finally:
            if self._budget is not None:
                self._budget.left -= max(_MIN_PARTS, left - self._left)

    # -- what schemas say -------------------------------------------------------------------------

    def _facts(self, parts: tuple[Part, ...]) -> _Facts:
        keys = tuple([part.key for part in parts])
        found = self._facts_of.get(keys)
        if found is None:
            found = self._facts_of[keys] = _Facts(parts)
        return found

    def _near(self, hints: tuple[Part, ...]) -> _Facts:
        keys = tuple([part.key for part in hints])
        found = self._near_of.get(keys)
        if found is None:
            found = self._near_of[keys] = _Facts(tuple(possible_facts(hints)) if hints else ())
        return found

    def _cases_of(self, parts: tuple[Part, ...]) -> list[Case]:
        keys = tuple([part.key for part in parts])
        known = self._cases.get(keys)
        if known is None:
            cases = sorted(cases_of(parts), key=lambda case: case.kind == "null")  # may count as absent
            known = self._cases[keys] = (cases, parts)
        return known[0]

    # -- any type ---------------------------------------------------------------------------------

    def _fill(
        self, hard: tuple[Part, ...], soft: tuple[Part, ...], hints: tuple[Part, ...], depth: int
    ) -> Any:
        if self.rng is None and not hints:
            return self._remembered(hard, soft, depth)
        return self._any(hard, soft, hints, depth)

    def _remembered(self, hard: tuple[Part, ...], soft: tuple[Part, ...], depth: int) -> object:
        """Return the small value of the schemas, which is always the same and costs once."""
        known = (tuple(part.key for part in hard), tuple(part.key for part in soft))
        self._hits += 1
        self._left -= self._hits % 4 == 0
        if self._left < 0:
            raise _SpentError
        if known not in self._known:
            try:
                self._known[known] = (self._any(hard, soft, (), depth), hard, soft)
            except UnfillableError:
                if depth == 0:
                    self._known[known] = None
                raise
        found = self._known[known]
        if found is None:
            raise UnfillableError
        return found[0]

    def _any(
        self, hard: tuple[Part, ...], soft: tuple[Part, ...], hints: tuple[Part, ...], depth: int
    ) -> object:
        self._left -= 1
        if self._left < 0:
            raise _SpentError
        if depth > _MAX_DEPTH:
            raise UnfillableError
        return self._of_cases(self._in_order(self._cases_of(hard)), soft, hints, depth)

    def _in_order(self, cases: list[Case]) -> Sequence[Case]:
        """Shuffle cases; mostly those of a kind that keywords are about come first."""
        if self.rng is None or len(cases) < 2:
            return cases
        found = _shuffled(cases, self.rng)
        if self.rng.random() < 0.8:
            found.sort(key=lambda case: self._unspoken(case))
        return found

    def _unspoken(self, case: Case) -> bool:
        keywords = self._facts(case.facts).keywords
        return not (
            case.kind in ("", "null", "boolean")
            or "type" in keywords
            or not keywords.isdisjoint(_OF_KIND[case.kind])
            or case.literals is not None
        )

    def _of_cases(
        self, cases: Sequence[Case], soft: tuple[Part, ...], hints: tuple[Part, ...], depth: int
    ) -> object:
        if soft:
            for case in cases:
                for both in _shuffled(cases_of(soft, case), self.rng):
                    found = self._tested(both, (), hints, depth)
                    if found is not None:
                        return found[0]
        for case in cases:
            found = self._tested(case, _soft_facts(soft, case), hints, depth)
            if found is not None:
                return found[0]
        raise UnfillableError

    def _tested(
        self, case: Case, soft: tuple[Part, ...], hints: tuple[Part, ...], depth: int
    ) -> tuple[object] | None:
        if case.literals is not None or case.kind in ("number", "string"):
            try:
                return (self._scalar(case, soft, hints),)
            except UnfillableError:
                return None
        tested = bool(case.refused) or case.partial or self._facts(case.facts).tested(case.kind)
        for _ in range(1 if self.rng is None else _TRIES):
            try:
                if case.kind == "array":
                    value: object = self._array(case, soft, hints, depth, {})
                else:
                    value = self._object(case, soft, hints, depth, {})
            except UnfillableError:
                continue
            if not tested or fits(case, value):
                return (value,)
        return None

    def _scalar(self, case: Case, soft: tuple[Part, ...], hints: tuple[Part, ...]) -> object:
        if case.literals is not None:
            fitting = _shuffled(case.literals, self.rng)[:50]
            return _first(case, chain((v for v in fitting if all(s.accepts(v) for s in soft)), fitting))
        known = (id(case), *[part.key for part in soft], None, *[part.key for part in hints])
        if known not in self._scalars:
            make = Numbers if case.kind == "number" else Texts
            near = self._near((*hints, *case.refused)).parts
            self._scalars[known] = (case, make(case, soft, near, hinted=bool(hints)))
        scalars = self._scalars[known][1]
        values = scalars.likely() if self.rng is None else chain(scalars.varied(self.rng), scalars.likely())
        if case.refused or case.partial or self._facts(case.facts).tested(case.kind):
            return _first(case, values)
        return next(value for value in values if mask_of(value) & case.mask)

    # -- arrays -----------------------------------------------------------------------------------

    def _array(
        self,
        case: Case,
        soft: tuple[Part, ...],
        hints: tuple[Part, ...],
        depth: int,
        fixed: dict[int, object],
    ) -> list[object]:
        lengths = array_lengths(case.facts)
        ours, theirs, near = self._facts(case.facts), self._facts(soft), self._near(hints)
        wanted = self._array_length(case, soft, near.parts, depth)
        wanted = max(wanted, lengths.least, *(index + 1 for index in fixed), 0)
        if wanted > MAX_LENGTH // 10 or (lengths.most is not None and wanted > lengths.most):
            raise UnfillableError
        unique = True in values_of((*case.facts, *soft), "uniqueItems")
        prefix = max(ours.prefix, theirs.prefix)
        items: list[object] = []
        taken = {key(value) for value in fixed.values()} if unique else None
        contained = self._contained(case, depth) if "contains" in ours.keywords else []
        free = [index for index in range(max(wanted, len(contained))) if index not in fixed]
        placed = dict(zip(free[max(0, len(free) - len(contained)) :], contained, strict=False))
        for index in range(max(wanted, len(contained))):
            if index in fixed:
                items.append(fixed[index])
            elif index in placed:
                items.append(placed[index])
            elif not unique and index > prefix + _REPEATED:
                items.append(items[index - _REPEATED])  # long arrays repeat a few items
            else:
                items.append(
                    self._fresh(ours.item(index), theirs.item(index), near.item(index), depth, taken)
                )
        return items

    def _array_length(self, case: Case, soft: tuple[Part, ...], near: tuple[Part, ...], depth: int) -> int:
        lengths = array_lengths((*case.facts, *soft))
        least = lengths.least if not lengths.empty else array_lengths(case.facts).least
        if self.rng is None or depth > 6 or self._left < self._frugal:
            return least
        wanted = [least, least + 1, least + self.rng.randint(0, 3)]
        wanted += [min(self._facts(case.facts).prefix, 50)]
        wanted += [
            max(0, int(value) + off)
            for name in ("minItems", "maxItems")
            for value in values_of(near, name)
            for off in (-1, 0, 1)
            if value < 200
        ]
        most = array_lengths(case.facts).most
        length = self.rng.choice(wanted)
        return length if most is None else min(length, most)

    def _contained(self, case: Case, depth: int) -> list[object]:
        found: list[object] = []
        for fact in case.facts:
            if "contains" not in fact.schema:
                continue
            count = int(fact.schema.get("minContains", 1))
            if count > MAX_LENGTH // 10:
                raise UnfillableError
            taken = {key(value) for value in found} if True in values_of(case.facts, "uniqueItems") else None
            for _ in range(count):
                parts = (fact.below("contains"), *item_parts(case.facts, 10**6))
                found.append(self._fresh(parts, (), (), depth, taken))
        return found

    def _fresh(
        self,
        parts: tuple[Part, ...],
        soft: tuple[Part, ...],
        hints: tuple[Part, ...],
        depth: int,
        taken: set[Hashable] | None,
    ) -> object:
        """Return an item that is not `taken` yet, where items are unique."""
        value = self._fill(parts, soft, hints, depth + 1)
        if taken is None:
            return value
        if key(value) in taken:
            value = self._other(parts, taken, depth)
        taken.add(key(value))
        return value

    def _other(self, parts: tuple[Part, ...], taken: set[Hashable], depth: int) -> object:
        kept, kept_fullness = self.rng, self.fullness
        self.rng = random.Random(len(taken))
        try:
            for attempt in range(12):
                self.fullness = (0.0, 0.5, 1.0)[attempt % 3]
                value = self._fill(parts, (), parts, depth + 1)
                if key(value) not in taken:
                    return value
            for number in range(len(taken) + 2):
                for value in (number, f"a{number}"):
                    if key(value) not in taken and all(part.accepts(value) for part in parts):
                        return value
        finally:
            self.rng, self.fullness = kept, kept_fullness
        raise UnfillableError

    # -- objects ----------------------------------------------------------------------------------

    def _object(
        self,
        case: Case,
        soft: tuple[Part, ...],
        hints: tuple[Part, ...],
        depth: int,
        fixed: JsonObject,
        absent: str | None = None,
    ) -> JsonObject:
        ours, theirs, near = self._facts(case.facts), self._facts(soft), self._near(hints)
        both = self._facts((*case.facts, *soft))
        value: JsonObject = {}

        def add(name: str) -> None:
            parts = ours.member(name)
            if parts is None:
                raise UnfillableError
            value[name] = self._fill(parts, theirs.member(name) or (), near.member(name) or (), depth + 1)

        for name in (*fixed, *ours.required):
            if name in fixed:
                value[name] = fixed[name]
            elif name not in value:
                add(name)
        self._follow_dependents(value, both, add)
        wanted = [name for name in both.required if name not in value]
        if self.rng is not None:
            wanted += self._optional(ours, near, depth)
        for name in dict.fromkeys(wanted):
            if name not in value and name != absent:
                try:
                    add(name)
                except UnfillableError:
                    continue
        self._follow_dependents(value, both, add)
        if not both.keywords.isdisjoint(("minProperties", "maxProperties")):
            self._resize(value, ours, theirs, add, {*ours.required, *fixed})
        return value

    def _optional(self, ours: _Facts, near: _Facts, depth: int) -> list[str]:
        assert self.rng is not None
        if self._left < self._frugal:
            return []
        share = self.fullness if depth < 5 else 0.1
        names = ours.declared if not near.parts else dict.fromkeys([*ours.declared, *near.declared])
        wanted = [name for name in names if self.rng.random() < share]
        if not ours.closed and self.rng.random() < (0.6 if ours.open else 0.25):
            wanted += islice(self._free_names(ours, near), self.rng.choice((1, 1, 3)) if ours.open else 1)
        return wanted

    def _follow_dependents(self, value: JsonObject, both: _Facts, add: Callable[[str], None]) -> None:
        waiting = list(value) if both.needed else []
        while waiting:
            name = waiting.pop()
            for other in [other for each in both.needed for other in each.get(name, ())]:
                if other not in value:
                    add(other)
                    waiting.append(other)

    def _resize(
        self,
        value: JsonObject,
        ours: _Facts,
        theirs: _Facts,
        add: Callable[[str], None],
        kept: set[str],
    ) -> None:
        sizes = object_sizes(ours.parts)
        least = max(sizes.least, largest(theirs.parts, "minProperties") if self.rng is None else 0)
        if least > MAX_LENGTH // 10:
            raise UnfillableError
        names = chain(ours.declared, self._free_names(ours, theirs))
        numbered = () if ours.closed else (f"k{number}" for number in range(1, least + 21))
        for name in chain(names, numbered):
            if len(value) >= least:
                break
            if name not in value:
                try:
                    add(name)
                except UnfillableError:
                    continue
        for name in list(value):
            if sizes.most is not None and len(value) > sizes.most and name not in kept:
                del value[name]

    def _free_names(self, ours: _Facts, near: _Facts) -> Iterator[str]:
        """Yield names that nothing declares, first those for patterns of names."""
        rng = self.rng or random.Random(0)
        seen = {*ours.declared, *near.declared}
        for name in chain(
            self._named_by_patterns([*ours.patterns, *near.patterns], rng),
            self._named_by_schemas(ours),
            [_NAMES[0]] if self.rng is None else [rng.choice(_NAMES if near.parts else STRINGS)],
            _NAMES,
            self._further_names(ours.patterns, rng),
        ):
            if name is not None and name not in seen:
                seen.add(name)
                yield name

    def _named_by_patterns(self, patterns: list[str], rng: random.Random) -> Iterator[str | None]:
        for pattern in patterns if self.rng is None else _shuffled(patterns, rng):
            yield sample(rng, pattern)

    def _further_names(self, patterns: list[str], rng: random.Random) -> Iterator[str]:
        """Yield names for patterns, also longer ones: a pattern may be found anywhere in a name."""
        for number in range(_MAX_NAMES if patterns else 0):
            yield (sample(rng, rng.choice(patterns)) or "") + ("", "a", str(number))[number % 3]

    def _named_by_schemas(self, ours: _Facts) -> Iterator[str]:
        for fact in ours.parts:
            if isinstance(fact.schema.get("propertyNames"), dict):
                text = Part(fact.side, _TEXT, fact.pointer)
                for _ in range(1 if self.rng is None else _TRIES):
                    try:
                        yield self._fill((text, fact.below("propertyNames")), (), (), _MAX_DEPTH - 2)
                    except UnfillableError:
                        break


_MAX_NAMES: Final = 40
"""Names that are tried for patterns, so that an object is large enough."""
_TEXT: Final = {"type": "string"}


def _soft_facts(soft: Iterable[Part], case: Case) -> tuple[Part, ...]:
    """Return the schemas of the first case of `soft` that has values of the kind of `case`."""
    soft = tuple(soft)
    if not soft:
        return ()
    for each in cases_of(soft):
        if each.mask & case.mask:
            return each.facts
    return ()


def _first(case: Case, values: Iterable[object]) -> object:
    for value in values:
        if mask_of(value) & case.mask and fits(case, value):
            return value
    raise UnfillableError


def fits(case: Case, value: object) -> bool:
    """Return whether all schemas of a case accept a value, and those that it refuses do not."""
    return all(fact.accepts(value) for fact in case.facts) and not any(
        part.accepts(value) for part in case.refused
    )


def _shuffled(items: Sequence[T], rng: random.Random | None) -> list[T]:
    found = list(items)
    if rng is not None and len(found) > 1:
        rng.shuffle(found)
    return found
