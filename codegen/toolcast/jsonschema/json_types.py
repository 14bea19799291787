"""JSON types: of literals, of schemas by their keywords, and of the values that a schema node may accept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .json_values import JsonObject, has_type, type_of
from .keywords import TYPE_OF
from .schema_document import SchemaDocument
from .schema_node import Schema, SchemaError, SchemaNode

ATOMS = frozenset((str, int, float, bool, type(None)))
_LITERAL_DEPTH = 200


def copied(value: object, depth: int = _LITERAL_DEPTH) -> object:
    """Copy a JSON literal, so that output never shares a container with input. Raises SchemaError."""
    kind = value.__class__
    if kind in ATOMS:
        return value
    if depth == 0:
        raise SchemaError("", f"a literal is nested deeper than {_LITERAL_DEPTH} levels")
    if isinstance(value, dict):
        return {key: copied(item, depth - 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        if ATOMS.issuperset(map(type, value)):
            return list(value)
        return [copied(item, depth - 1) for item in value]
    return value


KINDS = dict.fromkeys(("string", "number", "integer", "boolean", "null", "array", "object"))
"""All types, in the order of lists."""
MOVED = frozenset((*TYPE_OF, "type", "enum", "const", "not", "if", "then", "else", "allOf", "oneOf", "$ref"))
"""Keywords that constrain: they cannot be siblings of an anyOf that must be alone."""
_NUMBER_FORMATS = frozenset(("int32", "int64", "float", "double"))


def states_type(node: SchemaNode) -> bool:
    """Return whether a node states its one type."""
    kind = node.keywords.get("type")
    return kind.__class__ is str and kind in KINDS


def names_type(node: SchemaNode, kind: str) -> bool:
    """Return whether a node names `kind` among its types."""
    stated = node.keywords.get("type")
    return stated == kind or (isinstance(stated, list) and kind in stated)


def types_stated(keywords: JsonObject) -> list[str]:
    """Return the types that `type` names."""
    kind = keywords["type"]
    return kind if isinstance(kind, list) else [kind]


def inferred(node: JsonObject) -> list[str]:
    """Return the types of a node without `type`: those of its literals, else those its keywords imply."""
    if isinstance(node.get("enum"), list):
        return distinct_types([type_of(value) for value in node["enum"]])
    if "const" in node:
        return [type_of(node["const"])]
    if node.get("format") in _NUMBER_FORMATS:
        return ["integer" if node["format"].startswith("int") else "number"]
    return list(dict.fromkeys(TYPE_OF[key] for key in node if key in TYPE_OF))


def distinct_types(kinds: list[str]) -> list[str]:
    """Return types once each; `number` includes `integer`."""
    once = list(dict.fromkeys(kinds))
    return [kind for kind in once if not (kind == "integer" and "number" in once)]


def split(node: JsonObject, kinds: list[str]) -> list[JsonObject]:
    """Return one branch for each type, with the keywords that concern it, without annotations."""
    branches: list[JsonObject] = []
    for kind in kinds:
        group = "number" if kind == "integer" else kind
        branch: JsonObject = {"type": kind}
        for key, value in node.items():
            if key not in MOVED or key == "type":
                continue
            if key == "enum":
                fitting = [item for item in value if has_type(item, [kind])]
                if not fitting:
                    break
                branch[key] = fitting
            elif key == "format":
                if (value in _NUMBER_FORMATS) != (group == "string"):
                    branch[key] = value
            elif TYPE_OF.get(key, group) == group:
                branch[key] = value
        else:
            branches.append(branch)
    return branches


ALL = frozenset(("string", "number", "boolean", "null", "array", "object"))
MAX_FOLLOWED = 8
"""References and unions that are followed for one answer."""
TYPE_KEYWORDS = frozenset(("type", "enum", "const", "$ref", "anyOf", "oneOf", "allOf"))
"""Keywords that state the types of a schema; without them, the others imply them."""


def accepted_types(
    schema: Schema, document: SchemaDocument, typed: bool, followed: int = 0
) -> frozenset[str]:
    """Return the JSON types that a schema may accept, or more of them; integers are numbers."""
    if not isinstance(schema, SchemaNode):
        return ALL if schema is True else frozenset()
    node = schema.keywords
    values = node["enum"] if "enum" in node else [node["const"]] if "const" in node else []
    kinds = node.get("type", [])
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if values and (not kinds or any(has_type(value, kinds) for value in values)):
        return _numbers(type_of(value) for value in values)
    if kinds:  # literals of other types are left out
        return _numbers(kinds) | ({"null"} if node.get("nullable") is True else frozenset())
    if "$ref" in node and followed < MAX_FOLLOWED:
        found, _ = document.target(node["$ref"], schema.path)
        return accepted_types(found, document, typed, followed + 1)
    for keyword in ("anyOf", "oneOf"):
        if keyword in node and followed < MAX_FOLLOWED:
            return frozenset[str]().union(
                *(accepted_types(branch, document, typed, followed + 1) for branch in node[keyword])
            )
    parts = [node]
    if "allOf" in node and followed < MAX_FOLLOWED:
        branches = [branch for branch in node["allOf"] if isinstance(branch, SchemaNode)]
        parts += [branch.keywords for branch in branches]
        stated = [
            accepted_types(branch, document, typed, followed + 1)
            for branch in node["allOf"]
            if branch is False or (branch is not True and not TYPE_KEYWORDS.isdisjoint(branch.keywords))
        ]
        found_types = ALL.intersection(*stated)
        if found_types < ALL:  # a stated type precedes the types that keywords imply
            return found_types or ALL.intersection(frozenset[str]().union(*stated))  # one is described
    types = [kind for part in parts for kind in inferred(part)]
    return _numbers(types) if types and typed else ALL


def _numbers(kinds: Iterable[object]) -> frozenset[str]:
    return frozenset("number" if kind == "integer" else str(kind) for kind in kinds)


def types_of(schemas: Iterable[Schema], document: SchemaDocument, typed: bool) -> frozenset[str]:
    """Return the JSON types that one of several schemas may accept."""
    return frozenset[str]().union(*(accepted_types(each, document, typed) for each in schemas))


def same_value(schema: Schema, document: SchemaDocument, followed: int = 0) -> Iterator[SchemaNode]:
    """Yield a schema and those that apply to the same value: targets of references, branches of unions."""
    if schema is True:
        yield SchemaNode({}, None)
    if not isinstance(schema, SchemaNode) or followed > MAX_FOLLOWED:
        return
    yield schema
    keywords = schema.keywords
    if "$ref" in keywords:
        yield from same_value(document.target(keywords["$ref"], schema.path)[0], document, followed + 1)
    for keyword in ("anyOf", "oneOf", "allOf"):
        for branch in keywords.get(keyword, ()):
            yield from same_value(branch, document, followed + 1)
