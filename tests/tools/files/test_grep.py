"""Searching files: which, in what order, and what is shown of them."""

import codecs
from pathlib import Path
from typing import Any

import pytest
from toolcast.runtime import RefusalError
from toolcast_tools.files import Files
from toolcast_tools.generated.files.grep import GrepResult, GrepResultMatchesItem

from tests.tools.files.calls import grep

Item = GrepResultMatchesItem


@pytest.fixture
def box(box: Path) -> Path:
    for path, text in {
        "main.py": "import os\n\ndef run():\n    return os.getcwd()\n",
        "src/lib.py": "def run():\n    pass\n",
        "src/lib.rs": "fn run() {}\r\nfn stop() {}\r\n",
        ".github/ci.yml": "run: make\n",
        ".git/config": "run\n",
        "node_modules/a.js": "run\n",
        "Makefile": "run:\n\tmake\n",
    }.items():
        (box / path).parent.mkdir(exist_ok=True)
        (box / path).write_bytes(text.encode())
    return box


@pytest.fixture
def files(box: Path) -> Files:
    return Files(box)


def paths(result: GrepResult) -> list[str]:
    return [each.path for each in result.matches]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, [".github/ci.yml", "Makefile", "main.py", "src/lib.py", "src/lib.rs"]),
        ({"path": "src"}, ["src/lib.py", "src/lib.rs"]),
        ({"path": "src/lib.py"}, ["src/lib.py"]),
        ({"path": ".git"}, [".git/config"]),
        ({"glob": "*.py"}, ["main.py", "src/lib.py"]),
        ({"glob": "*.{py,rs}", "path": "src"}, ["src/lib.py", "src/lib.rs"]),
        ({"glob": "src/*.py"}, ["src/lib.py"]),
        ({"file_types": ["py"]}, ["main.py", "src/lib.py"]),
        ({"file_types": ["rust", "make"]}, ["Makefile", "src/lib.rs"]),
        ({"file_types": ["py"], "glob": "lib.*"}, ["src/lib.py"]),
        ({"limit": 2}, [".github/ci.yml", "Makefile"]),
        ({"pattern": "RUN", "ignore_case": True, "glob": "*.rs"}, ["src/lib.rs"]),
        ({"pattern": "RUN"}, []),
    ],
)
def test_the_files_that_are_searched(files: Files, arguments: dict[str, Any], expected: list[str]) -> None:
    result = grep(files, **{"pattern": "run", **arguments})
    assert paths(result) == expected
    assert result.truncated == ("limit" in arguments)
    assert all((each.line, each.text, each.count) == (None, None, None) for each in result.matches)


def test_lines_with_context_come_once(files: Files) -> None:
    result = grep(files, r"run\(|getcwd|stop", output="lines", context={"before": 2, "after": 1})
    assert result.matches == [
        Item(path="main.py", line=3, text="def run():", before=["import os", ""]),
        Item(path="main.py", line=4, text="    return os.getcwd()"),
        Item(path="src/lib.py", line=1, text="def run():", after=["    pass"]),
        Item(path="src/lib.rs", line=1, text="fn run() {}"),
        Item(path="src/lib.rs", line=2, text="fn stop() {}"),
    ]


def test_lines_are_counted(files: Files) -> None:
    result = grep(files, "fn|run", output="count", path="src")
    assert result.matches == [Item(path="src/lib.py", count=1), Item(path="src/lib.rs", count=2)]


def test_a_match_across_lines(files: Files) -> None:
    pattern = r"run\(\).*\n.*(pass|stop)"
    assert grep(files, pattern.replace(r"\n", " "), output="lines").matches == []
    assert grep(files, pattern, output="lines", multiline=True).matches == [
        Item(path="src/lib.py", line=1, text="def run():\n    pass"),
        Item(path="src/lib.rs", line=1, text="fn run() {}\nfn stop() {}"),
    ]


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (codecs.BOM_UTF8 + "größe".encode(), True),
        (codecs.BOM_UTF16_LE + "größe".encode("utf-16-le"), True),
        (codecs.BOM_UTF16_BE + "größe".encode("utf-16-be"), True),
        (b"x\0 gr\xc3\xb6\xc3\x9fe", False),
        (b"gr\xc3\xb6\xc3\x9fe\n" + b"x" * 100_000 + b"\0", False),
        (b"\xff\xfe\xff gr\xc3\xb6\xc3\x9fe", False),
        (b"caf\xe9 gr\xc3\xb6\xc3\x9fe", True),
    ],
)
def test_encodings_and_binary_files(files: Files, box: Path, content: bytes, found: bool) -> None:
    (box / "a.txt").write_bytes(content)
    assert paths(grep(files, "(^| )größe")) == (["a.txt"] if found else [])


def test_large_files_are_counted_as_skipped(box: Path) -> None:
    (box / "large.txt").write_text("run" * 1000)
    result = grep(Files(box, largest=1000), "run", glob="*.txt")
    assert (result.matches, result.skipped) == ([], 1)


def test_what_is_too_large_for_a_pattern_is_skipped(box: Path) -> None:
    """Whether or not it would match: a call of the engine cannot be stopped."""
    (box / "large.txt").write_text("a" * 1_000_000)
    for pattern in (r"\p{L}{30}b", r"a{30}\p{L}{30}"):
        result = grep(Files(box), pattern, glob="*.txt")
        assert (result.matches, result.skipped) == ([], 1)


def test_an_unknown_type_is_told_its_neighbours(files: Files) -> None:
    with pytest.raises(RefusalError, match=r"There is no file type 'pyhton'\. Near are python"):
        grep(files, "x", file_types=["pyhton"])


@pytest.mark.parametrize(
    "arguments", [{"path": "no"}, {"path": "../box"}, {"glob": "../*"}, {"pattern": "("}]
)
def test_what_cannot_be_searched_is_refused(files: Files, arguments: dict[str, Any]) -> None:
    with pytest.raises(RefusalError):
        grep(files, **{"pattern": "run", **arguments})


def test_a_long_line_is_shown_around_its_match(files: Files, box: Path) -> None:
    (box / "a.txt").write_text("é" * 3000 + "needle" + "ü" * 3000)
    (found,) = grep(files, "needle", output="lines").matches
    assert found.text == "…" + "é" * 200 + "needle" + "ü" * 794 + "…"


def test_a_link_that_is_named_is_followed(files: Files, box: Path) -> None:
    (box / "alias").symlink_to("src")
    (box / "alias.py").symlink_to("main.py")
    assert paths(grep(files, "run", path="alias")) == ["src/lib.py", "src/lib.rs"]
    assert paths(grep(files, "run", glob="alias/*.py")) == ["src/lib.py"]
    assert len(grep(files, "run", path="alias.py").matches) == 1
