"""What a result is for whoever reads it: words, or JSON data."""

from collections.abc import Mapping
from typing import Any

import msgspec

from .result import ToolResult

_JSON = msgspec.json.Decoder()


def words(result: ToolResult) -> str:
    """A result's text for the model. A failure may have come with output: both count."""
    if result.success:
        return result.output
    return "\n".join(text for text in (result.error, result.output) if text) or "The tool failed."


def structured(result: ToolResult) -> Any:
    """The result as JSON data; UNSET where its text is not that of its typed value, or was cut."""
    data = result.data
    if not result.success or data is None:
        return msgspec.UNSET
    if isinstance(data, str):
        return data if data == result.output else msgspec.UNSET
    try:
        value = _JSON.decode(result.output)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return msgspec.UNSET
    # "5" or "[5]" with a Struct is a handler's own text.
    if isinstance(value, list):
        same = not _is_object(data)
    else:
        same = isinstance(value, dict) or isinstance(data, (bool, int, float))
    return value if same else msgspec.UNSET


def _is_object(data: Any) -> bool:
    """Whether a typed value is an object in JSON."""
    if isinstance(data, msgspec.Struct):
        return not data.__struct_config__.array_like
    return isinstance(data, Mapping)
