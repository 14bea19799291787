"""Changes for readers of results: values that were impossible, and properties that were promised."""

from collections.abc import Iterator, Mapping
from typing import Final

from ...containment.compare import compare
from ..change import Change
from ..contract_changes import Direction, Explained, changes_of, place_of, sides
from ..pairs import Context, Pair, Side
from ..places import PropertyChange, property_changes, spoken

WIDER: Final[Mapping[str, tuple[str, str]]] = {
    "required-added": ("result-property-optional", "may be absent"),
    "made-required": ("result-property-optional", "may be absent"),
    "dependency-added": ("result-property-optional", "may be absent where another property is there"),
    "property-removed": ("result-opened", "may be there, which it could not"),
    "property-forbidden": ("result-opened", "may be there, which it could not"),
    "object-closed": ("result-opened", "properties that are not declared may be there"),
    "property-names-narrowed": ("result-opened", "properties of other names may be there"),
    "property-declared": ("result-property-removed", "is no longer declared, and may be anything"),
    "type-narrowed": ("result-type-widened", "may be of another type"),
    "null-refused": ("result-type-widened", "may be null"),
    "branch-removed": ("result-type-widened", "may have another form"),
    "enum-value-removed": ("result-values-widened", "may be a value that was not listed"),
    "enum-added": ("result-values-widened", "may be a value that was not listed"),
    "minimum-raised": ("result-bound-widened", "may be smaller"),
    "maximum-lowered": ("result-bound-widened", "may be larger"),
    "multiple-of-narrowed": ("result-bound-widened", "may be no multiple"),
    "min-length-raised": ("result-bound-widened", "may be shorter"),
    "max-length-lowered": ("result-bound-widened", "may be longer"),
    "min-items-raised": ("result-bound-widened", "may have fewer items"),
    "max-items-lowered": ("result-bound-widened", "may have more items"),
    "unique-items-added": ("result-bound-widened", "may have equal items"),
    "min-properties-raised": ("result-bound-widened", "may have fewer properties"),
    "max-properties-lowered": ("result-bound-widened", "may have more properties"),
    "pattern-added": ("result-text-widened", "may have another form"),
    "pattern-changed": ("result-text-widened", "may have another form"),
    "format-added": ("result-text-widened", "may have another form"),
    "format-changed": ("result-text-widened", "may have another form"),
}
"""Reason why the old contract refuses a new result → rule, and what that means; others: `result-widened`."""

WIDENED: Final = Direction(
    root="result",
    by_reason={reason: rule for reason, (rule, _) in WIDER.items()},
    other="result-widened",
    undecided="result-undecided",
    forward=False,
    sentences={reason: text for reason, (_, text) in WIDER.items()},
    sentence="may have a value that it could not have",
)


def results(pair: Pair, context: Context) -> tuple[Change, ...]:
    """Return the changes for readers of one tool's results; none for a tool that is new or gone."""
    both = sides(pair)
    if both is None:
        return ()
    old, new = both
    before, after = "result" in old.built.normal.roots, "result" in new.built.normal.roots
    if before and not after:
        return (
            pair.change("result-untyped", "the result has no contract any more", pointer="/result", old=True),
        )
    if after and not before:
        return (pair.change("result-typed", "the result has a contract now", pointer="/result"),)
    return tuple(_of_contracts(pair, context, old, new)) if before else ()


def _of_contracts(pair: Pair, context: Context, old: Side, new: Side) -> Iterator[Change]:
    assert old.built.contract is not None
    assert new.built.contract is not None
    properties = list(property_changes(old.built.contract, new.built.contract, "result"))
    explained = [
        Explained(each.pointer, "result-property-removed", f"`{spoken(each.pointer)}` is no longer declared")
        for each in properties
        if each.kind == "dropped"
    ]
    found = changes_of(pair, context, compare(new.built, old.built, "result"), WIDENED, explained)
    yield from found
    told = {each.pointer for each in found}
    for each in properties:
        if each.kind != "null" and each.pointer not in told:
            yield _property(pair, each)


def _property(pair: Pair, change: PropertyChange) -> Change:
    name = spoken(change.pointer)
    if change.kind == "added":
        return pair.change("result-property-added", f"`{name}` is new", pointer=change.pointer)
    return pair.change(
        "result-property-removed",
        f"`{name}` is no longer declared",
        hint="deprecate it first: keep the property, and say so in its description",
        **place_of(pair, change.pointer),
    )
