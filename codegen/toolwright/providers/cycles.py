"""Which references close a circle, for dialects that know references but no recursion."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from .errors import SchemaError
from .paths import Path
from .state import State

Segments = tuple[str, ...]


def container(segments: Segments) -> Segments:
    """The definition that a place belongs to; `()` for all that stands outside definitions."""
    return segments[:2] if len(segments) > 1 and segments[0] in ("$defs", "definitions") else ()


def closes(state: State, segments: Segments) -> bool:
    """Whether a reference to `segments`, from where the walk is now, leads back to where it is."""
    here = {container(state.source), *map(container, state.opened)}
    return not here.isdisjoint(_reach(state, container(segments)))


def blocked(state: State, reference: Any, path: Path) -> None:
    """Give the mode up at a reference that closes a circle."""
    if closes(state, state.segments(reference, path)):
        state.block(path, "$ref", "a definition that contains itself cannot be said")


def _reach(state: State, start: Segments) -> frozenset[Segments]:
    """The definitions that lead on from `start`, itself included."""
    known = state.reach.get(start)
    if known is not None:
        return known
    graph = state.graph
    if graph is None:
        graph = state.graph = _graph(state)
    found: set[Segments] = set()
    waiting = [start]
    while waiting:
        each = waiting.pop()
        if each not in found:
            found.add(each)
            waiting += graph.get(each, ())
    state.reach[start] = frozenset(found)
    return state.reach[start]


def _graph(state: State) -> dict[Segments, set[Segments]]:
    """Which definitions each definition refers to. Literals are read too: too many rather than too few."""
    graph: dict[Segments, set[Segments]] = {}
    waiting: list[tuple[Any, Segments]] = [(state.document, ())]
    while waiting:
        value, at = waiting.pop()
        if isinstance(value, dict):
            reference = value.get("$ref")
            if isinstance(reference, str):
                with suppress(SchemaError):  # a property of that name, or told where it is really used
                    graph.setdefault(at, set()).add(container(state.segments(reference, None)))
            for key, child in value.items():
                inside = at == () and value is state.document and key in ("$defs", "definitions")
                if inside and isinstance(child, dict):
                    waiting += ((definition, (key, name)) for name, definition in child.items())
                else:
                    waiting.append((child, at))
        elif isinstance(value, list):
            waiting += ((child, at) for child in value)
    return graph
