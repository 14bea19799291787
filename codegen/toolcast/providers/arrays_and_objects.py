"""Arrays and objects of one node in the dialect: before its children are walked, and after."""

from __future__ import annotations

from typing import Any

from ..jsonschema.equality import equal
from ..jsonschema.keywords import TYPE_OF
from .constraint_texts import MAX_WORDS, idle, phrase, text
from .json_paths import Path
from .json_types import scalar_value
from .nulls_as_absence import unsaid
from .profiles.dialect import Dialect
from .state import State
from .union_siblings import takes_null

Node = dict[str, Any]
NULLABLE = ("type", "anyOf", "oneOf", "enum", "const", "$ref", "allOf", "nullable")


def has_type(node: Node, kind: str) -> bool:
    """Whether a node names `kind` among its types."""
    stated = node.get("type")
    return stated == kind or (isinstance(stated, list) and kind in stated)


def declared(state: State, node: Node, path: Path) -> Node:
    """Declare the names of `required` that `properties` lacks, with the schema that applies to them."""
    names = node.get("required")
    properties = node.get("properties", {})
    if not isinstance(names, list) or not isinstance(properties, dict):
        return node
    # A key that is required and forbidden: unsatisfiable, which a dialect without `false` cannot state.
    lax = state.dialect.booleans == "rewrite"
    missing = [
        name
        for name in names
        if isinstance(name, str) and (name not in properties or (lax and properties[name] is False))
    ]
    if not missing:
        return node
    rest = node.get("additionalProperties", True)
    schema = rest if isinstance(rest, dict) and "patternProperties" not in node else {}
    if rest is False or (isinstance(rest, dict) and schema is not rest):
        reason = f"{', '.join(missing)}: required, so declared, and then takes anything"
        state.note(path, "additionalProperties", "widened", "changed", reason)
    for name in missing:
        if name in properties:
            reason = "forbidden, and required: declared, and then takes anything"
            state.note((path, "properties"), name, "widened", "changed", reason)
    state.evaluation += 1
    state.note(
        path, "required", "rewritten", "kept elsewhere", f"{', '.join(missing)}: declared, since required"
    )
    return {**node, "properties": {**properties, **dict.fromkeys(missing, schema)}}


def tuples(state: State, node: Node, path: Path, notes: list[str]) -> Node:
    """A tuple as an array whose items are a union; the positions are described."""
    if state.dialect.tuples == "block" or (state.dialect.tuples == "object" and state.dialect.closed):
        state.block(path, "prefixItems", "a list with a schema for each position cannot be expressed")
        return node
    kinds: list[Any] = node["prefixItems"]
    words = "Items in this order: " + ", ".join(_kind(kind) for kind in kinds) + "."
    if len(words) <= MAX_WORDS:
        notes.append(words)
    state.note(path, "prefixItems", "spilled", "changed", "is expressed as a list of the union of its kinds")
    out = {key: value for key, value in node.items() if key not in ("prefixItems", "items")}
    for i, kind in enumerate(kinds):
        state.record_origin(kind, ((path, "prefixItems"), str(i)))
    rest = node.get("items", True)
    state.record_origin(rest, (path, "items"))
    longest = node.get("maxItems")
    if isinstance(rest, dict):
        state.note(path, "items", "widened", "changed", "any item may be of any of the tuple's kinds")
    if rest is False:
        state.note(path, "items", "rewritten", "kept elsewhere", "no further items: expressed by maxItems")
        out["maxItems"] = len(kinds) if longest is None else min(longest, len(kinds))
    closed = isinstance(out.get("maxItems"), int) and out["maxItems"] <= len(kinds)
    distinct: list[Any] = []
    for kind in kinds if closed else [*kinds, rest]:
        if kind is not False and not any(equal(kind, other) for other in distinct):
            distinct.append(kind)
    if any(kind is True or kind == {} for kind in distinct) or not distinct:
        out["items"] = {}
    else:
        out["items"] = distinct[0] if len(distinct) == 1 else {"anyOf": distinct}
    return out


def _kind(schema: Any) -> str:
    if not isinstance(schema, dict):
        return "any"
    if "const" in schema:
        return text(schema["const"])
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[-1]
    kind = schema.get("type", "any")
    name = " or ".join(map(str, kind)) if isinstance(kind, list) else str(kind)
    label = schema.get("title") or schema.get("description")
    return f"{name} ({label})" if isinstance(label, str) else name


def arrays(state: State, node: Node, path: Path) -> Node:
    """Give arrays `items`."""
    if "items" not in node and "unevaluatedItems" in node and _EVALUATING.isdisjoint(node):
        return _evaluated(state, node, path)
    if "items" not in node or node["items"] is True:
        if state.dialect.untyped == "block":
            state.block(path, "items", "a list of anything cannot be expressed")
        if "items" not in node and "unevaluatedItems" in node:
            reason = "items, which must be there, evaluates all"
            state.note(path, "unevaluatedItems", "dropped", "lost", reason)
            return {**{key: value for key, value in node.items() if key != "unevaluatedItems"}, "items": {}}
        if "items" not in node or state.dialect.booleans == "rewrite":
            return {**node, "items": {}}
    elif node["items"] is False and state.dialect.booleans == "rewrite":
        state.note(path, "items", "rewritten", "kept elsewhere", "no further items: expressed by maxItems")
        longest = len(node.get("prefixItems", ()))
        return {**node, "items": {"type": "string"}, "maxItems": min(longest, node.get("maxItems", longest))}
    return node


_EVALUATING = frozenset(
    ("$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "then", "else", "contains", "dependentSchemas")
)


def _evaluated(state: State, node: Node, path: Path) -> Node:
    """`unevaluatedItems` as `items`, where arrays must have `items` and no other keyword evaluates items."""
    out = {key: value for key, value in node.items() if key != "unevaluatedItems"}
    rest = node["unevaluatedItems"]
    state.note(path, "unevaluatedItems", "rewritten", "kept elsewhere", "is expressed by items")
    state.record_origin(rest, (path, "unevaluatedItems"))
    return arrays(state, {**out, "items": rest}, path)


def keyless(node: Node, dialect: Dialect) -> bool:
    """Whether an object will declare no property: a key that is forbidden is not declared, where no schema
    can be false."""
    properties = node.get("properties")
    if not properties or not isinstance(properties, dict):
        return not properties
    return dialect.booleans == "rewrite" and all(child is False for child in properties.values())


def placeholder(state: State, node: Node, path: Path, notes: list[str]) -> Node:
    """An object of free keys with a placeholder property, for a dialect in which objects must declare one."""
    rest = node.get("additionalProperties", True)
    name = state.dialect.placeholder
    if rest is False and "patternProperties" not in node:
        schema: Node = {"type": "string", "description": "Leave this out: the object has no keys."}
        reason = "an object without keys must declare one"
    else:
        schema = rest if isinstance(rest, dict) and rest else _any_scalar(state)
        notes.append(f"Keys are free: {name} stands for any key.")
        reason = f"an object of free keys must declare one: {name!r} stands for any"
    state.note(path, "properties", "widened", "changed", reason)
    for key in node.get("properties", ()):
        reason = "a key that is forbidden is not declared"
        state.note(((path, "properties"), key), "false", "dropped", "changed", reason)
    if "additionalProperties" in node:
        state.note(path, "additionalProperties", "widened", "kept elsewhere", f"is expressed by {name!r}")
    out = {key: value for key, value in node.items() if key != "additionalProperties"}
    out["properties"] = {name: schema}
    return out


def _any_scalar(state: State) -> Node:
    """The schema of the placeholder. Other keys may have any value: the object is open."""
    if state.dialect.any_of == "none":
        return {"type": "string"}
    return scalar_value(nullable=state.dialect.type_arrays == "nullable")


def strict_object(state: State, out: Node, node: Node, path: Path) -> None:
    """Close an object and make every property required; optional ones accept null, which is decoded to
    absence."""
    if not (state.dialect.closed or state.dialect.properties_required or "properties" in out):
        return
    properties = out.setdefault("properties", {})
    if state.dialect.closed and "additionalProperties" not in out:
        if not properties:
            state.block(path, "properties", "an object of free keys cannot be closed")
        elif "additionalProperties" not in node:
            reason = "closed: keys that no property declares are refused"
            state.note(path, "additionalProperties", "rewritten", "changed", reason)
            out["additionalProperties"] = False
    also = state.dialect.optional == "also-null"
    if also or state.dialect.optional == "nullable":
        required = out.get("required", [])
        names = list(properties)
        optional = [name for name in names if name not in required]
        state.changes += bool(optional)  # a `not` or `oneOf` around this object must not be kept
        if not also and (optional or len(required) != len(names)):
            out["required"] = names
        elif not also and "required" not in out:
            out["required"] = []
        for name in optional:
            location = ((path, "properties"), name)
            sent = takes_null(state, properties[name], location)
            if not also and equal(sent, properties[name]):
                confounded(state, node.get("properties", {}).get(name), location)
            properties[name] = sent
        if not also:
            unsaid(state, node, out, optional)
        for key in ("minProperties", "dependentRequired", "dependentSchemas") if optional else ():
            if key in out:
                reason = "a null for a key that is optional counts there"
                state.note(path, key, "widened", "changed", reason)
        if optional:
            state.note(
                path,
                "required",
                "rewritten",
                "kept elsewhere",
                f"optional, so null is allowed: {', '.join(optional)}",
            )


def confounded(state: State, schema: Any, path: Path) -> None:
    """Note that an optional key may be null by its own schema, which must be sent where it is left out."""
    keyword = next((key for key in schema if key in NULLABLE), "") if isinstance(schema, dict) else ""
    reason = "a key that is left out cannot be told from null"
    state.note(path, keyword or "type", "rewritten", "changed", reason)


def state_open(state: State, out: Node, path: Path) -> None:
    """State `additionalProperties: true` in an object that is open by default."""
    if "additionalProperties" in out:
        return
    if has_type(out, "object") or ("type" not in out and any(TYPE_OF.get(key) == "object" for key in out)):
        out["additionalProperties"] = True
        reason = "what is left unsaid means false there"
        state.note(path, "additionalProperties", "rewritten", "kept elsewhere", reason)


def without_empty(state: State, out: Node, path: Path) -> None:
    """No `required: []`."""
    if "required" in out and not out["required"]:
        state.note(path, "required", "dropped", "kept elsewhere", "an empty list says nothing")
        del out["required"]


def describe(state: State, path: Path, keyword: str, value: Any, notes: list[str]) -> None:
    """Drop a keyword; its constraint is described where there is a sentence for it."""
    words = "" if idle(keyword, value) else phrase(keyword, value)
    if words:
        notes.append(words)
        state.note(
            path,
            keyword,
            "spilled",
            "kept elsewhere",
            "this dialect lacks the keyword; stated in the description",
        )
    elif idle(keyword, value):
        state.note(path, keyword, "dropped", "kept elsewhere", "asks for nothing")
    else:
        state.note(path, keyword, "dropped", "lost", "this dialect lacks the keyword")


def allow_undeclared(state: State, out: Node, path: Path) -> None:
    """Allow undeclared keys where a pattern of keys was dropped."""
    for keyword in ("additionalProperties", "unevaluatedProperties"):
        if out.get(keyword, True) not in (True, {}):
            out[keyword] = True
            reason = "open, since a pattern of keys could not be said"
            state.note(path, keyword, "widened", "lost", reason)
