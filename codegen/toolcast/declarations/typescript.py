"""A tool as a function of TypeScript, in an ambient namespace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .declared_tool import DeclaredTool, described_parameters, returns
from .free_names import FreeNames
from .inlined_definitions import reference_to, with_definitions_inlined
from .typescript_types import (
    Comments,
    Scope,
    TypeText,
    comment,
    followed,
    type_declaration,
    type_name,
    type_of,
)

TEXT = "string"
"""The type of a result without a schema."""


def declare_function(tool: DeclaredTool, free: FreeNames, comments: Comments = "line") -> str:
    """Declare a tool.

    Args:
        tool: the tool.
        free: the names of its namespace; those of its types are taken from them.
        comments: how descriptions are written.

    Returns:
        Lines of an ambient namespace: the named types of the tool, and its function.
    """
    parameters = with_definitions_inlined(tool.parameters)
    result = tool.result
    if isinstance(result, Mapping):
        result = with_definitions_inlined(result)
    types: list[str] = []
    scopes: list[Scope] = []
    for schema, open_objects in ((parameters, True), (result, False)):
        definitions: Mapping[str, Any] = schema.get("$defs", {}) if isinstance(schema, Mapping) else {}
        names = {one: free.take(type_name(one)) for one in map(reference_to, definitions)}
        scope = Scope(names=names, comments=comments, integer="integer", open=open_objects)
        types += [
            type_declaration(name, one, scope)
            for name, one in zip(names.values(), definitions.values(), strict=True)
        ]
        scopes.append(scope)
    made = type_of({key: value for key, value in parameters.items() if key != "description"}, scopes[0])
    notes = (tool.description, *described_parameters(parameters), *made.notes)
    arguments = ""
    if made.text != "Record<string, never>":
        arguments = followed("args?:" if _may_be_empty(parameters) else "args:", made)
    returned = TypeText(TEXT) if result is None else type_of(result, scopes[1])
    notes += returns(returned.notes)
    start = "declare function" if tool.top else "function"
    function = f"{comment(notes, comments)}{start} {tool.function}({arguments}): Promise<{returned.text}>;"
    return "\n".join([*types, function]) + "\n"


def _may_be_empty(parameters: Any) -> bool:
    """Whether an object without keys may fit."""
    if not isinstance(parameters, Mapping) or "$ref" in parameters or parameters.get("required"):
        return False
    return "anyOf" not in parameters or any(map(_may_be_empty, parameters["anyOf"]))
