"""What a program gets of a result: JSON data where it is typed, else text."""

from typing import Any

import msgspec

from ...declarations.names import Language
from ..binding import ToolBinding
from ..result import Content, ToolResult, structured


def result_value(binding: ToolBinding[Any, Any], result: ToolResult, language: Language | None) -> Any:
    """Make the value that a program gets of a success.

    A typed result is there in full, whatever limit the text for models has.

    Args:
        binding: binding of the tool.
        result: a success.
        language: whose declarations the program was written against; None for the contract's own form.

    Returns:
        JSON data: the typed value; the text of any other result, with what it says beside it, and in words
        what code cannot hold.

    Raises:
        TypeError: the typed value has no JSON form.
        ValueError: the same.
    """
    value = structured(result)
    if value is not msgspec.UNSET:
        return value
    if binding.result is not None:
        if result.data is not None:
            return msgspec.Raw(binding.encode_result(result.data, language))
        if not result.output and not result.content:
            return None
    return "\n".join(text for text in (result.output, *map(_in_words, result.content)) if text)


def _in_words(piece: Content) -> str:
    if piece.kind == "text":
        return piece.text
    name = f" {piece.name[:100]!r}" if piece.name else ""
    return f"[{piece.kind}{name}, {piece.media_type}, {len(piece.data)} bytes: left out, code gets text]"
