"""JSON values: places inside them, and edits that leave the rest shared."""

from collections.abc import Iterator
from typing import Any

from ..jsonschema.equality import equal

Path = tuple[str | int, ...]


def inside(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every value inside `value`, itself first, with its path."""
    yield path, value
    if isinstance(value, dict):
        for name, child in value.items():
            yield from inside(child, (*path, name))
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield from inside(child, (*path, index))


def differences(one: Any, other: Any, path: Path = ()) -> Iterator[Path]:
    """The path of everything that two values do not share, as deep as can be."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in {**one, **other}:
            if name in one and name in other:
                yield from differences(one[name], other[name], (*path, name))
            else:
                yield (*path, name)
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, (left, right) in enumerate(zip(one, other, strict=True)):
            yield from differences(left, right, (*path, index))
    elif not equal(one, other):
        yield path


def at(value: Any, path: Path) -> Any:
    """The value at `path`."""
    for step in path:
        value = value[step]
    return value


def replaced(value: Any, path: Path, new: Any) -> Any:
    """A copy of `value` with `new` at `path`; what is not on the way is shared."""
    if not path:
        return new
    step, *rest = path
    copied: Any = dict(value) if isinstance(value, dict) else list(value)
    copied[step] = replaced(value[step], tuple(rest), new)
    return copied


def without(value: Any, path: Path) -> Any:
    """A copy of `value` without the property or item at `path` (not the root)."""
    *outer, last = path
    parent = at(value, tuple(outer))
    if isinstance(parent, dict):
        smaller: Any = {name: child for name, child in parent.items() if name != last}
    else:
        smaller = [child for index, child in enumerate(parent) if index != last]
    return replaced(value, tuple(outer), smaller)


def size(value: Any) -> tuple[int, int]:
    """How much there is to read in a counterexample: number of values, then length of its text."""
    count = sum(1 for _ in inside(value))
    return count, len(repr(value))
