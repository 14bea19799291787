"""Python types as JSON Schema, and values on their way into a function, as its types, and out of it.

msgspec states what it decodes; where types or metadata of pydantic occur in an annotation, pydantic states
what it validates. Nothing here imports pydantic: a program that has such types has imported it.
"""

import datetime
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import PurePath
from types import GenericAlias, NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Struct

from ...jsonschema.json_values import JsonMapping, JsonObject
from ..codec import to_builtins, with_defaults
from ..errors import LIMIT, RefusalError
from .signature import is_field_info, union_members

_PREFIX = "#/$defs/"
_REFERENCE = f"{_PREFIX}{{name}}"
_OTHER_REFERENCE = f"{_PREFIX}{{name}}_plain"
_FORMATTED = {datetime.datetime: "date-time", datetime.time: "time"}
"""Types for which msgspec also reads texts without a time zone, so that its schema names no format. A model
that is told the format writes what both accept."""


class TypeSchemas(Struct, frozen=True, kw_only=True):
    """JSON Schemas of several types, by the names given; `definitions` by name below `#/$defs`, and
    `problems`: why a type has no schema.
    """

    schemas: Mapping[str, JsonObject]
    definitions: Mapping[str, JsonObject]
    problems: Mapping[str, str]

    @property
    def document(self) -> JsonObject:
        """Return the document that references in `schemas` count from."""
        return {"$defs": self.definitions}


def schemas_of(annotations: JsonMapping, mode: Literal["validation", "serialization"]) -> TypeSchemas:
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


def uses_pydantic(annotation: object) -> bool:
    """Tell whether types or metadata of pydantic occur in a type, at any depth, or a union of which msgspec
    cannot tell the members apart."""
    return "pydantic" in sys.modules and (_uses_pydantic(annotation, set()) or _is_ambiguous(annotation))


def _is_ambiguous(annotation: object) -> bool:
    try:
        msgspec.json.schema_components((annotation,), schema_hook=_schema_hook)
    except TypeError as problem:
        return str(problem).startswith("Type unions may not")
    except Exception:  # forward references of classes: refused by name when the schema is made
        return False
    return False


def _uses_pydantic(annotation: object, seen: set[int]) -> bool:
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


def _is_pydantic(value: object) -> bool:
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


def _field_types(kind: type) -> list[object]:
    try:
        return list(get_type_hints(kind, include_extras=True).values())
    except Exception:  # what cannot be resolved is refused by name when its schema is made
        return []


def _formatted(annotation: object) -> object:
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


_Found = tuple[JsonObject, JsonObject]


def _of_msgspec(annotations: JsonMapping, problems: dict[str, str], reference: str) -> _Found:
    usable: JsonObject = {}
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


def _schema_hook(kind: type) -> JsonObject:
    if isinstance(kind, type) and issubclass(kind, PurePath):
        return {"type": "string", "format": "path"}
    raise NotImplementedError


def _of_pydantic(annotations: JsonMapping, mode: Any, problems: dict[str, str]) -> _Found:
    if not annotations:
        return {}, {}
    adapters: list[tuple[str, Any, Any]] = []
    for name, annotation in annotations.items():
        try:
            adapter = _type_adapter(annotation)
            adapter.json_schema(mode=mode)
            adapters.append((name, mode, adapter))
        except Exception as problem:  # validators and hooks of the program run here
            problems[name] = _reason(problem)
    found, document = sys.modules["pydantic"].TypeAdapter.json_schemas(
        adapters, ref_template=f"{_PREFIX}{{model}}"
    )
    return {name: found[name, mode] for name, _, _ in adapters}, document.get("$defs", {})


def _type_adapter(annotation: object) -> Any:
    return sys.modules["pydantic"].TypeAdapter(annotation)


def _reason(problem: Exception) -> str:
    """Return the library's own reason, in one line, without its advice to those who call it."""
    lines = [line for line in str(problem).splitlines() if line.strip()]
    if not lines:
        return type(problem).__name__
    if lines[0].startswith("Generating JSON schema for custom types"):
        return f"{lines[-1].removesuffix('is not supported').strip()} has no JSON form"
    return lines[0].partition(". Set `arbitrary_types_allowed")[0][:300]


_Convert: TypeAlias = Callable[[Any], Any]
"""From plain JSON data to a function's own type. Raises ValueError."""

_AS_IT_IS = frozenset((str, bool, int, NoneType))


class Incoming(Struct, frozen=True):
    """The way of values to one parameter. Values of the types `same` are passed as they are; all others are
    made with `convert` of the plain JSON data that `plain` returns."""

    same: frozenset[type]
    convert: _Convert
    plain: _Convert

    def __call__(self, value: object) -> object:
        """Return the function's value for a contract's. Raises ValueError."""
        return value if type(value) in self.same else self.convert(self.plain(value))


def incoming(annotation: Any, *, defaults: bool, decoded: bool = False) -> Incoming:
    """Return how values of `annotation` are made. Raises what the type's library raises if it cannot.
    `defaults`: the contract states defaults inside of such values. They are written then, since the model
    read them; without them, writing takes a tenth of the time. `decoded`: pydantic makes them of data, in
    which a text is no UUID before it is a text."""
    plain = with_defaults if defaults else to_builtins
    if uses_pydantic(annotation):
        if decoded:
            return Incoming(frozenset(), _type_adapter(annotation).validate_python, plain)
        # From JSON: a strict model takes a text for a date there, and a list for a set.
        validate = _type_adapter(annotation).validate_json
        return Incoming(frozenset(), lambda value: validate(msgspec.json.encode(value)), plain)
    members = union_members(annotation)
    same: set[Any] = {NoneType if member is None else member for member in members} & _AS_IT_IS
    for member in members:
        if get_origin(member) is Literal:
            same |= {type(value) for value in get_args(member)} & _AS_IT_IS
    if any(get_origin(member) is not Literal and member not in _AS_IT_IS for member in members):
        same -= {str, int}  # another member may be made of a text or a number
    msgspec.json.Decoder(annotation, dec_hook=_decode_hook)  # refuses what it cannot decode

    def convert(value: Any) -> Any:
        return msgspec.convert(value, annotation, str_keys=True, dec_hook=_decode_hook)

    return Incoming(frozenset(same), convert, plain)


def _decode_hook(kind: type, value: object) -> Any:
    if issubclass(kind, PurePath) and isinstance(value, str):
        return kind(value)
    raise msgspec.ValidationError(f"Expected `{kind.__name__}`, got `{type(value).__name__}`")


def outgoing(value: Any, *, by_alias: bool | None = True) -> Any:
    """Return plain JSON data for what a function returned. Raises TypeError if there is none. Models are
    written by the names that their schema states: aliases, or with None as their configuration has it."""
    if type(value) in _PLAIN:
        return value
    return msgspec.to_builtins(value, str_keys=True, enc_hook=_ENCODE_HOOKS[by_alias])


_PLAIN = frozenset((str, bool, int, float, NoneType))


def _encode_hook(value: object, by_alias: bool | None) -> object:
    dump = getattr(value, "model_dump", None)
    if dump is not None:  # a pydantic model
        return dump(mode="json", by_alias=by_alias)
    if isinstance(value, PurePath):
        return str(value)
    raise NotImplementedError


_ENCODE_HOOKS = {by_alias: partial(_encode_hook, by_alias=by_alias) for by_alias in (True, None)}


def json_default(value: Any, annotation: Any) -> Any:
    """Return a default as plain JSON data; NODEFAULT if it has no JSON form, like a sentinel."""
    try:
        if uses_pydantic(annotation):
            data = _type_adapter(annotation).dump_python(value, mode="json", warnings="error")
        else:
            data = outgoing(value)
        return msgspec.json.decode(msgspec.json.encode(data))  # tuples as arrays
    except Exception:  # serialisers of the program run here; whatever they raise, there is no JSON
        return msgspec.NODEFAULT


def refusal(tool: str, parameter: str, problem: ValueError) -> RefusalError:
    """Return the words for the model about a value that a function's type alone refuses."""
    found = getattr(problem, "errors", None)
    if callable(found) and type(problem).__module__.partition(".")[0] == "pydantic_core":
        violations: Any = found(include_url=False, include_context=False, include_input=False)
        lines = [f"- {_path(parameter, each['loc'])}: {each['msg']}" for each in violations[:LIMIT]]
        return RefusalError("\n".join([f"Invalid arguments for tool {tool!r}:", *lines]))
    text, _, inner = str(problem).partition(" - at `$")
    path = f"$.{parameter}{inner.rstrip('`')}" if parameter else f"${inner.rstrip('`')}"
    return RefusalError(f"Invalid arguments for tool {tool!r}:\n- {path}: {text}")


def _path(parameter: str, location: tuple[object, ...]) -> str:
    steps = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in location)
    return f"$.{parameter}{steps}" if parameter else f"${steps}"
