"""`anyOf` and `oneOf`, with or without a `type` beside them."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

from msgspec import structs

from ..jsonschema.equality import equal
from .forms import asserting
from .reads import Reads
from .tree import Anything, Choice, Node, Nothing, Null, Union


def read_union(
    reader: Reads, schema: Mapping[str, Any], keyword: str, pointer: str, description: str
) -> Node:
    """The node of a schema that says `anyOf` or `oneOf` (`keyword`), perhaps `type`, and nothing else.

    type ∧ anyOf(b…) equals anyOf(type ∧ b…), and the same for oneOf: so `type` moves into plain branches that
    state none of their own.
    """
    branches: list[Node] = []
    outer = schema.get("type")
    for i, branch in enumerate(schema[keyword]):
        place = f"{pointer}/{keyword}/{i}"
        if _adopts(branch, outer):
            branch = reader.adopt({"type": outer, **branch}, branch, place)
        branches.append(reader.read(branch, place))
    node = _union(branches, "any" if keyword == "anyOf" else "one", pointer, description, schema)
    left: tuple[str, ...] = ()
    if outer is not None and not all(_within(branch, outer) for branch in schema[keyword]):
        left = ("type",)
    if keyword == "oneOf" and any(map(_null, branches)):
        # msgspec takes null for the null branch; the schema refuses it where another branch takes it, too
        takers = [b for b in schema[keyword] if reader.accepts(b, None)]
        left = (*left, "oneOf") if len(takers) > 1 else left
    if not left:
        return node
    if node.pointer != pointer:  # it was simplified to one of its branches: ask the whole
        return Anything(pointer=pointer, description=description, residue=(keyword, *left))
    if isinstance(node, Choice):  # finitely many values: ask the whole about each, here and now
        values = tuple(value for value in node.values if reader.accepts(schema, value))
        return (
            structs.replace(node, values=values)
            if values
            else Nothing(pointer=pointer, description=description)
        )
    return structs.replace(node, residue=node.residue + left)


def _union(
    branches: list[Node],
    mode: Literal["any", "one"],
    pointer: str,
    description: str,
    schema: Mapping[str, Any],
) -> Node:
    """A union, or something simpler that means the same."""
    possible = [b for b in branches if not isinstance(b, Nothing)]
    if not possible:
        return Nothing(pointer=pointer, description=description)
    if len(possible) == 1:
        return structs.replace(possible[0], description=description or possible[0].description)
    if all(isinstance(b, Choice) or _null(b) for b in possible):
        values = [v for b in possible for v in (b.values if isinstance(b, Choice) else (None,))]
        first = [a for i, a in enumerate(values) if not any(equal(a, b) for b in values[:i])]
        if mode == "any" or len(first) == len(values):
            if first == [None]:
                return Null(pointer=pointer, description=description)
            return Choice(pointer=pointer, description=description, values=tuple(first))
    return Union(
        pointer=pointer,
        description=description,
        mode=mode,
        branches=tuple(branches),
        discriminator=_discriminator(schema),
    )


def told_apart(branches: list[Any], resolve: Callable[[str], Any]) -> bool:
    """Whether at most one branch takes objects, or a required constant of each tells them apart."""
    branches = [_meant(branch, resolve) for branch in branches]
    open_to_objects = [b for b in branches if not isinstance(b, dict) or "object" in b.get("type", "object")]
    if len(open_to_objects) < 2:
        return True
    constants = [_constants(b) for b in open_to_objects]
    return any(
        all(name in other for other in constants)
        and all(not equal(a[name], b[name]) for i, a in enumerate(constants) for b in constants[:i])
        for name in constants[0]
    )


def _meant(branch: Any, resolve: Callable[[str], Any]) -> Any:
    """A branch, or the definition that it is a reference to."""
    seen: set[str] = set()
    while isinstance(branch, dict) and asserting(branch) == {"$ref"} and branch["$ref"] not in seen:
        seen.add(branch["$ref"])
        branch = resolve(branch["$ref"])
    return branch


def _constants(branch: Any) -> dict[str, Any]:
    """The required properties of an object schema that can have one value only."""
    properties = branch.get("properties", {}) if isinstance(branch, dict) else {}
    found: dict[str, Any] = {}
    for name in branch.get("required", ()) if properties else ():
        item = properties.get(name)
        if isinstance(item, dict) and "const" in item:
            found[name] = item["const"]
        elif isinstance(item, dict) and len(item.get("enum", ())) == 1:
            found[name] = item["enum"][0]
    return found


def _null(node: Node) -> bool:
    return isinstance(node, Null) and not node.residue


def _adopts(branch: Any, outer: Any) -> bool:
    """Whether a branch with the type `outer` added has a shape of its own, so that no marker needs to stand
    at its place, where that type is not written."""
    if not isinstance(outer, str) or not isinstance(branch, dict):
        return False
    if {"type", "$ref", "allOf", "anyOf", "oneOf"} & branch.keys():
        return False
    values = [*branch.get("enum", ()), branch.get("const")]
    return not any(isinstance(value, list | dict) for value in values)


def _within(branch: Any, outer: str | list[str]) -> bool:
    """Whether a branch takes nothing but the types `outer`, once it has them where it states none."""
    if not isinstance(branch, dict):
        return branch is False
    if _adopts(branch, outer):
        return True
    if "type" not in branch:
        return False
    allowed = {outer} if isinstance(outer, str) else set(outer)
    if "number" in allowed:
        allowed.add("integer")
    inner = branch["type"]
    return ({inner} if isinstance(inner, str) else set(inner)) <= allowed


def _discriminator(schema: Mapping[str, Any]) -> str | None:
    """OpenAPI's `discriminator.propertyName`: a hint which property tells branches apart."""
    found = schema.get("discriminator")
    name = found.get("propertyName") if isinstance(found, dict) else None
    return name if isinstance(name, str) else None
