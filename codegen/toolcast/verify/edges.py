"""Every edge of a schema, one by one: at each bound and just past it, without each property, with one more.

Chance finds an edge some day; this does so at once. Each edit is keyed by the schema that it tries, so that
a hundred items of one list are tried once.
"""

from collections.abc import Hashable, Iterator
from typing import Any

from .numbers import numeric
from .pattern_samples import sample_first
from .samples import FORMATS
from .schema_document import POSSIBLE, Tree
from .value_paths import Path, replaced, without

Edge = tuple[Hashable, Path, Any]
"""What is tried (a key), where, and the value to put there; `REMOVED` takes the place away."""

REMOVED = object()
_WRONG: tuple[Any, ...] = (None, True, 0, 1.5, "a", [], {})
_Nodes = list[tuple[dict[str, Any], int]]


def edges(tree: Tree, value: Any) -> Iterator[Edge]:
    """The edges that can be tried by one edit of `value`."""
    yield from _edges(tree, value, tree.beside([(tree.start, POSSIBLE)]), ())


def applied(value: Any, path: Path, new: Any) -> Any:
    """`value` with one edge tried."""
    return without(value, path) if new is REMOVED else replaced(value, path, new)


def is_type(key: Hashable) -> bool:
    """Whether an edge is a value of another type, which no keyword but `type` speaks of."""
    return isinstance(key, tuple) and key[1] == "type"


def _edges(tree: Tree, value: Any, nodes: _Nodes, path: Path) -> Iterator[Edge]:
    here = frozenset(id(node) for node, _ in nodes)
    for wrong in _WRONG if path else ():
        yield (here, "type", repr(wrong)), path, wrong
    for node, _ in nodes:
        for name, new in _of(node, value):
            yield (id(node), name), path, new
    if isinstance(value, dict):
        for name, child in value.items():
            yield (here, "without", name), (*path, name), REMOVED
            below = tree.beside(tree.member(nodes, name))
            yield from _edges(tree, child, below, (*path, name))
    elif isinstance(value, list):
        for index, child in enumerate(value[:4]):
            yield from _edges(tree, child, tree.beside(tree.item(nodes, index)), (*path, index))


def _of(node: dict[str, Any], value: Any) -> Iterator[tuple[Hashable, Any]]:
    """What one schema suggests in the place of `value`, each under a name."""
    for number, member in enumerate(node["enum"] if isinstance(node.get("enum"), list) else ()):
        yield ("enum", number), member
        yield ("enum", number, "near"), _near(member)
    if "const" in node:
        yield ("const",), node["const"]
        yield ("const", "near"), _near(node["const"])
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, (int, float)):
        yield from _number(node, value)
    elif isinstance(value, str):
        yield from _string(node, value)
    elif isinstance(value, list):
        yield from _array(node, value)
    else:
        yield from _object(node, value)


def _near(member: Any) -> Any:
    if isinstance(member, str):
        return member + " "
    if isinstance(member, bool):
        return int(member)
    return float(member) if isinstance(member, int) and abs(member) < 2**53 else str(member)


def _number(node: dict[str, Any], value: Any) -> Iterator[tuple[Hashable, Any]]:
    for keyword in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
        for bound in numeric((node,), keyword):
            yield (keyword, 0), bound
            yield (keyword, -1), bound - 1
            yield (keyword, 1), bound + 1
            if abs(bound) < 2**50:
                yield (keyword, -0.5), bound - 0.5
                yield (keyword, 0.5), bound + 0.5
    for step in numeric((node,), "multipleOf"):
        yield ("multipleOf", 1), step
        yield ("multipleOf", 3), step * 3
        yield ("multipleOf", 1.5), step * 1.5
    if node.get("type") in ("integer", "number") and abs(value) < 2**53:
        yield ("whole",), float(int(value))
        yield ("part",), int(value) + 0.5
        yield ("text",), str(value)
        yield ("large",), 2**63
        yield ("larger",), 2**64


def _string(node: dict[str, Any], value: str) -> Iterator[tuple[Hashable, Any]]:
    for keyword in ("minLength", "maxLength"):
        for length in numeric((node,), keyword):
            for off in (-1, 0, 1):
                wanted = min(max(int(length) + off, 0), 40_000)
                yield (keyword, off), (value + "x" * wanted)[:wanted]
            yield (keyword, "wide"), "😀" * min(int(length), 40_000)
    pattern = node.get("pattern")
    if isinstance(pattern, str):
        yield ("pattern", "newline"), value + "\n"
        yield ("pattern", "before"), "\n" + value
        yield ("pattern", "digit"), "".join("\u0663" if char.isdigit() else char for char in value)
        yield ("pattern", "other"), value + "!"
        yield ("pattern", "first"), sample_first(pattern)
    if isinstance(node.get("format"), str) and node["format"] in FORMATS:
        for texts in FORMATS[node["format"]]:
            for text in texts:
                yield ("format", text), text
    if node.get("type") == "string":
        yield ("empty",), ""


def _array(node: dict[str, Any], value: list[Any]) -> Iterator[tuple[Hashable, Any]]:
    for keyword in ("minItems", "maxItems", "minContains", "maxContains"):
        for length in numeric((node,), keyword):
            for off in (-1, 0, 1):
                wanted = min(max(int(length) + off, 0), 4_000)
                if value or not wanted:
                    yield (keyword, off), (value * (wanted + 1))[:wanted]
    if value and (node.get("uniqueItems") or "items" in node):
        yield ("twice",), [*value, value[0]]
        yield ("fewer",), value[:-1]
    if "prefixItems" in node:
        yield ("more",), [*value, None]
        yield ("less",), value[: len(node["prefixItems"]) - 1]
    yield ("nothing",), []


def _object(node: dict[str, Any], value: dict[str, Any]) -> Iterator[tuple[Hashable, Any]]:
    properties = node.get("properties")
    for name in properties if isinstance(properties, dict) else ():
        yield ("null", name), {**value, name: None}
        if len(name) > 1:
            yield (
                ("case", name),
                {name.swapcase() if key == name else key: item for key, item in value.items()},
            )
    for item in (None, 0, "a"):
        yield ("extra", repr(item)), {**value, "extra_key": item}
    for keyword in ("minProperties", "maxProperties"):
        for count in numeric((node,), keyword):
            for off in (-1, 0, 1):
                yield (keyword, off), _of_size(value, min(int(count) + off, 2_000))
    yield ("nothing",), {}


def _of_size(value: dict[str, Any], count: int) -> dict[str, Any]:
    names = list(value)[: max(count, 0)]
    child = next(iter(value.values()), None)
    return {**{name: value[name] for name in names}, **{f"k{n}": child for n in range(count - len(names))}}
