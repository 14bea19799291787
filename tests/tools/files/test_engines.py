"""Searches find what ripgrep finds, and what the simplest means find."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from toolcast_tools.files.content_search import SearchOptions, search_content
from toolcast_tools.generated.files.grep import GrepParams, GrepResult
from toolcast_tools.workspace import Workspace

from tests.tools.files.searches import TREES, lines_of, make_tree, matching_lines

RIPGREP = shutil.which("rg") or shutil.which("rg", path=Path(sys.executable).parent)
needs_ripgrep = pytest.mark.skipif(RIPGREP is None, reason="ripgrep is not installed")
OPTIONS = SearchOptions(exclude=frozenset({".git", "node_modules", ".venv"}), largest=1 << 20, seconds=60)
SIMPLE = st.sampled_from(
    [
        "a", "foo", r"\bfoo\b", "^foo", "bar$", "fo+", "[a-c]+k?", "a|b", r"(foo)+\s\w", "x{3,}", "^$",
        r"\d", "[^a]", "A.*b",
    ]
)  # fmt: skip
"""Patterns that mean the same to Python's `re`."""


def search(root: Path, arguments: dict[str, Any]) -> GrepResult:
    with Workspace(root) as workspace:
        return search_content(workspace, msgspec.convert(arguments, GrepParams), OPTIONS)


def check_lines(tree: dict[str, bytes], pattern: str, ignore_case: bool) -> None:
    """In text of ASCII, whose lines `re` can judge."""
    tree = {
        path: content.decode("utf-8", "ignore").encode("ascii", "ignore") for path, content in tree.items()
    }
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        make_tree(root, tree)
        arguments = {"pattern": pattern, "ignore_case": ignore_case, "limit": 10_000}
        expected = {
            path: found
            for path, content in sorted(tree.items(), key=lambda pair: pair[0].split("/"))
            if not {".git", "node_modules", ".venv"} & set(path.split("/"))
            and (found := matching_lines(pattern, content, ignore_case))
        }
        lines = search(root, {**arguments, "output": "lines"})
        counts = search(root, {**arguments, "output": "count"})
        names = search(root, {**arguments, "output": "files"})
        assert [(each.path, each.line, each.text) for each in lines.matches] == [
            (path, number, line) for path, found in expected.items() for number, line in found
        ]
        assert {each.path: each.count for each in counts.matches} == {
            path: len(found) for path, found in expected.items()
        }
        assert [each.path for each in names.matches] == list(expected)


@settings(max_examples=16)
@given(tree=TREES, pattern=SIMPLE, ignore_case=st.booleans())
def test_results_are_those_of_re_over_lines(tree: dict[str, bytes], pattern: str, ignore_case: bool) -> None:
    check_lines(tree, pattern, ignore_case)


@pytest.mark.thorough
@settings(max_examples=1000)
@given(tree=TREES, pattern=SIMPLE, ignore_case=st.booleans())
def test_results_are_those_of_re_in_many_trees(
    tree: dict[str, bytes], pattern: str, ignore_case: bool
) -> None:
    check_lines(tree, pattern, ignore_case)


def printed_by_ripgrep(
    root: Path, path: str, pattern: str, flags: list[str]
) -> Iterator[tuple[int, bool, str]]:
    """The numbered lines that ripgrep itself prints of a file, and whether they match."""
    plain = ("--no-config", "--line-number", "--no-heading", "--no-context-separator", "--text")
    command = [str(RIPGREP), *plain, *flags, "-e", pattern, path]
    done = subprocess.run(command, cwd=root, env={}, capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    for line in done.stdout.decode("utf-8", "replace").split("\n")[:-1]:
        digits = line[: next(index for index, letter in enumerate(line) if not letter.isdigit())]
        yield int(digits), line[len(digits)] == ":", line[len(digits) + 1 :].removesuffix("\r")


@needs_ripgrep
@settings(max_examples=16)
@given(
    pieces=st.lists(st.sampled_from(["foo", "bar", "a", "\n", "\n", "\r\n", " "]), max_size=20),
    pattern=SIMPLE,
    multiline=st.booleans(),
    before=st.integers(0, 3),
    after=st.integers(0, 3),
)
def test_context_is_that_of_ripgrep(
    pieces: list[str], pattern: str, multiline: bool, before: int, after: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        text = "".join(pieces)
        # ripgrep shows the lines before an empty match behind the last line, and no such match.
        assume(not (multiline and pattern == "^$" and text.endswith("\n")))
        # ripgrep finds a line feed only where a line ends in nothing else.
        content = (text.replace("\r", "") if multiline else text).encode()
        (root / "a").write_bytes(content)
        flags = [f"-B{before}", f"-A{after}", *(["--multiline"] if multiline else ["--crlf"])]
        expected = list(printed_by_ripgrep(root, "a", pattern, flags))
        context = {"before": before, "after": after}
        result = search(
            root, {"pattern": pattern, "output": "lines", "context": context, "multiline": multiline}
        )
        found: list[tuple[int, bool, str]] = []
        for each in result.matches:
            assert each.line is not None
            assert each.text is not None
            earlier = each.before or []
            found += [(each.line - len(earlier) + index, False, line) for index, line in enumerate(earlier)]
            texts = each.text.split("\n")
            found += [(each.line + index, True, line) for index, line in enumerate(texts)]
            found += [
                (each.line + len(texts) + index, False, line) for index, line in enumerate(each.after or [])
            ]
        assert found == expected
        assert [line for _, _, line in found] == [lines_of(content)[number - 1] for number, _, _ in found]
