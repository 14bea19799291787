"""Paths that want out of a workspace, and do not get out."""

import errno
import fcntl
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from toolcast.runtime import RefusalError
from toolcast_tools.workspace import PathError, Workspace, WorkspaceError
from toolcast_tools.workspace.resolution import check_spelling

from tests.held import descriptors

OUTSIDE = "nobody may read this"


@pytest.fixture
def box(tmp_path: Path) -> Path:
    """A workspace with files and links, and a secret beside it."""
    root = tmp_path / "box"
    (root / "sub" / "deep").mkdir(parents=True)
    (tmp_path / "secret").write_text(OUTSIDE)
    (tmp_path / "box-2").mkdir()
    (tmp_path / "box-2" / "secret").write_text(OUTSIDE)
    (root / "a.txt").write_text("a")
    (root / "sub" / "b.txt").write_text("b")
    links = {
        "in": "a.txt",
        "in-absolute": str(root / "sub" / "b.txt"),
        "sub/up": "../a.txt",
        "folder": "sub",
        "sub/self": ".",
        "sub/parent": "..",
        "new": "sub/not-yet",
        "out": "../secret",
        "out-absolute": str(tmp_path / "secret"),
        "out-folder": "..",
        "out-prefix": str(tmp_path / "box-2"),
        "sub/out": "../../secret",
        "in-then-out": "sub/out",
        "proc": "/proc/self",
        "cwd": "/proc/self/cwd",
        "loop": "loop",
        "ping": "pong",
        "pong": "ping",
        "out-and-in": f"../../{tmp_path.name}/box/a.txt",
    }
    for name, target in links.items():
        (root / name).symlink_to(target)
    return root


@pytest.fixture
def workspace(box: Path) -> Any:
    with Workspace(box) as made:
        yield made


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.txt", "a"),
        ("./a.txt", "a"),
        ("sub//b.txt", "b"),
        ("in", "a"),
        ("in-absolute", "b"),
        ("sub/up", "a"),
        ("folder/b.txt", "b"),
        ("folder/up", "a"),
        ("sub/self/self/b.txt", "b"),
        ("sub/parent/sub/parent/a.txt", "a"),
        ("sub/../a.txt", "a"),
        ("sub/deep/../b.txt", "b"),
        ("folder/deep/../../a.txt", "a"),
        ("sub/../sub/./deep/..//b.txt", "b"),
    ],
)
def test_what_is_inside_opens(workspace: Workspace, box: Path, path: str, text: str) -> None:
    for name in (path, f"{box}/{path}"):
        with workspace.open(name) as file:
            assert file.read() == text
        assert workspace.resolve(name).read_text() == text
        assert workspace.resolve(name) == (box / path).resolve()


ESCAPES = [
    "..", "../secret", "sub/../../secret", "/etc/passwd", "//etc/passwd", "/", "", "a\0b", "out",
    "out-absolute", "out-folder", "out-folder/secret", "out-prefix/secret", "sub/out", "folder/out",
    "in-then-out", "out-and-in", "proc", "proc/cwd/a.txt", "proc/root/etc/passwd", "cwd", "cwd/a.txt",
    "/proc/self/cwd/a.txt", "/proc/self/environ", "/proc/self/fd/0", "/dev/null", "loop", "ping",
    "sub/parent/..",
]  # fmt: skip


@pytest.mark.parametrize("path", ESCAPES)
def test_what_is_outside_does_not(workspace: Workspace, box: Path, path: str) -> None:
    for mode in ("r", "rb", "w", "a", "x", "r+"):
        with pytest.raises(WorkspaceError) as caught:
            workspace.open(path, mode)
        assert isinstance(caught.value, RefusalError)
        assert OUTSIDE not in str(caught.value)
    assert (box.parent / "secret").read_text() == OUTSIDE
    with pytest.raises(WorkspaceError):
        workspace.resolve(path)


@pytest.mark.parametrize("path", ["box-2/secret", "box-2", "box/../secret", "BOX/a.txt"])
def test_a_root_is_no_prefix_of_text(workspace: Workspace, box: Path, path: str) -> None:
    with pytest.raises(WorkspaceError):
        workspace.open(f"{box.parent}/{path}")


def test_names_that_look_dangerous_are_names(workspace: Workspace, box: Path) -> None:
    for name in (
        "~",
        "~root",
        "...",
        "-rf",
        "$HOME",
        "a b",
        "%2e%2e",
        "..%2fsecret",
        "C:\\x",
        "..\\secret",
        "ü",
        "\u202e",
    ):
        with workspace.open(name, "w") as file:
            file.write(name)
        assert (box / name).read_text() == name
        with workspace.open(name) as file:
            assert file.read() == name


def test_every_mode(workspace: Workspace, box: Path) -> None:
    with workspace.open("sub/new.txt", "x") as file:
        file.write("ä\n")
    with pytest.raises(PathError, match="exists already"):
        workspace.open("sub/new.txt", "x")
    with workspace.open("sub/new.txt", "ab") as file:
        file.write(b"b")
    with workspace.open("sub/new.txt", "r+") as file:
        assert file.read() == "ä\nb"
    with workspace.open("sub/new.txt", "w+", newline="") as file:
        file.write("c\r\n")
    assert (box / "sub" / "new.txt").read_bytes() == b"c\r\n"
    with workspace.open("new", "w") as file:  # a link to what is not there yet
        file.write("made")
    assert (box / "sub" / "not-yet").read_text() == "made"
    with pytest.raises(PathError, match="does not exist"):
        workspace.open("gone")
    with pytest.raises(PathError, match="does not exist"):
        workspace.open("gone/deeper", "w")
    for mode in ("", "z", "rw", "rbt", "wr", "rr"):
        with pytest.raises(ValueError, match="no mode"):
            workspace.open("a.txt", mode)
    for folder in (".", "sub", "folder", "sub/self", "sub/..", str(box)):
        with pytest.raises(PathError, match="is a folder"):
            workspace.open(folder)


def test_a_file_that_can_be_neither_locked_nor_removed_is_closed(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    before = descriptors()
    monkeypatch.setattr(fcntl, "flock", refuse)
    monkeypatch.setattr(os, "unlink", refuse)
    with pytest.raises(RefusalError):
        workspace.write("new.txt", b"")
    assert descriptors() <= before


def test_a_link_exchanged_between_check_and_use_leads_nowhere(box: Path) -> None:
    """A thread exchanges the file for a link that leads out, as fast as it can."""
    done = threading.Event()
    inside, outside, name = box / "real", box / "bad", box / "swap"
    inside.write_text("inside")
    outside.symlink_to("../secret")
    inside.rename(name)

    def exchange() -> None:
        while not done.is_set():
            name.rename(inside)
            outside.rename(name)
            name.rename(outside)
            inside.rename(name)

    thread = threading.Thread(target=exchange)
    thread.start()
    read, refused = 0, 0
    try:
        with Workspace(box) as workspace:
            for _ in range(400):
                try:
                    with workspace.open("swap") as file:
                        assert file.read() == "inside"
                        read += 1
                    with workspace.open("swap", "r+") as file:
                        file.write("inside")
                except PathError:
                    refused += 1
    finally:
        done.set()
        thread.join()
    assert read + refused
    assert (box.parent / "secret").read_text() == OUTSIDE


def test_another_spelling_of_a_name_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system that folds case, played by one whose `stat` does."""
    (tmp_path / ".git").mkdir()
    real = os.stat

    def folding(path: Any, **options: Any) -> os.stat_result:
        return real(path.lower() if isinstance(path, str) else path, **options)

    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        check_spelling(folder, ".git", ValueError)
        monkeypatch.setattr(os, "stat", folding)
        check_spelling(folder, ".git", ValueError)
        for other in (".GIT", ".Git"):
            with pytest.raises(ValueError, match=r"is spelt '.git' there"):
                check_spelling(folder, other, ValueError)
        with pytest.raises(ValueError, match="another spelling"):
            check_spelling(folder, "ſ", ValueError)
    finally:
        os.close(folder)


def test_roots_that_are_none(tmp_path: Path, box: Path) -> None:
    with pytest.raises(ValueError, match="no folder"):
        Workspace(tmp_path / "gone")
    with pytest.raises(ValueError, match="no folder"):
        Workspace(box / "a.txt")
    with pytest.raises(ValueError, match="root of the file system"):
        Workspace("/")


def test_a_root_behind_a_link_goes_by_both_names(box: Path) -> None:
    alias = box.parent / "alias"
    alias.symlink_to(box)
    (box / "by-alias").symlink_to(alias / "a.txt")
    with Workspace(alias) as workspace:
        for path in ("a.txt", f"{alias}/a.txt", f"{box}/a.txt", "by-alias"):
            assert workspace.open(path).read() == "a"


def test_a_moved_root_stays_the_same_folder(box: Path) -> None:
    with Workspace(box) as workspace:
        box.rename(box.parent / "moved")
        box.mkdir()
        (box / "a.txt").write_text("another")
        assert workspace.open("a.txt").read() == "a"
