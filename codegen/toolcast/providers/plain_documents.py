"""Documents of which few axes of a dialect decide the output: dialects that agree on these share a walk.

In a plain document each schema states one type, not null; all are properties, items or values of keys; enums
list strings. Most tools have no other. `traits_of` reads one; `behaviour_of` is the part of a dialect that it
depends on, where no pass gives its schemas another form.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from msgspec import Struct

from ..jsonschema.json_values import JsonObject
from ..jsonschema.keywords import METADATA, TYPES
from ..jsonschema.schema_node import SchemaNode
from .dialect_plan import plan_of
from .overlaps import is_map
from .passes.strict_objects import OPTIONAL
from .profiles.dialect import Dialect, disposition

_OF_OBJECTS = frozenset(("properties", "required", "additionalProperties"))
_PLAIN = METADATA | _OF_OBJECTS | {
    "$schema", "type", "enum", "format", "pattern", "minLength", "maxLength", "minProperties",
    "maxProperties", "items", "minItems", "maxItems", "uniqueItems", "minimum", "maximum", "exclusiveMinimum",
    "exclusiveMaximum", "multipleOf",
}  # fmt: skip
_SINGLE = frozenset(TYPES) - {"null"}
_MOST_FORMATS, _LONGEST_FORMAT = 16, 32
"""Formats of a document of which traits are kept, and the characters of one."""


class Behaviour(Struct, frozen=True, cache_hash=True):
    """The part of a dialect on which the output of a plain document depends."""

    parts: tuple[object, ...]


class Traits(Struct, frozen=True, cache_hash=True):
    """The parts of a plain document that dialects treat differently.

    `root` are the keywords of the root. `facts` are about objects and arrays: `optional` properties, or a
    `required` that does not list each once; names of it that are `undeclared`, or an `empty` one; objects
    `without` properties, and `bare` ones below the root; `map`s; objects that are `open`; arrays that are
    `loose`, without `items`.
    """

    root: frozenset[str]
    keywords: tuple[str, ...]
    formats: tuple[str, ...]
    longest_enum: int
    facts: frozenset[str]


def traits_of(nodes: Sequence[SchemaNode]) -> Traits | None:
    """Return the traits of a document with these nodes, the root first; None for one that is not plain."""
    keywords: set[str] = set()
    formats: set[str] = set()
    facts: set[str] = set()
    longest = 0
    for node in nodes:
        own = node.keywords
        if not _is_plain(own) or (node.path is None and own["type"] != "object"):
            return None
        keywords.update(own)
        longest = max(longest, len(own.get("enum", ())))
        if "format" in own:
            formats.add(own["format"])
        if own["type"] == "object":
            facts.update(_facts(own, root=node.path is None))
        elif own["type"] == "array" and "items" not in own:
            facts.add("loose")
    if len(formats) > _MOST_FORMATS or any(len(each) > _LONGEST_FORMAT for each in formats):
        return None
    root = frozenset(nodes[0].keywords)
    return Traits(root, tuple(sorted(keywords)), tuple(sorted(formats)), longest, frozenset(facts))


def _is_plain(own: JsonObject) -> bool:
    kind = own.get("type")
    if kind.__class__ is not str or kind not in _SINGLE or not own.keys() <= _PLAIN:
        return False
    if kind != "object" and not _OF_OBJECTS.isdisjoint(own):
        return False
    if "items" in own and (kind != "array" or not isinstance(own["items"], SchemaNode)):
        return False
    values = own.get("enum")
    if values is not None and (
        kind != "string"
        or not values
        or any(value.__class__ is not str or not value for value in values)
        or len(set(values)) < len(values)
    ):
        return False
    return all(isinstance(each, SchemaNode) for each in own.get("properties", {}).values())


def _facts(own: JsonObject, *, root: bool) -> Iterator[str]:
    """Yield the facts about one object."""
    properties, required = own.get("properties", {}), own.get("required")
    if "properties" not in own:
        yield "without"
    if required is None or len(required) != len(properties):
        yield "optional"
    if required is not None and not required:
        yield "empty"
    if not properties.keys() >= set(required or ()):
        yield "undeclared"
    if not properties and not root:
        yield "bare"
    if is_map(own):
        yield "map"
    if own.get("additionalProperties") is not False:
        yield "open"


@lru_cache(maxsize=4096)
def behaviour_of(dialect: Dialect, traits: Traits) -> Behaviour | None:
    """Return what the output of a document with these traits depends on; None where a pass gives some schema
    another form. The dialect renames no property of the document.
    """
    facts, plan = traits.facts, plan_of(dialect)
    if (
        ("undeclared" in facts and dialect.declared_required)
        or ("bare" in facts and dialect.empty_objects != "keep")
        or ("loose" in facts and dialect.items_required)
        or ("map" in facts and dialect.maps != "keep")
        or (dialect.max_enum is not None and traits.longest_enum > dialect.max_enum)
    ):
        return None
    present = {*traits.keywords}
    bounds = not present.isdisjoint(("exclusiveMinimum", "exclusiveMaximum"))
    if bounds:
        present |= {"minimum", "maximum"}  # as which exclusive bounds are stated
    found: list[object] = [
        "open" in facts and (dialect.closed, dialect.open),
        "without" in facts and (dialect.closed or dialect.properties_required),
        "empty" in facts and dialect.empty_required,
        traits.root.intersection(dialect.root_forbid),
        [plan.operations.get(key, plan.other) for key in sorted(present)],
        [key for key in dialect.integers_only if key in present],
        [each for each in dialect.at_most if each[0] in present],
        bounds and dialect.exclusive,
    ]
    if "optional" in facts and OPTIONAL.needed(dialect):
        found += dialect.optional, dialect.type_arrays, dialect.any_of, dialect.empty_required
    if "uniqueItems" in present:
        found += dialect.optional, dialect.maps, dialect.tuples
    if "pattern" in present or traits.formats:
        found += dialect.pattern_alone, disposition(dialect, "pattern"), disposition(dialect, "format")
    if "pattern" in present:
        found += dialect.patterns, dialect.lookaround, dialect.word_boundary
        found += dialect.backreferences, dialect.unicode_classes
    if traits.formats:
        known = dialect.formats
        found += [known is None or each in known for each in traits.formats]
        found += bool(known), dialect.other_formats, dialect.other
    return Behaviour(tuple(tuple(each) if isinstance(each, list) else each for each in found))
