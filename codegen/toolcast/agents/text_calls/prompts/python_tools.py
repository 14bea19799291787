"""A tool as a Python function with its docstring."""

import re
from collections.abc import Mapping
from typing import Any

from .inert_text import Inert

_LINE = "\n    "
_NAMES = {"string": "str", "number": "int", "integer": "int", "boolean": "bool", "array": "list"}
_TYPES = {"string": "str", "number": "float", "integer": "int", "boolean": "bool"}
_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_DEPTH = 16

Schema = Mapping[str, Any]


def function_text(name: str, description: str, parameters: Schema, safe: Inert) -> str:
    """Write a tool as `def name(key: type):` with a docstring that marks each argument 必填 (required) or
    选填 (optional), as Seed-OSS expects it.

    Args:
        name: the tool's name.
        description: what it does.
        parameters: schema of the arguments, without references.
        safe: makes texts inert.
    """
    required = parameters.get("required") or ()
    known = {key: _python_name(schema) for key, schema in _properties(parameters).items()}
    keys = {key: key if _IDENTIFIER.fullmatch(key) else safe.json(key) for key in known}
    listed = _open(parameters) or ",".join(f"{keys[key]}: {kind}" for key, kind in known.items())
    head = f"def {safe.line(name)}({listed}):"
    lines = [head, '    """', f"    {_documented(description, _LINE, safe)}", ""]
    if known:
        lines.append("    Args:")
    for key, kind in known.items():
        described = _description(_properties(parameters)[key])
        need = "必填" if key in required else "选填"
        lines.append(f"    - {keys[key]} ({kind}) [{need}]: {_documented(described, _LINE + '  ', safe)}")
    lines += ["", '    """'] if known else ["", "", '    """']
    return "\n".join(lines)


def _documented(text: str, then: str, safe: Inert) -> str:
    """Text within a docstring, which it cannot end."""
    return safe.text(text, then).replace('"""', "&#34;&#34;&#34;")


def signature(name: str, description: str, parameters: Schema) -> str:
    """Write a tool's description as `name(key: type) - description` with its arguments, as Hermes expects it.

    Args:
        name: the tool's name.
        description: what it does.
        parameters: schema of the arguments, without references.
    """
    types = {key: _python_type(schema, 0) for key, schema in _properties(parameters).items()}
    listed = _open(parameters) or ", ".join(f"{key}: {kind}" for key, kind in types.items())
    head = f"{name}({listed}) - {description}\n\n"
    if not types:
        return head
    described = (
        f"        {key}({kind}): {_description(_properties(parameters)[key]).strip()}"
        for key, kind in types.items()
    )
    return f"{head}    Args:\n{''.join(described)}"


def _open(parameters: Schema) -> str:
    """The parameter of a function that takes anything; "" where it takes something else, or nothing."""
    anything = parameters.get("additionalProperties") is True and not _properties(parameters)
    return "**arguments" if anything else ""


def _properties(parameters: Schema) -> Mapping[str, Any]:
    found = parameters.get("properties")
    return found if isinstance(found, Mapping) else {}


def _description(schema: Any) -> str:
    found = schema.get("description") if isinstance(schema, Mapping) else None
    return found if isinstance(found, str) else ""


def _python_name(schema: Any) -> str:
    kind = schema.get("type") if isinstance(schema, Mapping) else None
    return _NAMES.get(kind, "Any") if isinstance(kind, str) else "Any"


def _python_type(schema: Any, depth: int) -> str:
    kind = schema.get("type") if isinstance(schema, Mapping) and depth < _DEPTH else None
    if isinstance(kind, list):
        return f"Union[{','.join(_python_type({'type': each}, depth + 1) for each in kind)}]"
    if kind == "array":
        return f"list[{_python_type(schema.get('items'), depth + 1)}]"
    if kind == "object":
        values = schema.get("additionalProperties")
        return f"dict[str, {_python_type(values, depth + 1)}]" if isinstance(values, Mapping) else "dict"
    return _TYPES.get(kind, "Any") if isinstance(kind, str) else "Any"
