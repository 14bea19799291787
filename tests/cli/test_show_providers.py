"""`show --providers` and `show --ledger` with the real compiler."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.project.fake import put

SPEC = """\
name: look
description: Looks at a place.
permission: read
secrets: []
parameters:
  type: object
  required: [at]
  properties:
    at: {type: string, pattern: "^(?=x)x"}
    how: {enum: [fast, slow], default: fast}
"""
OWN = 'base = "openai"\nid = "{id}"\ntitle = "Own"\ndated = "2026-02-03"\n'


@pytest.fixture
def real(empty: Path) -> Path:
    put(empty / "specs/look.yaml", SPEC)
    put(empty / "acme.toml", OWN.format(id="acme"))
    put(empty / "mine.toml", OWN.format(id="openai"))
    table = 'providers = ["openai", "mcp"]\nprofiles = ["acme.toml", "mine.toml"]\n'
    put(empty / "pyproject.toml", f"[tool.toolcast]\n{table}")
    return empty


@pytest.mark.usefixtures("real")
def test_providers_with_where_they_are_from(run: Command) -> None:
    lines = {line.split()[0]: line for line in run("show", "--providers").stdout.splitlines()}
    assert lines["ID"].split() == ["ID", "DATED", "STRICT", "FROM", "TITLE"]
    assert "built-in" in lines["xai"]
    assert "always" in lines["xai"]
    assert "acme.toml" in lines["acme"]
    assert "2026-02-03" in lines["acme"]
    assert "mine.toml (instead of the built-in)" in lines["openai"]


@pytest.mark.usefixtures("real")
def test_providers_for_programs(run: Command) -> None:
    rows = {row["id"]: row for row in json.loads(run("show", "--providers", "--format", "json").stdout)}
    assert rows["openai"] == {
        "id": "openai", "title": "Own", "dated": "2026-02-03", "strict": "if the contract survives",
        "source": "mine.toml", "overrides": True,
    }  # fmt: skip
    assert rows["mcp"]["overrides"] is False


@pytest.mark.usefixtures("real")
def test_a_ledger_as_a_table(run: Command) -> None:
    lines = run("show", "look", "--ledger", "--provider", "openai").stdout.splitlines()
    assert lines[0].startswith("openai: ")
    assert lines[1].split() == ["PATH", "KEYWORD", "ACTION", "SEVERITY", "REASON"]
    assert any(line.split()[:3] == ["/properties/at", "pattern", "described"] for line in lines[2:])
    assert len({line.index(line.split()[1]) for line in lines[1:] if "how" in line or "PATH" in line}) == 1
    nothing = run("show", "look", "--ledger", "--provider", "mcp").stdout
    assert nothing == "mcp: no entries\n"


def test_a_path_tells_what_it_leads_into(real: Path, run: Command) -> None:
    result = "result: {type: object, properties: {n: {type: integer, not: {const: 3}}}}"
    put(real / "specs/look.yaml", f"{SPEC}{result}\ndefer: true\n")
    lines = run("show", "look", "--ledger", "--provider", "gemini").stdout.splitlines()[2:]
    places = {" ".join(line.split()[:3]) for line in lines}
    assert {"spec: /defer defer", "result: /properties/n not"} <= places


@pytest.mark.usefixtures("real")
def test_a_ledger_for_programs(run: Command) -> None:
    entries = json.loads(run("show", "look", "--ledger", "--format", "json").stdout)
    assert {entry["keyword"] for entry in entries["openai"]} >= {"pattern", "default", "required"}


@pytest.mark.usefixtures("real")
def test_a_tool_or_the_providers(run: Command) -> None:
    result = run("show")
    assert result.exit_code == 2
    assert "name a tool, or ask for --providers" in result.stderr


def test_a_wrong_file_is_reported(real: Path, run: Command) -> None:
    put(real / "acme.toml", OWN.format(id="acme") + "[limits]\ntool = 1\n")
    result = run("show", "--providers")
    assert result.exit_code == 1
    assert "acme.toml:6: error[bad-profile]: unknown key 'limits.tool'" in result.stderr


def test_an_unknown_provider_of_the_configuration_is_no_fault_of_ours(real: Path, run: Command) -> None:
    put(real / "pyproject.toml", '[tool.toolcast]\nproviders = ["gemmini"]\n')
    result = run("show", "look")
    assert "pyproject.toml:2:1: error[unknown-provider]: unknown provider 'gemmini'" in result.stderr
    assert "did you mean 'gemini'?" in result.stderr
    assert "internal-error" not in result.stderr


@pytest.mark.usefixtures("real")
@pytest.mark.parametrize("more", [["look"], ["--ledger"], ["--provider", "mcp"]])
def test_all_providers_are_listed_alone(run: Command, more: list[str]) -> None:
    result = run("show", "--providers", *more)
    assert result.exit_code == 2
    assert "--providers lists all there are" in result.stderr


@pytest.mark.usefixtures("real")
@pytest.mark.parametrize("what", [["--providers"], ["look", "--ledger", "--provider", "openai"]])
def test_colours_that_are_asked_for_pass_a_pipe(
    run: Command, monkeypatch: pytest.MonkeyPatch, what: list[str]
) -> None:
    assert "\x1b[" not in run("show", *what).stdout
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[1m" in run("show", *what).stdout
