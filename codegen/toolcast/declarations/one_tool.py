"""One tool in either language."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ..runtime.definitions import Language
from . import python, typescript
from .declared_tool import DeclaredTool
from .function_names import function_names


def declare_tool(
    definition: Mapping[str, Any],
    language: Language,
    function: str,
    taken: Collection[str] = (),
    *,
    top: bool = False,
) -> tuple[str, frozenset[str]]:
    """Declare a tool in a namespace.

    Args:
        definition: its definition for the language: `name`, `description`, `parameters` and `result`.
        language: the language.
        function: the name of its function.
        taken: names of the namespace that are in use.
        top: whether the function stands outside of a namespace.

    Returns:
        The lines, and the names of the types among them.
    """
    tool = DeclaredTool(
        function=function,
        description=definition.get("description", ""),
        parameters=definition.get("parameters", {}),
        result=definition.get("result"),
        top=top,
    )
    if language == "typescript":
        return typescript.declare_function(tool, taken)
    return python.declare_function(tool, taken)


def declaration(definition: Mapping[str, Any], language: Language) -> str:
    """Declare a tool by itself, under its own name.

    Args:
        definition: its definition for the language.
        language: the language.

    Returns:
        The lines.
    """
    (function,) = function_names({definition["name"]: ""}, language)
    return declare_tool(definition, language, function, top=True)[0]
