"""The output folder as it stands."""

import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path

from .fingerprint import digest
from .index import Index
from .plan import Existing

TEMPORARY = ".toolwright.tmp"
"""The name under which a file is written beside its target; one at a time, so one per folder is enough."""


class Tree:
    """Reads files below the output root, each at most once; links are never followed."""

    def __init__(self, root: Path, index: Index) -> None:
        self.root = root
        self._index = index
        self._prefix = f"{root}/"
        self._folders: dict[str, str] = {}

    def look(self, path: str) -> Existing | None:
        """What stands at `path` (posix, below the root), with its bytes; None for nothing."""
        if (kind := self._folder(path.rpartition("/")[0])) != "folder":
            return None if kind == "absent" else Existing("link" if kind == "link" else "other")
        target = self.root / path
        self._index.witness(target, output=True)
        try:
            mode = target.lstat().st_mode
            if stat.S_ISLNK(mode):
                return Existing("link")
            if not stat.S_ISREG(mode):
                return Existing("other")
            return Existing("file", target.read_bytes())
        except FileNotFoundError:
            return None
        except OSError:
            return Existing("other")

    def intact(self, outputs: Mapping[str, str]) -> bool:
        """True if every file holds what the last run wrote. `outputs`: path → digest."""
        return all(self._is_intact(path, expected) for path, expected in outputs.items())

    def _is_intact(self, path: str, expected: str) -> bool:
        if self._folder(path.rpartition("/")[0]) != "folder":
            return False
        if self._index.witness_output(self._prefix + path):
            return True
        found = self.look(path)
        return found is not None and found.kind == "file" and digest(found.content) == expected

    def _folder(self, folder: str) -> str:
        """What the folder is: "folder", "absent", "link" or "other"; the first obstacle on the way counts."""
        if folder not in self._folders:
            above = "folder" if not folder else self._folder(folder.rpartition("/")[0])
            self._folders[folder] = above if above != "folder" else _kind(self.root / folder)
        return self._folders[folder]


def _kind(path: Path) -> str:
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return "absent"
    except OSError:
        return "other"
    if stat.S_ISLNK(mode):
        return "link"
    return "folder" if stat.S_ISDIR(mode) else "other"


def sweep(root: Path, paths: Iterable[str]) -> None:
    """Remove what a killed run left half written beside `paths`."""
    for folder in sorted({path.rpartition("/")[0] for path in paths}):
        remove_temporary(root / folder)


def sweep_all(root: Path) -> None:
    """The same for the whole output folder, where no journal says which run was killed."""
    for here, _, names in os.walk(root):
        if TEMPORARY in names:
            remove_temporary(Path(here))


def remove_temporary(folder: Path) -> None:
    """Remove the temporary file of one folder, if there is one."""
    temporary = folder / TEMPORARY
    try:
        if not stat.S_ISDIR(temporary.lstat().st_mode):
            temporary.unlink()
    except OSError:
        return
