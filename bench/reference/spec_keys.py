"""The page of the keys of a spec, from the JSON Schema of the format that editors read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml
from toolcast.providers import available
from toolcast.spec.editor_schema import format_schema
from toolcast.spec.keys import EXAMPLE, KEYS, Key

from .markdown import escaped, fenced, table

_HEAD = """\
# Keys of a spec

Every key of [a spec](specs.md), from the JSON Schema that `toolcast schema` prints. A key has no
default unless one is stated. Each example can be added to this spec (`input` in place of its `parameters`):
"""
_KEYWORDS = """\
## Keywords of schemas

Keywords that editors know in `parameters` and `result` ([in Python](specs.md#parameters)):
"""


def schema() -> dict[str, Any]:
    """The schema of the format, with the built-in providers."""
    return format_schema(frozenset(available()))


def spec_keys() -> str:
    """The page."""
    found = schema()
    keys = ", ".join(f"[`{name}`](#{name.lstrip('$')})" for name in KEYS)
    parts = [_HEAD, fenced(_yaml(EXAMPLE), "yaml"), f"Keys: {keys}.\n"]
    for name, key in KEYS.items():
        parts += _section(key, found["properties"][name], _required(key, found))
    words = found["$defs"]["schema"]["properties"]
    rows = [
        [f"`{word}`", escaped(each["description"]), _line({word: each["examples"][0]})]
        for word, each in words.items()
    ]
    parts += [_KEYWORDS, table(["keyword", "meaning", "example"], rows)]
    return "\n".join(parts)


def _section(key: Key, found: dict[str, Any], required: str) -> list[str]:
    facts = [
        _type(found),
        f"required: {required}" if required else "",
        f"default: {key.default}" if key.default else "",
    ]
    stated = "; ".join(each for each in facts if each)
    shown = f"{escaped(key.text)} *{stated[:1].upper()}{stated[1:]}.*"
    if key.page:
        shown += f" See [{_label(key.page)}]({key.page})."
    parts = [f"## {key.name}\n", f"{shown}\n"]
    parts += [fenced(_yaml({key.name: example}), "yaml") for example in found["examples"]]
    below = list(_below(key.name, found))
    return [*parts, table(["key", "value", "meaning"], below)] if below else parts


def _below(path: str, found: dict[str, Any]) -> Iterator[list[str]]:
    """The keys inside of a key, with their paths; where keys are free, `…` stands for one."""
    entries = dict(found.get("properties", {})) if "$ref" not in found else {}
    if len({id(each) for each in entries.values()}) == 1 < len(entries):
        entries = {"…": next(iter(entries.values()))}  # any of many names, such as those of providers
    free = found.get("additionalProperties")
    if isinstance(free, dict):
        entries["…"] = free
    for name, each in entries.items():
        at = f"{path}.{name}"
        if "description" in each:
            yield [f"`{at}`", _type(each), escaped(each["description"])]
        yield from _below(at, each)
    for each in (found.get("items"), *found.get("anyOf", ())):
        if isinstance(each, dict):
            yield from _below(f"{path}[]" if each is found.get("items") else path, each)


def _label(target: str) -> str:
    return target.rpartition("#")[2].removesuffix(".md").replace("-", " ")


def _required(key: Key, found: dict[str, Any]) -> str:
    if key.required:
        return "yes"
    return "one of the two" if {"required": [key.name]} in found["anyOf"] else ""


def _type(found: dict[str, Any]) -> str:
    """What a value is, in words."""
    if "const" in found:
        return f"`{found['const']}`"
    if "enum" in found:
        *others, last = (f"`{each}`" for each in found["enum"])
        return f"{', '.join(others)} or {last}" if others else last
    if found.get("$ref") == "#/$defs/schema":
        return "a JSON Schema"
    if "anyOf" in found and "type" not in found:
        return " or ".join(dict.fromkeys(_type(each) for each in found["anyOf"]))
    kinds = found.get("type", [])
    return (
        " or ".join(_kind(kind, found) for kind in ([kinds] if isinstance(kinds, str) else kinds))
        or "anything"
    )


def _kind(kind: str, found: dict[str, Any]) -> str:
    if kind == "array" and "items" in found:
        return f"a list, each {_type(found['items'])}"
    if kind == "object" and isinstance(found.get("additionalProperties"), dict):
        return f"a mapping to {_type(found['additionalProperties'])}"
    return {
        "array": "a list",
        "boolean": "true or false",
        "integer": "a whole number",
        "null": "null",
        "number": "a number",
        "object": "a mapping",
        "string": "a string",
    }[kind]


def _line(value: Any) -> str:
    """A mapping with one key as code in a line."""
    ((key, item),) = value.items()
    text = yaml.safe_dump(
        {key: item}, default_flow_style=True, sort_keys=False, width=1000, allow_unicode=True
    )
    return f"`{text.strip()[1:-1]}`"


def _yaml(value: Any) -> str:
    """A mapping with a line for each key; short values stand on one line."""
    options: dict[str, Any] = {"allow_unicode": True, "width": 100}
    node = yaml.compose(yaml.safe_dump(value, sort_keys=False, default_flow_style=None, **options))
    node.flow_style = False
    text = yaml.serialize(node, Dumper=yaml.SafeDumper, **options)
    assert isinstance(text, str)
    return text
