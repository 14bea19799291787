"""`toolcast lint --score`."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from toolcast.cli.lint import command

from tests.lint.projects import spec, write

ALIKE = {
    "read_lines": spec(description="Reads the lines of a file."),
    "read_file": spec(description="Reads all lines of a file. Always call this tool first."),
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(write(tmp_path, ALIKE, 'providers = ["openai", "mcp"]'))
    return tmp_path


def _lint(*arguments: str) -> Result:
    return CliRunner().invoke(command, arguments, standalone_mode=False)


@pytest.mark.usefixtures("project")
def test_the_text_has_the_points_with_their_reasons_and_the_pairs() -> None:
    text = _lint("--score").output
    assert "score of the set: " in text
    assert "[imperative-text]" in text
    assert "[confusable-tools]" in text
    assert "read_lines" in text.partition("other tool")[2]


@pytest.mark.usefixtures("project")
def test_json_has_the_score_beside_the_findings() -> None:
    answer = json.loads(_lint("--score", "--format", "json").output)
    assert {each["tool"] for each in answer["score"]["tools"]} == set(ALIKE)
    assert {"confusable-tools", "imperative-text"} <= {each["code"] for each in answer["findings"]}
    assert "score" not in json.loads(_lint("--format", "json").output)


@pytest.mark.usefixtures("project")
def test_one_tool_is_scored_among_all() -> None:
    answer = json.loads(_lint("read_lines", "--score", "--format", "json").output)["score"]
    assert [each["tool"] for each in answer["tools"]] == ["read_lines"]
    assert [(each["first"], each["second"]) for each in answer["pairs"]] == [("read_file", "read_lines")]


@pytest.mark.usefixtures("project")
def test_a_set_below_the_least_score_fails() -> None:
    points = json.loads(_lint("--score", "--format", "json").output)["score"]["set"]["points"]
    assert 0 < points < 100
    assert [_lint("--min-score", str(least)).return_value for least in (points, points + 1)] == [0, 1]


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("form", ["text", "json", "github", "sarif"])
def test_every_form_says_why_a_set_below_the_least_score_fails(form: str) -> None:
    failed, passed = (_lint("--min-score", least, "--format", form) for least in ("100", "1"))
    assert (failed.return_value, passed.return_value) == (1, 0)
    assert "of 100 points, and --min-score asks for 100" in failed.output
    assert "low-score" in failed.output
    assert "low-score" not in passed.output


@pytest.mark.parametrize("arguments", [(), ("--group", "none"), ("--format", "json")], ids=" ".join)
def test_a_set_without_tools_has_no_score_and_passes_no_least_score(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.chdir(write(tmp_path, {}, 'providers = ["openai"]'))
    (tmp_path / "specs").mkdir(exist_ok=True)
    scored, least = _lint("--score", *arguments), _lint("--min-score", "0", *arguments)
    assert "of 100" not in scored.output
    assert '"points"' not in scored.output
    assert least.return_value == 1
    assert "no tool was scored" in least.output
