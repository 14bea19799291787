"""The nodes of `anyOf` and `oneOf`, with or without a `type` in the same schema."""

from collections.abc import Callable, Hashable, Mapping
from typing import Any, Literal

from msgspec import structs

from ..jsonschema.equality import equal, key
from ..jsonschema.json_values import JsonMapping, JsonObject
from .schema_forms import asserted_keywords
from .single_types import SchemaReader
from .tree import Anything, Enum, Node, Nothing, Null, Union


def read_union(
    reader: SchemaReader, schema: JsonMapping, keyword: str, pointer: str, description: str
) -> Node:
    """Return the node of a schema whose asserted keywords are `keyword` (`anyOf` or `oneOf`) and perhaps
    `type`. type ∧ anyOf(b…) equals anyOf(type ∧ b…), and the same for oneOf: so `type` moves into plain
    branches without a type.
    """
    branches: list[Node] = []
    outer = schema.get("type")
    for i, branch in enumerate(schema[keyword]):
        branch_pointer = f"{pointer}/{keyword}/{i}"
        if _takes_type(branch, outer):
            branch = reader.register({"type": outer, **branch}, branch, branch_pointer)
        branches.append(reader.read(branch, branch_pointer))
    node = _union(branches, "any" if keyword == "anyOf" else "one", pointer, description, schema)
    residue: tuple[str, ...] = ()
    if outer is not None and not all(_limited_to(branch, outer) for branch in schema[keyword]):
        residue = ("type",)
    if keyword == "oneOf" and any(map(_is_null, branches)):
        # msgspec decodes null as the null branch; the schema refuses it where another branch accepts it too
        accepting = [b for b in schema[keyword] if reader.accepts(b, None)]
        residue = (*residue, "oneOf") if len(accepting) > 1 else residue
    if not residue:
        return node
    if node.pointer != pointer:  # simplified to one branch: the validator checks the union
        return Anything(pointer=pointer, description=description, residue=(keyword, *residue))
    if isinstance(node, Enum):  # finitely many values: keep those that the union accepts
        values = tuple(value for value in node.values if reader.accepts(schema, value))
        return (
            structs.replace(node, values=values)
            if values
            else Nothing(pointer=pointer, description=description)
        )
    return structs.replace(node, residue=node.residue + residue)


def _union(
    branches: list[Node],
    mode: Literal["any", "one"],
    pointer: str,
    description: str,
    schema: Mapping[str, object],
) -> Node:
    """A Union, or a simpler node that accepts the same values."""
    possible = [b for b in branches if not isinstance(b, Nothing)]
    if not possible:
        return Nothing(pointer=pointer, description=description)
    if len(possible) == 1:
        return structs.replace(possible[0], description=description or possible[0].description)
    if all(isinstance(b, Enum) or _is_null(b) for b in possible):
        values = [v for b in possible for v in (b.values if isinstance(b, Enum) else (None,))]
        by_key: dict[Hashable, object] = {}
        for value in values:
            by_key.setdefault(key(value), value)
        first = list(by_key.values())
        if mode == "any" or len(first) == len(values):
            if first == [None]:
                return Null(pointer=pointer, description=description)
            return Enum(pointer=pointer, description=description, values=tuple(first))
    return Union(
        pointer=pointer,
        description=description,
        mode=mode,
        branches=tuple(branches),
        discriminator=_discriminator(schema),
    )


def distinguishable(branches: list[Any], resolve: Callable[[str], Any]) -> bool:
    """Return whether at most one branch accepts objects, or one required constant distinguishes all."""
    branches = [_dereferenced(branch, resolve) for branch in branches]
    open_to_objects = [b for b in branches if not isinstance(b, dict) or "object" in b.get("type", "object")]
    if len(open_to_objects) < 2:
        return True
    constants = [_constants(b) for b in open_to_objects]
    return any(
        all(name in other for other in constants)
        and all(not equal(a[name], b[name]) for i, a in enumerate(constants) for b in constants[:i])
        for name in constants[0]
    )


def _dereferenced(branch: object, resolve: Callable[[str], object]) -> object:
    visited: set[str] = set()
    while (
        isinstance(branch, dict) and asserted_keywords(branch) == {"$ref"} and branch["$ref"] not in visited
    ):
        visited.add(branch["$ref"])
        branch = resolve(branch["$ref"])
    return branch


def _constants(branch: Any) -> JsonObject:
    properties = branch.get("properties", {}) if isinstance(branch, dict) else {}
    found: JsonObject = {}
    for name in branch.get("required", ()) if properties else ():
        item = properties.get(name)
        if isinstance(item, dict) and "const" in item:
            found[name] = item["const"]
        elif isinstance(item, dict) and len(item.get("enum", ())) == 1:
            found[name] = item["enum"][0]
    return found


def _is_null(node: Node) -> bool:
    return isinstance(node, Null) and not node.residue


def _takes_type(branch: object, outer: object) -> bool:
    """Return whether the type `outer` can be added to a branch: its node then needs no marker, whose schema
    would lack the type.
    """
    if not isinstance(outer, str) or not isinstance(branch, dict):
        return False
    if {"type", "$ref", "allOf", "anyOf", "oneOf"} & branch.keys():
        return False
    values = [*branch.get("enum", ()), branch.get("const")]
    return not any(isinstance(value, list | dict) for value in values)


def _limited_to(branch: Any, outer: str | list[str]) -> bool:
    """Return whether a branch accepts only the types `outer`, after they are added where it has none."""
    if not isinstance(branch, dict):
        return branch is False
    if _takes_type(branch, outer):
        return True
    if "type" not in branch:
        return False
    allowed = {outer} if isinstance(outer, str) else set(outer)
    if "number" in allowed:
        allowed.add("integer")
    inner = branch["type"]
    return ({inner} if isinstance(inner, str) else set(inner)) <= allowed


def _discriminator(schema: Mapping[str, object]) -> str | None:
    """OpenAPI's `discriminator.propertyName`: the property that selects the branch."""
    found = schema.get("discriminator")
    name = found.get("propertyName") if isinstance(found, dict) else None
    return name if isinstance(name, str) else None
