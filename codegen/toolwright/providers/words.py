"""Constraints said in words, for dialects that have no keyword for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

MAX_WORDS = 600
"""Longest sentence put into a description, in characters: a longer one costs more than it tells."""


def text(value: Any) -> str:
    """Compact JSON of a literal."""
    return msgspec.json.encode(value).decode()


def listed(values: Any) -> str:
    """Literals one after the other: `1, 2, "a"`."""
    return ", ".join(text(value) for value in values) if isinstance(values, list) else text(values)


def dependent(value: Any) -> str:
    """`dependentRequired` as sentences."""
    return " ".join(
        f"If {text(key)} is given, {listed(names)} must be given too." for key, names in value.items()
    )


PHRASES: Mapping[str, Callable[[Any], str]] = {
    "minimum": lambda v: f"Must be at least {text(v)}.",
    "maximum": lambda v: f"Must be at most {text(v)}.",
    "exclusiveMinimum": lambda v: f"Must be greater than {text(v)}.",
    "exclusiveMaximum": lambda v: f"Must be less than {text(v)}.",
    "multipleOf": lambda v: f"Must be a multiple of {text(v)}.",
    "minLength": lambda v: f"Must have at least {text(v)} characters.",
    "maxLength": lambda v: f"Must have at most {text(v)} characters.",
    "pattern": lambda v: f"Must match the regular expression {v}",
    "format": lambda v: f"Format: {v}.",
    "minItems": lambda v: f"Must have at least {text(v)} items.",
    "maxItems": lambda v: f"Must have at most {text(v)} items.",
    "uniqueItems": lambda v: "Each item must be unique." if v else "",
    "minProperties": lambda v: f"Must have at least {text(v)} keys.",
    "maxProperties": lambda v: f"Must have at most {text(v)} keys.",
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
    "minContains": lambda v: f"At least {text(v)} such items.",
    "maxContains": lambda v: f"At most {text(v)} such items.",
    "propertyNames": lambda v: f"Each key must match: {text(v)}.",
    "patternProperties": lambda v: f"Values by key pattern: {text(v)}.",
    "additionalProperties": lambda v: "" if isinstance(v, bool) else f"Values of other keys: {text(v)}.",
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


def described(description: Any, notes: list[str]) -> str:
    """`description` with `notes` after it, each once."""
    told = description.rstrip() if isinstance(description, str) else ""
    fresh = [note for i, note in enumerate(notes) if note and note not in told and note not in notes[:i]]
    if not fresh:
        return description if isinstance(description, str) else ""
    if told and told[-1] not in ".!?:;)":
        told += "."
    return (told + ("\n" if "\n" in told else " ") + " ".join(fresh)).lstrip()
