"""Python types as JSON Schema.

msgspec states what it decodes; where types or metadata of pydantic occur in an annotation, pydantic states
what it validates. Nothing here imports pydantic: a program that has such types has imported it.
"""

import datetime
import sys
from collections.abc import Mapping
from pathlib import PurePath
from types import GenericAlias, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Struct

from .signature import is_field_info

_PREFIX = "#/$defs/"
_REFERENCE = f"{_PREFIX}{{name}}"
_OTHER_REFERENCE = f"{_PREFIX}{{name}}_plain"
_FORMATTED = {datetime.datetime: "date-time", datetime.time: "time"}
"""Types for which msgspec also reads texts without a time zone, so that its schema names no format. A model
that is told the format writes what both accept."""


class TypeSchemas(Struct, frozen=True, kw_only=True):
    """JSON Schemas of several types.

    Attributes:
        schemas: by the names given.
        definitions: what references in them refer to, by name below `#/$defs`.
        problems: why a type has no schema, by the names given.
    """

    schemas: Mapping[str, dict[str, Any]]
    definitions: Mapping[str, dict[str, Any]]
    problems: Mapping[str, str]

    @property
    def document(self) -> dict[str, Any]:
        """Return the document that references in `schemas` count from."""
        return {"$defs": self.definitions}


def schemas_of(annotations: Mapping[str, Any], mode: Literal["validation", "serialization"]) -> TypeSchemas:
    """Return the schemas of `annotations`, to be read ("validation") or written ("serialization")."""
    problems: dict[str, str] = {}
    by_pydantic = {name: each for name, each in annotations.items() if uses_pydantic(each)}
    by_msgspec = {name: _formatted(each) for name, each in annotations.items() if name not in by_pydantic}
    schemas, definitions = _of_pydantic(by_pydantic, mode, problems)
    own, own_definitions = _of_msgspec(by_msgspec, problems, _REFERENCE)
    if any(own_definitions.get(name, schema) != schema for name, schema in definitions.items()):
        # Both libraries describe one class, or two of one name; each in its own words.
        own, own_definitions = _of_msgspec(by_msgspec, problems, _OTHER_REFERENCE)
    found = {**schemas, **own}
    return TypeSchemas(
        schemas={name: found[name] for name in annotations if name in found},
        definitions={**definitions, **own_definitions},
        problems=problems,
    )


def uses_pydantic(annotation: Any) -> bool:
    """Tell whether types or metadata of pydantic occur in a type, at any depth."""
    return "pydantic" in sys.modules and _uses_pydantic(annotation, set())


def _uses_pydantic(annotation: Any, seen: set[int]) -> bool:
    if id(annotation) in seen:
        return False
    seen.add(id(annotation))
    if get_origin(annotation) is Annotated:
        inner, *metadata = get_args(annotation)
        return any(map(_is_pydantic, metadata)) or _uses_pydantic(inner, seen)
    if _is_pydantic(annotation):
        return True
    parts = [part for part in get_args(annotation) if not isinstance(part, (str, int, bytes))]
    kind = get_origin(annotation) or annotation
    if isinstance(kind, type) and getattr(kind, "__module__", "") != "builtins":
        if _is_pydantic(kind):
            return True
        if _has_fields(kind):
            parts += _field_types(kind)
    return any(_uses_pydantic(part, seen) for part in parts)


def _is_pydantic(value: Any) -> bool:
    """Tell whether pydantic defines metadata or a type, or how it treats it. `annotated_types` is how
    pydantic spells constraints; msgspec does not read it."""
    kind = value if isinstance(value, type) else type(value)
    package = kind.__module__.partition(".")[0]
    if package in ("pydantic", "pydantic_core", "annotated_types") or is_field_info(value):
        return True
    return any(hasattr(kind, name) for name in ("__get_pydantic_core_schema__", "__pydantic_core_schema__"))


def _has_fields(kind: type) -> bool:
    return any(
        hasattr(kind, name)
        for name in ("__dataclass_fields__", "__struct_fields__", "__total__", "_fields", "__attrs_attrs__")
    )


def _field_types(kind: type) -> list[Any]:
    try:
        return list(get_type_hints(kind, include_extras=True).values())
    except Exception:  # what cannot be resolved is refused by name when its schema is made
        return []


def _formatted(annotation: Any) -> Any:
    """Return `annotation` with dates with times that state their format, outside of classes."""
    format_ = _FORMATTED.get(annotation) if isinstance(annotation, type) else None
    if format_ is not None:
        return Annotated[annotation, msgspec.Meta(extra_json_schema={"format": format_})]
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        # The outer statement wins, as a `Meta` of the author may state a format of its own.
        return Annotated[_formatted(parts[0]), *parts[1:]]
    if origin in (Union, UnionType):
        return Union[tuple(_formatted(part) for part in parts)]  # noqa: UP007 - a tuple of types
    if parts and origin in (list, set, frozenset, tuple, dict):
        return GenericAlias(origin, tuple(_formatted(part) for part in parts))
    return annotation


Found = tuple[dict[str, Any], dict[str, Any]]


def _of_msgspec(annotations: Mapping[str, Any], problems: dict[str, str], reference: str) -> Found:
    usable: dict[str, Any] = {}
    for name, annotation in annotations.items():
        try:
            msgspec.json.schema_components((annotation,), schema_hook=_schema_hook)
            usable[name] = annotation
        except Exception as problem:  # forward references of classes are resolved, too: the program's code
            problems[name] = _reason(problem)
    schemas, definitions = msgspec.json.schema_components(
        tuple(usable.values()), schema_hook=_schema_hook, ref_template=reference
    )
    names = {name: reference.format(name=name).removeprefix(_PREFIX) for name in definitions}
    return dict(zip(usable, schemas, strict=True)), {names[name]: definitions[name] for name in definitions}


def _schema_hook(kind: type) -> dict[str, Any]:
    """Return the schema of types that msgspec leaves to others: paths are texts."""
    if isinstance(kind, type) and issubclass(kind, PurePath):
        return {"type": "string", "format": "path"}
    raise NotImplementedError


def _of_pydantic(annotations: Mapping[str, Any], mode: Any, problems: dict[str, str]) -> Found:
    if not annotations:
        return {}, {}
    adapters: list[tuple[str, Any, Any]] = []
    for name, annotation in annotations.items():
        try:
            adapter = type_adapter(annotation)
            adapter.json_schema(mode=mode)
            adapters.append((name, mode, adapter))
        except Exception as problem:  # validators and hooks of the program run here
            problems[name] = _reason(problem)
    found, document = sys.modules["pydantic"].TypeAdapter.json_schemas(
        adapters, ref_template=f"{_PREFIX}{{model}}"
    )
    return {name: found[name, mode] for name, _, _ in adapters}, document.get("$defs", {})


def type_adapter(annotation: Any) -> Any:
    """Return pydantic's validator of a type in which pydantic's own types occur."""
    return sys.modules["pydantic"].TypeAdapter(annotation)


def _reason(problem: Exception) -> str:
    """Return the library's own reason, in one line, without its advice to those who call it."""
    lines = [line for line in str(problem).splitlines() if line.strip()]
    if not lines:
        return type(problem).__name__
    if lines[0].startswith("Generating JSON schema for custom types"):
        return f"{lines[-1].removesuffix('is not supported').strip()} has no JSON form"
    return lines[0].partition(". Set `arbitrary_types_allowed")[0][:300]
