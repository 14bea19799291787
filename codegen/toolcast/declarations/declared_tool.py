"""Tools and schemas as both languages declare them: free names, comments, members, inlined definitions."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from textwrap import dedent
from typing import Any, NamedTuple

from msgspec import Struct

from ..hidden_characters import escape_hidden, without_hidden
from ..jsonschema.pointers import escape, unescape
from ..jsonschema.subschemas import map_subschemas, subschemas


class FreeNames:
    """The names of a namespace: each is taken once. Taking n names takes time in proportion to n, whatever
    they are."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        """`taken`: names that are in use."""
        self._taken = set(taken)
        self._numbers: dict[str, int] = {}  # all smaller ones are taken

    def take(self, name: str, separator: str = "") -> str:
        """Take a name, or where it is in use, one with a number.

        Args:
            name: the name.
            separator: what stands before a number.

        Returns:
            The name itself, or with the smallest number from 2 with which it is free.
        """
        made = name
        if made in self._taken:
            stem = f"{name}{separator}"
            number = self._numbers.get(stem, 2)
            while (made := f"{stem}{number}") in self._taken:
                number += 1
            self._numbers[stem] = number + 1
        self._taken.add(made)
        return made


_ENDS = ".!?:;。！？…"


def joined(sentences: Sequence[str]) -> str:
    """Join sentences to one text, without characters that a reader of source code does not see.

    Args:
        sentences: what to say, each once; empty ones are left out.

    Returns:
        The text; its lines end with line feeds, and those after the first have no indentation in common.
    """
    text = ""
    for sentence in dict.fromkeys(sentences):
        if not sentence or _stands_in(sentence, text):
            continue
        if text:
            text = text.rstrip()
            text += ("" if text.endswith(tuple(_ENDS)) else ".") + ("\n" if "\n" in text else " ")
        text += sentence
    first, feed, rest = without_hidden(text.replace("\r\n", "\n").replace("\r", "\n")).strip().partition("\n")
    return first + feed + dedent(rest)


def _stands_in(sentence: str, text: str) -> bool:
    """Whether a sentence stands in a text, not as the beginning or the end of other words: `Default: 1.` is
    not said by `Default: 1.5`."""
    place = text.find(sentence)
    while place >= 0:
        end = place + len(sentence)
        if not f"{text[max(place - 1, 0) : place]}{text[end : end + 1]}".strip():
            return True
        place = text.find(sentence, end)
    return False


def bounds_of_items(schema: Mapping[str, Any]) -> tuple[int, int | None]:
    """The least and the greatest number of items; None without one. JSON Schema lets 2.0 be an integer."""
    most = schema.get("maxItems")
    return int(schema.get("minItems", 0)), None if most is None else int(most)


def count_of_items(least: int, most: int | None) -> str:
    """`Must have 1 to 3 items.`; empty where any number will do."""
    if most is None:
        return f"Must have at least {_items(least)}." if least else ""
    if least == most:
        return f"Must have exactly {_items(most)}."
    return f"Must have {least} to {_items(most)}." if least else f"Must have at most {_items(most)}."


def _items(count: int) -> str:
    return f"{count} item" if count == 1 else f"{count} items"


def compact_json(value: Any) -> str:
    """JSON on one line, in which no character is hidden."""
    return escape_hidden(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def code(pattern: str) -> str:
    """A pattern in backticks, or as JSON where it has one."""
    plain = pattern.isprintable() and "`" not in pattern
    return f"`{pattern}`" if plain else compact_json(pattern)


class ObjectMembers(NamedTuple):
    """What an object has.

    Attributes:
        properties: schemas by name; a required property that is not declared is free, or allowed by none.
        required: names of required properties.
        patterns: schemas of other keys, by pattern.
        others: schema of all further keys; None where the schema does not state it, and none are expected.
    """

    properties: Mapping[str, Any]
    required: tuple[str, ...]
    patterns: Mapping[str, Any]
    others: Any


def object_members(schema: Mapping[str, Any], *, is_open: bool) -> ObjectMembers:
    """The members of an object.

    Args:
        schema: the schema of an object, of 2020-12.
        is_open: whether any further key is allowed where the schema does not state it; else only of an object
            without properties.

    Returns:
        The members.
    """
    required = tuple(schema.get("required", ()))
    patterns: Mapping[str, Any] = schema.get("patternProperties", {})
    properties: dict[str, Any] = dict(schema.get("properties", {}))
    silent = True if is_open or not (properties or required) else None
    others = schema.get("additionalProperties", silent)
    undeclared = others is not False or bool(patterns)
    properties.update((name, undeclared) for name in required if name not in properties)
    return ObjectMembers(properties, required, patterns, others)


ANNOTATIONS = frozenset(
    ("title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly")
)
_START = "#/$defs/"
_MAX_OPENED = 8
"""How many definitions may stand inside each other in place of references."""


def with_definitions_inlined(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Put each definition that one reference leads to in the place of the reference.

    Args:
        schema: a schema of 2020-12, with references to `$defs` of its root.

    Returns:
        The same schema, in which only definitions with several uses, or with themselves among their parts,
        are left in `$defs`. The argument is not changed.
    """
    definitions: Mapping[str, Any] = schema.get("$defs", {})
    root = {key: value for key, value in schema.items() if key != "$defs"}
    if not definitions:
        return root
    counts = Counter(_references([root, *definitions.values()]))
    once = {name: one for name, one in definitions.items() if counts[reference_to(name)] == 1}
    circular = _circular(once)
    once = {name: one for name, one in once.items() if name not in circular}
    made = _inlined(root, once, 0)
    kept: dict[str, Any] = {}
    pending = _references([made])
    while pending:
        name = _name(pending.pop())
        if name in definitions and name not in kept:
            kept[name] = _inlined(definitions[name], once, 0)
            pending += _references([kept[name]])
    return {**made, "$defs": {name: kept[name] for name in definitions if name in kept}} if kept else made


def reference_to(name: str) -> str:
    """The reference to a definition."""
    return _START + escape(name)


def _name(reference: str) -> str:
    return unescape(reference.removeprefix(_START))


def _references(schemas: list[Any]) -> list[str]:
    """Every reference in schemas, as often as it stands there."""
    found: list[str] = []
    pending = list(schemas)
    while pending:
        schema = pending.pop()
        if isinstance(schema, Mapping):
            if isinstance(schema.get("$ref"), str):
                found.append(schema["$ref"])
            pending += [below for _, below in subschemas(schema)]
    return found


def _circular(once: Mapping[str, Any]) -> set[str]:
    """The names of definitions with one use whose references, through others of them, lead back to them."""
    users = {_name(reference): name for name, one in once.items() for reference in _references([one])}
    found: set[str] = set()
    visited: set[str] = set()
    for start in once:
        way: list[str] = []
        name: str | None = start
        while name is not None and name in once and name not in visited:
            visited.add(name)
            way.append(name)
            name = users.get(name)
        if name in way:
            found.update(way[way.index(name) :])
    return found


def _inlined(schema: Any, once: Mapping[str, Any], opened: int) -> Any:
    """A schema with references replaced; `opened` of them lead here."""
    if not isinstance(schema, Mapping):
        return schema
    reference = schema.get("$ref")
    target = once.get(_name(reference)) if isinstance(reference, str) else None
    beside = {key: value for key, value in schema.items() if key != "$ref"}
    if isinstance(target, Mapping) and beside.keys() <= ANNOTATIONS and opened < _MAX_OPENED:
        return {**_inlined(target, once, opened + 1), **beside}
    return map_subschemas(schema, lambda below: _inlined(below, once, opened))


class DeclaredTool(Struct, frozen=True, kw_only=True):
    """A tool for code.

    Attributes:
        function: the name of its function in its namespace.
        description: the text for its comment.
        parameters: the schema of its parameters in the dialect of the language.
        result: the schema of its results; None where its results are text.
        top: whether it stands outside of a namespace.
    """

    function: str
    description: str
    parameters: Mapping[str, Any] = {}
    result: Mapping[str, Any] | bool | None = None
    top: bool = False


def described_parameters(parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """The description of the parameters as a whole, for the comment of the function."""
    description = parameters.get("description")
    return (description,) if isinstance(description, str) else ()


def returns(notes: Sequence[str]) -> tuple[str, ...]:
    """What is said of a result, for the comment of the function."""
    said = joined(notes)
    return (f"Returns: {said}",) if said else ()
