"""What the schemas that judge one value say together, and values of no schema at all."""

import random
from collections.abc import Sequence
from typing import Any

from ..jsonschema.equality import equal
from .numbers import Facts, values_of
from .samples import JUNK, STRINGS
from .schema_document import Schema, matches

HINTS = {
    "string": ("minLength", "maxLength", "pattern"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    "array": ("items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains", "unevaluatedItems"),
    "object": ("properties", "required", "additionalProperties", "minProperties", "maxProperties",
               "patternProperties", "propertyNames", "dependentRequired", "unevaluatedProperties"),
}  # fmt: skip
"""Keywords that speak of one type only."""


def member_schemas(facts: Facts, name: str) -> list[Schema]:
    """The schemas that judge the property called `name`."""
    found: list[Schema] = []
    for fact in facts:
        named = False
        properties = fact.get("properties")
        if isinstance(properties, dict) and name in properties:
            found.append(properties[name])
            named = True
        patterned = fact.get("patternProperties")
        for pattern, schema in patterned.items() if isinstance(patterned, dict) else ():
            if matches(pattern, name):
                found.append(schema)
                named = True
        if not named and "additionalProperties" in fact:
            found.append(fact["additionalProperties"])
    return found or [True]


def literals(facts: Facts) -> list[Any] | None:
    """The values that `enum` and `const` leave, or None where neither speaks."""
    lists = [v for v in values_of(facts, "enum") if isinstance(v, list)]
    lists += [[v] for v in values_of(facts, "const")]
    if not lists:
        return None
    return [v for v in lists[0] if all(any(equal(v, w) for w in others) for others in lists[1:])]


def of_types(value: Any, facts: Facts) -> bool:
    """Whether a value is of the types that the facts state."""
    return all(is_of(value, [t] if isinstance(t, str) else t) for t in values_of(facts, "type"))


def is_of(value: Any, names: Sequence[str]) -> bool:
    """Whether a value is of one of the JSON types."""
    if value is None:
        return "null" in names
    if isinstance(value, bool):
        return "boolean" in names
    if isinstance(value, (int, float)):
        return "number" in names or ("integer" in names and float(value).is_integer())
    kind = "string" if isinstance(value, str) else "array" if isinstance(value, list) else "object"
    return kind in names


def junk(rng: random.Random, depth: int = 0) -> Any:
    """Any JSON value."""
    roll = rng.random()
    if depth > 2 or roll < 0.7:
        return rng.choice(JUNK)
    if roll < 0.85:
        return [junk(rng, depth + 1) for _ in range(rng.randint(0, 3))]
    return {rng.choice(STRINGS): junk(rng, depth + 1) for _ in range(rng.randint(0, 3))}
