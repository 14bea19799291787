"""A schema of 2020-12, parsed: one node for each schema object, which knows where it was written.

Beside it, what parsing changes, and the error of a schema that cannot be read or rewritten.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal, TypeVar

from msgspec import Struct

from .json_values import JsonObject
from .keywords import SCHEMA, SCHEMA_LIST, SCHEMA_MAP
from .pointers import escape

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
