"""The portable core: what every provider takes (§17.1), for providers that nobody knows."""

from __future__ import annotations

from collections.abc import Iterator

from . import common
from .checker import Checker
from .compatible import members
from .nodes import Node
from .openai import parameters

KEYWORDS = {"type", "description", "properties", "required", "items", "enum"}


def enums(node: Node) -> Iterator[str]:
    values = node.schema.get("enum")
    if values is None:
        return
    if node.types != ("string",):
        yield "enum belongs to strings only"
    if not values or not all(isinstance(value, str) and value for value in values):
        yield "enum values are non-empty strings"
    elif len(set(values)) != len(values):
        yield "enum values are distinct"
    if len(values) > 40:
        yield "an enum has at most 40 values"


CHECKERS = {
    "conservative": Checker(
        schema=parameters,
        envelope=(
            members(),
            common.named(r"[A-Za-z_][A-Za-z0-9_-]{0,63}", "{name} is no portable name", "function"),
        ),
        rules=(
            common.object_root(),
            common.only(KEYWORDS, "{key} is not portable"),
            common.typed("every node states a type", instead=()),
            common.single_type("a node states a single type"),
            common.known_types("type {kind!r} is not portable"),
            common.items_stated("arrays state their items"),
            common.properties_stated("nested objects have a property", least=1, nested=True),
            common.declared_required("required {name} is not a property"),
            common.property_names(r"[A-Za-z_][A-Za-z0-9_]{0,63}", "{name} is no portable property name"),
            enums,
        ),
        booleans=common.no_boolean("{value} is no portable schema"),
    ),
}
