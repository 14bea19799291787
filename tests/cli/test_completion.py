"""Shell completion: what is offered, what that costs, and how a shell gets it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.shell_completion import BashComplete
from toolcast.cli.main import cli
from toolcast.providers import available

from tests.project.fake import put

BASH = shutil.which("bash")
VARIABLE = "_TOOLCAST_COMPLETE"
"""Where click looks for what a shell's script asks."""
ENTRY = """
import atexit, sys
sys.argv = ["toolcast"]
atexit.register(lambda: print(*sorted(sys.modules), file=sys.stderr))
from toolcast.cli.entry import main
sys.exit(main())
"""


class Offered(list[str]):
    modules: frozenset[str] = frozenset()


Complete = Callable[[str], Offered]


@pytest.fixture
def complete(empty: Path) -> Complete:
    """What is offered at the end of a command line, in a process of its own."""
    put(empty / "pyproject.toml", "[tool.toolcast]\n")
    put(empty / "specs/files/edit.yaml", "# a comment\nname: edit\nsummary: Edit.\n")
    put(empty / "specs/files/other.yaml", "name: 'ls'  # not that of the file\n")
    put(empty / "specs/web/api/fetch.json", '{"summary": "x", "name": "get-page"}')
    put(empty / "specs/unnamed.yml", "summary: Nothing.\nparameters:\n  properties:\n    name: {}\n")
    put(empty / "specs/torn.json", '{"name": ')
    put(empty / "specs/_types/shared.yaml", "type: string\n")

    def offered(line: str) -> Offered:
        environment = {
            **os.environ,
            VARIABLE: "bash_complete",
            "COMP_WORDS": line,
            "COMP_CWORD": str(len(line.split(" ")) - 1),
        }
        done = subprocess.run(
            [sys.executable, "-c", ENTRY],
            cwd=empty, env=environment, capture_output=True, text=True, timeout=60, check=True,
        )  # fmt: skip
        words = Offered(line.removeprefix("plain,") for line in done.stdout.splitlines() if line)
        words.modules = frozenset(done.stderr.split())
        return words

    return offered


@pytest.mark.usefixtures("complete")
def test_commands_options_and_names() -> None:
    """In this process: how a shell asks is tested below."""

    def complete(line: str) -> list[str]:
        _, *words = line.split(" ")
        shell = BashComplete(cli, {}, "toolcast", VARIABLE)
        return [item.value for item in shell.get_completions(words[:-1], words[-1])]

    assert complete("toolcast s") == ["schema", "serve", "show", "stubs"]
    assert complete("toolcast show ") == ["edit", "get-page", "ls", "torn", "unnamed"]
    assert complete("toolcast call e") == ["edit"]
    assert complete("toolcast import decide l") == ["ls"]
    assert complete("toolcast lint edit g") == ["get-page"]
    assert complete("toolcast call --in her") == ["hermes"]
    assert complete("toolcast list --group ") == ["files", "web", "web/api"]
    assert complete("toolcast show edit --provider open") == [
        id for id in available() if id.startswith("open")
    ]
    assert complete("toolcast show --pro") == ["--provider", "--providers"]
    assert complete("toolcast lint --ignore vague") == ["vague-description", "vague-parameter"]


def test_nothing_is_compiled_or_read_for_a_command(complete: Complete) -> None:
    commands = complete("toolcast ")
    assert "show" in commands
    own = {name for name in commands.modules if name.startswith("toolcast.cli.")}
    assert own == {"toolcast.cli.entry", "toolcast.cli.main", "toolcast.cli.terminal"}
    assert "toolcast.config" not in commands.modules
    kinds = complete("toolcast import ")
    assert {"decide", "mcp", "openapi", "python", "sample", "tools"} <= set(kinds)
    assert not any(name.startswith("toolcast.cli.import_m") for name in kinds.modules)
    tools = complete("toolcast show ")
    assert "edit" in tools
    heavy = (
        "yaml",
        "rich",
        "jinja2",
        "toolcast.contract",
        "toolcast.languages.python",
        "toolcast.runtime",
        "toolcast.project",
    )
    assert [name for name in tools.modules if name.startswith(heavy)] == []


def test_names_that_a_shell_would_read_are_not_offered(complete: Complete, empty: Path) -> None:
    for number, name in enumerate(("$(touch evil)", "a b", "*", "`x`", "-rf", "x;y", "é")):
        put(empty / f"specs/t{number}.json", f'{{"name": "{name}"}}')
        put(empty / f"specs/{name}.yaml", "summary: x\n")
        put(empty / f"specs/{name}/x.yaml", "summary: x\n")
    assert complete("toolcast show ") == ["edit", "get-page", "ls", "torn", "unnamed", "x"]
    assert complete("toolcast list --group ") == ["files", "web", "web/api"]


def test_a_wrong_configuration_offers_nothing(complete: Complete, empty: Path) -> None:
    put(empty / "pyproject.toml", "[tool.toolcast]\nspec = 3\n")
    assert complete("toolcast show ") == []
    assert complete("toolcast sho") == ["show"]


@pytest.mark.skipif(BASH is None or sys.platform == "win32", reason="asks bash")
def test_bash_completes_after_one_command(complete: Complete, empty: Path) -> None:
    del complete  # for its project
    home = empty / "home dir"
    home.mkdir()
    (empty / "bin").mkdir()
    program = empty / "bin/toolcast"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m toolcast "$@"\n', "utf-8")
    program.chmod(0o755)
    environment = {"HOME": str(home), "PATH": f"{empty / 'bin'}:{os.environ['PATH']}"}
    words = {"env": environment, "cwd": empty, "capture_output": True, "text": True, "check": True}
    script = (
        f'eval "$({VARIABLE}=bash_source toolcast)"; COMP_WORDS=(toolcast show ge); COMP_CWORD=2;'
        ' _toolcast_completion toolcast; echo "${COMPREPLY[@]}"; complete -p toolcast'
    )
    done = subprocess.run([BASH, "--norc", "-c", script], **words)  # type: ignore[call-overload]
    assert done.stdout.splitlines()[0] == "get-page", done.stderr
    assert "-F _toolcast_completion toolcast" in done.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_printed(shell: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "toolcast"],
        env={**os.environ, VARIABLE: f"{shell}_source"}, capture_output=True, text=True, timeout=60,
        check=True,
    )  # fmt: skip
    assert f"{VARIABLE}={shell}_complete" in done.stdout
