"""The command, on the reference toolset and on a project of its own."""

import json
import shutil
from pathlib import Path

import pytest
import toolcast.analysis.verify.verified_tool as subject_module
from click.testing import CliRunner, Result
from msgspec import structs
from toolcast.cli.main import cli
from toolcast.project.core.compiler import compile_tool

from tests.sampled import sampled

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["verify", *arguments], prog_name="toolcast")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three tools of the reference toolset, and the shared types that they use."""
    types = ("_types/text_edit.yaml", "_types/process_state.yaml")
    for name in ("files/edit.yaml", "files/multi_edit.yaml", "shell/bash.yaml", *types):
        target = tmp_path / "specs" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "specs" / name, target)
    (tmp_path / "pyproject.toml").write_text('[tool.toolcast]\nproviders = ["openai", "gemini"]\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("examples", sampled([8, 400], [8]))
def test_the_reference_toolset_holds(examples: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    tools = sorted(path.stem for path in ROOT.glob("specs/[!_]*/*.yaml"))
    some = tools[::4] if examples == 8 else tools
    result = run(*some, "--seed", "1", "--examples", str(examples), "--format", "json")
    answer = json.loads(result.stdout)
    assert [found for tool in answer["tools"] for found in tool.get("counterexamples", ())] == []
    assert answer["diagnostics"] == []
    assert result.exit_code == 0
    assert len(answer["tools"]) == len(some) > 4
    assert all(tool["valid"] >= examples / 4 and tool["invalid"] >= examples / 8 for tool in answer["tools"])


def test_nothing_is_written(project: Path) -> None:
    assert run("--seed", "1").exit_code == 0
    assert sorted(path.name for path in project.iterdir()) == ["pyproject.toml", "specs"]


@pytest.mark.parametrize("name", ["edit", "specs/files/edit.yaml", "files/edit.yaml", "files/edit"])
def test_a_tool_is_named_by_path_or_name(project: Path, name: str) -> None:
    result = run(name, "--seed", "3", "--examples", "20", "--format", "json")
    assert [tool["tool"] for tool in json.loads(result.stdout)["tools"]] == ["edit"]
    absolute = run(str(project / "specs/files/edit.yaml"), "--examples", "5", "--format", "json")
    assert [tool["tool"] for tool in json.loads(absolute.stdout)["tools"]] == ["edit"]


@pytest.mark.usefixtures("project")
def test_an_unknown_name_is_an_error_with_a_hint() -> None:
    result = run("edti", "bash", "--seed", "1")
    assert result.exit_code == 1
    assert "there is no tool called 'edti'" in result.stderr
    assert "did you mean 'edit'?" in result.stderr
    assert "1 tool," in result.stdout


def test_a_seed_says_everything(project: Path) -> None:
    (project / "specs" / "more.yaml").write_bytes((project / "specs/files/edit.yaml").read_bytes())
    (project / "specs" / "yet.yaml").write_bytes((project / "specs/shell/bash.yaml").read_bytes())
    one = run("--seed", "9", "--examples", "6", "--format", "json", "--jobs", "1")
    two = run("--seed", "9", "--examples", "6", "--format", "json", "--jobs", "2")
    assert one.stdout == two.stdout
    assert json.loads(one.stdout)["seed"] == 9
    assert len(json.loads(one.stdout)["tools"]) == 5


@pytest.mark.usefixtures("project")
def test_without_a_seed_the_one_taken_is_printed() -> None:
    seeds = {run("edit", "--examples", "2").stdout.partition("(seed ")[2] for _ in range(3)}
    assert len(seeds) == 3


def test_a_broken_spec_fails_the_run_and_the_others_are_verified(project: Path) -> None:
    (project / "specs/broken.yaml").write_text(
        "description: x\npermission: read\nsecrets: []\nparameters: 3\n"
    )
    result = run("--seed", "1", "--examples", "10")
    assert result.exit_code == 1
    assert "specs/broken.yaml:4" in result.stderr
    assert "3 tools," in result.stdout


@pytest.mark.usefixtures("project")
def test_a_counterexample_fails_the_run_and_shows_both_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: object) -> object:
        compiled = compile_tool(*arguments)  # type: ignore[arg-type]
        files = {
            path: data.replace(b"replace_all: bool", b"replace_all: int | bool")
            if path.endswith(".py")
            else data
            for path, data in compiled.files.items()
        }
        return structs.replace(compiled, files=files)

    monkeypatch.setattr(subject_module, "compile_tool", broken)
    result = run("edit", "--seed", "1")
    assert result.exit_code == 1
    assert "L1 equivalence: edit" in result.stdout
    assert "specs/files/edit.yaml:" in result.stdout
    assert "the schema refuses it: " in result.stdout
    assert "the decoder accepts it" in result.stdout
    assert (
        "1 counterexample (seed 1)" in " ".join(result.stdout.split()) or "counterexamples" in result.stdout
    )
    coloured = CliRunner().invoke(
        cli, ["verify", "edit", "--seed", "1"], color=True, env={"FORCE_COLOR": "1"}
    )
    assert "\x1b[1;31mL1 equivalence" in coloured.stdout


@pytest.mark.usefixtures("project")
def test_the_second_opinion_is_no_failure() -> None:
    result = run("bash", "--seed", "1", "--second-opinion")
    assert result.exit_code == 0
    assert "second opinion on bash" in result.stdout
