"""JSON values as JavaScript source. No text of a value can end its literal or hide in it."""

import json
import re
from collections.abc import Mapping
from typing import Any

WIDTH = 100
"""Characters of the longest object or array on one line."""
_SAFE = 2**53 - 1
_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
RESERVED = frozenset((
    "arguments", "await", "break", "case", "catch", "class", "const", "continue", "debugger", "default",
    "delete", "do", "else", "enum", "eval", "export", "extends", "false", "finally", "for", "function",
    "if", "implements", "import", "in", "instanceof", "interface", "let", "new", "null", "package",
    "private", "protected", "public", "return", "static", "super", "switch", "this", "throw", "true",
    "try", "typeof", "undefined", "var", "void", "while", "with", "yield",
))  # fmt: skip
"""Words that no variable of a module can be named."""


def literal(value: Any, indent: str = "") -> str:
    """A JSON value as a JavaScript expression.

    Args:
        value: a JSON value.
        indent: blanks before the lines after the first.

    Returns:
        The source. An integer past 2**53 is a bigint.
    """
    flat = _flat(value)
    if len(flat) + len(indent) <= WIDTH or not isinstance(value, (Mapping, list, tuple)) or not value:
        return flat
    inner = indent + "  "
    if isinstance(value, Mapping):
        rows = [f"{inner}{property_name(name)}: {literal(item, inner)},\n" for name, item in value.items()]
        return "{\n" + "".join(rows) + indent + "}"
    return "[\n" + "".join(f"{inner}{literal(item, inner)},\n" for item in value) + indent + "]"


def property_name(name: str) -> str:
    """The name of a property in an object literal. `__proto__` is computed: plain, it sets the prototype."""
    if name == "__proto__":
        return '["__proto__"]'
    return name if _IDENTIFIER.fullmatch(name) else text(name)


def text(value: str) -> str:
    """A string literal. Characters that a reader does not see are escaped, by their UTF-16 code units."""
    return "".join(
        character if character.isprintable() else _escaped(character)
        for character in json.dumps(value, ensure_ascii=False)
    )


def variable_name(name: str) -> str:
    """The variable of a tool, which is unique where `name` is: a reserved word gets a `$`."""
    return f"{name}$" if name in RESERVED else name


def _flat(value: Any) -> str:
    if isinstance(value, str):
        return text(value)
    if isinstance(value, Mapping):
        members = ", ".join(f"{property_name(name)}: {_flat(item)}" for name, item in value.items())
        return f"{{ {members} }}" if members else "{}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_flat, value))}]"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > _SAFE:
        return f"{value}n"
    return json.dumps(value, allow_nan=False)


def _escaped(character: str) -> str:
    units = character.encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
