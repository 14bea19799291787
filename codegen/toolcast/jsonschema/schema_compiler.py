"""Compiles what one schema reaches to nodes, checked for form and endless references."""

from collections.abc import Mapping
from typing import Any

from . import container_rules, in_place_rules, scalar_rules
from .document import MAX_SCHEMA_DEPTH, Document, base_of
from .keywords import check_form
from .messages import label
from .node import Builder, CompiledNode, Rule, RuleContext, Validation, refuse_all
from .validator_errors import UnsupportedSchema, Violation

_BUILDERS: Mapping[str, Builder] = {
    "$ref": in_place_rules.reference_rule,  # first: `Node.resolved` counts on it
    **scalar_rules.BUILDERS,
    **container_rules.BUILDERS,
    **in_place_rules.BUILDERS,
    "unevaluatedItems": container_rules.unevaluated_rule,  # last: they need what the others have evaluated
    "unevaluatedProperties": in_place_rules.unevaluated_properties_rule,
}
"""By keyword, in the order of the rules."""
_ORDERED: tuple[Builder, ...] = tuple(dict.fromkeys(_BUILDERS.values()))
_RANKS: Mapping[str, int] = {keyword: _ORDERED.index(builder) for keyword, builder in _BUILDERS.items()}
_OBJECTS = (dict, Mapping)  # asking for the plain one first takes a third of the time


class Schemas:
    """One document whose schemas are compiled together: a common target of references is compiled once."""

    def __init__(self, root: Any, *, formats: bool = False, shared: "Schemas | None" = None) -> None:
        """Index a document. Raises UnsupportedSchema for schemas that are nested too deeply. `shared` has
        compiled some of its definitions, the very same objects, with the same `formats`.
        """
        self.document: Document = Document(root, shared=None if shared is None else shared.document)
        self.compiler = Compiler(self.document, formats=formats)
        if shared is not None:
            self.compiler.use(shared.compiler)


class Compiler:
    """Compiles schemas of one document. `deepest` is the deepest nesting of schemas so far."""

    def __init__(self, document: Document, *, formats: bool) -> None:
        self.document = document
        self.formats = formats
        self.nodes: dict[tuple[int, str], CompiledNode] = {}
        self.compiled_schemas: list[Any] = []  # schemas whose ids are keys
        self.pending: list[tuple[CompiledNode, str]] = []
        self.depth = 0
        self.deepest = 0
        self.unchecked: list[CompiledNode] = []
        self.acyclic: set[int] = set()  # ids of nodes that `_refuse_endless_references` has seen

    def use(self, other: "Compiler") -> None:
        """Take the nodes that `other` has compiled."""
        self.nodes.update(other.nodes)
        self.acyclic |= other.acyclic
        self.deepest = other.deepest
        self.compiled_schemas.append(other.compiled_schemas)

    def compile(self, schema: Any, pointer: str, base: str) -> CompiledNode:
        """Return the finished node of `schema`, with all it refers to. Raises UnsupportedSchema."""
        self.depth = 0
        start = self._node(schema, pointer, base)
        self.finish()
        return start

    def finish(self) -> None:
        """Build the pending nodes. After an UnsupportedSchema it may be called again, for the rest."""
        while self.pending:
            self.depth = 0
            self._build(*self.pending.pop())
        _refuse_endless_references(self.unchecked, self.acyclic)
        self.unchecked.clear()

    def _node(self, schema: Any, pointer: str, base: str) -> CompiledNode:
        """A node for a schema, built now, so that its parents know whether it has references."""
        node, new = self._known(schema, pointer, base)
        if new:
            self._build(node, base)
        return node

    def _refer(self, reference: str, base: str, pointer: str) -> CompiledNode:
        """A node for what a reference means, built later: references may be circular and chains long."""
        location = self.document.resolve(reference, base, pointer)
        node, new = self._known(*location)
        if new:
            self.pending.append((node, location.base))
        return node

    def _known(self, schema: Any, pointer: str, base: str) -> tuple[CompiledNode, bool]:
        key = (id(schema), base)
        if key in self.nodes and isinstance(schema, _OBJECTS):
            return self.nodes[key], False
        node = CompiledNode(schema, pointer)
        if schema is False:
            node.finish((_FALSE,))
        elif schema is not True and not isinstance(schema, _OBJECTS):
            raise UnsupportedSchema(pointer, "a schema must be an object or a boolean")
        if isinstance(schema, bool):
            return node, False
        self.nodes[key] = node
        self.unchecked.append(node)
        self.compiled_schemas.append(schema)
        return node, True

    def _build(self, node: CompiledNode, base: str) -> None:
        if self.depth >= MAX_SCHEMA_DEPTH:
            raise UnsupportedSchema(node.pointer, f"schemas nested more than {MAX_SCHEMA_DEPTH} deep")
        check_form(node.schema, node.pointer)
        self.depth += 1
        self.deepest = max(self.deepest, self.depth)
        context = RuleContext(node, base, self.formats, self._child, self._refer)
        ranks = sorted({rank for keyword in node.schema if (rank := _RANKS.get(keyword)) is not None})
        rules = [_ORDERED[rank](context) for rank in ranks]
        node.finish(tuple(rule for rule in rules if rule is not None))
        self.depth -= 1

    def _child(self, schema: Any, pointer: str, base: str) -> CompiledNode:
        return self._node(schema, pointer, base_of(schema, base))


def _explain_false(value: Any, path: str, run: Validation) -> list[Violation]:  # noqa: ARG001
    return [Violation(path, f"{label(path)} is not allowed here", "false", False)]


_FALSE = Rule(refuse_all, _explain_false)


def _refuse_endless_references(nodes: list[CompiledNode], done: set[int]) -> None:
    """Raise UnsupportedSchema where references form a circle that applies to one value. `done` holds the ids
    of nodes without such circles; it grows.
    """
    for start in nodes:
        if not start.inplace or id(start) in done:
            continue
        active: set[int] = {id(start)}
        stack = [(start, iter(start.inplace))]
        while stack:
            node, rest = stack[-1]
            following = next(rest, None)
            if following is None:
                stack.pop()
                active.discard(id(node))
                done.add(id(node))
            elif id(following) in active:
                path = [each for each, _ in stack]
                links = [f"#{n.pointer}" for n in path[path.index(following) :] if "$ref" in n.schema][:8]
                reason = f"the reference leads back to itself and says nothing: {' → '.join(links)}"
                raise UnsupportedSchema(node.pointer, reason)
            elif following.inplace and id(following) not in done:
                active.add(id(following))
                stack.append((following, iter(following.inplace)))
