"""What a schema has to say of the parts of a value that it judges."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ..jsonschema.search import searchable

_BESIDE: Final = ("allOf", "anyOf", "oneOf")
_ALONE: Final = ("not", "if", "then", "else")
_NAMING: Final = ("properties", "dependentSchemas", "dependentRequired")
_COUNTING: Final = ("minProperties", "propertyNames", "patternProperties")  # maxProperties even if 0
FURTHER: Final = ("additionalProperties", "unevaluatedProperties")
_ITEMS: Final = ("items", "contains", "unevaluatedItems")
WHOLE: Final[dict[str, Any]] = {"uniqueItems": True}
"""Stands for a judge that looks at all of a value: two items may differ in any part of them."""


def applied(schema: Mapping[str, Any]) -> Iterator[Any]:
    """The schemas that `schema` applies to its own value."""
    for word in _BESIDE:
        yield from schema.get(word, ())
    yield from (schema[word] for word in _ALONE if word in schema)
    yield from (schema.get("dependentSchemas") or {}).values()


def listed(value: Any) -> list[Any]:
    """The schemas of a keyword that holds one or several."""
    return value if isinstance(value, list) else [value]


def of_property(judge: Mapping[str, Any], name: str) -> Iterator[Any]:
    """What `judge` says of the property `name`."""
    if judge is WHOLE:
        yield WHOLE
        return
    named = judge.get("properties") or {}
    patterns = judge.get("patternProperties") or {}
    found = [*([named[name]] if name in named else ()), *(patterns[p] for p in patterns if finds(p, name))]
    yield from found
    if not found and "additionalProperties" in judge:
        yield judge["additionalProperties"]
    if "unevaluatedProperties" in judge:
        yield judge["unevaluatedProperties"]


def of_any_property(judge: Mapping[str, Any]) -> Iterator[Any]:
    """What it may say of a property whose name is not known."""
    if judge is WHOLE:
        yield WHOLE
        return
    for word in ("properties", "patternProperties"):
        yield from (judge.get(word) or {}).values()
    yield from (judge[word] for word in FURTHER if word in judge)


def of_item(judge: Mapping[str, Any]) -> Iterator[Any]:
    """What it may say of an item, whichever it is."""
    if judge is WHOLE:
        yield WHOLE
        return
    yield from judge.get("prefixItems", ())
    yield from (judge[word] for word in _ITEMS if word in judge)
    if judge.get("uniqueItems") is True:
        yield WHOLE


def looks(judge: Mapping[str, Any], declared: frozenset[str]) -> bool:
    """Whether a verdict may turn on properties beyond those `declared`."""
    if judge is WHOLE or "maxProperties" in judge or any(judge.get(word) for word in _COUNTING):
        return True
    if any(judge.get(word, True) not in (True, {}) for word in FURTHER):
        return True
    named = {name for word in _NAMING for name in judge.get(word) or ()}
    for names in (judge.get("required", ()), *(judge.get("dependentRequired") or {}).values()):
        named.update(names)
    if not named <= declared:
        return True
    return any(isinstance(value, dict) for value in [*judge.get("enum", ()), judge.get("const")])


def finds(pattern: str, name: str) -> bool:
    """Whether a pattern of the contract covers the property `name`. Raises SearchTooLong."""
    search = searchable(pattern)
    assert search is not None  # others are refused before
    return search.finds(name)
