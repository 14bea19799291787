"""Reading an answer, whatever it is made of: dicts, JSON text, or the objects of an official client.

No client is imported. `get_field` takes one step without a copy, so that the arguments of a call stay as they
came; `plain` copies a whole message to plain data.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from ...jsonschema.json_values import JsonMapping
from ...runtime.bounded_json import UnreadableJSONError, read_json
from .call import DispatchError
from .wire_formats import EACH, Format, Path

_MAX_LEVELS = 64
"""Levels of a message that are copied. What is deeper belongs to a call's arguments."""
_MAX_VALUES = 1_000_000
"""Values of a message: shared objects could make a small one endless."""
MAX_JSON = 64 * 1024 * 1024
"""Longest JSON text of an answer; images may be in it."""

_HUMP = re.compile(r"(?<=[a-z0-9])[A-Z]")
_SCALARS = (str, int, float, bool, bytes, type(None))


def load(value: Any) -> Any:
    """Decode JSON text; return anything else as it is. Raises DispatchError."""
    if not isinstance(value, (bytes, bytearray, memoryview, str)):
        return value
    text = value if isinstance(value, (bytes, str)) else bytes(value)
    try:
        return read_json(text, limit=MAX_JSON)
    except UnreadableJSONError as problem:
        raise DispatchError(f"$: the answer is {problem}") from None


def get_field(value: object, key: str, path: str) -> object:
    """Return the value of a key, or of an attribute; None for neither.

    The key may be written as Python's clients have it: `functionCall` or `function_call`. Raises
    DispatchError for a value without keys and attributes.
    """
    if type(value) is dict and (key in value or key.islower()):
        return value.get(key)
    snake = key if key.islower() else _HUMP.sub(lambda found: "_" + found[0], key).lower()
    if isinstance(value, Mapping):
        found = value.get(key)
        return value.get(snake) if found is None and snake != key else found
    if isinstance(value, (*_SCALARS, list, tuple)):
        raise DispatchError(f"{path}: expected an object, got {kind(value)}")
    try:
        found = getattr(value, key, None)
        return getattr(value, snake, None) if found is None and snake != key else found
    except Exception as problem:  # a property of a foreign class may raise anything
        raise DispatchError(f"{path}.{key}: reading it raised {type(problem).__name__}") from problem


def items(value: Any, path: str) -> Sequence[Any]:
    """Return a list, empty for None. Raises DispatchError for anything else."""
    if value is None:
        return ()
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray, memoryview)):
        return value
    raise DispatchError(f"{path}: expected a list, got {kind(value)}")


def text(value: Any, path: str) -> str:
    """Return a text, "" for None. Raises DispatchError for anything else."""
    if value is None:
        return ""
    if isinstance(value, str):
        return str.__str__(value)
    raise DispatchError(f"{path}: expected text, got {kind(value)}")


def kind(value: Any) -> str:
    """Name a value's type for a message."""
    if value is None:
        return "nothing"
    return f"a Python {type(value).__name__}"


def plain(value: Any, path: str = "$") -> Any:
    """Copy to plain data: dict, list, str, int, float, bool, None, and bytes where a client has them.

    Fields of an object that are None are left out: an API refuses many of them when they come back.
    """
    return _Copy().of(value, path, 0)


class _Copy:
    def __init__(self) -> None:
        self.count = 0

    def of(self, value: Any, path: str, level: int) -> Any:
        self.count += 1
        if self.count > _MAX_VALUES:
            raise DispatchError(f"{path}: the answer holds more than {_MAX_VALUES} values")
        if isinstance(value, _SCALARS):
            return value
        if level > _MAX_LEVELS:
            if type(value) in (dict, list):
                return value
            raise DispatchError(f"{path}: the answer is nested too deeply")
        if type(value) is dict or isinstance(value, Mapping):
            return {
                _name(key, path): self.of(item, f"{path}.{key}", level + 1) for key, item in value.items()
            }
        if isinstance(value, Sequence) and not isinstance(value, (bytearray, memoryview)):
            return [self.of(item, f"{path}[{i}]", level + 1) for i, item in enumerate(value)]
        fields = _fields(value, path)
        return {
            key: self.of(item, f"{path}.{key}", level + 1) for key, item in fields.items() if item is not None
        }


def _name(key: Any, path: str) -> str:
    if not isinstance(key, str):
        raise DispatchError(f"{path}: a key must be text, not {kind(key)}")
    return str.__str__(key)


def _fields(value: Any, path: str) -> JsonMapping:
    """Return the fields of an object, by pydantic's own dump or by its attributes."""
    dump = getattr(type(value), "model_dump", None)
    if dump is not None:
        try:
            made = dump(value, mode="json", by_alias=True, exclude_none=True, warnings=False)
        except Exception as problem:  # a client's model
            raise DispatchError(f"{path}: {kind(value)} cannot be copied: {problem}") from problem
        if isinstance(made, Mapping):
            return made
    slots: Any = getattr(type(value), "__struct_fields__", None) or getattr(type(value), "__slots__", ())
    names: Sequence[str] = (slots,) if isinstance(slots, str) else tuple(slots)
    found = {name: getattr(value, name, None) for name in names}
    found |= getattr(value, "__dict__", {})
    public = {name: item for name, item in found.items() if not name.startswith("_")}
    if not public or callable(value) or isinstance(value, type):
        raise DispatchError(f"{path}: expected plain data or a client's object, got {kind(value)}")
    return public


def locate(response: Any, path: Path) -> Any:
    """Return the value at a path; None where a step leads nowhere."""
    for at, step in enumerate(path):
        if response is None:
            return None
        if isinstance(step, int):
            listed = response if type(response) is list else items(response, written(path[:at]))
            response = listed[step] if step < len(listed) else None
        elif type(response) is dict and step in response:
            response = response[step]
        else:
            response = get_field(response, step, written(path[:at]))
    return response


@cache
def written(path: Path) -> str:
    """Return a path of a format as messages have it."""
    return "$" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)


def locate_each(response: object, path: Path) -> Iterator[object]:
    """Give the values at a path, for every item of a list where it has EACH.

    A step into what is neither an object nor a list leads nowhere.
    """
    for at, step in enumerate(path):
        if response is None or isinstance(response, (str, bytes, int, float)):
            return
        if type(response) is dict and isinstance(step, str) and step != EACH:
            response = get_field(response, step, "$")
            continue
        if step == EACH:
            if isinstance(response, Sequence):
                for item in response:
                    yield from locate_each(item, path[at + 1 :])
            return
        if isinstance(response, Sequence) != isinstance(step, int):
            return
        response = locate(response, (step,))
    if response is not None:
        yield response


def calls_path(response: object, format: Format) -> Path | None:
    """Return the place of calls that an answer has. Raises DispatchError for no answer of the format."""
    for path in format.calls:
        if get_field(response, str(path[0]), "$") is not None:
            return path
    names = (str(path[0]) for path in format.calls)
    # A message without calls may lack the key, or have null for it.
    if any(get_field(response, key, "$") is not None for key in format.marks) or _has_any(response, names):
        return None
    wanted = " or ".join(f"`{path[0]}`" for path in format.calls)
    raise DispatchError(f"$: this is no answer of {format.name}: expected {wanted}, got {kind(response)}")


def _has_any(response: object, keys: Iterable[str]) -> bool:
    if isinstance(response, Mapping):
        return any(key in response for key in keys)
    return any(key in dir(response) for key in keys)
