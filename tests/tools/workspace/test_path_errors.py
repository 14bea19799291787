"""What the operating system refuses is a refusal to the model: the path as it was written, and a way out."""

# ruff: noqa: ARG001 - a handler's signature is fixed, whatever it uses

import asyncio
import errno
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from toolcast.runtime import RefusalError, ToolRegistry, ToolResult
from toolcast_tools.workspace import PathError, Workspace, path_errors

from examples.toolbox import toolbox
from tests.runtime.sample.files.edit import EDIT

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Path]:
    root = tmp_path / "box"
    (root / "folder" / "closed").mkdir(parents=True)
    (root / "a.txt").write_text("a")
    (root / "folder" / "b.txt").write_text("b")
    (root / "binary").write_bytes(b"\xff\xfe\x00")
    (root / "link").symlink_to("folder/gone")
    (root / "loop").symlink_to("loop")
    os.mkfifo(root / "pipe")
    (root / "unreadable").write_text("u")
    (root / "unreadable").chmod(0)
    (root / "folder" / "closed").chmod(0)
    yield root
    (root / "folder" / "closed").chmod(0o700)


ROOT_USER = pytest.mark.skipif(os.geteuid() == 0, reason="root may open everything")
CASES = [
    ("gone", "r", "does not exist"),
    ("gone/deeper", "w", "does not exist"),
    ("link", "r", "does not exist"),
    ("folder", "r", "is a folder"),
    ("folder", "w", "is a folder"),
    ("a.txt/x", "r", "leads through something that is not a folder"),
    ("a.txt", "x", "exists already"),
    ("n" * 300, "r", "too long"),
    ("n/" * 1000, "r", "does not exist"),
    ("n/" * 3000, "r", "too long"),
    ("a.txt/..", "r", "leads through something that is not a folder"),
    ("a.txt/", "r", "leads through something that is not a folder"),
    ("loop", "r", "too many links"),
    ("pipe", "r", "no regular file"),
    ("pipe", "w", "no regular file"),
    ("a\0b", "r", "zero byte"),
    ("\ud800", "r", "no file name"),
    pytest.param("unreadable", "r", "permission", marks=ROOT_USER),
    pytest.param("folder/closed/x", "r", "permission", marks=ROOT_USER),
]


@pytest.mark.parametrize(("path", "mode", "words"), CASES)
def test_a_workspace_refuses_and_names_the_path_as_it_was_written(
    box: Path, path: str, mode: str, words: str
) -> None:
    with Workspace(box) as workspace, pytest.raises(RefusalError, match=words) as caught:
        workspace.open(path, mode)
    text = str(caught.value)
    assert len(text) < 600
    assert str(box) not in text
    if "\0" not in path:
        assert repr(path)[:40] in text
        assert re.search(r"\. [A-Z].*\.$", text)  # what it is, then what to do
    registry = ToolRegistry()

    def handler(params: Any, context: Any) -> str:
        with Workspace(box) as workspace, workspace.open(path, mode) as file:
            return str(file.read())

    registry.register(EDIT, handler)
    arguments = {"file_path": "a", "old_string": "x", "new_string": "y"}
    assert asyncio.run(registry.execute("edit", arguments)) == ToolResult.failed(text)


NUMBERS = [
    "ENOENT", "EISDIR", "ENOTDIR", "EACCES", "EPERM", "EEXIST", "ENAMETOOLONG", "ELOOP", "ENOTEMPTY",
    "EROFS", "ENOSPC", "EDQUOT", "EFBIG", "EINVAL", "EILSEQ", "EXDEV", "EBUSY", "ETXTBSY", "ENXIO",
    "EMLINK", "EAGAIN", "EDEADLK", "ETIMEDOUT", "ECANCELED", "ENODEV", "ESPIPE", "EOVERFLOW", "EMFILE",
    "ENFILE", "ENOMEM", "ENOLCK", "EOPNOTSUPP", "ENOSYS", "EIO", "ESTALE", "ENOTCONN",
]  # fmt: skip


@pytest.mark.parametrize("name", NUMBERS)
def test_every_error_of_the_family_is_a_refusal(name: str) -> None:
    hidden = "/home/somebody/hidden"
    with pytest.raises(PathError, match=r"^'notes/a.txt' ") as caught, path_errors("notes/a.txt"):
        raise OSError(getattr(errno, name), os.strerror(getattr(errno, name)), hidden, None, hidden)
    assert hidden not in str(caught.value)
    assert re.search(r"\. [A-Z].*\.$", str(caught.value))


def test_a_zero_byte_and_other_names_that_are_none(tmp_path: Path) -> None:
    for path in ("a\0b", "a\ud800"):
        with pytest.raises(PathError, match="no file name"), path_errors(path):
            (tmp_path / path).read_text()
        with pytest.raises(PathError, match="no file name"), path_errors(path):
            open(tmp_path / path)  # noqa: PTH123, SIM115 - what handlers write
        with pytest.raises(PathError, match="no file name"), path_errors(path):
            os.stat(path)  # noqa: PTH116 - the same


@pytest.mark.parametrize(
    "problem",
    [
        ValueError("mine"),
        KeyError("k"),
        TimeoutError("late"),
        OSError("no number"),
        OSError(errno.EBADF, "EBADF"),
    ],
)
def test_a_bug_stays_a_bug(problem: Exception) -> None:
    with pytest.raises(type(problem)) as caught, path_errors("a"):
        raise problem
    assert caught.value is problem


def test_what_is_no_text_is_refused_where_text_is_read(box: Path) -> None:
    with pytest.raises(PathError, match="'binary' is no text"), path_errors("binary"):
        (box / "binary").read_text("utf-8")


def test_a_full_disk_is_a_refusal_when_it_shows(box: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("/dev/full is Linux only")
    with pytest.raises(PathError, match=r"'a.txt' .*no space"), path_errors("a.txt"), full.open("w") as file:
        file.write("x")


@pytest.mark.parametrize(
    ("tool", "path", "words"),
    [
        ("read_file", "gone", "'gone' does not exist"),
        ("read_file", "a\0b", "zero byte"),
        ("read_file", "binary", "'binary' is no text"),
        ("list_folder", "a.txt", "'a.txt' is not a folder"),
        ("list_folder", "loop", "too many links"),
        pytest.param("list_folder", "folder/closed", "permission", marks=ROOT_USER),
    ],
)
def test_the_example_tells_the_model_what_to_change(box: Path, tool: str, path: str, words: str) -> None:
    result = asyncio.run(toolbox(box).execute(tool, {"path": path}))
    assert not result.success
    assert words in result.error
    assert "internal error" not in result.error
    assert str(box) not in result.error


def test_the_documented_handler_refuses_too(box: Path) -> None:
    text = (ROOT / "docs" / "reference" / "toolset.md").read_text("utf-8")
    code = next(block for block in re.findall(r"```python\n(.*?)```", text, re.S) if "def file_read" in block)
    with Workspace(box) as workspace:
        names: dict[str, Any] = {"workspace": workspace}
        exec(code, names)
        registry = ToolRegistry()
        registry.register(
            EDIT,
            lambda params, context: names["file_read"](type("P", (), {"path": params.file_path}), context),
        )
        for path, words in (("gone", "does not exist"), ("binary", "is no text"), ("folder", "is a folder")):
            arguments = {"file_path": path, "old_string": "x", "new_string": "y"}
            result = asyncio.run(registry.execute("edit", arguments))
            assert f"{path!r} {words}" in result.error
