"""A schema being compiled, as the rule builders see it."""

from collections.abc import Callable, Mapping
from typing import Any

from .errors import Violation
from .node import Check, Node, Rule, Run
from .pointers import escape


class Site:
    """One object schema, its place, and the way to compile what lies below it.

    `compile(schema, pointer, base)` and `resolve(reference, base, pointer)` give nodes; a node got from
    them may not be finished yet, so builders keep the node and never its `check`.
    """

    __slots__ = ("_children", "_compile", "_resolve", "base", "formats", "node", "pointer", "schema")

    def __init__(
        self,
        node: Node,
        base: str,
        formats: bool,
        compile_: Callable[[Any, str, str], Node],
        resolve: Callable[[str, str, str], Node],
    ) -> None:
        self.node = node
        self._children = node.children
        self.schema: Mapping[str, Any] = node.schema
        self.pointer = node.pointer
        self.base = base
        self.formats = formats
        self._compile = compile_
        self._resolve = resolve

    def child(self, schema: Any, *tokens: str | int) -> Node:
        """The node of a subschema that judges a part of the value. Several rules may ask for one."""
        node = self._children.get(tokens)
        if node is None:
            pointer = self.pointer
            for token in tokens:
                pointer += f"/{escape(token) if isinstance(token, str) else token}"
            node = self._children[tokens] = self._compile(schema, pointer, self.base)
        self.node.has_reference |= node.has_reference
        return node

    def inplace(self, schema: Any, *tokens: str | int) -> Node:
        """The node of a subschema that judges the same value."""
        node = self.child(schema, *tokens)
        self.node.inplace.append(node)
        return node

    def reference(self, reference: str) -> Node:
        """The node that `$ref: reference` means here."""
        node = self._resolve(reference, self.base, f"{self.pointer}/$ref")
        self.node.has_reference = True
        self.node.inplace.append(node)
        return node


Builder = Callable[[Site], Rule | None]
"""Makes the rule of one keyword (or a few); None when the schema does not have it."""


def plain(check: Check, keyword: str, expected: Any, message: Callable[[Any, str], str]) -> Rule:
    """A rule about the value itself; `message(value, path)` words the violation."""

    def explain(value: Any, path: str, run: Run) -> list[Violation]:  # noqa: ARG001
        return [Violation(path, message(value, path), keyword, expected)]

    return Rule(check, explain)
