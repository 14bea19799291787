"""Why a part of an OpenAPI document cannot be imported."""

from ...spec.parsed_document import Path


class UnreadableError(Exception):
    """A part of the document cannot become a tool, or a part of one.

    Attributes:
        path: path of the part in the document.
        code: code of the diagnostic.
        message: what is wrong, in one sentence.
        hint: how to correct it, or to import the rest.
    """

    def __init__(self, path: Path, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.path = path
        self.code = code
        self.message = message
        self.hint = hint
