"""Schemas composed at random from the whole vocabulary of JSON Schema 2020-12, as a tool's parameters."""

import random
from typing import Any

from . import overlaps
from .literals import FORMATS, KEY_PATTERNS, KINDS, LITERALS, NAMES, NUMBERS, PATTERNS, STEPS

MAX_DEPTH = 4
OVERLAPS = 0.1


class Composer:
    """Makes schemas; deterministic for a `random.Random`."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.definitions: tuple[str, ...] = ()

    def parameters(self) -> dict[str, Any]:
        """The parameter schema of one tool."""
        rng = self.rng
        self.definitions = tuple(rng.sample(("A", "B", "C"), rng.choice((0, 0, 0, 1, 1, 2, 3))))
        if rng.random() < 0.75:
            root: dict[str, Any] = {"type": "object", "required": ["value"]}
            root["properties"] = {"value": self.schema(1)}
            if rng.random() < 0.5:
                root["additionalProperties"] = False
        else:
            root = {**self._object(1), "type": "object"}
            if rng.random() < 0.3:
                root[rng.choice(("anyOf", "oneOf", "allOf"))] = [
                    self.schema(2) for _ in range(rng.randint(1, 2))
                ]
        if self.definitions:
            root["$defs"] = {name: self.schema(2) for name in self.definitions}
        return root

    def schema(self, depth: int) -> Any:
        """Any schema, at most `MAX_DEPTH` deep."""
        rng = self.rng
        roll = rng.random()
        if depth >= MAX_DEPTH:
            return self._leaf()
        if roll < 0.03:
            return rng.choice((True, True, {}, False))
        if roll < 0.10 and self.definitions:
            node: dict[str, Any] = {"$ref": f"#/$defs/{rng.choice(self.definitions)}"}
            if rng.random() < 0.3:
                node.update(self._typed(depth + 1))
            return node
        if roll < 0.32:
            return self._combined(depth)
        node = self._typed(depth)
        if rng.random() < 0.12:
            node.update(self._combination(depth))
        if rng.random() < 0.08:
            node["description"] = rng.choice(("A value.", "x", 'é\n"""'))
        return node

    def _leaf(self) -> Any:
        rng = self.rng
        roll = rng.random()
        if roll < 0.15:
            return {"const": rng.choice(LITERALS)}
        if roll < 0.35:
            return self._enum()
        if roll < 0.4:
            return True
        return self._typed(MAX_DEPTH)

    def _enum(self) -> dict[str, Any]:
        rng = self.rng
        members: list[Any] = []
        for _ in range(rng.randint(1, 4)):
            literal = rng.choice(LITERALS)
            if not any(repr(literal) == repr(member) for member in members):
                members.append(literal)
        return {"enum": members}

    def _combined(self, depth: int) -> dict[str, Any]:
        node = self._combination(depth)
        if self.rng.random() < 0.4:
            node.update(self._typed(depth + 1))
        return node

    def _combination(self, depth: int) -> dict[str, Any]:
        rng = self.rng
        below = depth + 1
        word = rng.choice(
            ("anyOf", "anyOf", "oneOf", "oneOf", "allOf", "not", "if", "tagged", "objects", "enum", "const")
        )
        if word in ("anyOf", "oneOf", "allOf"):
            return {word: [self.schema(below) for _ in range(rng.randint(1, 3))]}
        if word == "not":
            return {"not": self.schema(below)}
        if word == "if":
            node = {"if": self.schema(below)}
            for key in ("then", "else"):
                if rng.random() < 0.7:
                    node[key] = self.schema(below)
            return node
        if word == "tagged":
            return self._tagged(below)
        if word == "objects":
            return {
                rng.choice(("anyOf", "oneOf")): [
                    self._object(below, typed=True) for _ in range(rng.randint(2, 3))
                ]
            }
        return self._enum() if word == "enum" else {"const": rng.choice(LITERALS)}

    def _tagged(self, depth: int) -> dict[str, Any]:
        rng = self.rng
        branches = []
        for tag in rng.sample(("cat", "dog", "x", "", "1"), rng.randint(2, 3)):
            branch = self._object(depth, typed=True)
            branch.setdefault("properties", {})["kind"] = rng.choice(({"const": tag}, {"enum": [tag]}))
            if rng.random() < 0.9:
                branch["required"] = [*(n for n in branch.get("required", []) if n != "kind"), "kind"]
            branches.append(branch)
        node: dict[str, Any] = {rng.choice(("oneOf", "anyOf")): branches}
        if rng.random() < 0.2:
            node["discriminator"] = {"propertyName": "kind"}
        return node

    def _typed(self, depth: int) -> dict[str, Any]:
        rng = self.rng
        kinds = rng.sample(KINDS, rng.choice((1, 1, 1, 1, 1, 2, 2, 3)))
        node: dict[str, Any] = {}
        for kind in kinds:
            if kind in ("integer", "number"):
                node.update(self._numeric())
            elif kind == "string":
                node.update(self._string())
            elif kind == "array":
                node.update(self._array(depth))
            elif kind == "object":
                node.update(self._object(depth))
        if rng.random() < 0.88 or not node:
            node["type"] = kinds[0] if len(kinds) == 1 else kinds
        return node

    def _numeric(self) -> dict[str, Any]:
        rng = self.rng
        node: dict[str, Any] = {}
        if rng.random() < 0.3:
            node[rng.choice(("minimum", "exclusiveMinimum"))] = rng.choice(NUMBERS)
        if rng.random() < 0.3:
            node[rng.choice(("maximum", "exclusiveMaximum"))] = rng.choice(NUMBERS)
        if rng.random() < 0.2:
            node["multipleOf"] = rng.choice(STEPS)
        return node

    def _string(self) -> dict[str, Any]:
        rng = self.rng
        node: dict[str, Any] = {}
        if rng.random() < 0.25:
            node["minLength"] = rng.choice((0, 1, 2, 3, 1.0))
        if rng.random() < 0.25:
            node["maxLength"] = rng.choice((0, 1, 3, 5, 20))
        if rng.random() < 0.3:
            node["pattern"] = rng.choice(PATTERNS)
        if rng.random() < 0.08:
            node["format"] = rng.choice(FORMATS)
        return node

    def _array(self, depth: int) -> dict[str, Any]:
        rng = self.rng
        below = depth + 1
        node: dict[str, Any] = {}
        if rng.random() < 0.2:
            node["prefixItems"] = [self.schema(below) for _ in range(rng.randint(1, 3))]
        if rng.random() < 0.6:
            node["items"] = self.schema(below)
        elif rng.random() < 0.1:
            node["unevaluatedItems"] = rng.choice((False, self.schema(below)))
        if rng.random() < 0.2:
            node["minItems"] = rng.choice((0, 1, 2, 3))
        if rng.random() < 0.2:
            node["maxItems"] = rng.choice((0, 1, 2, 4, 3.0))
        if rng.random() < 0.2:
            node["uniqueItems"] = rng.random() < 0.9
        if rng.random() < 0.12:
            node["contains"] = self.schema(below)
            if rng.random() < 0.4:
                node["minContains"] = rng.choice((0, 1, 2))
            if rng.random() < 0.4:
                node["maxContains"] = rng.choice((1, 2, 3))
        return node

    def _object(self, depth: int, *, typed: bool = False) -> dict[str, Any]:
        rng = self.rng
        below = depth + 1
        node: dict[str, Any] = {"type": "object"} if typed else {}
        names = rng.sample(NAMES, rng.randint(0, 4 if depth < 3 else 2))
        if names:
            node["properties"] = {name: self._property(below) for name in names}
        if rng.random() < 0.5:
            pool = [*names, *rng.sample(NAMES, 1)] if rng.random() < 0.2 else names
            required = [name for name in dict.fromkeys(pool) if rng.random() < 0.5]
            if required:
                node["required"] = required
        roll = rng.random()
        if roll < 0.35:
            node["additionalProperties"] = False
        elif roll < 0.55:
            node["additionalProperties"] = rng.choice((True, self.schema(below), self.schema(below)))
        elif roll < 0.62:
            node["unevaluatedProperties"] = rng.choice((False, False, self.schema(below)))
        for keyword, chance in _RARE:
            if rng.random() < chance:
                node[keyword] = self._rare(keyword, below)
        return node

    def _property(self, depth: int) -> Any:
        schema = self.schema(depth)
        if isinstance(schema, dict) and self.rng.random() < 0.08:
            schema = {**schema, "default": self.rng.choice(LITERALS)}
        return schema

    def _rare(self, keyword: str, depth: int) -> Any:
        rng = self.rng
        if keyword == "patternProperties":
            return {rng.choice(KEY_PATTERNS): self.schema(depth) for _ in range(rng.randint(1, 2))}
        if keyword == "propertyNames":
            return rng.choice(
                ({"maxLength": 2}, {"pattern": rng.choice(KEY_PATTERNS)}, {"enum": list(NAMES[:4])}, False)
            )
        if keyword == "dependentRequired":
            return {rng.choice(NAMES): rng.sample(NAMES, rng.randint(0, 2))}
        if keyword == "dependentSchemas":
            return {rng.choice(NAMES): self.schema(depth)}
        return rng.choice((0, 1, 2, 3))


_RARE = (
    ("patternProperties", 0.1),
    ("propertyNames", 0.06),
    ("dependentRequired", 0.06),
    ("dependentSchemas", 0.05),
    ("minProperties", 0.07),
    ("maxProperties", 0.07),
)


def compose(rng: random.Random) -> dict[str, Any]:
    """One tool's parameters; one in so many has nothing but objects that several schemas look at."""
    return overlaps.compose(rng) if rng.random() < OVERLAPS else Composer(rng).parameters()
