"""Specs below a root that state a source, and `import.lock`: digests of what was imported from it.

The lock tells the next import what changed on which side. It is JSON lines, to be checked in: the version of
the format, then one line per tool, sorted, so that branches that import different tools merge.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct, field

from ..diagnostics import UNMERGED, Diagnostic, conflict_line
from ..jsonschema.json_values import JsonObject
from ..replace_file import replace_file
from ..spec.discovery import discover
from ..spec.fields import SOURCE_KINDS
from ..spec.read_file import SourceDocument, read_document
from ..spec.spec_checker import MAX_BYTES
from ..spec.tool_names import shown
from ..spec.tool_spec import SourceKind
from .edit_yaml import EditError, edited_yaml
from .merge import Edit, applied, are_digests
from .spec_text import UNDECIDED_PERMISSION, UNDECIDED_SECRETS, dump

NAME = "import.lock"
_VERSION = 1
_MAX_BYTES = 64 * 1024 * 1024
_encode = msgspec.json.Encoder(order="sorted").encode

Key: TypeAlias = tuple[str, str, str]
"""Kind of source, which one, and its own name of the tool."""


class LockError(ValueError):
    """An unreadable file; the message says why, and where."""


class LockedTool(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The last state of one tool that came from a source.

    `fields` are digests of what was merged last; `pending` is by field the source's value where the spec
    differs on purpose or by conflict, null for none; `read_only` is MCP's hint, which a spec has no key for;
    `by_hand` is why no handler can be made of the function.
    """

    kind: SourceKind
    label: str = field(name="from")
    name: str
    fields: JsonObject
    pending: JsonObject = {}
    read_only: bool | None = None
    by_hand: str = ""

    @property
    def key(self) -> Key:
        return self.kind, self.label, self.name


class LockedType(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The last state of one shared type, by its path below the specs root."""

    kind: SourceKind
    label: str = field(name="from")
    type: str
    fields: Any
    pending: JsonObject = {}


class _Header(Struct, frozen=True, forbid_unknown_fields=True):
    version: int


class Lock(Struct, frozen=True):
    tools: Mapping[Key, LockedTool] = {}
    types: Mapping[str, LockedType] = {}

    def of_source(self, kind: str, label: str) -> Iterator[LockedTool]:
        """Yield the tools that came from one source."""
        return (tool for key, tool in self.tools.items() if key[:2] == (kind, label))

    def text(self) -> str:
        lines = [_encode(_Header(_VERSION)), *(_encode(self.tools[key]) for key in sorted(self.tools))]
        lines += [_encode(self.types[path]) for path in sorted(self.types)]
        return "".join(f"{line.decode()}\n" for line in lines)


def load_lock(path: Path) -> Lock:
    """Read a lock file; an absent one is empty. Raises LockError."""
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise LockError(f"it is larger than {_MAX_BYTES // 2**20} MiB")
        lines = path.read_bytes().splitlines()
    except FileNotFoundError:
        return Lock()
    except OSError as problem:
        raise LockError(str(problem.strerror or problem).lower()) from None
    tools: dict[Key, LockedTool] = {}
    types: dict[str, LockedType] = {}
    for number, line in enumerate(lines, 1):
        try:
            if number == 1:
                version = msgspec.json.decode(line, type=_Header).version
                if version != _VERSION:
                    raise LockError(f"it has version {version}, and this toolcast reads {_VERSION}")
            else:
                data = msgspec.json.decode(line)
                is_type = isinstance(data, dict) and "type" in data
                if is_type:
                    type_ = msgspec.convert(data, LockedType)
                    types[type_.type] = type_
                else:
                    tool = msgspec.convert(data, LockedTool)
                    tools[tool.key] = tool
                if not are_digests(data["fields"]):
                    raise LockError(f"line {number} is not one of an import.lock: its fields are no digests")
        except (msgspec.MsgspecError, UnicodeError, RecursionError) as problem:
            if conflict_line(line.decode(errors="replace")):
                raise LockError(f"line {number}: {UNMERGED}; keep the lines of both sides") from None
            raise LockError(f"line {number} is not one of an import.lock: {problem}") from None
    return Lock(tools, types)


def write_text(path: Path, text: str) -> None:
    """Write a file, whole or not at all, and its folder; a link is replaced. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, text.encode(), follow=False)


_UNDECIDED = re.compile(
    rf"^(permission|secrets): TODO(?:  # (?:{re.escape(UNDECIDED_PERMISSION)}|{re.escape(UNDECIDED_SECRETS)})"
    r"[^\r\n]*)?(?=\r?$)",
    re.MULTILINE,
)


class ImportedSpec(Struct, frozen=True):
    """A spec on disk that states its source: its posix path below the root, its text and its data."""

    path: str
    text: str
    data: JsonObject

    def edited(self, edits: tuple[Edit, ...]) -> "ImportedSpec":
        """Edit YAML in place, and write JSON anew with its indentation. Raises EditError."""
        if not edits:
            return self
        try:
            data = applied(self.data, edits)
            if not self.path.endswith(".json"):
                return ImportedSpec(self.path, edited_yaml(self.text, edits), data)
        except (KeyError, RecursionError) as problem:
            raise EditError(f"a place is not there: {problem}") from None
        found = re.match(r"\s*\{\s*?\n([ \t]+)", self.text)
        made = json.dumps(data, ensure_ascii=False, indent=found[1] if found else 2)
        return ImportedSpec(self.path, made + ("\n" if self.text.endswith("\n") else ""), data)

    def decided(self, decisions: Mapping[str, object]) -> "ImportedSpec":
        """Put `permission` and `secrets` in place of undecided lines and their comments. Raises EditError."""
        lines = {key: dump({key: value}).rstrip("\n") for key, value in decisions.items()}
        edits = tuple(Edit((key,), value) for key, value in decisions.items())
        undecided = [found[1] for found in _UNDECIDED.finditer(self.text)]
        if self.path.endswith(".json") or any(undecided.count(key) != 1 for key in lines):
            return self.edited(edits)
        text = _UNDECIDED.sub(lambda found: lines.get(found[1], found[0]), self.text)
        return ImportedSpec(self.path, text, applied(self.data, edits))


class ImportedSpecs(Struct, frozen=True):
    """The imported specs below a root, the paths of all specs, problems, and all shared types by path."""

    shown_root: str
    specs: Mapping[Key, ImportedSpec]
    paths: frozenset[str]
    diagnostics: tuple[Diagnostic, ...]
    types: Mapping[str, ImportedSpec] = {}


def find_imported(root: Path, shown_root: str) -> ImportedSpecs:
    """Read the specs below a root, which may not exist yet, that state a source. Each file that cannot be
    read, and each source of two specs, is a diagnostic.
    """
    if not root.is_dir():
        return ImportedSpecs(shown_root, {}, frozenset(), ())
    specs: dict[Key, ImportedSpec] = {}
    problems: list[Diagnostic] = []
    found = discover(root, shown_root=shown_root)
    for path in found.tools:
        place = shown(shown_root, path)
        document = read_document(root / path, place)
        if not isinstance(document, SourceDocument):
            problems += document if _may_state_source(root / path) else ()
            continue
        key = _source_of(document.data)
        if key is None:
            continue
        if key in specs:
            line, column = document.locate(("source",), key=True)
            problems.append(
                Diagnostic(
                    file=place,
                    line=line,
                    column=column,
                    code="import-twice",
                    message=f"{shown(shown_root, specs[key].path)} states the same source",
                    hint="take `source` out of the copy: an import updates one spec",
                )
            )
            continue
        specs[key] = ImportedSpec(path, document.text, document.data)
    types: dict[str, ImportedSpec] = {}
    for path in found.types:
        document = read_document(root / path, shown(shown_root, path))
        if isinstance(document, SourceDocument) and isinstance(document.data, dict):
            types[path] = ImportedSpec(path, document.text, document.data)
        elif not isinstance(document, SourceDocument):
            problems += document
    return ImportedSpecs(shown_root, specs, frozenset(found.tools), tuple(problems), types)


def _may_state_source(file: Path) -> bool:
    try:
        with file.open("rb") as stream:
            return b"source" in stream.read(MAX_BYTES)
    except OSError:
        return True


def _source_of(data: object) -> Key | None:
    source = data.get("source") if isinstance(data, dict) else None
    if not isinstance(source, dict):
        return None
    kind, label, name = source.get("kind"), source.get("from"), source.get("name")
    if kind not in SOURCE_KINDS or not isinstance(label, str) or not isinstance(name, str):
        return None
    return kind, label, name
