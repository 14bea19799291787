"""Makes the normal form: upgrades older drafts, makes references local, bundles shared types.

The input is never changed. The position of every dict of the output is recorded, so that later diagnostics
name file, line and column.
"""

import posixpath
import re
from collections.abc import Mapping
from itertools import product
from typing import Any, Final

from msgspec import UNSET

from ..diagnostics import Diagnostic, Severity
from ..jsonschema.document import identifier
from ..jsonschema.json_values import JsonObject
from ..jsonschema.keywords import ANNOTATIONS, ASSERTIONS, DIALECT, SCHEMA, SCHEMA_LIST, SCHEMA_MAP
from ..jsonschema.pointers import escape
from ..jsonschema.unusable_values import library_schema
from ..jsonschema.upgrade import KeywordRow, as_written, draft_of, named_draft, upgrade
from ..spec.parsed_document import Document, Path, diagnose
from ..spec.spec_checker import kind_of, quoted
from .normal_form import NormalForm, definition_name
from .schema_forms import as_list
from .schema_mistakes import (
    KNOWN,
    Mistake,
    malformed_value,
    no_schema,
    required_flag,
    slow_pattern_reason,
    unknown_format,
    unknown_keyword,
    unusable_pattern,
)
from .spec_references import (
    MAX_DEPTH,
    DefinitionLocation,
    ReferenceProblem,
    References,
    SpecLocation,
    value_at,
)
from .tree import KEYWORD, python_type_keywords

_COPIED: Final = (ANNOTATIONS | ASSERTIONS) - {"$ref", "pattern", "format", "$comment", "contentSchema"}
"""Keywords that are copied once the form of their value is right."""


MOST_UNKNOWN: Final = 200
"""Unknown keywords that are compared with known ones, which is slow."""


class NormalFormBuilder:
    """Builds one `NormalForm`. With an error among `diagnostics`, it lacks what is wrong: it serves for
    further diagnostics only, by way of `lenient_form`."""

    def __init__(
        self,
        tool: Document | None,
        types: Mapping[str, Document],
        path: str = "",
        shared: NormalForm | None = None,
    ) -> None:
        """`path` is the tool's, below the specs root: relative references count from its folder. `shared` is
        that of shared types without errors: their definitions are taken from it.
        """
        self.tool = tool
        self.types = types
        self._references = References(types, path)
        self.diagnostics: list[Diagnostic] = []
        self.defs: JsonObject = {}
        self.locations: dict[str, DefinitionLocation] = {}
        self.origins: dict[int, tuple[Document, Path]] = {} if shared is None else {**shared.origins}
        self._shared = shared
        self._taken: set[str] = set()
        self._links: dict[str, dict[str, None]] = {"": {}}
        self._reading = ""  # the definition that is read; "" for a root
        self._names: dict[DefinitionLocation, str] = {}
        self._roots: JsonObject = {}
        self._pending: list[tuple[str, SpecLocation]] = []
        self._complete: set[str] = set()  # shared files that are read completely
        self._linked = False
        self._states_draft: set[str] = set()
        self._anchors: set[str] = set()
        self.unknown_keywords = 0

    def add_root(self, name: str, path: Path) -> None:
        """Read the tool's schema at `path` (`("parameters",)`) as the root called `name`."""
        assert self.tool is not None
        stated = value_at(self.tool.data, path)
        found = library_schema(stated, root=True) if isinstance(stated, dict) else None
        if found is not None and found.schema is not None:
            stated, path = found.schema, (*path, *found.path)
        location = SpecLocation(self.tool, "", path, path, draft_of(stated))
        schema = self._schema(stated, location, 0)
        if isinstance(stated, dict) and "$schema" in stated:
            self._states_draft.add(name)
        self._read_pending()
        self._roots[name] = self._as_object_schema(schema, location) if name == "parameters" else schema

    def add_empty(self, name: str, schema: Any) -> None:
        """Use `schema` as the root called `name`, which the tool does not state."""
        assert self.tool is not None
        copy = {**schema}
        self.origins[id(copy)] = (self.tool, ())
        self._roots[name] = copy

    def _as_object_schema(self, schema: object, location: SpecLocation) -> object:
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
            schema = {"type": "object"}
            self.origins[id(schema)] = (location.document, location.path)
        if "type" not in schema:
            schema = {"type": "object", **schema}
            self.origins[id(schema)] = (location.document, location.path)
        return schema

    def add_used_types(self) -> None:
        """Read the shared files in use completely: the Struct of a type may depend on others of its file."""
        while True:
            used = {target.file for target in self.locations.values() if target.file}
            waiting = sorted(used - self._complete)
            if not waiting:
                return
            for file in waiting:
                self._complete.add(file)
                self.add_type(file)

    def add_unused_definitions(self) -> None:
        """Read the tool's definitions that nothing refers to: a reference that leads nowhere may mean one."""
        stated = self.tool.data if self.tool is not None else {}
        for root, key in product(self._roots, ("$defs", "definitions")):
            schema = stated.get(root)
            group = schema.get(key) if isinstance(schema, dict) else None
            for name in group if isinstance(group, dict) else ():
                self._name(DefinitionLocation("", (root, key, name)))
        self._read_pending()

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
            defs={name: self.defs[name] for name in self.locations if name in self.defs},
            locations=self.locations,
            uses=tuple(uses),
            missing=tuple(sorted(self._references.missing)),
            origins=self.origins,
            linked=self._linked,
            states_draft=frozenset(self._states_draft),
            links=self._links,
            shared=frozenset(self._taken),
        )

    # -- one schema ---------------------------------------------------------------------------

    def _report(
        self, location: SpecLocation, code: str, message: str, hint: str = "", *, key: bool = False,
        severity: Severity = "error",
    ) -> None:  # fmt: skip
        self.diagnostics.append(
            diagnose(location.document, location.path, code, message, hint, key=key, severity=severity)
        )

    def _report_mistake(self, location: SpecLocation, found: Mistake, *, key: bool = False) -> None:
        self._report(location, found.code, found.message, found.hint, key=key, severity=found.severity)

    def _schema(self, node: object, location: SpecLocation, depth: int) -> object:
        if isinstance(node, bool):
            return node
        if not isinstance(node, dict):
            self._report_mistake(location, no_schema(node))
            return True
        found = library_schema(node, root=location.path == location.root)
        if found is not None:
            if found.schema is not None:
                return self._schema(found.schema, location.at(*found.path), depth + 1)
            self._report(location, "library-schema", found.message, found.hint)
            return True
        if depth > MAX_DEPTH:
            self._report(
                location,
                "too-deep",
                f"schemas are nested more than {MAX_DEPTH} levels deep",
                "move inner parts to $defs and refer to them",
            )
            return True
        out: JsonObject = {}
        malformed: set[str] = set()
        self.origins[id(out)] = (location.document, location.path)
        for row in self._rows(node, location):
            keyword, value = row.keyword, row.value
            if keyword in _COPIED:
                self._copy(row, location, out)
                continue
            below = location.at(*row.source)
            if keyword in ("$schema", *_NAMES, "$comment"):
                if keyword == "$schema":
                    self._check_dialect(value, below)
                    self._check_resource(node, value, location)
                elif keyword == "$anchor" and self._is_own(value, location):
                    out[keyword] = value  # for clients that are promised every keyword; no reference uses it
                continue
            if keyword in _UNSUPPORTED:
                self._report(
                    below, "unsupported-keyword", f"`{keyword}` cannot be compiled: {_UNSUPPORTED[keyword]}",
                    "use a plain `$ref` to a definition", key=True,
                )  # fmt: skip
            elif keyword == "$ref":
                target = self._reference(value, below, location)
                if target is not None:
                    out["$ref"] = target
                else:
                    malformed.add(keyword)
            elif keyword == "$defs":
                self._check_map(value, below)  # read when a reference names it
            elif keyword in SCHEMA:
                out[keyword] = self._schema(value, below, depth + 1)
            elif keyword in SCHEMA_LIST:
                if (schemas := self._list(keyword, value, below, depth)) is not None:
                    out[keyword] = schemas
                else:
                    malformed.add(keyword)
            elif keyword in SCHEMA_MAP:
                named = self._map(row, location, depth)
                if named is not None:
                    out[keyword] = named
                if named is None or len(named) < len(value):  # without malformed patterns
                    malformed.add(keyword)
            elif keyword == "pattern":
                if self._pattern(value, below, node.get("maxLength")):
                    out[keyword] = value
            elif keyword == "format":
                self._copy(row, location, out)
                self._check_format(value, below)
            else:
                if keyword not in KNOWN and not keyword.startswith("x-"):
                    self._check_unknown(keyword, node, below)
                out[keyword] = value
        if "prefixItems" in malformed:
            out.pop("items", None)  # they would apply to more than their author means
        if not malformed.isdisjoint(_DECLARING) and "object" in as_list(out.get("type", "object")):
            out["additionalProperties"] = True  # which properties are declared is not known
        if KEYWORD in out:
            added, problem = python_type_keywords(out)
            out.update(added)
            if problem:
                self._report(
                    location.at(KEYWORD), "python-type", f"`{KEYWORD}` cannot be used here: {problem}",
                    "for example {type: string, x-python: datetime}", key=True,
                )  # fmt: skip
                del out[KEYWORD]
        return out

    def _is_own(self, anchor: object, location: SpecLocation) -> bool:
        """True for the anchor of a definition of the tool itself, the first of its name."""
        if location.file or len(location.path) != 3 or not isinstance(anchor, str):
            return False
        if anchor in self._anchors or not _ANCHOR.fullmatch(anchor):
            return False
        self._anchors.add(anchor)
        return True

    def _copy(self, row: KeywordRow, location: SpecLocation, out: JsonObject) -> None:
        """Put a keyword into `out`: with a malformed value, only where it is clear what is meant."""
        wrong = malformed_value(row.keyword, row.value)
        if wrong is None:
            out[row.keyword] = row.value
            return
        if row.keyword == "required" and location.path[-2:-1] == ("properties",):
            wrong = required_flag(row.value, str(location.path[-1])) or wrong
        self._report_mistake(location.at(*row.source), wrong)
        if wrong.meant is not UNSET:
            out[row.keyword] = wrong.meant

    def _rows(self, node: JsonObject, location: SpecLocation) -> tuple[KeywordRow, ...]:
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

    def _check_dialect(self, value: object, below: SpecLocation) -> None:
        if named_draft(value) is None:
            self._report(
                below, "unknown-dialect", f"{value!r} is not one of JSON Schema's drafts 4 to 2020-12",
                f"remove `$schema`, or name {DIALECT}",
            )  # fmt: skip

    def _check_resource(self, node: object, dialect: object, location: SpecLocation) -> None:
        """Refuse a schema inside of another one that is of another draft: one document has one."""
        own = named_draft(dialect)
        if location.path != location.root and identifier(node, location.draft) and own != location.draft:
            self._report(
                location.at("$schema"), "embedded-id", "an `$id` with another draft than that of the root",
                "remove `$schema`, or move that schema to a file under _types/", key=True,
            )  # fmt: skip

    def _list(self, keyword: str, value: object, below: SpecLocation, depth: int) -> list[object] | None:
        if isinstance(value, list) and value:
            return [self._schema(item, below.at(i), depth + 1) for i, item in enumerate(value)]
        self._report(
            below,
            "malformed-schema",
            f"`{keyword}` must be a non-empty list of schemas, not {kind_of(value)}",
            "write one schema per line, each behind `- `",
        )
        return None

    def _check_map(self, value: object, below: SpecLocation) -> bool:
        if isinstance(value, dict):
            return True
        hint = "write `name: {type: string}`, one per line"
        if value is None:
            hint = "indent the names further than this key, or leave it out"
        elif isinstance(value, list) and any(isinstance(item, dict) and "name" in item for item in value):
            hint = "write the names as keys, without `- `: `name: {type: string}`, one per line"
        message = f"`{below.path[-1]}` must map names to schemas, not be {kind_of(value)}"
        self._report(below, "malformed-schema", message, hint)
        return False

    def _map(self, row: KeywordRow, location: SpecLocation, depth: int) -> JsonObject | None:
        """The schemas in a mapping; None where it is none. Of patterns, those that can be used."""
        below = location.at(*row.source)
        if not self._check_map(row.value, below):
            return None
        return {
            name: self._schema(item, location.at(*row.member(name)), depth + 1)
            for name, item in row.value.items()
            if row.keyword != "patternProperties" or self._pattern(name, below.at(name), key=True)
        }

    def _pattern(
        self, pattern: Any, below: SpecLocation, longest: object = None, *, key: bool = False
    ) -> bool:
        """Return whether a pattern can be used; reports one that cannot, and one that is slow."""
        wrong = malformed_value("pattern", pattern)
        if wrong is not None:
            self._report_mistake(below, wrong)
            return False
        unusable = unusable_pattern(pattern)
        if unusable is not None:
            self._report_mistake(below, unusable, key=key)
            return False
        slow = slow_pattern_reason(pattern, longest)
        if slow is not None:
            self._report(
                below, "slow-pattern", slow,
                "say each repetition in one way only, or bound the text by maxLength", key=key,
                severity="warning",
            )  # fmt: skip
        return True

    def _check_format(self, name: Any, below: SpecLocation) -> None:
        meant = unknown_format(name) if isinstance(name, str) else None
        if meant is not None:
            self._report(
                below, "unknown-format", f"{quoted(name)} is not a format of JSON Schema and is not checked",
                f"did you mean `{meant}`?", severity="warning",
            )  # fmt: skip

    def _check_unknown(self, keyword: str, schema: Mapping[str, object], below: SpecLocation) -> None:
        self.unknown_keywords += 1
        found = unknown_keyword(keyword, schema) if self.unknown_keywords <= MOST_UNKNOWN else None
        if found is not None:
            self._report_mistake(below, found, key=True)

    # -- references ---------------------------------------------------------------------------

    def _reference(self, value: Any, below: SpecLocation, location: SpecLocation) -> str | None:
        self._linked = True
        if not isinstance(value, str):
            self._report(
                below,
                "malformed-schema",
                f"`$ref` must be text, not {kind_of(value)}",
                "write e.g. `$ref: '#/$defs/Name'`",
            )
            return None
        target = self._references.target(value, location)
        if isinstance(target, ReferenceProblem):
            self._report(below, target.code, target.message, target.hint)
            return None
        if not target.file and target.path == location.root:
            return "#"
        name = self._name(target)
        self._links[self._reading][name] = None
        return "#/$defs/" + escape(name)

    def _name(self, target: DefinitionLocation) -> str:
        """The definition's name in `$defs`; the first request also queues it for reading."""
        if target in self._names:
            return self._names[target]
        base = base_name(target)
        name, count = base, 1
        while name in self.locations:
            count += 1
            name = f"{base}_{count}"
        self._names[target], self.locations[name] = name, target
        document = self.types[target.file] if target.file else self.tool
        assert document is not None
        root: Path = () if target.file else target.path[:1]
        draft = draft_of(value_at(document.data, root))
        self._pending.append((name, SpecLocation(document, target.file, root, target.path, draft)))
        return name

    def _read_pending(self) -> None:
        while self._pending:
            self._reading, location = self._pending.pop()
            links = self._links[self._reading] = {}
            if not self._take(self._reading, links):
                schema = self._schema(value_at(location.document.data, location.path), location, 0)
                self.defs[self._reading] = schema
        self._reading = ""

    def _take(self, name: str, links: dict[str, None]) -> bool:
        """Take a definition from the shared types, if it and those that it refers to have the same names."""
        shared = self._shared
        if shared is None or shared.locations.get(name) != self.locations[name]:
            return False
        named = [self._name(shared.locations[each]) == each for each in shared.links[name]]
        if not all(named):
            return False
        links.update(dict.fromkeys(shared.links[name]))
        self.defs[name] = shared.defs[name]
        self._taken.add(name)
        return True


def base_name(target: DefinitionLocation) -> str:
    """Return the name of a definition in `$defs`, unless another one has it."""
    last = target.path[-1] if target.path else posixpath.splitext(posixpath.basename(target.file))[0]
    return re.sub(r"[^A-Za-z0-9_.-]", "_", str(last)) or "_"


_DECLARING: Final = frozenset({"$ref", "properties", "patternProperties", "allOf", "anyOf", "oneOf"})
"""Keywords that declare properties, or apply schemas that do."""

_NAMES: Final = ("$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor")
"""Keywords that name a schema, for references."""

_ANCHOR: Final = re.compile(r"[A-Za-z_][-A-Za-z0-9._]*")

_UNSUPPORTED: Final = {
    "$dynamicRef": "dynamic references are resolved at validation time and have no static type",
    "$recursiveRef": "recursive references of draft 2019-09 have no static type",
    "$vocabulary": "custom vocabularies change what keywords mean",
}
"""Keywords that cannot be compiled exactly, and why."""
