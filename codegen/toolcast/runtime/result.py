"""What a tool call comes to."""

from typing import Any

from msgspec import Struct

from .content import Content


class ToolResult(Struct, frozen=True):
    """The outcome of one call. An ordinary failure is a result too; only a bug is an exception.

    `output` is the text for the model, `data` the typed value behind it (a result Struct, or anything),
    `error` the text that says what to change; it is empty exactly where `success` is true.
    `content` is what comes beside the text: images, sounds, files, further text.
    """

    success: bool
    output: str = ""
    data: Any = None
    error: str = ""
    content: tuple[Content, ...] = ()

    @classmethod
    def ok(cls, output: str = "", data: Any = None, content: tuple[Content, ...] = ()) -> "ToolResult":
        """A success."""
        return cls(success=True, output=output, data=data, content=content)

    @classmethod
    def failed(cls, error: str) -> "ToolResult":
        """A failure; `error` tells the model what happened and what to change."""
        return cls(success=False, error=error)
