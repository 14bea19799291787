"""Classes about what is sent in another form, and undone by decoding."""

# ruff: noqa: ARG001  (every class has the same form)
from __future__ import annotations

import json
import re
from typing import Any

from .compare import Pair, Step, both, same, without


def literals(step: Step, ours: Any, theirs: Any) -> Pair | None:
    """Literals that are no strings, sent as strings; decoding undoes it."""
    if not both(ours, theirs) or step.case.ours is None or step.case.ours.wire_forms is None:
        return None
    values = theirs.get("enum", [theirs["const"]] if "const" in theirs else None)
    texts = ours.get("enum")
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts) or same(texts, values):
        return None
    raw = step.case.words
    spelled = all(
        _plain(text) in raw or json.dumps(text, ensure_ascii=False) in raw or not text for text in texts
    )
    if not spelled:
        return None
    shape = (
        "enum",
        "const",
        "type",
        "nullable",
        "anyOf",
        "properties",
        "additionalProperties",
        "description",
    )
    return without(ours, *shape), without(theirs, *shape)


def _plain(text: str) -> str:
    try:
        return json.dumps(json.loads(text), sort_keys=True, ensure_ascii=False)
    except ValueError:
        return json.dumps(text, ensure_ascii=False)


def encodings(step: Step, ours: Any, theirs: Any) -> Pair | None:
    """Maps as pairs, tuples as objects, any value as JSON text: exact, and undone by decoding."""
    if not isinstance(ours, dict) or step.case.ours is None or step.case.ours.wire_forms is None:
        return None
    for form in (ours, *(branch for branch in ours.get("anyOf", ()) if isinstance(branch, dict))):
        entry = form.get("items", {})
        pairs = isinstance(entry, dict) and set(entry.get("properties", ())) == {"key", "value"}
        names = form.get("properties", {})
        positions = bool(names) and all(re.fullmatch(r"item_\d+|more_items", name) for name in names)
        text = form.get("type") == "string" and "JSON text" in form.get("description", "")
        if pairs or positions or text:
            return {}, {}
    return None


def undeclared(step: Step, ours: Any, theirs: Any) -> Pair | None:
    """Further keys beside declared ones, as pairs under one property."""
    if not both(ours, theirs):
        return None
    own, other = ours.get("properties", {}), theirs.get("properties", {})
    for name in own.keys() - other.keys():
        entry = json.dumps(own[name])
        if '"key"' in entry and '"value"' in entry and step.case.ours and step.case.ours.wire_forms:
            left = {**ours, "properties": without(own, name)}
            left["required"] = [each for each in ours.get("required", ()) if each != name]
            return _tidy(left, theirs, "additionalProperties", "patternProperties", "minProperties")
    return None


def _tidy(ours: dict[str, Any], theirs: dict[str, Any], *also: str) -> Pair:
    if not ours.get("required") and "required" not in theirs:
        ours = without(ours, "required")
    return without(ours, *also), without(theirs, *also)


def renamed(step: Step, ours: Any, theirs: Any) -> Pair | None:
    """Property names that the provider refuses, under others; decoding undoes it."""
    wire_forms = step.case.ours.wire_forms if step.case.ours else None
    if not both(ours, theirs) or wire_forms is None:
        return None
    own, other = ours.get("properties", {}), theirs.get("properties", {})
    known = str(wire_forms)
    new = [name for name in own if name not in other and repr(name) in known]
    old = [name for name in other if name not in own and repr(name) in known]
    if not new or len(new) != len(old):
        return None
    back = dict(zip(new, old, strict=True))
    properties = {back.get(name, name): child for name, child in own.items()}
    required = [back.get(name, name) for name in ours.get("required", ())]
    return {**ours, "properties": properties, **({"required": required} if required else {})}, theirs


def tuples(step: Step, ours: Any, theirs: Any) -> Pair | None:
    """Positions whose order the provider cannot hold: any of their values, in any order."""
    if not (both(ours, theirs) and ours.get("type") == "array" and '"prefixItems"' in step.case.words):
        return None
    held = ours.get("items")
    if isinstance(held, dict) and ("anyOf" in held or "type" in held) and "prefixItems" not in ours:
        return without(ours, "items", "maxItems"), without(theirs, "items", "prefixItems")
    return None
