"""The way back, taken out of a finished output: every mark goes, and what it says is kept as `Ways`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from ..jsonschema.pointers import escape, unescape
from ..runtime.wire import Choice, Way, Ways
from .way_marks import MARK

Node = dict[str, Any]
EMPTY = Way()
ROOT = "#"
DEFINITION = "#/$defs/"
NULL = frozenset(("null",))
UNIONS = ("anyOf", "oneOf")
SAME_PLACE = ("allOf", "if", "then", "else", "not", "dependentSchemas")
"""Keywords whose subschemas speak of the same value: only renamed properties are undone through them."""
SOME_ITEMS = ("contains", "unevaluatedItems")
BESIDE = frozenset((*UNIONS, *SAME_PLACE, *SOME_ITEMS, "unevaluatedProperties"))


def extract_ways(out: Node) -> Ways | None:
    """The way back of a finished output, whose marks are removed; `None` if nothing in it is encoded."""
    # Names are the same in every branch of a union, and so need no choice of one.
    same = SAME_PLACE if any(map(_encodes, _nodes(out))) else (*SAME_PLACE, *UNIONS)
    plain = {
        DEFINITION + name: _way(child, f"/$defs/{escape(name)}", same)
        for name, child in out.get("$defs", {}).items()
    }
    plain[ROOT] = root = _way(out, "", same)
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


def _encodes(node: Node) -> bool:
    """Whether a node is sent in another form than its own, by more than names."""
    way: Way = node.get(MARK, EMPTY)
    return bool(way.encoding or way.rest or way.nulls or way.drops)


def _way(node: Any, at: str, same: tuple[str, ...]) -> Way:
    """The way of one output node; references are followed later. `same` are keywords whose subschemas
    speak of the same value."""
    if not isinstance(node, dict):
        return EMPTY
    own: Way = node.get(MARK, EMPTY)
    if own.encoding in ("json", "texts"):
        return own
    if own.encoding == "pairs":
        return replace(own, values=_entry(node.get("items"), f"{at}/items", same))
    reference = node.get("$ref")
    if isinstance(reference, str) and reference.startswith("#"):
        own = replace(own, ref=_name(reference))
    properties = _each(node, "properties", at, same)
    prefix = tuple(
        _some(child, f"{at}/prefixItems/{i}", same) for i, child in enumerate(node.get("prefixItems", ()))
    )
    items = _some(node.get("items"), f"{at}/items", same)
    values = _some(node.get("additionalProperties"), f"{at}/additionalProperties", same)
    if own.rest:
        values = _rest(node, own.rest, at, same)
        properties.pop(own.rest, None)
    if values is None:
        properties = {name: way for name, way in properties.items() if way != EMPTY}
    patterns = _each(node, "patternProperties", at, same) if "patternProperties" in node else {}
    found = replace(
        own,
        properties=properties,
        patterns={name: way for name, way in patterns.items() if way != EMPTY},
        prefix=prefix if items or any(prefix) else (),  # what has a place of its own is no further item
        items=items,
        values=values,
        beside=() if BESIDE.isdisjoint(node) else (*_beside(node, at, same), *_anywhere(node, at, same)),
    )
    choices = () if "anyOf" in same else _choices(node, at, same)
    if len(choices) == 1 and choices[0].way and found == EMPTY:
        return choices[0].way  # whatever is not of that form is left as it is
    return replace(found, choices=choices)


def _each(node: Node, keyword: str, at: str, same: tuple[str, ...]) -> dict[str, Way]:
    """The ways of named children."""
    value = node.get(keyword)
    children = value.items() if isinstance(value, dict) else ()
    return {name: _way(child, f"{at}/{keyword}/{escape(name)}", same) for name, child in children}


def _some(node: Any, at: str, same: tuple[str, ...]) -> Way | None:
    way = _way(node, at, same)
    return None if way == EMPTY else way


def _entry(node: Any, at: str, same: tuple[str, ...]) -> Way | None:
    """The way of the values of a list of pairs."""
    value = node.get("properties", {}).get("value") if isinstance(node, dict) else None
    return _some(value, f"{at}/properties/value", same)


def _rest(node: Node, name: str, at: str, same: tuple[str, ...]) -> Way | None:
    """The way of undeclared values; where the property takes null, its list stands in a branch."""
    held = node["properties"][name]
    place = f"{at}/properties/{escape(name)}"
    for i, branch in enumerate(held.get("anyOf", ())):
        if isinstance(branch, dict) and "items" in branch:
            held, place = branch, f"{place}/anyOf/{i}"
    return _entry(held.get("items"), f"{place}/items", same)


def _choices(node: Node, at: str, same: tuple[str, ...]) -> tuple[Choice, ...]:
    """The branches of a union, those without a way included: they may be what a value is of."""
    for keyword in UNIONS:
        branches = node.get(keyword)
        if not isinstance(branches, list):
            continue
        choices = [
            Choice(at=f"{at}/{keyword}/{i}", way=_some(branch, f"{at}/{keyword}/{i}", same))
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


def _beside(node: Node, at: str, same: tuple[str, ...]) -> Iterator[Way]:
    """The ways of subschemas of `node` that speak of the same value."""
    for keyword in same:
        value = node.get(keyword)
        if value is None:
            continue
        children = value if isinstance(value, list) else value.values() if keyword[0] == "d" else [value]
        for child in children:
            way = _way(child, at, same)
            if way != EMPTY:
                yield way


def _anywhere(node: Node, at: str, same: tuple[str, ...]) -> Iterator[Way]:
    """The ways of subschemas that speak of some items or properties, for all of them: only names."""
    for keyword in SOME_ITEMS:
        items = _some(node.get(keyword), at, same)
        if items is not None:
            yield Way(items=items)
    values = _some(node.get("unevaluatedProperties"), at, same)
    if values is not None:
        yield Way(patterns={"": values})


def _name(reference: str) -> str:
    """How `Ways.definitions` calls what a reference of an output leads to."""
    if reference in (ROOT, "#/"):
        return ROOT
    last = reference.rsplit("/", 1)[-1]
    return DEFINITION + unescape(last).replace("%25", "%")


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
    items = below(way.items)
    beside = tuple(left for child in way.beside if (left := below(child)))
    choices = tuple(replace(choice, way=below(choice.way)) for choice in way.choices)
    return replace(
        way,
        ref=way.ref if way.ref in used else "",
        properties=properties,
        prefix=prefix if items or any(prefix) else (),
        items=items,
        patterns={name: left for name, child in way.patterns.items() if (left := below(child))},
        values=values,
        beside=beside,
        choices=choices if any(choice.way for choice in choices) else (),
    )


def _all(way: Way) -> Iterator[Way]:
    """A way and every way below it; references are not followed."""
    yield way
    choices = (choice.way for choice in way.choices)
    below = (*way.properties.values(), *way.patterns.values(), *way.prefix, way.items, way.values)
    for child in (*below, *way.beside, *choices):
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
