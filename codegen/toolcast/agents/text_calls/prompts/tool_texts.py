"""One tool as the prompt of a text format writes it: its schema without references, or XML elements."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from msgspec import Struct

from ....jsonschema import pointers
from ....runtime.standalone_schema import LITERALS, NAMED
from ..text_format import TOOL_HOLES, Prompt, TextFormat
from .declaration_tools import declaration
from .inert_text import Inert, inert
from .python_tools import function_text, signature
from .typescript_tools import typescript

_DEPTH = 32
_SIZE = 5_000


def inlined(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with the definitions in place of references to them, for a form without references.

    A definition within itself, and what exceeds the bounds, is the type alone: it takes more, never less.
    """
    made: dict[str, Any] = _Inliner(schema).inline(schema, ())
    made.pop("$defs", None)
    return made


class _Inliner:
    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._left = _SIZE

    def inline(self, schema: Any, path: tuple[str, ...], *, named: bool = False, depth: int = 0) -> Any:
        """`path`: the references that led here. `named`: the keys are names."""
        self._left -= 1
        if isinstance(schema, list):
            return [self.inline(item, path, depth=depth + 1) for item in schema]
        if not isinstance(schema, dict):
            return schema
        if not named and isinstance(schema.get("$ref"), str):
            reference = schema["$ref"]
            target = self._target(reference)
            beside = {key: value for key, value in schema.items() if key != "$ref"}
            if reference in path or depth > _DEPTH or self._left < 0:
                schema = {**{key: target[key] for key in ("type", "description") if key in target}, **beside}
            else:
                schema, path = {**target, **beside}, (*path, reference)
                if "$ref" in target:
                    return self.inline(schema, path, depth=depth + 1)
        made: dict[str, Any] = {}
        for key, value in schema.items():
            if not named and (key in LITERALS or key == "$defs"):
                made[key] = value
            else:
                made[key] = self.inline(value, path, named=not named and key in NAMED, depth=depth + 1)
        return made

    def _target(self, reference: str) -> dict[str, Any]:
        if not reference.startswith("#"):
            return {}
        try:
            found = pointers.resolve(self._root, reference[1:])
        except LookupError:
            return {}
        return found if isinstance(found, dict) else {}


_ELEMENT = re.compile(r"[\w$.:-]{1,128}", re.ASCII)


def elements(name: str, description: str, parameters: Mapping[str, Any], safe: Inert) -> str:
    """Write a tool: `<function>` with its name, its description and a `<parameter>` for each property.

    Args:
        name: the tool's name.
        description: what it does.
        parameters: schema of the arguments. Its keywords are elements, too.
        safe: makes texts inert.
    """
    lines = [
        "<function>",
        f"<name>{safe.line(name)}</name>",
        f"<description>{safe.text(description)}</description>",
    ]
    lines.append("<parameters>")
    properties = parameters.get("properties")
    for key, schema in (properties if isinstance(properties, Mapping) else {}).items():
        fields = schema if isinstance(schema, Mapping) else {}
        lines += ["<parameter>", f"<name>{safe.line(key)}</name>"]
        lines += _fields(fields, ("type", "description"), safe)
        lines += [*_others(fields, ("name", "type", "description"), safe), "</parameter>"]
    lines += [*_others(parameters, ("type", "properties"), safe), "</parameters>", "</function>"]
    return "\n".join(lines)


def _fields(schema: Mapping[str, Any], keys: Collection[str], safe: Inert) -> Iterator[str]:
    for key in keys:
        if key in schema:
            yield f"<{key}>{safe.text(str(schema[key]))}</{key}>"


def _others(schema: Mapping[str, Any], but: Collection[str], safe: Inert) -> Iterator[str]:
    for key, value in schema.items():
        if key in but:
            continue
        text = safe.json(value) if isinstance(value, (dict, list)) else safe.text(str(value))
        # A keyword that is no name of an element is a stranger's: the schema means the same without it.
        if _ELEMENT.fullmatch(key):
            yield f"<{key}>{text}</{key}>"


_HOLE = re.compile("|".join(rf"\{{{hole}\}}" for hole in TOOL_HOLES))
_MORE_LINES = "\n    "


class ToolText(Struct, frozen=True):
    """What a prompt says of one tool.

    Attributes:
        name: the tool's name.
        description: what it does.
        parameters: JSON Schema of the arguments.
    """

    name: str
    description: str
    parameters: dict[str, Any]


def prompt_text(format: TextFormat, prompt: Prompt, tools: list[ToolText]) -> str:
    """The prompt of a format for some tools, in their order.

    Args:
        format: the format, whose markers no tool can hold.
        prompt: its prompt.
        tools: at least one tool.
    """
    safe = inert((format,))
    listed = prompt.join.join(_tool(each, prompt, safe) for each in tools)
    before, _, after = prompt.text.partition("{tools}")
    return f"{before}{listed}{after}"


def _tool(tool: ToolText, prompt: Prompt, safe: Inert) -> str:
    def json(value: Any) -> str:
        return safe.json(value, indent=prompt.indent, compact=prompt.compact)

    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    ways: Mapping[str, Callable[[], str]] = {
        "openai": lambda: json({"type": "function", "function": function}),
        "function": lambda: json(function),
        "name": lambda: safe.line(tool.name),
        "description": lambda: safe.text(tool.description, _MORE_LINES),
        "parameters": lambda: json(tool.parameters),
        "name-json": lambda: json(tool.name),
        "description-json": lambda: json(tool.description),
        "typescript": lambda: typescript(
            tool.name, tool.description, inlined(tool.parameters), prompt.typescript, safe
        ),
        "elements": lambda: elements(tool.name, tool.description, tool.parameters, safe),
        "declaration": lambda: declaration(
            tool.name, tool.description, inlined(tool.parameters), prompt.declaration, safe
        ),
        "python": lambda: function_text(tool.name, tool.description, inlined(tool.parameters), safe),
        "signature": lambda: json(signature(tool.name, tool.description, inlined(tool.parameters))),
    }
    text = _HOLE.sub(lambda found: ways[found[0][1:-1]](), prompt.tool)
    return text.replace("\n", "\n" + " " * prompt.margin) if prompt.margin else text
