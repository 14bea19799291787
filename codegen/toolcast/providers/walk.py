"""The one walk over a schema. What it does at each keyword is looked up in a table made from the dialect.

Each node goes through three steps: *rewrites* turn what the dialect cannot say into other words of JSON
Schema, the *table* copies, walks, drops or spills keyword after keyword, *endings* settle what concerns
the node as a whole. Nothing of the input is changed; output shares no container with it.
"""

from __future__ import annotations

from typing import Any

from .arrays_and_objects import arrays, has_type, reopened
from .errors import SchemaError
from .json_paths import Path, pointer
from .keyword_rules import Rules
from .literal_values import copied
from .node_completion import WATCHED, ended, watched
from .open_references import Segments
from .operations import stated
from .rewrite import rewritten
from .state import State
from .type_inference import KINDS, Made
from .union_siblings import all_without_siblings as alone_everywhere

Node = dict[str, Any]

NOTHING: frozenset[str] = frozenset()


def walked(state: State, rules: Rules, node: Any, path: Path) -> Any:
    """The output for one schema. Raises `SchemaError` for what is no schema, or too large."""
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
    lossy = evaluation = 0
    if path is not None:
        lossy, evaluation = state.lossy, state.evaluation
    if rules.always or not rules.triggers.isdisjoint(node):
        node = rewritten(state, rules, node, path, notes, entered)
    if rules.dialect.items_required and has_type(node, "array"):
        node = arrays(state, node, path)
    state.types_elsewhere = NOTHING
    for segments in entered:
        state.opened[segments] = state.opened.get(segments, 0) + 1
    out: Node = {}
    get, other = rules.ops.get, rules.other
    for key, value in node.items():
        op = get(key, other)
        if op is None:
            out[key] = value if value.__class__ is str else copied(value)
        elif op is stated and value.__class__ is str and value in KINDS:
            out[key] = value
        else:
            op(state, node, key, value, out, path, notes)
    for segments in entered:
        state.opened[segments] -= 1
        if not state.opened[segments]:
            del state.opened[segments]
    patterns = node.get("patternProperties")
    if patterns and len(out.get("patternProperties", ())) < len(patterns):
        reopened(state, out, path)
    if len(state.alive) > moved:
        state.forget(moved)
    if rules.watches and not WATCHED.isdisjoint(out):
        watched(state, node, out, path, lossy, evaluation)
    if rules.ends or notes or "anyOf" in out or "nullable" in out:
        out = ended(state, rules, node, out, path, notes)
    state.overlap = outer
    state.depth -= 1
    return out


def _boolean(state: State, rules: Rules, node: bool, path: Path) -> Any:
    if rules.dialect.booleans == "keep":
        return node
    if node is False:
        state.note(path, "false", "widened", "changed", "a schema that takes nothing cannot be said here")
        state.block(path, "false", "a schema that takes nothing cannot be said here")
    return finished(state, rules, {}, path, [], [])
