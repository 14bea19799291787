"""Which definitions of a schema contain themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..jsonschema.pointers import split
from ..jsonschema.subschemas import subschemas

ROOT = ""
"""The schema itself, among the names of its definitions."""
_DEFINITIONS = ("$defs", "definitions")


def referred(reference: Any) -> str | None:
    """The definition that a reference names: `ROOT` for `#`; None for one that leads elsewhere.

    A reference into a definition (`#/$defs/A/items`) counts as one to the definition.
    """
    if reference == "#":
        return ROOT
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return None
    steps = split(reference.removeprefix("#"))
    return steps[1] if len(steps) > 1 and steps[0] in _DEFINITIONS else ROOT


def in_cycles(schema: Mapping[str, Any]) -> frozenset[str]:
    """Definitions that lead back to themselves, and those between two such; `ROOT` for the schema.

    Args:
        schema: a schema of 2020-12 whose definitions stand at its root.

    Returns:
        The names; empty where nothing contains itself. The time is linear in the size of the schema.
    """
    definitions = {
        name: each
        for keyword in _DEFINITIONS
        if isinstance(schema.get(keyword), Mapping)
        for name, each in schema[keyword].items()
    }
    own = {key: value for key, value in schema.items() if key not in _DEFINITIONS}
    nodes = {ROOT: own, **definitions}
    forward = {name: set(_references(each)) & nodes.keys() for name, each in nodes.items()}
    backward: dict[str, set[str]] = {name: set() for name in nodes}
    for name, targets in forward.items():
        for target in targets:
            backward[target].add(name)
    left = _without_ends(set(nodes), forward, backward)
    return frozenset(_without_ends(left, backward, forward))


def _without_ends(names: set[str], onward: Mapping[str, set[str]], back: Mapping[str, set[str]]) -> set[str]:
    """`names` without those from which no endless way leads `onward`."""
    left = set(names)
    counts = {name: len(onward[name] & left) for name in left}
    waiting = [name for name, count in counts.items() if not count]
    while waiting:
        name = waiting.pop()
        left.discard(name)
        for before in back[name] & left:
            counts[before] -= 1
            if not counts[before]:
                waiting.append(before)
    return left


def _references(schema: Any) -> Iterator[str]:
    waiting = [schema]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Mapping):
            name = referred(node.get("$ref"))
            if name is not None:
                yield name
            waiting += [item for _, item in subschemas(node)]
