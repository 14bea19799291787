"""Going through a workspace: all of it, or what matches a pattern."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from toolcast_tools.workspace import PathError, Workspace


@pytest.fixture
def box(tmp_path: Path) -> Path:
    root = tmp_path / "box"
    for path in (
        "src/app/main.py",
        "src/app/.hidden.py",
        "src/lib.py",
        ".git/config",
        "README.md",
        "b[1].txt",
    ):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(path)
    (root / "code").symlink_to("src")
    (root / "out").symlink_to("..")
    os.mkfifo(root / "pipe")
    return root


@pytest.fixture
def workspace(box: Path) -> Iterator[Workspace]:
    with Workspace(box) as made:
        yield made


def test_walk_is_ordered_and_follows_no_link(workspace: Workspace, box: Path) -> None:
    found = [(entry.path, entry.kind) for entry in workspace.walk(skip=lambda name: name == ".git")]
    assert found == [
        ("README.md", "file"),
        ("b[1].txt", "file"),
        ("code", "link"),
        ("out", "link"),
        ("pipe", "other"),
        ("src", "folder"),
        ("src/app", "folder"),
        ("src/app/.hidden.py", "file"),
        ("src/app/main.py", "file"),
        ("src/lib.py", "file"),
    ]
    assert [entry.path for entry in workspace.walk("code", max_depth=1)] == ["src/app", "src/lib.py"]
    for entry in list(workspace.walk()):
        if entry.kind == "file":
            assert entry.open().read() == entry.path.encode()
            assert entry.size == len(entry.path)
            assert entry.modified == (box / entry.path).stat().st_mtime
        else:
            with pytest.raises(PathError):
                entry.open()


def test_a_walk_has_bounds(workspace: Workspace) -> None:
    with pytest.raises(PathError, match=r"'\.' has more than 5 files and folders"):
        list(workspace.walk(max_entries=5))
    for path, words in (("gone", "does not exist"), ("README.md", "not a folder"), ("out", "outside")):
        with pytest.raises(PathError, match=words):
            list(workspace.walk(path))


@pytest.mark.parametrize(
    ("pattern", "path", "paths"),
    [
        ("**/*.py", ".", ["src/app/main.py", "src/lib.py"]),
        ("*.py", ".", []),
        ("*.py", "src", ["src/lib.py"]),
        ("**/.*.py", ".", ["src/app/.hidden.py"]),
        ("**/", ".", ["src", "src/app"]),
        ("src/**", ".", ["src/app", "src/app/main.py", "src/lib.py"]),
        ("code/*.py", ".", ["src/lib.py"]),
        ("{src,.git}/*", ".", [".git/config", "src/app", "src/lib.py"]),
        (".git/*", ".", [".git/config"]),
        ("../*.md", "src", ["README.md"]),
        ("b[[]1].txt", ".", ["b[1].txt"]),
        ("b\\[1\\].txt", ".", ["b[1].txt"]),
        ("[A-Z]?[!x]*{.md,.txt}", ".", ["README.md"]),
        ("src/lib.py", ".", ["src/lib.py"]),
        ("src", ".", ["src"]),
        ("**/{main,lib}.py", ".", ["src/app/main.py", "src/lib.py"]),
        ("src/**/**/main.py", ".", ["src/app/main.py"]),
    ],
)
def test_glob(workspace: Workspace, box: Path, pattern: str, path: str, paths: list[str]) -> None:
    assert [entry.path for entry in workspace.glob(pattern, path)] == paths
    if not pattern.startswith(".."):
        assert [entry.path for entry in workspace.glob(f"{box}/{path}/{pattern}")] == paths


def test_folder_gives_a_descriptor(workspace: Workspace) -> None:
    with workspace.folder("code") as fd:
        assert sorted(os.listdir(fd)) == ["app", "lib.py"]  # noqa: PTH208 - by descriptor
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(fd)
    for path, words in (("gone", "does not exist"), ("README.md", "not a folder"), ("out", "outside")):
        with pytest.raises(PathError, match=words), workspace.folder(path):
            pass
