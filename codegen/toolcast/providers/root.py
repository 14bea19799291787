"""The root of a tool's parameters: an object without the combinators that the provider refuses there."""

from __future__ import annotations

from typing import Any

from .all_of import describe_or_drop, merge_all_of, without_references
from .arrays_and_objects import has_type
from .constraint_texts import phrase
from .inline_references import Segments, note_dropped_properties, record_children
from .json_paths import Path
from .json_types import inferred
from .merge_nodes import merged
from .nulls_as_absence import held
from .profiles.dialect import forbidden
from .provider_errors import SchemaError
from .state import MAX_DEPTH, State
from .unions import in_words, shared, union

Node = dict[str, Any]


def rooted(state: State, notes: list[str], entered: list[Segments]) -> Node:
    """The root node, of type object. Raises `SchemaError` if the schema accepts no object at all."""
    rules = state.dialect
    node: Node = state.document
    if "$ref" in node and (node.get("type") != "object" or rules.root_forbid or rules.refs == "inline"):
        node = _inlined(state, node, entered)
    node = _object(state, node)
    if not state.rules.refused.isdisjoint(node):
        node = _flattened(state, node, notes, entered)
    return node


def _inlined(state: State, node: Node, entered: list[Segments]) -> Node:
    own = {key: value for key, value in node.items() if key in ("$defs", "$schema", "$id")}
    found = without_references(
        state, {key: value for key, value in node.items() if key not in own}, None, entered
    )
    if not isinstance(found, dict):
        raise SchemaError("", "the root refers to itself", "give the root a type of its own")
    state.note(None, "$ref", "inlined", "kept elsewhere", "the root must be an object of its own")
    return {**found, **own}


def _object(state: State, node: Node) -> Node:
    kind = node.get("type")
    if kind == "object":
        return node
    if isinstance(kind, list) and "object" in kind:
        state.note(
            None, "type", "rewritten", "kept elsewhere", "the arguments of a call are always an object"
        )
        return {**node, "type": "object"}
    if kind is not None:
        raise SchemaError(
            "", f"the parameters of a tool are an object, not {kind!r}", "put the value into a property"
        )
    types = inferred(node)
    if types and "object" not in types and not {"enum", "const"}.isdisjoint(node):
        raise SchemaError("", "the parameters of a tool are an object", "put the value into a property")
    state.note(None, "type", "rewritten", "kept elsewhere", "the arguments of a call are always an object")
    return {"type": "object", **node}


def _flattened(state: State, node: Node, notes: list[str], entered: list[Segments]) -> Node:
    """Root combinators merged into one object: all properties, the common `required`; the rest is
    described."""
    refused = forbidden(state.dialect)
    for _ in range(MAX_DEPTH):
        keyword = next((key for key in ("allOf", "anyOf", "oneOf") if key in node and key in refused), "")
        if not keyword:
            break
        if keyword == "allOf":
            node = merge_all_of(state, node, None, notes, entered, blocking=False)
        else:
            node = _united(state, node, keyword, notes, entered)
    for keyword in state.dialect.root_forbid:
        if keyword in node:
            describe_or_drop(state, None, keyword, phrase(keyword, node[keyword]) or keyword, notes)
            node = {key: value for key, value in node.items() if key != keyword}
    return node


def _united(state: State, node: Node, keyword: str, notes: list[str], entered: list[Segments]) -> Node:
    base = {key: value for key, value in node.items() if key != keyword}
    outer: Node = {key: base.pop(key) for key in ("$defs", "$schema", "$id") if key in base}
    record_children(state, base, None)
    objects: list[Node] = []
    for i, raw in enumerate(node[keyword]):
        location: Path = ((None, keyword), str(i))
        branch = without_references(state, raw, location, entered)
        record_children(state, branch, location)
        if branch is False or (
            isinstance(branch, dict) and "type" in branch and not has_type(branch, "object")
        ):
            continue  # no object fits this branch
        distinct_types = base
        if isinstance(branch, dict):
            distinct_types = merged(base, {k: v for k, v in branch.items() if k != "$defs"}) or base
        objects.append(distinct_types)
    describe_or_drop(state, None, keyword, in_words(keyword, node[keyword], objects), notes)
    if objects:
        distinct_types = union(objects, base, tuple(forbidden(state.dialect)))
        note_dropped_properties(state, base, distinct_types, None)
        shared(state, objects, None)
        base = held(state, objects, distinct_types, None)
    return {**base, **outer}
