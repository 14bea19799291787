"""Defaults of a request, said in words.

A `default` in an OpenAPI document is what the server assumes of a value that is not sent. In a spec it is the
value that the call has then, and a request states it: a `PATCH` that says nothing of `private` would say
`private: false`. So the schema keeps it in its description alone.
"""

from typing import Any, Final

import msgspec

from ...jsonschema.subschemas import map_subschemas
from .plain_text import MAX_LENGTH, MORE

_LONGEST: Final = 100
"""Characters of a default that is worth saying."""


def without_defaults(schema: Any) -> Any:
    """A schema whose defaults are said in descriptions, at every depth.

    Args:
        schema: the schema, which is not changed.

    Returns:
        A copy without `default`.
    """
    if not isinstance(schema, dict):
        return schema
    out = map_subschemas(schema, without_defaults)
    if "default" in out:
        text = msgspec.json.encode(out.pop("default")).decode()
        told = out.get("description", "")
        if isinstance(told, str) and len(text) <= _LONGEST and not _says(told, text):
            stop = "" if not told or told.endswith((".", "!", "?", ":", MORE)) else "."
            sentence = f"{told}{stop} Default: `{text}`.".strip()
            out["description"] = sentence if len(sentence) <= MAX_LENGTH else told
    return out


def _says(description: str, text: str) -> bool:
    """Whether a description has the default already."""
    return "default" in description.lower() and text.strip('"').lower() in description.lower()
