"""Finding files by their paths: order, limits, and what is passed over."""

import os
import tempfile
from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.runtime import RefusalError
from toolcast_tools.files import Files

from tests.tools.files.calls import glob

NAMES = ("a.py", "b.py", ".c.py", "d.md")
FOLDERS = ("", "x/", "x/y/", ".h/", ".git/", "x/node_modules/")
PARTS = ("*", "**", "*.py", "?.py", "[ab]*", ".*", "x", "y", "[!a]*", "a.py")


@pytest.fixture
def box(box: Path) -> Path:
    for index, (path, size) in enumerate(
        (("b.py", 3), ("src/a.py", 1), ("src/c.ts", 2), (".env.py", 4), (".git/d.py", 5))
    ):
        (box / path).parent.mkdir(exist_ok=True)
        (box / path).write_bytes(b"x" * size)
        os.utime(box / path, (index, 1000 - index))
    (box / "link.py").symlink_to("b.py")
    (box / "folder.py").mkdir()
    return box


def test_the_last_changed_come_first(files: Files) -> None:
    assert glob(files, "**/*.{py,ts}").paths == ["b.py", "src/a.py", "src/c.ts"]


@pytest.mark.parametrize(
    ("arguments", "paths"),
    [
        ({"sort": "name"}, ["b.py", "src/a.py", "src/c.ts"]),
        ({"sort": "size"}, ["b.py", "src/c.ts", "src/a.py"]),
        ({"sort": "name", "include_hidden": True}, [".env.py", "b.py", "src/a.py", "src/c.ts"]),
        (
            {"sort": "name", "include_hidden": True, "exclude": []},
            [".env.py", ".git/d.py", "b.py", "src/a.py", "src/c.ts"],
        ),
        ({"sort": "name", "exclude": ["src"]}, ["b.py"]),
        ({"sort": "name", "exclude": ["a.py"]}, ["b.py", "src/c.ts"]),
        ({"path": "src"}, ["src/a.py", "src/c.ts"]),
    ],
)
def test_order_and_exclusions(files: Files, arguments: dict[str, Any], paths: list[str]) -> None:
    assert glob(files, "**/*.[pt][ys]", **arguments).paths == paths


def test_the_total_counts_beyond_the_limit(files: Files) -> None:
    result = glob(files, "**/*", limit=1)
    assert (result.paths, result.total) == (["b.py"], 3)


def test_an_absolute_path_below_the_root_is_a_path(files: Files, box: Path) -> None:
    assert glob(files, "*", path=str(box / "src"), sort="name").paths == ["src/a.py", "src/c.ts"]


@pytest.mark.parametrize("path", ["no", "b.py", ".."])
def test_a_path_that_is_no_folder_is_refused(files: Files, path: str) -> None:
    with pytest.raises(RefusalError):
        glob(files, "*", path=path)


def every_file(root: Path) -> Iterator[str]:
    for folder, _, names in os.walk(root):
        yield from (os.path.relpath(os.path.join(folder, name), root) for name in names)  # noqa: PTH118


def matches(parts: list[str], names: list[str], hidden: bool) -> bool:
    """A simple oracle: try everything that `**` may stand for."""
    if not parts:
        return not names
    if parts[0] == "**" and len(parts) > 1 and matches(parts[1:], names, hidden):
        return True
    if not names or (names[0].startswith(".") and not hidden and not parts[0].startswith(".")):
        return False
    if parts[0] == "**":
        return (len(names) == 1 and len(parts) == 1) or matches(parts, names[1:], hidden)
    return fnmatchcase(names[0], parts[0]) and matches(parts[1:], names[1:], hidden)


@given(
    tree=st.dictionaries(
        st.tuples(st.sampled_from(FOLDERS), st.sampled_from(NAMES)).map("".join),
        st.integers(0, 3),
        max_size=8,
    ),
    parts=st.lists(st.sampled_from(PARTS), min_size=1, max_size=4),
    exclude=st.lists(st.sampled_from([".git", "node_modules", "y", "a.py"]), unique=True),
    hidden=st.booleans(),
    sort=st.sampled_from(["modified", "name", "size"]),
    limit=st.integers(1, 5),
)
def test_results_are_those_of_a_simple_oracle(
    tree: dict[str, int], parts: list[str], exclude: list[str], hidden: bool, sort: str, limit: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path, number in tree.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(b"x" * number)
            os.utime(root / path, (0, number))
        expected = [
            path
            for path in every_file(root)
            if matches(parts, path.split("/"), hidden) and not set(exclude) & set(path.split("/"))
        ]
        expected.sort(key=lambda path: (0 if sort == "name" else -tree[path], path))
        files = Files(root)
        pattern = "/".join(parts)
        options = {"exclude": exclude, "include_hidden": hidden, "sort": sort, "limit": limit}
        prefix = list(takewhile(lambda part: not set(part) & set("*?["), parts[:-1]))
        if not root.joinpath(*prefix).is_dir():
            with pytest.raises(RefusalError):
                glob(files, pattern, **options)
        elif not set(prefix) & set(exclude):  # otherwise the folder is entered, since it is named
            result = glob(files, pattern, **options)
            assert (result.paths, result.total) == (expected[:limit], len(expected))
        files.close()
