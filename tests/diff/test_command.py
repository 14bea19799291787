"""`toolcast diff`: forms, exit statuses, levels, suppressions, and what it says to wrong use."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from toolcast.analysis.diff.rules import AUDIENCES, RULES
from toolcast.cli.diff import AUDIENCES as OPTIONS

from tests.diff.projects import EDIT, Repository, changed, diff, rules, toolcast, with_properties

NARROWER = with_properties(EDIT, mode={"enum": ["a"], "description": "How."})
REWORDED = changed(EDIT, description="Replace one exact text in a file.")


@pytest.fixture
def broken(repository: Repository) -> Repository:
    repository.commit({"edit": EDIT})
    repository.write({"edit": NARROWER})
    return repository


@pytest.mark.usefixtures("broken")
def test_text_names_tool_rule_place_and_witness() -> None:
    result = toolcast("diff")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[:5] == [
        "edit  specs/edit.json",
        "  error[values-narrowed] (calls): `mode`: accepted before, refused now: 'b'",
        "    at: specs/edit.json:16:4",
        '    call: {"mode":"b","path":"a"}',
        '    refused: $.mode: `mode` must be one of "a", got "b"',
    ]
    assert lines[-1].startswith("toolcast: HEAD → the work tree: 1 tool differs: 1 error, ")
    assert lines[-1].endswith("(errors for calls)")
    assert "\x1b" not in result.stdout


def test_nothing_changed(repository: Repository) -> None:
    repository.commit({"edit": EDIT})
    result = toolcast("diff")
    assert result.exit_code == 0
    assert result.stdout == (
        "toolcast: HEAD → the work tree: 0 tools differ: nothing that anyone would notice\n"
    )
    assert toolcast("diff", "--format", "changelog").stdout == "No tool changed.\n"


def test_equal_specs_are_neither_parsed_nor_read_from_git(repository: Repository) -> None:
    repository.commit({"_types/t": {"type": "string"}, "edit": EDIT, "find.yaml": "name: find"})
    program = (
        "import sys, toolcast.cli.main as main\n"
        "import toolcast.analysis.diff.targets as targets\n"
        "ask, asked = targets.run_git, []\n"
        "targets.run_git = lambda *words, **more: (asked.append(words[2:4]), ask(*words, **more))[1]\n"
        "status = main.run(['diff'])\n"
        "print(status, *sum(asked, ()), file=sys.stderr)\n"
        "print(*sys.modules, file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "0 tools differ" in done.stdout
    asked, modules = (line.split() for line in done.stderr.splitlines())
    assert asked[0] == "0"
    assert "ls-tree" in asked
    assert "--batch" not in asked
    unwanted = ("contract", "providers", "languages", "runtime", "analysis.containment", "project.core")
    assert not [each for each in modules if each.startswith(tuple(f"toolcast.{name}" for name in unwanted))]
    assert not {"yaml", "jinja2", "black", "jsonschema_rs"}.intersection(modules)


@pytest.mark.parametrize("level", ["warning", "error"])
def test_a_level_hides_changes_and_alters_none(repository: Repository, level: str) -> None:
    """Changes below the level are left out; all others are as without it, suppressed ones included."""
    known = {"reason": "It is wanted.", "until": "2099-01-01"}
    ignored = {"diff": {"ignore": {"calls-widened": known, "parameter-added": known}}}
    free = with_properties(EDIT, mode={"type": "string"}, place={"$ref": "_types/place.json"})
    specs = {"narrower": EDIT, "reworded": EDIT, "open": {**EDIT, **ignored}, "place": free}
    specs["lost"] = with_properties(EDIT, deep={"type": "object", "properties": {"a": True}})
    repository.commit({"_types/place": {"type": "string"}, **specs})
    wider = with_properties({**EDIT, **ignored}, mode={"type": "string"}, more={"type": "integer"})
    specs |= {"narrower": NARROWER, "reworded": REWORDED, "open": wider}
    specs["lost"] = with_properties(EDIT, deep={"type": "object", "not": {"required": ["a"]}})
    repository.write({"_types/place": {"type": "integer"}, **specs})
    every, part = diff("--provider", "openai"), diff("--provider", "openai", "--level", level)
    kept = ("error", "warning")[: 1 + (level == "warning")]
    assert part["changes"] == [each for each in every["changes"] if each["level"] in kept]
    assert part["diagnostics"] == every["diagnostics"]
    assert {"error", "warning", "note"} == {each["level"] for each in every["changes"]}
    assert {each["rule"] for each in every["suppressed"]} == {"calls-widened", "parameter-added"}


@pytest.mark.usefixtures("broken")
def test_json_has_every_field() -> None:
    answer = diff()
    (change,) = [each for each in answer["changes"] if each["level"] == "error"]
    assert change["witness"] == {
        "value": {"mode": "b", "path": "a"},
        "refusal": '$.mode: `mode` must be one of "a", got "b"',
    }
    assert (change["tool"], change["rule"], change["audience"]) == ("edit", "values-narrowed", "calls")
    assert (change["file"], change["line"], change["old"]) == ("specs/edit.json", 16, False)


def test_github_annotations(broken: Repository) -> None:
    first = toolcast("diff", "--format", "github").stdout.splitlines()[0]
    assert first.startswith("::error file=specs/edit.json,line=16,col=4,title=values-narrowed::edit: `mode`")
    broken.write({})
    (gone,) = [
        line for line in toolcast("diff", "--format", "github").stdout.splitlines() if "tool-removed" in line
    ]
    assert gone.startswith("::error file=specs/edit.json,title=tool-removed::")


@pytest.mark.usefixtures("broken")
def test_sarif_names_rules_levels_and_places() -> None:
    log = json.loads(toolcast("diff", "--format", "sarif").stdout)
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    known = run["tool"]["driver"]["rules"]
    assert {each["ruleId"] for each in run["results"]} == {each["id"] for each in known}
    for each in run["results"]:
        assert known[each["ruleIndex"]]["id"] == each["ruleId"]
        assert known[each["ruleIndex"]]["shortDescription"]["text"] == RULES[each["ruleId"]].title
        assert each["level"] in ("error", "warning", "note")
        assert each["message"]["text"]
        (place,) = each["locations"]
        assert place["physicalLocation"]["artifactLocation"]["uri"] == "specs/edit.json"
        assert place["physicalLocation"]["region"]["startLine"] >= 1
    (error,) = [each for each in run["results"] if each["level"] == "error"]
    assert error["properties"]["witness"]["value"] == {"mode": "b", "path": "a"}


def test_sarif_has_no_line_of_a_file_that_is_gone(broken: Repository) -> None:
    broken.write({})
    log = json.loads(toolcast("diff", "--format", "sarif", "--audience", "calls").stdout)
    (result,) = [each for each in log["runs"][0]["results"] if each["ruleId"] == "tool-removed"]
    assert "region" not in result["locations"][0]["physicalLocation"]


def test_markdown_is_text_whatever_names_and_descriptions_hold(repository: Repository) -> None:
    evil = "<img src=x> @everyone [a](http://b) `x` ``y`` | *z*\n# h\n"
    repository.commit({"edit": EDIT})
    named = with_properties(EDIT, **{evil: {"type": "string", "description": evil}})
    repository.write({"edit": changed(named, description=f"{evil} told")})
    for form in ("markdown", "changelog"):
        text = toolcast("diff", "--format", form).stdout
        outside = re.sub(r"(`+).+?\1(?!`)", "", text)
        assert "<img" not in outside
        assert "@everyone" not in outside
        assert not re.search(r"(?<!\\)\]\(|://", outside)
        assert not re.search(r"^# h", text, re.MULTILINE)


@pytest.mark.usefixtures("broken")
def test_markdown_groups_by_audience_and_folds_notes() -> None:
    text = toolcast("diff", "--format", "markdown").stdout
    assert text.startswith("### Tools: `HEAD` → `the work tree`\n\n1 tool differs: 1 error, ")
    assert "#### Calls that were valid\n\n- ❌ **edit**: `mode`: accepted before" in text
    assert "<details>" in text


@pytest.mark.parametrize(
    ("settings", "status"),
    [
        ("", 1),
        ("diff = {levels = {values-narrowed = 'warning'}}", 0),
        ("diff = {levels = {calls = 'note'}}", 0),
        ("diff = {levels = {calls = 'off', values-narrowed = 'error'}}", 1),
        ("diff = {levels = {calls = 'off'}}", 0),
        ("diff = {levels = {calls = 'off', model = 'error'}}", 1),
        ("diff = {levels = {call = 'off'}}", 2),
    ],
)
def test_a_project_says_what_an_error_is(broken: Repository, settings: str, status: int) -> None:
    broken.write({"edit": NARROWER}, settings + "\n")
    result = toolcast("diff")
    assert result.exit_code == status, result.output
    if status == 2:
        assert "pyproject.toml:2:" in result.stderr
        assert "did you mean 'calls'?" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("--audience", "results"), 0),
        (("--audience", "calls"), 1),
        (("--level", "error"), 1),
        (("edit",), 1),
        (("specs/edit.json",), 1),
        (("--provider", "gemini"), 1),
        (("--provider", "gemni"), 2),
        (("--audience", "all"), 2),
        (("nothing",), 1),
    ],
)
@pytest.mark.usefixtures("broken")
def test_choices(arguments: tuple[str, ...], status: int) -> None:
    assert toolcast("diff", *arguments).exit_code == status


def test_a_wrong_name_gets_a_near_one(broken: Repository) -> None:
    result = toolcast("diff", "edti")
    assert "unknown-tool" in result.stderr
    assert "did you mean 'edit'?" in result.stderr
    broken.write({"edit": EDIT})
    assert toolcast("diff", "edit").exit_code == 0  # it is there, and did not change


@pytest.mark.usefixtures("broken")
def test_the_least_level() -> None:
    assert {each["level"] for each in diff("--level", "error")["changes"]} == {"error"}
    assert "note" in {each["level"] for each in diff()["changes"]}


def ignoring(rule: str, until: str) -> dict[str, Any]:
    """The narrower tool, which says why that is no matter."""
    return {**NARROWER, "diff": {"ignore": {rule: {"reason": "nobody uses b", "until": until}}}}


def test_a_suppression_holds_until_its_last_day(broken: Repository) -> None:
    broken.write({"edit": ignoring("values-narrowed", "2999-01-01")})
    answer = diff("--audience", "calls")
    assert answer["changes"] == []
    (suppressed,) = answer["suppressed"]
    assert suppressed["suppression"]["reason"] == "nobody uses b"
    assert "1 suppressed" in toolcast("diff").stdout
    broken.write({"edit": ignoring("values-narrowed", "2020-01-01")})
    answer = diff("--audience", "calls")
    assert (rules(answer), answer["failed"]) == ([("edit", "values-narrowed")], True)
    (ended,) = answer["diagnostics"]
    assert (ended["code"], ended["severity"]) == ("ended-ignore", "warning")


def test_a_suppression_of_what_is_not_there(broken: Repository) -> None:
    broken.write({"edit": ignoring("tool-renamed", "2999-01-01")})
    (unused,) = diff()["diagnostics"]
    assert (unused["code"], unused["severity"]) == ("unused-ignore", "note")
    broken.write({"edit": ignoring("values-narowed", "2999-01-01")})
    (unknown,) = diff()["diagnostics"]
    assert (unknown["code"], unknown["severity"]) == ("unknown-rule", "error")
    assert unknown["hint"] == "did you mean 'values-narrowed'?"


def test_a_removal_is_announced_where_the_tool_was(repository: Repository) -> None:
    until = {"reason": "announced in March", "until": "2999-01-01"}
    repository.commit({"edit": {**EDIT, "diff": {"ignore": {"tool-removed": until}}}})
    repository.write({})
    answer = diff("--audience", "calls")
    assert (answer["failed"], len(answer["suppressed"])) == (False, 1)


def test_specs_that_do_not_compile(broken: Repository) -> None:
    broken.write({"edit": "{", "new": EDIT})
    answer = diff()
    assert answer["failed"]
    assert {each["file"] for each in answer["diagnostics"] if each["severity"] == "error"} == {
        "specs/edit.json"
    }
    assert rules(answer) == [("edit", "not-compared"), ("new", "tool-added")]  # and `edit` is not gone


def test_every_rule_is_explained() -> None:
    text = toolcast("diff", "--list").stdout
    rows = json.loads(toolcast("diff", "--list", "--format", "json").stdout)
    assert {row["rule"] for row in rows} == set(RULES)
    assert all(f"{id} ({rule.audience}): {rule.level}" in text for id, rule in RULES.items())
    assert OPTIONS == AUDIENCES


def test_control_characters_reach_no_terminal(repository: Repository) -> None:
    repository.commit({"edit": EDIT})
    name = "a\x1b[31m\u202eb"
    repository.write({"edit": with_properties(EDIT, **{name: {"type": "string", "description": name}})})
    for form in ("text", "json", "github", "markdown", "sarif"):
        assert not re.search("[\x1b\u202e]", toolcast("diff", "--format", form).output), form
    assert "\x1b" not in toolcast("diff", "--format", "changelog").output


@pytest.mark.usefixtures("broken")
def test_colours_where_they_are_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[1;31merror[values-narrowed]\x1b[0m (calls)" in toolcast("diff").stdout


BROKEN = {
    "text": "{",
    "schema": {**EDIT, "parameters": {**EDIT["parameters"], "minProperties": "many"}},
    "reference": with_properties(EDIT, place={"$ref": "#/$defs/none"}),
    "key": {**EDIT, "permision": "write"},
}


@pytest.mark.parametrize("setting", ["calls = 'off'", "calls = 'note'"])
def test_no_level_of_an_audience_hides_that_nothing_was_compared(
    repository: Repository, setting: str
) -> None:
    repository.commit({"edit": BROKEN["reference"]})
    repository.write({"edit": EDIT}, f"diff = {{levels = {{{setting}}}}}\n")
    answer = diff()
    assert (rules(answer), answer["failed"]) == ([("edit", "not-compared")], True)
    repository.write({"edit": EDIT}, "diff = {levels = {not-compared = 'warning'}}\n")
    assert [each["level"] for each in diff()["changes"]] == ["warning"]


def test_every_finding_names_its_parameter_and_its_audience(repository: Repository) -> None:
    where = {"type": "object", "properties": {"in": {"type": "string", "title": "One"}}}
    limit = {"type": "integer", "default": 10, "minimum": 1}
    result = {"type": "object", "properties": {"count": {"type": "integer", "title": "One"}}}
    repository.commit({"edit": changed(with_properties(EDIT, limit=limit, where=where), result=result)})
    where = {"type": "object", "properties": {"in": {"type": "string", "title": "Two"}}}
    limit = {"type": "integer", "default": 20, "minimum": 0}
    result = {"type": "object", "properties": {"count": {"type": "integer", "title": "Two"}}}
    repository.write({"edit": changed(with_properties(EDIT, limit=limit, where=where), result=result)})
    said = {
        "`limit`: `default` was 10 and is 20": "model",
        "`limit`: `minimum` was 1 and is 0": "model",
        "`where.in`: the title: [-One-] {+Two+}": "model",
        "in the result, `count`: the title: [-One-] {+Two+}": "model",
        "a call without `limit` means 20, and meant 10": "calls",
        "more calls are valid: `limit`": "calls",
    }
    assert {each["message"]: each["audience"] for each in diff()["changes"]} == said
    text, log = (toolcast("diff", "--format", form).stdout for form in ("text", "changelog"))
    for message, audience in said.items():
        assert f"] ({audience}): {message}" in text
        assert message.replace("[", "\\[").replace("]", "\\]") in log or message in log
    markdown = toolcast("diff", "--format", "markdown").stdout
    assert "(`constraint-read`, model, `specs/edit.json:" in markdown
    assert "means 20, and meant 10 (for calls)" in toolcast("diff", "--format", "github").stdout


def test_caches_are_compared_on_request(broken: Repository) -> None:
    assert "prefix-ends" not in toolcast("diff").stdout
    assert {each["rule"] for each in diff("--audience", "cache")["changes"]} == {"prefix-ends"}
    broken.write({"edit": NARROWER}, "diff = {levels = {cache = 'warning'}}\n")
    assert "warning[prefix-ends] (cache)" in toolcast("diff").stdout


@pytest.mark.parametrize("side", ["old", "new", "both"])
@pytest.mark.parametrize("wrong", BROKEN)
def test_a_spec_that_does_not_compile_is_a_change_of_its_own(
    repository: Repository, wrong: str, side: str
) -> None:
    other = f"{BROKEN[wrong]} " if wrong == "text" else {**BROKEN[wrong], "summary": "Another."}  # type: ignore[dict-item]
    repository.commit({"edit": EDIT if side == "new" else BROKEN[wrong]})
    repository.write({"edit": EDIT if side == "old" else other})
    for chosen in ([], ["--audience", "trust"], ["edit"], ["specs/edit.json"]):
        answer = diff(*chosen)
        assert answer["failed"]
        assert rules(answer) == [("edit", "not-compared")]
        (change,) = answer["changes"]
        assert ("in HEAD" in change["message"]) == (side != "new")
        assert change["old"] == (side != "new")
        assert change["line"] >= 1
    for form in ("text", "json", "github", "markdown", "sarif"):
        shown = toolcast("diff", "--format", form)
        assert shown.exit_code == 1, form
        assert "not-compared" in shown.output, form
        assert "nothing that anyone" not in shown.output, form
    shown = toolcast("diff", "--format", "changelog")
    assert shown.exit_code == 1
    assert "not compared" in shown.output.lower()
    repository.write({"edit": EDIT if side == "old" else other, "find": EDIT})
    assert not [each for each in diff("find")["changes"] if each["rule"] == "not-compared"]


def test_a_problem_of_what_has_no_other_state_is_not_nothing(repository: Repository) -> None:
    """A new spec that does not compile, and a name that no tool has."""
    repository.commit({"edit": EDIT})
    repository.write({"edit": EDIT, "find": BROKEN["schema"]})
    for chosen in ([], ["find"], ["nothing"]):
        for form in ("text", "json", "github", "markdown", "sarif"):
            shown = toolcast("diff", *chosen, "--format", form)
            assert shown.exit_code == 1, form
            assert "nothing that anyone" not in shown.output, form
        shown = toolcast("diff", *chosen, "--format", "changelog")
        assert shown.exit_code == 1
        assert "No tool changed" not in shown.output
    assert "0 tools differ: 2 problems, so not all is compared" in toolcast("diff", "nothing").stdout


def test_a_listed_tool_that_does_not_compile_is_a_change_of_its_own(
    repository: Repository, tmp_path: Path
) -> None:
    repository.write({"edit": EDIT})
    parameters = {"type": "object", "properties": {"a": {"type": "string", "x": "\ud800"}}}
    tool = {"name": "edit", "description": "Edits.", "inputSchema": parameters}
    other = {**tool, "name": "find", "inputSchema": {"type": "object"}}
    (tmp_path / "old.json").write_text(json.dumps([tool, other]), encoding="utf-8")
    answer = diff("--against", str(tmp_path / "old.json"))
    assert answer["failed"]
    assert "not-compared" in [rule for _, rule in rules(answer)]


def test_the_next_version(repository: Repository) -> None:
    repository.commit({"edit": EDIT, "other": {**EDIT, "name": "other"}})
    repository.write(
        {
            "edit": {**EDIT, "description": "Edits."},
            "other": {**EDIT, "name": "other"},
            "new": EDIT | {"name": "new"},
        }
    )
    lines = toolcast("diff", "--version").output.splitlines()
    assert lines == ["minor", "patch  edit", "minor  new"]
    repository.write({"edit": EDIT})
    assert toolcast("diff", "--version").output.splitlines()[0] == "major"


def test_an_accepted_change_is_told_no_more(repository: Repository) -> None:
    repository.commit({"edit": EDIT, "other": {**EDIT, "name": "other"}})
    repository.write({"edit": EDIT})
    [found] = diff("--audience", "calls")["changes"]
    repository.write(
        {"edit": EDIT}, f"diff = {{accepted = {{{found['fingerprint']} = 'nobody calls it'}}}}\n"
    )
    answer = diff("--audience", "calls")
    assert (answer["changes"], answer["failed"]) == ([], False)
    assert answer["suppressed"][0]["suppression"]["reason"] == "nobody calls it"
