"""Cases without any value, as far as types, literals, bounds and required parts show that."""

from collections.abc import Callable, Iterable
from typing import Final

from msgspec.structs import replace

from .case_facts import (
    array_lengths,
    interval_of,
    item_parts,
    member_parts,
    object_sizes,
    prefix_length,
    required_names,
    text_lengths,
    values_of,
)
from .cases import Case, Part, cases_of
from .scalar_values import patterns_of
from .texts import UndecidedTextError, find_text

MAX_DEPTH: Final = 6
"""Levels below a case that are looked into."""
MAX_NESTED: Final = 3
"""Proofs that a case is refused, inside of each other."""
MAX_ITEMS: Final = 20
MAX_LITERALS: Final = 300


class Emptiness:
    """Shows that schemas have no value in common. What is not shown counts as inhabited."""

    def __init__(self, spend: Callable[[], bool], contains: Callable[[Case, Part], bool]) -> None:
        """Args:
        spend: counts one step, and is False once there are no more.
        contains: whether every value of a case is surely accepted by a schema.
        """
        self._spend = spend
        self._contains = contains
        self._nested = 0
        self._known: dict[frozenset[int], tuple[bool, tuple[Part, ...]]] = {}

    def parts(self, parts: Iterable[Part], depth: int = 0) -> bool:
        """Whether no value is accepted by all of `parts`."""
        parts = tuple(parts)
        if any(part.schema is False for part in parts):
            return True
        keys = frozenset(part.key for part in parts)
        known = self._known.get(keys)
        if known is not None:
            return known[0]
        if depth > MAX_DEPTH or not self._spend():
            return False
        self._known[keys] = (False, parts)
        found = all(self.case(case, depth) for case in cases_of(parts))
        if depth == 0 or found:
            self._known[keys] = (found, parts)
        else:
            del self._known[keys]  # at another depth more may be seen
        return found

    def case(self, case: Case, depth: int = 0) -> bool:
        """Whether a case of one kind has no value."""
        return self._stated(case, depth) or self._refused(case)

    def _refused(self, case: Case) -> bool:
        """Whether all values of a case are among those that it refuses."""
        if not case.refused or self._nested >= MAX_NESTED:
            return False
        self._nested += 1
        try:
            for part in case.refused:
                others = tuple(each for each in case.refused if each is not part)
                if self._contains(replace(case, refused=others), part):
                    return True
            return False
        finally:
            self._nested -= 1

    def _stated(self, case: Case, depth: int) -> bool:
        facts = case.facts
        if case.literals is not None:
            if len(case.literals) > MAX_LITERALS:
                return False
            return not any(all(fact.accepts(value) for fact in facts) for value in case.literals)
        if case.kind == "number":
            return interval_of(facts, whole=case.whole).empty
        if case.kind == "string":
            return self._no_text(case)
        if case.kind == "array":
            return self._no_array(case, depth)
        return self._no_object(case, depth)

    def _no_text(self, case: Case) -> bool:
        lengths = text_lengths(case.facts)
        if lengths.empty:
            return True
        patterns = list(dict.fromkeys(values_of(case.facts, "pattern")))
        patterns += patterns_of(values_of(case.facts, "format"))
        if not patterns or (len(patterns) == 1 and lengths.least == 0 and lengths.most is None):
            return False
        try:
            return find_text(patterns, (), lengths.least, lengths.most) is None
        except UndecidedTextError:
            return False

    def _no_array(self, case: Case, depth: int) -> bool:
        lengths = array_lengths(case.facts)
        if lengths.empty:
            return True
        needed = range(min(lengths.least, MAX_ITEMS))
        if any(self.parts(item_parts(case.facts, index), depth + 1) for index in needed):
            return True
        for fact in case.facts:
            least = fact.schema.get("minContains", 1) if "contains" in fact.schema else 0
            if least > 0 and (
                fact.schema.get("maxContains", least) < least
                or self._contains_none(case, fact.below("contains"), lengths.most, depth)
            ):
                return True
        return False

    def _contains_none(self, case: Case, wanted: Part, most: int | None, depth: int) -> bool:
        """Whether no item can be what `contains` asks for."""
        positions = prefix_length(case.facts) + 1
        positions = positions if most is None else min(positions, most)
        return positions <= MAX_ITEMS and all(
            self.parts([*item_parts(case.facts, index), wanted], depth + 1) for index in range(positions)
        )

    def _no_object(self, case: Case, depth: int) -> bool:
        if object_sizes(case.facts).empty:
            return True
        for name in required_names(case.facts):
            parts = member_parts(case.facts, name)
            if parts is None or self.parts(parts, depth + 1):
                return True
        return False
