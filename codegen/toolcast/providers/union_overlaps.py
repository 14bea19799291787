"""Ambiguity of values in a union: the schemas in the same position of the other branches.

A form that is sent must not be one that another alternative takes at that place, else the way back may
choose that one. Alternatives that a key tells apart do not overlap.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from functools import partial
from typing import Any

from ..jsonschema.search import found
from .accepted_types import shapes
from .constraint_texts import text
from .json_paths import Path
from .json_types import MOVED
from .maps_as_pairs import holds_rest, is_map, sends_pairs
from .profiles.dialect import disposition
from .state import Overlap, State, Stated

Node = dict[str, Any]
NESTED = frozenset(("object", "array"))
PLAIN = frozenset(("string", "number", "boolean"))
MAX_FOLLOWED = 8


def of_branch(
    state: State, branches: list[Any], kinds: list[frozenset[str]], index: int, path: Path
) -> tuple[Overlap | None, Container[str]]:
    """The overlap of one of `branches`, and the JSON types that all others accept. `kinds` are the types
    of each; `path` is that of the list."""
    others = frozenset[str]().union(*kinds[:index], *kinds[index + 1 :])
    own, overlap = kinds[index] & NESTED, state.overlap
    if overlap is None and own.isdisjoint(others):
        return None, others

    def find() -> Stated:
        return (
            *(overlap.schemas if overlap is not None else ()),
            *_overlapping(state, branches, kinds, index, path),
        )

    return Overlap(find, partial(_types, state)), others if overlap is None else Overlap(
        find, lambda found: others | _types(state, found)
    )


def of_property(state: State, overlap: Overlap, name: str) -> Overlap:
    """The overlap of a property. An object that is open by default accepts the value in its original form."""

    def find() -> Stated:
        return tuple(found for location in overlap.schemas for found in _properties(state, location, name))

    return Overlap(find, partial(_types, state))


def of_items(state: State, overlap: Overlap) -> Overlap:
    """The overlap of the items of an array."""

    def find() -> Stated:
        return tuple(
            (True, path) if _free(node) else (node["items"], (path, "items"))
            for location in overlap.schemas
            for node, path in _nodes(state, location)
            if _free(node) or isinstance(node.get("items"), dict)
        )

    return Overlap(find, partial(_types, state))


def _types(state: State, locations: Stated) -> frozenset[str]:
    return frozenset[str]().union(*(shapes(state, schema, path) for schema, path in locations))


def _overlapping(
    state: State, branches: list[Any], kinds: list[frozenset[str]], index: int, path: Path
) -> Stated:
    """The branches that cannot be distinguished from one of them."""
    own = kinds[index] & NESTED
    location: Path = (path, str(index))
    return tuple(
        (other, (path, str(i)))
        for i, other in enumerate(branches)
        if i != index
        and not own.isdisjoint(kinds[i])
        and not (own <= {"object"} and _apart(state, (branches[index], location), (other, (path, str(i)))))
    )


def _properties(state: State, location: tuple[Any, Path], name: str) -> Iterator[tuple[Any, Path]]:
    pairs = state.dialect.maps == "pairs"
    for node, path in _nodes(state, location):
        properties = node.get("properties")
        if _free(node):
            yield True, path
        elif isinstance(properties, dict) and name in properties:
            yield properties[name], ((path, "properties"), name)
        elif pairs and ((is_map(node) and sends_pairs(state, node)) or holds_rest(node)):
            # Its additional keys are encoded in an array, so the object with that array is open.
            if properties and not state.dialect.closed:
                yield True, path
        else:
            yield from _further(state, node, path, name)


def _further(state: State, node: Node, path: Path, name: str) -> Iterator[tuple[Any, Path]]:
    patterns = node.get("patternProperties") or {}
    if node.get("propertyNames") is False:
        return  # it is closed
    if patterns and disposition(state.dialect, "patternProperties") != "keep":
        return  # the rest is open
    covering = [one for one in patterns if found(one, name) is not False]
    for pattern in covering:
        yield patterns[pattern], ((path, "patternProperties"), pattern)
    rest = node.get("additionalProperties")
    if not covering and rest and isinstance(rest, dict):
        yield rest, (path, "additionalProperties")


def _nodes(state: State, location: tuple[Any, Path], followed: int = 0) -> Iterator[tuple[Node, Path]]:
    """A schema and those that apply to the same value."""
    node, path = location
    if node is True:
        yield {}, path
    if not isinstance(node, dict) or followed > MAX_FOLLOWED:
        return
    yield node, path
    if isinstance(node.get("$ref"), str):
        yield from _nodes(state, state.target(node["$ref"], path)[:2], followed + 1)
    for keyword in ("anyOf", "oneOf", "allOf"):
        for i, branch in enumerate(node.get(keyword, ())):
            yield from _nodes(state, (branch, ((path, keyword), str(i))), followed + 1)


def _free(node: Node) -> bool:
    """Whether a schema accepts anything, and so any part."""
    return "anyOf" not in node and MOVED.isdisjoint(node)


# -- whether two branches are distinguishable ------------------------------------------------------


def _apart(state: State, left: tuple[Any, Path], right: tuple[Any, Path]) -> bool:
    """Whether no encoded object of one of two branches is valid against the other."""
    mine, theirs = _inlined(state, *left), _inlined(state, *right)
    if mine is None or theirs is None:
        return False
    if _differ(state, mine, theirs):
        return True
    return _foreign(state, mine[0], theirs[0]) and _foreign(state, theirs[0], mine[0])


def _differ(state: State, mine: tuple[Node, Path], theirs: tuple[Node, Path]) -> bool:
    """Whether a key that one of two objects requires has other values in the other."""
    (one, one_path), (other, other_path) = mine, theirs
    properties, others = one.get("properties", {}), other.get("properties", {})
    return any(
        _unlike(
            state,
            properties[name],
            others[name],
            ((one_path, "properties"), name),
            ((other_path, "properties"), name),
        )
        for name in dict.fromkeys((*one.get("required", ()), *other.get("required", ())))
        if name in properties and name in others
    )


def _foreign(state: State, one: Node, other: Node) -> bool:
    """Whether objects of `one` lack a key that `other` requires, or have one that it forbids."""
    mine, theirs = one.get("properties", {}), other.get("properties", {})
    every = state.dialect.optional == "nullable"
    if _closed(one) or state.dialect.closed:
        required = theirs if every else other.get("required", ())
        if any(name not in mine for name in required):
            return True
    keeps_additional = disposition(state.dialect, "additionalProperties") == "keep"
    if state.dialect.closed or (keeps_additional and _closed(other)):
        return any(name not in theirs for name in (mine if every else one.get("required", ())))
    return False


def _inlined(state: State, node: Any, path: Path) -> tuple[Node, Path] | None:
    for _ in range(MAX_FOLLOWED):
        if not isinstance(node, dict):
            return None
        if not isinstance(node.get("$ref"), str):
            return node, path
        node, path, _segments = state.target(node["$ref"], path)
    return None


def _closed(node: Node) -> bool:
    return node.get("additionalProperties") is False and not node.get("patternProperties")


def _unlike(state: State, left: Any, right: Any, path: Path, other: Path) -> bool:
    """Whether no value that is sent fits both of two properties."""
    mine, theirs = _literals(left), _literals(right)
    if mine is not None and theirs is not None:
        sent = {one if isinstance(one, str) else text(one) for one in mine}
        return sent.isdisjoint(one if isinstance(one, str) else text(one) for one in theirs)
    if mine is not None or theirs is not None:
        return False
    one, two = shapes(state, left, path), shapes(state, right, other)
    return one <= PLAIN and two <= PLAIN and one.isdisjoint(two)


def _literals(schema: Any) -> list[Any] | None:
    if not isinstance(schema, dict):
        return None
    if "const" in schema:
        return [schema["const"]]
    values = schema.get("enum")
    return values if isinstance(values, list) else None
