"""Classes about the form of a node: references, unions, null and types."""

# ruff: noqa: ARG001  (every class has the same form)
from __future__ import annotations

import json
from typing import Any

from .compare import Pair, Step, both, same, without


def references(step: Step, ours: Any, theirs: Any) -> Pair | None:
    if both(ours, theirs) and "$ref" in ours and "$ref" not in theirs:
        held = step.target(ours["$ref"])
        return ({**held, **without(ours, "$ref", "$defs")} if isinstance(held, dict) else held), theirs
    return None


def definitions(step: Step, ours: Any, theirs: Any) -> Pair | None:
    if step.root and both(ours, theirs) and "$defs" in ours and "$defs" not in theirs:
        return without(ours, "$defs"), theirs
    return None


def inlined(step: Step, ours: Any, theirs: Any) -> Pair | None:
    if both(ours, theirs) and "$ref" in theirs and "$ref" not in ours:
        held = step.their_target(theirs["$ref"])
        if isinstance(held, dict):
            return ours, {**held, **without(theirs, "$ref")}
    return None


def their_definitions(step: Step, ours: Any, theirs: Any) -> Pair | None:
    if not (step.root and both(ours, theirs) and "$defs" in theirs):
        return None
    kept = {name: value for name, value in theirs["$defs"].items() if name in ours.get("$defs", {})}
    return ours, {**without(theirs, "$defs"), **({"$defs": kept} if kept else {})}


def renamed_references(step: Step, ours: Any, theirs: Any) -> Pair | None:
    if both(ours, theirs) and "$ref" in ours and "$ref" in theirs and not same(ours["$ref"], theirs["$ref"]):
        return without(ours, "$ref"), without(theirs, "$ref")
    if both(ours, theirs) and "$anchor" in theirs and "$anchor" not in ours:
        return ours, without(theirs, "$anchor")
    return None


def one_of(step: Step, ours: Any, theirs: Any) -> Pair | None:
    if both(ours, theirs) and "oneOf" in theirs and "anyOf" in ours and "oneOf" not in ours:
        return ours, {**without(theirs, "oneOf", "discriminator"), "anyOf": theirs["oneOf"]}
    return None


def constants(step: Step, ours: Any, theirs: Any) -> Pair | None:
    if both(ours, theirs) and "const" in ours and "const" not in theirs and len(theirs.get("enum", ())) == 1:
        return {**without(ours, "const"), "enum": [ours["const"]]}, theirs
    return None


def constants_listed(step: Step, ours: Any, theirs: Any) -> Pair | None:
    if both(ours, theirs) and "const" in theirs and "const" not in ours and len(ours.get("enum", ())) == 1:
        return ours, {**without(theirs, "const"), "enum": [theirs["const"]]}
    return None


def merged(step: Step, ours: Any, theirs: Any) -> Pair | None:
    if both(ours, theirs) and "allOf" in theirs and "allOf" not in ours:
        return {}, {}
    return None


def root_union(step: Step, ours: Any, theirs: Any) -> Pair | None:
    if (
        step.root
        and both(ours, theirs)
        and {"anyOf", "oneOf", "allOf"} & theirs.keys()
        and "anyOf" not in ours
    ):
        kept = ("properties", "required", "additionalProperties", "type", "description", "anyOf", "oneOf")
        return without(ours, *kept), without(theirs, *kept)
    return None


def recursion_ends(step: Step, ours: Any, theirs: Any) -> Pair | None:
    """Recursion that is written out ends somewhere."""
    if (
        both(ours, theirs)
        and "Same structure as" in ours.get("description", "")
        and '"$ref"' in step.case.words
    ):
        return {}, {}
    return None


def given_up(step: Step, ours: Any, theirs: Any) -> Pair | None:
    if step.root and both(ours, theirs) and ours.get("properties") and theirs.get("properties") == {}:
        return {}, {}
    return None


def bare(step: Step, ours: Any, theirs: Any) -> Pair | None:
    """Theirs says no more than a type, where the input says more."""
    if (
        both(ours, theirs)
        and theirs.keys() <= {"type", "description"}
        and len(ours) > len(theirs)
        and (theirs.get("type", ours.get("type")) == ours.get("type"))
    ):
        return {}, {}
    return None


def anything(step: Step, ours: Any, theirs: Any) -> Pair | None:
    """`{}`, `true`, and the union of all types."""

    def any_value(schema: Any) -> bool:
        if schema is True:
            return True
        if not isinstance(schema, dict):
            return False
        left = without(schema, "description", "title", "default", "nullable")
        kinds = {branch.get("type") for branch in left.get("anyOf", ()) if isinstance(branch, dict)}
        return not left or (left.keys() == {"anyOf"} and {"string", "number", "boolean"} <= kinds)

    def json_text(schema: Any) -> bool:
        return isinstance(schema, dict) and "JSON text of any value" in schema.get("description", "")

    if (any_value(ours) or json_text(ours)) and any_value(theirs):
        return {}, {}
    return None


def nothing(step: Step, ours: Any, theirs: Any) -> Pair | None:
    if both(ours, theirs) and theirs.get("not") is not None and '"not": {}' in json.dumps(theirs):
        return {}, {}
    return None


def required_declared(step: Step, ours: Any, theirs: Any) -> Pair | None:
    if not (both(ours, theirs) and isinstance(ours.get("properties"), dict)):
        return None
    other = theirs.get("properties", {})
    own = {
        name: child
        for name, child in ours["properties"].items()
        if name in other or name not in theirs.get("required", ours.get("required", ()))
    }
    if len(own) < len(ours["properties"]):
        return {**ours, "properties": own}, theirs
    return None
