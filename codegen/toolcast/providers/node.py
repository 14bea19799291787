"""The node that the passes rewrite: a schema, and the place at which a walk has met it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from ..jsonschema.json_values import JsonObject
from ..jsonschema.schema_document import SchemaDocument
from ..jsonschema.schema_node import Schema, SchemaNode, Segments
from ..runtime.wire import WireForm
from .ledger import Ledger
from .profiles.dialect import Dialect

Keywords = JsonObject
PLAIN = WireForm()


class Walk(Struct, frozen=True, eq=False):
    """The state that all nodes of one walk share.

    `renames` has property names that the dialect refuses, with those that are sent instead. `most` levels of
    values may be nested (None: any number); then `heights` has the levels of each definition. `changed` are
    definitions whose meaning an earlier walk over the same document changed.
    """

    document: SchemaDocument
    renames: Mapping[str, str] = {}
    most: int | None = None
    heights: Mapping[Segments, int] = {}
    changed: frozenset[Segments] = frozenset()


class Overlap:
    """The schemas of other branches of a union that may accept the value of a node. A form in which the value
    is sent must not be one that they accept, else decoding may choose theirs. `kind in overlap`: whether
    one of them accepts that JSON type.
    """

    __slots__ = ("_find", "_found", "_kinds", "_types")

    def __init__(
        self, find: Callable[[], tuple[Schema, ...]], kinds: Callable[[tuple[Schema, ...]], frozenset[str]]
    ) -> None:
        """`find` gives the schemas, `kinds` their JSON types; each is called once at most."""
        self._find = find
        self._kinds = kinds
        self._found: tuple[Schema, ...] | None = None
        self._types: frozenset[str] | None = None

    @property
    def schemas(self) -> tuple[Schema, ...]:
        """All of them."""
        if self._found is None:
            self._found = self._find()
        return self._found

    def __contains__(self, kind: object) -> bool:
        if self._types is None:
            self._types = self._kinds(self.schemas)
        return kind in self._types


class WalkPlace(Struct, frozen=True, eq=False):
    """The place of a schema in a walk, with what the schemas around it say of its values.

    `definition` contains it; empty for the root. `opened` are the references resolved above it, `overlap`
    what other branches of its union accept, if it is in one, `level` the levels of values above its value,
    where they are limited. A value with `is_property` may be left out.
    """

    walk: Walk
    definition: Segments = ()
    opened: tuple[Segments, ...] = ()
    overlap: Overlap | None = None
    level: int = 0
    is_property: bool = False


class Node(SchemaNode, frozen=True, eq=False):
    """A schema at its place in a walk.

    Attributes:
        keywords: as of `SchemaNode`: before its keywords are walked, subschemas are those of the contract;
            after that, they are nodes of the output.
        path: where it was written.
        place: where the walk has met it.
        entered: the references that were resolved for it.
        notes: sentences to be added to its description.
        form: how its value is sent, where that differs from the contract.
        absent_null: whether the absence of the property stands for null.
        start: the ledger's count of changed evaluations when the walk met it.
        before: the node as it was before its keywords were walked.
    """

    place: WalkPlace
    entered: tuple[Segments, ...] = ()
    notes: tuple[str, ...] = ()
    form: WireForm = PLAIN
    absent_null: bool = False
    start: int = 0
    before: SchemaNode | None = None

    @property
    def document(self) -> SchemaDocument:
        """The document, by which references are resolved."""
        return self.place.walk.document

    def having(self, keywords: Keywords) -> Node:
        """Return the node with these keywords."""
        return self if keywords is self.keywords else replace(self, keywords=keywords)

    def noting(self, keywords: Keywords, notes: tuple[str, ...]) -> Node:
        """Return the node with these keywords, and further sentences for its description."""
        return replace(self, keywords=keywords, notes=self.notes + notes)

    def sent(self, keywords: Keywords, **form: object) -> Node:
        """Return the node with these keywords, and with these fields of its wire form."""
        return replace(self, keywords=keywords, form=replace(self.form, **form))

    def with_form(self, keywords: Keywords, form: WireForm) -> Node:
        """Return the node with these keywords, sent in this form."""
        return replace(self, keywords=keywords, form=form)

    def sent_as(self, **form: object) -> Node:
        """Return the node with these fields of its wire form."""
        return replace(self, form=replace(self.form, **form))

    def branch_sent(self, keywords: Keywords) -> Node:
        """Return the node with these keywords, to be a child of another: only its form is noted of it."""
        return Node(keywords, self.path, self.place, form=self.form)

    def branch(self, schema: SchemaNode) -> Node:
        """Another schema at the place of this node, of which nothing is noted yet."""
        return replace(self, keywords=schema.keywords, path=schema.path, notes=(), form=PLAIN)

    def replaced_by(self, branch: SchemaNode, keywords: Keywords) -> Node:
        """Return the node with these keywords, of which `branch`, its only branch, is a part; its form is
        that of the branch, where it has none.
        """
        form = branch.form if self.form is PLAIN and isinstance(branch, Node) else self.form
        return replace(self, keywords=keywords, form=form)

    def taken(self, kind: str) -> bool:
        """Return whether another branch of a union accepts values of a JSON type here."""
        return self.place.overlap is not None and kind in self.place.overlap


class Pass(Struct, frozen=True, eq=False):
    """One step of the rewriting of a node; `apply` returns the same node where there is nothing to do.

    It acts on nodes that have one of `keywords`, are of one of `types`, as `stated_type` names them, or for
    which sentences were `noted`; without these, on any. `needed` tells whether a dialect needs it.
    """

    name: str
    apply: Callable[[Node, Dialect, Ledger], Node]
    needed: Callable[[Dialect], bool] = lambda _: True
    keywords: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()
    noted: bool = False

    @property
    def everywhere(self) -> bool:
        """Return whether it acts on any node."""
        return not self.keywords and not self.types and not self.noted

    def concerns(self, keywords: Keywords) -> bool:
        """Return whether it acts on a node with these keywords."""
        if self.keywords and not self.keywords.isdisjoint(keywords):
            return True
        return stated_type(keywords) in self.types if self.types else not self.keywords


NO_TYPE = ""
TYPES = "[]"


def stated_type(keywords: Keywords) -> str:
    """Return the type that a node states; `NO_TYPE` for none, `TYPES` for a list of types."""
    kind = keywords.get("type")
    return kind if type(kind) is str else NO_TYPE if kind is None else TYPES
