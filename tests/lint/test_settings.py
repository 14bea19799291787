"""What `[tool.toolcast.lint]` decides: severities, budgets of tokens, and defaults of options."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from toolcast.analysis.lint import tokens
from toolcast.analysis.lint.linted_tool import load_project
from toolcast.cli.main import cli
from toolcast.config import load_config

from tests.lint.projects import GOOD, found, run, spec, write

VAGUE = spec(description="Does stuff.")


def settings(text: str) -> str:
    return f'providers = ["mcp", "openai"]\n[tool.toolcast.lint]\n{text}\n'


def command(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["lint", *arguments], prog_name="toolcast")


@pytest.mark.parametrize("level", ["error", "warning", "note"])
def test_a_level_is_the_severity(tmp_path: Path, level: str) -> None:
    folder = write(tmp_path, {"a": VAGUE}, settings(f'levels = {{vague-description = "{level}"}}'))
    assert [each.severity for each in found(folder, "vague-description")] == [level]


def test_what_is_off_is_neither_found_nor_an_unused_suppression(tmp_path: Path) -> None:
    ignoring = {**VAGUE, "lint": {"ignore": {"vague-description": "The name says it all."}}}
    folder = write(tmp_path, {"a": VAGUE, "b": ignoring}, settings('levels = {vague-description = "off"}'))
    outcome = run(folder)
    assert (outcome.findings, outcome.suppressed) == ((), 0)


def test_levels_of_suppressions(tmp_path: Path) -> None:
    unused = spec(lint={"ignore": {"depth": "It was deep."}})
    folder = write(tmp_path, {"a": unused}, settings('levels = {unused-ignore = "error"}'))
    assert [each.severity for each in found(folder, "unused-ignore")] == ["error"]


@pytest.mark.parametrize(
    ("text", "place", "code", "hint"),
    [
        ('levels = {vague-descriptoin = "off"}', (4, 11), "unknown-code", "'vague-description'"),
        ("max_tokens.providers.opneai = 9", (4, 1), "unknown-provider", "'openai'"),
        ("max_tokens.providers = {gemini = 9}", (4, 25), "unknown-provider", "providers are: mcp, openai"),
        ("max_tokens.groups = {flies = 9}", (4, 22), "unknown-group", "'files'"),
    ],
)
def test_unknown_names_are_refused_at_their_place(
    tmp_path: Path, text: str, place: tuple[int, int], code: str, hint: str
) -> None:
    (only,) = run(write(tmp_path, {"files/a": GOOD}, settings(text))).refused
    assert (Path(only.file).name, only.line, only.column) == ("pyproject.toml", *place)
    assert only.code == code
    assert hint in only.hint


def test_a_group_whose_tools_have_errors_is_not_unknown(tmp_path: Path) -> None:
    specs = {"files/a": "name: [\n", "b": GOOD}
    outcome = run(write(tmp_path, specs, settings("max_tokens.groups = {files = 9}")))
    assert "unknown-group" not in {each.code for each in outcome.refused}
    assert len(outcome.refused) == 1


def costs(folder: Path) -> dict[str, dict[str, int]]:
    config, _ = load_config(folder)
    assert config is not None
    project = load_project(config, (), lambda *_: None)
    found = tokens.counted(project.subjects, project.profiles).costs
    return {
        profile.id: {each.tool: each.full for each in found if each.provider == profile.id}
        for profile in project.profiles
    }


TOOLS = {
    "files/a": spec(description="Counts the words of a text. " * 9),
    "files/deep/b": spec(properties={"n": {"type": "integer", "description": "How many, at most."}}),
    "c": GOOD,
}


def test_budgets_hold_up_to_the_limit_and_not_beyond(tmp_path: Path) -> None:
    known = costs(write(tmp_path, TOOLS, settings("")))
    highest = max(each["a"] for each in known.values())
    for limit, over in ((highest, []), (highest - 1, ["a"])):
        write(tmp_path, TOOLS, settings(f"max_tokens.tool = {limit}"))
        assert [each.tool for each in found(tmp_path, "tokens")] == over
    for keys, code, names in (
        ("set", "set-tokens", "abc"),
        ("groups.files", "group-tokens", "ab"),
        ("groups.'files/deep'", "group-tokens", "b"),
    ):
        total = max(sum(own[name] for name in names) + len(names) + 1 for own in known.values())
        for limit, count in ((total, 0), (total - 1, 1)):
            write(tmp_path, TOOLS, settings(f"max_tokens.{keys} = {limit}"))
            assert len(found(tmp_path, code)) == count, keys


def test_a_finding_names_number_limit_contributors_and_place(tmp_path: Path) -> None:
    write(tmp_path, TOOLS, settings("[tool.toolcast.lint.max_tokens]\ntool = 100\nset = 30"))
    known = costs(tmp_path)
    (tool,) = found(tmp_path, "tokens")
    numbers = [int(each) for each in re.findall(r"\d+", tool.message)]
    highest = max(each["a"] for each in known.values())
    assert numbers[:3] == [highest, highest - 100, 100]
    assert "the description (" in tool.message
    assert "`text` (" in tool.message
    assert (Path(tool.file).name, tool.line, tool.severity) == ("a.yaml", 1, "error")
    (whole,) = found(tmp_path, "set-tokens")
    assert (Path(whole.file).name, whole.line, whole.column) == ("pyproject.toml", 6, 1)
    assert re.search(r"most of it: a \(\d+\), [bc] \(\d+\), [bc] \(\d+\)$", whole.message)
    assert whole.providers == ("mcp", "openai")


def test_a_provider_has_its_own_limit_instead_of_that_of_the_set(tmp_path: Path) -> None:
    write(tmp_path, TOOLS, settings("max_tokens = {set = 30, providers = {openai = 9_000}}"))
    assert [each.providers for each in found(tmp_path, "set-tokens")] == [("mcp",)]


def test_a_spec_may_exceed_the_budget_of_a_tool_with_a_reason(tmp_path: Path) -> None:
    ignoring = {**TOOLS["files/a"], "lint": {"ignore": {"tokens": "Its text was measured to help."}}}
    write(tmp_path, {"a": ignoring}, settings("max_tokens.tool = 9"))
    assert (run(tmp_path).findings, run(tmp_path).suppressed) == ((), 1)
    write(tmp_path, {"a": ignoring}, settings(""))
    assert run(tmp_path).findings == ()  # nothing was looked for


def test_options_override_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"a": VAGUE}, settings('max_severity = "note"\nlosses = true'))
    monkeypatch.chdir(tmp_path)
    assert command().exit_code == 1
    assert command("--max-severity", "warning").exit_code == 0
    write(tmp_path, {"a": VAGUE}, settings('max_severity = "warning"'))
    assert command().exit_code == 0
    assert command("--strict").exit_code == 1


def test_losses_of_the_table_can_be_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lossy = spec(properties={"a": {"type": "object", "additionalProperties": {"type": "integer"}}})
    write(tmp_path, {"a": lossy}, 'providers = ["gemini"]\n[tool.toolcast.lint]\nlosses = true\n')
    monkeypatch.chdir(tmp_path)

    def codes(*arguments: str) -> set[str]:
        answer = json.loads(command("--format", "json", *arguments).stdout)
        return {each["code"] for each in answer["findings"]}

    assert "lossy" in codes()
    assert "lossy" not in codes("--no-losses")
