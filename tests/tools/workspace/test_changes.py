"""Making, writing, renaming and removing files and folders inside a workspace."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from toolcast_tools.workspace import PathError, Workspace, WorkspaceError


@pytest.fixture
def box(tmp_path: Path) -> Path:
    root = tmp_path / "box"
    (root / "sub" / "deep").mkdir(parents=True)
    (root / "a.txt").write_text("a")
    (root / "sub" / "b.txt").write_text("b")
    (root / "to-a").symlink_to("a.txt")
    (root / "to-sub").symlink_to("sub")
    (root / "to-nothing").symlink_to("nothing")
    (root / "out").symlink_to("..")
    return root


@pytest.fixture
def workspace(box: Path) -> Iterator[Workspace]:
    with Workspace(box) as made:
        yield made


def test_write_replaces_and_keeps_the_permission_bits(workspace: Workspace, box: Path) -> None:
    (box / "a.txt").chmod(0o754)
    assert workspace.write("a.txt", b"new") is False
    assert (box / "a.txt").read_bytes() == b"new"
    assert (box / "a.txt").stat().st_mode & 0o7777 == 0o754
    assert workspace.write("fresh", b"x" * 100_000, mode=0o640) is True
    assert (box / "fresh").stat().st_mode & 0o7777 == 0o640
    assert workspace.write("to-a", b"through a link") is False
    assert (box / "to-a").is_symlink()
    assert (box / "a.txt").read_bytes() == b"through a link"
    assert workspace.write("to-nothing", b"") is True
    assert (box / "nothing").read_bytes() == b""


def test_write_makes_folders_only_where_it_is_asked_to(workspace: Workspace, box: Path) -> None:
    with pytest.raises(PathError, match="does not exist"):
        workspace.write("x/y/z.txt", b"")
    assert workspace.write("x/y/z.txt", b"z", parents=True)
    assert (box / "x/y/z.txt").read_bytes() == b"z"
    with pytest.raises(PathError, match="too long"):
        workspace.write("p/q/" + "n" * 300, b"", parents=True)
    assert not (box / "p").exists()
    for path in ("to-nothing/y", "to-nothing/y/z"):  # a link that leads nowhere is in the way
        with pytest.raises(PathError, match="does not exist"):
            workspace.write(path, b"", parents=True)
    (box / "nothing").mkdir()
    assert workspace.write("to-nothing/y/z", b"", parents=True)


def test_write_that_may_only_create(workspace: Workspace, box: Path) -> None:
    with pytest.raises(PathError, match="exists already"):
        workspace.write("a.txt", b"", create_only=True)
    assert (box / "a.txt").read_text() == "a"
    assert workspace.write("c.txt", b"c", create_only=True)


def test_append(workspace: Workspace, box: Path) -> None:
    assert workspace.append("a.txt", b"b") is False
    assert workspace.append("log/new", b"1", parents=True, mode=0o600) is True
    assert workspace.append("log/new", b"2") is False
    assert (box / "a.txt").read_bytes() == b"ab"
    assert (box / "log/new").read_bytes() == b"12"
    assert (box / "log/new").stat().st_mode & 0o777 == 0o600


def test_folders_are_made(workspace: Workspace, box: Path) -> None:
    workspace.mkdir("new/")
    workspace.mkdir("x/y/z", parents=True)
    workspace.mkdir("x/y/z", exist_ok=True)
    workspace.mkdir("to-sub", exist_ok=True)
    workspace.mkdir(".", exist_ok=True)
    assert (box / "x/y/z").is_dir()
    for path, words in (
        ("sub", "exists"),
        (".", "exists"),
        ("n/m", "does not exist"),
        ("a.txt/n", "not a folder"),
    ):
        with pytest.raises(PathError, match=words):
            workspace.mkdir(path)
    with pytest.raises(PathError, match="exists"):
        workspace.mkdir("a.txt", exist_ok=True)


def test_rename(workspace: Workspace, box: Path) -> None:
    workspace.rename("a.txt", "sub/a.txt")
    assert (box / "sub/a.txt").read_text() == "a"
    with pytest.raises(PathError, match=r"'sub/b.txt' exists already"):
        workspace.rename("sub/a.txt", "sub/b.txt")
    workspace.rename("sub/a.txt", "sub/b.txt", replace=True)
    assert (box / "sub/b.txt").read_text() == "a"
    workspace.rename("sub", "other")
    assert (box / "other/b.txt").read_text() == "a"
    with pytest.raises(PathError, match="'other' exists already"):
        workspace.rename("to-a", "other")
    workspace.rename("to-a", "link")
    assert (box / "link").is_symlink()
    with pytest.raises(PathError, match="'gone' does not exist"):
        workspace.rename("gone", "x")
    with pytest.raises(PathError, match="'gone/x' does not exist"):
        workspace.rename("link", "gone/x")
    with pytest.raises(PathError, match="'other' cannot be moved into itself"):
        workspace.rename("other", "other/deep/x")
    assert not list(box.rglob("x"))


def test_remove(workspace: Workspace, box: Path) -> None:
    workspace.remove("a.txt")
    workspace.remove("to-sub")
    workspace.remove("out", recursive=True)
    with pytest.raises(PathError, match="'sub' is a folder that is not empty"):
        workspace.remove("sub")
    workspace.remove("sub/deep")
    workspace.remove("sub", recursive=True)
    with pytest.raises(PathError, match="does not exist"):
        workspace.remove("sub")
    assert sorted(each.name for each in box.iterdir()) == ["to-a", "to-nothing"]


@pytest.mark.parametrize("path", [".", "sub/..", "./", "sub/deep/../.."])
def test_the_root_itself_stays(workspace: Workspace, box: Path, path: str) -> None:
    for call in (
        lambda: workspace.remove(path, recursive=True),
        lambda: workspace.rename(path, "x"),
        lambda: workspace.rename("a.txt", path, replace=True),
    ):
        with pytest.raises(WorkspaceError, match="workspace itself"):
            call()
    assert (box / "a.txt").exists()


def test_stat_and_exists(workspace: Workspace, box: Path) -> None:
    status = workspace.stat("to-a")
    assert (status.kind, status.size, status.links) == ("file", 1, 1)
    assert status.modified == (box / "a.txt").stat().st_mtime
    assert status.mode == (box / "a.txt").stat().st_mode & 0o7777
    assert workspace.stat("to-a", follow=False).kind == "link"
    assert workspace.stat(".").kind == workspace.stat("to-sub").kind == "folder"
    assert workspace.exists("a.txt")
    assert workspace.exists(".")
    for path in ("gone", "gone/x", "to-nothing", "a.txt/x"):
        assert not workspace.exists(path)
    for path in ("out", "../x", "/etc/passwd"):
        with pytest.raises(WorkspaceError, match="outside"):
            workspace.exists(path)
        with pytest.raises(WorkspaceError, match="outside"):
            workspace.stat(path)


def test_relative_paths_for_output(workspace: Workspace, box: Path) -> None:
    for path, shown in (
        (".", "."),
        (str(box), "."),
        ("./sub//b.txt", "sub/b.txt"),
        (f"{box}/to-sub/b.txt", "to-sub/b.txt"),
        ("to-sub/../a.txt", "a.txt"),
        ("to-sub/deep/../b.txt", "sub/b.txt"),
        ("not/there", "not/there"),
    ):
        assert workspace.relative(path) == shown
    for path in ("..", "sub/../..", "/etc", "out/../x"):
        with pytest.raises(WorkspaceError, match="outside"):
            workspace.relative(path)
