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

    def __post_init__(self) -> None:
        """Raises TypeError for an `output` or `error` that is no text: typed values belong in `data`."""
        if not isinstance(self.output, str) or not isinstance(self.error, str):
            kind = type(self.error if isinstance(self.output, str) else self.output).__name__
            raise TypeError(
                f"output and error must be text, not {kind}. Return a typed value itself, or give it as data."
            )

    @classmethod
    def ok(cls, output: str = "", data: Any = None, content: tuple[Content, ...] = ()) -> "ToolResult":
        """A success. Raises TypeError where `output` is no text."""
        return cls(success=True, output=output, data=data, content=content)

    @classmethod
    def failed(cls, error: str) -> "ToolResult":
        """A failure; `error` tells the model what happened and what to change."""
        return cls(success=False, error=error)
