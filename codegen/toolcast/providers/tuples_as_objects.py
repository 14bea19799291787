"""Tuples, sent as objects with a property for each position, which decoding undoes exactly."""

from __future__ import annotations

from typing import Any

from ..runtime.wire.wire_form import MORE, position
from .accepted_types import TYPE_KEYWORDS, shapes
from .json_paths import Path
from .state import State
from .values_as_text import without_idle, without_literals
from .wire_forms import mark

Node = dict[str, Any]


def positions(state: State, node: Node, path: Path, notes: list[str]) -> Node | None:
    """A tuple as an object that has a property for each position; `None` where that could be confused."""
    kinds = node["prefixItems"]
    stated = node.get("type", "array")
    if "object" in state.types_elsewhere or (isinstance(stated, list) and "object" in stated):
        return None
    node = without_idle(state, node, "object", path)
    if "type" not in node and not state.dialect.typed:
        return None  # accepts more than arrays
    least = _count(node.get("minItems"), 0)
    most = _count(node.get("maxItems"), None)
    rest = node.get("items", True)
    end = next((i for i, kind in enumerate(kinds) if kind is False), len(kinds))
    if end < len(kinds):
        rest = False
    if most is not None and most <= end:
        end, rest = most, False
    if any("null" in shapes(state, kind, path) for kind in kinds[least:end]):
        return None  # null must stand for an absent item
    if state.dialect.typed and any(map(_untyped, kinds[least:end])):
        reason = "a null in place of an item that states no type counts as no item"
        state.note(path, "prefixItems", "rewritten", "changed", reason)
    if rest is False and least > end:
        return None  # the bounds allow no array that long
    properties: Node = {}
    for i, kind in enumerate(kinds[:end]):
        state.record_origin(kind, ((path, "prefixItems"), str(i)))
        properties[position(i)] = kind
    if rest is True and state.dialect.untyped == "block":
        state.block(path, "items", "further items of any type cannot be expressed")
    if rest is not False:
        state.record_origin(rest, (path, "items"))
        more: Node = {"type": "array", "items": rest}
        if least > end:
            more["minItems"] = least - end
        if most is not None:
            more["maxItems"] = most - end
        properties[MORE] = more
        state.record_origin(more, path)
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
    return mark(state, out, encoding="positions", required=min(least, end), count=end)


def _untyped(kind: Any) -> bool:
    """Whether a schema without a type gets the one that its keywords imply: it accepts null too."""
    return isinstance(kind, dict) and TYPE_KEYWORDS.isdisjoint(kind)


def _count(value: Any, otherwise: Any) -> Any:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else otherwise
