"""`toolcast` where only a part of the compiler is installed: click comes with the extra `mcp`, too."""

import subprocess
import sys
from pathlib import Path

import pytest
from toolcast.cli.import_ import KINDS
from toolcast.cli.main import COMMANDS, STEPS

from tests.project.fake import put

CODE = """\
import sys
sys.modules[{missing!r}] = None  # as if it were not installed
sys.argv = ["toolcast", *{arguments!r}]
from toolcast.cli.entry import main
sys.exit(main())
"""


def run(folder: Path, missing: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    put(folder / "pyproject.toml", '[tool.toolcast]\nproviders = ["openai"]\n')
    put(folder / "specs/a.yaml", "description: Does one thing.\npermission: read\nsecrets: []\n")
    code = CODE.format(missing=missing, arguments=arguments)
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("missing", ["jinja2", "yaml", "black"])
@pytest.mark.parametrize(
    "arguments",
    [
        ("generate",),
        ("generate", "--check"),
        ("report",),
        ("lint", "--tokens"),
        ("import", "decide", "--permission", "read"),
        ("import", "tools", "tools.json"),
    ],
)
def test_the_command_that_installs_it_is_named(
    tmp_path: Path, missing: str, arguments: tuple[str, ...]
) -> None:
    done = run(tmp_path, missing, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "toolcast: the compiler is not installed; run: pip install 'toolcast[build]'\n"
    assert {path.name for path in tmp_path.iterdir()} == {"pyproject.toml", "specs"}


def test_without_click_it_is_named_too(tmp_path: Path) -> None:
    done = run(tmp_path, "click", "report")
    assert (done.returncode, done.stdout) == (2, "")
    assert "pip install 'toolcast[build]'" in done.stderr


@pytest.mark.parametrize("arguments", [("report", "--help"), ("--help",), ("serve", "--help"), ("schema",)])
def test_what_compiles_nothing_works(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = run(tmp_path, "jinja2", *arguments)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("missing", ["jinja2", "yaml", "black"])
@pytest.mark.parametrize("command", [*COMMANDS, *STEPS, *(f"import {kind}" for kind in KINDS)])
def test_help_is_shown_or_says_what_it_needs(tmp_path: Path, missing: str, command: str) -> None:
    done = run(tmp_path, missing, *command.split(), "--help")
    if done.returncode:
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == "toolcast: the compiler is not installed; run: pip install 'toolcast[build]'\n"
    else:
        assert f"Usage: toolcast {command}" in done.stdout
