"""Searches find the same with ripgrep, without it, and by the simplest means."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import msgspec
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from toolcast.runtime import RefusalError
from toolcast_tools.files import content_search
from toolcast_tools.files.content_search import SearchOptions, search_content
from toolcast_tools.files.line_search import Preselection, TimeLimit, find_ripgrep, preselect
from toolcast_tools.generated.files.grep import GrepParams, GrepResult
from toolcast_tools.workspace import Workspace

from tests.tools.files.searches import TREES, lines_of, make_tree, matching_lines, searches

RIPGREP = find_ripgrep(Path(tempfile.gettempdir())) or shutil.which("rg", path=Path(sys.executable).parent)
needs_ripgrep = pytest.mark.skipif(RIPGREP is None, reason="ripgrep is not installed")
OPTIONS = SearchOptions(
    exclude=frozenset({".git", "node_modules", ".venv"}), largest=1 << 20, seconds=60, ripgrep=RIPGREP, few=0
)
SIMPLE = st.sampled_from(
    [
        "a", "foo", r"\bfoo\b", "^foo", "bar$", "fo+", "[a-c]+k?", "a|b", r"(foo)+\s\w", "x{3,}", "^$",
        r"\d", "[^a]", "A.*b",
    ]
)  # fmt: skip
"""Patterns that mean the same to Python's `re`."""


def search(root: Path, arguments: dict[str, Any], options: SearchOptions) -> GrepResult | str:
    with Workspace(root) as workspace:
        try:
            return search_content(workspace, msgspec.convert(arguments, GrepParams), options)
        except RefusalError as problem:
            return str(problem)


def check_engines(tree: dict[str, bytes], arguments: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        make_tree(root, tree)
        without = search(root, arguments, msgspec.structs.replace(OPTIONS, ripgrep=None))
        answers: list[frozenset[str] | None] = []

        def recorded(*asked: Any) -> frozenset[str] | None:
            answers.append(preselect(*asked))
            return answers[-1]

        with mock.patch.object(content_search, "preselect", recorded):
            assert search(root, arguments, OPTIONS) == without
        assert None not in answers  # ripgrep took the pattern


@needs_ripgrep
@settings(max_examples=25)
@given(tree=TREES, arguments=searches())
@example(tree={"a": b"\r\n"}, arguments={"pattern": "$^"})
@example(tree={"a": b"a\r\nb"}, arguments={"pattern": r"a\nb", "multiline": True})
@example(tree={"a": b"a\r\nb"}, arguments={"pattern": r"a[^x]b", "multiline": True})
@example(tree={"a": b"\xef\xbb\xbffoo"}, arguments={"pattern": "^foo"})
@example(tree={"a": b"\xff\xfef\0o\0o\0"}, arguments={"pattern": "^foo$"})
@example(tree={".git/a": b"foo"}, arguments={"pattern": "foo", "glob": ".git/*"})
@example(tree={"src/a.py": b"foo"}, arguments={"pattern": "foo", "path": "src/deep", "glob": "../*.py"})
@example(tree={"a": "\u212a".encode()}, arguments={"pattern": "k", "ignore_case": True})
def test_results_are_the_same_with_and_without_ripgrep(
    tree: dict[str, bytes], arguments: dict[str, Any]
) -> None:
    check_engines(tree, arguments)


@pytest.mark.thorough
@needs_ripgrep
@settings(max_examples=1200)
@given(tree=TREES, arguments=searches())
def test_results_are_the_same_in_many_trees(tree: dict[str, bytes], arguments: dict[str, Any]) -> None:
    check_engines(tree, arguments)


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
        for options in (OPTIONS, msgspec.structs.replace(OPTIONS, ripgrep=None)):
            lines = search(root, {**arguments, "output": "lines"}, options)
            counts = search(root, {**arguments, "output": "count"}, options)
            names = search(root, {**arguments, "output": "files"}, options)
            assert isinstance(lines, GrepResult)
            assert isinstance(counts, GrepResult)
            assert isinstance(names, GrepResult)
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
            root, {"pattern": pattern, "output": "lines", "context": context, "multiline": multiline}, OPTIONS
        )
        assert isinstance(result, GrepResult)
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


@needs_ripgrep
def test_ripgrep_reads_less_than_all(tmp_path: Path) -> None:
    """The other tests compare two engines, and not one with itself."""
    make_tree(
        tmp_path, {"a.py": b"foo", "b.py": b"bar", "src/c.py": b"xfoo", ".git/d": b"foo", "e.md": b"foo"}
    )
    asked = Preselection("foo", False, False, ("*.py",), frozenset({".git"}), 1000)
    found = preselect(str(RIPGREP), str(tmp_path), asked, TimeLimit.after(60))
    assert found == {"a.py", "src/c.py"}


@needs_ripgrep
def test_what_ripgrep_refuses_is_searched_without_it(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a": b"foo"})
    asked = Preselection("foo", False, False, (), frozenset(), 1000)
    missing = str(tmp_path / "missing")
    assert preselect(missing, str(tmp_path), asked, TimeLimit.after(60)) is None
    assert preselect(str(RIPGREP), missing, asked, TimeLimit.after(60)) is None
    broken = msgspec.structs.replace(OPTIONS, ripgrep=missing)
    assert search(tmp_path, {"pattern": "foo"}, broken) == search(tmp_path, {"pattern": "foo"}, OPTIONS)
