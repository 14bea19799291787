"""A tool as it is declared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from .sentences import joined


class DeclaredTool(Struct, frozen=True, kw_only=True):
    """A tool for code.

    Attributes:
        function: the name of its function in its namespace.
        description: the text for its comment.
        parameters: the schema of its parameters in the dialect of the language.
        result: the schema of its results; None where its results are text.
        top: whether it stands outside of a namespace.
    """

    function: str
    description: str
    parameters: Mapping[str, Any] = {}
    result: Mapping[str, Any] | bool | None = None
    top: bool = False


def described_parameters(parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """The description of the parameters as a whole, for the comment of the function."""
    description = parameters.get("description")
    return (description,) if isinstance(description, str) else ()


def returns(notes: Sequence[str]) -> tuple[str, ...]:
    """What is said of a result, for the comment of the function."""
    said = joined(notes)
    return (f"Returns: {said}",) if said else ()
