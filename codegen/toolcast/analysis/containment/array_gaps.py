"""Arrays of a case against the keywords of one schema."""

from collections.abc import Iterator
from typing import Any, Final

from ...jsonschema.case_facts import array_lengths, item_parts, leaves_rest, prefix_length, values_of
from ...jsonschema.cases import Case, Part, cases_of
from ...jsonschema.json_values import JsonObject
from ..instances.generator import UnfillableError
from .gaps import ITEMS, Gap, Prover, size_gaps


def array_gaps(prover: Prover, case: Case, target: Part) -> list[Gap]:
    """Arrays against lengths, items, uniqueness and `contains`."""
    schema = target.schema
    found = size_gaps(prover, case, target, ITEMS, lambda size: _of_size(prover, case, target, size))
    if "items" in schema or "prefixItems" in schema:
        found += _item_gaps(prover, case, target)
    if schema.get("uniqueItems") is True:
        found += _unique_gaps(prover, case, target)
    if "contains" in schema:
        found += _contains_gaps(prover, case, target)
    if "unevaluatedItems" in schema and "items" not in schema:
        found += _unevaluated_gaps(prover, case, target)
    return found


def _of_size(prover: Prover, case: Case, target: Part, size: JsonObject) -> Iterator[Any]:
    soft = [target.below("items")] if "items" in target.schema else []
    for parts in ([{"items": part.schema} for part in soft], []):
        made = [prover.made(target, size), *(prover.made(target, each) for each in parts)]
        for sized in cases_of(made, case):
            try:
                yield prover.builder.of_case(sized)
            except UnfillableError:
                continue


def _item_gaps(prover: Prover, case: Case, target: Part) -> list[Gap]:
    ours = array_lengths(case.facts)
    first_rest = max(prefix_length(case.facts), len(target.schema.get("prefixItems", ())))
    found: list[Gap] = []
    for index in range(first_rest + 1):
        if ours.most is not None and index >= ours.most:
            break
        parts = item_parts(case.facts, index)
        if prover.emptiness.reason(parts):
            break
        for theirs in item_parts((target,), index):
            found += _at(prover, case, target, index, parts, theirs)
    return found


def _at(prover: Prover, case: Case, target: Part, index: int, parts: list[Part], theirs: Part) -> list[Gap]:
    def embed(value: object) -> Iterator[Any]:
        for soft in ((target,), ()):
            try:
                yield prover.builder.array_with(case, index, value, soft)
            except UnfillableError:
                continue

    if theirs.schema is True:
        return []
    if theirs.schema is False:
        message = f"an item at position {index} is refused now"

        def values() -> Iterator[Any]:
            try:
                yield prover.builder.value(parts)
            except UnfillableError:
                return

        return [Gap(case.pointer, "items-forbidden", message, values).around(embed)]
    parts = parts or [Part(target.side, True, case.pointer)]
    return [gap.around(embed) for gap in prover.gaps(parts, theirs)]


def _unique_gaps(prover: Prover, case: Case, target: Part) -> list[Gap]:
    ours = array_lengths(case.facts)
    if True in values_of(case.facts, "uniqueItems") or (ours.most is not None and ours.most < 2):
        return []

    def values() -> Iterator[Any]:
        for index in range(max(1, min(prefix_length(case.facts), 10))):
            parts = [*item_parts(case.facts, index), *item_parts(case.facts, index + 1)]
            for soft in (item_parts((target,), index), []):
                try:
                    item = prover.builder.value(parts, soft)
                    made = prover.builder.array_with(case, index, item)
                    made = [*made[: index + 1], item, *made[index + 2 :]]
                except UnfillableError:
                    continue
                yield made

    message = "items may be equal before, and must be unique now"
    return [prover.gap(case, target, "unique-items-added", message, values)]


def _contains_gaps(prover: Prover, case: Case, target: Part) -> list[Gap]:
    schema, theirs = target.schema, target.below("contains")
    low, high = int(schema.get("minContains", 1)), schema.get("maxContains")
    if (low == 0 or _contains_enough(prover, case, theirs, low)) and (
        high is None or _contains_few(prover, case, theirs, int(high))
    ):
        return []
    message = "the items that the array must contain, or how many of them, changed"
    return [
        prover.gap(case, target, "contains-narrowed", message, lambda: _around_contains(prover, case, target))
    ]


def _contains_enough(prover: Prover, case: Case, theirs: Part, low: int) -> bool:
    for fact in case.facts:
        stated = "contains" in fact.schema and int(fact.schema.get("minContains", 1)) >= low
        if stated and not prover.gaps([fact.below("contains")], theirs):
            return True
    if array_lengths(case.facts).least < low:
        return False
    count = prefix_length(case.facts)
    if count >= low:
        return all(not prover.gaps(item_parts(case.facts, index), theirs) for index in range(low))
    every = range(count + 1)
    return all(
        bool(parts) and not prover.gaps(parts, theirs)
        for parts in (item_parts(case.facts, index) for index in every)
    )


def _contains_few(prover: Prover, case: Case, theirs: Part, high: int) -> bool:
    most = array_lengths(case.facts).most
    if most is not None and most <= high:
        return True
    for fact in case.facts:
        stated = "contains" in fact.schema and fact.schema.get("maxContains", high + 1) <= high
        if stated and not prover.gaps([theirs], fact.below("contains")):
            return True
    return all(
        prover.emptiness.reason([*item_parts(case.facts, index), theirs])
        for index in range(prefix_length(case.facts) + 1)
    )


def _around_contains(prover: Prover, case: Case, target: Part) -> Iterator[object]:
    """Arrays whose items one side contains and the other does not, and arrays with too many of them."""
    theirs = target.below("contains")
    lengths = array_lengths(case.facts)
    ours = [fact.below("contains") for fact in case.facts if "contains" in fact.schema]
    for part in ours:
        for gap in prover.gaps([part, *item_parts(case.facts, 0)], theirs):
            for value in gap.values():
                yield [value]
    refused = prover.made(target, {"not": theirs.schema})
    outside = [[prover.made(part, {"not": part.schema})] for part in ours]
    counts = {lengths.least, lengths.least + 1, int(target.schema.get("maxContains", 0)) + 1}
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
                    prover.builder.value([*item_parts(case.facts, index), *(rest if index else first)])
                    for index in range(count)
                ]
            except UnfillableError:
                continue


_MAX_CONTAINED: Final = 1_000


_IN_PLACE: Final = (
    *("$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else"),
    *("dependentSchemas", "contains", "minContains", "maxContains"),
)


def _unevaluated_gaps(prover: Prover, case: Case, target: Part) -> list[Gap]:
    """`unevaluatedItems` as `items`, where nothing else evaluates items, or both sides evaluate the same."""
    rest = target.below("unevaluatedItems")
    count = len(target.schema.get("prefixItems", ()))
    if leaves_rest(target):
        made: JsonObject = {"prefixItems": [True] * count} if count else {}
        return _item_gaps(prover, case, prover.made(target, {**made, "items": rest.schema}))
    for fact in case.facts:
        schema = fact.schema
        if "unevaluatedItems" in schema and len(schema.get("prefixItems", ())) <= count:
            one, two = (
                prover.made(part, {word: part.schema[word] for word in _IN_PLACE if word in part.schema})
                for part in (fact, target)
            )
            if prover.same(one, two) and not prover.gaps([fact.below("unevaluatedItems")], rest):
                return []
    message = "which items `unevaluatedItems` applies to depends on other keywords"
    return [prover.gap(case, target, "items-forbidden", message, lambda: iter(()))]
