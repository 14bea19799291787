"""The error of a schema that cannot be read or rewritten."""

from __future__ import annotations


class SchemaError(ValueError):
    """A schema that cannot be normalised exactly or safely.

    Attributes:
        path: JSON pointer into the schema.
        message: what is wrong.
        hint: what to change.
    """

    def __init__(self, path: str, message: str, hint: str = "") -> None:
        self.path = path
        self.message = message
        self.hint = hint
        super().__init__(f"at {path or 'the root'}: {message}" + (f" ({hint})" if hint else ""))


class LibrarySchemaError(SchemaError):
    """An object of a library of validators, or of Python, stands where a JSON Schema must be."""
