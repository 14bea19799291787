"""allOf of one node, as one schema; and branches without references, so that they can be merged."""

from __future__ import annotations

from typing import Any

from ..jsonschema.keywords import METADATA
from .constraint_texts import MAX_WORDS, text
from .json_paths import Path
from .merge_nodes import merged
from .open_references import Segments, gone, remember, united
from .state import State

Node = dict[str, Any]
BESIDE = METADATA | {"$defs", "$schema", "$id", "propertyOrdering"}


def plain(state: State, branch: Any, path: Path, entered: list[Segments]) -> Node | bool | None:
    """A branch without references, so that it can be merged; `None` if it refers to what is open already."""
    seen: set[Segments] = set()
    while isinstance(branch, dict):
        if "$ref" not in branch:
            break
        found, place, segments = state.target(branch["$ref"], path)
        if segments in state.opened or segments in seen or not segments:
            return None
        if id(branch) in state.origins:  # it has come from elsewhere: no entry for this union tells of it
            reason = "what it refers to stands here"
            state.note(state.origins[id(branch)], "$ref", "inlined", "kept elsewhere", reason)
        seen.add(segments)
        remember(state, found, place)
        beside = {k: v for k, v in branch.items() if k not in ("$ref", "$defs")}
        branch = united(state, beside, found, place, path)
        path = place
    entered.extend(seen)
    return branch if isinstance(branch, dict | bool) else None


def single(state: State, node: Node, path: Path) -> Node:
    """An allOf around one reference, which older drafts need to annotate it, is that reference."""
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
    """`allOf` as one node. What cannot be merged is said in words (or costs the strictness)."""
    branches = node["allOf"]
    base = {key: value for key, value in node.items() if key != "allOf"}
    remember(state, base, path)
    outer = {key: base.pop(key) for key in list(base) if key in BESIDE}
    state.note(path, "allOf", "rewritten", "kept elsewhere", "its branches are merged into one schema")
    told: dict[str, Any] = {}
    own = base
    for i, raw in enumerate(branches):
        place = state.origins.get(id(raw)) or ((path, "allOf"), str(i))
        branch = plain(state, raw, place, entered)
        remember(state, branch, place)
        together = None
        if isinstance(branch, dict):
            for key in branch:
                if key in METADATA:
                    told.setdefault(key, branch[key])
            together = merged(base, {key: value for key, value in branch.items() if key not in BESIDE})
        elif branch is True:
            together = base
        if together is not None:
            base = together
            continue
        if blocking:
            state.block(place, "allOf", "a branch that cannot be merged with the others")
        parent, segment = place
        base = all_evaluated(state, base, path)
        spill(state, parent, segment, f"Must also match: {text(raw)}.", notes)
    gone(state, own, base, path)
    return {**base, **told, **outer}


def all_evaluated(state: State, node: Node, path: Path) -> Node:
    """`node` without what judges the keys and items that nothing else evaluates, where something else was
    taken out."""
    out = dict(node)
    for key in ("unevaluatedProperties", "unevaluatedItems"):
        if out.pop(key, None) is not None:
            reason = "what else evaluates keys and items cannot be said here as it is"
            state.note(path, key, "dropped", "lost", reason)
    return out


def spill(state: State, path: Path, keyword: str, words: str, notes: list[str]) -> None:
    """Say something in the description, if it is short enough; the ledger tells either way."""
    if len(words) <= MAX_WORDS:
        notes.append(words)
        state.note(path, keyword, "spilled", "kept elsewhere", "cannot be said here; said in the description")
    else:
        state.note(
            path, keyword, "dropped", "lost", "cannot be said here, and is too long for the description"
        )
