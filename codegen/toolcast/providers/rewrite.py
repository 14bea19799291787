"""What the dialect cannot say, turned into other words of JSON Schema: the first step at each node."""

from __future__ import annotations

from typing import Any

from .all_of import merge_all_of, single
from .arrays_and_objects import declared, has_type, keyless, placeholder, tuples
from .depth import shallow
from .enum_literals import bounded, with_enum
from .errors import SchemaError
from .json_paths import Path, pointer
from .keyword_rules import Rules
from .maps_as_pairs import is_map, pairs
from .nulls_as_absence import null_as_absence
from .open_references import Segments, opened
from .state import State
from .tuples_as_objects import positions
from .type_inference import stated
from .type_keyword import listed_types, typed
from .unions import as_any_of, collapsed, siblings_into_branches
from .values_as_text import without_idle
from .without_unions import limit_branches, one_kind

Node = dict[str, Any]
MAX_STEPS = 64


def rewritten(
    state: State, rules: Rules, node: Node, path: Path, notes: list[str], entered: list[Segments]
) -> Node:
    """`node` in words of JSON Schema that the dialect has. Raises `SchemaError`."""
    dialect = rules.dialect
    holder, state.null_omissions = state.null_omissions, None
    while rules.most is not None and path is not None:
        sent = shallow(state, node, path, notes, entered, rules.most)
        if sent is None:
            break
        node = sent
    if rules.nulls or not rules.loops.isdisjoint(node):
        node = _unfolded(state, rules, node, path, notes, entered, holder)
    listed = node.get("type").__class__ is list
    if listed and rules.unions and not (rules.encodes_enums and "enum" in node):
        node = _single_type(state, node, path, notes, entered)
    if (
        "required" in node
        and dialect.declared_required
        and ("properties" in node or dialect.typed or has_type(node, "object"))
    ):
        node = declared(state, node, path)
    if ("enum" in node or "const" in node) and rules.literal:
        node = with_enum(state, node, path, notes)
    if not stated(node) and dialect.typed:
        node = typed(state, node, path, notes)
    if rules.unions and "prefixItems" in node and node.get("type").__class__ is list:
        node = _single_type(state, node, path, notes, entered)  # as it is meant, not as it will be sent
    if "prefixItems" in node and dialect.tuples != "keep":
        node = _tuple(state, node, path, notes)
    if node.get("type").__class__ is list and rules.lists:
        node = (
            _single_type(state, node, path, notes, entered)
            if rules.unions
            else listed_types(state, node, path)
        )
    if rules.pairs and is_map(node):
        node = pairs(state, node, path, notes)
    if ("exclusiveMinimum" in node or "exclusiveMaximum" in node) and dialect.exclusive == "inclusive":
        node = bounded(state, node, path, notes)
    if (
        path is not None
        and has_type(node, "object")
        and dialect.empty_objects != "keep"
        and keyless(node, dialect)
    ):
        if dialect.empty_objects == "block":
            state.block(path, "properties", "an object without properties cannot be said")
        else:
            node = placeholder(state, node, path, notes)
    return node


def _tuple(state: State, node: Node, path: Path, notes: list[str]) -> Node:
    """A list with a schema for each position, in the dialect's way."""
    if "type" in node and not has_type(node, "array"):
        return without_idle(state, node, "array", path)
    sent = positions(state, node, path, notes) if state.dialect.tuples == "object" else None
    return tuples(state, node, path, notes) if sent is None else sent


def _single_type(state: State, node: Node, path: Path, notes: list[str], entered: list[Segments]) -> Node:
    """A list of types as one type; a null among them may be said by it in some dialects."""
    kinds = [kind for kind in node["type"] if kind != "null"]
    how = state.dialect.type_arrays
    if len(node["type"]) == 1 or (len(kinds) == 1 and how == "keep"):
        return {**node, "type": node["type"][0]} if len(node["type"]) == 1 else node
    return (
        listed_types(state, node, path)
        if len(kinds) < 2 and how == "nullable"
        else one_kind(state, node, path, notes, entered)
    )


def _unfolded(
    state: State,
    rules: Rules,
    node: Node,
    path: Path,
    notes: list[str],
    entered: list[Segments],
    holder: list[bool] | None,
) -> Node:
    """References and combinators, until the dialect can say what is left; each step may bring up the next."""
    dialect = rules.dialect
    opens = dialect.refs == "inline" or not dialect.ref_siblings or dialect.cycles == "unroll"
    for _ in range(MAX_STEPS):
        before = node
        if dialect.all_of == "merge":
            node = single(state, node, path)
        if "$ref" in node and opens:
            node, more = opened(state, node, path, notes)
            entered.extend(more)
        if "oneOf" in node and dialect.one_of == "any-of":
            node = as_any_of(state, node, path)
        if "allOf" in node and dialect.all_of == "merge":
            node = merge_all_of(state, node, path, notes, entered)
        if rules.nulls and path is not None:
            node = null_as_absence(state, node, path, notes, entered, holder)
        if "anyOf" in node and (
            dialect.any_of != "keep" or (rules.lists and node.get("type").__class__ is list)
        ):
            node = siblings_into_branches(state, node, path, notes, entered)
        if "anyOf" in node and rules.unions:
            node = one_kind(state, node, path, notes, entered)
        if "anyOf" in node and dialect.max_branches is not None:
            node = limit_branches(state, node, path, entered, dialect.max_branches)
        if "anyOf" in node and dialect.type_arrays == "nullable":
            node = collapsed(state, node, path)
        if node is before:
            return node
    raise SchemaError(pointer(path), "combinators are nested too deeply")
