"""One construct of tool schemas, and short ways to write one down."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import jsonschema_rs
import msgspec
from msgspec import Struct
from toolcast.providers.schema_judge import as_json_schema

Schema = dict[str, Any]


class Construct(Struct, frozen=True):
    """One schema of parameters, with instances on both sides of it. `draft` is the one it is written in."""

    name: str
    schema: Schema
    valid: tuple[Any, ...]
    invalid: tuple[Any, ...]
    draft: int = 202012

    def accepts(self, value: Any) -> bool:
        """Whether the schema, as it is written, takes `value`."""
        return bool(_validator(self).is_valid(value))


@lru_cache(maxsize=256)
def _by_text(text: bytes, draft: int) -> Any:
    schema = as_json_schema(msgspec.json.decode(text))
    validator = jsonschema_rs.Draft7Validator if draft == 7 else jsonschema_rs.Draft202012Validator
    return validator(schema)


def _validator(construct: Construct) -> Any:
    return _by_text(msgspec.json.encode(construct.schema), construct.draft)


TEXT = {"type": "string"}
WHOLE = {"type": "integer"}


def one(
    name: str,
    schema: Any,
    valid: Iterable[Any],
    invalid: Iterable[Any],
    definitions: Schema | None = None,
    *,
    draft: int = 202012,
) -> Construct:
    """`schema` as the one property of an object."""
    whole: Schema = {"type": "object", "properties": {"value": schema}, "required": ["value"]}
    if definitions:
        whole["$defs"] = definitions
    inside = [tuple({"value": each} for each in instances) for instances in (valid, invalid)]
    return Construct(name, whole, *inside, draft)


def root(
    name: str, schema: Schema, valid: Iterable[Any], invalid: Iterable[Any], *, draft: int = 202012
) -> Construct:
    return Construct(name, schema, tuple(valid), tuple(invalid), draft)


def record(**properties: Any) -> Schema:
    return {"type": "object", "properties": properties, "required": list(properties)}


def nested(depth: int) -> tuple[Schema, Any]:
    schema, value = record(leaf=TEXT), {"leaf": "x"}
    for _ in range(depth - 1):
        schema, value = record(down=schema), {"down": value}
    return schema, value


def spoiled(value: Any) -> Any:
    return {key: spoiled(child) if isinstance(child, dict) else 1 for key, child in value.items()}
