"""Parameters of which much is sent in another form: maps, tuples, literals, in objects and lists of them.

What `bench.fuzz` composes hardly ever has a type that decodes the form that is sent; these mostly do.
"""

from __future__ import annotations

import random
from typing import Any

NAMES = ("a", "b", "kind", "class", "item_1", "key")
RENAMED = ("n 1", "é")
"""Some providers refuse these names: what has one is sent under another, and goes the general way."""
LITERALS: tuple[list[Any], ...] = ([1, 2], [1, "1"], [True, None], [0.5, 3], ["x", 7], [-1], [None, 0, "a:b"])
DEPTH = 3
ODD: tuple[dict[str, Any], ...] = (
    {},
    {"type": ["integer", "string"]},
    {"anyOf": [{"type": "integer"}, {"type": "boolean"}]},
)


def compose(rng: random.Random) -> dict[str, Any]:
    """One tool's parameters."""
    return _object(rng, 0)


def _object(rng: random.Random, depth: int) -> dict[str, Any]:
    known = (*NAMES, *RENAMED) if rng.random() < 0.1 else NAMES
    names = rng.sample(known, rng.randint(1, 4 if depth == 0 else 2))
    properties = {name: _property(rng, depth + 1) for name in names}
    out: dict[str, Any] = {"type": "object", "properties": properties}
    if required := [name for name in names if rng.random() < 0.5]:
        out["required"] = required
    if rng.random() < 0.5:
        out["additionalProperties"] = False
    return out


def _property(rng: random.Random, depth: int) -> dict[str, Any]:
    schema = _schema(rng, depth)
    if isinstance(schema.get("type"), str) and "enum" not in schema and rng.random() < 0.15:
        schema = {**schema, "type": [schema["type"], "null"]}
    if schema.get("type") == "integer" and rng.random() < 0.2:
        schema = {**schema, "default": rng.choice((0, 5))}
    return schema


def _schema(rng: random.Random, depth: int) -> dict[str, Any]:
    roll = rng.random()
    if depth >= DEPTH or roll < 0.25:
        return _scalar(rng)
    if roll < 0.45:
        return {"enum": rng.choice(LITERALS)}
    if roll < 0.65:
        return _map(rng, depth)
    if roll < 0.8:
        return _tuple(rng, depth)
    if roll < 0.9:
        return {"type": "array", "items": _schema(rng, depth + 1)}
    return _object(rng, depth)


def _inner(rng: random.Random, depth: int) -> dict[str, Any]:
    """What stands in a map or a tuple: mostly no more than a scalar, since a type has no form below them."""
    return _scalar(rng) if rng.random() < 0.85 else _schema(rng, depth + 1)


def _scalar(rng: random.Random) -> dict[str, Any]:
    return rng.choice(
        (
            {"type": "integer"}, {"type": "integer", "minimum": 0, "maximum": 9}, {"type": "number"},
            {"type": "string"}, {"type": "string", "maxLength": 3}, {"type": "boolean"},
            {"type": "string", "enum": ["x", "a:b"]}, {"type": "integer", "multipleOf": 2},
            *(ODD if rng.random() < 0.3 else ()),
        )
    )  # fmt: skip


def _map(rng: random.Random, depth: int) -> dict[str, Any]:
    out: dict[str, Any] = {"type": "object", "additionalProperties": _inner(rng, depth)}
    if rng.random() < 0.2:
        out["minProperties"] = 1
    if rng.random() < 0.1:
        out["propertyNames"] = {"maxLength": 2}
    return out


def _tuple(rng: random.Random, depth: int) -> dict[str, Any]:
    kinds = [_inner(rng, depth) for _ in range(rng.randint(1, 3))]
    out: dict[str, Any] = {"type": "array", "prefixItems": kinds}
    if rng.random() < 0.8:
        out.update(items=False, minItems=len(kinds))
    elif rng.random() < 0.5:
        out["items"] = _scalar(rng)
    if rng.random() < 0.15:
        out["uniqueItems"] = True
    return out
