"""How deeply an emitted schema nests values in values."""

from __future__ import annotations

from typing import Any

from .refs import MANY, NAMED, ONE

Node = dict[str, Any]
DOWN = frozenset(
    ("items", "prefixItems", "properties", "patternProperties", "additionalProperties", "contains")
)
"""Keywords below which values are nested in values; others say more about the same value."""


def levels(schema: Node) -> int:
    """Levels of objects and arrays below the root; references are followed, recursion is not.

    As OpenAI counts: "14 levels of nesting exceeds limit of 10" was said of a schema of depth 15.
    """
    return max(0, _Levels(schema).of(schema, frozenset(("#",))) - 1)


class _Levels:
    def __init__(self, root: Node) -> None:
        self.root = root
        self.known: dict[str, int] = {}  # by reference: definitions that share others stay cheap

    def of(self, node: Any, opened: frozenset[str]) -> int:
        """Levels at and below `node`: 1 for an object or array without others in it, 0 for a scalar."""
        if not isinstance(node, dict):
            return 0
        below, here = 0, 0
        reference = node.get("$ref")
        if isinstance(reference, str) and reference not in opened:
            if reference not in self.known:
                self.known[reference] = self.of(self.target(reference), opened | {reference})
            here = self.known[reference]
        stated = node.get("type")
        container = bool({"object", "array"} & set(stated if isinstance(stated, list) else [stated]))
        for keyword, value in node.items():
            if keyword == "$defs" or not (keyword in ONE or keyword in MANY or keyword in NAMED):
                continue
            nested = [value] if keyword in ONE else value if isinstance(value, list) else list(value.values())
            deepest = max((self.of(each, opened) for each in nested), default=0)
            if keyword in DOWN and (deepest or not isinstance(value, bool)):
                container = True
                below = max(below, deepest)
            else:
                here = max(here, deepest)
        return max(here, below + 1 if container else 0)

    def target(self, reference: str) -> Any:
        node: Any = self.root
        for step in reference.lstrip("#").split("/")[1:]:
            step = step.replace("~1", "/").replace("~0", "~")
            node = node.get(step) if isinstance(node, dict) else None
        return node
