"""What a contract node lets its annotation say: the literals that may stand there, and no others."""

import math
from collections.abc import Iterable, Mapping
from functools import cached_property

from ..contract.tree import (
    Choice,
    Contract,
    Dictionary,
    Node,
    Numeric,
    Object,
    Reference,
    Sequence,
    String,
)  # fmt: skip
from ..contract.walk import below, nodes
from ..runtime.schema import translate


def index(contract: Contract) -> dict[str, list[Node]]:
    """Every node of a contract by its pointer, outer ones first: a list of types shares its branches' one."""
    found: dict[str, list[Node]] = {}
    for root in (*contract.roots.values(), *contract.definitions.values()):
        for node in nodes(root):
            found.setdefault(node.pointer, []).append(node)
    return found


class Said:
    """The literals of a node and of what stands in place under it. Values are compared by their `repr`:
    1, 1.0 and True are three things."""

    def __init__(self, node: Node, definitions: Mapping[str, Node]) -> None:
        self._inline = list(_inline(node, definitions))

    @cached_property
    def choices(self) -> frozenset[str]:
        """Each enum's members as the `repr` of a tuple."""
        return frozenset(repr(node.values) for node in self._inline if isinstance(node, Choice))

    @cached_property
    def patterns(self) -> frozenset[str]:
        """Python source of each pattern."""
        return frozenset(
            translate(node.pattern)
            for node in self._inline
            if isinstance(node, String) and node.pattern is not None
        )

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Bounds and steps, as written or in the form that integers and floats need."""
        found: set[str] = set()
        for node in self._inline:
            if isinstance(node, Numeric):
                for bound in (
                    node.minimum,
                    node.maximum,
                    node.exclusive_minimum,
                    node.exclusive_maximum,
                    node.multiple_of,
                ):
                    if bound is not None:
                        low, high = math.floor(bound), math.ceil(bound)
                        found |= {repr(n) for n in (bound, low, high, low + 1, high - 1)}
                        found |= {repr(float(bound))} if abs(bound) < 2**1023 else set()
        return frozenset(found)

    @cached_property
    def sizes(self) -> frozenset[str]:
        """Lengths of strings, arrays and maps."""
        found: set[int | None] = set()
        for node in self._inline:
            if isinstance(node, String):
                found |= {node.min_length, node.max_length}
            elif isinstance(node, Sequence):
                found |= {node.min_items, node.max_items}
            elif isinstance(node, Dictionary):
                found |= {node.min_size, node.max_size}
        return frozenset(repr(size) for size in found)


def _inline(node: Node, definitions: Mapping[str, Node]) -> Iterable[Node]:
    """A node and what its annotation may spell out: everything down to the next object."""
    queue, seen = [node], set[int]()
    while queue:
        at = queue.pop()
        if id(at) in seen:
            continue
        seen.add(id(at))
        yield at
        if isinstance(at, Reference):
            queue += [definitions[at.name]] if at.name else []
        elif isinstance(at, Dictionary) and at.keys is not None:
            queue += [at.keys, at.values]
        elif at is node or not isinstance(at, Object):
            queue += below(at)
