"""What `[tool.toolcast.verify]` and a spec's `verify.ignore` decide."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import toolcast.analysis.verify.verified_tool as subject_module
import yaml
from click.testing import CliRunner, Result
from msgspec import structs
from toolcast.cli.main import cli
from toolcast.project.core.compiler import compile_tool

SPEC = {
    "description": "Repeats a text so many times.",
    "permission": "read",
    "secrets": [],
    "parameters": {
        "type": "object",
        "required": ["text"],
        "additionalProperties": False,
        "properties": {"text": {"type": "string"}, "loud": {"type": "boolean", "default": False}},
    },
}
Write = Callable[..., None]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["verify", *arguments], prog_name="toolcast")


def answer(*arguments: str) -> tuple[int, dict[str, Any]]:
    result = run("--format", "json", *arguments)
    return result.exit_code, json.loads(result.stdout)


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    monkeypatch.chdir(tmp_path)

    def project(table: str = "", **keys: Any) -> None:
        (tmp_path / "specs").mkdir(exist_ok=True)
        (tmp_path / "specs/echo.yaml").write_text(yaml.safe_dump({**SPEC, **keys}, sort_keys=False))
        head = '[tool.toolcast]\nproviders = ["openai"]\n[tool.toolcast.verify]\nexamples = 90\nseed = 4\n'
        (tmp_path / "pyproject.toml").write_text(head + table)

    return project


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiler that makes decoders too lenient."""

    def compile_wrongly(*arguments: object) -> object:
        compiled = compile_tool(*arguments)  # type: ignore[arg-type]
        lenient = {
            path: data.replace(b"loud: bool", b"loud: int | bool") for path, data in compiled.files.items()
        }
        return structs.replace(compiled, files=lenient)

    monkeypatch.setattr(subject_module, "compile_tool", compile_wrongly)


def test_the_table_says_how_hard_and_where_chance_starts(write: Write) -> None:
    write()
    _, first = answer()
    assert (first["seed"], first["examples"]) == (4, 90)
    _, other = answer("--seed", "5", "--examples", "20")
    assert (other["seed"], other["examples"]) == (5, 20)


@pytest.mark.usefixtures("broken")
@pytest.mark.parametrize(("level", "status"), [("error", 1), ("warning", 0), ("note", 0)])
def test_a_level_decides_the_exit_status(write: Write, level: str, status: int) -> None:
    write(f'levels = {{L1 = "{level}", L3 = "{level}"}}\n')
    code, found = answer()
    assert code == status
    assert found["counterexamples"] >= 1
    told = [each.get("severity", "error") for each in found["tools"][0]["counterexamples"]]
    assert set(told) == {level}
    assert (f"L1 equivalence ({level})" in run().stdout) == (level != "error")


@pytest.mark.usefixtures("broken")
def test_a_law_that_is_off_is_not_reported(write: Write) -> None:
    write('levels = {L1 = "off", L3 = "off"}\n')
    code, found = answer()
    assert (code, found["counterexamples"], found["suppressed"]) == (0, 0, 0)


@pytest.mark.usefixtures("broken")
def test_a_suppressed_law_is_counted(write: Write) -> None:
    write(verify={"ignore": {"L1": "Reported upstream.", "L3": "Reported upstream."}})
    code, found = answer()
    assert (code, found["counterexamples"]) == (0, 0)
    assert found["suppressed"] == found["tools"][0]["suppressed"] >= 1
    assert f"no counterexample, {found['suppressed']} suppressed (seed 4)" in run().stdout


@pytest.mark.usefixtures("broken")
def test_a_suppression_that_has_ended_is_reported_and_ends(write: Write) -> None:
    write(verify={"ignore": {"L1": {"reason": "Reported upstream.", "until": "2020-01-31"}}})
    result = run()
    assert result.exit_code == 1
    assert "L1 equivalence: echo" in result.stdout
    assert "warning[ended-ignore]: the suppression of 'L1' ended on 2020-01-31" in result.stderr


def test_an_unknown_code_is_refused_at_its_place(write: Write) -> None:
    write('levels = {L9 = "off", second-opinon = "off"}\n')
    code, found = answer()
    assert code == 1
    told = [(each["line"], each["column"], each["code"]) for each in found["diagnostics"]]
    assert told == [(6, 11, "unknown-code"), (6, 23, "unknown-code")]
    assert "did you mean 'second-opinion'?" in found["diagnostics"][1]["hint"]


# An RE2-like engine knows no look-ahead: the models of the other family cannot be built.
OTHER = {
    **SPEC["parameters"],  # type: ignore[dict-item]
    "properties": {"text": {"type": "string", "pattern": "^(?=a)[a-z]{1,3}$"}},
}


@pytest.mark.parametrize(("level", "status"), [("error", 1), ("note", 0), ("off", 0)])
def test_a_second_opinion_fails_where_the_project_says_so(write: Write, level: str, status: int) -> None:
    write(f'second_opinion = true\nlevels = {{second-opinion = "{level}"}}\n', parameters=OTHER)
    code, found = answer()
    assert code == status
    assert bool(found["tools"][0].get("second_opinion")) == (level != "off")
    assert "second_opinion" not in answer("--no-second-opinion")[1]["tools"][0]


def test_a_known_disagreement_is_suppressed_and_no_agreement(write: Write) -> None:
    known = {"second-opinion": "pydantic's engine has no look-ahead."}
    table = 'second_opinion = true\nlevels = {second-opinion = "error"}\n'
    write(table, parameters=OTHER, verify={"ignore": known})
    code, found = answer()
    assert (code, found["suppressed"]) == (0, 1)
    assert "agree" not in run().stdout
