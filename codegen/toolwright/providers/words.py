"""Constraints said in words, for dialects that have no keyword for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

MAX_WORDS = 600
"""Longest sentence put into a description, in characters: a longer one costs more than it tells."""
FARTHEST = 2**53 - 1
"""The bound that generators of schemas write where they mean none: no model comes near it."""
IDLE: Mapping[str, tuple[Any, ...]] = {
    "propertyNames": ({}, True, {"type": "string"}),
    "additionalProperties": ({}, True),
    "patternProperties": ({},),
    "uniqueItems": (False,),
    "deprecated": (False,),
    "dependentRequired": ({},),
    **dict.fromkeys(("minLength", "minItems", "minProperties"), (0,)),
}
"""Values with which a keyword asks for nothing."""


def text(value: Any) -> str:
    """Compact JSON of a literal."""
    return msgspec.json.encode(value).decode()


def listed(values: Any) -> str:
    """Literals one after the other: `1, 2, "a"`."""
    return ", ".join(text(value) for value in values) if isinstance(values, list) else text(values)


def idle(keyword: str, value: Any) -> bool:
    """Whether a keyword asks for nothing with this value."""
    return any(
        value == one and (value is one or not isinstance(value, bool)) for one in IDLE.get(keyword, ())
    )


def counted(value: Any, noun: str) -> str:
    """`5 items`, `1 item`."""
    return f"{text(value)} {noun}" if value == 1 else f"{text(value)} {noun}s"


def bound(words: str, value: Any) -> str:
    """`Must be {words} 5.`; empty for a bound that no model comes near."""
    return "" if abs(value) >= FARTHEST else f"Must be {words} {text(value)}."


def schema(value: Any) -> str:
    """A schema in as few words as it needs: `string`, or its JSON."""
    return str(value["type"]) if value.keys() == {"type"} and isinstance(value["type"], str) else text(value)


def whole(pattern: str) -> str:
    """A pattern between marks that do not stand in it."""
    return text(pattern) if "`" in pattern else f"`{pattern}`"


def dependent(value: Any) -> str:
    """`dependentRequired` as sentences."""
    return " ".join(
        f"If {text(key)} is given, {listed(names)} must be given too." for key, names in value.items()
    )


PHRASES: Mapping[str, Callable[[Any], str]] = {
    "minimum": lambda v: bound("at least", v),
    "maximum": lambda v: bound("at most", v),
    "exclusiveMinimum": lambda v: bound("greater than", v),
    "exclusiveMaximum": lambda v: bound("less than", v),
    "multipleOf": lambda v: f"Must be a multiple of {text(v)}.",
    "minLength": lambda v: f"Must have at least {counted(v, 'character')}.",
    "maxLength": lambda v: f"Must have at most {counted(v, 'character')}.",
    "pattern": lambda v: f"Must match the regular expression {whole(v)}." if isinstance(v, str) else "",
    "format": lambda v: f"Format: {v}." if isinstance(v, str) else "",
    "minItems": lambda v: f"Must have at least {counted(v, 'item')}.",
    "maxItems": lambda v: f"Must have at most {counted(v, 'item')}.",
    "uniqueItems": lambda v: "Each item must be unique." if v else "",
    "minProperties": lambda v: f"Must have at least {counted(v, 'key')}.",
    "maxProperties": lambda v: f"Must have at most {counted(v, 'key')}.",
    "enum": lambda v: f"Must be one of: {listed(v)}.",
    "const": lambda v: f"Must be {text(v)}.",
    "default": lambda v: f"Default: {text(v)}." if v is not None else "",
    "examples": lambda v: f"Examples: {listed(v)}." if v else "",
    "contentEncoding": lambda v: f"Encoded as {v}.",
    "contentMediaType": lambda v: f"Content type: {v}.",
    "deprecated": lambda v: "Deprecated." if v else "",
    "dependentRequired": dependent,
    "not": lambda v: f"Must not match this schema: {text(v)}.",
    "contains": lambda v: f"Must contain an item that matches: {text(v)}.",
    "minContains": lambda v: f"At least {counted(v, 'such item')}.",
    "maxContains": lambda v: f"At most {counted(v, 'such item')}.",
    "propertyNames": lambda v: f"Each key must match: {text(v)}.",
    "patternProperties": lambda v: f"Values by key pattern: {text(v)}.",
    "additionalProperties": lambda v: "" if isinstance(v, bool) else f"Values of other keys: {schema(v)}.",
    "if": lambda v: f"If it matches {text(v)}:",
    "then": lambda v: f"then it must match {text(v)}.",
    "else": lambda v: f"otherwise it must match {text(v)}.",
}


def phrase(keyword: str, value: Any) -> str:
    """One sentence for a constraint; empty if there is none that a model could follow."""
    maker = PHRASES.get(keyword)
    try:
        said = maker(value) if maker is not None else ""
    except (AttributeError, TypeError, ValueError, msgspec.MsgspecError):
        return ""  # a malformed value of that keyword: nothing true can be said
    return said if len(said) <= MAX_WORDS else ""


ENDS = (*".!?:;。！？…", *(end + close for end in ".!?" for close in ")\"'"))
"""How a description may end that needs no full stop."""


BOUND = 4
"""Words of our sentences about bounds before the noun: `Must have at least 5 items.`"""


def ranged(notes: list[str]) -> list[str]:
    """`notes`, both bounds of one thing in one sentence, where the first of them stood."""
    found: dict[tuple[str, ...], dict[str, list[int]]] = {}
    words = [note[:-1].split(" ") for note in notes]
    for i, (first, verb, *rest) in enumerate(one if len(one) > BOUND else ("", "") for one in words):
        if first == "Must" and verb in ("be", "have") and rest[:2] in (["at", "least"], ["at", "most"]):
            sides = found.setdefault((verb, *(noun.rstrip("s") for noun in rest[3:])), {})
            sides.setdefault(rest[1], []).append(i)
    told = list(notes)
    for (verb, *_), sides in found.items():
        if [len(places) for places in sides.values()] != [1, 1]:
            continue
        (low,), (high,) = sides["least"], sides["most"]
        least, most = words[low][BOUND], " ".join(words[high][BOUND:])
        if least == words[high][BOUND]:
            both = f"Must {verb}{' exactly' if verb == 'have' else ''} {most}."
        else:
            both = f"Must {verb}{' from' if verb == 'be' else ''} {least} to {most}."
        told[min(low, high)], told[max(low, high)] = both, ""
    return told


def described(description: Any, notes: list[str]) -> str:
    """`description` with `notes` after it, each once."""
    told = description.rstrip() if isinstance(description, str) else ""
    notes = ranged(notes) if len(notes) > 1 else notes
    fresh = [note for i, note in enumerate(notes) if note and note not in told and note not in notes[:i]]
    if not fresh:
        return description if isinstance(description, str) else ""
    if told and not told.endswith(ENDS):
        told += "."
    return (told + ("\n" if "\n" in told else " ") + " ".join(fresh)).lstrip()
