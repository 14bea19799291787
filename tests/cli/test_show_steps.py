"""`show --steps` with the real compiler."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from toolcast.providers import steps

from tests.cli.conftest import Command
from tests.project.fake import put

SPEC = """\
name: look
description: Looks at a place.
permission: read
secrets: []
providers: {anthropic-strict: {strict: false}}
parameters:
  type: object
  required: [at]
  properties:
    at: {type: string, minLength: 2}
    labels: {type: object, additionalProperties: {type: integer, exclusiveMinimum: 0}}
"""
PARAMETERS: dict[str, Any] = {
    "type": "object",
    "required": ["at"],
    "properties": {
        "at": {"type": "string", "minLength": 2},
        "labels": {"type": "object", "additionalProperties": {"type": "integer", "exclusiveMinimum": 0}},
    },
}
HEAD = re.compile(r"^([a-z_]+): ([A-Z].*)$", re.MULTILINE)


@pytest.fixture
def real(empty: Path) -> Path:
    put(empty / "specs/look.yaml", SPEC)
    put(empty / "pyproject.toml", '[tool.toolcast]\nproviders = ["mcp"]\n')
    return empty


def shown(text: str) -> dict[str, str]:
    parts = HEAD.split(text)
    return dict(zip(parts[1::3], parts[3::3], strict=True))


@pytest.mark.usefixtures("real")
def test_each_step_has_its_name_its_summary_its_schema_and_its_entries(run: Command) -> None:
    result = run("show", "look", "--provider", "gemini", "--steps")
    assert result.exit_code == 0
    assert result.stdout.startswith("look for gemini:\n\nparsed: Read the schema as JSON Schema 2020-12: ")
    found = steps(PARAMETERS, "gemini")
    assert HEAD.findall(result.stdout) == [(step.name, step.summary) for step in found]
    for step, (name, text) in zip(found, shown(result.stdout).items(), strict=True):
        assert step.name == name
        body, _, table = text.partition("\n  PATH ")
        assert json.loads(body) == step.schema
        assert bool(table) == bool(step.entries)
        assert all(entry.reason in table for entry in step.entries)


@pytest.mark.usefixtures("real")
def test_colours_show_what_a_step_changed(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    text = run("show", "look", "--provider", "gemini", "--steps").stdout
    assert "\x1b[1mbounds\x1b[0m: Express exclusive bounds" in text
    bounds = text.partition("\x1b[1mbounds\x1b[0m")[2].partition("\n\n")[0].splitlines()
    removed = [line for line in bounds if "\x1b[31m-" in line]
    added = [line for line in bounds if "\x1b[32m+" in line]
    assert ["exclusiveMinimum" in line for line in removed] == [True]
    assert ['"minimum": 1' in line for line in added] == [True]


@pytest.mark.usefixtures("real")
def test_steps_for_programs(run: Command) -> None:
    data = json.loads(run("show", "look", "--provider", "gemini", "--steps", "--format", "json").stdout)
    assert (data["tool"], data["provider"], data["strict"]) == ("look", "gemini", None)
    found = steps(PARAMETERS, "gemini")
    assert [step["name"] for step in data["steps"]] == [step.name for step in found]
    assert [step["schema"] for step in data["steps"]] == [step.schema for step in found]
    assert data["steps"][-1]["entries"] or data["steps"][-2]["entries"]
    tool = json.loads(run("show", "look", "--provider", "gemini").stdout)
    assert tool["parameters"] == data["steps"][-1]["schema"]


def test_where_strict_mode_is_given_up_it_says_why(real: Path, run: Command) -> None:
    put(real / "specs/look.yaml", SPEC.partition("    labels")[0] + "    any: {description: Anything.}\n")
    result = run("show", "look", "--provider", "openai", "--steps")
    assert result.stdout.startswith("look for openai, without strict mode:\n")
    below = shown(result.stdout)["strict"]
    assert "(the schema stays as it is)" in below
    assert "/properties/any" in below
    assert "rules out strict mode, which cannot express a value of any type" in below
    flag = json.loads(run("show", "look", "--provider", "openai", "--steps", "--format", "json").stdout)
    assert flag["strict"] is False


@pytest.mark.usefixtures("real")
def test_where_strict_mode_is_used_its_walk_is_shown(run: Command) -> None:
    text = run("show", "look", "--provider", "openai", "--steps").stdout
    assert text.startswith("look for openai, in strict mode:\n")
    assert "optional_nulls" in shown(text)
    assert run("show", "look", "--provider", "xai", "--steps").stdout.startswith(
        "look for xai, always strict:"
    )


@pytest.mark.usefixtures("real")
def test_what_the_spec_says_of_strict_mode_holds(run: Command) -> None:
    text = run("show", "look", "--provider", "anthropic-strict", "--steps").stdout
    assert text.startswith("look for anthropic-strict, without strict mode:\n")
    assert "strict" not in shown(text)


DOCS = Path(__file__).resolve().parents[2] / "docs/reference/providers.md"
EXAMPLE = re.compile(r"(?s)```yaml\n(name: look\n.*?)```.*<!-- steps:begin -->\n(.*?)<!-- steps:end -->")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def test_the_example_of_the_docs_is_what_is_printed(
    real: Path, run: Command, monkeypatch: pytest.MonkeyPatch, update_cases: bool
) -> None:
    text = DOCS.read_text("utf-8")
    found = EXAMPLE.search(text)
    assert found is not None
    put(real / "specs/look.yaml", found[1])
    monkeypatch.setenv("FORCE_COLOR", "1")
    printed = COLOUR.sub("", run("show", "look", "--provider", "gemini", "--steps").stdout)
    block = f"```\n{printed}```\n"
    if update_cases:
        DOCS.write_text(text[: found.start(2)] + block + text[found.end(2) :], "utf-8")
    else:
        assert found[2] == block


@pytest.mark.usefixtures("real")
@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["look", "--steps"], "--steps needs --provider"),
        (["look", "--provider", "mcp", "--steps", "--ledger"], "leave out --ledger"),
        (["--provider", "mcp", "--steps"], "name a tool"),
        (["--providers", "--steps"], "--providers lists all there are"),
    ],
)
def test_wrong_combinations(run: Command, more: list[str], message: str) -> None:
    result = run("show", *more)
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_spec_with_an_error_has_no_steps(real: Path, run: Command) -> None:
    put(real / "specs/look.yaml", SPEC.replace("minLength: 2", "minLength: x"))
    result = run("show", "look", "--provider", "mcp", "--steps")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert "error[" in result.stderr


@pytest.mark.usefixtures("real")
def test_an_unknown_provider(run: Command) -> None:
    result = run("show", "look", "--provider", "gemmini", "--steps")
    assert result.exit_code == 1
    assert "did you mean 'gemini'?" in result.stderr


def test_text_of_a_spec_steers_no_terminal(real: Path, run: Command) -> None:
    put(real / "specs/look.yaml", SPEC.replace("minLength: 2", 'description: "a\\e[2J", pattern: "(?=x)"'))
    for form in ("text", "json"):
        text = run("show", "look", "--provider", "gemini", "--steps", "--format", form).stdout
        assert "\x1b" not in text
        assert "[2J" in text


@pytest.mark.usefixtures("real")
def test_a_tool_of_one_text_has_steps_where_a_schema_is_sent(run: Command, real: Path) -> None:
    head = "description: Runs it.\npermission: read\nsecrets: []\n"
    put(real / "specs/run_it.yaml", f"{head}input: text\n")
    sent = run("show", "run_it", "--provider", "openai", "--steps")
    assert sent.stdout == "run_it for openai: no schema is sent, since the argument is one text\n"
    data = json.loads(run("show", "run_it", "--provider", "openai", "--steps", "--format", "json").stdout)
    assert (data["steps"], data["strict"]) == ([], None)
    assert "parsed: " in run("show", "run_it", "--provider", "gemini", "--steps").stdout
