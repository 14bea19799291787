"""Making the normal form: older drafts upgraded, references made local, shared types bundled.

The input is never changed. Every dict of the output remembers where it was written, so that any later
complaint can name file, line and column.
"""

import posixpath
import re
from collections.abc import Mapping
from typing import Any, Final

from ..diagnostics import Diagnostic, Severity
from ..jsonschema.keywords import ANNOTATIONS, ASSERTIONS, SCHEMA, SCHEMA_LIST, SCHEMA_MAP
from ..jsonschema.pointers import escape
from ..jsonschema.upgrade import Row, as_written, draft_of, named_draft, upgrade
from ..spec.model import Document, Path, diagnose
from .normal import Normal
from .normal_pointers import defined
from .python_types import KEYWORD, stated
from .slow_patterns import slow_pattern
from .spec_places import Home, Place, get, kind
from .spec_references import MAX_DEPTH, ReferenceProblem, References
from .vocabulary import KNOWN, REFUSED

_COPIED: Final = (ANNOTATIONS | ASSERTIONS) - {"$ref", "pattern", "$comment", "contentSchema"}
"""Keywords with which nothing is done."""


class Normaliser:
    """Builds one `Normal`. Problems gather in `diagnostics`; with an error there, nobody uses the rest."""

    def __init__(self, tool: Document | None, types: Mapping[str, Document], path: str = "") -> None:
        """`path` is the tool's, below the specs root: relative references count from its folder."""
        self.tool = tool
        self.types = types
        self._references = References(types, path)
        self.diagnostics: list[Diagnostic] = []
        self.defs: dict[str, Any] = {}
        self.homes: dict[str, Home] = {}
        self.origins: dict[int, tuple[Document, Path]] = {}
        self._names: dict[Home, str] = {}
        self._roots: dict[str, Any] = {}
        self._pending: list[tuple[str, Place]] = []
        self._linked = False

    def add_root(self, name: str, path: Path) -> None:
        """Read the tool's schema at `path` (`("parameters",)`) as the root called `name`."""
        assert self.tool is not None
        place = Place(self.tool, "", path, path, draft_of(get(self.tool.data, path)))
        schema = self._schema(get(self.tool.data, path), place, 0)
        self._drain()
        self._roots[name] = self._as_object(schema, place) if name == "parameters" else schema

    def add_empty(self, name: str, schema: Any) -> None:
        """The root called `name` where the tool says nothing about it."""
        assert self.tool is not None
        copy = {**schema}
        self.origins[id(copy)] = (self.tool, ())
        self._roots[name] = copy

    def _as_object(self, schema: Any, place: Place) -> Any:
        """Parameters as every provider wants them: `type: object` at the root, and no bare reference."""
        if not isinstance(schema, dict):
            schema = {}
            self._complain(place, "root-not-object", "parameters must be an object schema")
        name = defined(schema["$ref"]) if "$ref" in schema else None
        if name is not None and set(schema) - {"$ref"} <= ANNOTATIONS and isinstance(self.defs[name], dict):
            schema = {**self.defs[name], **{k: v for k, v in schema.items() if k != "$ref"}}
            self.origins[id(schema)] = (place.document, place.path)
        if schema.get("type", "object") != "object":
            self._complain(
                place, "root-not-object", f"parameters must have `type: object`, not {schema['type']!r}",
                "arguments are always an object: wrap the value in a property",
            )  # fmt: skip
        if "type" not in schema:
            schema = {"type": "object", **schema}
            self.origins[id(schema)] = (place.document, place.path)
        return schema

    def add_used_types(self) -> None:
        """Read the shared files in use as wholes: what a type is natively may depend on its neighbours."""
        done: set[str] = set()
        while True:
            waiting = sorted({home.file for home in self.homes.values() if home.file} - done)
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
            self._name(Home(file, ()))
        for key in ("$defs", "definitions"):
            if isinstance(data, dict) and isinstance(data.get(key), dict):
                for name in data[key]:
                    self._name(Home(file, (key, name)))
        self._drain()

    def result(self) -> Normal:
        """Everything read so far."""
        uses = sorted({home.file for home in self.homes.values() if home.file})
        return Normal(
            roots=self._roots,
            defs=self.defs,
            homes=self.homes,
            uses=tuple(uses),
            origins=self.origins,
            linked=self._linked,
        )

    # -- one schema ---------------------------------------------------------------------------

    def _complain(
        self, place: Place, code: str, message: str, hint: str = "", *, key: bool = False,
        severity: Severity = "error",
    ) -> None:  # fmt: skip
        self.diagnostics.append(
            diagnose(place.document, place.path, code, message, hint, key=key, severity=severity)
        )

    def _schema(self, node: Any, place: Place, depth: int) -> Any:
        if isinstance(node, bool):
            return node
        if not isinstance(node, dict):
            self._complain(
                place,
                "malformed-schema",
                f"a schema must be an object or a boolean, not {kind(node)}",
                "write a JSON Schema here, e.g. {type: string}",
            )
            return True
        if depth > MAX_DEPTH:
            self._complain(
                place,
                "too-deep",
                f"schemas are nested more than {MAX_DEPTH} levels deep",
                "move inner parts to $defs and refer to them",
            )
            return True
        out: dict[str, Any] = {}
        self.origins[id(out)] = (place.document, place.path)
        for row in self._rows(node, place):
            keyword, value = row.keyword, row.value
            if keyword in _COPIED:
                out[keyword] = value
                continue
            here = place.at(*row.source)
            if keyword in ("$schema", "$id", "$anchor", "$comment"):
                if keyword == "$schema":
                    self._check_dialect(value, here)
                elif keyword == "$id" and place.path != place.root:
                    self._complain(
                        here, "embedded-id", "an `$id` inside a schema starts another resource",
                        "remove it, or move that schema to a file under _types/", key=True,
                    )  # fmt: skip
                continue
            if keyword in REFUSED:
                self._complain(
                    here, "unsupported-keyword", f"`{keyword}` cannot be compiled: {REFUSED[keyword]}",
                    "use a plain `$ref` to a definition", key=True,
                )  # fmt: skip
            elif keyword == "$ref":
                out["$ref"] = self._reference(value, here, place)
            elif keyword == "$defs":
                self._check_map(value, here)  # read when something refers to it
            elif keyword in SCHEMA:
                out[keyword] = self._schema(value, here, depth + 1)
            elif keyword in SCHEMA_LIST:
                out[keyword] = self._list(keyword, value, here, depth)
            elif keyword in SCHEMA_MAP:
                out[keyword] = self._map(row, place, depth)
            else:
                if keyword not in KNOWN and not keyword.startswith("x-"):
                    self._unknown(keyword, here)
                elif keyword == "pattern":
                    self._check_pattern(value, here, node.get("maxLength"))
                out[keyword] = value
        if KEYWORD in out:
            added, problem = stated(out)
            out.update(added)
            if problem:
                self._complain(
                    place.at(KEYWORD), "python-type", f"`{KEYWORD}` cannot be used here: {problem}",
                    "for example {type: string, x-python: datetime}", key=True,
                )  # fmt: skip
        return out

    def _rows(self, node: dict[str, Any], place: Place) -> tuple[Row, ...]:
        """The keywords of `node` as 2020-12 writes them; tells the author what is no draft's spelling."""
        found = upgrade(node, place.draft)
        if found is None:
            return as_written(node)
        for change in found.changes:
            if change.code:
                self._complain(
                    place.at(change.keyword), change.code, f"`{change.keyword}` {change.reason}",
                    change.hint, key=True, severity=change.severity,
                )  # fmt: skip
        return found.rows

    def _check_dialect(self, value: Any, here: Place) -> None:
        if named_draft(value) is None:
            self._complain(
                here, "unknown-dialect", f"{value!r} is not one of JSON Schema's drafts 4 to 2020-12",
                "remove `$schema`, or name https://json-schema.org/draft/2020-12/schema",
            )  # fmt: skip

    def _list(self, keyword: str, value: Any, here: Place, depth: int) -> Any:
        if not isinstance(value, list) or not value:
            self._complain(
                here,
                "malformed-schema",
                f"`{keyword}` must be a non-empty array of schemas, not {kind(value)}",
                "write one schema per line, each behind `- `",
            )
            return [True]
        return [self._schema(item, here.at(i), depth + 1) for i, item in enumerate(value)]

    def _check_map(self, value: Any, here: Place) -> bool:
        if isinstance(value, dict):
            return True
        self._complain(
            here,
            "malformed-schema",
            f"`{here.path[-1]}` must map names to schemas, not be {kind(value)}",
            "write `name: {type: string}`, one per line",
        )
        return False

    def _map(self, row: Row, place: Place, depth: int) -> Any:
        here = place.at(*row.source)
        if not self._check_map(row.value, here):
            return {}
        if row.keyword == "patternProperties":
            for pattern in row.value:
                self._check_pattern(pattern, here.at(pattern))
        return {
            name: self._schema(item, place.at(*row.member(name)), depth + 1)
            for name, item in row.value.items()
        }

    def _check_pattern(self, pattern: Any, here: Place, longest: Any = None) -> None:
        """Warn of a pattern that model-made text can hang; one that is no pattern is refused later."""
        slow = slow_pattern(pattern, longest)
        if slow is not None:
            self._complain(
                here, "slow-pattern", slow,
                "say each repetition in one way only, or bound the text by maxLength", severity="warning",
            )  # fmt: skip

    def _unknown(self, keyword: str, here: Place) -> None:
        if keyword == "nullable":
            self._complain(
                here, "openapi-keyword", "`nullable` is OpenAPI's, not JSON Schema's, and would be ignored",
                'write `type: [string, "null"]`, with the type you have', key=True,
            )  # fmt: skip
            return
        from difflib import get_close_matches  # loaded only where something is wrong

        close = get_close_matches(keyword, KNOWN, n=1, cutoff=0.75)
        if close:
            self._complain(
                here, "unknown-keyword", f"`{keyword}` is not a JSON Schema keyword and has no effect",
                f"did you mean `{close[0]}`? (start the name with `x-` to keep it as an extension)",
                key=True, severity="warning",
            )  # fmt: skip

    # -- references ---------------------------------------------------------------------------

    def _reference(self, value: Any, here: Place, place: Place) -> str:
        self._linked = True
        if not isinstance(value, str):
            self._complain(
                here,
                "malformed-schema",
                f"`$ref` must be a string, not {kind(value)}",
                "write e.g. `$ref: '#/$defs/Name'`",
            )
            return "#"
        home = self._references.target(value, place)
        if isinstance(home, ReferenceProblem):
            self._complain(here, home.code, home.message, home.hint)
            return "#"
        if not home.file and home.path == place.root:
            return "#"
        return "#/$defs/" + escape(self._name(home))

    def _name(self, home: Home) -> str:
        """The definition's name in `$defs`; the first request also queues it for reading."""
        if home in self._names:
            return self._names[home]
        last = home.path[-1] if home.path else posixpath.splitext(posixpath.basename(home.file))[0]
        base = re.sub(r"[^A-Za-z0-9_.-]", "_", str(last)) or "_"
        name, count = base, 1
        while name in self.homes:
            count += 1
            name = f"{base}_{count}"
        self._names[home], self.homes[name] = name, home
        document = self.types[home.file] if home.file else self.tool
        assert document is not None
        root: Path = () if home.file else home.path[:1]
        draft = draft_of(get(document.data, root))
        self._pending.append((name, Place(document, home.file, root, home.path, draft)))
        return name

    def _drain(self) -> None:
        while self._pending:
            name, place = self._pending.pop()
            self.defs[name] = self._schema(get(place.document.data, place.path), place, 0)
        self.defs = {name: self.defs[name] for name in self.homes if name in self.defs}
