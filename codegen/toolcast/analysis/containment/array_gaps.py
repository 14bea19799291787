"""Arrays of a case against the keywords of one schema."""

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from msgspec.structs import replace

from ...jsonschema.case_facts import array_lengths, item_parts, leaves_rest, prefix_length, values_of
from ...jsonschema.cases import Part, cases_of
from ...jsonschema.json_values import JsonObject
from ..instances.generator import UnfillableError
from .gaps import ITEMS, Gap, Goal, made_of, size_gaps


def array_gaps(goal: Goal) -> list[Gap]:
    """Return the gaps of arrays against lengths, items, uniqueness and `contains`."""
    schema = goal.target.schema
    found = size_gaps(goal, ITEMS, lambda size: _of_size(goal, size))
    if "items" in schema or "prefixItems" in schema:
        found += _item_gaps(goal)
    if schema.get("uniqueItems") is True:
        found += _unique_gaps(goal)
    if "contains" in schema:
        found += _contains_gaps(goal)
    if "unevaluatedItems" in schema and "items" not in schema:
        found += _unevaluated_gaps(goal)
    return found


def _of_size(goal: Goal, size: JsonObject) -> Iterator[Any]:
    soft = [goal.target.below("items")] if "items" in goal.target.schema else []
    for parts in ([{"items": part.schema} for part in soft], []):
        made = [goal.made(size), *(goal.made(each) for each in parts)]
        for sized in cases_of(made, goal.case):
            yield from goal.values(sized)


def _item_gaps(goal: Goal) -> list[Gap]:
    ours = array_lengths(goal.facts)
    first_rest = max(prefix_length(goal.facts), len(goal.target.schema.get("prefixItems", ())))
    found: list[Gap] = []
    for index in range(first_rest + 1):
        if ours.most is not None and index >= ours.most:
            break
        parts = item_parts(goal.facts, index)
        if goal.prover.emptiness.reason(parts):
            break
        for theirs in item_parts((goal.target,), index):
            found += _at(goal, index, parts, theirs)
    return found


def _at(goal: Goal, index: int, parts: list[Part], theirs: Part) -> list[Gap]:
    def embed(value: object) -> Iterator[Any]:
        make = partial(goal.prover.builder.array_with, goal.case, index, value)
        return made_of(partial(make, (goal.target,)), make)

    if theirs.schema is True:
        return []
    if theirs.schema is False:
        message = f"an item at position {index} is refused now"
        values = partial(made_of, partial(goal.prover.builder.value, parts))
        return [Gap(goal.case.pointer, "items-forbidden", message, values).around(embed)]
    parts = parts or [Part(goal.target.side, True, goal.case.pointer)]
    return [gap.around(embed) for gap in goal.prover.gaps(parts, theirs)]


def _unique_gaps(goal: Goal) -> list[Gap]:
    ours = array_lengths(goal.facts)
    if True in values_of(goal.facts, "uniqueItems") or (ours.most is not None and ours.most < 2):
        return []

    def values() -> Iterator[Any]:
        for index in range(max(1, min(prefix_length(goal.facts), 10))):
            parts = [*item_parts(goal.facts, index), *item_parts(goal.facts, index + 1)]
            for soft in (item_parts((goal.target,), index), []):
                try:
                    item = goal.prover.builder.value(parts, soft)
                    made = goal.prover.builder.array_with(goal.case, index, item)
                    made = [*made[: index + 1], item, *made[index + 2 :]]
                except UnfillableError:
                    continue
                yield made

    message = "items may be equal before, and must be unique now"
    return [goal.gap("unique-items-added", message, values)]


def _contains_gaps(goal: Goal) -> list[Gap]:
    schema, theirs = goal.target.schema, goal.target.below("contains")
    low, high = int(schema.get("minContains", 1)), schema.get("maxContains")
    if (low == 0 or _contains_enough(goal, theirs, low)) and (
        high is None or _contains_few(goal, theirs, int(high))
    ):
        return []
    message = "the items that the array must contain, or how many of them, changed"
    return [goal.gap("contains-narrowed", message, lambda: _around_contains(goal))]


def _contains_enough(goal: Goal, theirs: Part, low: int) -> bool:
    for fact in goal.facts:
        stated = "contains" in fact.schema and int(fact.schema.get("minContains", 1)) >= low
        if stated and not goal.prover.gaps([fact.below("contains")], theirs):
            return True
    if array_lengths(goal.facts).least < low:
        return False
    count = prefix_length(goal.facts)
    if count >= low:
        return all(not goal.prover.gaps(item_parts(goal.facts, index), theirs) for index in range(low))
    every = range(count + 1)
    return all(
        bool(parts) and not goal.prover.gaps(parts, theirs)
        for parts in (item_parts(goal.facts, index) for index in every)
    )


def _contains_few(goal: Goal, theirs: Part, high: int) -> bool:
    most = array_lengths(goal.facts).most
    if most is not None and most <= high:
        return True
    for fact in goal.facts:
        stated = "contains" in fact.schema and fact.schema.get("maxContains", high + 1) <= high
        if stated and not goal.prover.gaps([theirs], fact.below("contains")):
            return True
    return all(
        goal.prover.emptiness.reason([*item_parts(goal.facts, index), theirs])
        for index in range(prefix_length(goal.facts) + 1)
    )


def _around_contains(goal: Goal) -> Iterator[object]:
    """Yield arrays whose items one side contains and the other does not, and arrays with too many of them."""
    theirs = goal.target.below("contains")
    lengths = array_lengths(goal.facts)
    ours = [fact.below("contains") for fact in goal.facts if "contains" in fact.schema]
    for part in ours:
        for gap in goal.prover.gaps([part, *item_parts(goal.facts, 0)], theirs):
            for value in gap.values():
                yield [value]
    refused = goal.made({"not": theirs.schema})
    outside = [[goal.prover.made(part, {"not": part.schema})] for part in ours]
    counts = {lengths.least, lengths.least + 1, int(goal.target.schema.get("maxContains", 0)) + 1}
    for count in sorted(counts):
        if count > _MAX_CONTAINED or (lengths.most is not None and count > lengths.most):
            continue
        for first, rest in (
            *(([refused], [refused]), ([theirs], [theirs])),
            *(([part], others) for part, others in zip(ours, outside, strict=True)),
            *(([part], [*others, theirs]) for part, others in zip(ours, outside, strict=True)),
            *((others, others) for others in outside),
        ):
            try:
                yield [
                    goal.prover.builder.value([*item_parts(goal.facts, index), *(rest if index else first)])
                    for index in range(count)
                ]
            except UnfillableError:
                continue


_MAX_CONTAINED: Final = 1_000


_IN_PLACE: Final = (
    *("$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else"),
    *("dependentSchemas", "contains", "minContains", "maxContains"),
)


def _unevaluated_gaps(goal: Goal) -> list[Gap]:
    """Treat `unevaluatedItems` as `items`, where no other or the same keywords evaluate items."""
    rest = goal.target.below("unevaluatedItems")
    count = len(goal.target.schema.get("prefixItems", ()))
    if leaves_rest(goal.target):
        made: JsonObject = {"prefixItems": [True] * count} if count else {}
        return _item_gaps(replace(goal, target=goal.made({**made, "items": rest.schema})))
    for fact in goal.facts:
        schema = fact.schema
        if "unevaluatedItems" in schema and len(schema.get("prefixItems", ())) <= count:
            one, two = (
                goal.prover.made(part, {word: part.schema[word] for word in _IN_PLACE if word in part.schema})
                for part in (fact, goal.target)
            )
            if goal.prover.same(one, two) and not goal.prover.gaps([fact.below("unevaluatedItems")], rest):
                return []
    message = "which items `unevaluatedItems` applies to depends on other keywords"
    return [goal.gap("items-forbidden", message, lambda: iter(()))]
