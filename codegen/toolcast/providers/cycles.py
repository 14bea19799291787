"""Which references close a circle, for dialects that know references but no recursion."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from .errors import SchemaError
from .json_paths import Path
from .state import State

Segments = tuple[str, ...]


def container(segments: Segments) -> Segments:
    """The definition that a place belongs to; `()` for all that stands outside definitions."""
    return segments[:2] if len(segments) > 1 and segments[0] == "$defs" else ()


def closes(state: State, segments: Segments) -> bool:
    """Whether a reference to `segments`, from where the walk is now, leads back to where it is."""
    start = container(segments)
    if not start and segments:  # into the root, past its top: what stands there may lead nowhere else
        return _leads_back(state, segments, frozenset(), set())
    here = {container(state.source), *map(container, state.opened)}
    return not here.isdisjoint(_reach(state, start))


def _leads_back(state: State, segments: Segments, above: frozenset[Segments], clear: set[Segments]) -> bool:
    """Whether what stands at `segments`, outside definitions, leads back to the root, to itself, or to one
    of the places `above` that led here. `clear` are those known to lead nowhere back."""
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
    this was asked, so that one more walk is made where the answer has become another."""
    state.judged.append(schema)
    return reaches(state, schema, state.losses)


def reaches(state: State, schema: Any, places: frozenset[Segments]) -> bool:
    """Whether references inside `schema`, followed to the end, lead to one of `places`."""
    waiting = [*_targets(state, schema)] if places else []
    seen: set[Segments] = set()
    while waiting:
        segments = waiting.pop()
        if segments in places:
            return True
        if segments not in seen:
            seen.add(segments)
            with suppress(SchemaError):  # a literal that looks like a reference
                waiting += _targets(state, state.resolve(segments)[0])
    return False


def _targets(state: State, schema: Any) -> Iterator[Segments]:
    """Where the references inside a schema lead. Literals are read too: too many rather than too few."""
    waiting = [schema]
    while waiting:
        each = waiting.pop()
        if isinstance(each, list):
            waiting += each
        elif isinstance(each, dict):
            reference = each.get("$ref")
            if isinstance(reference, str):
                with suppress(SchemaError):  # a property of that name, or told where it is really used
                    yield state.segments(reference, None)
            waiting += each.values()


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
                inside = at == () and value is state.document and key == "$defs"
                if inside and isinstance(child, dict):
                    waiting += ((definition, (key, name)) for name, definition in child.items())
                else:
                    waiting.append((child, at))
        elif isinstance(value, list):
            waiting += ((child, at) for child in value)
    return graph
