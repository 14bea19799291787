"""Merges the allOf of a node; branches without references, so that they can be merged."""

from __future__ import annotations

from typing import Any

from ..jsonschema.keywords import METADATA
from .constraint_texts import MAX_WORDS, text
from .inline_references import Segments, merge_target, note_dropped_properties, record_children
from .json_paths import Path
from .merge_nodes import merged
from .state import State

Node = dict[str, Any]
NOT_MERGED = METADATA | {"$defs", "$schema", "$id", "propertyOrdering"}


def without_references(state: State, branch: Any, path: Path, entered: list[Segments]) -> Node | bool | None:
    """A branch without references, so that it can be merged; `None` if its target is being inlined
    already."""
    visited: set[Segments] = set()
    while isinstance(branch, dict):
        if "$ref" not in branch:
            break
        found, location, segments = state.target(branch["$ref"], path)
        if segments in state.inlining or segments in visited or not segments:
            return None
        if id(branch) in state.origins:  # it comes from another schema: no entry for this union covers it
            reason = "what it refers to stands here"
            state.note(state.origins[id(branch)], "$ref", "inlined", "kept elsewhere", reason)
        visited.add(segments)
        record_children(state, found, location)
        siblings = {k: v for k, v in branch.items() if k not in ("$ref", "$defs")}
        branch = merge_target(state, siblings, found, location, path)
        path = location
    entered.extend(visited)
    return branch if isinstance(branch, dict | bool) else None


def single(state: State, node: Node, path: Path) -> Node:
    """An allOf of one reference, which older drafts need to annotate it, as that reference."""
    branches = node.get("allOf")
    if (
        isinstance(branches, list)
        and len(branches) == 1
        and isinstance(branches[0], dict)
        and "$ref" not in node
    ):
        rest = {key: value for key, value in node.items() if key != "allOf"}
        if branches[0].keys() == {"$ref"} and rest.keys() <= METADATA | {"$defs"}:
            state.note(path, "allOf", "rewritten", "kept elsewhere", "its one branch stands for itself")
            return {**branches[0], **rest}
    return node


def merge_all_of(
    state: State, node: Node, path: Path, notes: list[str], entered: list[Segments], *, blocking: bool = True
) -> Node:
    """`allOf` as one node. Branches that cannot be merged are described (or block strict mode)."""
    branches = node["allOf"]
    base = {key: value for key, value in node.items() if key != "allOf"}
    record_children(state, base, path)
    outer = {key: base.pop(key) for key in list(base) if key in NOT_MERGED}
    state.note(path, "allOf", "rewritten", "kept elsewhere", "its branches are merged into one schema")
    annotations: dict[str, Any] = {}
    own = base
    for i, raw in enumerate(branches):
        location = state.origins.get(id(raw)) or ((path, "allOf"), str(i))
        branch = without_references(state, raw, location, entered)
        record_children(state, branch, location)
        together = None
        if isinstance(branch, dict):
            for key in branch:
                if key in METADATA:
                    annotations.setdefault(key, branch[key])
            together = merged(base, {key: value for key, value in branch.items() if key not in NOT_MERGED})
        elif branch is True:
            together = base
        if together is not None:
            base = together
            continue
        if blocking:
            state.block(location, "allOf", "a branch that cannot be merged with the others")
        parent, segment = location
        base = all_evaluated(state, base, path)
        describe_or_drop(state, parent, segment, f"Must also match: {text(raw)}.", notes)
    note_dropped_properties(state, own, base, path)
    return {**base, **annotations, **outer}


def all_evaluated(state: State, node: Node, path: Path) -> Node:
    """`node` without the keywords for unevaluated keys and items, because another keyword was removed."""
    out = dict(node)
    for key in ("unevaluatedProperties", "unevaluatedItems"):
        if out.pop(key, None) is not None:
            reason = "what else evaluates keys and items cannot be expressed here as it is"
            state.note(path, key, "dropped", "lost", reason)
    return out


def describe_or_drop(state: State, path: Path, keyword: str, words: str, notes: list[str]) -> None:
    """Add `words` to the description, if they are short enough; the ledger has an entry either way."""
    if len(words) <= MAX_WORDS:
        notes.append(words)
        state.note(
            path, keyword, "spilled", "kept elsewhere", "cannot be expressed here; stated in the description"
        )
    else:
        state.note(
            path, keyword, "dropped", "lost", "cannot be expressed here, and is too long for the description"
        )
