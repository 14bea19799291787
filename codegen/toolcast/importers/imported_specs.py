"""Specs below a root that state a source, by that source."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from ..diagnostics import Diagnostic
from ..jsonschema.json_values import JsonObject
from ..spec.discovery import discover
from ..spec.fields import SOURCE_KINDS
from ..spec.read_file import SourceDocument, read_document
from ..spec.reader_problems import MAX_BYTES
from ..spec.tool_names import shown
from .edit_yaml import EditError, edited_yaml
from .lock import Key
from .merge import Edit, applied
from .spec_text import UNDECIDED_PERMISSION, UNDECIDED_SECRETS, dump

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
