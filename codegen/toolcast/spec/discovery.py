"""Finds the files below a specs root by their names, and tells tools from shared types."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from ..diagnostics import Diagnostic, Severity, has_errors
from .spec_checker import quoted
from .tool_names import shown
from .type_folders import TYPES as TYPES
from .type_folders import TypeFolder, is_outside, type_place

SUFFIXES = (".json", ".yaml", ".yml")
_UNREAD = (".jsonc", ".json5", ".toml", ".yaml.txt", ".yml.txt", ".json.txt")
EDITOR_SCHEMA = ".toolcast.schema.json"
"""The schema of specs, for editors. It is no spec, for its name begins with a dot; `clean` leaves it."""

_MAX_DEPTH = 30  # folders


class Discovery(Struct, frozen=True, kw_only=True):
    """Sorted posix paths as the root has them; without files that have a diagnostic."""

    tools: tuple[str, ...]
    types: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...] = ()


def discover(root: Path, *, shown_root: str = "specs", folders: Sequence[TypeFolder] = ()) -> Discovery:
    """Find the spec files below a folder: `*.yaml`, `*.yml` and `*.json`; return the sorted paths of tools
    and of types, and all diagnostics.

    Types are the files below `_types/` at the top, and all files of `folders`, which are outside and exist;
    tools are all others, except in folders that start with `_` or `.`. Files that start with `.` are skipped.
    A link that leads out of the root or to a folder is refused, and so is the later of two files that differ
    only by suffix. A file with another suffix of data is a warning, and so is a root without any spec.
    """
    walk = _Walk(root, shown_root)
    if walk.exists():
        walk.folder("", 1)
    kept = walk.unique_stems()
    if not kept and not has_errors(walk.problems):
        walk.report_empty()
    types = [path for path in kept if path.startswith(TYPES + "/")]
    outside = _discover_types(folders, shown_root=shown_root)
    return Discovery(
        tools=tuple(path for path in kept if not path.startswith(TYPES + "/")),
        types=tuple(sorted([*types, *outside.types])),
        diagnostics=tuple(sorted([*walk.problems, *outside.diagnostics])),
    )


def _discover_types(folders: Sequence[TypeFolder], *, shown_root: str) -> Discovery:
    """Find the shared types in existing folders outside the specs folder; return their sorted paths, as the
    specs folder has them.
    """
    types: set[str] = set()
    problems: list[Diagnostic] = []
    for each in folders:
        walk = _Walk(Path(each.folder), shown(shown_root, each.prefix), of_types=True)
        walk.folder("", 1)
        types.update(f"{each.prefix}/{path}" for path in walk.unique_stems())
        problems += walk.problems
    return Discovery(tools=(), types=tuple(sorted(types)), diagnostics=tuple(sorted(problems)))


class _Walk:
    def __init__(self, root: Path, shown_root: str, *, of_types: bool = False) -> None:
        self.problems: list[Diagnostic] = []
        self._of_types = of_types
        self._root = os.fspath(root)
        self._shown_root = shown_root
        self._paths: list[str] = []
        self._passed_over: list[str] = []

    def _report(
        self, path: str, code: str, message: str, hint: str = "", severity: Severity = "error"
    ) -> None:
        # A file name may hold bytes that are no text; the diagnostic must be printable.
        file = shown(self._shown_root, path) if path else self._shown_root or "."
        file = file.encode(errors="surrogateescape").decode(errors="replace")
        self.problems.append(Diagnostic(file=file, code=code, message=message, hint=hint, severity=severity))

    def report_empty(self) -> None:
        message = f"no file in this folder ends in {', '.join(SUFFIXES)}"
        if self._passed_over:
            message += f"; {quoted(min(self._passed_over))} is passed over: its name begins with `_`"
        hint = "run `toolcast new GROUP/TOOL`, or set `specs` in [tool.toolcast] to the folder that has them"
        self._report("", "no-tools", message, hint, "warning")

    def exists(self) -> bool:
        if Path(self._root).is_dir():
            return True
        self.problems.append(
            Diagnostic(
                file=self._shown_root or ".",
                code="no-specs",
                message="the specs folder does not exist",
                hint="run `toolcast init`, or set `specs` in [tool.toolcast] of pyproject.toml",
            )
        )
        return False

    def folder(self, below: str, depth: int) -> None:
        try:
            with os.scandir(os.path.join(self._root, below)) as entries:  # noqa: PTH118  (a hot path)
                listed = list(entries)
        except OSError as error:
            reason = os.strerror(error.errno or 0).lower()
            self._report(below.rstrip("/"), "cannot-read", f"the folder cannot be read: {reason}")
            return
        for entry in listed:
            name = entry.name
            if name.startswith("."):
                continue
            path = below + name
            if name.endswith(SUFFIXES):
                self._file(entry, path)
            elif entry.is_dir(follow_symlinks=False):
                if self._is_searched(path, below, name):
                    self._descend(path, depth)
                else:
                    self._passed_over.append(path)
            elif entry.is_symlink() and Path(entry.path).is_dir():
                if not name.startswith("_") or path == TYPES or self._of_types:
                    self._report(path, "link", "links to folders are not followed", "copy the folder")
            elif name.lower().endswith(SUFFIXES):
                self._report(path, "file-name", "the suffix is not in lower case", "rename the file")
            elif name.lower().endswith(_UNREAD):
                message = f"this file is not read: specs and types end in {', '.join(SUFFIXES)}"
                hint = "write it as YAML or JSON, or move it elsewhere if it is neither a tool nor a type"
                self._report(path, "not-read", message, hint, "warning")

    def _is_searched(self, path: str, below: str, name: str) -> bool:
        of_types = self._of_types or path == TYPES or below.startswith(TYPES + "/")
        return (of_types and name != "__pycache__") or not name.startswith("_")

    def _descend(self, path: str, depth: int) -> None:
        if depth >= _MAX_DEPTH:
            self._report(path, "too-deep", f"folders are nested more than {_MAX_DEPTH} levels deep")
        else:
            self.folder(path + "/", depth + 1)

    def _file(self, entry: "os.DirEntry[str]", path: str) -> None:
        if entry.is_dir(follow_symlinks=False):
            self._report(path, "file-name", "a folder has the name of a spec file", "rename the folder")
        elif entry.is_symlink() and not self._inside(entry.path):
            where = "its folder of types" if self._of_types else "the specs folder"
            hint = f"copy the file into {where}"
            self._report(path, "link", f"this link leads out of {where}, or nowhere", hint)
        elif not _is_text(path):
            self._report(path, "file-name", "the file's name is not UTF-8", "rename the file")
        else:
            self._paths.append(path)

    def _inside(self, link: str) -> bool:
        target = os.path.realpath(link)
        root = os.path.realpath(self._root)
        return os.path.isfile(target) and target.startswith(root + os.sep)  # noqa: PTH113  (a hot path)

    def unique_stems(self) -> list[str]:
        """Return the paths, sorted, without those that differ from an earlier one only by suffix."""
        problems = stem_problems(self._paths, self._shown_root)
        self.problems += problems.values()
        return sorted({*self._paths} - {*problems})


def kind_of(path: str) -> Literal["tool", "type"] | None:
    """Return how `discover` reads the file at a path as the specs root has it: None for one that it skips."""
    if is_outside(path):
        place = type_place(path)
        return None if place is None else kind_of(place)
    *folders, name = path.split("/")
    if any(part.startswith(".") or not part for part in (*folders, name)) or not _is_text(path):
        return None
    if not name.endswith(SUFFIXES) or len(folders) >= _MAX_DEPTH:
        return None
    if any(folder.endswith(SUFFIXES) for folder in folders):
        return None
    if folders and folders[0] == TYPES:
        return "type"
    return None if any(folder.startswith("_") for folder in folders) else "tool"


def is_there(root: Path, path: str) -> bool:
    """Return whether a spec stands at a path below the specs folder; true where that cannot be told."""
    try:
        (root / path).lstat()
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False
    except OSError:
        return True
    return True


def stem_problems(paths: Iterable[str], shown_root: str) -> dict[str, Diagnostic]:
    """Report files that differ from an earlier one (by sorted order) only by suffix."""
    first: dict[str, str] = {}
    found: dict[str, Diagnostic] = {}
    for path in sorted(paths):
        other = first.setdefault(path.rpartition(".")[0], path)
        if other != path:
            message = f"this file and {quoted(shown(shown_root, other), 200)} differ only by suffix"
            file, hint = shown(shown_root, path), "keep one of the two"
            found[path] = Diagnostic(file=file, code="same-stem", message=message, hint=hint)
    return found


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
