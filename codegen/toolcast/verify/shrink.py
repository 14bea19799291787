"""Smaller and smaller values for which something still holds."""

from collections.abc import Callable, Iterator
from typing import Any

from ..jsonschema.equality import equal
from .value_paths import Path, inside, replaced, size, without

BUDGET = 1500
"""How often the question is asked at most."""


def shrink(value: Any, holds: Callable[[Any], bool], budget: int = BUDGET) -> Any:
    """The smallest value that was found for which `holds`, starting from one for which it does."""
    asked = 0
    progress = True
    while progress:
        progress = False
        for candidate in _smaller(value):
            if asked >= budget:
                return value
            if size(candidate) >= size(value) or equal(candidate, value):
                continue
            asked += 1
            if holds(candidate):
                value, progress = candidate, True
                break
    return value


def _smaller(value: Any) -> Iterator[Any]:
    """Removals first, the largest parts before the small ones; then simpler leaves."""
    found = list(inside(value))
    removable = sorted((pair for pair in found if pair[0]), key=lambda pair: size(pair[1]), reverse=True)
    for path, child in removable:
        yield without(value, path)
        if isinstance(child, list) and len(child) > 3:
            yield replaced(value, path, child[: len(child) // 2])
            yield replaced(value, path, child[len(child) // 2 :])
    for path, child in found:
        yield from _simpler(value, path, child)


def _simpler(value: Any, path: Path, child: Any) -> Iterator[Any]:
    if isinstance(child, str) and child:
        for text in ("", child[0], child[: len(child) // 2], child[len(child) // 2 :], child[1:], child[:-1]):
            yield replaced(value, path, text)
        if len(child) <= 12:
            for place in range(len(child)):
                yield replaced(value, path, child[:place] + child[place + 1 :])
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
