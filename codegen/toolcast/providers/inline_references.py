"""References: inlined, or kept as `#/$defs/Name`."""

from __future__ import annotations

from typing import Any

from ..jsonschema.keywords import METADATA, SCHEMA, SCHEMA_LIST, SCHEMA_MAP
from ..jsonschema.pointers import escape
from .cycles import blocked, closes
from .json_paths import Path
from .merge_nodes import merged
from .state import INLINE_NODES, State
from .values_as_text import as_json

Node = dict[str, Any]
Segments = tuple[str, ...]


def record_children(state: State, node: Any, path: Path) -> None:
    """Record the paths of a node's children, before the node is merged into another one."""
    if not isinstance(node, dict):
        return
    for key, value in node.items():
        if key in SCHEMA:
            state.record_origin(value, (path, key))
        elif key in SCHEMA_LIST and isinstance(value, list):
            for i, child in enumerate(value):
                state.record_origin(child, ((path, key), str(i)))
        elif key in SCHEMA_MAP and isinstance(value, dict):
            for name, child in value.items():
                state.record_origin(child, ((path, key), name))


def note_dropped_properties(state: State, before: Node, after: Any, path: Path) -> None:
    """Note the properties that a merge removed, because the other schema forbids their keys; record the paths
    of the others."""
    properties = before.get("properties", {})
    if not isinstance(properties, dict) or not isinstance(after, dict):
        return
    if "additionalProperties" in before:
        _note_dropped_additional(
            state, before["additionalProperties"], after.get("additionalProperties"), path
        )
    for key in ("items", "additionalProperties"):
        if key in before and key in after:
            _record_origins(state, before[key], after[key], (path, key))
    left = after.get("properties", {})
    for name, child in properties.items():
        if name not in left or (left[name] is False and child is not False):
            reason = "another part of the schema forbids this key"
            state.note((path, "properties"), name, "dropped", "kept elsewhere", reason)
        else:
            _record_origins(state, child, left[name], ((path, "properties"), name))


def _note_dropped_additional(state: State, before: Any, after: Any, path: Path) -> None:
    """Note a schema for additional keys that the merged schema lacks, or replaces by `false`."""
    key = "additionalProperties"
    if isinstance(before, dict) and after is False:
        reason = "another part of the schema forbids further keys"
        state.note(path, key, "dropped", "kept elsewhere", reason)
    elif after is None and before in (True, {}):
        state.note(path, key, "dropped", "kept elsewhere", "keys are free where nothing is said of them")
    elif after is None:
        state.note(path, key, "widened", "lost", "alternatives differ in what further keys may hold")


def _record_origins(state: State, child: Any, made: Any, path: Path) -> None:
    """Record that `made`, or its parts, were made from `child`, at `path`."""
    if child is made or not isinstance(child, dict) or not isinstance(made, dict):
        return
    location = state.origins.get(id(child), path)
    record_children(state, child, location)
    state.record_origin(child, location)
    state.record_origin(made, location)
    keyword = next(iter(made)) if len(made) == 1 else ""
    for part in made[keyword] if keyword in ("allOf", "anyOf") else (made,):
        if part is made or (part is not child and isinstance(part, dict) and id(part) not in state.origins):
            state.record_origin(part, location)
            note_dropped_properties(state, child, part, location)


def keep_reference(state: State, reference: Any, path: Path) -> str:
    """The reference in the output; its target is queued. Raises `SchemaError` where it does not resolve."""
    _, _, segments = state.target(reference, path)
    if state.dialect.cycles == "block":
        blocked(state, reference, path)
    if not segments:
        return "#"
    if state.dialect.ref_targets == "any":
        return str(reference)
    name = state.name_for(segments)
    if not str(reference).startswith("#/$defs/") or segments != ("$defs", name):
        state.note(
            path, "$ref", "rewritten", "kept elsewhere", f"what it refers to stands under $defs as {name!r}"
        )
    escaped = escape(name).replace("%", "%25")
    result = f"#/$defs/{escaped}"
    verbatim = isinstance(reference, str) and reference.startswith("#/$defs/") and segments == ("$defs", name)
    return reference if verbatim else result


def inline_reference(state: State, node: Node, path: Path, notes: list[str]) -> tuple[Node, list[Segments]]:
    """`node` without its `$ref`, where the dialect inlines it; and the inlined targets."""
    rules = state.dialect
    entered: list[Segments] = []
    while "$ref" in node:
        found, location, segments = state.target(node["$ref"], path)
        inline = rules.refs == "inline" or (rules.cycles == "unroll" and closes(state, segments))
        # Notes become a description, which is a sibling too.
        if not inline and (rules.ref_siblings or (len(node) == 1 and not notes)):
            break
        siblings = {key: value for key, value in node.items() if key not in ("$ref", "$defs")}
        count = state.inlining.get(segments, 0) + entered.count(segments)
        if not inline:
            if count or segments == () or segments in entered:
                return _with_siblings(state, siblings, node["$ref"], path), entered
            if not siblings and not notes:
                node = {"$ref": node["$ref"]}
                break
        elif (
            count + (rules.refs == "keep" and segments == state.source) > rules.recursion
            or state.nodes > INLINE_NODES
            or entered.count(segments)
        ):
            return _widened(state, found, siblings, segments, path, notes), entered
        state.note(path, "$ref", "inlined", "kept elsewhere", "what it refers to stands here")
        record_children(state, found, location)
        entered.append(segments)
        node = merge_target(state, siblings, found, location, path)
        note_dropped_properties(state, siblings, node, path)
    return node, entered


def merge_target(state: State, siblings: Node, found: Any, location: Path, path: Path) -> Node:
    """The siblings of a reference, at `path`, merged with its target, at `location`;
    annotations of siblings win."""
    if found is True:
        return siblings
    if found is False:
        for key in siblings:
            state.note(path, key, "dropped", "kept elsewhere", "what the reference leads to takes nothing")
        return {"not": {}}
    target = {key: value for key, value in found.items() if key != "$defs"} if "$defs" in found else found
    if siblings.keys() <= METADATA:
        return {**target, **siblings}
    record_children(state, siblings, path)
    together = None if "$ref" in target else merged(siblings, target)
    if together is not None:
        return together
    state.record_origin(target, location)
    return {**siblings, "allOf": [target, *siblings.get("allOf", ())]}


def _with_siblings(state: State, siblings: Node, reference: str, path: Path) -> Node:
    """A recursive reference in an `anyOf`, because the dialect allows it no siblings."""
    reason = "stands alone in an anyOf, for the sake of what is beside it"
    state.note(path, "$ref", "rewritten", "kept elsewhere", reason)
    if not siblings.keys() <= METADATA:
        state.block(path, "$ref", "constraints beside a recursive reference cannot be expressed")
    return {"anyOf": [{"$ref": reference}], **siblings}


def _widened(
    state: State, found: Any, siblings: Node, segments: Segments, path: Path, notes: list[str]
) -> Node:
    """A recursive reference at the limit: only the type of its target is kept."""
    target: Node = found if isinstance(found, dict) else {}
    out: Node = {}
    if "type" in target:
        out["type"] = target["type"]
    elif "properties" in target and state.dialect.typed:
        out["type"] = "object"
    if isinstance(target.get("description"), str):
        out["description"] = target["description"]
    out.update((key, value) for key, value in siblings.items() if key in METADATA)
    name = segments[-1] if segments else "the whole input"
    notes.append(f"Same structure as {name}, nested further.")
    if state.dialect.untyped == "json" and "string" not in state.types_elsewhere:
        annotations = {key: value for key, value in out.items() if key in METADATA}
        return as_json(state, annotations, path, notes, keyword="$ref")
    times = "once" if state.dialect.recursion == 1 else f"{state.dialect.recursion} times"
    state.note(
        path,
        "$ref",
        "widened",
        "lost",
        f"recursion is opened {times}; further levels are free",
    )
    return out
