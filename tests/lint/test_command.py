"""The command: exit status, forms, choices, and what it says to wrong use."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from toolcast.analysis.lint.finding import RULES
from toolcast.cli.main import cli

from tests.lint.projects import GOOD, spec, write

Command = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    open_object = {"type": "object", "additionalProperties": True}
    write(
        tmp_path,
        {
            "good": GOOD,
            "g/vague": spec(description="Does stuff."),
            "loose": spec(description="Takes any keys there are.", parameters=open_object),
        },
    )
    return lambda *arguments: CliRunner().invoke(cli, ["lint", *arguments], prog_name="toolcast")


def test_text_shows_place_answer_and_way_out(run: Command) -> None:
    result = run()
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert (
        lines[0]
        == "specs/g/vague.yaml:1:14: warning[vague-description]: vague: the description has only 2 words"
    )
    assert lines[1] == "  1 | description: Does stuff."
    assert lines[3].startswith("  hint: say what the tool does")
    assert "would answer: " in result.stdout
    assert lines[-1] == "toolcast: 3 tools: 1 warning, 1 note"
    assert "\x1b" not in result.stdout


def test_what_models_get_wrong(run: Command, tmp_path: Path) -> None:
    properties = {
        "kind": {"enum": ["high", "low"], "description": "How soon it is needed."},
        "people": {"type": "array", "items": {"type": "object", "required": ["name"]}, "description": "Who."},
    }
    write(tmp_path, {"report": spec(properties=properties)})
    sent = (
        [{"kind": "high"}] * 6 + [{"kind": "urgent"}] * 3 + [{"kind": "asap"}, {"people": [{}, {}], "x": 1}]
    )
    calls = tmp_path / "calls.jsonl"
    parts = [{"functionCall": {"name": name, "args": each}} for each in sent for name in ("report", "other")]
    calls.write_text(json.dumps({"contents": [{"parts": parts}]}))
    result = run("--calls", str(calls), "--select", "refused-calls")
    assert result.exit_code == 0
    start, all = "note[refused-calls]: report: ", "of 11 recorded calls"
    assert [line for line in result.stdout.splitlines() if start in line] == [
        f"specs/report.yaml:8:5: {start}`x` refused in 1 {all} (additionalProperties): 1",
        f'specs/report.yaml:12:20: {start}`kind` refused in 4 {all} (enum): "urgent", "asap"',
        f"specs/report.yaml:16:9: {start}`people[].name` refused in 1 {all} (required)",
    ]
    assert "hint: say in the description of `kind` what fits" in result.stdout
    calls.write_text("{")
    assert "cannot be read: 1; the first is line 1: it is not valid JSON" in run("--calls", str(calls)).stderr
    assert run("--calls", str(tmp_path / "none")).exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        ((), 0),
        (("--strict",), 1),
        (("--max-severity", "note"), 1),
        (("--max-severity", "none"), 1),
        (("--max-severity", "none", "--ignore", "vague-description", "--ignore", "not-strict"), 0),
        (("--strict", "--ignore", "vague-description"), 0),
        (("--strict", "good"), 0),
        (("--strict", "specs/g/vague.yaml"), 1),
        (("--strict", "--group", "g"), 1),
        (("--group", "nowhere"), 1),
        (("--provider", "opneai"), 1),
        (("nothing",), 1),
        (("--select", "vague",), 1),
    ],
)  # fmt: skip
def test_exit_status(run: Command, arguments: tuple[str, ...], status: int) -> None:
    assert run(*arguments).exit_code == status


def test_errors_fail(run: Command) -> None:
    Path("specs/long.yaml").write_text(
        f"name: long\ndescription: {'many words ' * 100}\npermission: read\nsecrets: []\n", encoding="utf-8"
    )
    result = run("--format", "json")
    assert result.exit_code == 1
    (error,) = [each for each in json.loads(result.stdout)["findings"] if each["severity"] == "error"]
    assert (error["code"], error["providers"]) == ("description-length", ["openai", "openai-responses"])


def test_a_spec_that_does_not_compile_fails_and_hides_no_other(run: Command) -> None:
    Path("specs/bad.yaml").write_text("name: bad\n", encoding="utf-8")
    result = run("--format", "json")
    answer = json.loads(result.stdout)
    assert (result.exit_code, answer["tools"]) == (1, 3)
    assert {each["file"] for each in answer["diagnostics"]} == {"specs/bad.yaml"}
    assert len(answer["findings"]) == 2


def test_wrong_names_get_a_near_one(run: Command) -> None:
    assert "did you mean 'vague-description'?" in run("--ignore", "vague-descriptoin").output
    assert "did you mean 'openai'?" in run("--provider", "opneai").output
    assert "did you mean 'vague'?" in run("vage").output


def test_github_annotations(run: Command) -> None:
    lines = run("--format", "github").stdout.splitlines()
    assert lines[0].startswith(
        "::warning file=specs/g/vague.yaml,line=1,col=14,title=vague-description::vague: "
    )
    assert lines[1].startswith("::notice file=specs/loose.yaml")


def test_sarif_names_rules_levels_and_places(run: Command) -> None:
    log = json.loads(run("--format", "sarif").stdout)
    assert log["version"] == "2.1.0"
    (only,) = log["runs"]
    rules = only["tool"]["driver"]["rules"]
    reported: list[dict[str, Any]] = only["results"]
    assert [(each["ruleId"], each["level"]) for each in reported] == [
        ("vague-description", "warning"), ("not-strict", "note"),
    ]  # fmt: skip
    for each in reported:
        assert rules[each["ruleIndex"]]["id"] == each["ruleId"]
        (place,) = each["locations"]
        assert place["physicalLocation"]["artifactLocation"]["uri"].startswith("specs/")
        assert place["physicalLocation"]["region"]["startLine"] >= 1
    assert reported[1]["properties"]["providers"] == ["openai", "openai-responses"]


def test_every_code_is_explained(run: Command) -> None:
    text = run("--list").stdout
    rows = json.loads(run("--list", "--format", "json").stdout)
    assert {row["code"] for row in rows} == set(RULES)
    assert all(f"{code}: {rule.severity}" in text for code, rule in RULES.items())


def test_colours_where_they_are_wanted(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[1;35mwarning[vague-description]\x1b[0m" in run().stdout


def test_tokens_are_a_table(run: Command) -> None:
    text = run("--tokens", "--provider", "mcp").stdout
    assert "all tools" in text
    rows = [line.split() for line in text.split("tool ", 1)[1].splitlines() if " mcp " in line]
    assert [len(row) for row in rows] == [6, 6, 6]
    full = [int(row[2]) for row in rows]
    assert full == sorted(full, reverse=True)
    answer = json.loads(run("--tokens", "--format", "json").stdout)
    assert {each["provider"] for each in answer["tokens"]["totals"]} >= {"openai", "mcp"}


def test_warnings_of_schemas_are_findings_that_strict_fails_on(tmp_path: Path, run: Command) -> None:
    text = {"type": "string", "minLenght": 3, "description": "A text to look at."}
    parameters = {"type": "object", "additionalProperties": False, "properties": {"a": text}}
    write(tmp_path, {"typo": spec(description="Looks at a text and counts.", parameters=parameters)})
    assert run("typo", "--select", "schema-warning").exit_code == 0
    result = run("typo", "--select", "schema-warning", "--strict", "--format", "json")
    assert result.exit_code == 1
    [found] = json.loads(result.stdout)["findings"]
    assert "`minLenght` is not a JSON Schema keyword" in found["message"]
    assert (found["tool"], found["line"] > 1) == ("typo", True)
    assert "did you mean `minLength`" in found["fix"]


def test_equal_findings_of_many_tools_are_one_entry(tmp_path: Path, run: Command) -> None:
    write(tmp_path, {f"t{n}": spec(description="Does stuff.") for n in range(13)})
    shown = run("--select", "vague-description").stdout
    entries = [line for line in shown.splitlines() if "[vague-description]" in line]
    [entry] = [line for line in entries if "14 tools" in line]
    assert entry == (
        "specs/g/vague.yaml:1:14: warning[vague-description]: 14 tools (vague, t0, t1 and 11 more):"
        " the description has only 2 words"
    )
    assert len(entries) == 1
    assert "14 warnings" in shown
    found = json.loads(run("--select", "vague-description", "--format", "json").stdout)["findings"]
    assert len(found) == 14
