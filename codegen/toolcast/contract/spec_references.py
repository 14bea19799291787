"""Locations of schemas in spec files, and what a `$ref` there refers to.

A reference names a file among the tool's shared types; no file is read here.
"""

import posixpath
import re
from collections.abc import Collection, Mapping
from typing import Any, Final
from urllib.parse import unquote

from msgspec import Struct

from ..diagnostics import most_similar
from ..jsonschema.document import Document as SchemaIndex
from ..jsonschema.document import ExternalReference
from ..jsonschema.pointers import child, escape, join, split
from ..jsonschema.upgrade import draft_of
from ..jsonschema.validator_errors import UnsupportedSchema
from ..spec.parsed_document import Document, Path, SharedTypes
from ..spec.spec_checker import choices, quoted
from ..spec.type_folders import PACKAGE, is_outside, referred, type_place


class DefinitionLocation(Struct, frozen=True):
    """The location of a definition: a document, and the path of its schema there."""

    file: str  # key of the document: a type file's path as the specs root has it, or "" for the tool itself
    path: Path


class SpecLocation(Struct, frozen=True):
    """The location of a schema: its document, the root of its local references, and its path."""

    document: Document
    file: str
    root: Path  # path of the schema resource that `#` means
    path: Path
    draft: int

    def at(self, *steps: str | int) -> "SpecLocation":
        """The location `steps` below this one."""
        return SpecLocation(self.document, self.file, self.root, (*self.path, *steps), self.draft)


def value_at(data: Any, path: Path) -> object:
    """The value at `path`."""
    for step in path:
        data = data[step]
    return data


_MOST_COMPARED: Final = 5_000
"""Names that are compared with wrong ones, which is slow: after so many, nothing is suggested."""
_MOST_NAMES: Final = 1_000
_LONGEST: Final = 100
"""Names, and characters of a name, that one wrong name is compared with."""

MAX_DEPTH = 64
"""Levels of nested schemas; more is refused, because reading recurses."""


class ReferenceProblem(Struct, frozen=True):
    """The reason why a reference does not resolve."""

    code: str
    message: str
    hint: str


class References:
    """Resolves the references of one tool and of the shared types. `path` is the tool's, below the specs
    root: relative references count from its folder. `missing` are the files outside of the specs root that
    references name and `types` lacks.
    """

    def __init__(self, types: Mapping[str, Document], path: str) -> None:
        self.types = types
        self.path = path
        self.missing: set[str] = set()
        self._indexes: dict[DefinitionLocation, SchemaIndex] = {}
        self._shared = types.indexes if isinstance(types, SharedTypes) else self._indexes
        self._compared = 0

    def target(self, ref: str, location: SpecLocation) -> DefinitionLocation | ReferenceProblem:
        """Return the location of the schema that `ref` names in the schema at `location`, or why it does not
        resolve.
        """
        target, _, fragment = ref.partition("#")
        file, root = location.file, location.root
        try:
            index = self._index(location.document, file, root)
            base = index.base(join(location.path[len(root) :]))
            try:
                found = index.find(ref, base, "")
            except ExternalReference:
                named = self._file(ref, target, location)
                if isinstance(named, ReferenceProblem):
                    return named
                file, root = named, ()
                index = self._index(self.types[file], file, root)
                found = index.find(f"#{fragment}", index.base(""), "")
        except UnsupportedSchema as problem:
            return ReferenceProblem("ambiguous-reference", problem.reason, "give each a name of its own")
        if found is None:
            return self._points_at_nothing(ref, value_at(self._data(file, location), root))
        return DefinitionLocation(
            file, _steps(value_at(self._data(file, location), root), found.pointer, root)
        )

    def _data(self, file: str, location: SpecLocation) -> object:
        return (self.types[file] if file else location.document).data

    def _index(self, document: Document, file: str, root: Path) -> SchemaIndex:
        key, indexes = DefinitionLocation(file, root), self._shared if file else self._indexes
        if key not in indexes:
            schema = value_at(document.data, root)
            indexes[key] = SchemaIndex(schema, draft_of(schema))
        return indexes[key]

    def _points_at_nothing(self, ref: str, schema: object) -> ReferenceProblem:
        """The problem of a reference whose fragment leads nowhere in `schema`, the root of its file."""
        hint = _NOTHING_DEFINED
        if self._compared <= _MOST_COMPARED:
            pointers = _definition_pointers(schema)
            self._compared += 1 + len(pointers)
            hint = _definition_hint(ref, pointers)
        return ReferenceProblem("missing-reference", f"{quoted(ref)} points at nothing", hint)

    def _file(self, ref: str, target: str, location: SpecLocation) -> str | ReferenceProblem:
        """The shared type file that the part of `ref` before `#` names."""
        packaged = target.startswith(PACKAGE)
        if not packaged and (re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", target) or target.startswith("//")):
            return ReferenceProblem(
                "remote-reference",
                f"{quoted(ref)} leaves the specs folder; nothing is fetched at build time",
                "copy the type into a file under _types/ and refer to that",
            )
        base = posixpath.dirname(location.file or self.path)
        file = referred(location.file or self.path, unquote(target))
        if file is not None and file in self.types:
            return file
        if file is not None and is_outside(file):
            self.missing.add(file)
        if isinstance(self.types, SharedTypes) and file in self.types.broken:
            return ReferenceProblem("broken-type", f"{quoted(file)} has errors", "correct it first")
        inside = file is not None and not file.startswith(("../", "/", PACKAGE)) and file != ".."
        definition = _definition_of(target, value_at(location.document.data, location.root))
        if definition:
            return ReferenceProblem(
                "missing-reference",
                f"{quoted(ref)} names a file: a reference inside of a schema starts with `#`",
                f"did you mean {quoted(definition)}?",
            )
        if file is not None and is_outside(file) and type_place(file) is not None:
            near = self._nearest(file, base)
            return ReferenceProblem(
                "missing-reference",
                f"{quoted(file)} is no shared type of a folder or package that `types` names, or has errors",
                near or "name its folder, or its package, in `types` in [tool.toolcast]",
            )
        if not inside or file is None:
            return ReferenceProblem(
                "reference-outside",
                f"{quoted(ref)} points outside the specs folder",
                "shared types live under _types/ in the specs folder, and in the folders and packages that"
                " `types` in [tool.toolcast] names",
            )
        hint = "shared types live in files under _types/ in the specs folder"
        if not re.search(r"[/.]", target):
            hint = "write `#/$defs/Name` for a definition of this schema; " + hint
        nested = "/_types/" in file
        hint = f"{hint}, at its top: move it there" if nested else self._nearest(file, base) or hint
        return ReferenceProblem("missing-reference", f"there is no shared type file {quoted(file)}", hint)

    def _nearest(self, file: str, base: str) -> str:
        """A hint with the reference from the folder `base` to the type of the nearest path; or nothing."""
        if self._compared > _MOST_COMPARED:
            return ""
        known = list(self.types)
        self._compared += 1 + len(known)
        near = _near(file, known)
        if not near:
            return ""
        ref = near if near.startswith(PACKAGE) else posixpath.relpath(near, base or ".")
        return f"did you mean {quoted(ref)}?"


def _steps(schema: object, pointer: str, root: Path) -> Path:
    """The path of what is at a pointer in `schema`, which is at `root`."""
    path = root
    for segment in split(pointer):
        path = *path, int(segment) if isinstance(schema, list) else segment
        schema = child(schema, segment)
    return path


def _definition_pointers(schema: object) -> dict[str, str]:
    groups = [(key, schema.get(key)) for key in ("definitions", "$defs")] if isinstance(schema, dict) else []
    return {
        name: f"#/{key}/{escape(name)}" for key, group in groups if isinstance(group, dict) for name in group
    }


def _definition_of(path: str, schema: object) -> str:
    """The reference to the definition of `schema` that a path without `#` means; empty for none."""
    folder, _, name = path.rpartition("/")
    if folder not in ("", "$defs", "/$defs", "definitions", "/definitions"):
        return ""
    return _definition_pointers(schema).get(name, "")


_NOTHING_DEFINED: Final = "write definitions below `$defs`, beside `properties`, and refer to `#/$defs/Name`"


def _definition_hint(ref: str, pointers: Mapping[str, str]) -> str:
    """The remedy for a reference that leads nowhere; `pointers` are the definitions of its file."""
    file, _, fragment = ref.partition("#")
    near = _near(unquote(fragment).rpartition("/")[2], pointers)
    if near:
        return f"did you mean {quoted(file + pointers[near])}?"
    if pointers:
        return f"there are {choices([file + pointer for pointer in pointers.values()])}"
    if fragment.startswith("/components/"):
        return "copy that schema of the OpenAPI document below `$defs` here, and refer to `#/$defs/Name`"
    return _NOTHING_DEFINED


def _near(name: str, known: Collection[str]) -> str:
    return most_similar(name, known) if len(known) <= _MOST_NAMES and len(name) <= _LONGEST else ""
