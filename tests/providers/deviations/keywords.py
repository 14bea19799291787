"""Classes about single keywords and words."""

# ruff: noqa: ARG001  (every class has the same form)
from __future__ import annotations

import re
from typing import Any

from .compare import Pair, Step, both, same, without

NOTES = (
    "title",
    "default",
    "examples",
    "readOnly",
    "writeOnly",
    "deprecated",
    "$comment",
    "$schema",
    "format",
)
CONSTRAINTS = (
    "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength",
    "pattern", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "propertyNames",
    "contains", "minContains", "maxContains", "not", "if", "then", "else", "dependentRequired",
    "patternProperties", "unevaluatedProperties", "contentEncoding", "discriminator", "additionalProperties",
    "prefixItems", "enum", "nullable", "anyOf", "const", *NOTES,
)  # fmt: skip


def ordering(step: Step, ours: Any, theirs: Any) -> Pair | None:
    if both(ours, theirs) and "propertyOrdering" in theirs and "propertyOrdering" not in ours:
        return ours, without(theirs, "propertyOrdering")
    return None


def required_order(step: Step, ours: Any, theirs: Any) -> Pair | None:
    if not both(ours, theirs) or not ({"required"} <= ours.keys() & theirs.keys()):
        return None
    one, other = ours["required"], theirs["required"]
    if same(one, other) or sorted(one) != sorted(other):
        return None
    return without(ours, "required"), without(theirs, "required")


def empty_required(step: Step, ours: Any, theirs: Any) -> Pair | None:
    if both(ours, theirs):
        for one, other in ((ours, theirs), (theirs, ours)):
            if one.get("required") == [] and "required" not in other:
                return without(ours, "required"), without(theirs, "required")
    return None


def described(step: Step, ours: Any, theirs: Any) -> Pair | None:
    """The same author's text, with what is stated in words in other words."""
    if not both(ours, theirs):
        return None
    own, other = ours.get("description"), theirs.get("description")
    if own == other:
        return None
    for base in _authors(other or ""):
        if (own or "").startswith(base.rstrip(". ")) or not base:
            return without(ours, "description"), without(theirs, "description")
    if own and not other:
        return without(ours, "description"), theirs
    return None


def _authors(text: str) -> list[str]:
    """What may be left of a description without the block that was added to it."""
    blocks = (r"(\n\n)?\{[^\n]*\}\Z", r"\s*\(default: .*\)\Z", r"(\n\n)?\{.*\}\Z")
    return [text, *(re.sub(block, "", text, flags=re.DOTALL) for block in blocks)]


def items_stated(step: Step, ours: Any, theirs: Any) -> Pair | None:
    if both(ours, theirs) and ours.get("type") == "array" and "items" in ours and "items" not in theirs:
        return without(ours, "items"), theirs
    return None


def properties_stated(step: Step, ours: Any, theirs: Any) -> Pair | None:
    if both(ours, theirs):
        for one, other in ((ours, theirs), (theirs, ours)):
            if one.get("properties") == {} and "properties" not in other:
                return without(ours, "properties"), without(theirs, "properties")
    return None


def kept(step: Step, ours: Any, theirs: Any) -> Pair | None:
    """What the input says, the provider takes and they leave out."""
    if not both(ours, theirs):
        return None
    gone = [
        key
        for key in CONSTRAINTS
        if key in ours
        and key not in theirs
        and any(f'"{name}": ' in step.case.words for name in _origins(key))
    ]
    return (without(ours, *gone), theirs) if gone else None


def _origins(key: str) -> tuple[str, ...]:
    """Keywords of the input that become `key`."""
    return {
        "nullable": ("type", "enum", "const"),
        "anyOf": ("anyOf", "oneOf"),
        "enum": ("enum", "const"),
    }.get(key, (key,))


def refused(step: Step, ours: Any, theirs: Any) -> Pair | None:
    """What the provider's rules refuse in their output."""
    if not both(ours, theirs):
        return None
    gone = [
        key
        for key in theirs
        if key not in ours and re.search(rf"(?<![A-Za-z]){re.escape(key)}(?![A-Za-z])", step.case.answers)
    ]
    return (ours, without(theirs, *gone)) if gone else None


def in_words(step: Step, ours: Any, theirs: Any) -> Pair | None:
    """What we say in the description, with an entry in the ledger."""
    if not both(ours, theirs):
        return None
    gone = [key for key in CONSTRAINTS if key in theirs and key not in ours and key in step.case.reported]
    return (ours, without(theirs, *gone)) if gone else None


def repeated_title(step: Step, ours: Any, theirs: Any) -> Pair | None:
    """A title that repeats a name; the ledger has it."""
    if not both(ours, theirs) or step.case.ours is None or "title" not in theirs or "title" in ours:
        return None
    reasons = [entry.reason for entry in step.case.ours.ledger if entry.keyword == "title"]
    repeated = any("repeats the name" in each or "an identifier" in each for each in reasons)
    return (ours, without(theirs, "title")) if repeated else None


def same_openness(step: Step, ours: Any, theirs: Any) -> Pair | None:
    """`{}` and `true` are one schema."""
    if both(ours, theirs):
        values = (ours.get("additionalProperties"), theirs.get("additionalProperties"))
        if values in (({}, True), (True, {})):
            return without(ours, "additionalProperties"), without(theirs, "additionalProperties")
    return None


def draft_named(step: Step, ours: Any, theirs: Any) -> Pair | None:
    """What is raised says so: `prefixItems` means nothing to who reads it as draft 7."""
    key = "$schema"
    if (
        not both(ours, theirs)
        or "/2020-12/" not in ours.get(key, "")
        or "/2020-12/" in theirs.get(key, "/2020-12/")
    ):
        return None
    return without(ours, key), without(theirs, key)


def open_said(step: Step, ours: Any, theirs: Any) -> Pair | None:
    """Where silence means closed, what the input leaves open is said to be."""
    key = "additionalProperties"
    if not both(ours, theirs) or step.case.profile.dialect.open != "explicit" or key in theirs:
        return None
    return (without(ours, key), theirs) if ours.get(key) is True else None


def open_stays_open(step: Step, ours: Any, theirs: Any) -> Pair | None:
    """What the input leaves open theirs closes; such a tool is not sent strict."""
    if not both(ours, theirs) or step.case.ours is None or step.case.ours.strict is not False:
        return None
    if theirs.get("additionalProperties") is False and "additionalProperties" not in ours:
        return ours, without(theirs, "additionalProperties")
    return None


def lost_patterns(step: Step, ours: Any, theirs: Any) -> Pair | None:
    """A closed object whose patterns of keys are said in words must let such keys pass."""
    if not both(ours, theirs) or step.case.ours is None:
        return None
    key = "additionalProperties"
    reported = any(
        "a pattern of `patternProperties` is left out" in entry.reason for entry in step.case.ours.ledger
    )
    if reported and ours.get(key) is True and theirs.get(key, False) is False:
        return without(ours, key), without(theirs, key)
    return None


def inclusive(step: Step, ours: Any, theirs: Any) -> Pair | None:
    if not both(ours, theirs):
        return None
    pairs = {"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum",
             "minItems": "minProperties", "maxItems": "maxProperties"}  # fmt: skip
    gone = [
        key
        for key, other in pairs.items()
        if key in ours and key not in theirs and f'"{other}"' in step.case.words
    ]
    return (without(ours, *gone), theirs) if gone else None
