"""JSON values: paths into them, edits that share the rest, and the smallest value that fails."""

from collections.abc import Callable, Iterator
from typing import Any

from ...jsonschema.json_values import equal

Path = tuple[str | int, ...]


def inside(value: object, path: Path = ()) -> Iterator[tuple[Path, object]]:
    """Yield every value inside `value`, itself first, with its path."""
    yield path, value
    if isinstance(value, dict):
        for name, child in value.items():
            yield from inside(child, (*path, name))
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield from inside(child, (*path, index))


def differences(one: object, other: object, path: Path = ()) -> Iterator[Path]:
    """Yield the path of everything that two values do not share, as deep as can be."""
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
    """Return the value at `path`."""
    for step in path:
        value = value[step]
    return value


def replaced(value: Any, path: Path, new: Any) -> Any:
    """Return a copy of `value` with `new` at `path`; all that is not on the way is shared."""
    if not path:
        return new
    step, *rest = path
    copied: Any = dict(value) if isinstance(value, dict) else list(value)
    copied[step] = replaced(value[step], tuple(rest), new)
    return copied


def without(value: object, path: Path) -> Any:
    """Return a copy of `value` without the property or item at `path` (not the root)."""
    *outer, last = path
    parent = at(value, tuple(outer))
    if isinstance(parent, dict):
        smaller: object = {name: child for name, child in parent.items() if name != last}
    else:
        smaller = [child for index, child in enumerate(parent) if index != last]
    return replaced(value, tuple(outer), smaller)


def size(value: object) -> tuple[int, int]:
    """Return the size of a counterexample to its reader: number of values, then length of its text."""
    count = sum(1 for _ in inside(value))
    return count, len(repr(value))


_BUDGET = 1500
"""Calls of the predicate at most."""


def shrink(value: object, holds: Callable[[object], bool], budget: int = _BUDGET) -> object:
    """Return the smallest value found for which `holds`, from one for which it does, by at most `budget`
    calls.
    """
    calls = 0
    progress = True
    while progress:
        progress = False
        for candidate in _smaller(value):
            if calls >= budget:
                return value
            if size(candidate) >= size(value) or equal(candidate, value):
                continue
            calls += 1
            if holds(candidate):
                value, progress = candidate, True
                break
    return value


def _smaller(value: object) -> Iterator[object]:
    """Yield removals first, the largest parts before the small ones; then simpler leaves."""
    found = list(inside(value))
    removable = sorted((pair for pair in found if pair[0]), key=lambda pair: size(pair[1]), reverse=True)
    for path, child in removable:
        yield without(value, path)
        if isinstance(child, list) and len(child) > 3:
            yield replaced(value, path, child[: len(child) // 2])
            yield replaced(value, path, child[len(child) // 2 :])
    for path, child in found:
        yield from _simpler(value, path, child)


def _simpler(value: object, path: Path, child: object) -> Iterator[object]:
    if isinstance(child, str) and child:
        for text in ("", child[0], child[: len(child) // 2], child[len(child) // 2 :], child[1:], child[:-1]):
            yield replaced(value, path, text)
        if len(child) <= 12:
            for location in range(len(child)):
                yield replaced(value, path, child[:location] + child[location + 1 :])
    elif isinstance(child, (int, float)) and not isinstance(child, bool):
        for number in (0, 1, int(child) if abs(child) < 1e18 else 0, child // 2):
            yield replaced(value, path, number)
    elif isinstance(child, (list, dict)) and path:
        for simple in (None, 0):
            yield replaced(value, path, simple)
        parts = child if isinstance(child, list) else list(child.values())
        for part in parts[:8]:
            yield replaced(value, path, part)
    elif isinstance(child, dict):
        for name in child:
            if len(name) > 1:
                yield {name[0] if key == name else key: item for key, item in child.items()}
