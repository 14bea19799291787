"""A workspace does what the system does with the same paths, and refuses where the system would fail or leave
the folder: two equal trees, one changed through the workspace, the other by `os`."""

# ruff: noqa: PTH102, PTH103, PTH105, PTH106, PTH108, PTH110, PTH112, PTH115, PTH116, PTH123, PTH208, PTH211 - no Path changes them

import os
import shutil
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from toolcast_tools.workspace import PathError, Workspace

NAMES = st.sampled_from(["a", "b", "c", "ä"])
PARTS = st.one_of(NAMES, NAMES, NAMES, st.sampled_from(["..", ".", ""]))
PATHS = st.lists(PARTS, min_size=1, max_size=4).map(lambda parts: "/".join(parts).lstrip("/"))
TARGETS = st.one_of(PATHS, PATHS.map("{root}/".__add__), st.sampled_from(["..", "/", "../../outside"]))
CONTENT = st.binary(max_size=3)
MISSING = object()


def snapshot(root: Path) -> dict[str, Any]:
    """All that is below a folder: of files the content, of links the target."""
    found: dict[str, Any] = {}
    for folder, folders, files in os.walk(root):
        for name in folders + files:
            path = Path(folder, name)
            key = str(path.relative_to(root))
            if path.is_symlink():
                found[key] = os.readlink(path).replace(str(root), "{root}")
            else:
                found[key] = path.read_bytes() if path.is_file() else None
    return found


def ends_in_name(path: str) -> bool:
    """Of paths that end in `.` or `..` systems refuse some, each others."""
    return path.rstrip("/").rpartition("/")[2] not in ("", ".", "..")


class TwoTrees(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.base = Path(tempfile.mkdtemp())
        self.mine, self.other = self.base / "mine" / "box", self.base / "other" / "box"
        for root in (self.mine, self.other):
            root.mkdir(parents=True)
            (root.parent / "outside").mkdir()
            (root.parent / "outside" / "a").write_text("secret")
        self.workspace = Workspace(self.mine)
        self.before = {root: snapshot(root.parent / "outside") for root in (self.mine, self.other)}

    def teardown(self) -> None:
        self.workspace.close()
        shutil.rmtree(self.base)

    def stays_inside(self, path: str, follow: bool) -> bool:
        """Whether no step of a path leaves the other tree, as `realpath` sees it."""
        parts = path.split("/")
        last = len(parts) if follow or parts[-1] in ("", ".", "..") else len(parts) - 1
        reached = [os.path.realpath(self.other.joinpath(*parts[:count])) for count in range(1, last + 1)]
        return all(Path(each).is_relative_to(self.other) for each in reached)

    def both(self, mine: Callable[[], Any], other: Callable[[], Any], *paths: tuple[str, bool]) -> None:
        """The same outcome, or a refusal where the system fails or leaves the folder."""
        wanted: Any = MISSING
        if all(path and self.stays_inside(path, follow) for path, follow in paths):
            try:
                wanted = other()
            except OSError:
                wanted = MISSING
        try:
            outcome = mine()
        except PathError:
            outcome = MISSING
        assert outcome == wanted

    def at(self, path: str) -> str:
        return f"{self.other}/{path}"

    @rule(path=PATHS, to=TARGETS)
    def link(self, path: str, to: str) -> None:
        """Not a call of the workspace: the tree has links by whatever made them."""
        if ends_in_name(path) and self.stays_inside(path, follow=False):
            try:
                os.symlink(to.format(root=self.other) or ".", self.at(path))
            except OSError:
                return
            os.symlink(to.format(root=self.mine) or ".", f"{self.mine}/{path}")

    @rule(path=PATHS, data=CONTENT, create_only=st.booleans())
    def write(self, path: str, data: bytes, create_only: bool) -> None:
        def other() -> bool:
            new = not os.path.exists(self.at(path))
            with open(self.at(path), "xb" if create_only and not new else "wb") as file:
                file.write(data)
            return new

        self.both(lambda: self.workspace.write(path, data, create_only=create_only), other, (path, True))

    @rule(path=PATHS, data=CONTENT)
    def append(self, path: str, data: bytes) -> None:
        def other() -> bool:
            new = not os.path.exists(self.at(path))
            with open(self.at(path), "ab") as file:
                file.write(data)
            return new

        self.both(lambda: self.workspace.append(path, data), other, (path, True))

    @rule(path=PATHS)
    def read(self, path: str) -> None:
        def mine() -> Any:
            with self.workspace.open(path, "rb") as file:
                return file.read()

        def other() -> Any:
            with open(self.at(path), "rb") as file:
                return file.read()

        self.both(mine, other, (path, True))

    @rule(path=PATHS, follow=st.booleans())
    def status(self, path: str, follow: bool) -> None:
        follow = follow or path.endswith("/") or not ends_in_name(path)

        def mine() -> Any:
            status = self.workspace.stat(path, follow=follow)
            return status.kind, status.size if status.kind == "file" else None

        def other() -> Any:
            status = os.stat(self.at(path), follow_symlinks=follow)
            if stat.S_ISLNK(status.st_mode):
                return "link", None
            if stat.S_ISDIR(status.st_mode):
                return "folder", None
            return "file", status.st_size

        self.both(mine, other, (path, follow))

    @rule(path=PATHS)
    def names(self, path: str) -> None:
        self.both(lambda: self.workspace.names(path), lambda: sorted(os.listdir(self.at(path))), (path, True))

    @rule(path=PATHS, parents=st.booleans(), exist_ok=st.booleans())
    def mkdir(self, path: str, parents: bool, exist_ok: bool) -> None:
        if not ends_in_name(path):
            return

        def other() -> None:
            if parents:
                if ".." in path.split("/"):
                    os.stat(self.at(path.rpartition("..")[0]))
                os.makedirs(self.at(path), exist_ok=exist_ok)
            else:
                try:
                    os.mkdir(self.at(path))
                except FileExistsError:
                    if not exist_ok or not os.path.isdir(self.at(path)):
                        raise

        self.both(
            lambda: self.workspace.mkdir(path, parents=parents, exist_ok=exist_ok), other, (path, exist_ok)
        )

    @rule(source=PATHS, to=PATHS, replace=st.booleans())
    def rename(self, source: str, to: str, replace: bool) -> None:
        if not ends_in_name(source) or not ends_in_name(to) or source.endswith("/") or to.endswith("/"):
            return

        def other() -> None:
            if not replace:
                os.lstat(self.at(source))
                if os.path.lexists(self.at(to)):
                    raise FileExistsError
            os.replace(self.at(source), self.at(to))

        self.both(
            lambda: self.workspace.rename(source, to, replace=replace),
            other,
            (source, False),
            (to, False),
        )

    @rule(path=PATHS, recursive=st.booleans())
    def remove(self, path: str, recursive: bool) -> None:
        if not ends_in_name(path) or path.endswith("/"):
            return

        def other() -> None:
            if not stat.S_ISDIR(os.lstat(self.at(path)).st_mode):
                os.unlink(self.at(path))
            elif recursive:
                shutil.rmtree(self.at(path))
            else:
                os.rmdir(self.at(path))

        self.both(lambda: self.workspace.remove(path, recursive=recursive), other, (path, False))

    @rule()
    def walk(self) -> None:
        found = {}
        for entry in self.workspace.walk():
            found[entry.path] = None
            if entry.kind == "file":
                found[entry.path] = entry.open().read()
            elif entry.kind == "link":
                found[entry.path] = os.readlink(self.mine / entry.path).replace(str(self.mine), "{root}")
        assert found == snapshot(self.other)
        assert list(found) == sorted(found, key=lambda path: path.split("/"))

    @invariant()
    def the_trees_are_equal(self) -> None:
        assert snapshot(self.mine) == snapshot(self.other)
        for root, before in self.before.items():
            assert snapshot(root.parent / "outside") == before


TestTwoTrees = TwoTrees.TestCase
TestTwoTrees.settings = settings(stateful_step_count=25)
