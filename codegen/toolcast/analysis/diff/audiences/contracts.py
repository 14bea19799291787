"""The audiences that compare contracts: each change has its rule, its place, and a value as proof.

For callers, a call that was valid and is refused now. For readers of results, values that were impossible,
and properties that were promised.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import compress
from typing import Final, TypedDict

from msgspec import UNSET, Struct

from ....contract.normal_form import spoken
from ....jsonschema.pointers import join, split
from ...containment.compare import Comparison, Escape, compare
from ..pairs import Context, Pair, PairSide, offered_pair
from ..places import PropertyChange, before_after, compact, listed, named, property_changes, schema_at
from ..rules import Change, level_of
from ..witnesses import Judgement, Root, call_of_old_name, decoder_judge, judged, validator_judge

_MOST: Final = 40
"""Reasons that are told of one tool; what they have in common is seen by then."""


class _Direction(Struct, frozen=True):
    """A comparison as one audience reads it.

    `by_reason` maps reasons of an escape to rules (`other` for all others), `undecided` is the rule where
    nothing is decided. `forward` searches values of the old contract that the new one refuses, else the
    reverse, with `sentences` for reasons (`sentence` for others).
    """

    root: Root
    by_reason: Mapping[str, str]
    other: str
    undecided: str
    forward: bool
    sentences: Mapping[str, str] = {}
    sentence: str = ""


_ABSENCE: Final = frozenset({"required-added", "made-required", "property-removed", "property-forbidden"})
"""Reasons that are about a property as such, and not about its values."""


class _Explained(Struct, frozen=True):
    """A property that a rule of its own covers, where it must be there now or must not be."""

    pointer: str
    rule: str
    message: str


def _changes_of(
    pair: Pair,
    context: Context,
    comparison: Comparison,
    direction: _Direction,
    explained: Sequence[_Explained] = (),
) -> list[Change]:
    """Return a change for each place and rule of a comparison, with a witness, or undecided with the reason.
    Places in `explained` have their own.
    """
    covers = {each.pointer: each for each in reversed(explained)}  # of two for one place, the first
    told: set[tuple[str, str]] = set()
    chosen: list[tuple[Escape, str, str]] = []
    new_names = {each.pointer for each in comparison.escapes if each.reason == "required-added"}
    new_names |= {each.pointer for each in explained if each.rule == "parameter-renamed"}
    for escape in comparison.escapes:
        if escape.reason == "property-declared" and escape.pointer in new_names:
            continue  # that it is new tells that it was not declared
        cover = covers.get(escape.pointer) if escape.reason in _ABSENCE else None
        rule = cover.rule if cover else direction.by_reason.get(escape.reason, direction.other)
        key = (rule, cover.message if cover else escape.pointer)
        if key not in told:
            told.add(key)
            chosen.append((escape, rule, cover.message if cover else ""))
    chosen = chosen[:_MOST]
    asked = [
        bool(message) or context.asks(pair, rule, direction.undecided, "null-dropped")
        for _, rule, message in chosen
    ]
    judgements = iter(_judgements(pair, context, direction, [*compress(chosen, asked)]))
    found = [
        _change(pair, each, next(judgements) if is_asked else None, direction)
        for each, is_asked in zip(chosen, asked, strict=True)
    ]
    for place in comparison.undecided:
        at = _place_of(pair, place.pointer)
        found.append(
            pair.change(direction.undecided, named(place.pointer, place.message), undecided=True, **at)
        )
    return found


def _change(
    pair: Pair, chosen: tuple[Escape, str, str], judgement: Judgement | None, direction: _Direction
) -> Change:
    """Return the change of an escape; without a judgement, one that is not reported, and so has no line."""
    escape, rule, message = chosen
    text = message or _sentence(pair, escape, direction)
    if judgement is None:
        return Change(rule=rule, tool=pair.name, pointer=escape.pointer, file="", message=text)
    at = _place_of(pair, escape.pointer)
    if judgement.coerced and direction.root == "parameters":
        return pair.change("null-dropped", text, **at)
    if judgement.witness is None:
        text = f"{text} (not shown: {judgement.objection})"
        return pair.change(direction.undecided, text, undecided=True, **at)
    return pair.change(rule, text, witness=judgement.witness, **at)


def _sentence(pair: Pair, escape: Escape, direction: _Direction) -> str:
    if direction.forward:
        return named(escape.pointer, escape.message)
    assert pair.old is not None
    assert pair.new is not None
    before, after = before_after(pair.old.built.document, pair.new.built.document, escape.pointer)
    arrow = f" ({before or 'unbounded'} → {after or 'unbounded'})" if before or after else ""
    name = f"`{spoken(escape.pointer)}`" if spoken(escape.pointer) else "the result"
    return f"{name} {direction.sentences.get(escape.reason, direction.sentence)}{arrow}"


class _Place(TypedDict):
    pointer: str
    old: bool


def _place_of(pair: Pair, pointer: str) -> _Place:
    """Return a place as arguments of `Pair.change`: in the new state, in the old one if it is gone."""
    side = pair.new
    gone = side is None or not schema_at(side.built.document, pointer)[0]
    return {"pointer": pointer, "old": gone and pair.old is not None}


def _judgements(
    pair: Pair, context: Context, direction: _Direction, escapes: Sequence[tuple[Escape, str, str]]
) -> Sequence[Judgement]:
    """Judge the values of escapes. Decoders, which take most of the time, are made only for what breaks."""
    if not escapes:
        return ()
    old, new = pair.old, pair.new
    assert old is not None
    assert new is not None
    values = [(escape.value, _last(escape.pointer)) for escape, _, _ in escapes]
    levels = {level_of(rule, context.config) for _, rule, _ in escapes}
    if direction.root == "result" or levels.isdisjoint(("error", "warning")):
        before, after = (validator_judge(side, direction.root) for side in (old, new))
        return judged(*((before, after) if direction.forward else (after, before)), values)
    with decoder_judge(old, context.old.types) as before, decoder_judge(new, context.new.types) as after:
        return judged(*((before, after) if direction.forward else (after, before)), values)


def sides(pair: Pair) -> tuple[PairSide, PairSide] | None:
    """Return both sides, where both are there and their contracts may differ."""
    if pair.old is None or pair.new is None or pair.old.built is pair.new.built:
        return None
    return pair.old, pair.new


def _last(pointer: str) -> str:
    *above, name = split(pointer)
    return name if above[-1:] == ["properties"] else ""


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

_REFUSED: Final = _Direction(
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
    return (*renamed, *_call_changes(pair, context, *both)) if both else renamed


def _renamed(pair: Pair, context: Context) -> Change:
    assert pair.old is not None
    return pair.change(
        "tool-renamed",
        f"the tool was called `{pair.renamed_from}`",
        at=("name",),
        hint="keep a tool of the old name for a while, with `deprecated`",
        witness=call_of_old_name(pair.old, context.old.types),
    )


def _call_changes(pair: Pair, context: Context, old: PairSide, new: PairSide) -> Iterator[Change]:
    assert old.built.contract is not None
    assert new.built.contract is not None
    properties = list(property_changes(old.built.contract, new.built.contract, "parameters"))
    explained = list(_explained(pair, properties))
    found = _changes_of(pair, context, compare(old.built, new.built, "parameters"), _REFUSED, explained)
    yield from found
    told = {each.pointer for each in found}
    messages = {each.message for each in found}
    renamed = {_pointer(before): _pointer(after) for after, before in pair.renamed_parameters.items()}
    for each in properties:
        if each.kind == "default":
            yield pair.change("default-changed", _default_sentence(each), pointer=each.pointer)
            continue
        if each.pointer in told or each.pointer in renamed.values():
            continue
        if each.kind == "null":
            message = f"null of `{spoken(each.pointer)}` means that it is absent, and was a value of its own"
            yield pair.change("null-dropped", message, pointer=each.pointer)
        elif each.kind == "added" and not context.asks(pair, "parameter-added"):
            continue
        elif each.kind == "added":
            required = ", and required" if each.field.required else ""
            message = f"`{spoken(each.pointer)}` is new{required}"
            yield pair.change("parameter-added", message, pointer=each.pointer)
        elif each.pointer not in renamed:
            yield _ignored(pair, each, "is no longer declared")
        elif (message := _renaming(each.pointer, renamed[each.pointer])) not in messages:
            yield _ignored(pair, each, message.partition("` ")[2])
    if context.asks(pair, "calls-widened"):
        added = {each.pointer for each in properties if each.kind != "default"}
        yield from _wider(pair, old, new, told | added)


def _default_sentence(each: PropertyChange) -> str:
    assert each.before is not None
    after, before = (
        "no value" if field.default is UNSET else "null" if field.default is None else compact(field.default)
        for field in (each.field, each.before)
    )
    return f"a call without `{spoken(each.pointer)}` means {after}, and meant {before}"


def _wider(pair: Pair, old: PairSide, new: PairSide, told: Set[str]) -> Iterator[Change]:
    """Yield a change for calls that are newly valid, but for properties in `told`."""
    wider = compare(new.built, old.built, "parameters", search=False)
    of_property = (*_ABSENCE, "property-declared")
    places = [
        each.pointer for each in wider.escapes if each.reason not in of_property or each.pointer not in told
    ]
    sure = bool(places)
    places = places or ([] if wider.escapes else [each.pointer for each in wider.undecided])
    if places:
        names = listed(list(dict.fromkeys(spoken(each) or "the parameters" for each in places)))
        message = f"more calls {'are' if sure else 'may be'} valid: {names}"
        yield pair.change("calls-widened", message, undecided=not sure, **_place_of(pair, places[0]))


def _pointer(name: str) -> str:
    return join(("parameters", "properties", name))


def _renaming(before: str, after: str) -> str:
    return f"`{spoken(before)}` is called `{spoken(after)}` now"


def _explained(pair: Pair, properties: list[PropertyChange]) -> Iterator[_Explained]:
    for after, before in pair.renamed_parameters.items():
        message = _renaming(_pointer(before), _pointer(after))
        for name in (before, after):
            yield _Explained(_pointer(name), "parameter-renamed", message)
    for each in properties:
        name = spoken(each.pointer)
        if each.kind == "dropped":
            yield _Explained(each.pointer, "parameter-removed", f"`{name}` is gone")
        elif each.kind == "added" and each.field.required:
            yield _Explained(each.pointer, "parameter-required", f"`{name}` is new, and required")


def _ignored(pair: Pair, change: PropertyChange, what: str) -> Change:
    effect = "kept as a property that nobody checks" if change.kept else "accepted and has no effect"
    return pair.change(
        "parameter-ignored",
        f"`{spoken(change.pointer)}` {what}: a call that has it is valid, and the value is {effect}",
        hint="close the object (`additionalProperties: false`) if such calls should fail",
        **_place_of(pair, change.pointer),
    )


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

_WIDENED: Final = _Direction(
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
    return tuple(_result_changes(pair, context, old, new)) if before else ()


def _result_changes(pair: Pair, context: Context, old: PairSide, new: PairSide) -> Iterator[Change]:
    assert old.built.contract is not None
    assert new.built.contract is not None
    properties = list(property_changes(old.built.contract, new.built.contract, "result"))
    explained = [
        _Explained(each.pointer, "result-property-removed", f"`{spoken(each.pointer)}` is no longer declared")
        for each in properties
        if each.kind == "dropped"
    ]
    found = _changes_of(pair, context, compare(new.built, old.built, "result"), _WIDENED, explained)
    yield from found
    told = {each.pointer for each in found}
    for each in properties:
        if each.kind in ("added", "dropped") and each.pointer not in told:
            yield _property(pair, each)


def _property(pair: Pair, change: PropertyChange) -> Change:
    name = spoken(change.pointer)
    if change.kind == "added":
        return pair.change("result-property-added", f"`{name}` is new", pointer=change.pointer)
    return pair.change(
        "result-property-removed",
        f"`{name}` is no longer declared",
        hint="deprecate it first: keep the property, and say so in its description",
        **_place_of(pair, change.pointer),
    )
