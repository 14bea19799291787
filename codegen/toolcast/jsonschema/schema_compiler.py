"""Schemas to nodes: everything reachable from one schema, checked for form and for bottomless references."""

from collections.abc import Mapping
from typing import Any

from . import arrays, logic, objects, scalars
from . import union_checks as unions
from .assertions import label
from .document import MAX_SCHEMA_DEPTH, Document, base_of
from .errors import UnsupportedSchema, Violation
from .fuse import fused
from .keyword_values import check_form
from .node import Node, Rule, Run, never
from .site import Builder, Site

_BUILDERS: Mapping[str, Builder] = {
    "$ref": logic.reference_rule,  # first: `Node.resolved` counts on it
    **scalars.BUILDERS,
    **objects.BUILDERS,
    **arrays.BUILDERS,
    **logic.BUILDERS,
    **unions.BUILDERS,
    "unevaluatedItems": arrays.unevaluated_rule,  # last: they ask what the others have looked at
    "unevaluatedProperties": logic.unevaluated_properties_rule,
}
"""By the keyword that asks for it, in the order of the rules."""
_ORDERED: tuple[Builder, ...] = tuple(dict.fromkeys(_BUILDERS.values()))
_RANKS: Mapping[str, int] = {word: _ORDERED.index(builder) for word, builder in _BUILDERS.items()}
_COMMON = frozenset(
    (
        *("type", "enum", "const", "format", "minLength", "maxLength", "multipleOf", "uniqueItems"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems"),
        *("minProperties", "maxProperties", "required", "properties", "additionalProperties", "items"),
    )
)
"""Keywords whose rules cannot fail once `check_form` has seen them, and `_lay_out` what is below them."""
_HOLDING = frozenset({"properties", "additionalProperties", "items"})
"""Those of them that hold schemas."""
_RULED = frozenset(_RANKS)
_OBJECTS = (dict, Mapping)  # asking for the plain one first takes a third of the time


class Schemas:
    """One document whose schemas are compiled together: what several refer to is compiled once.

    Most are only asked whether they are well formed: the rules of common ones are not made before a value
    is judged. So `root` must not change as long as this is used.
    """

    def __init__(self, root: Any, *, formats: bool = False) -> None:
        """Raises UnsupportedSchema for two schemas with one name."""
        self.document = Document(root)
        self.compiler = Compiler(self.document, formats=formats, at_once=False)


class Compiler:
    """Compiles schemas of one document. `deepest` is the deepest nesting of schemas it has met.

    Without `at_once`, a common schema gets its rules when a value is first judged; what is wrong with it, and
    with all below it, is told before.
    """

    def __init__(self, document: Document, *, formats: bool, at_once: bool = True) -> None:
        self.document = document
        self.formats = formats
        self.at_once = at_once
        self.nodes: dict[tuple[int, str], Node] = {}
        self.kept: list[Any] = []  # schemas whose ids are keys
        self.waiting: list[tuple[Node, str]] = []
        self.depth = 0
        self.deepest = 0
        self.fresh: list[Node] = []
        self.sound: set[int] = set()  # ids of nodes that `refuse_bottomless` has seen

    def compile(self, schema: Any, pointer: str, base: str) -> Node:
        """The finished node of `schema` and of everything it refers to. Raises UnsupportedSchema."""
        self.depth = 0
        start = self._node(schema, pointer, base)
        self.finish()
        return start

    def finish(self) -> None:
        """Build what is waiting. After an UnsupportedSchema it may be called again, for the rest."""
        while self.waiting:
            self.depth = 0
            self._build(*self.waiting.pop())
        refuse_bottomless(self.fresh, self.sound)
        self.fresh.clear()

    def _node(self, schema: Any, pointer: str, base: str) -> Node:
        """A node for a schema, built now, so that its parents know whether it has references."""
        node, new = self._known(schema, pointer, base)
        if new:
            self._build(node, base)
        return node

    def _refer(self, reference: str, base: str, pointer: str) -> Node:
        """A node for what a reference means, built later: references may be circular and chains long."""
        place = self.document.resolve(reference, base, pointer)
        node, new = self._known(*place)
        if new:
            self.waiting.append((node, place.base))
        return node

    def _known(self, schema: Any, pointer: str, base: str) -> tuple[Node, bool]:
        place = (id(schema), base)
        if place in self.nodes and isinstance(schema, _OBJECTS):
            return self.nodes[place], False
        node = Node(schema, pointer)
        if schema is False:
            node.finish((_FALSE,))
        elif schema is not True and not isinstance(schema, _OBJECTS):
            raise UnsupportedSchema(pointer, "a schema must be an object or a boolean")
        if isinstance(schema, bool):
            return node, False
        self.nodes[place] = node
        self.fresh.append(node)
        self.kept.append(schema)
        return node, True

    def _build(self, node: Node, base: str) -> None:
        if self.depth >= MAX_SCHEMA_DEPTH:
            raise UnsupportedSchema(node.pointer, f"schemas nested more than {MAX_SCHEMA_DEPTH} deep")
        check_form(node.schema, node.pointer)
        self.depth += 1
        self.deepest = max(self.deepest, self.depth)
        words = _RULED.intersection(node.schema)
        if self.at_once or not words <= _COMMON:
            _make_rules(Site(node, base, self.formats, self._child, self._refer))
        else:
            if not words.isdisjoint(_HOLDING):
                _lay_out(Site(node, base, self.formats, self._child, self._refer))
            node.postpone(_finish_with_formats if self.formats else _finish_without)
        self.depth -= 1

    def _child(self, schema: Any, pointer: str, base: str) -> Node:
        return self._node(schema, pointer, base_of(schema, base))


def _make_rules(site: Site) -> None:
    """Finish the node of a site."""
    node = site.node
    asked = sorted({rank for word in node.schema if (rank := _RANKS.get(word)) is not None})
    rules = [_ORDERED[rank](site) for rank in asked]
    node.finish(tuple(rule for rule in rules if rule is not None))
    node.check = fused(site) or node.check
    node.children = {}


def _lay_out(site: Site) -> None:
    """Compile what is below a common schema, in the order in which its rules would."""
    schema = site.schema
    properties = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name in properties:
            site.child(properties[name], "properties", name)
    for name, below in properties.items():
        site.child(below, "properties", name)
    for word in ("additionalProperties", "items"):
        if word in schema:
            site.child(schema[word], word)


def _finish_with_formats(node: Node) -> None:
    _make_late(Site(node, "", True, _all_there, _all_there))


def _finish_without(node: Node) -> None:
    _make_late(Site(node, "", False, _all_there, _all_there))


def _make_late(site: Site) -> None:
    """Finish a postponed node, unless another thread has: it lets go of the children after its last rule, so
    whoever took hold of them before (the site did) either has them all or need not."""
    if not site.node.is_finished():
        _make_rules(site)


def _all_there(*_: Any) -> Node:
    raise AssertionError("what is below a common schema was laid out")


def _explain_false(value: Any, path: str, run: Run) -> list[Violation]:  # noqa: ARG001
    return [Violation(path, f"{label(path)} is not allowed here", "false", False)]


_FALSE = Rule(never, _explain_false)


def refuse_bottomless(nodes: list[Node], done: set[int]) -> None:
    """Raise UnsupportedSchema where references lead back to themselves about the same value.

    `done` holds the ids of nodes that need no second look; it grows.
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
                raise UnsupportedSchema(node.pointer, "the reference leads back to itself and says nothing")
            elif following.inplace and id(following) not in done:
                active.add(id(following))
                stack.append((following, iter(following.inplace)))
