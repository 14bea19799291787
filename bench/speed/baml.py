"""The same tools as BAML functions, for `baml-cli generate` to compile.

BAML says classes, lists, maps, unions and literals. What it has no words for is left out, and counted:
bounds, patterns, formats, defaults, closed objects and so on. A value of any type becomes text.
"""

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .material import Tool

VERSION = "0.226.3"
_SCALARS = {"string": "string", "integer": "int", "number": "float", "boolean": "bool", "null": "null"}
_SAID = {"type", "properties", "required", "items", "enum", "const", "anyOf", "oneOf", "description", "$ref"}
_SILENT = {"title", "$schema", "$defs", "definitions", "$comment", "examples", "example", "$id"}
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_DEPTH = 12


class Project:
    """A folder with `baml_src`; `left_out` counts the keywords that found no words."""

    def __init__(self, folder: Path, tools: list[Tool]) -> None:
        self.left_out: Counter[str] = Counter()
        self._source = folder / "baml_src"
        self._source.mkdir(parents=True)
        (self._source / "main.baml").write_text(_MAIN, encoding="utf-8")
        for tool in tools:
            self.write(tool)

    def write(self, tool: Tool) -> None:
        """Write the function of `tool`, or write it anew."""
        text, left_out = function(tool)
        self.left_out += left_out
        (self._source / f"{tool.name}.baml").write_text(text, encoding="utf-8")


def function(tool: Tool) -> tuple[str, Counter[str]]:
    """One tool as a BAML function that answers with its parameters, and what was left out."""
    name = "".join(part.capitalize() for part in tool.name.split("_"))
    classes = _Classes(name, tool.parameters)
    root = classes.of_object(tool.parameters, f"{name}Params", 0)
    prompt = re.sub(r"\{(?=[{%#])", "{ ", tool.description)
    body = f"{prompt}\n\n    {{{{ ctx.output_format }}}}\n\n    {{{{ request }}}}"
    ending = f"function {name}(request: string) -> {root} {{\n  client Main\n  prompt {_raw(body)}\n}}\n"
    return "\n".join([*classes.made, ending]), classes.left_out


class _Classes:
    """The classes of one function. Each nested object becomes one."""

    def __init__(self, prefix: str, document: Mapping[str, Any]) -> None:
        self.made: list[str] = []
        self.left_out: Counter[str] = Counter()
        self._prefix, self._document = prefix, document
        self._names: Counter[str] = Counter()
        self._known: dict[str, str] = {}

    def of_object(self, schema: Mapping[str, Any], name: str, depth: int) -> str:
        self._names[name] += 1
        if self._names[name] > 1:
            name = f"{name}{self._names[name]}"
        self._count(schema)
        required = schema.get("required", ())
        rows = []
        for number, (wire, each) in enumerate(schema.get("properties", {}).items()):
            kind = self.type_of(each, f"{self._prefix}{_title(wire)}", depth + 1)
            if wire not in required and not kind.endswith("?"):
                kind = f"{_wrapped(kind)}?"
            plain = _NAME.fullmatch(wire) and "_" in wire  # words of a dozen languages may be no names
            field = wire if plain else f"field_{number} {kind} @alias({_quoted(wire)})"
            described = each.get("description") if isinstance(each, dict) else None
            text = f" @description({_raw(described)})" if isinstance(described, str) and described else ""
            rows.append(f"  {field} {kind}{text}" if plain else f"  {field}{text}")
        self.made.append(f"class {name} {{\n" + "".join(f"{row}\n" for row in rows) + "}\n")
        return name

    def type_of(self, schema: Any, name: str, depth: int) -> str:
        if not isinstance(schema, dict) or depth > _DEPTH:
            self.left_out["any value"] += 1
            return "string"
        if isinstance(reference := schema.get("$ref"), str):
            return self._referred(reference, name, depth)
        self._count(schema) if "properties" not in schema else None
        if "const" in schema or "enum" in schema:
            members = [schema["const"]] if "const" in schema else schema["enum"]
            return self._literals(members)
        branches = schema.get("anyOf") or schema.get("oneOf")
        if isinstance(branches, list):
            return self._union([self.type_of(each, name, depth + 1) for each in branches])
        kinds = schema.get("type")
        if isinstance(kinds, list):
            return self._union([self.type_of({**schema, "type": kind}, name, depth + 1) for kind in kinds])
        if kinds == "array":
            item = self.type_of(schema.get("items", True), name, depth + 1)
            return f"{_wrapped(item)}[]"
        if "properties" in schema:
            return self.of_object(schema, name, depth)
        if kinds == "object":
            values = schema.get("additionalProperties")
            return f"map<string, {self.type_of(values, name, depth + 1) if values else 'string'}>"
        if kinds not in _SCALARS:
            self.left_out["any value"] += 1
        return _SCALARS.get(str(kinds), "string")

    def _referred(self, reference: str, name: str, depth: int) -> str:
        if reference in self._known:
            return self._known[reference]
        target: Any = self._document
        for step in reference.removeprefix("#").split("/")[1:]:
            step = step.replace("~1", "/").replace("~0", "~")
            target = target.get(step, True) if isinstance(target, dict) else True
        if isinstance(target, dict) and "properties" in target:  # it may lead back to itself
            self._known[reference] = f"{self._prefix}Ref{len(self._known)}"
            return self.of_object(target, self._known[reference], depth)
        return self.type_of(target, name, depth + 1)

    def _literals(self, members: list[Any]) -> str:
        said = [_quoted(each) for each in members if isinstance(each, str)]
        said += [str(each) for each in members if type(each) is int]
        self.left_out.update(["enum member"] * (len(members) - len(said) - (None in members)))
        return self._union(said + ["null"] * (None in members)) if said else "string"

    def _union(self, parts: list[str]) -> str:
        optional = any(part == "null" or part.endswith("?") for part in parts)
        parts = list(dict.fromkeys(_unwrapped(part) for part in parts if part != "null"))
        if not parts:
            return "null"
        whole = " | ".join(parts)
        return f"{_wrapped(whole)}?" if optional else whole

    def _count(self, schema: Mapping[str, Any]) -> None:
        is_map = "properties" not in schema and isinstance(schema.get("additionalProperties"), dict)
        words = set(schema) - _SAID - _SILENT - ({"additionalProperties"} if is_map else set())
        self.left_out.update(words)


def _wrapped(kind: str) -> str:
    plain = re.fullmatch(r"\w+(?:\[\])*|map<.*>(?:\[\])*|\(.*\)(?:\[\])+", kind) and not kind[0].isdigit()
    return kind if plain else f"({kind})"


def _unwrapped(kind: str) -> str:
    kind = kind.removesuffix("?")
    return kind[1:-1] if kind.startswith("(") and kind.endswith(")") else kind


def _title(wire: str) -> str:
    return "".join(part.capitalize() for part in re.findall(r"[A-Za-z0-9]+", wire)) or "Field"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _raw(text: str) -> str:
    """A raw string whose fence does not occur in the text."""
    longest = max((len(found) for found in re.findall(r'"(#+)', text)), default=0)
    fence = "#" * (longest + 1)
    return f'{fence}"{text}"{fence}'


_MAIN = f"""generator target {{
  output_type "python/pydantic"
  output_dir "../"
  version "{VERSION}"
  default_client_mode sync
}}

client<llm> Main {{
  provider "openai"
  options {{
    model "gpt-5"
    api_key env.OPENAI_API_KEY
  }}
}}
"""
