"""Schemas that say the same: keywords that refuse no value, and the order of sets, are left out."""

from collections.abc import Mapping
from typing import Any, Final

from ..jsonschema.equality import equal, key
from ..jsonschema.keywords import SCHEMA, SCHEMA_LIST, SCHEMA_MAP, TYPE_OF
from .cases import ALL, KINDS, Part, asserts, mask_of, mask_of_types

MAX_DEPTH: Final = 60
"""Levels of schemas that are compared; deeper ones count as different."""
_SETS: Final = frozenset({"required", "enum", "type"})


class SameSchemas:
    """Compares schemas of two sides; remembers every pair. References are followed in step."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], bool] = {}
        self._assumed: list[tuple[int, int]] = []
        self._keys: dict[int, tuple[Any, frozenset[Any]]] = {}

    def same(self, left: Part, right: Part) -> bool:
        """Whether two schemas have equal normal forms. A pair that contains itself counts as equal there."""
        found = self._same(left, right, 0)
        if not found:  # what was taken to be equal may rest on a pair that is not
            for pair in self._assumed:
                del self._known[pair]
        self._assumed.clear()
        return found

    def _same(self, left: Part, right: Part, depth: int) -> bool:
        left, right = _unwrapped(left), _unwrapped(right)
        one, two = left.schema, right.schema
        if isinstance(one, bool) or isinstance(two, bool) or (one is two and left.side is right.side):
            return one is two
        if depth > MAX_DEPTH:
            return False
        pair = (id(one), id(two))
        known = self._known.get(pair)
        if known is None:
            self._known[pair] = True
            self._assumed.append(pair)
            known = self._equal(left, right, depth)
            if not known:
                self._known[pair] = False
                self._assumed.remove(pair)
        return known

    def _equal(self, left: Part, right: Part, depth: int) -> bool:
        one, two = _asserted(left.schema), _asserted(right.schema)
        if one != two:
            return False
        return all(self._keyword(left, right, name, depth) for name in sorted(one, key=_cheap_first))

    def _keyword(self, left: Part, right: Part, name: str, depth: int) -> bool:
        one, two = left.schema[name], right.schema[name]
        if name == "$ref":
            return self._same(left.side.target(one), right.side.target(two), depth + 1)
        if name in SCHEMA:
            return self._same(left.below(name), right.below(name), depth + 1)
        if name in SCHEMA_LIST:
            return len(one) == len(two) and all(
                self._same(ours, theirs, depth + 1)
                for ours, theirs in zip(left.listed(name), right.listed(name), strict=True)
            )
        if name in SCHEMA_MAP:
            return one.keys() == two.keys() and all(
                self._same(left.below(name, each), right.below(name, each), depth + 1) for each in one
            )
        if name in _SETS:
            return self.members(one) == self.members(two)
        if name == "dependentRequired":
            return _named_sets(one) == _named_sets(two)
        return equal(one, two)

    def members(self, value: Any) -> frozenset[Any]:
        """The members of `required`, `enum` or `type`, as keys of JSON equality."""
        if not isinstance(value, list):
            return frozenset([key(value)])
        known = self._keys.get(id(value))
        if known is None:
            known = self._keys[id(value)] = (value, frozenset(map(key, value)))
        return known[1]


def _asserted(schema: Mapping[str, Any]) -> set[str]:
    """The keywords of a schema that may refuse a value of its types."""
    mask = ALL
    if "type" in schema:
        mask = mask_of_types(schema["type"])
    if "enum" in schema or "const" in schema:
        stated = 0
        for value in schema["enum"] if "enum" in schema else [schema["const"]]:
            stated |= mask_of(value)
        mask &= stated
    return {
        name
        for name, value in schema.items()
        if asserts(name, value) and KINDS.get(TYPE_OF.get(name, ""), ALL) & mask
    }


def _unwrapped(part: Part) -> Part:
    """The schema that a reference, or a union or `allOf` of one, stands for."""
    for _ in range(MAX_WRAPS):
        schema = part.schema
        if isinstance(schema, bool) or not _WRAPS & schema.keys():
            break
        stated = [name for name, value in schema.items() if asserts(name, value)]
        if stated == ["$ref"]:
            part = part.side.target(schema["$ref"])
        elif len(stated) == 1 and stated[0] in _WRAPS and len(schema[stated[0]]) == 1:
            part = part.below(stated[0], 0)
        else:
            break
    return part


_WRAPS: Final = frozenset({"$ref", "allOf", "anyOf", "oneOf"})
MAX_WRAPS: Final = 20


def _cheap_first(name: str) -> bool:
    return name in SCHEMA or name in SCHEMA_LIST or name in SCHEMA_MAP or name == "$ref"


def _named_sets(value: Mapping[str, list[str]]) -> dict[str, frozenset[str]]:
    return {name: frozenset(names) for name, names in value.items()}
