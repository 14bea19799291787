"""A schema of 2020-12, parsed: one node for each schema object, which knows where it was written.

Beside it, what parsing changes, and the error of a schema that cannot be read or rewritten.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal, TypeVar
from urllib.parse import unquote

from msgspec import Struct

from .json_values import JsonObject
from .keywords import METADATA, SCHEMA, SCHEMA_LIST, SCHEMA_MAP
from .pointers import child, escape, unescape

Path = tuple[Any, str] | None
"""A path to a schema: `(path of the parent, segment)`, None for the root. Extending it copies nothing."""
Segments = tuple[str, ...]
"""The segments of a JSON pointer, unescaped."""


class SchemaNode(Struct, frozen=True, eq=False):
    """One schema object.

    Attributes:
        keywords: the keywords in their order, which no one changes. The value of a keyword that holds schemas
            has `SchemaNode | bool` for each: alone, in a list, or in an object by name. Other values are
            JSON.
        path: where the schema was written, in the document as it was given.
    """

    keywords: JsonObject
    path: Path


Schema = SchemaNode | bool


def pointer(path: Path) -> str:
    """Return the JSON pointer of a path; empty for the root."""
    out = ""
    while path is not None:
        path, segment = path
        out = f"/{escape(segment)}{out}"
    return out


def extended(path: Path, segments: Iterable[str | int]) -> Path:
    """Return a path with further segments: names of members and indices of items."""
    for segment in segments:
        path = path, str(segment)
    return path


def subnodes(node: SchemaNode) -> Iterator[tuple[Segments, Schema]]:
    """Yield the schemas directly below a node, each with its segments, in the order of keywords."""
    for keyword, value in node.keywords.items():
        if keyword in SCHEMA:
            yield (keyword,), value
        elif keyword in SCHEMA_LIST:
            for i, item in enumerate(value):
                yield (keyword, str(i)), item
        elif keyword in SCHEMA_MAP:
            for name, item in value.items():
                yield (keyword, name), item


def to_json(schema: Any) -> Any:
    """Return a node, a boolean, or a list or object of them as JSON, which shares only literals with it."""
    if isinstance(schema, SchemaNode):
        return {key: to_json(value) if key in HOLDERS else value for key, value in schema.keywords.items()}
    if schema.__class__ is dict:
        return {name: to_json(item) for name, item in schema.items()}
    if schema.__class__ is list:
        return [to_json(item) for item in schema]
    return schema


HOLDERS = SCHEMA | SCHEMA_LIST | SCHEMA_MAP
"""Keywords whose value has nodes."""


def descendants(root: SchemaNode) -> Iterator[SchemaNode]:
    """Yield every schema object of a document, outer ones first."""
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        if HOLDERS.isdisjoint(node.keywords):
            continue
        below = [item for _, item in subnodes(node) if isinstance(item, SchemaNode)]
        pending += reversed(below)


def is_free(schema: Schema) -> bool:
    """Return whether a schema says nothing: true, or a node without keywords."""
    return schema is True or (isinstance(schema, SchemaNode) and not schema.keywords)


class SchemaError(ValueError):
    """A schema that cannot be normalised exactly or safely.

    Attributes:
        path: JSON pointer into the schema.
        message: what is wrong.
        hint: what to change.
    """

    def __init__(self, path: str, message: str, hint: str = "") -> None:
        self.path = path
        self.message = message
        self.hint = hint
        super().__init__(f"at {path or 'the root'}: {message}" + (f" ({hint})" if hint else ""))


class LibrarySchemaError(SchemaError):
    """An object of a library of validators, or of Python, stands where a JSON Schema must be."""


Action = Literal["dropped", "described", "rewritten", "inlined", "widened"]
Severity = Literal["reject", "lost", "changed", "kept elsewhere"]


class SchemaChange(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that parsing a schema changed.

    Attributes:
        path: JSON pointer into the schema as it was given.
        keyword: the keyword there that differs.
        action: what was done to it.
        severity: what is lost by it.
        reason: a predicate of the keyword, without a full stop: what stands in its place, why, and whether
            decoding restores or checks it.
    """

    path: str
    keyword: str
    action: Action
    severity: Severity
    reason: str

    @property
    def clause(self) -> str:
        """The entry within a message: the keyword, the place and the reason."""
        return f"`{self.keyword}` {self._place} {self.reason}"

    @property
    def sentence(self) -> str:
        """The entry as one sentence: the place, the keyword and the reason."""
        return f"{self._place[0].upper()}{self._place[1:]}, `{self.keyword}` {self.reason}."

    @property
    def _place(self) -> str:
        return f"at {self.path or 'the root'}"


Change = TypeVar("Change", bound=SchemaChange)
_ChangeKey = tuple[str, str, str, str]
"""Path, keyword, action and reason: two changes of one keyword are two entries."""
Changes = dict[_ChangeKey, SchemaChange]


def changes_of(entries: Iterable[Change]) -> dict[_ChangeKey, Change]:
    """Return changes by what distinguishes them, in their order."""
    return {(each.path, each.keyword, each.action, each.reason): each for each in entries}


def record(
    changes: Changes, path: Path, keyword: str, action: Action, severity: Severity, reason: str
) -> None:
    """Add a change, unless it is known."""
    change = SchemaChange(
        path=pointer(path), keyword=keyword, action=action, severity=severity, reason=reason
    )
    changes.setdefault((change.path, keyword, action, reason), change)


class References:
    """The targets of the references in one schema. What was found is kept."""

    __slots__ = ("_known", "_parse", "_targets", "root", "unresolved")

    def __init__(
        self,
        root: SchemaNode,
        parse: Callable[[JsonObject, Path], SchemaNode],
        unresolved: Mapping[int, str] = {},
    ) -> None:
        """`parse` makes the node of a schema that no keyword holds, and returns the same each time.
        `unresolved`: why the references of nodes lead nowhere, by the id of the node."""
        self.root = root
        self._parse = parse
        self.unresolved = unresolved
        self._known: dict[str, tuple[Schema, Segments]] = {}  # by the reference
        self._targets: dict[Segments, Schema] = {}

    def segments(self, reference: Any, path: Path) -> Segments:
        """Return the segments from the root to where a reference leads, whether or not something is there.
        `path`: the schema that has the reference. Raises SchemaError where it is not local.
        """
        if not isinstance(reference, str):
            raise SchemaError(pointer(path), "$ref must be a string")
        return parse_reference(reference, path)

    def target(self, reference: Any, path: Path) -> tuple[Schema, Segments]:
        """Return the schema that a reference leads to, and its segments from the root. `path`: the schema
        that has the reference. Raises SchemaError where it leads nowhere in this document.
        """
        known = self._known.get(reference) if isinstance(reference, str) else None
        if known is None:
            segments = self.segments(reference, path)
            found = self._found(segments, reference, path)
            self._targets[segments] = found
            known = self._known[reference] = found, segments
        return known

    def resolve(self, segments: Segments) -> Schema:
        """Return the schema at segments that `target` returned. Raises SchemaError where there is none."""
        known = self._targets.get(segments)
        return self._found(segments, "#/" + "/".join(segments), None) if known is None else known

    def _found(self, segments: Segments, reference: str, path: Path) -> Schema:
        value: Any = self.root
        at: Path = None
        for segment in segments:
            try:
                value = child(value.keywords if isinstance(value, SchemaNode) else value, segment)
            except LookupError:
                raise SchemaError(
                    pointer(path),
                    f"the reference {reference!r} leads nowhere: {pointer(at) or '#'} has no {segment!r}",
                    "define it, or correct the reference",
                ) from None
            at = at, segment
        if isinstance(value, SchemaNode | bool):
            return value
        if not isinstance(value, dict):
            reason = f"the reference {reference!r} leads to something that is no schema"
            raise SchemaError(pointer(path), reason)
        holds_nodes = any(isinstance(item, SchemaNode) for item in value.values())
        return self._parse(to_json(value) if holds_nodes else value, at)


def parse_reference(reference: str, path: Path) -> Segments:
    """Return the segments, unescaped, of a local reference such as `#/$defs/a~1b`; those of `#` are empty.
    Raises SchemaError where it does not point into the schema.
    """
    if reference in ("#", "#/"):
        return ()
    if not reference.startswith("#/"):
        raise SchemaError(
            pointer(path),
            f"the reference {reference!r} does not point into this schema",
            "bundle what it refers to under $defs and use '#/$defs/Name'",
        )
    raw = unquote(reference[2:]) if "%" in reference else reference[2:]
    return tuple(map(unescape, raw.split("/")))


HOISTED = frozenset(("title", "description", "default", "examples", "$defs"))
"""Keywords that stay outside of a union with null."""
_WRAPPED = frozenset(("$ref", "const", "allOf", "oneOf", "not", "if"))
"""Keywords beside which null is accepted only by a union with it."""


def with_null(node: SchemaNode) -> SchemaNode:
    """Return a schema that accepts null as well: the same one where it does, or constrains only other types.
    A new one shares its subschemas.
    """
    return wrapped(node) if wraps(node.keywords) else null_in_place(node)


def null_in_place(node: SchemaNode) -> SchemaNode:
    """Add null to the types, the literals or the branches of a schema that `wraps` does not name."""
    keywords = node.keywords
    if "anyOf" in keywords:
        if any(map(accepts_null, keywords["anyOf"])):
            return node
        return SchemaNode({**keywords, "anyOf": [*keywords["anyOf"], _null(node.path)]}, node.path)
    kind = keywords.get("type")
    if kind is None and "enum" not in keywords:
        return node  # accepts anything, or constrains only other types than null
    changed: JsonObject = {}
    if isinstance(kind, str) and kind != "null":
        changed["type"] = [kind, "null"]
    elif isinstance(kind, list) and "null" not in kind:
        changed["type"] = [*kind, "null"]
    if "enum" in keywords and None not in keywords["enum"]:
        changed["enum"] = [*keywords["enum"], None]
    return SchemaNode({**keywords, **changed}, node.path) if changed else node


def wraps(keywords: Mapping[str, object]) -> bool:
    """Return whether a schema with these keywords has to become a branch of a union to accept null."""
    if not _WRAPPED.isdisjoint(keywords):
        return True
    if "anyOf" in keywords:
        return len(keywords.keys() - METADATA) > 1
    kind = keywords.get("type")
    return isinstance(kind, str) and kind in ("object", "array")


def wrapped(node: SchemaNode) -> SchemaNode:
    """Make a schema a branch of a union with null; titles and descriptions stay outside."""
    inner = {key: value for key, value in node.keywords.items() if key not in HOISTED}
    outer: JsonObject = {"anyOf": [SchemaNode(inner, node.path), _null(node.path)]}
    outer.update((key, value) for key, value in node.keywords.items() if key in HOISTED)
    return SchemaNode(outer, node.path)


def accepts_null(schema: Schema) -> bool:
    """Return whether a schema accepts null by its own keywords; references are not followed."""
    if not isinstance(schema, SchemaNode):
        return schema
    keywords = schema.keywords
    if "anyOf" in keywords and len(keywords.keys() - METADATA) == 1:
        return any(map(accepts_null, keywords["anyOf"]))
    kind = keywords.get("type")
    named = kind == "null" or (isinstance(kind, list) and "null" in kind)
    if "enum" in keywords:
        return None in keywords["enum"] and (named or kind is None)
    return named and "const" not in keywords


def _null(path: Path) -> SchemaNode:
    return SchemaNode({"type": "null"}, path)
