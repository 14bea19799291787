"""Overlaps of the branches of a union at the place of a value.

A form that is sent must not be one that another alternative takes at that place, else decoding may choose
that one. Alternatives that a key tells apart do not overlap.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial

from ..jsonschema.json_types import MAX_FOLLOWED, MOVED, accepted_types, same_value, types_of
from ..jsonschema.json_values import JsonObject
from ..jsonschema.keywords import METADATA
from ..jsonschema.schema_document import SchemaDocument
from ..jsonschema.schema_node import Schema, SchemaNode, is_free
from ..jsonschema.search import found
from ..runtime.wire.wire_form import KEY, VALUE
from .constraint_texts import text
from .ledger import Ledger
from .node import Node, Overlap
from .profiles.dialect import Dialect, disposition

_NESTED = frozenset(("object", "array"))
_LITERALS = frozenset(("const", "enum"))
_PLAIN = frozenset(("string", "number", "boolean"))
REST = "additional_properties"
"""The property in which the undeclared keys of an object are sent as pairs."""


def of_branches(
    node: Node, branches: list[Schema], kinds: list[frozenset[str]], dialect: Dialect
) -> list[Overlap]:
    """Return the overlap of each of the `branches` of a node. `kinds` are the types of each."""
    document, outer = node.document, node.place.overlap
    counts = Counter(kind for each in kinds for kind in each)
    every = frozenset(counts)
    repeated = frozenset(kind for kind, count in counts.items() if count > 1)
    compared = _compared(branches, kinds)

    def is_apart(one: int, other: int) -> bool:
        only_object = kinds[one] & _NESTED <= {"object"}
        return only_object and _apart(branches[one], branches[other], document, dialect)

    def of_branch(index: int) -> Overlap:
        nested = kinds[index] & _NESTED
        others = repeated | (every - kinds[index])
        overlapping = not kinds[index].isdisjoint(_NESTED & others)

        def find() -> tuple[Schema, ...]:
            near = (i for i in compared if i != index and not nested.isdisjoint(kinds[i]))
            own = tuple(branches[i] for i in near if not is_apart(index, i)) if overlapping else ()
            return (*(outer.schemas if outer is not None else ()), *own)

        def types(schemas: tuple[Schema, ...]) -> frozenset[str]:
            return others if outer is None else others | types_of(schemas, document, dialect.typed)

        return Overlap(find, types)

    return [of_branch(index) for index in range(len(branches))]


def of_property(overlap: Overlap, name: str, document: SchemaDocument, dialect: Dialect) -> Overlap:
    """Return the overlap of a property. An object that is open by default accepts the value in its original
    form.
    """

    def find() -> tuple[Schema, ...]:
        return tuple(
            each for schema in overlap.schemas for each in _property(schema, name, document, dialect)
        )

    return Overlap(find, partial(types_of, document=document, typed=dialect.typed))


def of_items(overlap: Overlap, document: SchemaDocument, dialect: Dialect) -> Overlap:
    """Return the overlap of the items of an array."""

    def find() -> tuple[Schema, ...]:
        return tuple(
            True if _accepts_anything(each) else each.keywords["items"]
            for schema in overlap.schemas
            for each in same_value(schema, document)
            if _accepts_anything(each) or isinstance(each.keywords.get("items"), SchemaNode)
        )

    return Overlap(find, partial(types_of, document=document, typed=dialect.typed))


def _compared(branches: list[Schema], kinds: list[frozenset[str]]) -> list[int]:
    """Return the indices of the branches with which others are compared: two lists of literals stand for all
    of the same types, so that a union of many constants is not compared in pairs.
    """
    literals = Counter[frozenset[str]]()
    compared: list[int] = []
    for i, branch in enumerate(branches):
        nested = kinds[i] & _NESTED
        if not nested:
            continue
        if _is_literal(branch):
            literals[nested] += 1
            if literals[nested] > 2:
                continue
        compared.append(i)
    return compared


def _is_literal(schema: Schema) -> bool:
    return (
        isinstance(schema, SchemaNode)
        and not _LITERALS.isdisjoint(schema.keywords)
        and schema.keywords.keys() - METADATA <= _LITERALS | {"type"}
    )


def _property(schema: Schema, name: str, document: SchemaDocument, dialect: Dialect) -> Iterator[Schema]:
    for each in same_value(schema, document):
        node = each.keywords
        properties = node.get("properties", {})
        if _accepts_anything(each):
            yield True
        elif name in properties:
            yield properties[name]
        elif dialect.maps == "pairs" and (
            (is_map(node) and _sends_pairs(node, dialect)) or _holds_rest(node)
        ):
            # Its additional keys are encoded in an array, so the object with that array is open.
            if properties and not dialect.closed:
                yield True
        else:
            yield from _further(node, name, dialect)


def _further(node: JsonObject, name: str, dialect: Dialect) -> Iterator[Schema]:
    patterns = node.get("patternProperties") or {}
    if node.get("propertyNames") is False:
        return  # it is closed
    if patterns and disposition(dialect, "patternProperties") != "keep":
        return  # the rest is open
    covering = [one for one in patterns if found(one, name) is not False]
    for pattern in covering:
        yield patterns[pattern]
    rest = node.get("additionalProperties")
    if not covering and isinstance(rest, SchemaNode) and rest.keywords:
        yield rest


def _accepts_anything(node: SchemaNode) -> bool:
    return "anyOf" not in node.keywords and MOVED.isdisjoint(node.keywords)


# -- whether two branches are distinguishable ------------------------------------------------------


def _apart(left: Schema, right: Schema, document: SchemaDocument, dialect: Dialect) -> bool:
    """Return whether no encoded object of one of two branches is valid against the other."""
    mine, theirs = _target(left, document), _target(right, document)
    if mine is None or theirs is None:
        return False
    if _differ(mine, theirs, document, dialect):
        return True
    return _foreign(mine, theirs, dialect) and _foreign(theirs, mine, dialect)


def _target(schema: Schema, document: SchemaDocument) -> JsonObject | None:
    for _ in range(MAX_FOLLOWED):
        if not isinstance(schema, SchemaNode):
            return None
        if "$ref" not in schema.keywords:
            return schema.keywords
        schema, _segments = document.target(schema.keywords["$ref"], schema.path)
    return None


def _differ(mine: JsonObject, theirs: JsonObject, document: SchemaDocument, dialect: Dialect) -> bool:
    """Return whether a key that one of two objects requires has other values in the other."""
    properties, others = mine.get("properties", {}), theirs.get("properties", {})
    return any(
        _unlike(properties[name], others[name], document, dialect)
        for name in dict.fromkeys((*mine.get("required", ()), *theirs.get("required", ())))
        if name in properties and name in others
    )


def _foreign(one: JsonObject, other: JsonObject, dialect: Dialect) -> bool:
    """Return whether objects of `one` lack a key that `other` requires, or have one that it forbids."""
    mine, theirs = one.get("properties", {}), other.get("properties", {})
    every = dialect.optional == "nullable"
    if _closed(one) or dialect.closed:
        required = theirs if every else other.get("required", ())
        if any(name not in mine for name in required):
            return True
    keeps_additional = disposition(dialect, "additionalProperties") == "keep"
    if dialect.closed or (keeps_additional and _closed(other)):
        return any(name not in theirs for name in (mine if every else one.get("required", ())))
    return False


def _closed(node: JsonObject) -> bool:
    return node.get("additionalProperties") is False and not node.get("patternProperties")


def _unlike(left: Schema, right: Schema, document: SchemaDocument, dialect: Dialect) -> bool:
    """Return whether no value that is sent fits both of two properties."""
    mine, theirs = _literals(left), _literals(right)
    if mine is not None and theirs is not None:
        sent = {one if isinstance(one, str) else text(one) for one in mine}
        return sent.isdisjoint(one if isinstance(one, str) else text(one) for one in theirs)
    if mine is not None or theirs is not None:
        return False
    one, two = accepted_types(left, document, dialect.typed), accepted_types(right, document, dialect.typed)
    return one <= _PLAIN and two <= _PLAIN and one.isdisjoint(two)


def _literals(schema: Schema) -> list[object] | None:
    if not isinstance(schema, SchemaNode):
        return None
    if "const" in schema.keywords:
        return [schema.keywords["const"]]
    values: list[object] | None = schema.keywords.get("enum")
    return values


# -- maps -------------------------------------------------------------------------------------------


def is_map(keywords: JsonObject) -> bool:
    """Return whether an object has keys that it does not declare, of a kind that it does."""
    rest = keywords.get("additionalProperties")
    return (isinstance(rest, SchemaNode) and bool(rest.keywords)) or bool(keywords.get("patternProperties"))


def declares_no_key(keywords: JsonObject, dialect: Dialect) -> bool:
    """Return whether an object will declare no property: a key that is forbidden is not declared, where no
    schema can be false.
    """
    properties: dict[str, Schema] = keywords.get("properties", {})
    return not properties or (
        dialect.booleans == "rewrite" and all(schema is False for schema in properties.values())
    )


def _sends_pairs(keywords: JsonObject, dialect: Dialect) -> bool:
    """Return whether undeclared keys will be sent as pairs: all are of some kind, or any value has a form."""
    if keywords.get("propertyNames") is False or not ("type" in keywords or dialect.typed):
        return False
    kinds = [*keywords.get("patternProperties", {}).values(), keywords.get("additionalProperties", True)]
    return dialect.untyped == "json" or not any(map(is_free, kinds))


def _holds_rest(keywords: JsonObject) -> bool:
    """Return whether an object has the property in which the undeclared keys of such an object are sent."""
    held = keywords.get("properties", {}).get(REST)
    items = held.keywords.get("items") if isinstance(held, SchemaNode) else None
    return isinstance(items, SchemaNode) and items.keywords.get("required") == [KEY, VALUE]


def block_ambiguous(
    node: Node, keyword: str, types: list[frozenset[str]], dialect: Dialect, ledger: Ledger
) -> None:
    """Block where another branch of a union accepts the wire form of a definition too."""
    branches: list[Schema] = node.keywords[keyword]
    kinds = [_sent_as(branch, node, dialect) for branch in branches]
    for i, kind in enumerate(kinds):
        if not kind:
            continue
        others = [j for j in range(len(branches)) if j != i]
        if any(kind in types[j] or kind == kinds[j] for j in others):
            ledger.block(
                node.path, keyword, f"cannot tell apart two branches that would both be sent as {kind}s"
            )
            return


def _sent_as(schema: Schema, node: Node, dialect: Dialect) -> str:
    """Return the JSON type in which a referenced schema is sent; empty where that is its own."""
    if not isinstance(schema, SchemaNode) or "$ref" not in schema.keywords:
        return ""
    found, _ = node.document.target(schema.keywords["$ref"], schema.path)
    if not isinstance(found, SchemaNode):
        return ""
    if "$ref" in found.keywords:
        return _sent_as(found, node, dialect)
    if dialect.maps == "pairs" and is_map(found.keywords) and not found.keywords.get("properties"):
        return "array"
    return "object" if dialect.tuples == "object" and "prefixItems" in found.keywords else ""
