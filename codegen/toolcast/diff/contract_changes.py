"""Changes from a comparison of two contracts: each with its rule, its place, and a value as proof."""

from collections.abc import Mapping, Sequence
from typing import Final, TypedDict

from msgspec import Struct

from ..containment.compare import Comparison, Escape
from ..jsonschema.pointers import split
from .change import Change
from .pairs import Context, Pair, Side
from .places import before_after, schema_at, spoken
from .settings import level_of
from .witnesses import Judgement, Root, decoder_judge, judged, validator_judge

_MOST: Final = 40
"""Reasons that are told of one tool; what they have in common is seen by then."""


class Direction(Struct, frozen=True):
    """The meaning of a comparison to one audience.

    Attributes:
        root: the contract that is compared.
        by_reason: reason of an escape → rule; `other` is the rule for all other reasons.
        undecided: the rule for places that are not decided.
        forward: values of the old contract are searched that the new one refuses; else the reverse.
        sentences: of the reverse, reason → meaning; `sentence` for others. Forward, the comparison has its
            own.
    """

    root: Root
    by_reason: Mapping[str, str]
    other: str
    undecided: str
    forward: bool
    sentences: Mapping[str, str] = {}
    sentence: str = ""


ABSENCE: Final = frozenset({"required-added", "made-required", "property-removed", "property-forbidden"})
"""Reasons that are about a property as such, and not about its values."""


class Explained(Struct, frozen=True):
    """A property that a rule of its own covers, where it must be there now or must not be."""

    pointer: str
    rule: str
    message: str


def changes_of(
    pair: Pair,
    context: Context,
    comparison: Comparison,
    direction: Direction,
    explained: Sequence[Explained] = (),
) -> list[Change]:
    """Return a change for each place and rule of a comparison in the direction's order.

    Each has a witness, or is undecided and says why. Places in `explained` have a rule and sentence of their
    own.
    """
    found: list[Change] = []
    covers = {each.pointer: each for each in reversed(explained)}  # of two for one place, the first
    told: set[tuple[str, str]] = set()
    chosen: list[tuple[Escape, str, str]] = []
    new_names = {each.pointer for each in comparison.escapes if each.reason == "required-added"}
    new_names |= {each.pointer for each in explained if each.rule == "parameter-renamed"}
    for escape in comparison.escapes:
        if escape.reason == "property-declared" and escape.pointer in new_names:
            continue  # that it is new tells that it was not declared
        cover = covers.get(escape.pointer) if escape.reason in ABSENCE else None
        rule = cover.rule if cover else direction.by_reason.get(escape.reason, direction.other)
        key = (rule, cover.message if cover else escape.pointer)
        if key not in told:
            told.add(key)
            chosen.append((escape, rule, cover.message if cover else ""))
    chosen = chosen[:_MOST]
    judgements = _judgements(pair, context, direction, [(escape, rule) for escape, rule, _ in chosen])
    for (escape, rule, message), judgement in zip(chosen, judgements, strict=True):
        found.append(_change(pair, escape, rule, message, judgement, direction))
    for place in comparison.undecided:
        at = place_of(pair, place.pointer)
        found.append(
            pair.change(direction.undecided, _named(place.pointer, place.message), undecided=True, **at)
        )
    return found


def _change(
    pair: Pair, escape: Escape, rule: str, message: str, judgement: Judgement, direction: Direction
) -> Change:
    text = message or _sentence(pair, escape, direction)
    at = place_of(pair, escape.pointer)
    if judgement.coerced and direction.root == "parameters":
        return pair.change("null-dropped", text, **at)
    if judgement.witness is None:
        text = f"{text} (not shown: {judgement.objection})"
        return pair.change(direction.undecided, text, undecided=True, **at)
    return pair.change(rule, text, witness=judgement.witness, **at)


def _sentence(pair: Pair, escape: Escape, direction: Direction) -> str:
    if direction.forward:
        return _named(escape.pointer, escape.message)
    assert pair.old is not None
    assert pair.new is not None
    before, after = before_after(pair.old.built.document, pair.new.built.document, escape.pointer)
    arrow = f" ({before or 'unbounded'} → {after or 'unbounded'})" if before or after else ""
    name = f"`{spoken(escape.pointer)}`" if spoken(escape.pointer) else "the result"
    return f"{name} {direction.sentences.get(escape.reason, direction.sentence)}{arrow}"


def _named(pointer: str, message: str) -> str:
    name = spoken(pointer)
    return f"`{name}`: {message}" if name and f"`{name}`" not in message else message


class _Place(TypedDict):
    pointer: str
    old: bool


def place_of(pair: Pair, pointer: str) -> _Place:
    """Return a place as arguments of `Pair.change`: in the new state, in the old one if it is gone."""
    side = pair.new
    gone = side is None or not schema_at(side.built.document, pointer)[0]
    return {"pointer": pointer, "old": gone and pair.old is not None}


def _judgements(
    pair: Pair, context: Context, direction: Direction, escapes: Sequence[tuple[Escape, str]]
) -> Sequence[Judgement]:
    """Judge the values of escapes. Decoders, which take most of the time, are made only for what breaks."""
    if not escapes:
        return ()
    old, new = pair.old, pair.new
    assert old is not None
    assert new is not None
    values = [(escape.value, _last(escape.pointer)) for escape, _ in escapes]
    levels = {level_of(rule, context.config) for _, rule in escapes}
    if direction.root == "result" or levels.isdisjoint(("error", "warning")):
        before, after = (validator_judge(side, direction.root) for side in (old, new))
        return judged(*((before, after) if direction.forward else (after, before)), values)
    with decoder_judge(old, context.old.types) as before, decoder_judge(new, context.new.types) as after:
        return judged(*((before, after) if direction.forward else (after, before)), values)


def sides(pair: Pair) -> tuple[Side, Side] | None:
    """Return both sides, where both are there and their contracts may differ."""
    if pair.old is None or pair.new is None or pair.old.built is pair.new.built:
        return None
    return pair.old, pair.new


def _last(pointer: str) -> str:
    """Return the name of the property at a place; an empty text where it is none."""
    *above, name = split(pointer)
    return name if above[-1:] == ["properties"] else ""
