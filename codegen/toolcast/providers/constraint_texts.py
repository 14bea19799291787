"""Descriptions of constraints, for dialects that lack their keywords."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from ..hidden_characters import escape_hidden, hidden_offsets

MAX_WORDS = 600
"""Characters of the longest sentence that is added to a description."""
_FARTHEST = 2**53 - 1
"""The bound that schema generators write for unbounded numbers."""
_IDLE: Mapping[str, tuple[object, ...]] = {
    "propertyNames": ({}, True, {"type": "string"}),
    "additionalProperties": ({}, True),
    "patternProperties": ({},),
    "uniqueItems": (False,),
    "deprecated": (False,),
    "dependentRequired": ({},),
    **dict.fromkeys(("minLength", "minItems", "minProperties"), (0,)),
}
"""Values with which a keyword constrains nothing."""


def text(value: Any) -> str:
    """Compact JSON of a literal, in which no character is hidden."""
    if value.__class__ is int:
        return str(value)
    return escape_hidden(msgspec.json.encode(value).decode())


def _visible_text(value: Any) -> str:
    """Return a word as it is; as JSON where it hides something."""
    return text(value) if isinstance(value, str) and hidden_offsets(value) else str(value)


def _listed(values: object) -> str:
    return ", ".join(text(value) for value in values) if isinstance(values, list) else text(values)


def idle(keyword: str, value: object) -> bool:
    """Return whether a keyword constrains nothing with this value."""
    return keyword in _IDLE and any(
        value == one and (value is one or not isinstance(value, bool)) for one in _IDLE[keyword]
    )


def _counted(value: object, noun: str) -> str:
    """`5 items`, `1 item`."""
    return f"{text(value)} {noun}" if value == 1 else f"{text(value)} {noun}s"


def _bound(words: str, value: Any) -> str:
    """`Must be {words} 5.`; empty for a bound of unbounded numbers."""
    return "" if abs(value) >= _FARTHEST else f"Must be {words} {text(value)}."


def schema(value: Any) -> str:
    """Return a schema in few words: its type, or its JSON."""
    return (
        _visible_text(value["type"])
        if value.keys() == {"type"} and isinstance(value["type"], str)
        else text(value)
    )


def whole(pattern: str) -> str:
    """Return a pattern in backticks, or as JSON where it contains one."""
    return text(pattern) if "`" in pattern or hidden_offsets(pattern) else f"`{pattern}`"


def _dependent(value: Any) -> str:
    return " ".join(
        f"If {text(key)} is given, {_listed(names)} must be given too." for key, names in value.items()
    )


def describes_default(description: object, value: object) -> bool:
    """Return whether a description states a default already: `(default: 10)`, `Defaults to 10.`, `10 by
    default`.
    """
    if not isinstance(description, str) or "default" not in description.lower():
        return False
    bare = value if isinstance(value, str) and value else text(value)
    words = "|".join(re.escape(each) for each in dict.fromkeys((text(value), bare)))
    value_pattern = rf"[`'‘“]?(?<![\w.-])(?:{words})(?![\w-]|\.\w)[`'’”]?"
    before = r"\bdefault(?:s|ed|ing)?(?: value)?(?:\s*[:=(]|\s+(?:is|to|of)\b:?)?\s*"
    after = r"\s*(?:\(default\)|by default\b|is the default\b)"
    return (
        re.search(rf"{before}{value_pattern}|{value_pattern}{after}", description, re.IGNORECASE) is not None
    )


_PHRASES: Mapping[str, Callable[[object], str]] = {
    "minimum": lambda v: _bound("at least", v),
    "maximum": lambda v: _bound("at most", v),
    "exclusiveMinimum": lambda v: _bound("greater than", v),
    "exclusiveMaximum": lambda v: _bound("less than", v),
    "multipleOf": lambda v: f"Must be a multiple of {text(v)}.",
    "minLength": lambda v: f"Must have at least {_counted(v, 'character')}.",
    "maxLength": lambda v: f"Must have at most {_counted(v, 'character')}.",
    "pattern": lambda v: f"Must match the regular expression {whole(v)}." if isinstance(v, str) else "",
    "format": lambda v: f"Format: {_visible_text(v)}." if isinstance(v, str) else "",
    "minItems": lambda v: f"Must have at least {_counted(v, 'item')}.",
    "maxItems": lambda v: f"Must have at most {_counted(v, 'item')}.",
    "uniqueItems": lambda v: "Each item must be unique." if v else "",
    "minProperties": lambda v: f"Must have at least {_counted(v, 'key')}.",
    "maxProperties": lambda v: f"Must have at most {_counted(v, 'key')}.",
    "enum": lambda v: f"Must be one of: {_listed(v)}.",
    "const": lambda v: f"Must be {text(v)}.",
    "default": lambda v: f"Default: {text(v)}." if v is not None else "",
    "examples": lambda v: f"Examples: {_listed(v)}." if v else "",
    "contentEncoding": lambda v: f"Encoded as {_visible_text(v)}.",
    "contentMediaType": lambda v: f"Content type: {_visible_text(v)}.",
    "deprecated": lambda v: "Deprecated." if v else "",
    "dependentRequired": _dependent,
    "not": lambda v: f"Must not match this schema: {text(v)}.",
    "contains": lambda v: f"Must contain an item that matches: {text(v)}.",
    "minContains": lambda v: f"At least {_counted(v, 'such item')}.",
    "maxContains": lambda v: f"At most {_counted(v, 'such item')}.",
    "propertyNames": lambda v: f"Each key must match: {text(v)}.",
    "patternProperties": lambda v: f"Values by key pattern: {text(v)}.",
    "additionalProperties": lambda v: "" if isinstance(v, bool) else f"Values of other keys: {schema(v)}.",
    "if": lambda v: f"If it matches {text(v)}:",
    "then": lambda v: f"then it must match {text(v)}.",
    "else": lambda v: f"otherwise it must match {text(v)}.",
}


def phrase(keyword: str, value: object) -> str:
    """One sentence for a constraint; empty if there is none that a model could follow."""
    maker = _PHRASES.get(keyword)
    if maker is None:
        return ""
    try:
        sentence = maker(value)
    except UnicodeEncodeError:
        return ""  # half of a surrogate pair cannot be encoded
    return sentence if len(sentence) <= MAX_WORDS else ""


_STOPS = ".!?:;。！？…"
_CLOSED = tuple(end + close for end in ".!?" for close in ")\"'")
"""Ends of a description that need no full stop."""


_BOUNDED = ("Must have at ", "Must be at ")
"""The start of the sentences about bounds: `Must have at least 5 items.`"""
_AMOUNT = 4
"""The index of the number among the words of such a sentence."""


def ranged(notes: Sequence[str]) -> Sequence[str]:
    """`notes` with both bounds of one quantity in one sentence, in the place of the first."""
    bounds = [
        (i, note[:-1].split(" ", _AMOUNT + 1)) for i, note in enumerate(notes) if note.startswith(_BOUNDED)
    ]
    if len(bounds) < 2:
        return notes
    found: dict[tuple[str, str], list[tuple[int, list[str]]]] = {}
    for i, words in bounds:
        if len(words) > _AMOUNT:
            noun = words[-1].rstrip("s") if len(words) > _AMOUNT + 1 else ""
            found.setdefault((words[1], noun), []).append((i, words))
    sentences = list(notes)
    for both in found.values():
        if len(both) != 2 or both[0][1][3] == both[1][1][3]:
            continue
        (first, low), (second, high) = both
        least, most = (low, high) if low[3] == "least" else (high, low)
        start, until = f"Must {least[1]}", " ".join(most[_AMOUNT:])
        exact, between = (" exactly", "") if len(most) > _AMOUNT + 1 else ("", " from")
        same = least[_AMOUNT] == most[_AMOUNT]
        sentences[first] = (
            f"{start}{exact} {until}." if same else f"{start}{between} {least[_AMOUNT]} to {until}."
        )
        sentences[second] = ""
    return sentences


def described(description: object, notes: Sequence[str]) -> str:
    """`description` with `notes` after it, each once."""
    start = description.rstrip() if isinstance(description, str) else ""
    notes = ranged(notes) if len(notes) > 1 else notes
    fresh = [note for note in dict.fromkeys(notes) if note and note not in start]
    if not fresh:
        return description if isinstance(description, str) else ""
    if start and start[-1] not in _STOPS and not start.endswith(_CLOSED):
        start += "."
    return (start + ("\n" if "\n" in start else " ") + " ".join(fresh)).lstrip()
