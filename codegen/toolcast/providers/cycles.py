"""Which references form a cycle, for dialects that have references but no recursion."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from ..jsonschema.json_values import nested_objects
from .json_paths import Path
from .provider_errors import SchemaError
from .state import State

Segments = tuple[str, ...]


def container(segments: Segments) -> Segments:
    """The definition that contains a schema; `()` for schemas outside of definitions."""
    return segments[:2] if len(segments) > 1 and segments[0] == "$defs" else ()


def closes(state: State, segments: Segments) -> bool:
    """Whether a reference to `segments`, from the current schema, leads back to it."""
    start = container(segments)
    if not start and segments:  # a schema inside the root: it may not lead back
        return _leads_back(state, segments, frozenset(), set())
    here = {container(state.source), *map(container, state.inlining)}
    return not here.isdisjoint(_reach(state, start))


def _leads_back(state: State, segments: Segments, above: frozenset[Segments], clear: set[Segments]) -> bool:
    """Whether the schema at `segments`, outside definitions, leads back to the root, to itself, or to one of
    those `above` it in the search. `clear` are those known not to lead back."""
    if segments in above or not segments:
        return True
    if segments in clear:
        return False
    above |= {segments}
    for target in _targets(state, state.resolve(segments)[0]):
        start = container(target)
        if start:
            if () in _reach(state, start):
                return True
        elif target == segments[: len(target)] or _leads_back(state, target, above, clear):
            return True
    clear.add(segments)
    return False


def changed_behind(state: State, schema: Any) -> bool:
    """Whether a definition that `schema` refers to was changed in meaning by an earlier walk. Notes that
    the question, so that another walk is made where the answer changes."""
    state.must_be_unchanged.append(schema)
    return reaches(state, schema, state.losses)


def reaches(state: State, schema: Any, locations: frozenset[Segments]) -> bool:
    """Whether references inside `schema`, followed to the end, lead to one of `locations`."""
    pending = [*_targets(state, schema)] if locations else []
    visited: set[Segments] = set()
    while pending:
        segments = pending.pop()
        if segments in locations:
            return True
        if segments not in visited:
            visited.add(segments)
            with suppress(SchemaError):  # a literal that looks like a reference
                pending += _targets(state, state.resolve(segments)[0])
    return False


def _targets(state: State, schema: Any) -> Iterator[Segments]:
    """The targets of the references inside a schema, and of those in literals."""
    for each in nested_objects(schema):
        reference = each.get("$ref")
        if isinstance(reference, str):
            with suppress(SchemaError):  # a property of that name, or reported later
                yield state.segments(reference, None)


def blocked(state: State, reference: Any, path: Path) -> None:
    """Give the mode up at a reference that closes a circle."""
    if closes(state, state.segments(reference, path)):
        state.block(path, "$ref", "a definition that contains itself cannot be expressed")


def _reach(state: State, start: Segments) -> frozenset[Segments]:
    """The definitions that lead on from `start`, itself included."""
    known = state.reach.get(start)
    if known is not None:
        return known
    graph = state.graph
    if graph is None:
        graph = state.graph = _graph(state)
    found: set[Segments] = set()
    pending = [start]
    while pending:
        each = pending.pop()
        if each not in found:
            found.add(each)
            pending += graph.get(each, ())
    state.reach[start] = frozenset(found)
    return state.reach[start]


def _graph(state: State) -> dict[Segments, set[Segments]]:
    """Which definitions each definition refers to. References in literals count too."""
    graph: dict[Segments, set[Segments]] = {}
    pending: list[tuple[Any, Segments]] = [(state.document, ())]
    while pending:
        value, at = pending.pop()
        if isinstance(value, dict):
            reference = value.get("$ref")
            if isinstance(reference, str):
                with suppress(SchemaError):  # a property of that name, or reported later
                    graph.setdefault(at, set()).add(container(state.segments(reference, None)))
            for key, child in value.items():
                inside = at == () and value is state.document and key == "$defs"
                if inside and isinstance(child, dict):
                    pending += ((definition, (key, name)) for name, definition in child.items())
                else:
                    pending.append((child, at))
        elif isinstance(value, list):
            pending += ((child, at) for child in value)
    return graph
