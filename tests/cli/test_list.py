"""`toolcast list`: every tool of a project, also those that wait for a person or have errors."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.project.fake import put

CONFIG = '[tool.toolcast]\nproviders = ["openai", "mcp"]\n'


def spec(**changes: object) -> str:
    whole = {
        "summary": "Do it.",
        "description": "Does it, at some length, and tells what was done in the end.",
        "permission": "read",
        "secrets": [],
        "parameters": {"type": "object", "properties": {"key": {"type": "string"}}},
        **changes,
    }
    return json.dumps({key: value for key, value in whole.items() if value is not None})


@pytest.fixture
def mixed(empty: Path) -> Path:
    put(empty / "pyproject.toml", CONFIG)
    put(empty / "specs/files/read.json", spec(name="file_read", secrets=["key"]))
    put(empty / "specs/files/deep/write.json", spec(permission="write"))
    put(empty / "specs/web/fetch.json", spec(permission="TODO", secrets="TODO", summary="TODO"))
    put(
        empty / "specs/web/wrong.json",
        spec(parameters={"type": "object", "properties": {"a": {"type": "x"}}}),
    )
    return empty


@pytest.mark.usefixtures("mixed")
def test_columns(run: Command) -> None:
    result = run("list")
    assert result.exit_code == 0, result.output
    head, *rows = result.stdout.splitlines()
    assert head.split() == ["TOOL", "GROUP", "PERMISSION", "SECRETS", "TOKENS", "openai", "SUMMARY"]
    assert [row.split()[:4] for row in rows] == [
        ["file_read", "files", "read", "key"],
        ["write", "files/deep", "write", "-"],
        ["fetch", "web", "undecided", "undecided"],
        ["wrong", "web", "read", "-"],
    ]
    ends = {head.index("TOKENS openai") + len("TOKENS openai")}
    assert {row.index("  ", head.index("TOKENS openai") + 12) for row in rows} == ends  # numbers end together
    assert rows[2].endswith("to decide: summary, permission, secrets")
    assert rows[3].endswith("1 error in specs/web/wrong.json")
    assert result.stderr.startswith("toolcast: 4 tools, ")
    assert result.stderr.endswith(
        "1 undecided, 1 with errors; to decide: toolcast import decide; toolcast generate names the errors\n"
    )


def test_the_dearest_provider_is_shown(mixed: Path, run: Command) -> None:
    put(mixed / "pyproject.toml", '[tool.toolcast]\nproviders = ["mcp", "openai", "anthropic"]\n')
    costs = json.loads(run("list", "--format", "json").stdout)["tools"][0]["tokens"]
    dearest = max(costs, key=lambda id: costs[id]["full"])
    assert dearest != "mcp"
    shown = run("list")
    assert f"TOKENS {dearest}" in shown.stdout
    assert f"tokens for {dearest}, the dearest of 3 providers, " in shown.stderr
    totals = json.loads(run("lint", "--tokens", "--format", "json").stdout)["tokens"]["totals"]
    assert [each["full"] for each in totals] == sorted((each["full"] for each in totals), reverse=True)
    assert totals[0]["provider"] == dearest


@pytest.mark.usefixtures("mixed")
def test_for_programs(run: Command) -> None:
    answer = json.loads(
        run("list", "--format", "json", "--provider", "openai", "--provider", "gemini").stdout
    )
    tools = {tool["name"]: tool for tool in answer["tools"]}
    assert list(tools) == ["file_read", "write", "fetch", "wrong"]
    cost = tools["file_read"]["tokens"]
    assert cost.keys() == {"openai", "gemini"}
    assert cost["openai"]["full"] > cost["openai"]["brief"] > 0
    assert tools["fetch"]["undecided"] == ["summary", "permission", "secrets"]
    assert tools["fetch"]["tokens"] == tools["wrong"]["tokens"] == {}
    assert (tools["wrong"]["permission"], tools["wrong"]["problems"]) == ("read", 1)
    assert tools["file_read"]["file"] == "specs/files/read.json"
    linted = json.loads(run("lint", "file_read", "--tokens", "--format", "json").stdout)["tokens"]["costs"]
    assert cost["openai"]["full"] in [each["full"] for each in linted if each["provider"] == "openai"]


@pytest.mark.usefixtures("mixed")
@pytest.mark.parametrize(
    ("options", "names"),
    [
        (("file_*",), ["file_read"]),
        (("files/deep/write",), ["write"]),
        (("specs/web/*",), ["fetch", "wrong"]),
        (("--group", "files"), ["file_read", "write"]),
        (("--group", "files/deep", "--group", "web"), ["write", "fetch", "wrong"]),
        (("--permission", "write"), ["write"]),
        (("--undecided",), ["fetch"]),
        (("--undecided", "--group", "files"), None),
        (("w*", "--group", "web"), ["wrong"]),
    ],
)
def test_filters(run: Command, options: tuple[str, ...], names: list[str] | None) -> None:
    result = run("list", "--format", "json", *options)
    if names is None:
        assert result.exit_code == 1
    else:
        assert [tool["name"] for tool in json.loads(result.stdout)["tools"]] == names


@pytest.mark.usefixtures("mixed")
def test_what_fits_nothing_gets_a_suggestion(run: Command) -> None:
    result = run("list", "file_raed")
    assert result.exit_code == 1
    assert "did you mean 'file_read'?" in result.stderr
    assert "did you mean 'files'?" in run("list", "--group", "fiels").stderr
    assert "did you mean 'openai'?" in run("list", "--provider", "opnai").stderr


def test_a_spec_that_is_no_mapping_is_listed(run: Command, mixed: Path) -> None:
    put(mixed / "specs/web/text.yaml", "just text")
    put(mixed / "specs/web/broken.json", "{")
    rows = run("list", "--group", "web").stdout.splitlines()
    assert [row.split()[0] for row in rows if " error" in row] == ["broken", "text", "wrong"]


def test_without_specs_it_says_so(run: Command, empty: Path) -> None:
    put(empty / "pyproject.toml", CONFIG)
    result = run("list")
    assert result.exit_code == 1
    assert "error[no-specs]" in result.stderr


def test_an_empty_set_is_no_error(run: Command, empty: Path) -> None:
    put(empty / "pyproject.toml", CONFIG)
    (empty / "specs").mkdir()
    assert json.loads(run("list", "--format", "json").stdout)["tools"] == []
    assert run("list").exit_code == 0


def test_how_calls_run_is_for_programs(empty: Path, run: Command) -> None:
    put(empty / "pyproject.toml", CONFIG)
    put(empty / "specs/ask.json", spec(external=True))
    put(empty / "specs/move.json", spec(parallel=False))
    rows = json.loads(run("list", "--format", "json").stdout)["tools"]
    assert [(row["parallel"], row["external"]) for row in rows] == [(True, True), (False, False)]


def test_deprecated_tools_say_so(empty: Path, run: Command) -> None:
    ended = {"since": "2.1", "use": "write"}
    put(empty / "pyproject.toml", CONFIG)
    put(empty / "specs/read.json", spec(deprecated=ended))
    put(empty / "specs/write.json", spec())
    assert "Deprecated since 2.1: use `write` instead. Do it." in run("list").stdout
    rows = json.loads(run("list", "--format", "json").stdout)["tools"]
    assert [row["deprecated"] for row in rows] == [ended, None]
    shown = run("show", "read")
    assert shown.stderr.splitlines() == ["read: Deprecated since 2.1: use `write` instead."]
    assert "parameters" in json.loads(shown.stdout)
    assert run("show", "write").stderr == ""
    put(empty / "specs/write.json", spec(described_by="key"))
    assert "write: `key` has words for who approves a call" in run("show", "write").stderr


def test_tools_that_do_not_compile_cost_nothing(empty: Path, run: Command) -> None:
    put(empty / "specs/web/fetch.json", spec(permission="TODO"))
    shown = run("list")
    assert "token" not in shown.stderr, shown.stderr
    assert shown.stderr.startswith("toolcast: 1 tool, 1 undecided;")
    totals = json.loads(run("lint", "--tokens", "--format", "json").stdout)["tokens"]["totals"]
    assert {(each["full"], each["brief"]) for each in totals} == {(0, 0)}


def test_an_unknown_provider_is_told_of_the_option(empty: Path, run: Command) -> None:
    put(empty / "specs/a.json", spec())
    assert run("list", "--provider", "gemmini").stderr.startswith("--provider: error[unknown-provider]")
