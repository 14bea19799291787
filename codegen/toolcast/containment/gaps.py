"""Containment: the reasons of gaps, and cases that have no values."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple, Protocol

from msgspec import Struct
from msgspec.structs import replace

from ..instances.generator import Generator
from ..instances.pattern_texts import UndecidedTextError, find_text
from ..instances.samples import patterns_of
from ..jsonschema.case_facts import (
    Facts,
    Lengths,
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
from ..jsonschema.cases import Case, Part, cases_of

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


Values = Callable[[], Iterator[Any]]
"""Values that may be witnesses, made when they are asked for; likely ones first."""


class Gap(Struct, frozen=True, eq=False):
    """One reason why containment is not shown at one place.

    `values` are of that place (then `at_place`); around it, each step adds what contains them.
    """

    pointer: str
    reason: str
    message: str
    values: Values
    at_place: bool = False

    def around(self, embed: Callable[[Any], Iterable[Any]]) -> "Gap":
        """The same gap one level further out; `embed` puts a value into what contains it."""

        def values() -> Iterator[Any]:
            for value in self.values():
                yield from embed(value)

        return Gap(self.pointer, self.reason, self.message, values)


class Prover(Protocol):
    """What the comparisons of single types need of the comparison of any schemas."""

    builder: Generator
    varied: Generator
    emptiness: Emptiness

    def same(self, left: Part, right: Part) -> bool:
        """Whether two schemas have equal normal forms."""
        ...

    def gaps(self, parts: Sequence[Part], target: Part, *, without_null: bool = False) -> list[Gap]:
        """Why values of all of `parts` may be refused by `target`."""
        ...

    def case_gaps(self, case: Case, target: Part) -> list[Gap]:
        """The same for one case."""
        ...

    def gap(self, case: Case, target: Part, reason: str, message: str, values: Values) -> Gap:
        """A gap at the place of `case`. Behind `values`, it searches for more."""
        ...

    def made(self, part: Part, schema: dict[str, Any]) -> Part:
        """A schema that stands for a restriction, on the side and at the place of `part`."""
        ...

    def disjoint(self, case: Case, part: Part) -> bool:
        """Whether it is shown that no value of `case` is accepted by `part`."""
        ...

    def forgives_null(self, target: Part, name: str) -> bool:
        """Whether an explicit null of the property `name` counts as absent."""
        ...


def merged(gaps: Iterable[Gap]) -> list[Gap]:
    """Gaps of one reason at one place as one, in the order of the first."""
    grouped: dict[tuple[str, str], list[Gap]] = {}
    for gap in gaps:
        grouped.setdefault((gap.pointer, gap.reason), []).append(gap)
    return [together(group) if len(group) > 1 else group[0] for group in grouped.values()]


def together(gaps: Sequence[Gap]) -> Gap:
    """Several gaps as the first one, with the values of all in turn."""

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


def joined(*sources: Callable[[], Iterable[Any]]) -> Values:
    """The values of several sources, one after another."""
    return lambda: chain.from_iterable(source() for source in sources)


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
