"""Instances of a schema: made from all schemas that apply to a value, and tested where construction cannot
decide."""

import random
from collections.abc import Sequence
from typing import Any

from ..jsonschema.equality import equal
from .oracle import Oracle, OracleError
from .samples import JUNK, STRINGS, Facts, number, numeric, sample, string, values_of
from .schema_tree import Schema, Tree, matches

HINTS = {
    "string": ("minLength", "maxLength", "pattern"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    "array": ("items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains", "unevaluatedItems"),
    "object": ("properties", "required", "additionalProperties", "minProperties", "maxProperties",
               "patternProperties", "propertyNames", "dependentRequired", "unevaluatedProperties"),
}  # fmt: skip
"""Keywords that apply to one type only."""


def member_schemas(facts: Facts, name: str) -> list[Schema]:
    """The schemas that apply to the property `name`."""
    found: list[Schema] = []
    for fact in facts:
        named = False
        properties = fact.get("properties")
        if isinstance(properties, dict) and name in properties:
            found.append(properties[name])
            named = True
        patterned = fact.get("patternProperties")
        for pattern, schema in patterned.items() if isinstance(patterned, dict) else ():
            if matches(pattern, name):
                found.append(schema)
                named = True
        if not named and "additionalProperties" in fact:
            found.append(fact["additionalProperties"])
    return found or [True]


def literals(facts: Facts) -> list[Any] | None:
    """The values that `enum` and `const` admit, or None where there is neither."""
    lists = [v for v in values_of(facts, "enum") if isinstance(v, list)]
    lists += [[v] for v in values_of(facts, "const")]
    if not lists:
        return None
    return [v for v in lists[0] if all(any(equal(v, w) for w in others) for others in lists[1:])]


def of_types(value: Any, facts: Facts) -> bool:
    """Whether a value is of the types that the facts state."""
    return all(is_of(value, [t] if isinstance(t, str) else t) for t in values_of(facts, "type"))


def is_of(value: Any, names: Sequence[str]) -> bool:
    """Whether a value is of one of the JSON types."""
    if value is None:
        return "null" in names
    if isinstance(value, bool):
        return "boolean" in names
    if isinstance(value, (int, float)):
        return "number" in names or ("integer" in names and float(value).is_integer())
    kind = "string" if isinstance(value, str) else "array" if isinstance(value, list) else "object"
    return kind in names


def junk(rng: random.Random, depth: int = 0) -> Any:
    """Any JSON value."""
    roll = rng.random()
    if depth > 2 or roll < 0.7:
        return rng.choice(JUNK)
    if roll < 0.85:
        return [junk(rng, depth + 1) for _ in range(rng.randint(0, 3))]
    return {rng.choice(STRINGS): junk(rng, depth + 1) for _ in range(rng.randint(0, 3))}


MAX_DEPTH = 12
TESTED = ("not", "oneOf", "if", "contains", "dependentSchemas", "dependentRequired", "unevaluatedProperties",
          "unevaluatedItems", "propertyNames", "patternProperties", "uniqueItems")  # fmt: skip
"""Keywords for which a generated value is tested, and generated again where it fails."""
TRIES = 6
TYPES: tuple[str, ...] = ("null", "boolean", "integer", "number", "string", "array", "object")


class UnfillableError(Exception):
    """No value was found for a schema."""


class Generator:
    """Makes instances; deterministic for a `random.Random`."""

    def __init__(self, oracle: Oracle, rng: random.Random) -> None:
        self.oracle = oracle
        self.tree: Tree = oracle.tree
        self.rng = rng
        self.fullness = 0.5
        self.budget = 0

    def instance(self, fullness: float | None = None) -> Any:
        """A value that is likely valid, with that share of optional properties. Raises UnfillableError."""
        self.fullness = self.rng.choice((0.0, 0.2, 0.5, 0.8, 1.0)) if fullness is None else fullness
        self.budget = 400
        return self.fill([self.tree.start], 0)

    def fill(self, schemas: Sequence[Schema], depth: int) -> Any:
        """A value for schemas that all apply to it."""
        self.budget -= 1
        if depth > MAX_DEPTH or self.budget < 0:
            return self._shallow(schemas)
        last: Any = None
        found = False
        for _ in range(TRIES):
            facts = self._gather(schemas)
            try:
                last, found = self._value(facts, depth), True
            except UnfillableError:
                continue
            if not any(keyword in fact for fact in facts for keyword in TESTED):
                return last
            if all(self._holds(schema, last) for schema in schemas):
                return last
        if not found:
            raise UnfillableError
        return last

    def _holds(self, schema: Schema, value: Any) -> bool:
        if not isinstance(schema, dict):
            return bool(schema)
        try:
            return bool(self.oracle.part(schema).is_valid(value))
        except OracleError:
            return True

    def _gather(self, schemas: Sequence[Schema]) -> list[dict[str, Any]]:
        """Every schema that applies to the value, with one branch of each choice. Raises UnfillableError."""
        found: list[dict[str, Any]] = []
        visited: set[int] = set()
        waiting = list(schemas)
        while waiting:
            node = waiting.pop()
            if node is False:
                raise UnfillableError
            if not isinstance(node, dict) or id(node) in visited:
                continue
            visited.add(id(node))
            found.append(node)
            if "$ref" in node:
                waiting.append(self.tree.find(node["$ref"]))
            waiting += node["allOf"] if isinstance(node.get("allOf"), list) else []
            for keyword in ("anyOf", "oneOf"):
                if node.get(keyword):
                    waiting.append(self.rng.choice(node[keyword]))
            if "if" in node:
                if self.rng.random() < 0.5:
                    waiting += [node["if"], node.get("then", True)]
                else:
                    waiting.append(node.get("else", True))
        return found

    def _value(self, facts: list[dict[str, Any]], depth: int) -> Any:
        chosen = literals(facts)
        if chosen is not None:
            fitting = [value for value in chosen if of_types(value, facts)]
            if not fitting:
                raise UnfillableError
            return self.rng.choice(fitting)
        kinds = self._types(facts)
        if not kinds:
            raise UnfillableError
        kind = self.rng.choice(kinds)
        if kind == "null":
            return None
        if kind == "boolean":
            return self.rng.random() < 0.5
        if kind in ("integer", "number"):
            return number(self.rng, facts, whole=kind == "integer")
        if kind == "string":
            return string(self.rng, facts)
        return self._array(facts, depth) if kind == "array" else self._object(facts, depth)

    def _types(self, facts: Facts) -> list[str]:
        kinds = list(TYPES)
        for stated in values_of(facts, "type"):
            names = [stated] if isinstance(stated, str) else list(stated)
            if "number" in names and "integer" not in names:
                names.append("integer")
            kinds = [kind for kind in kinds if kind in names]
        if len(kinds) == len(TYPES):  # nothing says: what the other keywords speak of is worth more
            hinted = [
                kind for kind, words in HINTS.items() if any(w in fact for fact in facts for w in words)
            ]
            if hinted and self.rng.random() < 0.8:
                return hinted
        return kinds

    def _shallow(self, schemas: Sequence[Schema]) -> Any:
        """The least value, where depth or budget ran out."""
        facts = self._gather(schemas)
        chosen = literals(facts)
        if chosen:
            return chosen[0]
        kinds = self._types(facts)
        for kind, value in (
            ("null", None),
            ("boolean", False),
            ("array", []),
            ("object", {}),
            ("string", ""),
        ):
            if kind in kinds:
                return value
        if not kinds:
            raise UnfillableError
        return 0

    # -- containers -------------------------------------------------------------------------------

    def _array(self, facts: list[dict[str, Any]], depth: int) -> list[Any]:
        rng = self.rng
        low = max([0, *(int(v) for v in numeric(facts, "minItems"))])
        highs = [int(v) for v in numeric(facts, "maxItems")]
        prefix = max([0, *(len(v) for v in values_of(facts, "prefixItems") if isinstance(v, list))])
        high = min(highs) if highs else max(low, prefix) + 3
        wanted = rng.choice(
            (low, min(high, low + 1), min(high, max(low, prefix)), min(high, low + rng.randint(0, 4)))
        )
        wanted = min(wanted, 1000) if depth < 6 else low
        nodes = [(fact, 1) for fact in facts]
        unique = any(v is True for v in values_of(facts, "uniqueItems"))
        items: list[Any] = []
        for index in range(wanted):
            schemas = self._item_schemas(nodes, index)
            try:
                items.append(self._fresh(schemas, items, depth) if unique else self.fill(schemas, depth + 1))
            except UnfillableError:
                if index < low:
                    raise
                break
        self._contain(facts, items, high, depth)
        return items

    def _item_schemas(self, nodes: list[tuple[dict[str, Any], int]], index: int) -> list[Schema]:
        return [
            schema
            for node, _ in nodes
            for schema in (
                node["prefixItems"][index]
                if isinstance(node.get("prefixItems"), list) and index < len(node["prefixItems"])
                else node.get("items", True),
            )
        ]

    def _fresh(self, schemas: list[Schema], items: list[Any], depth: int) -> Any:
        for _ in range(10):
            value = self.fill(schemas, depth + 1)
            if not any(equal(value, item) for item in items):
                return value
        raise UnfillableError

    def _contain(self, facts: Facts, items: list[Any], high: int, depth: int) -> None:
        """Put in what `contains` asks for."""
        for fact in facts:
            if "contains" not in fact:
                continue
            for location in range(max(1, int(fact.get("minContains", 1)))):
                value = self.fill([fact["contains"]], depth + 1)
                if len(items) < high:
                    items.append(value)
                elif location < len(items):
                    items[-1 - location] = value

    def _object(self, facts: list[dict[str, Any]], depth: int) -> dict[str, Any]:
        rng = self.rng
        required = {
            name for names in values_of(facts, "required") if isinstance(names, list) for name in names
        }
        declared = {
            name: None
            for named in values_of(facts, "properties")
            if isinstance(named, dict)
            for name in named
        }
        value: dict[str, Any] = {}
        share = self.fullness if depth < 5 else 0.1
        names = [name for name in declared if name in required or rng.random() < share]
        for name in [*names, *(name for name in sorted(required) if name not in declared)]:
            try:
                value[name] = self.fill(member_schemas(facts, name), depth + 1)
            except UnfillableError:
                if name in required:
                    raise
        self._dependent(facts, value, depth)
        low = max([0, *(int(v) for v in numeric(facts, "minProperties"))])
        further = rng.choice((0, 0, 1, 2)) if self._open(facts) else 0
        wanted = max(low, len(value) + further)
        for _ in range(4 * (wanted - len(value))):
            name = self._name(facts, depth)
            if name in value or len(value) >= wanted:
                continue
            try:
                value[name] = self.fill(member_schemas(facts, name), depth + 1)
            except UnfillableError:
                continue
        highs = [int(v) for v in numeric(facts, "maxProperties")]
        for name in list(value):
            if highs and len(value) > min(highs) and name not in required:
                del value[name]
        return value

    def _dependent(self, facts: Facts, value: dict[str, Any], depth: int) -> None:
        for needed in values_of(facts, "dependentRequired"):
            for name, others in needed.items() if isinstance(needed, dict) else ():
                for other in others if name in value else ():
                    if other not in value:
                        value[other] = self.fill(member_schemas(facts, other), depth + 1)

    def _open(self, facts: Facts) -> bool:
        """Whether it is worth trying keys that no schema names."""
        closed = any(fact.get("additionalProperties") is False for fact in facts)
        patterned = any(fact.get("patternProperties") for fact in facts)
        named = any(fact.get("additionalProperties") not in (None, False) for fact in facts)
        return patterned or (not closed and (named or self.rng.random() < 0.3))

    def _name(self, facts: Facts, depth: int) -> str:
        rng = self.rng
        patterns = [
            pattern
            for patterned in values_of(facts, "patternProperties")
            if isinstance(patterned, dict)
            for pattern in patterned
        ]
        if patterns and rng.random() < 0.7:
            found = sample(rng, rng.choice(patterns))
            if found is not None:
                return found
        naming = [schema for schema in values_of(facts, "propertyNames") if isinstance(schema, dict)]
        if naming:
            made = self.fill([{"type": "string"}, *naming], depth + 1)
            return made if isinstance(made, str) else "a"
        return rng.choice(("further", "x1", "_", "a", "b", "k", *STRINGS))
