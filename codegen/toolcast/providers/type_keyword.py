"""The type of one node in the dialect: stated, inferred, several, or any."""

from __future__ import annotations

from typing import Any

from .json_paths import Path, pointer
from .json_types import KINDS, MOVED, any_value, distinct_types, inferred, scalar_value, split
from .provider_errors import SchemaError
from .state import State
from .union_overlaps import of_items
from .values_as_text import as_json
from .wire_forms import MARK, mark

Node = dict[str, Any]
STRUCTURAL = frozenset(("anyOf", "$ref", "oneOf", "allOf"))
SENT_AS = {"texts": "string", "json": "string", "pairs": "array"}


def checked_types(node: Node, path: Path) -> list[str]:
    """The types that `node` states. Raises `SchemaError` for a type that JSON Schema does not know."""
    kind = node["type"]
    kinds = kind if isinstance(kind, list) else [kind]
    for one in kinds:
        if one.__class__ is not str or one not in KINDS:
            raise SchemaError(pointer(path), f"{one!r} is no JSON Schema type", f"one of {', '.join(KINDS)}")
    if not kinds:
        raise SchemaError(pointer(path), "type names no type")
    return kinds


def typed(state: State, node: Node, path: Path, notes: list[str]) -> Node:
    """`node` with a type: stated, or inferred, or the dialect's form of any value."""
    if "type" in node:
        kinds = checked_types(node, path)
    elif not STRUCTURAL.isdisjoint(node):
        return node
    else:
        kinds = inferred(node)
        if not kinds:
            return _untyped(state, node, path, notes)
        if "enum" in node or "const" in node:
            state.note(
                path, "type", "rewritten", "kept elsewhere", "every node needs a type: that of its values"
            )
        else:
            reason = "every node needs a type: the one its keywords speak of"
            state.note(path, "type", "rewritten", "changed", reason)
        node = {"type": kinds if len(kinds) > 1 else kinds[0], **node}
    return node


def listed_types(state: State, node: Node, path: Path) -> Node:
    """`node`, whose type is a list, by anyOf; null by `nullable` if the dialect has it."""
    kinds = checked_types(node, path)
    if len(kinds) == 1:
        return {**node, "type": kinds[0]}
    out = dict(node)
    if state.dialect.type_arrays == "any-of":
        state.note(path, "type", "rewritten", "kept elsewhere", "a list of types is expressed by anyOf")
        return _split(state, out, list(dict.fromkeys(kinds)), path)
    rest = distinct_types([kind for kind in kinds if kind != "null"])
    state.note(
        path, "type", "rewritten", "kept elsewhere", "a list of types is expressed by nullable and anyOf"
    )
    if not rest:
        out["type"] = "null"
        return out
    if len(rest) < len(set(kinds)) and "null" in kinds:
        out["nullable"] = True
    if len(rest) == 1:
        out["type"] = rest[0]
        return out
    return _split(state, out, rest, path)


def _split(state: State, node: Node, kinds: list[str], path: Path) -> Node:
    """One branch for each type; a mark goes to the branch of its wire form."""
    outer = {key: value for key, value in node.items() if key not in MOVED and key != "nullable"}
    branches = [
        {"type": "null"} if one["type"] == "null" else one for one in split(node, distinct_types(kinds))
    ]
    marks = outer.pop(MARK, None)
    if marks is not None:
        sent = SENT_AS.get(marks.encoding, "object")
        branches = [{**one, MARK: marks} if one["type"] == sent else one for one in branches]
    if "nullable" in node:
        outer["nullable"] = node["nullable"]
    if len(branches) == 1:
        for key in node:
            if key in MOVED and key not in branches[0]:
                state.note(path, key, "dropped", "kept elsewhere", "says nothing of the type that is left")
        return {**branches[0], **outer}
    for key in node:
        if key in MOVED and key != "type":
            state.note(path, key, "rewritten", "kept elsewhere", "said in the branches that it concerns")
    for branch in branches:
        state.record_origin(branch, path)
    return {**outer, "anyOf": branches}


def _mistaken(state: State) -> bool:
    """Whether another branch accepts a string where arrays in any value hold JSON text."""
    overlap = state.overlap
    for _ in range(state.dialect.untyped_levels + 1):
        if overlap is None or not overlap.schemas:
            return False
        overlap = of_items(state, overlap)
    return overlap is not None and "string" in overlap


def _untyped(state: State, node: Node, path: Path, notes: list[str]) -> Node:
    if state.dialect.untyped == "json":
        return node if "string" in state.types_elsewhere else as_json(state, node, path, notes)
    if state.dialect.untyped == "block":
        state.block(path, "type", "a value of any type cannot be expressed")
    if state.dialect.untyped != "union":
        return node
    reason = "any value is a union of all types; lists nested deeply have items of JSON text"
    state.note(path, "type", "rewritten", "changed", reason)
    nullable = state.dialect.type_arrays == "nullable"
    deeper: Node = scalar_value(nullable=nullable)
    if not _mistaken(state):
        deeper = mark(state, {"type": "string", "description": "JSON text of any value."}, encoding="json")
    return {
        **any_value(
            state.dialect.placeholder, deeper, nullable=nullable, levels=state.dialect.untyped_levels
        ),
        **node,
    }
