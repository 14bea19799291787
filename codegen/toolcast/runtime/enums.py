"""An enum whose values are known when the program runs, in a schema and in a provider's tool object."""

from collections.abc import Mapping
from typing import Any

import msgspec

from .brief import cut_definition
from .contract_node import follow
from .resources import read_resource
from .tool import Tool

_UNIONS = ("anyOf", "oneOf")
_DEEP = 8  # references in a row; more are a circle
_OUTSIDE = ("title", "description", "default")


def with_enum(
    node: Any, values: tuple[str, ...], root: Any, *, mixed: bool = False, deep: int = 0
) -> dict[str, Any] | None:
    """`node` with `values` for its strings, or those of its items; None where it takes anything else.

    Null stays what it is: in the enum where that may be `mixed`, else in a branch of its own, because some
    providers (Gemini) take enums of one type only. References are resolved in `root` and written out, since
    others may use the same.
    """
    if not isinstance(node, Mapping) or deep > _DEEP:
        return None
    if "$ref" in node:
        return _referred(node, values, root, mixed, deep)
    for union in _UNIONS:
        if union in node:
            branches = [
                branch
                if _types(branch) == {"null"}
                else with_enum(branch, values, root, mixed=mixed, deep=deep + 1)
                for branch in node[union]
            ]
            return None if None in branches else {**node, union: branches}
    types = _types(node)
    if types == {"array"} or types == {"array", "null"}:
        items = with_enum(node.get("items"), values, root, mixed=mixed, deep=deep + 1)
        return None if items is None else {**node, "items": items}
    if types != {"string"} and types != {"string", "null"}:
        return None
    rest = {key: value for key, value in node.items() if key not in ("type", "enum")}
    if "null" not in types:
        return {"type": node["type"], "enum": [*values], **rest}
    if mixed:
        return {"type": node["type"], "enum": [*values, None], **rest}
    string, null = (next(t for t in node["type"] if t.lower() == kind) for kind in ("string", "null"))
    outside = {key: rest.pop(key) for key in _OUTSIDE if key in rest}
    return {**outside, "anyOf": [{"type": string, "enum": [*values], **rest}, {"type": null}]}


def _types(node: Any) -> set[str]:
    """The JSON types that a schema states; OpenAPI writes them in capitals."""
    stated = node.get("type") if isinstance(node, Mapping) else None
    listed = stated if isinstance(stated, list) else [stated]
    return {str(each).lower() for each in listed if isinstance(each, str)}


def _referred(
    node: Mapping[str, Any], values: tuple[str, ...], root: Any, mixed: bool, deep: int
) -> dict[str, Any] | None:
    reference = node["$ref"]
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    try:
        target = follow(root, reference[1:])
    except LookupError:
        return None
    if not isinstance(target, Mapping):
        return None
    siblings = {key: value for key, value in node.items() if key != "$ref"}
    return with_enum({**target, **siblings}, values, root, mixed=mixed, deep=deep + 1)


def describe_enum(
    base: Tool[Any],
    provider: str,
    whole: Any,
    name: str,
    encoded: bool,
    values: tuple[str, ...],
) -> Any:
    """A tool object with an enum at a parameter, in words where its form there has no room for one.

    Raises ValueError where the parameter is not there.
    """
    found = False

    def put(schema: Any) -> Any:
        nonlocal found
        properties = schema.get("properties") if isinstance(schema, Mapping) else None
        if not isinstance(properties, Mapping) or name not in properties:
            return schema
        found = True
        return {
            **schema,
            "properties": {**properties, name: _property(properties[name], encoded, values, schema)},
        }

    changed = cut_definition(whole, base.name, None, base.envelopes.get(provider), put)
    if not found:
        raise ValueError(f"The definition of {base.name!r} for {provider!r} has no parameter {name!r}.")
    return changed


def _property(node: Any, encoded: bool, values: tuple[str, ...], root: Any) -> Any:
    changed = None if encoded else with_enum(node, values, root)
    if changed is not None:
        return changed
    words = "One of: " + ", ".join(msgspec.json.encode(value).decode() for value in values) + "."
    before = node.get("description") if isinstance(node, Mapping) else None
    rest = dict(node) if isinstance(node, Mapping) else {}
    return {**rest, "description": f"{before}\n\n{words}" if before else words}


def wire_names(base: Tool[Any], provider: str) -> dict[str, tuple[str, bool]]:
    """Parameters that the provider knows by another name or in another form: that name, and whether it is
    encoded."""
    if provider not in base.ways:
        return {}
    from .wire.way import Ways

    path = f"{base.schemas}/../ways/{provider}/{base.name}.json"
    root = msgspec.json.decode(read_resource(base.module, path), type=Ways).root
    wire = {own: sent for sent, own in root.names.items()}
    found = {}
    for name in base.runtime_enums:
        sent = wire.get(name, name)
        way = root.properties.get(sent)
        found[name] = sent, way is not None and way.encoding != ""
    return found
