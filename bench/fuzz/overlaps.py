"""Objects that several schemas look at: what one of them does not declare, another may ask for.

Composing from the whole vocabulary seldom makes them: it takes the same few names in all of them.
"""

import random
from typing import Any

NAMES = ("a", "b", "c", "d")
PATTERNS = ("^a", "^[ab]$", ".", "d")
MAX_DEPTH = 5
_COMBINATIONS = ("oneOf", "oneOf", "anyOf", "allOf", "not", "if")


def compose(rng: random.Random) -> dict[str, Any]:
    """One tool's parameters."""
    return _Composer(rng).parameters()


class _Composer:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.definitions = rng.sample("ABC", rng.choice((0, 0, 1, 2, 3)))

    def parameters(self) -> dict[str, Any]:
        rng = self.rng
        if rng.random() < 0.8:
            root = {"type": "object", "required": ["value"], "properties": {"value": self.schema(1)}}
        else:
            root = self.object(0)
        if self.definitions:
            root["$defs"] = {
                name: self.object(2) if rng.random() < 0.7 else self.schema(2) for name in self.definitions
            }
        return root

    def schema(self, depth: int) -> Any:
        rng = self.rng
        roll = rng.random()
        if depth >= MAX_DEPTH or roll < 0.15:
            return rng.choice(
                ({"type": "string"}, {"type": "integer"}, True, {"const": 1}, {"enum": ["x", 1]})
            )
        if roll < 0.35 and self.definitions:
            node: dict[str, Any] = {"$ref": f"#/$defs/{rng.choice(self.definitions)}"}
            return {**node, **self.object(depth + 1)} if rng.random() < 0.2 else node
        if roll < 0.5:
            return self.combination(depth)
        return self.array(depth) if roll < 0.65 else self.object(depth)

    def object(self, depth: int) -> dict[str, Any]:
        rng, below = self.rng, depth + 1
        node: dict[str, Any] = {"type": "object"}
        names = rng.sample(NAMES, rng.randint(0, 2))
        if names:
            node["properties"] = {name: self.schema(below) for name in names}
        if rng.random() < 0.3:
            node["required"] = rng.sample(NAMES, 1)
        if rng.random() < 0.12:
            node["additionalProperties"] = rng.choice((False, True, self.schema(below)))
        if rng.random() < 0.15:
            node["patternProperties"] = {rng.choice(PATTERNS): self.schema(below)}
        if rng.random() < 0.06:
            node["dependentSchemas"] = {rng.choice(NAMES): self.schema(below)}
        if rng.random() < 0.05:
            node["dependentRequired"] = {rng.choice(NAMES): [rng.choice(NAMES)]}
        if rng.random() < 0.05:
            node["unevaluatedProperties"] = rng.choice((False, self.schema(below)))
        return {**node, **self.combination(depth)} if rng.random() < 0.15 else node

    def combination(self, depth: int) -> dict[str, Any]:
        rng, below = self.rng, depth + 1
        word = rng.choice(_COMBINATIONS)
        if word == "not":
            return {"not": self.schema(below)}
        if word != "if":
            return {word: [self.schema(below) for _ in range(rng.randint(1, 3))]}
        node = {"if": self.schema(below)}
        for branch, chance in (("then", 0.8), ("else", 0.6)):
            if rng.random() < chance:
                node[branch] = self.schema(below)
        return node

    def array(self, depth: int) -> dict[str, Any]:
        rng, below = self.rng, depth + 1
        node: dict[str, Any] = {"type": "array"}
        if rng.random() < 0.8:
            node["items"] = self.schema(below)
        else:
            node["prefixItems"] = [self.schema(below)]
        if rng.random() < 0.4:
            node["uniqueItems"] = True
        if rng.random() < 0.3:
            node["contains"] = self.schema(below)
        return node
