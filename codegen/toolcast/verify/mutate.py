"""One edit: a valid value becomes one that a schema may refuse, at a bound, by a type, by a key."""

import random
from typing import Any

from .instance_generator import junk
from .samples import FORMATS, JUNK, STRINGS, numeric, sample
from .schema_document import POSSIBLE, Tree
from .shrink import Path, inside, replaced, without

_Nodes = list[tuple[dict[str, Any], int]]


def edited(rng: random.Random, tree: Tree, value: Any) -> Any:
    """`value` with one edit at a random location; the schemas that apply there guide the edit."""
    found = list(inside(value))
    path, child = rng.choice(found if len(found) < 12 else found[:4] + rng.sample(found[4:], 8))
    nodes = _nodes(tree, value, path)
    roll = rng.random()
    if path and roll < 0.12:
        return replaced(value, path, None)
    if path and roll < 0.22:
        return without(value, path)
    if roll < 0.32:
        return replaced(value, path, junk(rng))
    if isinstance(child, dict):
        return replaced(value, path, _object(rng, child, nodes))
    if isinstance(child, list):
        return replaced(value, path, _array(rng, child, nodes))
    if isinstance(child, bool) or child is None:
        return replaced(value, path, rng.choice((0, 1, "true", "", None, True, False, 0.0)))
    if isinstance(child, str):
        return replaced(value, path, _string(rng, child, nodes))
    return replaced(value, path, _number(rng, child, nodes))


def _nodes(tree: Tree, value: Any, path: Path) -> _Nodes:
    """The schemas that may apply to the value at `path`."""
    nodes = tree.same_value([(tree.start, POSSIBLE)])
    for step in path:
        below = tree.member(nodes, step) if isinstance(step, str) else tree.item(nodes, step)
        nodes = tree.same_value(below)
        value = value[step]
    return nodes


def _words(nodes: _Nodes, *keywords: str) -> list[Any]:
    return [node[keyword] for node, _ in nodes for keyword in keywords if keyword in node]


def _literal(rng: random.Random, nodes: _Nodes) -> list[Any]:
    """Members of enumerations that may apply: the value of another branch is the likeliest mistake."""
    found = _words(nodes, "const")
    for members in _words(nodes, "enum"):
        found += members if isinstance(members, list) else []
    return [rng.choice(found)] if found else []


def _object(rng: random.Random, value: dict[str, Any], nodes: _Nodes) -> dict[str, Any]:
    declared = [name for named in _words(nodes, "properties") if isinstance(named, dict) for name in named]
    roll = rng.random()
    if value and roll < 0.3:
        gone = rng.choice(list(value))
        return {name: child for name, child in value.items() if name != gone}
    if value and roll < 0.4:  # a key that looks like one
        old = rng.choice(list(value))
        new = rng.choice((old.upper(), old + "_", old + "\n", old[:-1], old.replace("_", "")))
        return {new if name == old else name: child for name, child in value.items()}
    absent = [name for name in declared if name not in value]
    if absent and roll < 0.7:
        return {**value, rng.choice(absent): rng.choice((None, None, *JUNK))}
    patterns = [p for patterned in _words(nodes, "patternProperties") for p in patterned]
    name = rng.choice(("extra", "__extra__", "", "a", "0", *STRINGS))
    if patterns and rng.random() < 0.6:
        name = sample(rng, rng.choice(patterns)) or name
    if roll < 0.95:
        return {**value, name: junk(rng)}
    return {}


def _array(rng: random.Random, value: list[Any], nodes: _Nodes) -> list[Any]:
    roll = rng.random()
    if value and roll < 0.25:
        return [*value, rng.choice(value)]
    if value and roll < 0.4:
        return value[:-1]
    if value and roll < 0.5:
        return [*value[1:], value[0]]
    sizes = [int(n) for n in _numbers(nodes, "minItems", "maxItems", "minContains", "maxContains")]
    if sizes and value and roll < 0.7:
        wanted = min(rng.choice(sizes) + rng.choice((-1, 0, 1)), 2000)
        return (value * (wanted // len(value) + 1))[: max(wanted, 0)]
    if roll < 0.9:
        location = rng.randint(0, len(value))
        return [*value[:location], junk(rng), *value[location:]]
    return []


def _numbers(nodes: _Nodes, *keywords: str) -> list[Any]:
    facts = [node for node, _ in nodes]
    return [number for keyword in keywords for number in numeric(facts, keyword)]


def _string(rng: random.Random, value: str, nodes: _Nodes) -> Any:
    choices: list[Any] = [
        value + "\n", value + " ", " " + value, value[:-1], value.upper(), value.lower(), value + "é",
        rng.choice(STRINGS), *_literal(rng, nodes),
    ]  # fmt: skip
    if value:
        location = rng.randrange(len(value))
        choices.append(value[:location] + rng.choice("a0 -_.\u0660é\n") + value[location + 1 :])
    for length in _numbers(nodes, "minLength", "maxLength"):
        wanted = min(max(0, int(length) + rng.choice((-1, 0, 1))), 20_000)
        choices.append((value + rng.choice("a😀é") * wanted)[:wanted])
    for name in _words(nodes, "format"):
        if name in FORMATS:
            choices.append(rng.choice(FORMATS[name][1]))
    for pattern in _words(nodes, "pattern"):
        if isinstance(pattern, str):
            choices.append((sample(rng, pattern) or "") + rng.choice(("\n", "", "a", "!")))
    return rng.choice(choices)


def _number(rng: random.Random, value: Any, nodes: _Nodes) -> Any:
    choices: list[Any] = [value + 1, value - 1, -value, str(value), value * 10, *_literal(rng, nodes)]
    if abs(value) < 2**53:
        choices += [float(value), value + 0.5, value * 1.0]
    for bound in _numbers(nodes, "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
        choices += [bound, bound + 1, bound - 1]
        if abs(bound) < 2**53:
            choices += [bound + 0.5, bound - 0.5, float(bound)]
    for step in _numbers(nodes, "multipleOf"):
        choices += [step, step * 3, step * 1.5]
    choices.append(rng.choice(JUNK))
    found = rng.choice(choices)
    return found if not isinstance(found, float) or abs(found) < 1e308 else 1e300
