"""Words of a server without what a reader would not see."""

from typing import Any

from ..jsonschema.keywords import ANY_SCHEMA_MAP
from ..runtime.hidden_characters import visible

__all__ = ["visible", "visible_words"]

_WORDS = ("description", "title", "$comment")
_VALUES = ("const", "default", "enum", "examples", "example")
_NAMED = ANY_SCHEMA_MAP | {"dependencies"}
"""Keywords whose keys are names of the server's choice, not keywords."""


def visible_words(schema: Any) -> Any:
    """A schema whose descriptions are visible; what judges values stays as it was."""
    if isinstance(schema, list):
        return [visible_words(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    made: dict[str, Any] = {}
    for key, item in schema.items():
        if key in _WORDS and isinstance(item, str):
            made[key] = visible(item)
        elif key in _NAMED and isinstance(item, dict):
            made[key] = {name: visible_words(below) for name, below in item.items()}
        else:
            made[key] = item if key in _VALUES else visible_words(item)
    return made
