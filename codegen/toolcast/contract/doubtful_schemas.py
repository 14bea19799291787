"""Schemas that are valid and hardly mean what they say: each is compiled, and its author is told."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from ..diagnostics import Diagnostic
from ..jsonschema.json_values import JsonMapping
from ..jsonschema.keywords import TYPE_OF, subschemas
from ..jsonschema.pointers import escape, join, resolve, split
from ..spec.parsed_document import diagnose
from ..spec.reader_problems import quoted
from ..spec.spec_checker import nearest
from .kept_properties import as_list
from .normal_form import NormalForm, definition_name
from .schema_mistakes import shown

_IN_PLACE: Final = frozenset({"allOf", "anyOf", "oneOf", "if", "then", "else", "not", "dependentSchemas"})
"""Keywords whose schemas apply to the value itself."""
_MOST_PARTS: Final = 200
"""Schemas that apply to one value; where there are more, the rest is left out."""
_MOST_COMPARED: Final = 5_000
"""Names of one document that are compared with wrong ones, which is slow."""
_KINDS: Final[Mapping[type, str]] = {
    bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object",
    type(None): "null",
}  # fmt: skip


class _Doubt(Struct, frozen=True):
    """A warning without its place, which is `path` below the schema."""

    path: tuple[str | int, ...]
    code: str
    message: str
    hint: str


def doubtful_schemas(normal: NormalForm) -> Iterator[Diagnostic]:
    """Warn of each required property that is not declared, each keyword that applies to no type of its
    schema, and each value of an `enum` that its `type` refuses.
    """
    document = {"$defs": normal.defs, **normal.roots}
    tops = [f"/{name}" for name in normal.roots] or [f"/$defs/{escape(name)}" for name in normal.defs]
    search = _Search(document)
    for top in tops:
        search.value(top)
    for pointer, doubt in search.found:
        found, path = normal.locate(pointer + join(doubt.path))
        is_keyword = len(doubt.path) == 1  # else one of its values
        yield diagnose(found, path, doubt.code, doubt.message, doubt.hint, key=is_keyword, severity="warning")


class _Search:
    """Visits every schema once, together with all that apply to the same value."""

    def __init__(self, document: Mapping[str, object]) -> None:
        self.found: list[tuple[str, _Doubt]] = []
        self._document = document
        self._visited: set[str] = set()
        self._compared = 0

    def value(self, top: str) -> None:
        """Visit the schema at a pointer, and all that describe a part of what it describes."""
        waiting = [top]
        while waiting:
            start = waiting.pop()
            if start in self._visited:
                continue
            parts, negated = self._parts(start)
            declared = _declared(parts.values()) if len(parts) < _MOST_PARTS else None
            for pointer, schema in parts.items():
                if pointer in self._visited:
                    continue
                self._visited.add(pointer)
                self.found += [(pointer, doubt) for doubt in _doubts_of(schema)]
                if declared is not None and pointer not in negated:
                    self.found += [(pointer, doubt) for doubt in self._undeclared(schema, declared)]
                for path, below in subschemas(schema):
                    if path[0] not in _IN_PLACE and path[0] != "$defs" and isinstance(below, dict):
                        waiting.append(pointer + join(path))

    def _parts(self, start: str) -> tuple[dict[str, JsonMapping], set[str]]:
        """The schemas that apply to the value that `start` describes, by pointer, and those that it must not
        satisfy."""
        parts: dict[str, JsonMapping] = {}
        negated: set[str] = set()
        waiting = [start]
        while waiting and len(parts) < _MOST_PARTS:
            pointer = waiting.pop()
            schema = resolve(self._document, pointer)
            if pointer in parts or not isinstance(schema, dict):
                continue
            parts[pointer] = schema
            in_place = {keyword: value for keyword, value in schema.items() if keyword in _IN_PLACE}
            applied = [pointer + join(path) for path, _ in subschemas(in_place)]
            if "$ref" in schema:
                name = definition_name(schema["$ref"])
                applied.append(f"/{split(pointer)[0]}" if name is None else f"/$defs/{escape(name)}")
            negated.update(each for each in applied if pointer in negated or each == f"{pointer}/not")
            waiting += applied
        return parts, negated

    def _undeclared(self, schema: JsonMapping, declared: list[JsonMapping]) -> Iterator[_Doubt]:
        has_object = "object" in as_list(schema.get("type", "object"))
        for index, name in enumerate(schema.get("required", ()) if has_object else ()):
            if any(name in properties for properties in declared):
                continue
            self._compared += sum(map(len, declared))
            few = self._compared <= _MOST_COMPARED
            others = set[str]().union(*declared).difference(schema["required"])
            close = nearest(name, others) if few else None
            hint = f"did you mean {quoted(close)}? if not, " if close else ""
            yield _Doubt(
                ("required", index),
                "undeclared-required",
                f"`required` names {quoted(name)}, which no `properties` declare: a model cannot know it",
                f"{hint}declare it below `properties`, or say that others are allowed: "
                "`additionalProperties: true`",
            )


_OF_OTHERS: Final = frozenset({"additionalProperties", "patternProperties", "unevaluatedProperties"})
"""Keywords that say what properties may be that are not declared."""


def _declared(parts: Iterable[JsonMapping]) -> list[JsonMapping] | None:
    """The properties that schemas of one value declare; None where others are allowed on purpose, and where
    they are forbidden, which makes it an error to require them."""
    declared: list[JsonMapping] = []
    for schema in parts:
        if not _OF_OTHERS.isdisjoint(schema):
            return None
        declared.append(schema.get("properties", {}))
    return declared


def _doubts_of(schema: Mapping[str, object]) -> Iterator[_Doubt]:
    types = as_list(schema["type"]) if "type" in schema else []
    if types:
        yield from _without_effect(schema, types)
        yield from _refused_values(schema, types)


def _without_effect(schema: Mapping[str, object], types: list[str]) -> Iterator[_Doubt]:
    kinds = {"number" if each == "integer" else each for each in types}
    for keyword in schema:
        kind = TYPE_OF.get(keyword)
        if kind is None or kind in kinds or keyword == "format":
            continue
        message = (
            f"`{keyword}` applies to {_PLURALS[kind]} only, and `type` is {_named(types)}: it has no effect"
        )
        yield _Doubt((keyword,), "no-effect", message, "take it out, or correct `type`")


_PLURALS: Final = {"array": "arrays", "number": "numbers", "object": "objects", "string": "strings"}


def _named(types: list[str]) -> str:
    return " or ".join(f"`{each}`" for each in types)


def _refused_values(schema: Mapping[str, object], types: list[str]) -> Iterator[_Doubt]:
    """Values of `enum` that `type` refuses, where it accepts others."""
    values = schema.get("enum")
    if not isinstance(values, list) or len(values) > 1_000:
        return
    refused = [index for index, value in enumerate(values) if not _has_type(value, types)]
    if len(refused) == len(values):  # no value fits the schema, which is an error
        return
    for index in refused:
        value = values[index]
        hint = "take it out, or add its type to `type`"
        if "string" in types and not isinstance(value, list | dict):
            hint += ", or put it in quotes"
        message = f"`enum` lists {shown(value)}, which `type` refuses: it is {_named(types)}"
        yield _Doubt(("enum", index), "refused-value", message, hint)


def _has_type(value: Any, types: list[str]) -> bool:
    kind = _KINDS.get(type(value), "")
    if kind == "number" and "integer" in types and float(value).is_integer():
        return True
    return kind in types or (kind == "integer" and "number" in types)
