"""A tool as an async function of Python, in a stub."""

from __future__ import annotations

import re
from collections.abc import Mapping

from .declared_tool import DeclaredTool, described_parameters, returns
from .free_names import FreeNames
from .inlined_definitions import with_definitions_inlined
from .python_types import Field, Types, TypeText, annotated, comment, indented
from .sentences import joined

TEXT = TypeText("str")
"""The type of a result without a schema."""
WIDTH = 96
"""Characters of the longest signature on one line."""


def declare_function(tool: DeclaredTool, free: FreeNames) -> str:
    """Declare a tool.

    Args:
        tool: the tool.
        free: the names of its module; those of its classes are taken from them.

    Returns:
        Lines of a stub: the classes and aliases that the tool needs, and its function.
    """
    types = Types(free)
    parameters = with_definitions_inlined(tool.parameters)
    types.define(parameters.get("$defs", {}), open_objects=True)
    fields, further = types.fields(parameters) if parameters else ([], None)
    returned = TEXT
    if tool.result is not None:
        result = with_definitions_inlined(tool.result) if isinstance(tool.result, Mapping) else tool.result
        types.define(result.get("$defs", {}) if isinstance(result, Mapping) else {})
        returned = types.type_of(result, f"{tool.function}_result")
    text = joined((tool.description, *described_parameters(parameters), *returns(returned.notes)))
    head = f"async def {tool.function}({_parameters(fields, further)}) -> {returned.text}:"
    body = f"\n{indented(_docstring(text))}" if text else " ...\n"
    return "\n".join([*types.statements, head + body])


def _parameters(fields: list[Field], further: TypeText | None) -> str:
    """The parameters between the parentheses of a function."""
    rows = [(_parameter(one), _notes(one)) for one in sorted(fields, key=lambda one: not one.required)]
    if further is not None:
        others = "others"
        while any(one.name == others for one in fields):
            others += "_"
        rows.append((f"**{others}: {further.text}", further.notes))
    line = ", ".join(row for row, _ in rows)
    if not any(comment(notes) for _, notes in rows) and len(line) <= WIDTH:
        return f"*, {line}" if fields else line
    body = "".join(annotated(f"{row},", notes) for row, notes in rows)
    return "\n" + indented(f"*,\n{body}" if fields else body)


def _parameter(field: Field) -> str:
    if field.required:
        return f"{field.name}: {field.type.text}"
    return f"{field.name}: {field.type.text} = {'...' if field.default is None else field.default}"


def _notes(field: Field) -> tuple[str, ...]:
    """The comment of a parameter; a default that the signature has is not repeated."""
    stated = not field.required and field.default is not None
    return field.type.notes if stated else (*field.type.notes, field.note)


def _docstring(text: str) -> str:
    escaped = re.sub(r'"(?=""|\Z)', r"\"", text.replace("\\", "\\\\"))
    return f'"""{escaped}"""\n' if "\n" not in escaped else f'"""{escaped}\n"""\n'
