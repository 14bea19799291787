"""Tools as declarations in a programming language, for models that write code which calls them.

`schema_types` reads schemas into a tree of types, and `printer` writes these in a language.
`toolcast.runtime.declarations` declares the tools of a view.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...jsonschema.json_values import JsonMapping
from .names import FreeNames, Language, free_names, function_names
from .printer import Printer, Python, TypeScript, TypeText, joined
from .schema_types import read_type, with_definitions_inlined


def declare_tool(
    definition: JsonMapping, language: Language, function: str, free: FreeNames, *, top: bool = False
) -> str:
    """Declare a tool as a function of a namespace, or at the `top`, from its definition for the language.
    `free` are the names that types may take.
    """
    printer: Printer = Python(free)
    if language == "typescript":
        printer = TypeScript(free, comments="line", integer="integer", top=top)
    parameters = with_definitions_inlined(definition.get("parameters", {}))
    printer.define(parameters.get("$defs", {}), is_open=True)
    arguments = printer.parameters(read_type(parameters, is_open=True))
    returned = TypeText(printer.string)
    if (result := definition.get("result")) is not None:
        if isinstance(result, Mapping):
            result = with_definitions_inlined(result)
        printer.define(result.get("$defs", {}) if isinstance(result, Mapping) else {}, is_open=False)
        returned = printer.type(read_type(result, f"{function}_result"))
    said = [definition.get("description", ""), *arguments.notes]
    if notes := joined(returned.notes):
        said.append(f"Returns: {notes}")
    made = printer.function(function, arguments.text, returned.text, said)
    return printer.gap.join([*printer.statements, made])


def declaration(definition: JsonMapping, language: Language) -> str:
    """Declare a tool, by its definition for the language, under its own name and outside of a namespace."""
    (function,) = function_names({definition["name"]: ""}, language)
    return declare_tool(definition, language, function, free_names((function,), language), top=True)
