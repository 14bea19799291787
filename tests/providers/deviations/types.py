"""Classes about types and null."""

# ruff: noqa: ARG001  (every class has the same form)
from __future__ import annotations

from typing import Any

from .compare import Pair, Step, both, without


def type_lists(step: Step, ours: Any, theirs: Any) -> Pair | None:
    """`type: [A, B]` for `anyOf: [A, B]`."""
    if not (both(ours, theirs) and isinstance(ours.get("type"), list) and "anyOf" in theirs):
        return None
    kinds = [branch.get("type") for branch in theirs["anyOf"] if isinstance(branch, dict)]
    if sorted(map(str, kinds)) != sorted(ours["type"]):
        return None
    joined: dict[str, Any] = {}
    for branch in theirs["anyOf"]:
        enum = [*joined.get("enum", ()), *branch.get("enum", ())]
        if "enum" in ours and "enum" not in branch and branch["type"] == "null":
            enum.append(None)  # a branch without a list takes all of its type: null is the only one
        joined |= {**without(branch, "type"), **({"enum": enum} if enum else {})}
    return without(ours, "type"), {**joined, **without(theirs, "anyOf")}


def _several_types(step: Step) -> bool:
    return any(f'"{word}": [' in step.case.words for word in ("type", "anyOf", "oneOf"))


def split_types(step: Step, ours: Any, theirs: Any) -> Pair | None:
    """A list of types of which theirs has the first one only."""
    if not both(ours, theirs) or not isinstance(theirs.get("type"), str) or not _several_types(step):
        return None
    kinds = [branch.get("type") for branch in ours.get("anyOf", ()) if isinstance(branch, dict)]
    if theirs["type"] in kinds and len(kinds) > 1 and "type" not in ours:
        return without(ours, "anyOf"), without(theirs, *{key for b in ours["anyOf"] for key in b}, "type")
    if isinstance(ours.get("type"), list) and theirs["type"] in ours["type"]:
        return without(ours, "type"), without(theirs, "type")
    if (ours.get("type"), theirs["type"]) == ("number", "integer"):
        return without(ours, "type"), without(theirs, "type")
    return None


def null_lost(step: Step, ours: Any, theirs: Any) -> Pair | None:
    if not both(ours, theirs) or "anyOf" in theirs:
        return None
    branches = ours.get("anyOf", ())
    if len(branches) == 2 and branches[1] == {"type": "null"}:
        return {**branches[0], **without(ours, "anyOf")}, theirs
    return None


def null_type(step: Step, ours: Any, theirs: Any) -> Pair | None:
    if both(ours, theirs) and ours.get("type") == "null" and theirs.get("nullable") is True:
        return without(ours, "type"), without(theirs, "nullable")
    return None


def null_left_out(step: Step, ours: Any, theirs: Any) -> Pair | None:
    """For a provider without null: what may be null may be left out, and decoding undoes it."""
    wire_forms = step.case.ours.wire_forms if step.case.ours else None
    if not both(ours, theirs) or wire_forms is None:
        return None
    gone = [name for name in theirs.get("required", ()) if name not in ours.get("required", ())]
    if gone and all(repr(name) in str(wire_forms) for name in gone):
        left = [name for name in theirs["required"] if name not in gone]
        return ours, {**without(theirs, "required"), **({"required": left} if left else {})}
    return None


def null_in_types(step: Step, ours: Any, theirs: Any) -> Pair | None:
    """`type: [X, null]` for `anyOf: [X, null]`."""
    if not (both(ours, theirs) and isinstance(ours.get("type"), list) and "null" in ours["type"]):
        return None
    branches = theirs.get("anyOf", ())
    if len(branches) != 2 or branches[1] != {"type": "null"}:
        return None
    kinds = [kind for kind in ours["type"] if kind != "null"]
    plain: dict[str, Any] = {**ours, "type": kinds[0] if len(kinds) == 1 else kinds}
    if "enum" in plain:
        plain["enum"] = [value for value in plain["enum"] if value is not None]
    return plain, {**branches[0], **without(theirs, "anyOf")}


def null_at_once(step: Step, ours: Any, theirs: Any) -> Pair | None:
    """`anyOf: [A, B, null]` for `anyOf: [anyOf: [A, B], null]`."""
    if not (both(ours, theirs) and {"anyOf"} <= ours.keys() & theirs.keys()):
        return None
    flat: list[Any] = []
    for branch in theirs["anyOf"]:
        inner = branch.get("anyOf", branch.get("oneOf")) if isinstance(branch, dict) else None
        flat += [branch] if inner is None else inner
    if len(flat) > len(theirs["anyOf"]) and len(flat) == len(ours["anyOf"]):
        return ours, {**theirs, "anyOf": flat}
    return None


def number_type(step: Step, ours: Any, theirs: Any) -> Pair | None:
    """The type of a literal: 5 is an integer."""
    if not both(ours, theirs) or not {"enum", "const"} & (ours.keys() | theirs.keys()):
        return None
    if (ours.get("type"), theirs.get("type")) == ("integer", "number"):
        return without(ours, "type"), without(theirs, "type")
    if "type" in theirs and "type" not in ours:
        return ours, without(theirs, "type")
    return None


def type_stated(step: Step, ours: Any, theirs: Any) -> Pair | None:
    if (
        both(ours, theirs)
        and "type" in ours
        and "type" not in theirs
        and ({"enum", "const", "anyOf"} & ours.keys() or "properties" in ours or step.root)
    ):
        return without(ours, "type"), theirs
    return None
