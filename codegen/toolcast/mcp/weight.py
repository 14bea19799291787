"""How large a schema is once its references are written out: a few lines can stand for billions."""

from typing import Any

from ..jsonschema.pointers import resolve

_SCHEMES = ("$anchor", "$dynamicAnchor")


class Heavy(Exception):  # noqa: N818 - never leaves the room
    """A schema that is larger than it may be, or whose size cannot be told."""


def weigh(schema: Any, limit: int) -> int:
    """Objects and lists in `schema`, each reference counted as what it leads to, a circle once. Raises Heavy
    past `limit`, and for resources inside of it (`$id`), by which a reference may lead anywhere."""
    try:
        return _Scale(schema, limit).weigh(schema)
    except RecursionError:
        raise Heavy("its references form too long a chain") from None


class _Scale:
    def __init__(self, root: Any, limit: int) -> None:
        self._root = root
        self._limit = limit
        self._known: dict[str, int] = {}  # by reference
        self._anchors: dict[str, Any] = {}
        waiting = [root]
        while waiting:
            node = waiting.pop()
            if isinstance(node, dict):
                if node is not root and isinstance(node.get("$id"), str):
                    raise Heavy("it has schemas with an `$id` of their own")
                for word in _SCHEMES:
                    if isinstance(node.get(word), str):
                        self._anchors[f"#{node[word]}"] = node
                waiting += node.values()
            elif isinstance(node, list):
                waiting += node

    def weigh(self, node: Any) -> int:
        if isinstance(node, dict):
            weight = 1 + sum(self.weigh(item) for item in node.values())
            for word in ("$ref", "$dynamicRef"):
                if isinstance(node.get(word), str):
                    weight += self._reference(node[word])
        elif isinstance(node, list):
            weight = 1 + sum(self.weigh(item) for item in node)
        else:
            return 0
        if weight > self._limit:
            raise Heavy(f"with its references written out it has more than {self._limit} parts")
        return weight

    def _reference(self, reference: str) -> int:
        known = self._known.get(reference)
        if known is None:
            self._known[reference] = 1  # while it is being weighed: a circle
            known = self._known[reference] = self.weigh(self._target(reference))
        return known

    def _target(self, reference: str) -> Any:
        """What a reference leads to; None where to nowhere, which others complain about."""
        if reference in self._anchors:
            return self._anchors[reference]
        try:
            return resolve(self._root, reference.partition("#")[2])
        except LookupError:
            return None
