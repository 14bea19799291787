"""Tools as the prompts of text formats write them: JSON, TypeScript, Python, XML elements, Gemma's braces."""

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from msgspec import Struct

from ...jsonschema import pointers
from ...jsonschema.json_values import JsonMapping, JsonObject
from ...runtime.standalone_schema import LITERALS, NAMED
from ...text_formats.text_format import TOOL_HOLES, Prompt, TextFormat, TypeScript
from .inert_text import Inert, inert

_Schema = JsonMapping
_LEVELS = 16
"""Levels of a schema that are written out."""

_HOLE = re.compile("|".join(rf"\{{{hole}\}}" for hole in TOOL_HOLES))
_LINE = "\n    "
"""A line break within an indented text."""


class ToolText(Struct, frozen=True):
    """The texts of a tool in a prompt. `parameters` is the JSON Schema of its arguments."""

    name: str
    description: str
    parameters: JsonObject


def prompt_text(format: TextFormat, prompt: Prompt, tools: list[ToolText]) -> str:
    """Write the prompt of a format for some tools, at least one, in their order."""
    safe = inert((format,))
    quote = next((form.quote for form in format.calls if form.content == "braces"), '"')
    braces = _DeclarationWriter(quote, prompt.empty_descriptions, safe)
    listed = prompt.join.join(_tool(each, prompt, braces, safe) for each in tools)
    before, _, after = prompt.text.partition("{tools}")
    return f"{before}{listed}{after}"


def _tool(tool: ToolText, prompt: Prompt, braces: "_DeclarationWriter", safe: Inert) -> str:
    def as_json(value: object) -> str:
        return safe.json(value, indent=prompt.indent, compact=prompt.compact)

    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    ways: Mapping[str, Callable[[], str]] = {
        "openai": lambda: as_json({"type": "function", "function": function}),
        "function": lambda: as_json(function),
        "name": lambda: safe.line(tool.name),
        "description": lambda: safe.text(tool.description, _LINE),
        "parameters": lambda: as_json(tool.parameters),
        "name-json": lambda: as_json(tool.name),
        "description-json": lambda: as_json(tool.description),
        "typescript": lambda: _typescript(_without_references(tool), prompt.typescript, safe),
        "elements": lambda: _elements(tool, safe),
        "declaration": lambda: braces.declaration(_without_references(tool)),
        "python": lambda: _function(_without_references(tool), safe),
        "signature": lambda: as_json(_signature(_without_references(tool))),
    }
    text = _HOLE.sub(lambda found: ways[found[0][1:-1]](), prompt.tool)
    return text.replace("\n", "\n" + " " * prompt.margin) if prompt.margin else text


_DEPTH = 32
_SIZE = 5_000
"""Values of a schema with its definitions written in."""


def _without_references(tool: ToolText) -> ToolText:
    """Replace references by their definitions.

    A definition within itself, and what exceeds the bounds, is the type alone: it takes more, never less.
    """
    parameters = _Inliner(tool.parameters).inline(tool.parameters, ())
    parameters.pop("$defs", None)
    return ToolText(tool.name, tool.description, parameters)


class _Inliner:
    def __init__(self, root: _Schema) -> None:
        self._root = root
        self._left = _SIZE

    def inline(self, schema: object, path: tuple[str, ...], *, named: bool = False, depth: int = 0) -> Any:
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
        made: JsonObject = {}
        for key, value in schema.items():
            if not named and (key in LITERALS or key == "$defs"):
                made[key] = value
            else:
                made[key] = self.inline(value, path, named=not named and key in NAMED, depth=depth + 1)
        return made

    def _target(self, reference: str) -> JsonObject:
        if not reference.startswith("#"):
            return {}
        try:
            found = pointers.resolve(self._root, reference[1:])
        except LookupError:
            return {}
        return found if isinstance(found, dict) else {}


def _properties(schema: _Schema) -> _Schema:
    found = schema.get("properties")
    return found if isinstance(found, Mapping) else {}


def _description(schema: object) -> str:
    found = schema.get("description") if isinstance(schema, Mapping) else None
    return found if isinstance(found, str) else ""


_ELEMENT = re.compile(r"[\w$.:-]{1,128}", re.ASCII)


def _elements(tool: ToolText, safe: Inert) -> str:
    """Write `<function>` with its name, its description and a `<parameter>` for each property."""
    lines = [
        "<function>",
        f"<name>{safe.line(tool.name)}</name>",
        f"<description>{safe.text(tool.description)}</description>",
        "<parameters>",
    ]
    for key, schema in _properties(tool.parameters).items():
        fields = schema if isinstance(schema, Mapping) else {}
        lines += ["<parameter>", f"<name>{safe.line(key)}</name>"]
        lines += [
            f"<{word}>{safe.text(str(fields[word]))}</{word}>"
            for word in ("type", "description")
            if word in fields
        ]
        lines += [*_others(fields, ("name", "type", "description"), safe), "</parameter>"]
    lines += [*_others(tool.parameters, ("type", "properties"), safe), "</parameters>", "</function>"]
    return "\n".join(lines)


def _others(schema: _Schema, but: Collection[str], safe: Inert) -> Iterator[str]:
    for key, value in schema.items():
        if key in but:
            continue
        text = safe.json(value) if isinstance(value, (dict, list)) else safe.text(str(value))
        # A keyword that is no name of an element is a stranger's: the schema means the same without it.
        if _ELEMENT.fullmatch(key):
            yield f"<{key}>{text}</{key}>"


_TYPESCRIPT_NAME = re.compile(r"[A-Za-z_$][\w$-]*", re.ASCII)
_BOUNDS = ("format", "maxItems", "maximum", "minItems", "minimum", "pattern")
_TITLES = {
    "maximum": "Maximum",
    "minimum": "Minimum",
    "maxLength": "Maximum length",
    "minLength": "Minimum length",
}
_TYPESCRIPT = {
    "string": "string",
    "number": "number",
    "integer": "number",
    "boolean": "boolean",
    "null": "null",
}


def _typescript(tool: ToolText, style: TypeScript, safe: Inert) -> str:
    """Write `type name = (_: {…}) => any;` under its description."""
    writer = _TypeScriptWriter(style, safe)
    comment = writer.comment(tool.description, "")
    if not tool.parameters.get("properties"):
        anything = "_: object" if tool.parameters.get("additionalProperties") is True else ""
        return f"{comment}type {safe.line(tool.name)} = ({anything}) => any;"
    body = writer.body(tool.parameters, style.indent, 0)
    return f"{comment}type {safe.line(tool.name)} = (_: {body}) => any;"


class _TypeScriptWriter:
    def __init__(self, style: TypeScript, safe: Inert) -> None:
        self._style = style
        self._safe = safe
        self._step = style.nested or style.indent

    def comment(self, text: str, blanks: str) -> str:
        lines = self._safe.text(text).split("\n")
        return "".join(f"{blanks}// {line}\n" for line in lines if line)

    def body(self, schema: _Schema, indent: int, depth: int) -> str:
        properties = _properties(schema)
        required = schema.get("required") or ()
        blanks = " " * indent
        last = len(properties) - 1
        lines = []
        for place, (name, value) in enumerate(properties.items()):
            known = value if isinstance(value, Mapping) else {}
            comma = "," if place < last or self._style.last_comma else ""
            key = name if _TYPESCRIPT_NAME.fullmatch(name) else self._safe.json(name)
            type_ = self._type(value, indent + self._step, depth)
            mark = "" if name in required else "?"
            line = f"{blanks}{key}{mark}: {type_}{comma}{self._default(known)}\n"
            lines.append(self._comments(known, blanks) + line)
        more = schema.get("additionalProperties")
        if isinstance(more, Mapping) or (more is True and self._style.bounds):
            lines.append(f"{blanks}[key: string]: {self._type(more, indent + self._step, depth)}\n")
        closing = " " * max(indent - self._step, 0)
        return "{\n" + "".join(lines) + closing + "}"

    def _comments(self, schema: _Schema, blanks: str) -> str:
        if self._style.sentences:
            return self.comment(self._sentences(schema), blanks)
        text = self.comment(_description(schema), blanks)
        if not self._style.bounds:
            return text
        bounds = (f"{key}: {self._safe.json(schema[key])}" for key in schema if key in _BOUNDS)
        return text + "".join(f"{blanks}// {bound}\n" for bound in bounds)

    def _sentences(self, schema: _Schema) -> str:
        words = _description(schema).strip()
        parts = [words if words.endswith(".") or not words else f"{words}."]
        if "default" in schema:
            parts.append(f"Default={json.dumps(schema['default'], ensure_ascii=False)}.")
        if "format" in schema:
            parts.append(f"Format={schema['format']}")
        parts += [f"{title}={schema[key]}" for key, title in _TITLES.items() if key in schema]
        return " ".join(part for part in parts if part)

    def _default(self, schema: _Schema) -> str:
        if "default" not in schema or self._style.sentences:
            return ""
        default = schema["default"]
        plain = isinstance(default, str) and "enum" in schema and not self._style.bounds
        return f" // default: {self._safe.line(default) if plain else self._safe.json(default)}"

    def _type(self, schema: object, indent: int, depth: int) -> str:
        return " | ".join(self._alternatives(schema, indent, depth))

    def _alternatives(self, schema: object, indent: int, depth: int) -> list[str]:
        if not isinstance(schema, Mapping) or depth > _LEVELS:
            return ["never" if schema is False else "any"]
        found: list[str] = []
        if "const" in schema:
            found = [self._safe.json(schema["const"])]
        elif isinstance(schema.get("enum"), list) and schema["enum"]:
            found = [self._safe.json(value) for value in schema["enum"]]
        else:
            branches = schema.get("anyOf") or schema.get("oneOf")
            for branch in branches if isinstance(branches, list) else ():
                found += self._alternatives(branch, indent, depth + 1)
        found = found or [self._kind(kind, schema, indent, depth) for kind in _kinds(schema)]
        return [*dict.fromkeys([*found, "null"] if schema.get("nullable") is True else found)]

    def _kind(self, kind: object, schema: _Schema, indent: int, depth: int) -> str:
        if kind == "array":
            inner = self._alternatives(schema.get("items", True), indent, depth + 1)
            return f"({' | '.join(inner)})[]" if len(inner) > 1 else f"{inner[0]}[]"
        if kind == "object":
            open_ = isinstance(schema.get("additionalProperties"), Mapping)
            return self.body(schema, indent, depth + 1) if schema.get("properties") or open_ else "object"
        return _TYPESCRIPT.get(kind, "any") if isinstance(kind, str) else "any"


def _kinds(schema: _Schema) -> list[object]:
    kinds = schema.get("type")
    if isinstance(kinds, list) and kinds:
        return kinds
    return [kinds or ("object" if "properties" in schema else "array" if "items" in schema else None)]


_PLAIN_KEY = re.compile(r"[\w$.-]{1,128}")


class _DeclarationWriter:
    def __init__(self, quote: str, empty: bool, safe: Inert) -> None:
        self._quote = quote
        self._empty = empty
        self._safe = safe

    def declaration(self, tool: ToolText) -> str:
        """Write `declaration:name{description:…,parameters:{…}}`."""
        parameters = tool.parameters
        shape = [f"properties:{{{self.properties(parameters, 0)}}}"] if parameters.get("properties") else []
        shape += self.required(parameters)
        shape.append(f"type:{self.string(str(parameters.get('type', 'object')).upper())}")
        what = f"description:{self.string(tool.description)},parameters:{{{','.join(shape)}}}"
        return f"declaration:{self._safe.line(tool.name)}{{{what}}}"

    def string(self, text: str) -> str:
        return f"{self._quote}{self._safe.text(text)}{self._quote}"

    def properties(self, schema: _Schema, depth: int) -> str:
        known = _properties(schema)
        return ",".join(f"{self._key(key)}:{self._property(known[key], depth)}" for key in _sorted(known))

    def required(self, schema: _Schema) -> list[str]:
        names = schema.get("required")
        if not isinstance(names, list) or not names:
            return []
        return [f"required:[{','.join(self.string(str(name)) for name in names)}]"]

    def _key(self, key: str) -> str:
        return key if _PLAIN_KEY.fullmatch(key) else self.string(key)

    def _property(self, schema: object, depth: int) -> str:
        if not isinstance(schema, Mapping) or depth > _LEVELS:
            return "{}"
        words = _description(schema)
        parts = [f"description:{self.string(words)}"] if words or self._empty else []
        kind, nullable = _kind_and_null(schema)
        if isinstance(schema.get("enum"), list):
            parts.append(f"enum:{self._value(schema['enum'])}")
        if kind == "array" and isinstance(schema.get("items"), Mapping) and schema["items"]:
            parts.append(f"items:{{{self._items(schema['items'], depth)}}}")
        if nullable:
            parts.append("nullable:true")
        if kind == "object":
            parts.append(f"properties:{{{self.properties(schema, depth + 1)}}}")
            parts += self.required(schema)
        parts += [f"{key}:{self._value(schema[key])}" for key in ("anyOf", "oneOf", "const") if key in schema]
        if kind is not None:
            parts.append(f"type:{self._type(kind)}")
        return f"{{{','.join(parts)}}}"

    def _items(self, schema: _Schema, depth: int) -> str:
        parts = []
        for key in _sorted(schema):
            value = schema[key]
            if key == "properties" and isinstance(value, Mapping):
                parts.append(f"properties:{{{self.properties(schema, depth + 1)}}}")
            elif key == "type" and isinstance(value, (str, list)):
                parts.append(f"type:{self._type(value)}")
            elif value is not None:
                parts.append(f"{self._key(key)}:{self._value(value)}")
        return ",".join(parts)

    def _type(self, kind: str | list[object]) -> str:
        if isinstance(kind, str):
            return self.string(kind.upper())
        return f"[{','.join(self.string(str(each).upper()) for each in kind)}]"

    def _value(self, value: object) -> str:
        if isinstance(value, str):
            return self.string(value)
        if isinstance(value, Mapping):
            members = (f"{self.string(key)}:{self._value(value[key])}" for key in _sorted(value))
            return f"{{{','.join(members)}}}"
        if isinstance(value, list):
            return f"[{','.join(self._value(item) for item in value)}]"
        return self._safe.json(value)


def _kind_and_null(schema: _Schema) -> tuple[str | list[object] | None, bool]:
    """Return the type without null, and whether null is one."""
    kinds = schema.get("type")
    nullable = schema.get("nullable") is True
    if not isinstance(kinds, list):
        return kinds if isinstance(kinds, str) else None, nullable
    others = [kind for kind in kinds if kind != "null"]
    return others[0] if len(others) == 1 else others, nullable or "null" in kinds


def _sorted(members: _Schema) -> list[str]:
    return sorted(members, key=str.lower)


_PYTHON_NAMES = {"string": "str", "number": "int", "integer": "int", "boolean": "bool", "array": "list"}
_PYTHON = {"string": "str", "number": "float", "integer": "int", "boolean": "bool"}
_PYTHON_NAME = re.compile(r"[^\W\d]\w*")


def _function(tool: ToolText, safe: Inert) -> str:
    """Write `def name(key: type):` for Seed-OSS: arguments are 必填 (required) or 选填 (optional)."""
    required = tool.parameters.get("required") or ()
    known = {key: _python_name(schema) for key, schema in _properties(tool.parameters).items()}
    keys = {key: key if _PYTHON_NAME.fullmatch(key) else safe.json(key) for key in known}
    listed = _open(tool.parameters) or ",".join(f"{keys[key]}: {kind}" for key, kind in known.items())
    head = f"def {safe.line(tool.name)}({listed}):"
    lines = [head, '    """', f"    {_documented(tool.description, _LINE, safe)}", ""]
    if known:
        lines.append("    Args:")
    for key, kind in known.items():
        described = _description(_properties(tool.parameters)[key])
        need = "必填" if key in required else "选填"
        lines.append(f"    - {keys[key]} ({kind}) [{need}]: {_documented(described, _LINE + '  ', safe)}")
    lines += ["", '    """'] if known else ["", "", '    """']
    return "\n".join(lines)


def _documented(text: str, then: str, safe: Inert) -> str:
    """Write text within a docstring, which it cannot end."""
    return safe.text(text, then).replace('"""', "&#34;&#34;&#34;")


def _signature(tool: ToolText) -> str:
    """Write `name(key: type) - description` with its arguments, as Hermes expects it."""
    types = {key: _python_type(schema, 0) for key, schema in _properties(tool.parameters).items()}
    listed = _open(tool.parameters) or ", ".join(f"{key}: {kind}" for key, kind in types.items())
    head = f"{tool.name}({listed}) - {tool.description}\n\n"
    if not types:
        return head
    described = (
        f"        {key}({kind}): {_description(_properties(tool.parameters)[key]).strip()}"
        for key, kind in types.items()
    )
    return f"{head}    Args:\n{''.join(described)}"


def _open(parameters: _Schema) -> str:
    """Return the parameter of a function that takes anything; else ""."""
    anything = parameters.get("additionalProperties") is True and not _properties(parameters)
    return "**arguments" if anything else ""


def _python_name(schema: object) -> str:
    kind = schema.get("type") if isinstance(schema, Mapping) else None
    return _PYTHON_NAMES.get(kind, "Any") if isinstance(kind, str) else "Any"


def _python_type(schema: Any, depth: int) -> str:
    kind = schema.get("type") if isinstance(schema, Mapping) and depth < _LEVELS else None
    if isinstance(kind, list):
        return f"Union[{','.join(_python_type({'type': each}, depth + 1) for each in kind)}]"
    if kind == "array":
        return f"list[{_python_type(schema.get('items'), depth + 1)}]"
    if kind == "object":
        values = schema.get("additionalProperties")
        return f"dict[str, {_python_type(values, depth + 1)}]" if isinstance(values, Mapping) else "dict"
    return _PYTHON.get(kind, "Any") if isinstance(kind, str) else "Any"
