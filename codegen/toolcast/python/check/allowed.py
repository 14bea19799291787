"""The literals that the annotation of a contract node may hold."""

import math
from collections.abc import Iterable, Mapping
from functools import cached_property

from ...contract.tree import (  # fmt: skip
    Array,
    Contract,
    Enum,
    Map,
    Node,
    Number,
    Object,
    Reference,
    String,
    children,
    nodes,
)
from ...jsonschema import translate
from ..structs.scalar_types import literal_parts


def nodes_by_pointer(contract: Contract) -> dict[str, list[Node]]:
    """Every node of a contract by its pointer, outer ones first: a list of types shares its branches' one."""
    found: dict[str, list[Node]] = {}
    for root in (*contract.roots.values(), *contract.definitions.values()):
        for node in nodes(root):
            found.setdefault(node.pointer, []).append(node)
    return found


class AllowedLiterals:
    """The literals of a node and of what stands in place under it. Values are compared by their `repr`:
    1, 1.0 and True are three things."""

    def __init__(self, node: Node, definitions: Mapping[str, Node]) -> None:
        self._node, self._definitions = node, definitions

    @cached_property
    def _inlined(self) -> list[Node]:
        return list(_inlined(self._node, self._definitions))  # most annotations hold no literal at all

    @cached_property
    def choices(self) -> frozenset[str]:
        """Each enum's members as the `repr` of a tuple; its strings and its integers, too."""
        enums = [node.values for node in self._inlined if isinstance(node, Enum)]
        return frozenset(repr(part) for values in enums for part in (values, *literal_parts(values)))

    @cached_property
    def patterns(self) -> frozenset[str]:
        """Python source of each pattern."""
        return frozenset(
            translate(node.pattern)
            for node in self._inlined
            if isinstance(node, String) and node.pattern is not None
        )

    @cached_property
    def formats(self) -> frozenset[str]:
        """Names of the formats that are asserted."""
        return frozenset(node.format for node in self._inlined if isinstance(node, String) and node.format)

    def has_number(self, keyword: str, value: str) -> bool:
        """Whether the contract has this number for `keyword`; `value` is a `repr`.

        For integers a fractional or exclusive bound may move to the next whole number; floats have theirs as
        a float.
        """
        numeric = [node for node in self._inlined if isinstance(node, Number)]
        return any(value in _number_forms(node, keyword) for node in numeric)

    @cached_property
    def sizes(self) -> frozenset[str]:
        """Lengths of strings, arrays and maps."""
        found: set[int | None] = set()
        for node in self._inlined:
            if isinstance(node, String):
                found |= {node.min_length, node.max_length}
            elif isinstance(node, Array):
                found |= {node.min_items, node.max_items}
            elif isinstance(node, Map):
                found |= {node.min_size, node.max_size}
        return frozenset(repr(size) for size in found)


def _inlined(node: Node, definitions: Mapping[str, Node]) -> Iterable[Node]:
    """A node and what its annotation may hold in place: everything down to the next object."""
    queue, seen = [node], set[int]()
    while queue:
        at = queue.pop()
        if id(at) in seen:
            continue
        seen.add(id(at))
        yield at
        if isinstance(at, Reference):
            queue += [definitions[at.name]] if at.name else []
        elif isinstance(at, Map) and at.keys is not None:
            queue += [at.keys, at.values]
        elif at is node or not isinstance(at, Object):
            queue += children(at)
        elif at.extra is not None:
            queue.append(at.extra)  # a marker beside the object names the type of its additional properties


def _number_forms(node: Number, keyword: str) -> set[str]:
    """How one number of a node may be written as the argument `keyword`."""
    low, high, above, below_ = node.minimum, node.maximum, node.exclusive_minimum, node.exclusive_maximum
    exact = {
        "minimum": low,
        "maximum": high,
        "exclusive_minimum": above,
        "exclusive_maximum": below_,
        "multiple_of": node.multiple_of,
    }
    found: list[int | float | None] = [exact.get(keyword)]
    if keyword == "ge":
        found += [
            low,
            None if low is None else math.ceil(low),
            None if above is None else math.floor(above) + 1,
        ]
    elif keyword == "le":
        found += [
            high,
            None if high is None else math.floor(high),
            None if below_ is None else math.ceil(below_) - 1,
        ]
    elif keyword == "gt":
        found += [above, None if above is None else math.floor(above)]
    elif keyword == "lt":
        found += [below_, None if below_ is None else math.ceil(below_)]
    texts = {repr(number) for number in found if number is not None}
    if keyword in ("ge", "le", "gt", "lt"):
        texts |= {repr(float(n)) for n in found if n is not None and abs(n) < 2**1023}
    return texts
