"""The one walk over a schema. A table, made from the dialect, has the operation of each keyword.

Each node goes through three steps: `rewritten` replaces unsupported keywords by others of JSON Schema, the
table copies, walks, drops or describes each keyword, `ended` completes the node as a whole. The input is not
changed; the output shares no container with it.
"""

from __future__ import annotations

from typing import Any

from .all_of import merge_all_of, single
from .arrays_and_objects import (
    allow_undeclared,
    arrays,
    declared,
    has_type,
    keyless,
    placeholder,
    state_open,
    strict_object,
    tuples,
    without_empty,
)
from .constraint_texts import described
from .cycles import changed_behind
from .depth import limit_depth
from .enum_literals import bounded, with_enum
from .inline_references import Segments, inline_reference
from .json_paths import Path, pointer
from .json_types import KINDS, Made, copied, stated
from .keyword_rules import Rules
from .maps_as_pairs import is_map, pairs
from .nulls_as_absence import not_required, null_as_absence
from .operations import keep_type
from .profiles.dialect import Dialect
from .provider_errors import SchemaError
from .state import State
from .tuples_as_objects import positions
from .type_keyword import listed_types, typed
from .union_siblings import all_without_siblings as alone_everywhere
from .union_siblings import without_siblings
from .unions import as_any_of, collapsed, nullable_union, siblings_into_branches
from .values_as_text import without_idle
from .wire_forms import MARK
from .without_unions import limit_branches, one_kind

Node = dict[str, Any]

NOTHING: frozenset[str] = frozenset()


def walked(state: State, rules: Rules, node: Any, path: Path) -> Any:
    """The output for one schema. Raises `SchemaError` where it is no schema, or too large."""
    if node.__class__ is not dict:
        if node.__class__ is Made:
            made = copied(node)
            return alone_everywhere(state, made, path) if rules.dialect.any_of == "only" else made
        if node.__class__ is not bool:
            raise SchemaError(pointer(path), "a schema is an object, true or false")
        return _boolean(state, rules, node, path)
    if state.origins:
        path = state.origins.get(id(node), path)
    return finished(state, rules, node, path, [], [])


def finished(
    state: State, rules: Rules, node: Node, path: Path, notes: list[str], entered: list[Segments]
) -> Node:
    """The output for one node, all three steps."""
    state.enter(path)
    outer = state.overlap
    if outer is not None or state.next_overlap is not None:
        state.overlap, state.next_overlap = state.next_overlap, None
    moved = len(state.alive)
    changes = evaluation = 0
    if path is not None:
        changes, evaluation = state.changes, state.evaluation
    if rules.always or not rules.triggers.isdisjoint(node):
        node = rewritten(state, rules, node, path, notes, entered)
    if rules.dialect.items_required and has_type(node, "array"):
        node = arrays(state, node, path)
    state.types_elsewhere = NOTHING
    for segments in entered:
        state.inlining[segments] = state.inlining.get(segments, 0) + 1
    out: Node = {}
    get, other = rules.ops.get, rules.other
    for key, value in node.items():
        op = get(key, other)
        if op is None:
            out[key] = value if value.__class__ is str else copied(value)
        elif op is keep_type and value.__class__ is str and value in KINDS:
            out[key] = value
        else:
            op(state, node, key, value, out, path, notes)
    for segments in entered:
        state.inlining[segments] -= 1
        if not state.inlining[segments]:
            del state.inlining[segments]
    patterns = node.get("patternProperties")
    if patterns and len(out.get("patternProperties", ())) < len(patterns):
        allow_undeclared(state, out, path)
    if len(state.alive) > moved:
        state.forget_origins(moved)
    if rules.watches and not WATCHED.isdisjoint(out):
        watched(state, node, out, path, changes, evaluation)
    if rules.ends or notes or "anyOf" in out or "nullable" in out:
        out = ended(state, rules, node, out, path, notes)
    state.overlap = outer
    state.depth -= 1
    return out


def _boolean(state: State, rules: Rules, node: bool, path: Path) -> Any:
    if rules.dialect.booleans == "keep":
        return node
    if node is False:
        state.note(
            path, "false", "widened", "changed", "a schema that takes nothing cannot be expressed here"
        )
        state.block(path, "false", "a schema that takes nothing cannot be expressed here")
    return finished(state, rules, {}, path, [], [])


MAX_STEPS = 64


def rewritten(
    state: State, rules: Rules, node: Node, path: Path, notes: list[str], entered: list[Segments]
) -> Node:
    """`node` in keywords of JSON Schema that the dialect has. Raises `SchemaError`."""
    dialect = rules.dialect
    holder, state.null_omissions = state.null_omissions, None
    while rules.most is not None and path is not None:
        sent = limit_depth(state, node, path, notes, entered, rules.most)
        if sent is None:
            break
        node = sent
    if rules.nulls or not rules.loops.isdisjoint(node):
        node = _resolve_combinators(state, rules, node, path, notes, entered, holder)
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
        if rules.most is not None and path is not None and not stated(node):  # no value was left
            node = limit_depth(state, node, path, notes, entered, rules.most) or node
    if not stated(node) and dialect.typed:
        node = typed(state, node, path, notes)
    if rules.unions and "prefixItems" in node and node.get("type").__class__ is list:
        node = _single_type(state, node, path, notes, entered)  # in its original form, not the wire form
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
            state.block(path, "properties", "an object without properties cannot be expressed")
        else:
            node = placeholder(state, node, path, notes)
    return node


def _tuple(state: State, node: Node, path: Path, notes: list[str]) -> Node:
    """A tuple in the dialect."""
    if "type" in node and not has_type(node, "array"):
        return without_idle(state, node, "array", path)
    sent = positions(state, node, path, notes) if state.dialect.tuples == "object" else None
    return tuples(state, node, path, notes) if sent is None else sent


def _single_type(state: State, node: Node, path: Path, notes: list[str], entered: list[Segments]) -> Node:
    """A list of types as one type; some dialects keep a null next to it."""
    kinds = [kind for kind in node["type"] if kind != "null"]
    how = state.dialect.type_arrays
    if len(node["type"]) == 1 or (len(kinds) == 1 and how == "keep"):
        return {**node, "type": node["type"][0]} if len(node["type"]) == 1 else node
    return (
        listed_types(state, node, path)
        if len(kinds) < 2 and how == "nullable"
        else one_kind(state, node, path, notes, entered)
    )


def _resolve_combinators(
    state: State,
    rules: Rules,
    node: Node,
    path: Path,
    notes: list[str],
    entered: list[Segments],
    holder: list[bool] | None,
) -> Node:
    """Rewrite references and combinators until the dialect supports the rest; each step may lead to
    another."""
    dialect = rules.dialect
    opens = dialect.refs == "inline" or not dialect.ref_siblings or dialect.cycles == "unroll"
    for _ in range(MAX_STEPS):
        before = node
        if dialect.all_of == "merge":
            node = single(state, node, path)
        if "$ref" in node and opens:
            node, more = inline_reference(state, node, path, notes)
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


WATCHED = frozenset(("uniqueItems", "unevaluatedProperties", "unevaluatedItems"))
"""Keywords whose meaning depends on other keywords."""


def ended(state: State, rules: Rules, node: Node, out: Node, path: Path, notes: list[str]) -> Node:
    """`out`, the output for `node`, completed for the dialect: objects, unions and nulls. `notes` go into
    its description."""
    dialect = rules.dialect
    if rules.ends:
        if rules.objects and has_type(out, "object"):
            if rules.closes and (
                ("additionalProperties" not in out and dialect.closed) or _takes_nulls(dialect)
            ):
                strict_object(state, out, node, path)
            elif "properties" not in out and (dialect.properties_required or dialect.closed):
                out["properties"] = {}
        if MARK in out and rules.nulls:
            not_required(state, out)
        if "additionalProperties" not in out and dialect.open == "explicit":
            state_open(state, out, path)
        if out.get("required") == [] and not dialect.empty_required:
            without_empty(state, out, path)
    if "anyOf" in out and dialect.type_arrays == "nullable":
        out = nullable_union(state, out, path)
    if "nullable" in out and out.get("type") == "null":
        del out["nullable"]  # an inlined definition that is null, in a union with null
    if notes:
        words = described(out.get("description"), notes)
        if words:
            out["description"] = words
    if "anyOf" in out and dialect.any_of == "only":
        out = without_siblings(state, out, path)
    return out


def _takes_nulls(dialect: Dialect) -> bool:
    """Whether an optional key accepts null."""
    return dialect.optional == "also-null" or (dialect.optional == "nullable" and dialect.closed)


def watched(state: State, node: Node, out: Node, path: Path, changes: int, evaluation: int) -> None:
    """Note or drop keywords whose meaning depends on others, where those were changed."""
    if (
        state.dialect.optional != "keep"
        and out.get("uniqueItems")
        and (state.changes != changes or changed_behind(state, node.get("items")))
    ):
        reason = "items may differ by a null that stands for a key left out"
        state.note(path, "uniqueItems", "widened", "changed", reason)
    for key in ("unevaluatedProperties", "unevaluatedItems"):
        if key in out and (state.evaluation != evaluation or changed_behind(state, node)):
            del out[key]
            reason = "what else evaluates keys and items cannot be expressed here as it is"
            state.note(path, key, "dropped", "lost", reason)
