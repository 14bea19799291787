"""Unions for dialects that have none: one branch that is left, one schema for all, or JSON text."""

from __future__ import annotations

from typing import Any

from ..jsonschema.equality import equal
from ..jsonschema.keywords import METADATA
from .accepted_types import shapes
from .all_of import describe_or_drop, merge_all_of, without_references
from .constraint_texts import described, text
from .inline_references import Segments, record_children
from .json_paths import Path
from .json_types import MOVED, distinct_types, fits, inferred, kind_of, split
from .nulls_as_absence import held
from .state import State
from .type_keyword import checked_types
from .unions import MAX_BRANCHES, as_any_of, in_words, shared, siblings_into_branches, union, widest
from .values_as_text import as_json

Node = dict[str, Any]
LITERAL = frozenset(("enum", "const"))
MAX_INLINED = 1024
"""Branches that are examined for one union: thirty definitions can expand to a billion of them."""


class _Opening:
    """How far a union was expanded: its depth, and how many branches were examined."""

    def __init__(self) -> None:
        self.depth = self.count = 0

    @property
    def enough(self) -> bool:
        return self.depth > MAX_BRANCHES or self.count > MAX_INLINED


def one_kind(state: State, node: Node, path: Path, notes: list[str], entered: list[Segments]) -> Node:
    """`node` without its anyOf or list of types. The siblings of anyOf are in its branches already.

    In this order: one branch that is left stands for itself; branches of one type become one schema, wider
    where they differ, with the difference in words; anything else is sent as JSON text.
    """
    keyword = "anyOf" if "anyOf" in node else "type"
    outer = {key: value for key, value in node.items() if key not in MOVED and key != "anyOf"}
    raw: list[Any] = node["anyOf"] if keyword == "anyOf" else split(node, checked_types(node, path))
    if keyword == "type":
        for branch in raw:
            state.record_origin(branch, path)
    branches = _flat(state, raw, (path, keyword), entered, _Opening())
    if branches is None:
        return as_json(state, node, path, notes, keyword=keyword)
    nullable = state.dialect.type_arrays in ("keep", "nullable")
    rest = [one for one in branches if one.get("type") != "null"] if nullable else branches
    null = len(rest) < len(branches)
    if not branches:
        reason = "no alternative takes anything, which cannot be expressed here"
        for key in node:
            if key in MOVED or key == "anyOf":
                state.note(path, key, "widened", "changed", reason)
        return outer
    if not rest:
        state.note(path, keyword, "rewritten", "kept elsewhere", "only null is left")
        return {**outer, "type": "null"}
    result = _together(state, rest, raw, path, keyword, notes)
    if result is None:
        return as_json(state, node, path, notes, keyword=keyword)
    if null:
        result = _with_null(state, result)
    for key in node:
        if key in MOVED or key == "anyOf":
            state.note(
                path, key, "rewritten", "kept elsewhere", "its alternatives are expressed by one schema"
            )
    return {**result, **outer}


def limit_branches(state: State, node: Node, path: Path, entered: list[Segments], most: int) -> Node:
    """`node`, whose anyOf may have at most so many branches: beyond that, one branch for each JSON type."""
    raw: list[Any] = node["anyOf"]
    if len(raw) <= most:
        return node
    reason = f"only {most} alternatives can be expressed: those of one type are said together"
    state.note(path, "anyOf", "widened", "changed", reason)
    flat = _flat(state, raw, (path, "anyOf"), entered, _Opening())
    groups: dict[str, list[Node]] = {}
    for branch in flat or ():
        kind = "number" if branch["type"] == "integer" else str(branch["type"])
        groups.setdefault(kind, []).append(branch)
    if flat is None:
        kinds = sorted(frozenset[str]().union(*(shapes(state, branch, path) for branch in raw)))
        groups = {kind: [] for kind in kinds}
    branches: list[Node] = []
    for kind, group in groups.items():
        words: list[str] = []
        one = _together(state, group, group, path, "anyOf", words) if group else None
        if one is None or isinstance(one.get("type"), list):
            one = {"type": kind}
        branches.append({**one, "description": described(one.get("description"), words)} if words else one)
    for branch in branches:
        state.record_origin(branch, path)
    outer = {key: value for key, value in node.items() if key != "anyOf"}
    return {**outer, "anyOf": branches} if len(branches) > 1 else {**branches[0], **outer}


def _with_null(state: State, node: Node) -> Node:
    if state.dialect.type_arrays == "nullable":
        return {**node, "nullable": True}
    kinds = node["type"] if isinstance(node["type"], list) else [node["type"]]
    out = {**node, "type": list(dict.fromkeys([*kinds, "null"]))}
    if isinstance(out.get("enum"), list) and None not in out["enum"]:
        out["enum"] = [*out["enum"], None]
    return out


def _flat(
    state: State, raw: list[Any], path: Path, entered: list[Segments], opening: _Opening
) -> list[Node] | None:
    """Branches of one type each, nested unions expanded; `None` where the type of one is unknown, or
    where there are too many."""
    out: list[Node] = []
    for i, each in enumerate(raw):
        if each is False:
            continue
        location = state.origins.get(id(each), (path, str(i)))
        branch = without_references(state, each, location, entered)
        opening.count += 1
        if not isinstance(branch, dict) or opening.enough:
            return None
        record_children(state, branch, location)
        more = _kinds(state, branch, location, entered, opening)
        if more is None or len(out) + len(more) > MAX_BRANCHES:
            return None
        if not more and id(each) in state.origins:
            for key in each:
                state.note(location, key, "dropped", "kept elsewhere", "this alternative takes nothing")
        for one in more:
            if not any(equal(one, other) for other in out):
                state.record_origin(one, location)
                out.append(one)
    return out


def _kinds(
    state: State, branch: Node, path: Path, entered: list[Segments], opening: _Opening
) -> list[Node] | None:
    """One branch as branches of one type each."""
    own: list[str] = []
    if "oneOf" in branch:
        branch = as_any_of(state, branch, path)
    if "allOf" in branch:
        branch = merge_all_of(state, branch, path, own, entered, blocking=False)
        if not {"oneOf", "$ref", "allOf"}.isdisjoint(branch):
            return _deeper(state, [branch], path, entered, opening)
    if "anyOf" in branch:
        branch = siblings_into_branches(state, branch, path, own, entered)
    if own:
        branch = {**branch, "description": described(branch.get("description"), own)}
    if "$defs" in branch:
        branch = {key: value for key, value in branch.items() if key != "$defs"}
    if "anyOf" in branch:
        return _inner(state, branch, path, entered, opening)
    if "type" in branch:
        kinds = checked_types(branch, path)
    elif LITERAL.isdisjoint(branch) and not state.dialect.typed:
        return None
    else:
        kinds = inferred(branch)
        if LITERAL.isdisjoint(branch) and kinds:
            reason = "every node needs a type: the one its keywords speak of"
            state.note(path, "type", "rewritten", "changed", reason)
    kinds = distinct_types(kinds)
    if not kinds:
        return None
    if len(kinds) == 1:
        return [{**branch, "type": kinds[0]}] if _possible(branch, kinds[0]) else []
    kept = {key: value for key, value in branch.items() if key not in MOVED}
    parts = [_literal(part, branch) for part in split(branch, kinds)]
    return [{**part, **kept} for part in parts if part is not None]


def _deeper(
    state: State, raw: list[Any], path: Path, entered: list[Segments], opening: _Opening
) -> list[Node] | None:
    opening.depth += 1
    found = _flat(state, raw, path, entered, opening)
    opening.depth -= 1
    return found


def _inner(
    state: State, branch: Node, path: Path, entered: list[Segments], opening: _Opening
) -> list[Node] | None:
    inner = _deeper(state, branch["anyOf"], (path, "anyOf"), entered, opening)
    kept = {key: value for key, value in branch.items() if key in METADATA}
    return None if inner is None else [{**kept, **one} for one in inner]


def _possible(branch: Node, kind: str) -> bool:
    """Whether the literals of a branch leave anything of its type."""
    if "const" in branch:
        return fits(branch["const"], [kind])
    values = branch.get("enum")
    return not isinstance(values, list) or any(fits(value, [kind]) for value in values)


def _literal(part: Node, branch: Node) -> Node | None:
    """A branch for one of several types: `None` where a constant is of another type."""
    if "const" not in branch:
        return part
    return part if fits(branch["const"], [part["type"]]) else None


def _together(
    state: State, rest: list[Node], raw: list[Any], path: Path, keyword: str, notes: list[str]
) -> Node | None:
    """Branches without null as one node; `None` if they have several types."""
    if len(rest) == 1:
        return rest[0]
    sent = state.dialect.enums in ("alike", "strings")
    if sent and all(not LITERAL.isdisjoint(one) for one in rest):
        out, exact = widest(rest, "string")
        kinds = distinct_types([kind_of(value) for value in out["enum"]])
        out["type"] = kinds if len(kinds) > 1 else kinds[0]
        _describe_branches(state, rest, path, keyword, notes, exact=exact)
        return out
    kinds = distinct_types([one["type"] for one in rest])
    if len(kinds) > 1:
        return None
    if kinds == ["object"]:
        describe_or_drop(state, path, keyword, in_words("anyOf", raw, rest), notes)
        shared(state, rest, path)
        return held(state, rest, union(rest, {}, ()), path)
    if any("prefixItems" in one for one in rest):
        return None
    out, exact = widest(rest, kinds[0])
    _describe_branches(state, rest, path, keyword, notes, exact=exact)
    return out


def _describe_branches(
    state: State, rest: list[Node], path: Path, keyword: str, notes: list[str], *, exact: bool
) -> None:
    if not exact:
        describe_or_drop(state, path, keyword, f"Must match one of: {text(rest)}.", notes)
