"""Null, for dialects without it: the absence of a property stands for it; other values become JSON text."""

from __future__ import annotations

from typing import Any

from ..jsonschema.keywords import METADATA
from .accepted_types import shapes
from .all_of import without_references
from .constraint_texts import described
from .inline_references import Segments, record_children
from .json_paths import Path
from .state import State
from .values_as_text import as_json
from .wire_forms import MARK, mark

Node = dict[str, Any]
MAX_FOLLOWED = 8
PRESENCE = frozenset(("maxProperties", "propertyNames", "dependentRequired", "dependentSchemas", "not", "if"))
"""Keywords that may refuse an object because a key is there."""


def states_null(state: State, node: Any, path: Path, followed: int = 0) -> bool:
    """Whether a schema states null among its types or values. One that accepts anything does not."""
    if not isinstance(node, dict) or followed > MAX_FOLLOWED:
        return False
    if "enum" in node or "const" in node:
        values = node["enum"] if isinstance(node.get("enum"), list) else [node.get("const")]
        if not any(value is None for value in values) or ("const" in node and node["const"] is not None):
            return node.get("nullable") is True
    if "type" in node:
        kinds = node["type"] if isinstance(node["type"], list) else [node["type"]]
        return "null" in kinds or node.get("nullable") is True
    for keyword in ("anyOf", "oneOf"):
        if isinstance(node.get(keyword), list):
            return any(states_null(state, branch, path, followed + 1) for branch in node[keyword])
    if isinstance(node.get("allOf"), list) and node["allOf"]:
        return all(states_null(state, branch, path, followed + 1) for branch in node["allOf"])
    if isinstance(node.get("$ref"), str):
        found, location, _ = state.target(node["$ref"], path)
        return states_null(state, found, location, followed + 1)
    return node.get("nullable") is True or "enum" in node or "const" in node


def null_as_absence(
    state: State,
    node: Node,
    path: Path,
    notes: list[str],
    entered: list[Segments],
    holder: list[bool] | None,
) -> Node:
    """`node` without null. `holder`, of a property, is filled where its absence stands for null; elsewhere,
    and where nothing else is left, the whole value becomes JSON text."""
    if not states_null(state, node, path):
        return _tidied(state, node, path)
    rest = None if holder is None else _without(state, node, path, entered)
    if rest is None or holder is None:
        return as_json(state, node, path, notes)
    holder.append(True)
    for keyword in ("type", "enum", "anyOf", "oneOf", "$ref"):
        if keyword in node:
            state.note(
                path, keyword, "rewritten", "kept elsewhere", "null is expressed by leaving the key out"
            )
    if "default" in rest and rest["default"] is None:
        state.note(path, "default", "dropped", "kept elsewhere", "null is expressed by leaving the key out")
        rest = {key: value for key, value in rest.items() if key != "default"}
    return rest


def _tidied(state: State, node: Node, path: Path) -> Node:
    """`node`, which accepts no null, without stating it: type and enum may exclude each other's null."""
    out = dict(node)
    stated = out.get("type")
    kinds = stated if isinstance(stated, list) else [stated]
    if "null" in kinds:
        left = [kind for kind in kinds if kind != "null"]
        out["type"] = "string" if not left else left[0] if len(left) == 1 else left
    values = out.get("enum")
    if isinstance(values, list) and any(value is None for value in values):
        out["enum"] = [value for value in values if value is not None]
    if ("const" in out and out["const"] is None) or kinds == ["null"]:
        out = {key: value for key, value in out.items() if key not in ("const", "enum")}
    if out.get("enum") == [] and values != []:
        del out["enum"]
    for key in ("type", "enum", "const"):
        if key in node and (key not in out or out[key] != node[key]):
            state.note(path, key, "widened", "changed", "null is named there, and never fits")
    return out if out != node else node


def _without(state: State, node: Any, path: Path, entered: list[Segments], depth: int = 0) -> Node | None:
    """`node` without null; `None` if nothing is left, or its target is being inlined already."""
    if not isinstance(node, dict) or not states_null(state, node, path):
        return node if isinstance(node, dict) else None
    if "$ref" in node:
        found = without_references(state, node, path, entered)
        if not isinstance(found, dict) or depth > MAX_FOLLOWED:
            return None
        record_children(state, found, path)
        return _without(state, found, path, entered, depth + 1)
    if "allOf" in node or node.get("const", 0) is None:
        return None
    out = dict(node)
    if isinstance(out.get("enum"), list):
        out["enum"] = [value for value in out["enum"] if value is not None]
        if not out["enum"]:
            return None
    if "type" in out:
        stated = out["type"] if isinstance(out["type"], list) else [out["type"]]
        kinds = [kind for kind in stated if kind != "null"]
        if not kinds:
            return None
        out["type"] = kinds if len(kinds) > 1 else kinds[0]
    for keyword in ("anyOf", "oneOf"):
        if keyword not in out:
            continue
        branches: list[Any] = []
        for i, branch in enumerate(out[keyword]):
            location = ((path, keyword), str(i))
            if not states_null(state, branch, path):
                state.record_origin(branch, location)
                branches.append(branch)
                continue
            left = _without(state, branch, location, entered, depth + 1)
            if left is not None:
                state.record_origin(left, location)
                branches.append(left)
            elif not _only_null(state, branch, path):
                return None
        if not branches:
            return None
        out[keyword] = branches
        if len(branches) == 1 and isinstance(branches[0], dict):
            outer = {key: value for key, value in out.items() if key != keyword}
            if outer.keys() <= METADATA | {"$defs"}:
                return {**branches[0], **outer}
    return out


def _only_null(state: State, node: Any, path: Path, followed: int = 0) -> bool:
    if not isinstance(node, dict) or followed > MAX_FOLLOWED:
        return False
    if isinstance(node.get("enum"), list):
        return all(value is None for value in node["enum"])
    if "const" in node:
        return node["const"] is None
    if "type" in node:
        return bool(node["type"] in ("null", ["null"]))
    if isinstance(node.get("$ref"), str):
        found, location, _ = state.target(node["$ref"], path)
        return _only_null(state, found, location, followed + 1)
    for keyword in ("anyOf", "oneOf"):
        if isinstance(node.get(keyword), list):
            return all(_only_null(state, branch, path, followed + 1) for branch in node[keyword])
    return False


def left_out(state: State, node: Node, out: Node, names: list[str], path: Path) -> None:
    """Mark on an object the properties whose absence stands for null."""
    required = node.get("required")
    stated = required if isinstance(required, list) else []
    omitted = tuple(name for name in names if name in stated)
    for name in names:
        if name not in omitted:
            reason = "null cannot be told from a key that is left out"
            state.note((path, "properties"), name, "rewritten", "changed", reason)
    if omitted:
        reason = f"left out means null: {', '.join(omitted)}"
        state.note(path, "required", "rewritten", "kept elsewhere", reason)
        out[MARK] = mark(state, out, nulls=omitted)[MARK]


def not_required(state: State, out: Node) -> None:
    """Remove the properties whose absence stands for null from an output's `required`."""
    nulls = {state.renames.get(name, name) for name in out[MARK].nulls} if MARK in out else set[str]()
    if nulls and isinstance(out.get("required"), list):
        out["required"] = [name for name in out["required"] if name not in nulls]


def unsaid(state: State, node: Node, out: Node, names: list[str]) -> None:
    """Mark on an object that null stands for absence of `names`, which a mode requires although they are
    optional: where `node` constrains which keys are present, a null may be refused."""
    if not names or PRESENCE.isdisjoint(node):
        return
    known = out.get(MARK)
    renamed, before = ({}, ()) if known is None else (known.names, known.drops)
    own = (renamed.get(name, name) for name in names)
    out[MARK] = mark(state, out, drops=tuple(dict.fromkeys((*before, *own))))[MARK]


def held(state: State, objects: list[Node], out: Node, path: Path) -> Node:
    """`out`, made of alternatives that are `objects`. Where one of them requires what may be null and another
    does not, leaving it out could mean either: the value becomes JSON text, in which null can stand. Where
    what is optional takes null only because a mode demands every key, that null means absence."""
    if state.dialect.optional == "nullable":
        required = out.get("required", ())
        names = tuple(
            name
            for name, schema in out.get("properties", {}).items()
            if name not in required and "null" not in shapes(state, schema, ((path, "properties"), name))
        )
        return mark(state, out, drops=names) if names else out
    if state.dialect.null != "absent":
        return out
    properties = dict(out.get("properties", {}))
    for name, schema in properties.items():
        if name in out.get("required", ()) or not any(name in o.get("required", ()) for o in objects):
            continue
        location = ((path, "properties"), name)
        if states_null(state, schema, location):
            words: list[str] = []
            sent = as_json(state, schema, location, words)
            properties[name] = {**sent, "description": described(sent.get("description"), words)}
    return {**out, "properties": properties} if properties else out
