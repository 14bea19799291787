"""Locations of schemas in spec files, and what a `$ref` there refers to.

No file outside the specs folder is read.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from msgspec import Struct

from ..jsonschema.keywords import SCHEMA, SCHEMA_LIST, SCHEMA_MAP
from ..jsonschema.pointers import child, split
from ..jsonschema.upgrade import draft_of, rows_of
from ..spec.model import Document, Path


class DefinitionLocation(Struct, frozen=True):
    """Where a definition is: a document, and the path of its schema there."""

    file: str  # key of the document: a type file's path below the specs root, or "" for the tool itself
    path: Path


class SchemaLocation(Struct, frozen=True):
    """The location of a schema: its document, the root of its local references, and its path."""

    document: Document
    file: str
    root: Path  # path of the schema resource that `#` means
    path: Path
    draft: int

    def at(self, *steps: str | int) -> "SchemaLocation":
        """The location `steps` below this one."""
        return SchemaLocation(self.document, self.file, self.root, (*self.path, *steps), self.draft)


def value_at(data: Any, path: Path) -> Any:
    """The value at `path`."""
    for step in path:
        data = data[step]
    return data


def json_kind(value: Any) -> str:
    """The JSON type of `value`, with an article, for a message."""
    names = {bool: "a boolean", str: "a string", int: "a number", float: "a number", list: "an array"}
    return "null" if value is None else names.get(type(value), "an object")


MAX_DEPTH = 64
"""Levels of nested schemas; more is refused, because reading recurses."""


class ReferenceProblem(Struct, frozen=True):
    """Why a reference does not resolve."""

    code: str
    message: str
    hint: str


class References:
    """Resolves the references of one tool and of the shared types.

    `path` is the tool's, below the specs root: relative references count from its folder.
    """

    def __init__(self, types: Mapping[str, Document], path: str) -> None:
        self.types = types
        self.path = path
        self._anchors: dict[DefinitionLocation, dict[str, Path]] = {}

    def target(self, ref: str, location: SchemaLocation) -> DefinitionLocation | ReferenceProblem:
        """Where the schema is that `ref` names in the schema at `location`, or why it does not resolve."""
        target, _, fragment = ref.partition("#")
        file, root = location.file, location.root
        if target:
            if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", target) or target.startswith("//"):
                return ReferenceProblem(
                    "remote-reference",
                    f"`{ref}` leaves the specs folder; nothing is fetched at build time",
                    "copy the type into a file under _types/ and refer to that",
                )
            base = posixpath.dirname(file or self.path)
            file, root = posixpath.normpath(posixpath.join(base, unquote(target))), ()
            if file.startswith(("../", "/")) or file == "..":
                return ReferenceProblem(
                    "reference-outside",
                    f"`{ref}` points outside the specs folder",
                    "shared types live under _types/ in the specs folder",
                )
            if file not in self.types:
                near = _near(file, list(self.types))
                hint = f"did you mean `{posixpath.relpath(near[0], base or '.')}`?" if near else ""
                return ReferenceProblem(
                    "missing-reference",
                    f"there is no shared type file `{file}`",
                    hint or "shared types live in files under _types/ in the specs folder",
                )
        document = self.types[file] if file else location.document
        path = self._fragment(document, file, root, unquote(fragment))
        if path is None:
            names = _definition_names(value_at(document.data, root))
            near = _near(fragment.rsplit("/", 1)[-1], names)
            return ReferenceProblem(
                "missing-reference",
                f"`{ref}` points at nothing",
                f"did you mean `#/$defs/{near[0]}`?" if near else "references look like `#/$defs/Name`",
            )
        return DefinitionLocation(file, path)

    def _fragment(self, document: Document, file: str, root: Path, fragment: str) -> Path | None:
        if fragment and not fragment.startswith("/"):
            location = DefinitionLocation(file, root)
            if location not in self._anchors:
                schema = value_at(document.data, root)
                self._anchors[location] = dict(_anchors(schema, root, draft_of(schema)))
            return self._anchors[location].get(fragment)
        node, path = value_at(document.data, root), root
        for segment in split(fragment):
            listed = isinstance(node, list)
            try:
                node = child(node, segment)
            except LookupError:
                return None
            path = *path, int(segment) if listed else segment
        return path


def _definition_names(schema: Any) -> list[str]:
    if not isinstance(schema, dict):
        return []
    groups = [schema.get(k) for k in ("$defs", "definitions")]
    return [name for group in groups if isinstance(group, dict) for name in group]


def _anchors(node: Any, path: Path, draft: int, depth: int = 0) -> Iterator[tuple[str, Path]]:
    """Every `$anchor` below a schema, with its path. Literals are not searched."""
    if not isinstance(node, dict) or depth > MAX_DEPTH:
        return
    if isinstance(node.get("$anchor"), str):
        yield node["$anchor"], path
    for row in rows_of(node, draft):
        at = (*path, *row.source)
        if row.keyword in SCHEMA:
            yield from _anchors(row.value, at, draft, depth + 1)
        elif row.keyword in SCHEMA_LIST and isinstance(row.value, list):
            for i, item in enumerate(row.value):
                yield from _anchors(item, (*at, i), draft, depth + 1)
        elif row.keyword in SCHEMA_MAP and isinstance(row.value, dict):
            for name, item in row.value.items():
                yield from _anchors(item, (*path, *row.member(name)), draft, depth + 1)


def _near(name: str, known: Iterable[str]) -> list[str]:
    from difflib import get_close_matches  # loaded only where something is wrong

    return get_close_matches(name, list(known), n=1)
