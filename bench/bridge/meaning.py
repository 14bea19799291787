"""What arguments say, read apart from the runtime."""

from __future__ import annotations

import json
from typing import Any

NOTHING: Any = object()
"""They say nothing that may be carried out: no JSON, or a property twice."""
UNCLEAR: Any = object()
"""It cannot be told here: what is no JSON text, or has no simple meaning."""


def meaning(arguments: Any) -> Any:
    """The value, NOTHING or UNCLEAR. Blank text and null mean `{}`, and a text in a text is opened once."""
    if arguments is None:
        return {}
    if isinstance(arguments, (bytes, bytearray, memoryview)):
        try:
            arguments = bytes(arguments).decode()
        except UnicodeDecodeError:
            return NOTHING
    if not isinstance(arguments, str):
        return _mapping(arguments)
    value = _read(arguments)
    if isinstance(value, str):
        value = _read(value)
    return {} if value is None else value


def _mapping(arguments: Any) -> Any:
    if type(arguments) is not dict:
        return UNCLEAR
    try:
        text = json.dumps(arguments, ensure_ascii=False, allow_nan=False)
        text.encode()  # refuses halves of surrogate pairs
        return arguments if json.loads(text) == arguments else UNCLEAR
    except (TypeError, ValueError, RecursionError):
        return NOTHING


def _read(text: str) -> Any:
    if not text.strip():
        return {}
    try:
        value = json.loads(text, object_pairs_hook=_once, parse_constant=_refuse)
        json.dumps(
            value, ensure_ascii=False, allow_nan=False
        ).encode()  # halves of surrogate pairs, infinities
        return value
    except RecursionError:
        return UNCLEAR
    except ValueError:
        return NOTHING


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a property twice")
    return found


def _refuse(name: str) -> Any:
    raise ValueError(name)
