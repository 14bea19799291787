"""References: opened in place, or kept as `#/$defs/Name`."""

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


def remember(state: State, node: Any, path: Path) -> None:
    """Keep where the children of a node stand, before the node is merged into another one."""
    if not isinstance(node, dict):
        return
    for key, value in node.items():
        if key in SCHEMA:
            state.place(value, (path, key))
        elif key in SCHEMA_LIST and isinstance(value, list):
            for i, child in enumerate(value):
                state.place(child, ((path, key), str(i)))
        elif key in SCHEMA_MAP and isinstance(value, dict):
            for name, child in value.items():
                state.place(child, ((path, key), name))


def gone(state: State, before: Node, after: Any, path: Path) -> None:
    """Note the properties that are declared no more, since what was merged with them forbids their keys; and
    remember where those stood that are."""
    properties = before.get("properties", {})
    if not isinstance(properties, dict) or not isinstance(after, dict):
        return
    if "additionalProperties" in before:
        _rest_gone(state, before["additionalProperties"], after.get("additionalProperties"), path)
    for key in ("items", "additionalProperties"):
        if key in before and key in after:
            _moved(state, before[key], after[key], (path, key))
    left = after.get("properties", {})
    for name, child in properties.items():
        if name not in left or (left[name] is False and child is not False):
            reason = "another part of the schema forbids this key"
            state.note((path, "properties"), name, "dropped", "kept elsewhere", reason)
        else:
            _moved(state, child, left[name], ((path, "properties"), name))


def _rest_gone(state: State, before: Any, after: Any, path: Path) -> None:
    """Note what was said of further keys, where the schema that was made does not, or forbids them."""
    key = "additionalProperties"
    if isinstance(before, dict) and after is False:
        reason = "another part of the schema forbids further keys"
        state.note(path, key, "dropped", "kept elsewhere", reason)
    elif after is None and before in (True, {}):
        state.note(path, key, "dropped", "kept elsewhere", "keys are free where nothing is said of them")
    elif after is None:
        state.note(path, key, "widened", "lost", "alternatives differ in what further keys may hold")


def _moved(state: State, child: Any, made: Any, path: Path) -> None:
    """Remember that `made`, or its parts, were made from `child`, which stood at `path`."""
    if child is made or not isinstance(child, dict) or not isinstance(made, dict):
        return
    place = state.origins.get(id(child), path)
    remember(state, child, place)
    state.place(child, place)
    state.place(made, place)
    keyword = next(iter(made)) if len(made) == 1 else ""
    for part in made[keyword] if keyword in ("allOf", "anyOf") else (made,):
        if part is made or (part is not child and isinstance(part, dict) and id(part) not in state.origins):
            state.place(part, place)
            gone(state, child, part, place)


def kept(state: State, reference: Any, path: Path) -> str:
    """The reference as it stands in the output; its target is queued. Raises `SchemaError` for nowhere."""
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


def opened(state: State, node: Node, path: Path, notes: list[str]) -> tuple[Node, list[Segments]]:
    """`node` without its `$ref`, where the dialect wants it opened; and what was opened."""
    rules = state.dialect
    entered: list[Segments] = []
    while "$ref" in node:
        found, place, segments = state.target(node["$ref"], path)
        inline = rules.refs == "inline" or (rules.cycles == "unroll" and closes(state, segments))
        # What notes say becomes a description, which stands beside it, too.
        if not inline and (rules.ref_siblings or (len(node) == 1 and not notes)):
            break
        siblings = {key: value for key, value in node.items() if key not in ("$ref", "$defs")}
        count = state.opened.get(segments, 0) + entered.count(segments)
        if not inline:
            if count or segments == () or segments in entered:
                return _beside(state, siblings, node["$ref"], path), entered
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
        remember(state, found, place)
        entered.append(segments)
        node = united(state, siblings, found, place, path)
        gone(state, siblings, node, path)
    return node, entered


def united(state: State, siblings: Node, found: Any, place: Path, path: Path) -> Node:
    """What stands beside a reference, at `path`, and what it refers to, at `place`, as one node; annotations
    of siblings win."""
    if found is True:
        return siblings
    if found is False:
        for key in siblings:
            state.note(path, key, "dropped", "kept elsewhere", "what the reference leads to takes nothing")
        return {"not": {}}
    target = {key: value for key, value in found.items() if key != "$defs"} if "$defs" in found else found
    if siblings.keys() <= METADATA:
        return {**target, **siblings}
    remember(state, siblings, path)
    together = None if "$ref" in target else merged(siblings, target)
    if together is not None:
        return together
    state.place(target, place)
    return {**siblings, "allOf": [target, *siblings.get("allOf", ())]}


def _beside(state: State, siblings: Node, reference: str, path: Path) -> Node:
    """A recursive reference whose siblings must not stand beside it."""
    reason = "stands alone in an anyOf, for the sake of what is beside it"
    state.note(path, "$ref", "rewritten", "kept elsewhere", reason)
    if not siblings.keys() <= METADATA:
        state.block(path, "$ref", "constraints beside a recursive reference cannot be said")
    return {"anyOf": [{"$ref": reference}], **siblings}


def _widened(
    state: State, found: Any, siblings: Node, segments: Segments, path: Path, notes: list[str]
) -> Node:
    """A reference that would open itself once more: only its type stays."""
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
