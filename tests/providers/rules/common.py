"""Rules that several providers share, as small functions; each takes a node and says what is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import jsonschema_rs

from .checker import Rule, Tool
from .nodes import Node, target

PYTHON_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,), "number": (int, float), "integer": (int,), "boolean": (bool,), "null": (type(None),),
    "object": (dict,), "array": (list,),
}  # fmt: skip
DRAFTS = {
    "2020-12": "https://json-schema.org/draft/2020-12/schema",
    "draft 7": "http://json-schema.org/draft-07/schema#",
}
LOOKAROUND = re.compile(r"\(\?<?[=!]")
BACKREFERENCE = re.compile(r"\\[1-9]|\\k<|\(\?P=")


def message(words: str, **values: Any) -> str:
    """`words` with its gaps filled. Other braces (patterns have them) stay as they are."""
    for key, value in values.items():
        words = words.replace(f"{{{key}}}", str(value)).replace(f"{{{key}!r}}", repr(value))
    return words


def members(allowed: set[str], words: str, *within: str) -> Callable[[Tool], Iterator[str]]:
    """Unknown members of a tool object, or of the object at `within`."""

    def rule(tool: Tool) -> Iterator[str]:
        held: Any = tool
        for key in within:
            held = held.get(key, {})
        for key in sorted(held.keys() - allowed):
            yield message(words, key=".".join((*within, key)))

    return rule


def named(pattern: str, words: str, *within: str) -> Callable[[Tool], Iterator[str]]:
    """The tool's name must fit `pattern` as a whole."""

    def rule(tool: Tool) -> Iterator[str]:
        held: Any = tool
        for key in within:
            held = held.get(key, {})
        if not isinstance(held.get("name"), str) or not re.fullmatch(pattern, held["name"]):
            yield message(words, name=held.get("name"))

    return rule


def object_root(words: str = "schema must have type 'object' at the top level") -> Rule:
    def rule(node: Node) -> Iterator[str]:
        if not node.path and node.types != ("object",):
            yield words

    return rule


def without_at_root(forbidden: Iterable[str], words: str) -> Rule:
    def rule(node: Node) -> Iterator[str]:
        for key in forbidden if not node.path else ():
            if key in node.schema:
                yield message(words, key=key)

    return rule


def without(forbidden: Iterable[str], words: str) -> Rule:
    listed = tuple(forbidden)

    def rule(node: Node) -> Iterator[str]:
        for key in listed:
            if key in node.schema:
                yield message(words, key=key)

    return rule


def only(allowed: Iterable[str], words: str) -> Rule:
    known = frozenset(allowed)

    def rule(node: Node) -> Iterator[str]:
        for key in sorted(node.schema.keys() - known):
            yield message(words, key=key)

    return rule


def listed(keywords: Iterable[str], words: str = "{key} is taken and not enforced") -> Rule:
    """For `unenforced`: says which of these keywords are there."""
    return without(keywords, words)


def beyond(known: Iterable[str], words: str = "{key} is taken and not enforced") -> Rule:
    """For `unenforced`: says which keywords are none of these."""
    return only(known, words)


def formats(allowed: Iterable[str], words: str) -> Rule:
    known = frozenset(allowed)

    def rule(node: Node) -> Iterator[str]:
        if "format" in node.schema and node.schema["format"] not in known:
            yield message(words, format=node.schema["format"])

    return rule


def resolvable(node: Node) -> Iterator[str]:
    reference = node.schema.get("$ref")
    if reference is not None and not isinstance(target(node.root, reference), (dict, bool)):
        yield f"reference {reference!r} cannot be resolved"


def closed(words: str) -> Rule:
    def rule(node: Node) -> Iterator[str]:
        if "object" in node.types and node.schema.get("additionalProperties") is not False:
            yield words

    return rule


def items_stated(words: str) -> Rule:
    def rule(node: Node) -> Iterator[str]:
        if "array" in node.types and "items" not in node.schema:
            yield words

    return rule


def properties_stated(words: str, *, least: int = 0, nested: bool = False) -> Rule:
    """Every object carries `properties`, with at least `least`; `nested`: the root may go without."""

    def rule(node: Node) -> Iterator[str]:
        if "object" not in node.types or (nested and not node.path):
            return
        if not isinstance(node.schema.get("properties"), dict) or len(node.properties) < least:
            yield words

    return rule


def declared_required(words: str, *, whole: bool = True) -> Rule:
    """`required` names declared properties only. Not `whole`: fragments without properties may be there."""

    def rule(node: Node) -> Iterator[str]:
        for i, name in enumerate(node.required if whole or "properties" in node.schema else ()):
            if name not in node.properties:
                yield message(words, i=i, name=name)

    return rule


def all_required(missing: str, extra: str) -> Rule:
    def rule(node: Node) -> Iterator[str]:
        if "object" not in node.types:
            return
        for name in node.properties.keys() - set(node.required):
            yield missing.format(name=name)
        for name in set(node.required) - node.properties.keys():
            yield extra.format(name=name)

    return rule


def property_names(pattern: str, words: str) -> Rule:
    """Every declared name fits `pattern` as a whole."""

    def rule(node: Node) -> Iterator[str]:
        for name in node.properties:
            if not re.fullmatch(pattern, name):
                yield message(words, name=name)

    return rule


def typed(words: str, *, instead: Iterable[str] = ("anyOf", "$ref")) -> Rule:
    """A node states a type, or something that stands in for it."""
    others = tuple(instead)

    def rule(node: Node) -> Iterator[str]:
        if not node.types and not any(key in node.schema for key in others):
            yield words

    return rule


def known_types(words: str) -> Rule:
    def rule(node: Node) -> Iterator[str]:
        stated = node.schema.get("type", [])
        for kind in stated if isinstance(stated, list) else [stated]:
            if kind not in PYTHON_TYPES:
                yield message(words, kind=kind)

    return rule


def single_type(words: str) -> Rule:
    def rule(node: Node) -> Iterator[str]:
        if isinstance(node.schema.get("type"), list):
            yield words

    return rule


def literals(node: Node) -> list[Any]:
    """The values of `enum` and `const`."""
    held = node.schema.get("enum")
    return [*(held if isinstance(held, list) else ()), *(
        [node.schema["const"]] if "const" in node.schema else []
    )]  # fmt: skip


def fits(value: Any, types: tuple[str, ...]) -> bool:
    """Whether a literal is of one of the types."""
    if isinstance(value, bool):
        return "boolean" in types
    if isinstance(value, float) and value.is_integer() and "integer" in types:
        return True
    return isinstance(value, tuple(kind for name in types for kind in PYTHON_TYPES.get(name, ())))


def fitting_literals(words: str) -> Rule:
    def rule(node: Node) -> Iterator[str]:
        for value in literals(node) if node.types else ():
            if not fits(value, node.types):
                yield message(words, value=value, types=list(node.types))

    return rule


def scalar_literals(words: str) -> Rule:
    def rule(node: Node) -> Iterator[str]:
        for value in literals(node):
            if isinstance(value, (dict, list)):
                yield words

    return rule


def nonempty(keys: Iterable[str], words: str) -> Rule:
    checked = tuple(keys)

    def rule(node: Node) -> Iterator[str]:
        for key in checked:
            if node.schema.get(key) == []:
                yield message(words, key=key)

    return rule


def lone_reference(words: str, *, allowed: Callable[[str], bool] = lambda _: False) -> Rule:
    def rule(node: Node) -> Iterator[str]:
        if "$ref" in node.schema:
            beside = {key for key in node.schema if key != "$ref" and not allowed(key)}
            if beside:
                yield message(words, beside=beside)

    return rule


def references(pattern: str, words: str) -> Rule:
    def rule(node: Node) -> Iterator[str]:
        if "$ref" in node.schema and not re.fullmatch(pattern, str(node.schema["$ref"])):
            yield words

    return rule


def patterns(forbidden: re.Pattern[str], words: str) -> Rule:
    def rule(node: Node) -> Iterator[str]:
        held = node.schema.get("pattern")
        if isinstance(held, str) and forbidden.search(held):
            yield words

    return rule


def python_patterns(node: Node) -> Iterator[str]:
    keyed = node.schema.get("patternProperties")
    for pattern in (node.schema.get("pattern"), *(keyed if isinstance(keyed, dict) else ())):
        try:
            re.compile(pattern or "")
        except (re.error, TypeError):
            yield f"'{pattern}' is not a 'regex'."


def valid(draft: str, words: str) -> Rule:
    """The whole document must be valid under the meta-schema of `draft`."""

    def rule(node: Node) -> Iterator[str]:
        if node.path:
            return
        try:
            jsonschema_rs.meta.validate({**node.schema, "$schema": DRAFTS[draft]})
        except (jsonschema_rs.ValidationError, ValueError) as error:
            yield f"{words} ({str(error)[:160]})"

    return rule


def at_root(whole: Callable[[Any], Iterable[str]]) -> Rule:
    """A rule about the document as a whole."""
    return lambda node: () if node.path else whole(node.schema)


def no_boolean(words: str) -> Rule:
    return lambda node: [message(words, value=str(node.schema).lower())]
