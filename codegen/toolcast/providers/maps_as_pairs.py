"""Maps, sent as lists of pairs, which decoding undoes exactly.

Each is noted by a mark, from which the way back is made.
"""

from __future__ import annotations

from typing import Any

from ..jsonschema.equality import equal
from ..runtime.wire.wire_form import KEY, VALUE
from .accepted_types import shapes
from .constraint_texts import described, phrase
from .json_paths import Path
from .merge_nodes import merged
from .nulls_as_absence import unsaid
from .state import State
from .values_as_text import as_json, without_idle, without_literals
from .wire_forms import mark

Node = dict[str, Any]
REST = "additional_properties"
SIZES = (("minProperties", "minItems"), ("maxProperties", "maxItems"))


def is_map(node: Node) -> bool:
    """Whether an object has keys that it does not declare, of a kind that it does."""
    rest = node.get("additionalProperties")
    return bool(rest and isinstance(rest, dict)) or bool(node.get("patternProperties"))


def sends_pairs(state: State, node: Node) -> bool:
    """Whether the undeclared keys of such an object will be sent as pairs: all are of some kind, or any
    value has a form of its own."""
    if node.get("propertyNames") is False or not ("type" in node or state.dialect.typed):
        return False
    kinds = [*node.get("patternProperties", {}).values(), node.get("additionalProperties", True)]
    return state.dialect.untyped == "json" or not any(kind is True or kind == {} for kind in kinds)


def holds_rest(node: Node) -> bool:
    """Whether an object has the property in which the undeclared keys of such an object are sent."""
    held = node.get("properties", {}).get(REST)
    items = held.get("items") if isinstance(held, dict) else None
    return isinstance(items, dict) and items.get("required") == [KEY, VALUE]


def pairs(state: State, node: Node, path: Path, notes: list[str]) -> Node:
    """An object of free keys as a list of pairs; with declared properties, as one property of pairs."""
    if not is_map(node) or not _is_object(node) or not ("type" in node or state.dialect.typed):
        return node
    if node.get("propertyNames") is False:
        return _keyless(state, node, path)
    stays = path is None or bool(node.get("properties"))  # the root stays an object
    if not stays and "array" in state.types_elsewhere:
        return node
    value = _values(state, node, path, notes)
    if value is None:
        return node
    if stays:
        return _with_rest(state, node, value, path, notes)
    node = without_idle(state, node, "array", path)
    rest = {key: item for key, item in node.items() if key not in _OF_MAPS}
    out: Node = {**rest, "type": _renamed_type(node, "array"), "items": _pair(state, node, value, path)}
    for own, other in SIZES:
        if own in node:
            state.note(path, own, "rewritten", "kept elsewhere", f"of a list of pairs it is {other}")
            out[other] = node[own]
    names = node.get("required")
    if isinstance(names, list) and names:
        words = f"These keys must be given: {', '.join(map(str, names))}."
        notes.append(words)
        state.note(path, "required", "spilled", "kept elsewhere", "keys of a map: stated in the description")
    notes.append("A list of key/value pairs; each key stands once.")
    state.note(path, "type", "rewritten", "kept elsewhere", "sent as a list of pairs, which decoding undoes")
    if "properties" in node:
        state.note(path, "properties", "dropped", "kept elsewhere", "says nothing: no key is declared")
    if "additionalProperties" in node:
        reason = "sent as a list of pairs, which decoding undoes"
        state.note(path, "additionalProperties", "rewritten", "kept elsewhere", reason)
    return mark(state, without_literals(state, out, path, notes), encoding="pairs")


_OF_MAPS = frozenset(
    (
        *("type", "properties", "required", "additionalProperties", "patternProperties", "propertyNames"),
        *("minProperties", "maxProperties"),
    )
)


def _keyless(state: State, node: Node, path: Path) -> Node:
    """A map whose keys are never fit."""
    reason = "no key is fit: expressed by additionalProperties, and not of those that are declared"
    out = {key: item for key, item in node.items() if key not in ("propertyNames", "patternProperties")}
    for key in ("propertyNames", "patternProperties", "additionalProperties"):
        if key in node:
            state.note(path, key, "rewritten", "changed", reason)
    return {**out, "additionalProperties": False}


def _is_object(node: Node) -> bool:
    stated = node.get("type", "object")
    if isinstance(stated, list):
        return "object" in stated and "array" not in stated
    return bool(stated == "object")


def _renamed_type(node: Node, kind: str) -> Any:
    stated = node.get("type", "object")
    if isinstance(stated, list):
        return [kind if one in ("object", "array") else one for one in stated]
    return kind


def _values(state: State, node: Node, path: Path, notes: list[str]) -> Any:
    """What the values of undeclared keys are; `None` where that is anything: pairs would gain nothing."""
    rest = node.get("additionalProperties", True)
    patterns = node.get("patternProperties") or {}
    kinds = [*patterns.values(), *([] if rest is False else [rest])]
    anything = any(kind is True or kind == {} for kind in kinds)
    if not isinstance(patterns, dict) or (anything and state.dialect.untyped != "json"):
        return None
    distinct: list[Any] = []
    for kind in kinds:
        if kind is not False and not any(equal(kind, other) for other in distinct):
            distinct.append(kind)
    if not distinct:
        return None
    for name, kind in patterns.items():
        state.record_origin(kind, ((path, "patternProperties"), name))
    state.record_origin(rest, (path, "additionalProperties"))
    if patterns and (len(patterns) > 1 or rest is not False):
        reason = "which keys take which values cannot be expressed of pairs"
        state.describe(path, "patternProperties", phrase("patternProperties", patterns), notes, reason)
    elif patterns:
        state.note(path, "patternProperties", "rewritten", "kept elsewhere", "said of the keys of the pairs")
    if anything:
        return {}
    return distinct[0] if len(distinct) == 1 else {"anyOf": distinct}


def _pair(state: State, node: Node, value: Any, path: Path) -> Node:
    """The schema of one pair."""
    if state.dialect.null == "absent" and "null" in shapes(state, value, path):
        descriptions: list[str] = []  # a pair cannot hold a null
        value = as_json(state, value, (path, "additionalProperties"), descriptions)
        value["description"] = described(value.get("description"), descriptions)
    key: Node = {"type": "string"}
    patterns = node.get("patternProperties") or {}
    if len(patterns) == 1 and node.get("additionalProperties") is False:
        key["pattern"] = next(iter(patterns))
        state.record_origin(key, (path, "patternProperties"))
    names = node.get("propertyNames")
    if isinstance(names, dict) and names:
        state.note(path, "propertyNames", "rewritten", "kept elsewhere", "said of the keys of the pairs")
        names = _undeclared(names, node.get("properties", {}))
        state.record_origin(names, (path, "propertyNames"))
        together = None if "$ref" in names else merged(key, names)
        key = {"allOf": [key, names]} if together is None else together
        state.record_origin(key, (path, "propertyNames"))  # entries about it are at its own path
    out: Node = {"type": "object", "properties": {KEY: key, VALUE: value}, "required": [KEY, VALUE]}
    if state.dialect.closed or state.dialect.open == "explicit":
        out["additionalProperties"] = False
    state.record_origin(out, (path, "additionalProperties"))
    return out


def _undeclared(names: Node, declared: Node) -> Node:
    """What keys may be, without those that have a property of their own."""
    values = names.get("enum")
    left = [name for name in values if name not in declared] if isinstance(values, list) else None
    return {**names, "enum": left} if left else names


def _with_rest(state: State, node: Node, value: Any, path: Path, notes: list[str]) -> Node:
    declared: Node = node.get("properties", {})
    name, count = REST, 1
    while name in declared:
        count += 1
        name = f"{REST}_{count}"
    held: Node = {
        "type": "array",
        "description": "Further keys of this object, as a list of key/value pairs; each key stands once.",
        "items": _pair(state, node, value, path),
    }
    state.record_origin(held, (path, "additionalProperties"))
    reason = f"further keys are sent in {name!r} as a list of pairs, which decoding undoes"
    state.note(path, "additionalProperties", "rewritten", "kept elsewhere", reason)
    for key in ("minProperties", "maxProperties"):
        if key in node:
            state.describe(path, key, phrase(key, node[key]), notes, "some keys are sent in one list")
    taken = (
        *("additionalProperties", "patternProperties", "propertyNames"),
        *("minProperties", "maxProperties"),
    )
    out = {key: item for key, item in node.items() if key not in taken}
    out["properties"] = {**declared, name: held}
    if state.dialect.closed or state.dialect.open == "explicit":
        out["additionalProperties"] = False
    out = mark(state, out, rest=name)
    if state.dialect.optional == "nullable":
        required = node.get("required", ())
        unsaid(state, node, out, [name for name in declared if name not in required])
    return out
