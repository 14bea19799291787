"""Schemas and values that meet: small pools of names, numbers and texts, so that both verdicts are common."""

from functools import cache
from typing import Any

from hypothesis import strategies as st

NAMES = st.sampled_from(["a", "b", "c", "ab", "x-y", ""])
NUMBERS = st.sampled_from([0, 1, 2, 3, -1, 0.5, 1.0, 2.0, 1.5, 0.3, 0.1, -0.5, 10, 1e3, 2**53, 2**53 + 1])
TEXTS = st.sampled_from(["", "a", "b", "ab", "abc", "é", "😀", "a\n", "1", "x-y", "٣"])
SCALARS = st.none() | st.booleans() | NUMBERS | TEXTS
PATTERNS = st.sampled_from(["^a", "b$", "^[a-z]+$", r"\d", "^.$", r"\w", "^$", r"\S", "[^a]"])
TYPES = ["string", "integer", "number", "boolean", "null", "object", "array"]


@cache
def values() -> st.SearchStrategy[Any]:
    return st.recursive(
        SCALARS,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
        max_leaves=8,
    )


def _keywords(inner: st.SearchStrategy[Any]) -> dict[str, st.SearchStrategy[Any]]:
    sizes = st.integers(0, 3)
    many = st.lists(inner, min_size=1, max_size=3)
    named = st.dictionaries(NAMES, inner, max_size=3)
    return {
        "type": st.sampled_from(TYPES)
        | st.lists(st.sampled_from(TYPES), min_size=1, max_size=3, unique=True),
        "enum": st.lists(values(), min_size=1, max_size=4),
        "const": values(),
        "minimum": NUMBERS,
        "maximum": NUMBERS,
        "exclusiveMinimum": NUMBERS,
        "exclusiveMaximum": NUMBERS,
        "multipleOf": st.sampled_from([1, 2, 0.5, 0.1, 1.5, 0.25, 3]),
        "minLength": sizes,
        "maxLength": sizes,
        "pattern": PATTERNS,
        "minItems": sizes,
        "maxItems": sizes,
        "uniqueItems": st.booleans(),
        "items": inner,
        "prefixItems": many,
        "contains": inner,
        "minContains": sizes,
        "maxContains": sizes,
        "properties": named,
        "patternProperties": st.dictionaries(PATTERNS, inner, max_size=2),
        "additionalProperties": inner,
        "propertyNames": inner,
        "required": st.lists(NAMES, max_size=2, unique=True),
        "dependentRequired": st.dictionaries(
            NAMES, st.lists(NAMES, max_size=2, unique=True), min_size=1, max_size=2
        ),
        "dependentSchemas": named,
        "minProperties": sizes,
        "maxProperties": sizes,
        "allOf": many,
        "anyOf": many,
        "oneOf": many,
        "not": inner,
        "if": inner,
        "then": inner,
        "else": inner,
        "unevaluatedProperties": inner,
        "unevaluatedItems": inner,
    }


def _object_schema(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return _drawn(_keywords(inner))


@st.composite
def _drawn(draw: st.DrawFn, keywords: dict[str, st.SearchStrategy[Any]]) -> Any:
    chosen = draw(st.lists(st.sampled_from(sorted(keywords)), min_size=1, max_size=4, unique=True))
    if "if" in chosen or "then" in chosen or "else" in chosen:
        chosen = sorted({*chosen, "if", draw(st.sampled_from(["then", "else"]))})
    return {word: draw(keywords[word]) for word in chosen}


@cache
def schemas() -> st.SearchStrategy[Any]:
    leaf = st.booleans() | st.sampled_from([{"type": name} for name in TYPES] + [{}])
    return st.recursive(leaf, _object_schema, max_leaves=6)


BODIES = _object_schema(schemas())


@st.composite
def documents(draw: st.DrawFn) -> Any:
    """Schemas with references to `$defs` and to the root, always through a property or an item."""
    body = draw(BODIES)
    body["$defs"] = {"one": draw(schemas()), "two": draw(schemas())}
    places = ["#/$defs/one", "#/$defs/two", "#", "#/$defs/loop"]
    body["$defs"]["loop"] = {
        "properties": {name: {"$ref": draw(st.sampled_from(places))} for name in ("a", "b")},
        "items": {"anyOf": [{"$ref": draw(st.sampled_from(places))}, draw(schemas())]},
        draw(st.sampled_from(["unevaluatedProperties", "minProperties"])): 0,
    }
    if "unevaluatedProperties" in body["$defs"]["loop"]:
        body["$defs"]["loop"]["unevaluatedProperties"] = False
    body["$ref"] = draw(st.sampled_from(["#/$defs/one", "#/$defs/two", "#/$defs/loop"]))
    return body
