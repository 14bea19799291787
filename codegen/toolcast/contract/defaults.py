"""What a default holds once it is decoded: objects in it take the defaults of their own properties."""

from collections.abc import Iterator
from typing import Any, Final

from msgspec import Struct

from ..jsonschema.pointers import resolve
from .read import Reader
from .tree import Contract, Dictionary, Field, Fixed, Node, Object, Reference, Sequence, Union
from .tree_walk import nodes

MAX_PARTS: Final = 1_000
"""Defaults that one default may bring along. Each takes a conversion when it is decoded."""
MAX_DEPTH: Final = 64
"""Defaults inside of each other, as schemas may be nested."""


class Endless(Struct, frozen=True):
    """A default that cannot be filled: `circle` are the fields whose defaults lead back to the first, none
    where a bound is passed."""

    field: Field
    circle: tuple[Field, ...] = ()


class Filled(Struct, frozen=True):
    """What a default comes to: how many defaults with it, and how deep inside of each other."""

    parts: int = 1
    depth: int = 1


def endless(reader: Reader, contract: Contract) -> Iterator[Endless]:
    """Defaults that hold themselves, directly or through other defaults, and those that hold too many or too
    deep ones. A property with a default that is left out of an object takes that default: so what stands in a
    default may ask for it again, without end."""
    filling = _Filling(reader, contract)
    for top in (*contract.roots.values(), *contract.definitions.values()):
        for node in nodes(top):
            for field in node.fields if isinstance(node, Object) else ():
                if _defaults(field):
                    yield from filling.fill(field)


def _defaults(field: Field) -> bool:
    """Whether the default is converted: others stand in the Struct as they are."""
    return not field.required and isinstance(field.default, list | dict)


class _Filling:
    """Fields by their pointers: a schema that is merged into others stands in several objects."""

    def __init__(self, reader: Reader, contract: Contract) -> None:
        self._reader = reader
        self._contract = contract
        self._done: dict[str, Filled] = {}

    def fill(self, start: Field) -> Iterator[Endless]:
        """Look at what `start` leads to; what was looked at already is not reported again."""
        if start.pointer in self._done:
            return
        path = {start.pointer: start}
        waiting = [self._inner(start)]
        while waiting:
            if waiting[-1]:
                inner = waiting[-1].pop()
                if inner.pointer in path:
                    circle = list(path.values())[list(path).index(inner.pointer) :]
                    yield Endless(inner, tuple(circle))
                    self._done[inner.pointer] = Filled()
                elif inner.pointer not in self._done:
                    path[inner.pointer] = inner
                    waiting.append(self._inner(inner))
                continue
            waiting.pop()
            pointer, field = path.popitem()
            found = [self._done[inner.pointer] for inner in self._inner(field)]
            parts = 1 + sum(each.parts for each in found)
            depth = 1 + max((each.depth for each in found), default=0)
            if parts > MAX_PARTS or depth > MAX_DEPTH:
                yield Endless(field)
                parts = depth = 1
            self._done[pointer] = Filled(parts, depth)

    def _inner(self, field: Field) -> list[Field]:
        """The fields that are left out in the default of `field`, and have defaults."""
        found: list[Field] = []
        waiting: list[tuple[Node, Any]] = [(field.node, field.default)]
        seen: set[tuple[int, int]] = set()  # a union may lead back to itself, with the same value
        while waiting:
            node, value = waiting.pop()
            if not isinstance(value, list | dict) or (id(node), id(value)) in seen:
                continue
            seen.add((id(node), id(value)))
            if isinstance(node, Object) and isinstance(value, dict):
                found += [each for each in node.fields if each.wire not in value and _defaults(each)]
            waiting += self._parts(node, value)
        return found

    def _parts(self, node: Node, value: list[Any] | dict[str, Any]) -> Iterator[tuple[Node, Any]]:
        """What a value of `node` is made of, or is itself by another name."""
        match node, value:
            case Reference(), _:
                roots, definitions = self._contract.roots, self._contract.definitions
                yield (definitions[node.name] if node.name else roots[node.root]), value
            case Union(), _:
                yield from ((branch, value) for branch in self._taken(node, value))
            case Sequence(), list():
                yield from ((node.items, item) for item in value)
            case Fixed(), list():
                yield from zip(node.items, value, strict=False)
            case Dictionary(), dict():
                yield from ((node.values, item) for item in value.values())
            case Object(), dict():
                declared = {field.wire: field.node for field in node.fields}
                for name, item in value.items():
                    inner = declared.get(name, node.extra)
                    if inner is not None:
                        yield inner, item
            case _:
                pass

    def _taken(self, node: Union, value: Any) -> Iterator[Node]:
        """The branches that may give the value its type. Branches of a list of types never overlap."""
        if node.mode == "types":
            yield from node.branches
            return
        for branch in node.branches:
            if self._reader.accepts(resolve(self._reader.document, branch.pointer), value):
                yield branch
