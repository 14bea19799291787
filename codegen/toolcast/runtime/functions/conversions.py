"""Values on their way into a function, as its own types, and out of it, as plain data."""

from collections.abc import Callable
from pathlib import PurePath
from types import NoneType
from typing import Any, Literal, TypeAlias, get_args, get_origin

import msgspec
from msgspec import Struct

from ..encode import to_builtins, with_defaults
from ..errors import LIMIT, RefusalError
from .signature import union_members
from .type_schemas import type_adapter, uses_pydantic

Convert: TypeAlias = Callable[[Any], Any]
"""From plain JSON data to a function's own type. Raises ValueError."""

_AS_IT_IS = frozenset((str, bool, int, NoneType))


class Incoming(Struct, frozen=True):
    """The way of values to one parameter. Values of the types `same` are passed as they are; all others are
    made with `convert` of the plain JSON data that `plain` returns."""

    same: frozenset[type]
    convert: Convert
    plain: Convert

    def __call__(self, value: Any) -> Any:
        """Return the function's value for a contract's. Raises ValueError."""
        return value if type(value) in self.same else self.convert(self.plain(value))


def incoming(annotation: Any, *, defaults: bool) -> Incoming:
    """Return how values of `annotation` are made. Raises what the type's library raises if it cannot.
    `defaults`: the contract states defaults inside of such values. They are written then, since the model
    read them; without them, writing takes a tenth of the time."""
    plain = with_defaults if defaults else to_builtins
    if uses_pydantic(annotation):
        # From JSON: a strict model takes a text for a date there, and a list for a set.
        validate = type_adapter(annotation).validate_json
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


def _decode_hook(kind: type, value: Any) -> Any:
    if issubclass(kind, PurePath) and isinstance(value, str):
        return kind(value)
    raise msgspec.ValidationError(f"Expected `{kind.__name__}`, got `{type(value).__name__}`")


def outgoing(value: Any) -> Any:
    """Return plain JSON data for what a function returned. Raises TypeError if there is none."""
    if type(value) in _PLAIN:
        return value
    return msgspec.to_builtins(value, str_keys=True, enc_hook=_encode_hook)


_PLAIN = frozenset((str, bool, int, float, NoneType))


def _encode_hook(value: Any) -> Any:
    dump = getattr(value, "model_dump", None)
    if dump is not None:  # a pydantic model, by the names that its schema states
        return dump(mode="json", by_alias=True)
    if isinstance(value, PurePath):
        return str(value)
    raise NotImplementedError


def json_default(value: Any, annotation: Any) -> Any:
    """Return a default as plain JSON data; NODEFAULT if it has no JSON form, like a sentinel."""
    try:
        if uses_pydantic(annotation):
            data = type_adapter(annotation).dump_python(value, mode="json", warnings="error")
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


def _path(parameter: str, location: tuple[Any, ...]) -> str:
    steps = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in location)
    return f"$.{parameter}{steps}" if parameter else f"${steps}"
