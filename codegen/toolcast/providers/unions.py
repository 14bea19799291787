"""oneOf and anyOf of one node, said as the dialect can."""

from __future__ import annotations

from typing import Any

from ..jsonschema.equality import equal
from ..jsonschema.keywords import TYPE_OF
from .all_of import all_evaluated, plain, spill
from .constraint_texts import text
from .json_paths import Path
from .merge_nodes import merged
from .open_references import Segments, remember
from .state import State
from .type_inference import MOVED

Node = dict[str, Any]
MAX_BRANCHES = 64
"""A union is not multiplied with what stands beside it past this many branches."""


def shared(state: State, objects: list[Node], path: Path) -> None:
    """Note the properties of alternatives that others leave open: one schema for all holds those to them."""
    for one in objects:
        for name, schema in one.get("properties", {}).items():
            free = any(
                {"additionalProperties", "patternProperties"}.isdisjoint(other)
                and name not in other.get("properties", {})
                for other in objects
            )
            speaks = (
                [key for key in schema if key in MOVED or key == "anyOf"] if isinstance(schema, dict) else []
            )
            keyword = speaks[0] if speaks else ""
            if free and keyword:
                place = state.origins.get(id(schema), ((path, "properties"), name))
                reason = "holds for all alternatives, though some leave this key open"
                state.note(place, keyword, "rewritten", "changed", reason)


def as_any_of(state: State, node: Node, path: Path) -> Node:
    """`oneOf` as `anyOf`: a value that fits two branches is no longer refused."""
    state.note(
        path, "oneOf", "rewritten", "changed", "is said by anyOf: that only one branch may fit is not checked"
    )
    for i, branch in enumerate(node["oneOf"]):
        state.place(branch, ((path, "oneOf"), str(i)))
    if "anyOf" in node:
        rest = {key: value for key, value in node.items() if key != "oneOf"}
        return {**rest, "allOf": [*node.get("allOf", ()), {"anyOf": node["oneOf"]}]}
    return {("anyOf" if key == "oneOf" else key): value for key, value in node.items()}


def siblings_into_branches(
    state: State, node: Node, path: Path, notes: list[str], entered: list[Segments]
) -> Node:
    """`anyOf` with only annotations beside it: what else stood there goes into each branch."""
    branches: list[Any] = node["anyOf"]
    if any(branch is True or branch == {} for branch in branches):
        free(state, path)
        return {key: value for key, value in node.items() if key != "anyOf"}
    if state.dialect.booleans == "rewrite" and all(branch is False for branch in branches):
        reason = "no branch takes anything, which cannot be said here"
        state.note(path, "anyOf", "widened", "changed", reason)
        state.block(path, "anyOf", reason)
        return {key: value for key, value in node.items() if key != "anyOf"}
    base = {key: value for key, value in node.items() if key in MOVED}
    if not base:
        return node
    outer = {key: value for key, value in node.items() if key not in MOVED and key != "anyOf"}
    groups = required_groups(branches)
    if groups and "properties" in base and not state.dialect.closed:
        words = "At least one of these sets of keys must be given: " + "; ".join(map(", ".join, groups)) + "."
        spill(state, path, "anyOf", words, notes)
        return {**outer, **base}
    remember(state, base, path)
    distinct_types: list[Node] = []
    for i, raw in enumerate(branches):
        if raw is False:
            continue
        place = state.origins.get(id(raw), ((path, "anyOf"), str(i)))
        branch = plain(state, raw, place, entered)
        remember(state, branch, place)
        one = merged(base, branch) if isinstance(branch, dict) else None
        if one is None and isinstance(branch, dict) and _disjoint(base, branch):
            continue  # this branch can never fit beside what else is said
        if one is None or len(distinct_types) >= MAX_BRANCHES:
            state.block(path, "anyOf", "alternatives beside other keywords cannot be said")
            spill(state, path, "anyOf", f"Must also match one of: {text(branches)}.", notes)
            return {**outer, **all_evaluated(state, base, path)}
        distinct_types.append({key: value for key, value in one.items() if key != "$defs"})
        state.place(distinct_types[-1], place)
    for key in ("anyOf", *base):
        state.note(
            path, key, "rewritten", "kept elsewhere", "what stands beside anyOf is said in each branch"
        )
    return {**outer, "anyOf": distinct_types} if distinct_types else {**outer, **base}


def free(state: State, path: Path) -> None:
    """Note that a union is gone, since it takes any value."""
    reason = "a branch takes any value, so the others say nothing"
    state.note(path, "anyOf", "dropped", "kept elsewhere", reason)


def collapsed(state: State, node: Node, path: Path) -> Node:
    """A null branch as `nullable`; a union of one branch as that branch."""
    branches = [branch for branch in node["anyOf"] if branch is not False]
    rest = [branch for branch in branches if not (isinstance(branch, dict) and branch.get("type") == "null")]
    if len(rest) == len(node["anyOf"]) and len(rest) != 1:
        return node
    if not branches:
        state.note(path, "anyOf", "widened", "changed", "no branch takes anything, which cannot be said here")
        return {key: value for key, value in node.items() if key != "anyOf"}
    for i, branch in enumerate(node["anyOf"]):
        state.place(branch, ((path, "anyOf"), str(i)))
    out = dict(node)
    if len(rest) < len(branches):
        state.note(path, "anyOf", "rewritten", "kept elsewhere", "null is said by nullable")
        _only_null(state, branches)
        if not rest:
            del out["anyOf"]
            out["type"] = "null"
            return out
        out["nullable"] = True
    out["anyOf"] = rest
    if len(rest) == 1 and isinstance(rest[0], dict):
        del out["anyOf"]
        remember(state, rest[0], state.origins.get(id(rest[0]), ((path, "anyOf"), "0")))
        state.note(path, "anyOf", "rewritten", "kept elsewhere", "one branch is left, and stands for itself")
        inner = rest[0]
        out = {**inner, **out}
    return out


def _only_null(state: State, branches: list[Any]) -> None:
    """Note what branches of type null say beside it, which goes with them."""
    for branch in branches:
        if isinstance(branch, dict) and branch.get("type") == "null":
            for key in branch:
                if TYPE_OF.get(key):
                    reason = "says nothing of null"
                    state.note(state.origins[id(branch)], key, "dropped", "kept elsewhere", reason)
                elif key in ("anyOf", *MOVED) and key != "type" and branch[key] not in (None, [None]):
                    reason = "null is said by nullable, which takes it whatever is said beside it"
                    state.note(state.origins[id(branch)], key, "dropped", "lost", reason)


def required_groups(branches: list[Any]) -> list[list[str]]:
    """The sets of keys, if all branches say nothing but which keys are required; else empty."""
    groups: list[list[str]] = []
    for branch in branches:
        if not isinstance(branch, dict) or not isinstance(branch.get("required"), list):
            return []
        if branch.keys() - {"required", "type"}:
            return []
        groups.append([str(name) for name in branch["required"]])
    return groups


def _disjoint(left: Node, right: Node) -> bool:
    mine, theirs = left.get("type"), right.get("type")
    if mine is None or theirs is None:
        return False
    both = {"type": mine}, {"type": theirs}
    return not equal(mine, theirs) and merged(*both) is None


def nullable_union(state: State, out: Node, path: Path) -> Node:
    """An output union in which branches turned out to be null, as `nullable`; or one of a single branch."""
    rest = [branch for branch in out["anyOf"] if branch.get("type") != "null"]
    if len(rest) == len(out["anyOf"]) and len(rest) != 1:
        return out
    state.note(
        path, "anyOf", "rewritten", "kept elsewhere", "null is said by nullable, a single branch by itself"
    )
    outer = {key: value for key, value in out.items() if key != "anyOf"}
    if not rest:
        return {"type": "null", **outer}
    if len(rest) < len(out["anyOf"]):
        outer["nullable"] = True
    return {**rest[0], **outer} if len(rest) == 1 else {**outer, "anyOf": rest}
