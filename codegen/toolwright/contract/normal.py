"""Normal form: one self-contained JSON Schema 2020-12 per tool.

Drafts 4 to 7 are raised, every reference becomes `#/$defs/Name` (or `#` for the root itself), and
shared types are bundled. The input is never changed. Every dict of the output remembers where it
was written, so that any later complaint can name file, line and column.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any
from urllib.parse import unquote

from msgspec import Struct

from ..diagnostics import Diagnostic, Severity
from ..spec.model import Document, Path, diagnose
from .pointers import defined, escape, reachable, rebased, steps
from .raising import raised
from .vocabulary import ANNOTATIONS, KNOWN, REFUSED, SCHEMA, SCHEMA_LIST, SCHEMA_MAP

MAX_DEPTH = 64
"""Levels of nested schemas; more is refused, as Python's own recursion would be in danger."""


class Home(Struct, frozen=True):
    """Where a definition is written: a document, and the path of its schema there."""

    file: str  # key of the document: a type file's path below the specs root, or "" for the tool itself
    path: Path


class Normal(Struct, frozen=True, kw_only=True):
    """The normal forms of one tool (or of one shared type file)."""

    roots: Mapping[str, Any]  # "parameters", "result": schemas whose references point into `defs`
    defs: Mapping[str, Any]
    homes: Mapping[str, Home]  # by definition name
    uses: tuple[str, ...]
    origins: Mapping[int, tuple[Document, Path]]  # id of a schema dict → where it was written

    def document(self) -> dict[str, Any]:
        """`{"$defs": …, "parameters": …, "result": …}`; every `$ref` resolves inside it."""
        roots = {name: rebased(schema, name) for name, schema in self.roots.items()}
        defs = {
            name: schema if self.homes[name].file else rebased(schema, str(self.homes[name].path[0]))
            for name, schema in self.defs.items()
        }
        return {**({"$defs": defs} if defs else {}), **roots}

    def contract_file(self, file: str = "") -> dict[str, Any]:
        """The document cut to what the tool reaches, or to what the shared type file `file` reaches."""
        document = self.document()
        defs = document.pop("$defs", {})
        start = [{"$ref": f"#/$defs/{escape(n)}"} for n in defs if file and self.homes[n].file == file]
        needed = reachable({"allOf": [*document.values(), *start]}, defs)
        kept = {name: schema for name, schema in defs.items() if name in needed}
        return {**({"$defs": kept} if kept else {}), **document}

    def standalone(self, root: str) -> dict[str, Any]:
        """The schema of `root` with the definitions it reaches: what providers and model families read."""
        schema = self.roots[root]
        needed = reachable(schema, self.defs)
        return {**schema, "$defs": {n: self.defs[n] for n in self.defs if n in needed}} if needed else schema

    def locate(self, pointer: str) -> tuple[Document, Path]:
        """Where the thing at `pointer` of `document()` was written."""
        node: Any = {"$defs": self.defs, **self.roots}
        found: tuple[Document, Path] | None = None
        rest: list[str | int] = []
        for step in steps(pointer):
            if isinstance(node, list):
                node = node[int(step)]
                rest.append(int(step))
            else:
                node = node.get(step) if isinstance(node, dict) else None
                rest.append(step)
            if id(node) in self.origins and isinstance(node, dict):
                found, rest = self.origins[id(node)], []
            if node is None:
                break
        document, path = found or next(iter(self.origins.values()))
        return document, (*path, *rest)


class _Place(Struct, frozen=True):
    """A schema being read: its document, the root its local references resolve in, and its path."""

    document: Document
    file: str
    root: Path  # path of the schema resource that `#` means
    path: Path
    draft: int

    def at(self, *steps: str | int) -> "_Place":
        return _Place(self.document, self.file, self.root, (*self.path, *steps), self.draft)


class Normaliser:
    """Builds one `Normal`. Problems gather in `diagnostics`; a broken part becomes `true`, never to be used."""

    def __init__(self, tool: Document | None, types: Mapping[str, Document], path: str = "") -> None:
        """`path` is the tool's, below the specs root: relative references count from its folder."""
        self.tool = tool
        self.types = types
        self.path = path
        self.diagnostics: list[Diagnostic] = []
        self.defs: dict[str, Any] = {}
        self.homes: dict[str, Home] = {}
        self.origins: dict[int, tuple[Document, Path]] = {}
        self._names: dict[Home, str] = {}
        self._anchors: dict[Home, dict[str, Path]] = {}
        self._roots: dict[str, Any] = {}
        self._pending: list[tuple[str, _Place]] = []

    def add_root(self, name: str, path: Path) -> None:
        """Read the tool's schema at `path` (`("parameters",)`) as the root called `name`."""
        assert self.tool is not None
        place = _Place(self.tool, "", path, path, _draft(_get(self.tool.data, path)))
        schema = self._schema(_get(self.tool.data, path), place, 0)
        self._drain()
        self._roots[name] = self._as_object(schema, place) if name == "parameters" else schema

    def add_empty(self, name: str, schema: Any) -> None:
        """The root called `name` where the tool says nothing about it."""
        assert self.tool is not None
        copy = {**schema}
        self.origins[id(copy)] = (self.tool, ())
        self._roots[name] = copy

    def _as_object(self, schema: Any, place: _Place) -> Any:
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
            roots=self._roots, defs=self.defs, homes=self.homes, uses=tuple(uses), origins=self.origins
        )

    # -- one schema ---------------------------------------------------------------------------

    def _complain(
        self, place: _Place, code: str, message: str, hint: str = "", *, key: bool = False,
        severity: Severity = "error",
    ) -> None:  # fmt: skip
        self.diagnostics.append(
            diagnose(place.document, place.path, code, message, hint, key=key, severity=severity)
        )

    def _schema(self, node: Any, place: _Place, depth: int) -> Any:
        if isinstance(node, bool):
            return node
        if not isinstance(node, dict):
            self._complain(
                place,
                "malformed-schema",
                f"a schema must be an object or a boolean, not {_kind(node)}",
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
        old_ref = place.draft <= 7 and "$ref" in node
        for keyword, value, source in raised(node, place.draft):
            here = place.at(*source)
            if old_ref and keyword not in ("$ref", "$defs", "title", "description", "default", "examples"):
                continue  # drafts 4 to 7: everything beside `$ref` is ignored
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
                out[keyword] = self._map(value, here, depth)
            else:
                if keyword not in KNOWN and not keyword.startswith("x-"):
                    self._unknown(keyword, here)
                out[keyword] = value
        return out

    def _check_dialect(self, value: Any, here: _Place) -> None:
        if _dialect(value) is None:
            self._complain(
                here, "unknown-dialect", f"{value!r} is not one of JSON Schema's drafts 4 to 2020-12",
                "remove `$schema`, or name https://json-schema.org/draft/2020-12/schema",
            )  # fmt: skip

    def _list(self, keyword: str, value: Any, here: _Place, depth: int) -> Any:
        if not isinstance(value, list) or not value:
            self._complain(
                here,
                "malformed-schema",
                f"`{keyword}` must be a non-empty array of schemas, not {_kind(value)}",
                "write one schema per line, each behind `- `",
            )
            return [True]
        return [self._schema(item, here.at(i), depth + 1) for i, item in enumerate(value)]

    def _check_map(self, value: Any, here: _Place) -> bool:
        if isinstance(value, dict):
            return True
        self._complain(
            here,
            "malformed-schema",
            f"`{here.path[-1]}` must map names to schemas, not be {_kind(value)}",
            "write `name: {type: string}`, one per line",
        )
        return False

    def _map(self, value: Any, here: _Place, depth: int) -> Any:
        if not self._check_map(value, here):
            return {}
        return {name: self._schema(item, here.at(name), depth + 1) for name, item in value.items()}

    def _unknown(self, keyword: str, here: _Place) -> None:
        if keyword == "nullable":
            self._complain(
                here, "openapi-keyword", "`nullable` is OpenAPI's, not JSON Schema's, and would be ignored",
                'write `type: [string, "null"]`, with the type you have', key=True,
            )  # fmt: skip
            return
        close = get_close_matches(keyword, KNOWN, n=1, cutoff=0.75)
        if close:
            self._complain(
                here, "unknown-keyword", f"`{keyword}` is not a JSON Schema keyword and has no effect",
                f"did you mean `{close[0]}`? (start the name with `x-` to keep it as an extension)",
                key=True, severity="warning",
            )  # fmt: skip

    # -- references ---------------------------------------------------------------------------

    def _reference(self, value: Any, here: _Place, place: _Place) -> str:
        home = self._target(value, here, place) if isinstance(value, str) else None
        if home is None:
            if not isinstance(value, str):
                self._complain(
                    here,
                    "malformed-schema",
                    f"`$ref` must be a string, not {_kind(value)}",
                    "write e.g. `$ref: '#/$defs/Name'`",
                )
            return "#"
        if home.file == "" and any(home.path == p for p in self._root_paths(place)):
            return "#"
        return "#/$defs/" + escape(self._name(home))

    def _root_paths(self, place: _Place) -> Iterator[Path]:
        if place.file == "":
            yield place.root

    def _target(self, ref: str, here: _Place, place: _Place) -> Home | None:
        """The definition that `ref` names, or None after saying why there is none."""
        target, _, fragment = ref.partition("#")
        file, root = place.file, place.root
        if target:
            if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", target) or target.startswith("//"):
                self._complain(
                    here, "remote-reference",
                    f"`{ref}` leaves the specs folder; nothing is fetched at build time",
                    "copy the type into a file under _types/ and refer to that",
                )  # fmt: skip
                return None
            base = posixpath.dirname(file or self.path)
            file, root = posixpath.normpath(posixpath.join(base, unquote(target))), ()
            if file.startswith(("../", "/")) or file == "..":
                self._complain(
                    here, "reference-outside", f"`{ref}` points outside the specs folder",
                    "shared types live under _types/ in the specs folder",
                )  # fmt: skip
                return None
            if file not in self.types:
                near = get_close_matches(file, list(self.types), n=1)
                hint = f"did you mean `{posixpath.relpath(near[0], base or '.')}`?" if near else ""
                self._complain(
                    here, "missing-reference", f"there is no shared type file `{file}`",
                    hint or "shared types live in files under _types/ in the specs folder",
                )  # fmt: skip
                return None
        document = self.types[file] if file else place.document
        path = self._fragment(document, file, root, unquote(fragment))
        if path is None:
            names = _definition_names(_get(document.data, root))
            near = get_close_matches(fragment.rsplit("/", 1)[-1], names, n=1)
            self._complain(
                here, "missing-reference", f"`{ref}` points at nothing",
                f"did you mean `#/$defs/{near[0]}`?" if near else "references look like `#/$defs/Name`",
            )  # fmt: skip
            return None
        return Home(file, path)

    def _fragment(self, document: Document, file: str, root: Path, fragment: str) -> Path | None:
        if fragment and not fragment.startswith("/"):
            home = Home(file, root)
            if home not in self._anchors:
                self._anchors[home] = dict(_anchors(_get(document.data, root), root))
            return self._anchors[home].get(fragment)
        node, path = _get(document.data, root), root
        for step in fragment.split("/")[1:]:
            step = step.replace("~1", "/").replace("~0", "~")
            if isinstance(node, dict) and step in node:
                node, path = node[step], (*path, step)
            elif isinstance(node, list) and step.isdigit() and int(step) < len(node):
                node, path = node[int(step)], (*path, int(step))
            else:
                return None
        return path

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
        draft = _draft(_get(document.data, root))
        self._pending.append((name, _Place(document, home.file, root, home.path, draft)))
        return name

    def _drain(self) -> None:
        while self._pending:
            name, place = self._pending.pop()
            self.defs[name] = self._schema(_get(place.document.data, place.path), place, 0)
        self.defs = {name: self.defs[name] for name in self.homes if name in self.defs}


def _get(data: Any, path: Path) -> Any:
    for step in path:
        data = data[step]
    return data


def _kind(value: Any) -> str:
    names = {bool: "a boolean", str: "a string", int: "a number", float: "a number", list: "an array"}
    return "null" if value is None else names.get(type(value), "an object")


def _draft(schema: Any) -> int:
    """The draft that `$schema` names: 4, 6, 7, 2019 or 2020 (the default, also where it names none)."""
    declared = schema.get("$schema") if isinstance(schema, dict) else None
    return _dialect(declared) or 2020


def _dialect(declared: Any) -> int | None:
    """The draft that a `$schema` names, or None. Addresses as the drafts' own meta-schemas have them."""
    if not isinstance(declared, str):
        return None
    found = re.fullmatch(
        r"https?://json-schema\.org/(?:draft-0([467])|draft/(2019)-09|draft/(2020)-12)/schema#?", declared
    )
    return int(found[1] or found[2] or found[3]) if found else None


def _definition_names(schema: Any) -> list[str]:
    if not isinstance(schema, dict):
        return []
    groups = [schema.get(k) for k in ("$defs", "definitions")]
    return [name for group in groups if isinstance(group, dict) for name in group]


def _anchors(node: Any, path: Path, depth: int = 0) -> Iterator[tuple[str, Path]]:
    """Every `$anchor` below a schema, with its path. Data under literals is not read."""
    if not isinstance(node, dict) or depth > MAX_DEPTH:
        return
    if isinstance(node.get("$anchor"), str):
        yield node["$anchor"], path
    for keyword, value in node.items():
        if keyword in SCHEMA:
            yield from _anchors(value, (*path, keyword), depth + 1)
        elif keyword in SCHEMA_LIST and isinstance(value, list):
            for i, item in enumerate(value):
                yield from _anchors(item, (*path, keyword, i), depth + 1)
        elif (keyword in SCHEMA_MAP or keyword == "definitions") and isinstance(value, dict):
            for name, item in value.items():
                yield from _anchors(item, (*path, keyword, name), depth + 1)
