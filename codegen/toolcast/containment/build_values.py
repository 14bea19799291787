"""Makes values of a case: small ones without chance, or varied ones with a `random.Random`.

`soft` schemas are met where that is possible, and left out where it is not. `hints` only suggest: bounds and
members of another schema, at which two contracts are likely to differ.
"""

import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeVar

from ..instances.samples import sample
from ..jsonschema.equality import key
from .case_facts import (
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
from .cases import Case, Part, cases_of, mask_of
from .scalar_values import MAX_LENGTH, facts_of, numbers, shuffled, texts

T = TypeVar("T")

MAX_DEPTH: Final = 12
MAX_PARTS: Final = 3_000
"""Parts of one value."""
MIN_PARTS: Final = 10
"""Parts that each value counts for at least."""
TRIES: Final = 5
REPEATED: Final = 4
_TESTED: Final = frozenset(
    {
        "not", "oneOf", "if", "contains", "dependentSchemas", "dependentRequired", "unevaluatedProperties",
        "unevaluatedItems", "propertyNames", "patternProperties", "uniqueItems", "minProperties",
        "maxProperties", "enum", "const",
    }
)  # fmt: skip
"""Keywords for which an array or an object is tested once it is made."""
_NAMES: Final = ("other", "x", "_1", "Key", "a b", "")


class UnfillableError(Exception):
    """No value was found."""


class _SpentError(Exception):
    """The value has too many parts, or too many were made."""


class Budget:
    """Parts of values that are made in one comparison."""

    def __init__(self, left: int) -> None:
        self.left = left


class Builder:
    """Makes values; each call counts against the parts of one value."""

    def __init__(self, budget: Budget, rng: random.Random | None = None, most: int = MAX_PARTS) -> None:
        """Args:
        budget: the parts of all values, counted down.
        rng: makes varied values; without it the same schemas always give the same small value.
        most: parts of one value that are tried.
        """
        self._budget = budget
        self._most = most
        self._hits = 0
        self._known: dict[Any, tuple[Any, tuple[Part, ...], tuple[Part, ...]] | None] = {}
        self.rng = rng
        self.fullness = 0.0
        self._left = most

    def value(self, hard: Iterable[Part], soft: Iterable[Part] = (), hints: Iterable[Part] = ()) -> Any:
        """A value that all of `hard` accept, and `soft` where possible.

        Raises:
            UnfillableError: none was found.
        """
        return self._bounded(lambda: self._fill(tuple(hard), tuple(soft), tuple(hints), 0))

    def of_case(self, case: Case, soft: Iterable[Part] = (), hints: Iterable[Part] = ()) -> Any:
        """A value of a case, and of `soft` where possible. Raises UnfillableError."""
        return self._bounded(lambda: self._of_cases([case], tuple(soft), tuple(hints), 0))

    def object_with(
        self,
        case: Case,
        name: str,
        value: Any,
        soft: Iterable[Part] = (),
        hints: Iterable[Part] = (),
    ) -> dict[str, Any]:
        """An object of a case with one property set, whatever the schemas say of it.

        Raises:
            UnfillableError: none was found.
        """
        return self._bounded(
            lambda: self._object(case, _soft_facts(soft, case), tuple(hints), 0, {name: value})
        )

    def object_without(self, case: Case, name: str, soft: Iterable[Part] = ()) -> dict[str, Any]:
        """An object of a case without one property. Raises UnfillableError."""
        return self._bounded(lambda: self._object(case, _soft_facts(soft, case), (), 0, {}, name))

    def array_with(self, case: Case, index: int, value: Any, soft: Iterable[Part] = ()) -> list[Any]:
        """An array of a case with one item set, whatever the schemas say of it."""
        return self._bounded(lambda: self._array(case, _soft_facts(soft, case), (), 0, {index: value}))

    def _bounded(self, make: Callable[[], T]) -> T:
        if self._budget.left <= 0:
            raise UnfillableError
        self._left = min(self._most, self._budget.left)
        before = self._left
        try:
            return make()
        except _SpentError:
            raise UnfillableError from None
        finally:
            self._budget.left -= max(MIN_PARTS, before - self._left)

    # -- any type ---------------------------------------------------------------------------------

    def _fill(
        self, hard: tuple[Part, ...], soft: tuple[Part, ...], hints: tuple[Part, ...], depth: int
    ) -> Any:
        if self.rng is None and not hints:
            return self._remembered(hard, soft, depth)
        return self._any(hard, soft, hints, depth)

    def _remembered(self, hard: tuple[Part, ...], soft: tuple[Part, ...], depth: int) -> Any:
        """The small value of the same schemas is always the same, and costs once."""
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
    ) -> Any:
        self._left -= 1
        if self._left < 0:
            raise _SpentError
        if depth > MAX_DEPTH:
            raise UnfillableError
        cases = sorted(cases_of(hard), key=lambda case: case.kind == "null")  # null may count as absent
        return self._of_cases(shuffled(cases, self.rng), soft, hints, depth)

    def _of_cases(
        self, cases: Sequence[Case], soft: tuple[Part, ...], hints: tuple[Part, ...], depth: int
    ) -> Any:
        if soft:
            for case in cases:
                for both in shuffled(cases_of(soft, case), self.rng):
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
    ) -> tuple[Any] | None:
        """A value of the case, which all its schemas accept."""
        tested = (
            bool(case.refused) or case.partial or any(_TESTED & fact.schema.keys() for fact in case.facts)
        )
        for _ in range(1 if self.rng is None else TRIES):
            try:
                value = self._of_kind(case, soft, hints, depth)
            except UnfillableError:
                continue
            if not tested or fits(case, value):
                return (value,)
        return None

    def _of_kind(self, case: Case, soft: tuple[Part, ...], hints: tuple[Part, ...], depth: int) -> Any:
        if case.literals is not None:
            fitting = shuffled(case.literals, self.rng)[:50]
            return _first(case, [*(v for v in fitting if all(s.accepts(v) for s in soft)), *fitting])
        if case.kind == "number":
            return _first(case, numbers(case, soft, hints, self.rng))
        if case.kind == "string":
            return _first(case, texts(case, soft, hints, self.rng))
        if case.kind == "array":
            return self._array(case, soft, hints, depth, {})
        return self._object(case, soft, hints, depth, {})

    # -- arrays -----------------------------------------------------------------------------------

    def _array(
        self, case: Case, soft: tuple[Part, ...], hints: tuple[Part, ...], depth: int, fixed: dict[int, Any]
    ) -> list[Any]:
        lengths = array_lengths(case.facts)
        wanted = self._array_length(case, soft, hints, depth)
        wanted = max(wanted, lengths.least, *(index + 1 for index in fixed), 0)
        if wanted > MAX_LENGTH // 10 or (lengths.most is not None and wanted > lengths.most):
            raise UnfillableError
        near = facts_of(hints)
        unique = True in values_of((*case.facts, *soft), "uniqueItems")
        prefix = prefix_length((*case.facts, *soft))
        items: list[Any] = []
        taken = {key(value) for value in fixed.values()}
        contained = self._contained(case, depth)
        free = [index for index in range(max(wanted, len(contained))) if index not in fixed]
        placed = dict(zip(free[max(0, len(free) - len(contained)) :], contained, strict=False))
        for index in range(max(wanted, len(contained))):
            if index in fixed:
                items.append(fixed[index])
                continue
            if index in placed:
                items.append(placed[index])
                continue
            if not unique and index > prefix + REPEATED:
                items.append(items[index - REPEATED])  # long arrays repeat a few items
                continue
            parts = item_parts(case.facts, index)
            value = self._fresh(
                parts, item_parts(soft, index), item_parts(near, index), depth, taken if unique else None
            )
            items.append(value)
        return items

    def _array_length(self, case: Case, soft: tuple[Part, ...], hints: tuple[Part, ...], depth: int) -> int:
        lengths = array_lengths((*case.facts, *soft))
        least = lengths.least if not lengths.empty else array_lengths(case.facts).least
        if self.rng is None or depth > 6:
            return least
        near = facts_of(hints)
        wanted = [least, least + 1, least + self.rng.randint(0, 3)]
        wanted += [min(prefix_length(case.facts), 50)]
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

    def _contained(self, case: Case, depth: int) -> list[Any]:
        """The items that `contains` asks for."""
        found: list[Any] = []
        for fact in case.facts:
            if "contains" not in fact.schema:
                continue
            count = int(fact.schema.get("minContains", 1))
            if count > MAX_LENGTH // 10:
                raise UnfillableError
            taken = {key(value) for value in found} if True in values_of(case.facts, "uniqueItems") else None
            for _ in range(count):
                parts = [fact.below("contains"), *item_parts(case.facts, 10**6)]
                found.append(self._fresh(parts, [], [], depth, taken))
        return found

    def _fresh(
        self, parts: list[Part], soft: list[Part], hints: list[Part], depth: int, taken: set[Any] | None
    ) -> Any:
        """An item; one that is not `taken` yet, where items are unique."""
        value = self._fill(tuple(parts), tuple(soft), tuple(hints), depth + 1)
        if taken is None:
            return value
        if key(value) in taken:
            value = self._other(tuple(parts), taken, depth)
        taken.add(key(value))
        return value

    def _other(self, parts: tuple[Part, ...], taken: set[Any], depth: int) -> Any:
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
        fixed: dict[str, Any],
        absent: str | None = None,
    ) -> dict[str, Any]:
        facts = case.facts
        near = facts_of(hints)
        value: dict[str, Any] = {}
        required = dict.fromkeys(required_names(facts))
        for name in [*fixed, *required]:
            if name in fixed:
                value[name] = fixed[name]
            else:
                self._member(value, name, case, soft, near, depth)
        self._follow_dependents(value, case, soft, near, depth)
        wanted = [name for name in required_names((*facts, *soft)) if name not in value]
        if self.rng is not None:
            share = self.fullness if depth < 5 else 0.1
            names = [*declared_names(facts), *declared_names(near)]
            wanted += [name for name in dict.fromkeys(names) if self.rng.random() < share]
            if self.rng.random() < 0.25 and not is_closed(facts):
                wanted += self._free_names(case, near)[:1]
        for name in dict.fromkeys(wanted):
            if name not in value and name != absent:
                try:
                    self._member(value, name, case, soft, near, depth)
                except UnfillableError:
                    continue
        self._follow_dependents(value, case, soft, near, depth)
        self._resize(value, case, soft, {*required, *fixed}, depth)
        return value

    def _member(
        self,
        value: dict[str, Any],
        name: str,
        case: Case,
        soft: tuple[Part, ...],
        near: tuple[Part, ...],
        depth: int,
    ) -> None:
        parts = member_parts(case.facts, name)
        if parts is None:
            raise UnfillableError
        value[name] = self._fill(
            tuple(parts),
            tuple(member_parts(soft, name) or ()),
            tuple(member_parts(near, name) or ()),
            depth + 1,
        )

    def _follow_dependents(
        self,
        value: dict[str, Any],
        case: Case,
        soft: tuple[Part, ...],
        near: tuple[Part, ...],
        depth: int,
    ) -> None:
        waiting = list(value)
        needed = [v for v in values_of((*case.facts, *soft), "dependentRequired") if v]
        while waiting and needed:
            name = waiting.pop()
            for other in [other for each in needed for other in each.get(name, ())]:
                if other not in value:
                    self._member(value, other, case, soft, near, depth)
                    waiting.append(other)

    def _resize(
        self,
        value: dict[str, Any],
        case: Case,
        soft: tuple[Part, ...],
        kept: set[str],
        depth: int,
    ) -> None:
        """Add and remove properties that are not required, until the size is right."""
        if not any(
            "minProperties" in fact.schema or "maxProperties" in fact.schema for fact in (*case.facts, *soft)
        ):
            return
        sizes = object_sizes(case.facts)
        least = max(sizes.least, largest(soft, "minProperties") if self.rng is None else 0)
        if least > MAX_LENGTH // 10:
            raise UnfillableError
        names = iter([*declared_names(case.facts), *self._free_names(case, soft)])
        number = 0
        while len(value) < least:
            name = next(names, None)
            if name is None:
                number += 1
                name = f"k{number}"
                if number > least + 20 or is_closed(case.facts):
                    return
            if name not in value:
                try:
                    self._member(value, name, case, soft, (), depth)
                except UnfillableError:
                    continue
        for name in list(value):
            if sizes.most is not None and len(value) > sizes.most and name not in kept:
                del value[name]

    def _free_names(self, case: Case, near: Sequence[Part]) -> list[str]:
        """Names that nothing declares, by patterns of names where there are any."""
        rng = self.rng or random.Random(0)
        names: list[str] = []
        for _, pattern in patterned((*case.facts, *near)):
            found = sample(rng, pattern)
            if found is not None:
                names.append(found)
        for fact in case.facts:
            if isinstance(fact.schema.get("propertyNames"), dict):
                try:
                    made = self._fill((_any_text(fact), fact.below("propertyNames")), (), (), MAX_DEPTH - 2)
                except UnfillableError:
                    continue
                names.append(made)
        plain = [rng.choice(_NAMES) if self.rng is not None else _NAMES[0], *_NAMES]
        names += plain
        declared = {*declared_names(case.facts), *declared_names(near)}
        return [name for name in dict.fromkeys(names) if name not in declared]


_TEXT: Final = {"type": "string"}


def _any_text(part: Part) -> Part:
    """The schema of all texts, on the side of `part`."""
    return Part(part.side, _TEXT, part.pointer)


def _soft_facts(soft: Iterable[Part], case: Case) -> tuple[Part, ...]:
    """Schemas of one case of `soft` that has values of the kind of `case`."""
    soft = tuple(soft)
    if not soft:
        return ()
    for each in cases_of(soft):
        if each.mask & case.mask:
            return each.facts
    return ()


def _first(case: Case, values: Iterable[Any]) -> Any:
    """The first value that all schemas of a case accept."""
    for value in values:
        if mask_of(value) & case.mask and fits(case, value):
            return value
    raise UnfillableError


def fits(case: Case, value: Any) -> bool:
    """Whether all schemas of a case accept a value, and those that it refuses do not."""
    return all(fact.accepts(value) for fact in case.facts) and not any(
        part.accepts(value) for part in case.refused
    )
