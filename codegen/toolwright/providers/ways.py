"""The way back, taken out of a finished output: every mark goes, and what it says is kept as `Ways`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from ..runtime.ways import Choice, Way, Ways
from .marks import MARK

Node = dict[str, Any]
EMPTY = Way()
ROOT = "#"
DEFINITION = "#/$defs/"
NULL = frozenset(("null",))
SAME_PLACE = ("allOf", "if", "then", "else", "dependentSchemas")
"""Keywords whose subschemas speak of the same value: only renamed properties are undone through them."""


def taken(out: Node) -> Ways | None:
    """The way back of a finished output, whose marks are removed; `None` if nothing in it is encoded."""
    plain = {
        DEFINITION + name: _way(child, f"/$defs/{_escaped(name)}")
        for name, child in out.get("$defs", {}).items()
    }
    plain[ROOT] = root = _way(out, "")
    used = _used(plain)
    kept = {name: _pruned(way, used) for name, way in plain.items() if name in used}
    whole = _pruned(root, used)
    for node in _nodes(out):
        node.pop(MARK, None)
    if whole == EMPTY:
        return None
    if not any(way.ref == ROOT for each in (whole, *kept.values()) for way in _all(each)):
        kept.pop(ROOT, None)
    return Ways(root=whole, definitions=kept)


def _way(node: Any, at: str) -> Way:
    """The way of one output node; references are followed later."""
    if not isinstance(node, dict):
        return EMPTY
    own: Way = node.get(MARK, EMPTY)
    if own.encoding in ("json", "texts"):
        return own
    if own.encoding == "pairs":
        return replace(own, values=_entry(node.get("items"), f"{at}/items"))
    reference = node.get("$ref")
    if isinstance(reference, str) and reference.startswith("#"):
        own = replace(own, ref=_name(reference))
    properties = {
        name: _way(child, f"{at}/properties/{_escaped(name)}") for name, child in _named(node, "properties")
    }
    prefix = tuple(
        _some(child, f"{at}/prefixItems/{i}") for i, child in enumerate(node.get("prefixItems", ()))
    )
    items = _some(node.get("items"), f"{at}/items")
    values = _some(node.get("additionalProperties"), f"{at}/additionalProperties")
    names = dict(own.names)
    for part in _beside(node):
        names.update(part.get(MARK, EMPTY).names)
    if own.rest:
        values = _rest(node, own.rest, at)
        properties.pop(own.rest, None)
    if values is None:
        properties = {name: way for name, way in properties.items() if way != EMPTY}
    found = replace(
        own,
        properties=properties,
        prefix=prefix if any(prefix) else (),
        items=items,
        values=values,
        names=names,
    )
    choices = _choices(node, at)
    if len(choices) == 1 and choices[0].way and found == EMPTY:
        return choices[0].way  # whatever is not of that form is left as it is
    return replace(found, choices=choices)


def _some(node: Any, at: str) -> Way | None:
    way = _way(node, at)
    return None if way == EMPTY else way


def _entry(node: Any, at: str) -> Way | None:
    """The way of the values of a list of pairs."""
    value = node.get("properties", {}).get("value") if isinstance(node, dict) else None
    return _some(value, f"{at}/properties/value")


def _rest(node: Node, name: str, at: str) -> Way | None:
    """The way of undeclared values; where the property takes null, its list stands in a branch."""
    held = node["properties"][name]
    place = f"{at}/properties/{_escaped(name)}"
    for i, branch in enumerate(held.get("anyOf", ())):
        if isinstance(branch, dict) and "items" in branch:
            held, place = branch, f"{place}/anyOf/{i}"
    return _entry(held.get("items"), f"{place}/items")


def _choices(node: Node, at: str) -> tuple[Choice, ...]:
    """The branches of a union, those without a way included: they may be what a value is of."""
    for keyword in ("anyOf", "oneOf"):
        branches = node.get(keyword)
        if not isinstance(branches, list):
            continue
        choices = [
            Choice(at=f"{at}/{keyword}/{i}", way=_some(branch, f"{at}/{keyword}/{i}"))
            for i, branch in enumerate(branches)
        ]
        with_way = [i for i, choice in enumerate(choices) if choice.way is not None]
        if len(with_way) == 1 and _alone(branches, with_way[0]):
            return (choices[with_way[0]],)
        if with_way:
            return tuple(choices)
    return ()


def _alone(branches: list[Any], index: int) -> bool:
    """Whether no other branch takes a value of the JSON type that the one at `index` takes."""
    own = _kinds(branches[index])
    others = [_kinds(branch) for i, branch in enumerate(branches) if i != index]
    return all(kind == NULL or (own and kind and kind.isdisjoint(own)) for kind in others)


def _kinds(branch: Any) -> frozenset[str]:
    """The types that a branch states; none if it states none, and so may take any."""
    stated = branch.get("type") if isinstance(branch, dict) else None
    return frozenset(stated if isinstance(stated, list) else (stated,) if stated else ())


def _beside(node: Node) -> Iterator[Node]:
    """Subschemas of `node` that speak of the same value."""
    for keyword in SAME_PLACE:
        value = node.get(keyword)
        found = (
            value if isinstance(value, list) else value.values() if keyword[0] == "d" and value else [value]
        )
        for child in found:
            if isinstance(child, dict):
                yield child
                yield from _beside(child)


def _named(node: Node, keyword: str) -> Iterator[tuple[str, Any]]:
    value = node.get(keyword)
    return iter(value.items()) if isinstance(value, dict) else iter(())


def _name(reference: str) -> str:
    """How `Ways.definitions` calls what a reference of an output leads to."""
    if reference in (ROOT, "#/"):
        return ROOT
    last = reference.rsplit("/", 1)[-1]
    return DEFINITION + last.replace("~1", "/").replace("~0", "~").replace("%25", "%")


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _used(definitions: dict[str, Way]) -> frozenset[str]:
    """The definitions in which something is encoded, directly or in what they refer to."""
    used = {name for name, way in definitions.items() if _acts(way, frozenset())}
    while True:
        more = {name for name, way in definitions.items() if name not in used and _acts(way, frozenset(used))}
        if not more:
            return frozenset(used)
        used |= more


def _acts(way: Way, used: frozenset[str]) -> bool:
    return _pruned(way, used) != EMPTY


def _pruned(way: Way, used: frozenset[str]) -> Way:
    """`way` without what leads to nothing encoded. `used` are the definitions that lead to something."""

    def below(child: Way | None) -> Way | None:
        if child is None:
            return None
        left = _pruned(child, used)
        return None if left == EMPTY else left

    properties = {name: left for name, child in way.properties.items() if (left := below(child))}
    values = below(way.values)
    if values is not None:  # a declared property is none of those that `values` speaks of
        properties = {name: properties.get(name, EMPTY) for name in way.properties}
    prefix = tuple(below(child) for child in way.prefix)
    choices = tuple(replace(choice, way=below(choice.way)) for choice in way.choices)
    return replace(
        way,
        ref=way.ref if way.ref in used else "",
        properties=properties,
        prefix=prefix if any(prefix) else (),
        items=below(way.items),
        values=values,
        choices=choices if any(choice.way for choice in choices) else (),
    )


def _all(way: Way) -> Iterator[Way]:
    """A way and every way below it; references are not followed."""
    yield way
    choices = (choice.way for choice in way.choices)
    for child in (*way.properties.values(), *way.prefix, way.items, way.values, *choices):
        if child is not None:
            yield from _all(child)


def _nodes(value: Any) -> Iterator[Node]:
    """Every object inside an output, schema or not."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            yield each
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each
