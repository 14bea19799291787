"""The target `cli`: a command line whose flags say what JSON says."""

import importlib
import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from toolcast.analysis.instances.edits import instances
from toolcast.analysis.instances.oracle import Oracle
from toolcast.cli.tool_commands import run
from toolcast.console import printable
from toolcast.project.generate import build
from toolcast.project.worker import FRONTEND
from toolcast.runtime import ArgumentError
from toolcast.targets.render import set_outputs

from tests.project.fake import config_of, put, tree
from tests.targets.surfaces import HOSTILE, ROOT, corpus_model, target

APP = """\
from toolcast.runtime import ToolRegistry, ToolResult

from {package}.registry import BINDINGS


def registry():
    made = ToolRegistry()
    for name, binding in BINDINGS.items():
        made.register(binding, lambda params, context, of=binding: ToolResult.ok(of.encode(params).decode()))
    return made
"""
ODD = {
    "description": HOSTILE[0],
    "permission": "write",
    "secrets": [],
    "parameters": {
        "type": "object",
        "required": ["text"],
        "properties": {
            "text": {"type": "string", "description": HOSTILE[0]},
            "json": {"type": "string"},
            "help": {"type": "integer"},
            "a b": {"type": "string"},
            "a_b": {"type": "string"},
            "no_dry": {"type": "string"},
            "dry": {"type": "boolean"},
            "mode": {"enum": ["fast", "slow", "; rm *", "$(x)", "a b"]},
            "level": {"enum": [1, "auto", None]},
            "words": {"type": "array", "items": {"type": "string"}},
            "ages": {"type": "array", "items": {"type": ["integer", "null"]}},
            "tree": {"type": "object", "additionalProperties": {"type": "integer"}},
            "größe": {"type": "number"},
        },
    },
    "examples": [{"text": HOSTILE[0], "dry": True}, {"text": "it's", "words": ["-a", ""]}],
}
CLASHING = ("json", "help", "a b", "a_b", "no_dry", "dry")
"""Parameters of the odd tool whose flags are not called as they are."""
SHOWN: dict[str, dict[str, list[str]]] = {}
"""By tool, each flag that its help shows, with the word after it."""
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The tools of this repository and an odd one, as a project whose handlers return their parameters."""
    folder = tmp_path_factory.mktemp("cli")
    shutil.copytree(ROOT / "specs", folder / "specs")
    for file in (folder / "specs").rglob("*.yaml"):  # results are what the handlers below return
        put(file, re.sub(r"^result:.*\n(?:[ \t].*\n|\n)*", "", file.read_text("utf-8"), flags=re.MULTILINE))
    put(folder / "specs/odd.json", json.dumps(ODD))
    settings = '[tool.toolcast]\noutput = "made_cli"\nproviders = ["mcp"]\n[tool.toolcast.targets.cli]\n'
    put(folder / "pyproject.toml", f'[project]\nname = "acme"\n{settings}app = "app_cli:registry"\n')
    put(folder / "app_cli.py", APP.format(package="made_cli"))
    assert not build(config_of(folder), FRONTEND).failed
    sys.path.insert(0, str(folder))
    yield folder
    sys.path.remove(str(folder))
    for name in [each for each in sys.modules if each.partition(".")[0] in ("made_cli", "app_cli")]:
        del sys.modules[name]


@pytest.fixture
def acme(project: Path, capsys: pytest.CaptureFixture[str]) -> Run:  # noqa: ARG001
    module = importlib.import_module("made_cli.targets.cli.__main__").__name__

    def acme(*words: str) -> tuple[int, str, str]:
        try:
            status = run(module, words)
        except SystemExit as end:
            status = int(str(end.code))
        return status, *capsys.readouterr()

    return acme


def bindings() -> Any:
    return importlib.import_module("made_cli.registry").BINDINGS


def words(acme: Run, tool: str, arguments: dict[str, Any]) -> list[str]:
    """Arguments as flags, where their help offers one that can say them; the rest as JSON."""
    if tool not in SHOWN:
        lines = acme(tool, "--help")[1].split("options:")[1].splitlines()
        rows = [line.replace(",", "").split()[:2] for line in lines if line.startswith("  --")]
        SHOWN[tool] = {flag: metavar for flag, *metavar in rows}
    offered = SHOWN[tool]
    found: list[str] = []
    rest: dict[str, Any] = {}
    for name, value in arguments.items():
        flag = f"--{name.replace('_', '-')}"
        if flag not in offered or name in CLASHING or value is None or value == []:
            rest[name] = value
        elif isinstance(value, bool):
            found.append(flag if value else f"--no-{flag[2:]}")
        elif isinstance(value, list) and offered[flag] != ["JSON"]:
            found += [each for item in value for each in (flag, text(item))]
        else:
            found += [flag, text(value)]
    return [*found, *(["--json", json.dumps(rest)] if rest else [])]


def text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def same(acme: Run, tool: str, arguments: dict[str, Any]) -> None:
    expected = bindings()[tool].encode(bindings()[tool].decode(json.dumps(arguments))).decode()
    stated = words(acme, tool, arguments)
    assert acme(tool, *stated) == (0, f"{expected}\n", ""), stated


def test_examples_say_the_same_as_flags(acme: Run, project: Path) -> None:
    commands = json.loads((project / "made_cli/targets/cli/commands.json").read_bytes())
    examples = [(name, each) for name, tool in commands["tools"].items() for each in tool["examples"]]
    assert len(commands["tools"]) == 20
    assert len(examples) > 40
    for name, each in examples:
        same(acme, name, each)


def schema(tool: str, project: Path) -> Any:
    document = json.loads((project / f"made_cli/contracts/{tool}.json").read_bytes())
    return {**document["parameters"], "$defs": document.get("$defs", {})}


@pytest.mark.parametrize("many", [4, pytest.param(60, marks=pytest.mark.thorough)])
def test_random_arguments_say_the_same_as_flags(acme: Run, project: Path, many: int) -> None:
    """Values of each contract, and edits of them that do not fit: told as those of JSON are."""
    rng, fits, refused = random.Random(7), 0, 0
    for tool in sorted(bindings()):
        for value in instances(Oracle(schema(tool, project)), rng, many):
            if not isinstance(value, dict):
                continue
            try:
                bindings()[tool].decode(json.dumps(value))
            except ArgumentError as problem:
                expected = (1, "", f"{printable(str(problem))}\n")
            else:
                same(acme, tool, value)
                fits += 1
                continue
            assert acme(tool, "--json", json.dumps(value)) == expected
            refused += 1
    assert fits >= 500 * many / 60
    assert refused >= 5 * many


@pytest.mark.parametrize(
    "value", ["-x", "--text", "--help", "a=b", "=", "", 'it\'s\n"$(x)"', "--json=1", "{}"]
)
def test_a_value_may_be_any_text(acme: Run, value: str) -> None:
    for stated in (["--text", value], [f"--text={value}"]):
        assert json.loads(acme("odd", *stated)[1]) == {"text": value}
    made = json.loads(acme("odd", "--text", "", "--words", value, f"--words={value}")[1])
    assert made["words"] == [value, value]


def test_each_parameter_has_a_flag_of_its_own(acme: Run) -> None:
    flags = ["--json-2", "a", "--help-2", "5", "--a-b", "b", "--a-b-2", "c", "--no-dry", "d", "--no-dry-2"]
    flags += ["--level", "auto", "--ages", "1", "--ages", "null", "--tree", '{"x": 1}', "--größe=1e1"]
    status, made, told = acme("odd", "--text", "t", *flags)
    assert (status, told) == (0, "")
    assert json.loads(made) == {
        "text": "t", "json": "a", "help": 5, "a b": "b", "a_b": "c", "no_dry": "d", "dry": False,
        "level": "auto", "ages": [1, None], "tree": {"x": 1}, "größe": 10,
    }  # fmt: skip
    assert json.loads(acme("odd", "--text", "t", "--level", "1")[1])["level"] == 1


@pytest.mark.parametrize(
    ("stated", "status", "problem"),
    [
        (["odd"], 1, "missing required property `text`"),
        (["odd", "--text", "a", "--help-2", "five"], 1, "`help` must be an integer"),
        (["odd", "--text", "a", "--mode", "fats"], 1, "`mode`"),
        (["odd", "--text", "a", "--tree", "{"], 2, "argument --tree: the text is not valid JSON"),
        (["odd", "--text", "a", "--tree", '{"a": 1, "a": 2}'], 1, "duplicate property"),
        (["odd", "--text", "a", "--json", '{"text": "b"}'], 2, "--text states what --json states"),
        (["odd", "--json", '{"text": "a", "text": "b"}'], 2, "has a key twice"),
        (["odd", "--json", "[]"], 2, "the text is no JSON object"),
        (["odd", "--txt", "a"], 2, "unrecognized arguments: --txt"),
        (["odd", "--tex", "a"], 2, "unrecognized arguments: --tex"),
        (["odd", "--text"], 2, "expected one argument"),
        (["odd", "--text", "\udcff"], 2, "not valid UTF-8"),
        (["eddit"], 2, "did you mean 'edit'"),
        ([], 2, "name a tool"),
        (["--format", "xml", "odd"], 2, "invalid choice"),
    ],
)
def test_what_is_wrong_is_named(acme: Run, stated: list[str], status: int, problem: str) -> None:
    found = acme(*stated)
    assert found[:2] == (status, "")
    assert problem in found[2]


def test_json_comes_from_stdin_and_results_print_as_json(acme: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b'{"text": "from stdin"}')))
    status, made, _ = acme("--format", "json", "odd", "--json", "-", "--dry-2")
    assert status == 0
    assert json.loads(json.loads(made)["output"]) == {"text": "from stdin", "dry": True}


def test_help_shows_texts_as_they_are(acme: Run) -> None:
    status, shown, _ = acme("odd", "--help")
    assert status == 0
    assert "% %(prog)s %d {{ x }} </b> \\u202e\\u2028\n*/" not in shown
    assert "% %(prog)s %d {{ x }} </b> \\u202e\\u2028" in shown
    assert "permission: write" in shown
    assert re.search(r"--words TEXT +\[repeatable\]\n +--ages INTEGER", shown)
    assert "--json JSON " in shown
    assert "\u202e" not in shown
    assert "odd" in acme("--help")[1]


def test_it_runs_as_a_program(project: Path) -> None:
    """In a process without click and the compiler, and from another folder, whose modules are not its own."""
    blocked = (
        "import sys\nfor name in ('click', 'jinja2', 'yaml', 'black', 'rich'): sys.modules[name] = None\n"
    )
    put(project / "elsewhere/app_cli.py", "raise SystemExit('imported')")
    code = f"{blocked}from made_cli.targets.cli.__main__ import main\nsys.exit(main())"
    command = [
        sys.executable,
        "-P",
        "-c",
        code,
        "edit",
        "--file-path",
        "/a",
        "--old-string=x",
        "--new-string",
        "-",
    ]
    done = subprocess.run(
        command, cwd=project / "elsewhere", env={**os.environ, "PYTHONPATH": str(project)},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {"file_path": "/a", "old_string": "x", "new_string": "-"}
    shown = subprocess.run(
        [sys.executable, "-m", "made_cli.targets.cli", "nothing"],
        cwd=project, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (shown.returncode, shown.stdout) == (2, "")


BASH = """
source <(acme --completion bash)
ask() {
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
    _acme "$1" "${COMP_WORDS[COMP_CWORD]}"
    echo "${COMPREPLY[*]}"
}
complete -p acme
"""
LINES = {
    "acme edi": "edit",
    "acme odd --mo": "--mode",
    "acme odd --mode '": "fast slow",
    "acme odd --mode s": "slow",
    "acme odd --mode = f": "fast",
    "acme odd --mode =": "fast slow",
    "acme odd --text x --dr": "--dry-2",
    "acme odd --no-dry-": "--no-dry-2",
    "acme --format ": "text json",
    "acme nothing --x": "",
}


@pytest.fixture
def shell(project: Path) -> Callable[..., list[str]]:
    """Run a script in a shell in which `acme` is a command."""
    program = project / "bin/acme"
    put(
        program,
        f"#!{sys.executable}\nfrom made_cli.targets.cli.__main__ import main\nraise SystemExit(main())\n",
    )
    program.chmod(0o755)
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"

    def run(name: str, script: str) -> list[str]:
        if shutil.which(name) is None:
            pytest.skip(f"there is no {name}")
        done = subprocess.run(
            [name, "-c", script], env={**os.environ, "PATH": path, "PYTHONPATH": str(project)},
            cwd=project, capture_output=True, text=True, timeout=120, check=True,
        )  # fmt: skip
        return done.stdout.splitlines()

    return run


def test_bash_completes(shell: Callable[..., list[str]]) -> None:
    asked = [" ".join(each if each not in ("'", "") else "''" for each in line.split(" ")) for line in LINES]
    registered, *found = shell("bash", BASH + "\n".join(f"ask {line}" for line in asked))
    assert registered == "complete -o default -F _acme acme"
    assert dict(zip(LINES, found, strict=True)) == LINES


def test_fish_completes(shell: Callable[..., list[str]]) -> None:
    assert shell("fish", "acme --completion fish | source; complete -C 'acme edi'") == ["edit"]
    assert shell("fish", "acme --completion fish | source; complete -C 'acme odd --mode '") == [
        "fast",
        "slow",
    ]


@pytest.mark.corpora
def test_each_tool_of_the_corpora_has_a_command(
    shared_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tools = corpus_model(shared_dir)
    assert len(tools.tools) > 200
    for path, content in set_outputs(target("cli"), tools).items():
        put(tmp_path / "corpus_cli" / path, content.decode())
    monkeypatch.syspath_prepend(str(tmp_path))
    module = importlib.import_module("corpus_cli.targets.cli.__main__").__name__
    for tool in tools.tools:
        with pytest.raises(SystemExit, match="0"):
            run(module, [tool.names.wire, "--help"])
        shown = capsys.readouterr().out
        assert shown.startswith(f"usage: acme {tool.names.wire} [flags]\n")
        assert shown.count("\n  --") == len(tool.arguments) + 1


def test_outputs_stay_and_the_ledger_names_what_has_no_place(project: Path) -> None:
    made = tree(project / "made_cli/targets")
    assert [path for path in made if "__pycache__" not in path] == ["cli/__main__.py", "cli/commands.json"]
    assert build(config_of(project), FRONTEND, mode="check").plan.empty
    ledger = json.loads((project / "made_cli/ledger/edit.json").read_bytes())
    assert {each["keyword"] for each in ledger if "targets/cli" in each["providers"]} == {"annotations"}
