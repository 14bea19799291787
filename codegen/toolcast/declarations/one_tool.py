"""One tool in either language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from . import python_types, typescript_types
from .declared_tool import DeclaredTool, FreeNames
from .function_names import ECMASCRIPT, function_names
from .language import Language
from .python_types import RESERVED
from .typescript_types import GLOBAL_TYPES


def declare_tool(
    definition: Mapping[str, Any],
    language: Language,
    function: str,
    free: FreeNames,
    *,
    top: bool = False,
) -> str:
    """Declare a tool in a namespace.

    Args:
        definition: its definition for the language: `name`, `description`, `parameters` and `result`.
        language: the language.
        function: the name of its function.
        free: the names of the namespace, without those of its functions; those of types are taken from them.
        top: whether the function stands outside of a namespace.

    Returns:
        The lines.
    """
    tool = DeclaredTool(
        function=function,
        description=definition.get("description", ""),
        parameters=definition.get("parameters", {}),
        result=definition.get("result"),
        top=top,
    )
    if language == "typescript":
        return typescript_types.declare_function(tool, free)
    return python_types.declare_function(tool, free)


def declaration(definition: Mapping[str, Any], language: Language) -> str:
    """Declare a tool by itself, under its own name.

    Args:
        definition: its definition for the language.
        language: the language.

    Returns:
        The lines.
    """
    (function,) = function_names({definition["name"]: ""}, language)
    return declare_tool(definition, language, function, free_names((function,), language), top=True)


def free_names(functions: Iterable[str], language: Language) -> FreeNames:
    """The names that the types of a namespace may have.

    Args:
        functions: the names of the functions in it.
        language: the language.

    Returns:
        All but those, and those that mean something else in the language.
    """
    return FreeNames((*functions, *GLOBAL_TYPES, *(RESERVED if language == "python" else ECMASCRIPT)))
