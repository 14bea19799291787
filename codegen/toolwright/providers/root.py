"""The root of a tool's parameters: an object without the combinators that the provider refuses there."""

from __future__ import annotations

from typing import Any

from .errors import SchemaError
from .kinds import inferred
from .legacy import is_legacy, raised
from .merge import merged
from .paths import Path
from .refs import Segments, remember
from .state import State
from .unions import merge_all_of, plain, required_groups, spill
from .values import same
from .words import phrase

Node = dict[str, Any]


def rooted(state: State, notes: list[str], entered: list[Segments]) -> Node:
    """The root node, of type object. Raises `SchemaError` if the schema takes no object at all."""
    rules = state.dialect
    node: Node = state.document
    if "$ref" in node and (node.get("type") != "object" or rules.root_forbid or rules.refs == "inline"):
        node = _opened(state, node, entered)
    if is_legacy(node):
        node = raised(state, node, None)
    node = _object(state, node)
    for keyword in rules.root_forbid:
        if keyword in node:
            node = _flattened(state, node, notes, entered)
            break
    return node


def _opened(state: State, node: Node, entered: list[Segments]) -> Node:
    own = {key: value for key, value in node.items() if key in ("$defs", "definitions", "$schema", "$id")}
    found = plain(state, {key: value for key, value in node.items() if key not in own}, None, entered)
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
    meant = inferred(node)
    if meant and "object" not in meant and not {"enum", "const"}.isdisjoint(node):
        raise SchemaError("", "the parameters of a tool are an object", "put the value into a property")
    state.note(None, "type", "rewritten", "kept elsewhere", "the arguments of a call are always an object")
    return {"type": "object", **node}


def _flattened(state: State, node: Node, notes: list[str], entered: list[Segments]) -> Node:
    """Root combinators as one object: properties united, required what all require, the rest in words."""
    forbidden = state.dialect.root_forbid
    if "allOf" in node and "allOf" in forbidden:
        node = merge_all_of(state, node, None, notes, entered, blocking=False)
    for keyword in ("anyOf", "oneOf"):
        if keyword in node and keyword in forbidden:
            node = _united(state, node, keyword, notes, entered)
    for keyword in forbidden:
        if keyword in node:
            spill(state, None, keyword, phrase(keyword, node[keyword]) or keyword, notes)
            node = {key: value for key, value in node.items() if key != keyword}
    return node


def _united(state: State, node: Node, keyword: str, notes: list[str], entered: list[Segments]) -> Node:
    base = {key: value for key, value in node.items() if key != keyword}
    outer: Node = {key: base.pop(key) for key in ("$defs", "$schema", "$id") if key in base}
    remember(state, base, None)
    objects: list[Node] = []
    for i, raw in enumerate(node[keyword]):
        place: Path = ((None, keyword), str(i))
        branch = plain(state, raw, place, entered)
        remember(state, branch, place)
        if branch is False or (
            isinstance(branch, dict) and branch.get("type", "object") not in ("object", ["object"])
        ):
            continue  # no object fits this branch
        together = base
        if isinstance(branch, dict):
            together = merged(base, {k: v for k, v in branch.items() if k != "$defs"}) or base
        objects.append(together)
    spill(state, None, keyword, _alternatives(keyword, node[keyword], objects), notes)
    return {**(union(objects, base, state.dialect.root_forbid) if objects else base), **outer}


def _alternatives(keyword: str, branches: list[Any], objects: list[Node]) -> str:
    how = "Exactly one" if keyword == "oneOf" else "At least one"
    groups = required_groups(branches)
    if groups:
        return f"{how} of these sets of keys must be given: " + "; ".join(map(", ".join, groups)) + "."
    sets = [", ".join(_signature(one)) for one in objects]
    return f"{how} of these alternatives must be given: " + "; ".join(s or "no keys" for s in sets) + "."


def _signature(node: Node) -> list[str]:
    """An alternative in words: its keys, with the fixed values that tell it from the others."""
    required = node.get("required", ())
    words: list[str] = []
    for name, schema in node.get("properties", {}).items():
        fixed = isinstance(schema, dict) and "const" in schema
        words.append(
            (f"{name} = {schema['const']!r}" if fixed else name) + ("" if name in required else " (optional)")
        )
    return words


def union(objects: list[Node], base: Node, without: tuple[str, ...]) -> Node:
    """One object that accepts what any of `objects` accepts, of the names that they declare."""
    first = objects[0]
    out = {
        key: value
        for key, value in first.items()
        if key not in without and (key in base or all(key in o and same(o[key], value) for o in objects))
    }
    for key in [key for key in out if not all(key in o and same(o[key], out[key]) for o in objects)]:
        if key in base and key in ("description", "title"):
            out[key] = base[key]
        else:
            del out[key]
    properties: dict[str, Any] = {}
    for one in objects:
        for name, schema in one.get("properties", {}).items():
            properties[name] = _either(properties[name], schema) if name in properties else schema
    if properties:
        out["properties"] = properties
    required = [
        name for name in first.get("required", ()) if all(name in o.get("required", ()) for o in objects)
    ]
    if required:
        out["required"] = required
    else:
        out.pop("required", None)
    if all(one.get("additionalProperties") is False for one in objects):
        out["additionalProperties"] = False
    return out


def _either(left: Any, right: Any) -> Any:
    if same(left, right):
        return left
    if left is True or right is True:
        return True
    if left is False or right is False:
        return right if left is False else left
    fixed = _values(left), _values(right)
    if fixed[0] is not None and fixed[1] is not None and left.get("type") == right.get("type"):
        out = {key: value for key, value in left.items() if key not in ("const", "enum")}
        out["enum"] = [
            *fixed[0],
            *(value for value in fixed[1] if not any(same(value, old) for old in fixed[0])),
        ]
        return out
    pure = isinstance(left, dict) and left.keys() == {"anyOf"}
    return {"anyOf": [*left["anyOf"], right] if pure else [left, right]}


def _values(schema: Node) -> list[Any] | None:
    if not schema.keys() <= {"const", "enum", "type", "description", "title"}:
        return None
    return [schema["const"]] if "const" in schema else schema.get("enum")
