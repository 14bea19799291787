"""`toolcast` where only a part of the compiler is installed: click comes with the extra `mcp`, too."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from toolcast.cli.main import COMMANDS, KINDS, UNLISTED

from tests.project.fake import put
from tests.sampled import sampled

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks a process for each command")

CODE = """\
import os, sys
sys.modules |= dict.fromkeys({missing!r})  # as if they were not installed
from toolcast.cli.entry import main
if "click" not in {missing!r}:
    import toolcast.cli.main
for arguments in {commands!r}:
    if not os.fork():
        os.dup2(1, 2)
        sys.argv = ["toolcast", *arguments]
        sys.exit(main())
    print(chr(0), os.waitstatus_to_exitcode(os.wait()[1]), chr(0), sep="", end="", flush=True)
"""
REFUSED = (2, "toolcast: the compiler is not installed; run: pip install 'toolcast[build]'\n")
ALONE = [("jinja2",), ("yaml",), ("black",)]
ALL = ("jinja2", "yaml", "black")
Commands = Sequence[Sequence[str]]


def run(folder: Path, missing: tuple[str, ...], commands: Commands) -> list[tuple[int, str]]:
    """Run each command in a process of its own; its status, and what it prints."""
    put(folder / "pyproject.toml", '[tool.toolcast]\nproviders = ["openai"]\n')
    put(folder / "specs/a.yaml", "description: Does one thing.\npermission: read\nsecrets: []\n")
    code = CODE.format(missing=missing, commands=commands)
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    printed = done.stdout.split("\0")
    assert len(printed) == 2 * len(commands) + 1, done.stderr
    return list(zip(map(int, printed[1::2]), printed[::2], strict=False))


@pytest.mark.parametrize(
    "missing", [*ALONE, ("click",), ("click", "jinja2", "yaml", "black", "jsonschema_rs")], ids=",".join
)
def test_the_command_that_installs_it_is_named(tmp_path: Path, missing: tuple[str, ...]) -> None:
    commands: Commands = [
        ("generate",),
        ("generate", "--check"),
        ("report",),
        ("lint", "--tokens"),
        ("import", "decide", "--permission", "read"),
        ("import", "tools", "tools.json"),
    ]
    if "click" in missing:
        commands = [*commands[1:], ("init",)]
    for command, answer in zip(commands, run(tmp_path, missing, commands), strict=True):
        assert answer == REFUSED, command
    assert {path.name for path in tmp_path.iterdir()} == {"pyproject.toml", "specs"}


def test_what_compiles_nothing_works(tmp_path: Path) -> None:
    commands = [("report", "--help"), ("--help",), ("serve", "--help"), ("schema",)]
    for status, printed in run(tmp_path, ("jinja2",), commands):
        assert status == 0, printed


@pytest.mark.parametrize("missing", sampled([ALL, *ALONE], [ALL]), ids=",".join)
def test_help_is_shown_or_says_what_it_needs(tmp_path: Path, missing: tuple[str, ...]) -> None:
    names = [*COMMANDS, *UNLISTED, *(f"import {kind}" for kind in KINDS)]
    answers = run(tmp_path, missing, [(*name.split(), "--help") for name in names])
    for name, (status, printed) in zip(names, answers, strict=True):
        assert (status, printed) == REFUSED or (status == 0 and f"Usage: toolcast {name}" in printed), printed
