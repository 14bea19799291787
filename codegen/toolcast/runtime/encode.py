"""From typed values back to JSON.

msgspec does all but one thing: further properties, which decoding gathered in one dict field (`open_object`),
stand beside the named ones again. A Struct names that field in `__toolcast_extra__`.
"""

from collections.abc import Callable, Mapping
from copy import copy
from functools import lru_cache
from typing import Any, Final, TypeAlias

import msgspec

from ..jsonschema.equality import equal
from ..jsonschema.json_values import JsonObject

EXTRA = "__toolcast_extra__"

_PLAIN = frozenset((str, int, float, bool, type(None)))
"""Types of values that are JSON data as they are."""

_Leaves = Callable[[Any, msgspec.structs.FieldInfo], bool]


def to_builtins(value: object) -> Any:
    """Return plain JSON data for a typed value. Raises TypeError for what has no JSON form."""
    return _flatten(value, msgspec.to_builtins(value, str_keys=True))


def with_defaults(value: Any) -> Any:
    """Write every field that has a value, also a default. Absence stays absence: None of an optional field
    whose default it is, and UNSET."""
    return _write(value, _is_absent)


def with_nulls(value: object) -> object:
    """Write defaults, and None as null: where null is a value it may be required. An absent property that was
    never null is null then, too, until the contract settles it."""
    return _write(value, lambda item, _: item is msgspec.UNSET)


def without_defaults(value: object) -> object:
    """Write no field that has its default, not even a list or an object."""
    return _write(value, _is_default)


def _is_absent(item: object, field: msgspec.structs.FieldInfo) -> bool:
    return item is msgspec.UNSET or (item is None and field.default is None)


def _is_default(item: object, field: msgspec.structs.FieldInfo) -> bool:
    if field.default_factory is not msgspec.NODEFAULT:
        default = field.default_factory()
    elif field.default is not msgspec.NODEFAULT:
        default = field.default
    else:
        return item is msgspec.UNSET
    if item is default or item is msgspec.UNSET:
        return True
    if default is msgspec.UNSET:
        return False
    if type(item) not in _PLAIN:
        item, default = to_builtins(item), to_builtins(default)
    return equal(item, default)


def _write(value: object, leaves: _Leaves) -> Any:
    if type(value) in _PLAIN:
        return value
    if isinstance(value, msgspec.Struct):
        return {**_tag(value), **_fields(value, leaves)}
    if isinstance(value, Mapping):
        return {key: _write(item, leaves) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_write(item, leaves) for item in value]
    return msgspec.to_builtins(value, str_keys=True)


def _fields(value: msgspec.Struct, leaves: _Leaves) -> JsonObject:
    plain: JsonObject = {}
    extra = getattr(type(value), EXTRA, None)
    for field in _field_infos(type(value)):
        item = getattr(value, field.name)
        if field.name != extra and not leaves(item, field):
            plain[field.encode_name] = _write(item, leaves)
    further = {} if extra is None else _write(getattr(value, extra), leaves)
    return {**{key: item for key, item in further.items() if key not in plain}, **plain}


@lru_cache(maxsize=1024)
def _field_infos(kind: type[msgspec.Struct]) -> tuple[msgspec.structs.FieldInfo, ...]:
    """Cache `msgspec.structs.fields`, which resolves type hints anew each time."""
    return msgspec.structs.fields(kind)


def _tag(value: msgspec.Struct) -> JsonObject:
    config = type(value).__struct_config__
    return {} if config.tag_field is None else {config.tag_field: config.tag}


def encode_json(value: object) -> bytes:
    """Encode a typed value as compact JSON, further properties in their place."""
    return msgspec.json.encode(to_builtins(value))


def _flatten(value: object, plain: object) -> Any:
    """Walk a value and its plain copy together, and move further properties up in the copy."""
    if isinstance(plain, (list, tuple)):
        if not isinstance(value, (list, tuple, set, frozenset)):
            return plain  # an array-like Struct: no properties, so none to lift
        # A set keeps its order while nothing changes it, so the two walks stay in step.
        return [_flatten(item, copy) for item, copy in zip(value, plain, strict=True)]
    if not isinstance(plain, dict):
        return plain
    if isinstance(value, Mapping):
        return {key: _flatten(item, plain[key]) for key, item in zip(plain, value.values(), strict=True)}
    if not isinstance(value, msgspec.Struct):
        return plain
    return _flatten_struct(value, plain)


def _flatten_struct(value: msgspec.Struct, plain: JsonObject) -> JsonObject:
    extra = getattr(type(value), EXTRA, None)
    further: JsonObject = {}
    for name, wire in zip(value.__struct_fields__, value.__struct_encode_fields__, strict=True):
        if wire in plain:
            item = _flatten(getattr(value, name), plain[wire])
            if name == extra:
                del plain[wire]
                further = item
            else:
                plain[wire] = item
    # A value that is constructed may repeat a named property among the further ones: the named one wins.
    return {**plain, **{key: item for key, item in further.items() if key not in plain}}


Change: TypeAlias = Callable[[Any], Any]
"""Called with what is no container; what it returns takes that place."""

_LEAVES: Final = frozenset((str, int, float, bool, type(None)))


def rewrite(value: Any, change: Change, key: Change) -> Any:
    """Apply `change` to all leaves of a value and `key` to every property name. What did not change is the
    same object. Goes into dicts, lists, tuples, sets and Structs, which are copied without `__post_init__`:
    the contract is not checked again. Raises RecursionError for what contains itself."""
    if type(value) in _LEAVES:  # most values; to ask whether one is a Mapping takes several times as long
        return change(value)
    if isinstance(value, Mapping):
        changed = {key(name): rewrite(item, change, key) for name, item in value.items()}
        same = len(changed) == len(value) and all(
            name is old and changed[name] is item
            for name, (old, item) in zip(changed, value.items(), strict=True)
        )
        return value if same else changed
    if isinstance(value, (list, tuple, set, frozenset)):
        items = [rewrite(item, change, key) for item in value]
        if all(new is old for new, old in zip(items, value, strict=True)):
            return value
        if isinstance(value, tuple):
            return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
        return list(items) if isinstance(value, list) else type(value)(items)
    if isinstance(value, msgspec.Struct):
        return _struct(value, change, key)
    return change(value)


def _struct(value: msgspec.Struct, change: Change, key: Change) -> object:
    new = None
    for name in value.__struct_fields__:
        old = getattr(value, name)
        item = rewrite(old, change, key)
        if item is not old:
            if new is None:
                new = copy(value)
            msgspec.structs.force_setattr(new, name, item)
    return value if new is None else new
