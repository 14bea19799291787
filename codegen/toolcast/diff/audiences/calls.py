"""Changes for callers: a call that was valid and is refused now, with such a call as proof."""

from collections.abc import Iterator, Mapping, Set
from typing import Final

from ...containment.compare import compare
from ...jsonschema.pointers import escape
from ..change import Change
from ..contract_changes import ABSENCE, Direction, Explained, changes_of, place_of, sides
from ..pairs import Context, Pair, Side, offered_pair
from ..places import PropertyChange, listed, property_changes, spoken
from ..witnesses import call_of_old_name

BY_REASON: Final[Mapping[str, str]] = {
    "required-added": "parameter-required",
    "made-required": "parameter-required",
    "dependency-added": "parameter-required",
    "property-removed": "parameter-removed",
    "property-forbidden": "parameter-removed",
    "property-declared": "parameter-declared",
    "object-closed": "object-closed",
    "property-names-narrowed": "object-closed",
    "type-narrowed": "type-narrowed",
    "null-refused": "type-narrowed",
    "branch-removed": "type-narrowed",
    "enum-value-removed": "values-narrowed",
    "enum-added": "values-narrowed",
    "minimum-raised": "bound-narrowed",
    "maximum-lowered": "bound-narrowed",
    "multiple-of-narrowed": "bound-narrowed",
    "min-length-raised": "bound-narrowed",
    "max-length-lowered": "bound-narrowed",
    "min-items-raised": "bound-narrowed",
    "max-items-lowered": "bound-narrowed",
    "min-properties-raised": "bound-narrowed",
    "max-properties-lowered": "bound-narrowed",
    "pattern-added": "text-narrowed",
    "pattern-changed": "text-narrowed",
    "format-added": "text-narrowed",
    "format-changed": "text-narrowed",
}
"""Reason of an escape → rule; every other reason is `call-refused`."""

REFUSED: Final = Direction(
    root="parameters",
    by_reason=BY_REASON,
    other="call-refused",
    undecided="call-undecided",
    forward=True,
)


def calls(pair: Pair, context: Context) -> tuple[Change, ...]:
    """Return the changes for callers of one tool; none for one that is gone."""
    if pair.new is None:
        return ()
    if pair.old is None:
        return (pair.change("tool-added", "the tool is new"),)
    renamed = (_renamed(pair, context),) if pair.renamed_from else ()
    pair = offered_pair(pair)
    both = sides(pair)
    return (*renamed, *_of_contracts(pair, context, *both)) if both else renamed


def _renamed(pair: Pair, context: Context) -> Change:
    assert pair.old is not None
    return pair.change(
        "tool-renamed",
        f"the tool was called `{pair.renamed_from}`",
        at=("name",),
        hint="keep a tool of the old name for a while, with `deprecated`",
        witness=call_of_old_name(pair.old, context.old.types),
    )


def _of_contracts(pair: Pair, context: Context, old: Side, new: Side) -> Iterator[Change]:
    assert old.built.contract is not None
    assert new.built.contract is not None
    properties = list(property_changes(old.built.contract, new.built.contract, "parameters"))
    explained = list(_explained(pair, properties))
    found = changes_of(pair, context, compare(old.built, new.built, "parameters"), REFUSED, explained)
    yield from found
    told = {each.pointer for each in found}
    messages = {each.message for each in found}
    renamed = {_pointer(before): _pointer(after) for after, before in pair.renamed_parameters.items()}
    for each in properties:
        if each.pointer in told or each.pointer in renamed.values():
            continue
        if each.kind == "null":
            message = f"null of `{spoken(each.pointer)}` means that it is absent, and was a value of its own"
            yield pair.change("null-dropped", message, pointer=each.pointer)
        elif each.kind == "added":
            required = ", and required" if each.field.required else ""
            message = f"`{spoken(each.pointer)}` is new{required}"
            yield pair.change("parameter-added", message, pointer=each.pointer)
        elif each.pointer not in renamed:
            yield _ignored(pair, each, "is no longer declared")
        elif (message := _renaming(each.pointer, renamed[each.pointer])) not in messages:
            yield _ignored(pair, each, message.partition("` ")[2])
    yield from _wider(pair, old, new, told | {each.pointer for each in properties})


def _wider(pair: Pair, old: Side, new: Side, told: Set[str]) -> Iterator[Change]:
    """Yield a change for calls that are valid now and were refused. Of properties in `told`, other changes
    say that they are there or not.
    """
    wider = compare(new.built, old.built, "parameters", search=False)
    of_property = (*ABSENCE, "property-declared")
    places = [
        each.pointer for each in wider.escapes if each.reason not in of_property or each.pointer not in told
    ]
    sure = bool(places)
    places = places or ([] if wider.escapes else [each.pointer for each in wider.undecided])
    if places:
        names = listed(list(dict.fromkeys(spoken(each) or "the parameters" for each in places)))
        message = f"more calls {'are' if sure else 'may be'} valid: {names}"
        yield pair.change("calls-widened", message, undecided=not sure, **place_of(pair, places[0]))


def _pointer(name: str) -> str:
    return f"/parameters/properties/{escape(name)}"


def _renaming(before: str, after: str) -> str:
    return f"`{spoken(before)}` is called `{spoken(after)}` now"


def _explained(pair: Pair, properties: list[PropertyChange]) -> Iterator[Explained]:
    """Yield places with a sentence of their own: renamed and dropped parameters, and new required ones."""
    for after, before in pair.renamed_parameters.items():
        message = _renaming(_pointer(before), _pointer(after))
        for name in (before, after):
            yield Explained(_pointer(name), "parameter-renamed", message)
    for each in properties:
        name = spoken(each.pointer)
        if each.kind == "dropped":
            yield Explained(each.pointer, "parameter-removed", f"`{name}` is gone")
        elif each.kind == "added" and each.field.required:
            yield Explained(each.pointer, "parameter-required", f"`{name}` is new, and required")


def _ignored(pair: Pair, change: PropertyChange, what: str) -> Change:
    effect = "kept as a property that nobody checks" if change.kept else "accepted and has no effect"
    return pair.change(
        "parameter-ignored",
        f"`{spoken(change.pointer)}` {what}: a call that has it is valid, and the value is {effect}",
        hint="close the object (`additionalProperties: false`) if such calls should fail",
        **place_of(pair, change.pointer),
    )
