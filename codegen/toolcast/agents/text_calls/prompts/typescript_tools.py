"""A tool as a TypeScript type with comments."""

import json
import re
from collections.abc import Mapping
from typing import Any

from ..text_format import TypeScript
from .inert_text import Inert

_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$-]*", re.ASCII)
_BOUNDS = ("format", "maxItems", "maximum", "minItems", "minimum", "pattern")
_TITLES = {
    "maximum": "Maximum",
    "minimum": "Minimum",
    "maxLength": "Maximum length",
    "minLength": "Minimum length",
}
_TYPES = {"string": "string", "number": "number", "integer": "number", "boolean": "boolean", "null": "null"}
_DEPTH = 16

Schema = Mapping[str, Any]


def typescript(name: str, description: str, parameters: Schema, style: TypeScript, safe: Inert) -> str:
    """Write a tool: `type name = (_: {…}) => any;` under its description.

    Args:
        name: the tool's name.
        description: what it does; each line is a comment.
        parameters: schema of the arguments, without references.
        style: details.
        safe: makes texts inert.
    """
    writer = _Writer(style, safe)
    comment = writer.comment(description, "")
    if not parameters.get("properties"):
        anything = "_: object" if parameters.get("additionalProperties") is True else ""
        return f"{comment}type {safe.line(name)} = ({anything}) => any;"
    body = writer.body(parameters, style.indent, 0)
    return f"{comment}type {safe.line(name)} = (_: {body}) => any;"


class _Writer:
    def __init__(self, style: TypeScript, safe: Inert) -> None:
        self._style = style
        self._safe = safe
        self._step = style.nested or style.indent

    def comment(self, text: str, blanks: str) -> str:
        """The lines of a text as comments, without those that are empty."""
        lines = self._safe.text(text).split("\n")
        return "".join(f"{blanks}// {line}\n" for line in lines if line)

    def body(self, schema: Schema, indent: int, depth: int) -> str:
        """An object's type: one line for each property."""
        properties = schema.get("properties") or {}
        required = schema.get("required") or ()
        blanks = " " * indent
        last = len(properties) - 1
        lines = []
        for place, (name, value) in enumerate(properties.items()):
            known = value if isinstance(value, Mapping) else {}
            comma = "," if place < last or self._style.last_comma else ""
            key = name if _IDENTIFIER.fullmatch(name) else self._safe.json(name)
            type_ = self._type(value, indent + self._step, depth)
            mark = "" if name in required else "?"
            line = f"{blanks}{key}{mark}: {type_}{comma}{self._default(known)}\n"
            lines.append(self._comments(known, blanks) + line)
        more = schema.get("additionalProperties")
        if isinstance(more, Mapping) or (more is True and self._style.bounds):
            lines.append(f"{blanks}[key: string]: {self._type(more, indent + self._step, depth)}\n")
        closing = " " * max(indent - self._step, 0)
        return "{\n" + "".join(lines) + closing + "}"

    def _comments(self, schema: Schema, blanks: str) -> str:
        described = schema.get("description")
        if self._style.sentences:
            return self.comment(self._sentences(schema), blanks)
        text = self.comment(described, blanks) if isinstance(described, str) else ""
        if not self._style.bounds:
            return text
        bounds = (f"{key}: {self._safe.json(schema[key])}" for key in schema if key in _BOUNDS)
        return text + "".join(f"{blanks}// {bound}\n" for bound in bounds)

    def _sentences(self, schema: Schema) -> str:
        described = schema.get("description")
        words = described.strip() if isinstance(described, str) else ""
        parts = [words if words.endswith(".") or not words else f"{words}."]
        if "default" in schema:
            parts.append(f"Default={json.dumps(schema['default'], ensure_ascii=False)}.")
        if "format" in schema:
            parts.append(f"Format={schema['format']}")
        parts += [f"{title}={schema[key]}" for key, title in _TITLES.items() if key in schema]
        return " ".join(part for part in parts if part)

    def _default(self, schema: Schema) -> str:
        if "default" not in schema or self._style.sentences:
            return ""
        default = schema["default"]
        plain = isinstance(default, str) and "enum" in schema and not self._style.bounds
        return f" // default: {self._safe.line(default) if plain else self._safe.json(default)}"

    def _type(self, schema: Any, indent: int, depth: int) -> str:
        return " | ".join(self._alternatives(schema, indent, depth))

    def _alternatives(self, schema: Any, indent: int, depth: int) -> list[str]:
        """The types of which the value has one, each once."""
        if not isinstance(schema, Mapping) or depth > _DEPTH:
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

    def _kind(self, kind: Any, schema: Schema, indent: int, depth: int) -> str:
        if kind == "array":
            inner = self._alternatives(schema.get("items", True), indent, depth + 1)
            return f"({' | '.join(inner)})[]" if len(inner) > 1 else f"{inner[0]}[]"
        if kind == "object":
            open_ = isinstance(schema.get("additionalProperties"), Mapping)
            return self.body(schema, indent, depth + 1) if schema.get("properties") or open_ else "object"
        return _TYPES.get(kind, "any") if isinstance(kind, str) else "any"


def _kinds(schema: Schema) -> list[Any]:
    kinds = schema.get("type")
    if isinstance(kinds, list) and kinds:
        return kinds
    return [kinds or ("object" if "properties" in schema else "array" if "items" in schema else None)]
