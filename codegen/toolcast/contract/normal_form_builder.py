"""Makes the normal form: upgrades older drafts, makes references local, bundles shared types.

The input is never changed. The position of every dict of the output is recorded, so that later diagnostics
name file, line and column.
"""

import posixpath
import re
from collections.abc import Mapping
from typing import Any, Final

from ..diagnostics import Diagnostic, Severity
from ..jsonschema.keywords import ANNOTATIONS, ASSERTIONS, HOLDS_SCHEMAS, SCHEMA, SCHEMA_LIST, SCHEMA_MAP
from ..jsonschema.pointers import escape
from ..jsonschema.upgrade import Row, as_written, draft_of, named_draft, upgrade
from ..spec.model import Document, Path, diagnose
from .normal_form import NormalForm, definition_name
from .python_types import KEYWORD, python_type_keywords
from .slow_patterns import slow_pattern_reason
from .spec_references import (
    MAX_DEPTH,
    DefinitionLocation,
    ReferenceProblem,
    References,
    SchemaLocation,
    json_kind,
    value_at,
)

_COPIED: Final = (ANNOTATIONS | ASSERTIONS) - {"$ref", "pattern", "$comment", "contentSchema"}
"""Keywords that are copied without a check."""


class NormalFormBuilder:
    """Builds one `NormalForm`. With an error among `diagnostics`, the result must not be used."""

    def __init__(self, tool: Document | None, types: Mapping[str, Document], path: str = "") -> None:
        """`path` is the tool's, below the specs root: relative references count from its folder."""
        self.tool = tool
        self.types = types
        self._references = References(types, path)
        self.diagnostics: list[Diagnostic] = []
        self.defs: dict[str, Any] = {}
        self.locations: dict[str, DefinitionLocation] = {}
        self.origins: dict[int, tuple[Document, Path]] = {}
        self._names: dict[DefinitionLocation, str] = {}
        self._roots: dict[str, Any] = {}
        self._pending: list[tuple[str, SchemaLocation]] = []
        self._linked = False

    def add_root(self, name: str, path: Path) -> None:
        """Read the tool's schema at `path` (`("parameters",)`) as the root called `name`."""
        assert self.tool is not None
        location = SchemaLocation(self.tool, "", path, path, draft_of(value_at(self.tool.data, path)))
        schema = self._schema(value_at(self.tool.data, path), location, 0)
        self._read_pending()
        self._roots[name] = self._as_object_schema(schema, location) if name == "parameters" else schema

    def add_empty(self, name: str, schema: Any) -> None:
        """Use `schema` as the root called `name`, which the tool does not state."""
        assert self.tool is not None
        copy = {**schema}
        self.origins[id(copy)] = (self.tool, ())
        self._roots[name] = copy

    def _as_object_schema(self, schema: Any, location: SchemaLocation) -> Any:
        """Parameters with `type: object` at the root, and no reference there: every provider needs that."""
        if not isinstance(schema, dict):
            schema = {}
            self._report(location, "root-not-object", "parameters must be an object schema")
        name = definition_name(schema["$ref"]) if "$ref" in schema else None
        if name is not None and set(schema) - {"$ref"} <= ANNOTATIONS and isinstance(self.defs[name], dict):
            schema = {**self.defs[name], **{k: v for k, v in schema.items() if k != "$ref"}}
            self.origins[id(schema)] = (location.document, location.path)
        if schema.get("type", "object") != "object":
            self._report(
                location, "root-not-object", f"parameters must have `type: object`, not {schema['type']!r}",
                "arguments are always an object: wrap the value in a property",
            )  # fmt: skip
        if "type" not in schema:
            schema = {"type": "object", **schema}
            self.origins[id(schema)] = (location.document, location.path)
        return schema

    def add_used_types(self) -> None:
        """Read the shared files in use completely: the Struct of a type may depend on others of its file."""
        done: set[str] = set()
        while True:
            waiting = sorted({target.file for target in self.locations.values() if target.file} - done)
            if not waiting:
                return
            for file in waiting:
                done.add(file)
                self.add_type(file)

    def add_type(self, file: str) -> None:
        """Read a shared type file: its root, and everything below its `$defs`."""
        document = self.types[file]
        data = document.data
        if isinstance(data, dict) and set(data) - {"$defs", "$schema", "$comment", "title", "description"}:
            self._name(DefinitionLocation(file, ()))
        for key in ("$defs", "definitions"):
            if isinstance(data, dict) and isinstance(data.get(key), dict):
                for name in data[key]:
                    self._name(DefinitionLocation(file, (key, name)))
        self._read_pending()

    def result(self) -> NormalForm:
        """Everything read so far."""
        uses = sorted({target.file for target in self.locations.values() if target.file})
        return NormalForm(
            roots=self._roots,
            defs=self.defs,
            locations=self.locations,
            uses=tuple(uses),
            origins=self.origins,
            linked=self._linked,
        )

    # -- one schema ---------------------------------------------------------------------------

    def _report(
        self, location: SchemaLocation, code: str, message: str, hint: str = "", *, key: bool = False,
        severity: Severity = "error",
    ) -> None:  # fmt: skip
        self.diagnostics.append(
            diagnose(location.document, location.path, code, message, hint, key=key, severity=severity)
        )

    def _schema(self, node: Any, location: SchemaLocation, depth: int) -> Any:
        if isinstance(node, bool):
            return node
        if not isinstance(node, dict):
            self._report(
                location,
                "malformed-schema",
                f"a schema must be an object or a boolean, not {json_kind(node)}",
                "write a JSON Schema here, e.g. {type: string}",
            )
            return True
        if depth > MAX_DEPTH:
            self._report(
                location,
                "too-deep",
                f"schemas are nested more than {MAX_DEPTH} levels deep",
                "move inner parts to $defs and refer to them",
            )
            return True
        out: dict[str, Any] = {}
        self.origins[id(out)] = (location.document, location.path)
        for row in self._rows(node, location):
            keyword, value = row.keyword, row.value
            if keyword in _COPIED:
                out[keyword] = value
                continue
            below = location.at(*row.source)
            if keyword in ("$schema", "$id", "$anchor", "$comment"):
                if keyword == "$schema":
                    self._check_dialect(value, below)
                elif keyword == "$id" and location.path != location.root:
                    self._report(
                        below, "embedded-id", "an `$id` inside a schema starts another resource",
                        "remove it, or move that schema to a file under _types/", key=True,
                    )  # fmt: skip
                continue
            if keyword in UNSUPPORTED:
                self._report(
                    below, "unsupported-keyword", f"`{keyword}` cannot be compiled: {UNSUPPORTED[keyword]}",
                    "use a plain `$ref` to a definition", key=True,
                )  # fmt: skip
            elif keyword == "$ref":
                out["$ref"] = self._reference(value, below, location)
            elif keyword == "$defs":
                self._check_map(value, below)  # read when a reference names it
            elif keyword in SCHEMA:
                out[keyword] = self._schema(value, below, depth + 1)
            elif keyword in SCHEMA_LIST:
                out[keyword] = self._list(keyword, value, below, depth)
            elif keyword in SCHEMA_MAP:
                out[keyword] = self._map(row, location, depth)
            else:
                if keyword not in KNOWN and not keyword.startswith("x-"):
                    self._unknown(keyword, below)
                elif keyword == "pattern":
                    self._check_pattern(value, below, node.get("maxLength"))
                out[keyword] = value
        if KEYWORD in out:
            added, problem = python_type_keywords(out)
            out.update(added)
            if problem:
                self._report(
                    location.at(KEYWORD), "python-type", f"`{KEYWORD}` cannot be used here: {problem}",
                    "for example {type: string, x-python: datetime}", key=True,
                )  # fmt: skip
        return out

    def _rows(self, node: dict[str, Any], location: SchemaLocation) -> tuple[Row, ...]:
        """The keywords of `node` as 2020-12 writes them; reports those that no draft has."""
        found = upgrade(node, location.draft)
        if found is None:
            return as_written(node)
        for change in found.changes:
            if change.code:
                self._report(
                    location.at(change.keyword), change.code, f"`{change.keyword}` {change.reason}",
                    change.hint, key=True, severity=change.severity,
                )  # fmt: skip
        return found.rows

    def _check_dialect(self, value: Any, below: SchemaLocation) -> None:
        if named_draft(value) is None:
            self._report(
                below, "unknown-dialect", f"{value!r} is not one of JSON Schema's drafts 4 to 2020-12",
                "remove `$schema`, or name https://json-schema.org/draft/2020-12/schema",
            )  # fmt: skip

    def _list(self, keyword: str, value: Any, below: SchemaLocation, depth: int) -> Any:
        if not isinstance(value, list) or not value:
            self._report(
                below,
                "malformed-schema",
                f"`{keyword}` must be a non-empty array of schemas, not {json_kind(value)}",
                "write one schema per line, each behind `- `",
            )
            return [True]
        return [self._schema(item, below.at(i), depth + 1) for i, item in enumerate(value)]

    def _check_map(self, value: Any, below: SchemaLocation) -> bool:
        if isinstance(value, dict):
            return True
        self._report(
            below,
            "malformed-schema",
            f"`{below.path[-1]}` must map names to schemas, not be {json_kind(value)}",
            "write `name: {type: string}`, one per line",
        )
        return False

    def _map(self, row: Row, location: SchemaLocation, depth: int) -> Any:
        below = location.at(*row.source)
        if not self._check_map(row.value, below):
            return {}
        if row.keyword == "patternProperties":
            for pattern in row.value:
                self._check_pattern(pattern, below.at(pattern))
        return {
            name: self._schema(item, location.at(*row.member(name)), depth + 1)
            for name, item in row.value.items()
        }

    def _check_pattern(self, pattern: Any, below: SchemaLocation, longest: Any = None) -> None:
        """Warn of a pattern whose search may take very long; an invalid one is refused later."""
        slow = slow_pattern_reason(pattern, longest)
        if slow is not None:
            self._report(
                below, "slow-pattern", slow,
                "say each repetition in one way only, or bound the text by maxLength", severity="warning",
            )  # fmt: skip

    def _unknown(self, keyword: str, below: SchemaLocation) -> None:
        if keyword == "nullable":
            self._report(
                below, "openapi-keyword", "`nullable` is OpenAPI's, not JSON Schema's, and would be ignored",
                'write `type: [string, "null"]`, with the type you have', key=True,
            )  # fmt: skip
            return
        from difflib import get_close_matches  # loaded only where something is wrong

        close = get_close_matches(keyword, KNOWN, n=1, cutoff=0.75)
        if close:
            self._report(
                below, "unknown-keyword", f"`{keyword}` is not a JSON Schema keyword and has no effect",
                f"did you mean `{close[0]}`? (start the name with `x-` to keep it as an extension)",
                key=True, severity="warning",
            )  # fmt: skip

    # -- references ---------------------------------------------------------------------------

    def _reference(self, value: Any, below: SchemaLocation, location: SchemaLocation) -> str:
        self._linked = True
        if not isinstance(value, str):
            self._report(
                below,
                "malformed-schema",
                f"`$ref` must be a string, not {json_kind(value)}",
                "write e.g. `$ref: '#/$defs/Name'`",
            )
            return "#"
        target = self._references.target(value, location)
        if isinstance(target, ReferenceProblem):
            self._report(below, target.code, target.message, target.hint)
            return "#"
        if not target.file and target.path == location.root:
            return "#"
        return "#/$defs/" + escape(self._name(target))

    def _name(self, target: DefinitionLocation) -> str:
        """The definition's name in `$defs`; the first request also queues it for reading."""
        if target in self._names:
            return self._names[target]
        last = target.path[-1] if target.path else posixpath.splitext(posixpath.basename(target.file))[0]
        base = re.sub(r"[^A-Za-z0-9_.-]", "_", str(last)) or "_"
        name, count = base, 1
        while name in self.locations:
            count += 1
            name = f"{base}_{count}"
        self._names[target], self.locations[name] = name, target
        document = self.types[target.file] if target.file else self.tool
        assert document is not None
        root: Path = () if target.file else target.path[:1]
        draft = draft_of(value_at(document.data, root))
        self._pending.append((name, SchemaLocation(document, target.file, root, target.path, draft)))
        return name

    def _read_pending(self) -> None:
        while self._pending:
            name, location = self._pending.pop()
            self.defs[name] = self._schema(value_at(location.document.data, location.path), location, 0)
        self.defs = {name: self.defs[name] for name in self.locations if name in self.defs}


KNOWN: Final = HOLDS_SCHEMAS | ANNOTATIONS | ASSERTIONS | {"$schema", "$id", "$anchor", "$ref"}
"""Keywords with a meaning; others are warned of. Of `format`, the names in `FORMATS` have one."""

UNSUPPORTED: Final = {
    "$dynamicRef": "dynamic references are resolved at validation time and have no static type",
    "$dynamicAnchor": "dynamic references are resolved at validation time and have no static type",
    "$recursiveRef": "recursive references of draft 2019-09 have no static type",
    "$recursiveAnchor": "recursive references of draft 2019-09 have no static type",
    "$vocabulary": "custom vocabularies change what keywords mean",
}
"""Keywords that cannot be compiled exactly, and why."""
