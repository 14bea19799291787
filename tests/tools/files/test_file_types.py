"""The table of file types is ripgrep's."""

import json
import subprocess
from pathlib import Path

import pytest
import toolcast_tools.files.content_search as module
from toolcast_tools.files.content_search import file_types, name_expression

from tests.tools.files.test_engines import RIPGREP

HEAD = (
    "# Types of files: `rg --type-list` of ripgrep {version}; `pytest {test} --update-cases` writes it.\n"
    "\n[types]\n"
)


def test_the_table_is_ripgrep_s(update_cases: bool) -> None:
    program = RIPGREP
    if program is None:
        pytest.skip("ripgrep is not installed")
    version = printed(program, "--version").split()[1]
    path = Path(module.__file__).with_name("file_types.toml")
    listed = {name: patterns.split(", ") for name, _, patterns in rows(printed(program, "--type-list"))}
    if update_cases:
        lines = (f"{json.dumps(name)} = {json.dumps(patterns)}\n" for name, patterns in listed.items())
        path.write_text(
            HEAD.format(version=version, test="tests/tools/files") + "".join(lines), encoding="utf-8"
        )
        file_types.cache_clear()
    if f"of ripgrep {version};" not in path.read_text(encoding="utf-8"):
        pytest.skip(f"another version of ripgrep is installed: {version}")
    assert file_types() == {name: tuple(patterns) for name, patterns in listed.items()}


def test_patterns_of_names_match_as_ripgrep_matches_them(tmp_path: Path) -> None:
    program = RIPGREP
    if program is None:
        pytest.skip("ripgrep is not installed")
    names = [
        "a.py", "A.PY", "Makefile", "makefile", "GNUmakefile.am", "x.h", "x.H.in", "LICENSE",
        "my-licence.txt",
    ]  # fmt: skip
    names += [
        ".bashrc", "a.c++", "CMakeLists.txt", "BUILD.bazel", "x.3pm", "go.mod", "a.tar.gz",
        "Dockerfile.dev",
    ]  # fmt: skip
    for name in names:
        (tmp_path / name).touch()
    kinds = {kind: name_expression(patterns) for kind, patterns in file_types().items()}
    some = {kind for at, kind in enumerate(kinds) if at % 10 == 0 or any(map(kinds[kind].fullmatch, names))}
    for kind in sorted(some):
        command = [program, "--no-config", "--files", "--hidden", f"--type={kind}"]
        done = subprocess.run(command, cwd=tmp_path, env={}, capture_output=True, text=True, check=False)
        assert set(done.stdout.split("\n")[:-1]) == {name for name in names if kinds[kind].fullmatch(name)}


def printed(program: str, *arguments: str) -> str:
    command = [program, "--no-config", *arguments]
    return subprocess.run(
        command, env={}, capture_output=True, text=True, encoding="utf-8", check=True
    ).stdout


def rows(text: str) -> list[tuple[str, str, str]]:
    return [line.partition(": ") for line in text.splitlines()]
