"""Defaults that contain others: once decoded, an object in a default has the defaults of its properties."""

from collections.abc import Iterator
from typing import Any, Final

from msgspec import Struct

from ..jsonschema.pointers import resolve
from .reader import Reader
from .tree import Array, Contract, Field, Map, Node, Object, Reference, Tuple, Union, nodes

MAX_PARTS: Final = 1_000
"""Defaults that one default may contain. Each is converted when it is decoded."""
MAX_DEPTH: Final = 64
"""Levels of defaults inside each other, as many as schemas may have."""


class EndlessDefault(Struct, frozen=True):
    """A default without end: `circle` are the fields whose defaults contain each other; empty where a bound
    is exceeded."""

    field: Field
    circle: tuple[Field, ...] = ()


class DefaultSize(Struct, frozen=True):
    """How many defaults a default contains, itself included, and in how many levels."""

    parts: int = 1
    depth: int = 1


def endless_defaults(reader: Reader, contract: Contract) -> Iterator[EndlessDefault]:
    """Defaults that contain themselves, directly or through other defaults, and those with too many or too
    deeply nested ones.

    An absent property has its default. So a default may contain an object whose properties have defaults,
    without end.
    """
    filling = _DefaultSearch(reader, contract)
    for top in (*contract.roots.values(), *contract.definitions.values()):
        for node in nodes(top):
            for field in node.fields if isinstance(node, Object) else ():
                if _is_converted(field):
                    yield from filling.fill(field)


def _is_converted(field: Field) -> bool:
    """Whether the default is converted; others are literals in the Struct."""
    return not field.required and isinstance(field.default, list | dict)


class _DefaultSearch:
    """A depth-first search. Fields go by their pointers: a merged schema is in several objects."""

    def __init__(self, reader: Reader, contract: Contract) -> None:
        self._reader = reader
        self._contract = contract
        self._done: dict[str, DefaultSize] = {}

    def fill(self, start: Field) -> Iterator[EndlessDefault]:
        """The endless defaults that `start` leads to and that no earlier call has reported."""
        if start.pointer in self._done:
            return
        path = {start.pointer: start}
        pending = [self._inner(start)]
        while pending:
            if pending[-1]:
                inner = pending[-1].pop()
                if inner.pointer in path:
                    circle = list(path.values())[list(path).index(inner.pointer) :]
                    yield EndlessDefault(inner, tuple(circle))
                    self._done[inner.pointer] = DefaultSize()
                elif inner.pointer not in self._done:
                    path[inner.pointer] = inner
                    pending.append(self._inner(inner))
                continue
            pending.pop()
            pointer, field = path.popitem()
            found = [self._done[inner.pointer] for inner in self._inner(field)]
            parts = 1 + sum(each.parts for each in found)
            depth = 1 + max((each.depth for each in found), default=0)
            if parts > MAX_PARTS or depth > MAX_DEPTH:
                yield EndlessDefault(field)
                parts = depth = 1
            self._done[pointer] = DefaultSize(parts, depth)

    def _inner(self, field: Field) -> list[Field]:
        """The fields that are absent in the default of `field`, and have defaults."""
        found: list[Field] = []
        pending: list[tuple[Node, Any]] = [(field.node, field.default)]
        visited: set[tuple[int, int]] = set()  # a union may lead back to itself, with the same value
        while pending:
            node, value = pending.pop()
            if not isinstance(value, list | dict) or (id(node), id(value)) in visited:
                continue
            visited.add((id(node), id(value)))
            if isinstance(node, Object) and isinstance(value, dict):
                found += [
                    each for each in node.fields if each.encode_name not in value and _is_converted(each)
                ]
            pending += self._parts(node, value)
        return found

    def _parts(self, node: Node, value: list[Any] | dict[str, Any]) -> Iterator[tuple[Node, Any]]:
        """The parts of a value of `node`, or the value itself as another node."""
        match node, value:
            case Reference(), _:
                roots, definitions = self._contract.roots, self._contract.definitions
                yield (definitions[node.name] if node.name else roots[node.root]), value
            case Union(), _:
                yield from ((branch, value) for branch in self._accepting_branches(node, value))
            case Array(), list():
                yield from ((node.items, item) for item in value)
            case Tuple(), list():
                yield from zip(node.items, value, strict=False)
            case Map(), dict():
                yield from ((node.values, item) for item in value.values())
            case Object(), dict():
                declared = {field.encode_name: field.node for field in node.fields}
                for name, item in value.items():
                    inner = declared.get(name, node.extra)
                    if inner is not None:
                        yield inner, item
            case _:
                pass

    def _accepting_branches(self, node: Union, value: Any) -> Iterator[Node]:
        """The branches that may decode the value. Branches of a list of types never overlap."""
        if node.mode == "types":
            yield from node.branches
            return
        for branch in node.branches:
            if self._reader.accepts(resolve(self._reader.document, branch.pointer), value):
                yield branch
