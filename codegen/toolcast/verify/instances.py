"""The instances that a tool is verified with: valid ones, every edge of the schema, one edit from valid, and
junk.

Edges are each bound and the value just past it, an object without each property and with one more. Each edit
is keyed by the schema that it tries, so that a hundred items of one list are tried once.
"""

import random
from collections.abc import Hashable, Iterator
from typing import Any

from .instance_generator import Generator, UnfillableError, junk
from .mutate import edited
from .oracle import Oracle
from .samples import FORMATS, numeric, sample_first
from .schema_document import POSSIBLE, Tree
from .shrink import Path, replaced, without

Edge = tuple[Hashable, Path, Any]
"""What is tried (a key), where, and the value to put there; `REMOVED` takes the place away."""

REMOVED = object()
_WRONG: tuple[Any, ...] = (None, True, 0, 1.5, "a", [], {})
_Nodes = list[tuple[dict[str, Any], int]]


def edges(tree: Tree, value: Any) -> Iterator[Edge]:
    """The edges that can be tried by one edit of `value`."""
    yield from _edges(tree, value, tree.same_value([(tree.start, POSSIBLE)]), ())


def applied(value: Any, path: Path, new: Any) -> Any:
    """`value` with one edge tried."""
    return without(value, path) if new is REMOVED else replaced(value, path, new)


def is_type(key: Hashable) -> bool:
    """Whether an edge is a value of another type, to which no keyword but `type` applies."""
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
            below = tree.same_value(tree.member(nodes, name))
            yield from _edges(tree, child, below, (*path, name))
    elif isinstance(value, list):
        for index, child in enumerate(value[:4]):
            yield from _edges(tree, child, tree.same_value(tree.item(nodes, index)), (*path, index))


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


POOL = 24
"""Valid values kept to be edited."""
BASES = 6
"""Valid values, as full as they get, whose edges are tried."""
MAX_EDGES = 20_000


def instances(oracle: Oracle, rng: random.Random, count: int) -> Iterator[Any]:
    """`count` values: up to half of them edges, a third made to be valid, the rest edits at random."""
    generator = Generator(oracle, rng)
    tried = _edge_instances(oracle, generator, rng, count // 2)
    yield from tried
    pool: list[Any] = []
    left = count - len(tried)
    for number in range(left):
        roll = rng.random()
        if number < min(count * 7 // 20, left) or not pool:
            try:
                value = generator.instance()
            except UnfillableError:
                value = {} if number == 0 else junk(rng)
            if oracle.accepts(value):
                if len(pool) < POOL:
                    pool.append(value)
                else:
                    pool[rng.randrange(POOL)] = value
            yield value
        elif roll < 0.96:
            value = edited(rng, oracle.tree, rng.choice(pool))
            if rng.random() < 0.15:
                value = edited(rng, oracle.tree, value)
            yield value
        else:
            yield junk(rng)


def _edge_instances(oracle: Oracle, generator: Generator, rng: random.Random, count: int) -> list[Any]:
    """At most `count` edges, chosen by chance where there are more."""
    found: dict[Hashable, tuple[Any, Any, Any]] = {}
    for number in range(BASES):
        try:
            base = generator.instance(1.0 if number % 3 else 0.0)
        except UnfillableError:
            continue
        if not oracle.accepts(base):
            continue
        for key, path, new in edges(oracle.tree, base):
            if len(found) < MAX_EDGES:
                found.setdefault(key, (base, path, new))
    # What a schema states comes before values of other types, of which there are many and easy ones.
    stated = [edge for key, edge in found.items() if not is_type(key)]
    others = [edge for key, edge in found.items() if is_type(key)]
    rng.shuffle(stated)
    rng.shuffle(others)
    return [applied(*edge) for edge in (*stated, *others)[:count]]
