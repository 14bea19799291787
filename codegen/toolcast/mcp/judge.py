"""What holds a result to its output schema."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from ..jsonschema import Validator
from ..providers import SchemaError, normalize


def result_judge(schema: Mapping[str, Any]) -> Validator:
    """The exact validator of an output schema; older drafts are raised, as public servers write them. Raises
    UnsupportedSchema for what cannot be judged."""
    contract: Mapping[str, Any] = schema
    if schema.get("type") == "object":  # up to 2025-11-25, all of them; the walk is for objects
        with suppress(SchemaError, RecursionError):
            contract = normalize(dict(schema), "mcp").schema
    return Validator({key: item for key, item in contract.items() if key != "$schema"}, formats=True)
