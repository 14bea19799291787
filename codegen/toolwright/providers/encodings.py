"""Maps and tuples, sent in another form that decoding undoes exactly.

A map is a list of pairs, a tuple an object with a property for each position. Each is noted by a mark, from
which the way back is made. Literals and any value are sent as strings (`texts`).

An encoding is used only where the form that it sends cannot be taken for something else: not in a branch of
a union beside a branch that takes the same JSON type.
"""

from __future__ import annotations

from typing import Any

from ..runtime.ways.way import KEY, MORE, VALUE, position
from .kinds import TYPE_OF
from .marks import mark
from .merge import merged
from .nulls import unsaid
from .paths import Path
from .shapes import shapes
from .state import State
from .texts import as_json, without_literals
from .values import same
from .words import described, phrase

Node = dict[str, Any]
REST = "additional_properties"
SIZES = (("minProperties", "minItems"), ("maxProperties", "maxItems"))


def sent_as(state: State, node: Any, path: Path) -> str:
    """The JSON type in which a referenced schema is sent, where that differs from its own; else empty."""
    if not isinstance(node, dict) or not isinstance(node.get("$ref"), str):
        return ""
    found, place, _ = state.target(node["$ref"], path)
    if not isinstance(found, dict):
        return ""
    if "$ref" in found:
        return sent_as(state, found, place)
    dialect = state.dialect
    if dialect.maps == "pairs" and is_map(found) and not found.get("properties"):
        return "array"
    if dialect.tuples == "object" and "prefixItems" in found:
        return "object"
    return ""


def confused(state: State, branches: list[Any], path: Path, keyword: str) -> None:
    """Block where a definition is sent in a form that another branch of its union takes, too."""
    kinds = [sent_as(state, branch, path) for branch in branches]
    if not any(kinds):
        return
    for i, kind in enumerate(kinds):
        if kind and any(
            kind in shapes(state, other, path) or kind == kinds[j]
            for j, other in enumerate(branches)
            if j != i
        ):
            state.block(path, keyword, f"two alternatives would both be sent as {kind}s")
            return


def is_map(node: Node) -> bool:
    """Whether an object has keys that it does not declare, of a kind that it does."""
    rest = node.get("additionalProperties")
    return bool(rest and isinstance(rest, dict)) or bool(node.get("patternProperties"))


def sends_pairs(state: State, node: Node) -> bool:
    """Whether the undeclared keys of such an object will be sent as pairs: all are of some kind, or any
    value has a form of its own."""
    kinds = [*node.get("patternProperties", {}).values(), node.get("additionalProperties", True)]
    anything = any(kind is True or kind == {} for kind in kinds)
    stated = "type" in node or state.dialect.typed
    return (
        stated
        and node.get("propertyNames") is not False
        and (not anything or state.dialect.untyped == "json")
    )


def holds_rest(node: Node) -> bool:
    """Whether an object has the property in which the undeclared keys of such an object are sent."""
    held = node.get("properties", {}).get(REST)
    items = held.get("items") if isinstance(held, dict) else None
    return isinstance(items, dict) and items.get("required") == [KEY, VALUE]


# -- maps ---------------------------------------------------------------------------------------


def pairs(state: State, node: Node, path: Path, notes: list[str]) -> Node:
    """An object of free keys as a list of pairs; beside declared properties, as one property of pairs."""
    if not is_map(node) or not _is_object(node) or not ("type" in node or state.dialect.typed):
        return node
    if node.get("propertyNames") is False:
        return _keyless(state, node, path)
    stays = path is None or bool(node.get("properties"))  # the root stays an object
    if not stays and "array" in state.taken:
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
        state.note(path, "required", "spilled", "kept elsewhere", "keys of a map: said in the description")
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
    reason = "no key is fit: said by additionalProperties, and not of those that are declared"
    out = {key: item for key, item in node.items() if key not in ("propertyNames", "patternProperties")}
    for key in ("propertyNames", "patternProperties", "additionalProperties"):
        if key in node:
            state.note(path, key, "rewritten", "changed", reason)
    return {**out, "additionalProperties": False}


def without_idle(state: State, node: Node, kind: str, path: Path) -> Node:
    """`node`, which takes nothing of type `kind`, without keywords that speak of it: they would judge the
    form that is sent."""
    idle = [key for key in node if TYPE_OF.get(key) == kind]
    for key in idle:
        state.note(path, key, "dropped", "kept elsewhere", f"says nothing: no {kind} fits here")
    return {key: item for key, item in node.items() if key not in idle} if idle else node


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
        if kind is not False and not any(same(kind, other) for other in distinct):
            distinct.append(kind)
    if not distinct:
        return None
    for name, kind in patterns.items():
        state.place(kind, ((path, "patternProperties"), name))
    state.place(rest, (path, "additionalProperties"))
    if patterns and (len(patterns) > 1 or rest is not False):
        reason = "which keys take which values cannot be said of pairs"
        state.say(path, "patternProperties", phrase("patternProperties", patterns), notes, reason)
    elif patterns:
        state.note(path, "patternProperties", "rewritten", "kept elsewhere", "said of the keys of the pairs")
    if anything:
        return {}
    return distinct[0] if len(distinct) == 1 else {"anyOf": distinct}


def _pair(state: State, node: Node, value: Any, path: Path) -> Node:
    """The schema of one pair."""
    if state.dialect.null == "absent" and "null" in shapes(state, value, path):
        told: list[str] = []  # a pair has no place for a null
        value = as_json(state, value, (path, "additionalProperties"), told)
        value["description"] = described(value.get("description"), told)
    key: Node = {"type": "string"}
    patterns = node.get("patternProperties") or {}
    if len(patterns) == 1 and node.get("additionalProperties") is False:
        key["pattern"] = next(iter(patterns))
        state.place(key, (path, "patternProperties"))
    names = node.get("propertyNames")
    if isinstance(names, dict) and names:
        state.note(path, "propertyNames", "rewritten", "kept elsewhere", "said of the keys of the pairs")
        names = _undeclared(names, node.get("properties", {}))
        state.place(names, (path, "propertyNames"))
        together = None if "$ref" in names else merged(key, names)
        key = {"allOf": [key, names]} if together is None else together
        state.place(key, (path, "propertyNames"))  # what is lost of it, the ledger tells there
    out: Node = {"type": "object", "properties": {KEY: key, VALUE: value}, "required": [KEY, VALUE]}
    if state.dialect.closed or state.dialect.open == "explicit":
        out["additionalProperties"] = False
    state.place(out, (path, "additionalProperties"))
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
    state.place(held, (path, "additionalProperties"))
    reason = f"further keys are sent in {name!r} as a list of pairs, which decoding undoes"
    state.note(path, "additionalProperties", "rewritten", "kept elsewhere", reason)
    for key in ("minProperties", "maxProperties"):
        if key in node:
            state.say(path, key, phrase(key, node[key]), notes, "some keys are sent in one list")
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


# -- tuples -------------------------------------------------------------------------------------


def positions(state: State, node: Node, path: Path, notes: list[str]) -> Node | None:
    """A tuple as an object that has a property for each position; `None` where that could be confused."""
    kinds = node["prefixItems"]
    stated = node.get("type", "array")
    if "object" in state.taken or (isinstance(stated, list) and "object" in stated):
        return None
    node = without_idle(state, node, "object", path)
    if "type" not in node and not state.dialect.typed:
        return None  # takes more than lists
    least = _count(node.get("minItems"), 0)
    most = _count(node.get("maxItems"), None)
    rest = node.get("items", True)
    end = next((i for i, kind in enumerate(kinds) if kind is False), len(kinds))
    if end < len(kinds):
        rest = False
    if most is not None and most <= end:
        end, rest = most, False
    if any("null" in shapes(state, kind, path) for kind in kinds[least:end]):
        return None  # null must mean that the item is not there
    if state.dialect.typed and any(map(_untyped, kinds[least:end])):
        reason = "a null in place of an item that states no type counts as no item"
        state.note(path, "prefixItems", "rewritten", "changed", reason)
    if rest is False and least > end:
        return None  # no list is that long: said by its bounds
    properties: Node = {}
    for i, kind in enumerate(kinds[:end]):
        state.place(kind, ((path, "prefixItems"), str(i)))
        properties[position(i)] = kind
    if rest is True and state.dialect.untyped == "block":
        state.block(path, "items", "further items of any type cannot be said")
    if rest is not False:
        state.place(rest, (path, "items"))
        more: Node = {"type": "array", "items": rest}
        if least > end:
            more["minItems"] = least - end
        if most is not None:
            more["maxItems"] = most - end
        properties[MORE] = more
        state.place(more, path)
    taken = ("type", "prefixItems", "items", "minItems", "maxItems")
    out = {key: item for key, item in node.items() if key not in taken}
    kind = ["object" if one == "array" else one for one in stated] if isinstance(stated, list) else "object"
    out["type"] = kind
    out["properties"] = properties
    required = [position(i) for i in range(min(least, end))] + ([MORE] if least > end else [])
    if required:
        out["required"] = required
    if state.dialect.closed or state.dialect.open == "explicit":
        out["additionalProperties"] = False
    for keyword in ("type", "prefixItems", "items", "minItems", "maxItems"):
        if keyword in node:
            reason = "sent as an object with a property for each position, which decoding undoes"
            state.note(path, keyword, "rewritten", "kept elsewhere", reason)
    if "type" not in node:
        state.note(path, "type", "rewritten", "changed", "every node needs a type: the one of a tuple")
    notes.append("The items of a list, in the order of their numbers, without gaps.")
    out = without_literals(state, out, path, notes)
    return mark(state, out, encoding="positions", least=min(least, end), count=end)


def _untyped(kind: Any) -> bool:
    """Whether a schema is of the type that its keywords speak of, where it says none: it takes null, too."""
    return isinstance(kind, dict) and _SAYING.isdisjoint(kind)


_SAYING = frozenset(("type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref"))


def _count(value: Any, otherwise: Any) -> Any:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else otherwise
