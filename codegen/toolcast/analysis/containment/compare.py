"""Compares two contracts: a proof of containment, witnesses where it fails, a search where it holds."""

import random
from collections.abc import Iterator
from itertools import combinations, islice
from typing import Any, Final, Literal

from msgspec import Struct
from msgspec.json import encode

from ...contract.build import Built
from ...jsonschema.cases import Part, Side
from ...jsonschema.validator import Validator
from ..instances.generator import Generator, PartBudget, UnfillableError
from ..instances.shrink import Path, without
from .gaps import OF_KEYWORD, Gap, merged
from .prover import SchemaProver

_Verdict = Literal["contained", "escapes", "undecided"]
"""Every value of the first contract is one of the second; some value is not; neither was shown."""


class Escape(Struct, frozen=True, kw_only=True):
    """One reason why a value of the first contract is none of the second. `value` is a whole value of the
    root: the first accepts it, the second refuses it because of this place.
    """

    pointer: str  # in the first contract's document; where it lacks the place, in the second's
    reason: str  # a kind of narrowing, in kebab case; `gaps.REASONS` lists them
    message: str  # one sentence: the bound before and after, the name of the property, …
    value: Any


class Open(Struct, frozen=True, kw_only=True):
    """One place that is not decided, and why."""

    pointer: str
    message: str


class Comparison(Struct, frozen=True, kw_only=True):
    """Every escape and every undecided place, in the order of the first contract."""

    escapes: tuple[Escape, ...] = ()
    undecided: tuple[Open, ...] = ()

    @property
    def verdict(self) -> _Verdict:
        """Return the verdict: an escape decides, whatever else is undecided."""
        if self.escapes:
            return "escapes"
        return "undecided" if self.undecided else "contained"


_Root = Literal["parameters", "result"]

_MAX_VALUES: Final = 60
"""Values of one place that are tried as witnesses."""
_MAX_PARTS: Final = 30_000
"""Parts of all values that are made for one pair of contracts,"""
_MAX_PARTS_HERE: Final = 3_000
"""and of those for one place."""
_ENOUGH: Final = 4
"""Witnesses of one place, of which the clearest is taken."""
_MAX_NULLS: Final = 6
"""Null properties of a value whose subsets are tried;"""
_MAX_NULLS_COUNTED: Final = 200
"""of more, each alone and these together."""
_MAX_SEARCHED_PARTS: Final = 1_500
"""Parts of all values of that search."""
_SEARCHED: Final = 12
"""Values that a proof of containment must survive."""


class _Judge(Struct, frozen=True):
    """The exact validators of both sides, and whether a null of an optional property counts as absent. `side`
    is the second one.
    """

    old: Validator | bool
    new: Validator | bool
    side: Side
    forgiving: bool

    def escapes(self, value: object) -> bool:
        return _accepts(self.old, value) and not self.accepted_now(value)

    def accepted_now(self, value: object) -> bool:
        """Return whether the second contract accepts `value`, with its allowances."""
        if isinstance(self.new, bool):
            return self.new
        if self.new.accepts(value):
            return True
        if not self.forgiving:
            return False
        # Where alternatives overlap, more than one reading of "optional and not nullable" is possible: a
        # witness is refused by all of them.
        return self.new.accepts(self.new.settle(value)) or any(
            map(self.new.accepts, _with_fewer_nulls(value, self.side.declared))
        )

    def reasons(self, value: object) -> int:
        return 1 if isinstance(self.new, bool) else len(self.new.violations(value, 10))


def _null_properties(value: object, declared: frozenset[str], path: Path = ()) -> Iterator[Path]:
    """Yield the paths of null properties with one of the `declared` names."""
    if isinstance(value, dict):
        for name, item in value.items():
            if item is not None:
                yield from _null_properties(item, declared, (*path, name))
            elif name in declared:
                yield (*path, name)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _null_properties(item, declared, (*path, index))


def _with_fewer_nulls(value: object, declared: frozenset[str]) -> Iterator[object]:
    """Yield `value` without some of the properties that are null, in all ways where these are few."""
    nulls = list(islice(_null_properties(value, declared), _MAX_NULLS_COUNTED))
    sizes = range(1, len(nulls) + 1) if len(nulls) <= _MAX_NULLS else (1, len(nulls))
    for count in sizes:
        for chosen in combinations(nulls, count):
            bare = value
            for path in chosen:
                bare = without(bare, path)
            yield bare


def _accepts(validator: Validator | bool, value: object) -> bool:
    return validator if isinstance(validator, bool) else validator.accepts(value)


def compare(old: Built, new: Built, root: _Root, *, search: bool = True) -> Comparison:
    """Decide whether every value of `old` is a value of `new`, at one root of both.

    For parameters, an explicit null of an optional property that refuses null counts as absent, as decoders
    read it. A contract without a result accepts any. With `search`, values are also tried where containment
    is proven, so that no mistake of a proof is believed.

    Returns every escape with a witness that both exact validators confirm, and every place that is not
    decided. Raises ValueError where one of the specs has errors, and so no contract.
    """
    if old.contract is None or new.contract is None:
        raise ValueError("a spec with errors has no contract to compare")
    first = Part(Side(old.document, "old", old.schemas), old.document.get(root, True), f"/{root}")
    second = Part(Side(new.document, "new", new.schemas), new.document.get(root, True), f"/{root}")
    if _as_bytes(first) == _as_bytes(second):
        return Comparison()
    try:
        return _compared(first, second, forgiving=root == "parameters", search=search)
    except RecursionError:
        message = "the schemas are nested too deeply to be compared"
        return Comparison(undecided=(Open(pointer=first.pointer, message=message),))


def _as_bytes(part: Part) -> bytes:
    return encode([part.schema, part.side.document.get("$defs")])


def _compared(first: Part, second: Part, *, forgiving: bool, search: bool) -> Comparison:
    prover = SchemaProver(forgiving=forgiving)
    if prover.same(first, second):
        return Comparison()
    judge = _Judge(
        old=first.schema if isinstance(first.schema, bool) else first.side.validator(first.schema),
        new=second.schema if isinstance(second.schema, bool) else second.side.validator(second.schema),
        side=second.side,
        forgiving=forgiving,
    )
    escapes: list[Escape] = []
    undecided: list[Open] = []
    gaps = merged(prover.gaps([first], second))
    left = _MAX_PARTS
    for gap in gaps:
        allowed = prover.budget.left = min(left, _MAX_PARTS_HERE)
        found = _witness(gap, judge)
        left -= allowed - prover.budget.left
        if found is None:
            undecided.append(Open(pointer=gap.pointer, message=gap.message))
        else:
            escapes.append(
                Escape(pointer=gap.pointer, reason=gap.reason, message=gap.message, value=found[0])
            )
    if search and not escapes:
        escapes = list(_searched(judge, first, second))
    return Comparison(escapes=tuple(escapes), undecided=tuple(undecided))


def _witness(gap: Gap, judge: _Judge) -> tuple[object] | None:
    """Return the witness that violates the least of the second contract."""
    best: tuple[int, object] | None = None
    confirmed = (value for value in islice(gap.values(), _MAX_VALUES) if judge.escapes(value))
    for value in islice(confirmed, _ENOUGH):
        count = judge.reasons(value)
        if best is None or count < best[0]:
            best = (count, value)
        if count == 1:
            break
    return None if best is None else (best[1],)


def _searched(judge: _Judge, first: Part, second: Part) -> Iterator[Escape]:
    """Yield an escape that the proof has not seen, if a search finds one."""
    builder = Generator(PartBudget(_MAX_SEARCHED_PARTS), random.Random(0), 400)
    for number in range(_SEARCHED):
        builder.fullness = (0.0, 1.0, 0.5, 0.2)[number % 4]
        try:
            value = builder.value((first,), hints=(second,))
        except UnfillableError:
            continue
        if judge.escapes(value):
            violations = [] if isinstance(judge.new, bool) else judge.new.violations(value, 1)
            keyword = violations[0].keyword if violations else ""
            yield Escape(
                pointer=first.pointer,
                reason=OF_KEYWORD.get(keyword, "value-refused"),
                message=violations[0].message if violations else "it is refused now",
                value=value,
            )
            return
