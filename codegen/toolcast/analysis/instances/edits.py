"""The instances that a tool is verified with: valid ones, every edge of the schema, one edit from valid, and
junk.

Edges are each bound and the value just past it, an object without each property and with one more. The schema
that an edit tries is its key, so that a hundred items of one list are tried once.
"""

import random
from collections.abc import Hashable, Iterator
from typing import Any

from ...jsonschema.cases import Part
from ...jsonschema.json_values import JsonObject, is_number
from .generator import Generator, UnfillableError
from .oracle import POSSIBLE, Oracle, SchemaTree, judged_by
from .pattern_texts import sample, sample_first
from .scalar_values import FORMATS, JUNK, STRINGS, junk
from .shrink import Path, inside, replaced, without

_Edge = tuple[Hashable, Path, Any]
"""The key of an edit, its place, and the value to put there; `_REMOVED` takes the place away."""

_REMOVED = object()
_WRONG: tuple[Any, ...] = (None, True, 0, 1.5, "a", [], {})
_Nodes = list[tuple[JsonObject, int]]


def edges(tree: SchemaTree, value: object) -> Iterator[_Edge]:
    """Yield the edges that can be tried by one edit of `value`."""
    yield from _edges(tree, value, tree.same_value([(tree.start, POSSIBLE)]), ())


def applied(value: Any, path: Path, new: Any) -> Any:
    """Return `value` with one edge tried."""
    return without(value, path) if new is _REMOVED else replaced(value, path, new)


def _is_type(key: Hashable) -> bool:
    """Return whether an edge is a value of another type, to which no keyword but `type` applies."""
    return isinstance(key, tuple) and key[1] == "type"


def _edges(tree: SchemaTree, value: object, nodes: _Nodes, path: Path) -> Iterator[_Edge]:
    here = frozenset(id(node) for node, _ in nodes)
    for wrong in _WRONG if path else ():
        yield (here, "type", repr(wrong)), path, wrong
    for node, _ in nodes:
        for name, new in _of(node, value):
            yield (id(node), name), path, new
    if isinstance(value, dict):
        for name, child in value.items():
            yield (here, "without", name), (*path, name), _REMOVED
            below = tree.same_value(tree.member(nodes, name))
            yield from _edges(tree, child, below, (*path, name))
    elif isinstance(value, list):
        for index, child in enumerate(value[:4]):
            yield from _edges(tree, child, tree.same_value(tree.item(nodes, index)), (*path, index))


def _of(node: JsonObject, value: Any) -> Iterator[tuple[Hashable, Any]]:
    """Yield the values that one schema suggests in the place of `value`, each under a name."""
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


def _near(member: object) -> Any:
    if isinstance(member, str):
        return member + " "
    if isinstance(member, bool):
        return int(member)
    return float(member) if isinstance(member, int) and abs(member) < 2**53 else str(member)


def _number(node: JsonObject, value: Any) -> Iterator[tuple[Hashable, Any]]:
    for keyword in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
        for bound in _numeric(node, keyword):
            yield (keyword, 0), bound
            yield (keyword, -1), bound - 1
            yield (keyword, 1), bound + 1
            if abs(bound) < 2**50:
                yield (keyword, -0.5), bound - 0.5
                yield (keyword, 0.5), bound + 0.5
    for step in _numeric(node, "multipleOf"):
        yield ("multipleOf", 1), step
        yield ("multipleOf", 3), step * 3
        yield ("multipleOf", 1.5), step * 1.5
    if node.get("type") in ("integer", "number") and abs(value) < 2**53:
        yield ("whole",), float(int(value))
        yield ("part",), int(value) + 0.5
        yield ("text",), str(value)
        yield ("large",), 2**63
        yield ("larger",), 2**64


def _string(node: JsonObject, value: str) -> Iterator[tuple[Hashable, Any]]:
    for keyword in ("minLength", "maxLength"):
        for length in _numeric(node, keyword):
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


def _array(node: JsonObject, value: list[object]) -> Iterator[tuple[Hashable, Any]]:
    for keyword in ("minItems", "maxItems", "minContains", "maxContains"):
        for length in _numeric(node, keyword):
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


def _object(node: JsonObject, value: JsonObject) -> Iterator[tuple[Hashable, Any]]:
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
        for count in _numeric(node, keyword):
            for off in (-1, 0, 1):
                yield (keyword, off), _of_size(value, min(int(count) + off, 2_000))
    yield ("nothing",), {}


def _of_size(value: JsonObject, count: int) -> JsonObject:
    names = list(value)[: max(count, 0)]
    child = next(iter(value.values()), None)
    return {**{name: value[name] for name in names}, **{f"k{n}": child for n in range(count - len(names))}}


def edited(rng: random.Random, tree: SchemaTree, value: object) -> Any:
    """Return `value` with one edit at a random place: an edge of the schemas that apply there, or another."""
    found = list(inside(value))
    path, child = rng.choice(found if len(found) < 12 else found[:4] + rng.sample(found[4:], 8))
    roll = rng.random()
    if path and roll < 0.12:
        return replaced(value, path, None)
    if path and roll < 0.22:
        return without(value, path)
    if roll < 0.32:
        return replaced(value, path, junk(rng))
    nodes = [node for node, _ in _nodes(tree, value, path)]
    suggested = [new for node in nodes for _, new in _of(node, child)]
    new = rng.choice(suggested) if suggested and roll < 0.66 else _changed(rng, child, nodes)
    return replaced(value, path, new)


def _nodes(tree: SchemaTree, value: Any, path: Path) -> _Nodes:
    nodes = tree.same_value([(tree.start, POSSIBLE)])
    for step in path:
        below = tree.member(nodes, step) if isinstance(step, str) else tree.item(nodes, step)
        nodes = tree.same_value(below)
        value = value[step]
    return nodes


def _changed(rng: random.Random, value: Any, nodes: list[JsonObject]) -> Any:
    """Return a value that differs by chance; texts for patterns and names of properties come from `nodes`."""
    if isinstance(value, dict):
        return _changed_object(rng, value, nodes)
    if isinstance(value, list):
        at = rng.randint(0, len(value))
        again = [[*value, rng.choice(value)], [*value[1:], value[0]]] if value else []
        return rng.choice([[*value[:at], junk(rng), *value[at:]], *again])
    if isinstance(value, bool) or value is None:
        return rng.choice((0, 1, "true", "", None, True, False, 0.0))
    if isinstance(value, str):
        at = rng.randrange(len(value) + 1)
        choices = [
            value + "\n",
            value + " ",
            " " + value,
            value[:-1],
            value.upper(),
            value.lower(),
            value + "é",
        ]
        choices += [rng.choice(STRINGS), value[:at] + rng.choice("a0 -_.\u0660é\n") + value[at + 1 :]]
        patterns = [node["pattern"] for node in nodes if isinstance(node.get("pattern"), str)]
        choices += [(sample(rng, each) or "") + rng.choice(("\n", "", "a", "!")) for each in patterns]
        return rng.choice(choices)
    numbers = [value + 1, value - 1, -value, str(value), value * 10, rng.choice(JUNK)]
    numbers += [float(value), value + 0.5] if abs(value) < 2**53 else []
    found = rng.choice(numbers)
    return found if not isinstance(found, float) or abs(found) < 1e308 else 1e300


def _changed_object(rng: random.Random, value: JsonObject, nodes: list[JsonObject]) -> JsonObject:
    named = [node["properties"] for node in nodes if isinstance(node.get("properties"), dict)]
    absent = [name for properties in named for name in properties if name not in value]
    roll = rng.random()
    if value and roll < 0.2:  # a key that looks like one
        old = rng.choice(list(value))
        new = rng.choice((old.upper(), old + "_", old + "\n", old[:-1], old.replace("_", "")))
        return {new if name == old else name: child for name, child in value.items()}
    if absent and roll < 0.6:
        return {**value, rng.choice(absent): rng.choice((None, None, *JUNK))}
    patterns = [pattern for node in nodes for pattern in node.get("patternProperties") or ()]
    name = rng.choice(("extra", "__extra__", "", "a", "0", *STRINGS))
    if patterns and rng.random() < 0.6:
        name = sample(rng, rng.choice(patterns)) or name
    return {**value, name: junk(rng)}


def _numeric(node: JsonObject, keyword: str) -> list[Any]:
    return [node[keyword]] if is_number(node.get(keyword)) else []


_POOL = 24
"""Valid values kept to be edited."""
_BASES = 6
"""Valid values, as full as they get, whose edges are tried."""
_MAX_EDGES = 20_000


def instances(oracle: Oracle, rng: random.Random, count: int) -> Iterator[Any]:
    """Yield `count` values: up to half of them edges, a third made to be valid, the rest random edits."""
    generator, schema = Generator(rng=rng), judged_by(oracle)
    tried = _edge_instances(oracle, generator, schema, rng, count // 2)
    yield from tried
    pool: list[object] = []
    left = count - len(tried)
    for number in range(left):
        roll = rng.random()
        if number < min(count * 7 // 20, left) or not pool:
            try:
                value = generator.varied(schema)
            except UnfillableError:
                value = {} if number == 0 else junk(rng)
            if oracle.accepts(value):
                if len(pool) < _POOL:
                    pool.append(value)
                else:
                    pool[rng.randrange(_POOL)] = value
            yield value
        elif roll < 0.96:
            value = edited(rng, oracle.tree, rng.choice(pool))
            if rng.random() < 0.15:
                value = edited(rng, oracle.tree, value)
            yield value
        else:
            yield junk(rng)


def _edge_instances(
    oracle: Oracle, generator: Generator, schema: Part, rng: random.Random, count: int
) -> list[Any]:
    found: dict[Hashable, tuple[Any, Any, Any]] = {}
    for number in range(_BASES):
        try:
            base = generator.varied(schema, 1.0 if number % 3 else 0.0)
        except UnfillableError:
            continue
        if not oracle.accepts(base):
            continue
        for key, path, new in edges(oracle.tree, base):
            if len(found) < _MAX_EDGES:
                found.setdefault(key, (base, path, new))
    # What a schema states comes before values of other types, of which there are many and easy ones.
    stated = [edge for key, edge in found.items() if not _is_type(key)]
    others = [edge for key, edge in found.items() if _is_type(key)]
    rng.shuffle(stated)
    rng.shuffle(others)
    return [applied(*edge) for edge in (*stated, *others)[:count]]
