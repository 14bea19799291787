"""Read and tidy the output folder."""

import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

from ..state.fingerprint import digest
from ..state.index import Index
from .manifest import is_ours
from .plan import Existing, reason, remedy

TEMPORARY = ".toolcast.tmp"
"""The name under which a file is written, in the folder of its target; one at a time, so one per folder is
enough."""


class Tree:
    """Reads files below the output root, each at most once; links are never followed."""

    def __init__(self, root: Path, index: Index) -> None:
        self.root = root
        self._index = index
        self._folders: dict[str, Existing | None] = {}

    def find(self, path: str) -> Existing | None:
        """Return what is at `path` (posix, below the root), or the obstacle on the way to it; None for
        nothing.
        """
        folder = self._folder(path.rpartition("/")[0])
        if folder is None or folder.kind != "folder":
            return folder
        target = self.root / path
        self._index.output_unchanged(target)
        try:
            mode = target.lstat().st_mode
            if stat.S_ISREG(mode):
                content = target.read_bytes()
                return Existing("file", content, ours=is_ours(content))
        except FileNotFoundError:
            return None
        except OSError as error:
            return _unreadable(path, error)
        return Existing(_kind_of(mode), place=path)

    def intact(self, outputs: Mapping[str, str]) -> bool:
        """Return whether every file holds what the last run wrote; `outputs`: path → digest."""
        return all(self._is_intact(path, expected) for path, expected in outputs.items())

    def _is_intact(self, path: str, expected: str) -> bool:
        folder = self._folder(path.rpartition("/")[0])
        if folder is None or folder.kind != "folder":
            return False
        if self._index.output_unchanged(f"{self.root}/{path}"):
            return True
        found = self.find(path)
        return found is not None and found.kind == "file" and digest(found.content) == expected

    def _folder(self, folder: str) -> Existing | None:
        """Return the folder, or the first obstacle on the way to it; None if there is nothing yet."""
        if folder not in self._folders:
            above = self._folder(folder.rpartition("/")[0]) if folder else _FOLDER
            fine = above is not None and above.kind == "folder"
            self._folders[folder] = self._find_folder(folder) if fine else above
        return self._folders[folder]

    def _find_folder(self, folder: str) -> Existing | None:
        try:
            kind = _kind_of((self.root / folder).lstat().st_mode)
        except FileNotFoundError:
            return None
        except OSError as error:
            return _unreadable(folder, error)
        return Existing("blocked" if kind == "other" else kind, place=folder)


_FOLDER = Existing("folder")


def _unreadable(place: str, error: OSError) -> Existing:
    hint = "" if isinstance(error, PermissionError) else remedy(error)
    return Existing("unreadable", place=place, reason=reason(error), hint=hint)


def _kind_of(mode: int) -> Literal["link", "folder", "other"]:
    if stat.S_ISLNK(mode):
        return "link"
    return "folder" if stat.S_ISDIR(mode) else "other"


def crosses_link(root: Path, folder: str) -> bool:
    """Return whether a link is on the way from `root` to `folder`: what is behind it is not ours."""
    reached = root
    for part in ("", *folder.split("/")):
        reached = reached / part
        if reached.is_symlink():
            return True
    return False


def remove_all_temporary(root: Path) -> None:
    """Remove all temporary files, where no journal names those of a killed run."""
    for here, _, names in os.walk(root):
        if TEMPORARY in names:
            remove_temporary(Path(here))


def remove_temporary(folder: Path) -> None:
    """Remove the temporary file of one folder."""
    temporary = folder / TEMPORARY
    try:
        if not stat.S_ISDIR(temporary.lstat().st_mode):
            temporary.unlink()
    except OSError:
        return


def remove_traces(root: Path, path: str) -> None:
    """Remove what a deleted output leaves: bytecode, and folders that are empty now."""
    target = root / path
    bytecode = target.parent / "__pycache__"
    if target.suffix == ".py" and bytecode.is_dir() and not bytecode.is_symlink():
        for compiled in bytecode.glob(f"{glob_safe(target.stem)}.*.pyc"):
            compiled.unlink(missing_ok=True)
        _remove_empty([bytecode])
    _remove_empty(root / parent for parent in _parents(path))


def glob_safe(text: str) -> str:
    """Return `text` as a glob pattern that matches itself only."""
    return "".join(f"[{char}]" if char in "*?[" else char for char in text)


def _parents(path: str) -> Iterable[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def _remove_empty(folders: Iterable[Path]) -> None:
    for folder in folders:
        try:
            folder.rmdir()
        except OSError:  # not empty, or gone
            return
