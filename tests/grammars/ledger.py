"""A check that the ledger of a grammar tells of a difference, by the path of each entry.

An entry has the pointer of a schema. A violation has the path of a value, and a valid text that a grammar
keeps out has values: the schemas that may apply to these are found in the contract, not by the compiler.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from toolcast.analysis.instances.oracle import POSSIBLE, SchemaTree, all_subschemas_of
from toolcast.jsonschema.json_values import JsonObject
from toolcast.jsonschema.pointers import steps_of
from toolcast.runtime import Violation
from toolcast.text_formats.values import GrammarLoss

Nodes = list[tuple[JsonObject, int]]

OF_WHOLES = frozenset(("additionalProperties", "duplicate", "nesting"))
"""Keywords whose violations are told at a property, or deep inside of what the schema applies to."""

APPLIED = frozenset(("prefixItems", "properties", "patternProperties"))
"""Keywords that apply schemas: where a grammar does not say one, it says nothing of these."""


class Ledger:
    """The places of one tool's contract."""

    def __init__(self, tree: SchemaTree) -> None:
        self._tree = tree
        self._pointers: dict[int, set[str]] = {}
        for pointer, node in all_subschemas_of(tree.document):
            self._pointers.setdefault(id(node), set()).add(pointer)

    def untold(
        self, losses: Sequence[GrammarLoss], violations: Sequence[Violation], *, textual: bool = False
    ) -> list[Violation]:
        """Violations of a value that can be written for another reason than the losses, all of them looser.
        Text is read as the contract wants it only where all else fits."""
        left = [each for each in violations if not self._is_told(losses, each, textual=textual)]
        if textual and len(left) < len(violations):
            return [each for each in left if each.keyword != "type"]
        return left

    def _is_told(self, losses: Sequence[GrammarLoss], violation: Violation, *, textual: bool) -> bool:
        nodes = self._start()
        places = [nodes]
        for step in steps_of(violation.path) or ():
            found = self._tree.member(nodes, step) if isinstance(step, str) else self._tree.item(nodes, step)
            nodes = self._tree.same_value(found)
            places.append(nodes)
        every = {pointer for each in places for pointer in self._of(each)}
        if any(loss.keyword in APPLIED and loss.path in every for loss in losses):
            return True
        above = places if violation.keyword in OF_WHOLES else places[-1:]
        pointers = {"", *(pointer for each in above for pointer in self._of(each))}
        if any(loss.keyword == violation.keyword and loss.path in pointers for loss in losses):
            return True
        return any(form and not self.untold(losses, form, textual=textual) for form in violation.forms)

    def keeps_out(self, losses: Sequence[GrammarLoss], value: Any) -> bool:
        """True where some of the losses, all of them stricter, is of a value."""
        by_path: dict[str, list[GrammarLoss]] = {}
        for loss in losses:
            by_path.setdefault(loss.path, []).append(loss)
        return any(
            _keeps_out(loss, node, part)
            for nodes, part in self._parts(self._start(), value)
            for node, _ in nodes
            for pointer in self._pointers.get(id(node), ())
            for loss in by_path.get(pointer, ())
        )

    def _start(self) -> Nodes:
        return self._tree.same_value([(self._tree.start, POSSIBLE)])

    def _of(self, nodes: Iterable[tuple[JsonObject, int]]) -> Iterator[str]:
        return (pointer for node, _ in nodes for pointer in self._pointers.get(id(node), ()))

    def _parts(self, nodes: Nodes, value: Any) -> Iterator[tuple[Nodes, Any]]:
        """A value and all that is in it, each with the schemas that may apply to it."""
        yield nodes, value
        if isinstance(value, dict):
            for name, each in value.items():
                yield from self._parts(self._tree.same_value(self._tree.member(nodes, name)), each)
        elif isinstance(value, list):
            for index, each in enumerate(value):
                yield from self._parts(self._tree.same_value(self._tree.item(nodes, index)), each)


def _keeps_out(loss: GrammarLoss, node: JsonObject, value: Any) -> bool:
    """True where a loss at a schema is of a value there."""
    if loss.keyword == "additionalProperties":
        return isinstance(value, dict) and not value.keys() <= node.get("properties", {}).keys()
    if loss.keyword == "properties" and isinstance(value, dict) and loss.reason.startswith("is without "):
        return any(f"is without {name!r}" in loss.reason for name in value)
    if loss.keyword == "enum":
        return f"is without {value!r}" in loss.reason
    if loss.keyword == "type":
        return value is None if "without null" in loss.reason else not isinstance(value, str)
    return True
