"""Values rewritten at any depth: new containers where something changed, else the same objects."""

from collections.abc import Callable, Mapping
from copy import copy
from typing import Any, Final, TypeAlias

import msgspec

Change: TypeAlias = Callable[[Any], Any]
"""Called with what is no container; what it returns takes that place."""

_LEAVES: Final = frozenset((str, int, float, bool, type(None)))


def rewrite(value: Any, change: Change, key: Change) -> Any:
    """`value` with `change` made to all that it holds and `key` to every property name.

    Goes into dicts, lists, tuples, sets and Structs. Structs are copied without `__post_init__`: the new
    value is not held to the contract again. Raises RecursionError for what contains itself.
    """
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


def _struct(value: msgspec.Struct, change: Change, key: Change) -> Any:
    new = None
    for name in value.__struct_fields__:
        old = getattr(value, name)
        item = rewrite(old, change, key)
        if item is not old:
            if new is None:
                new = copy(value)
            msgspec.structs.force_setattr(new, name, item)
    return value if new is None else new
