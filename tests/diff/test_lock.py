"""`toolcast lock`: the tools of others as they were, and what a caller would notice of what they are now."""

import json
import random
from copy import deepcopy
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.analysis.diff.compare_states import compare_states, diff_profiles
from toolcast.analysis.diff.lock import LockedTool, locked_state, read_lock
from toolcast.analysis.diff.outcome import Choice, version_change
from toolcast.analysis.diff.rules import Change
from toolcast.config import load_config
from toolcast.importers.declared_tools import read_shape
from toolcast.importers.tool_lists import Element

from tests.diff.projects import toolcast
from tests.diff.test_revisions import SAMPLE, compared, revisions

FIND: dict[str, Any] = {
    "name": "find",
    "description": "Find things.",
    "inputSchema": {
        "type": "object",
        "properties": {"q": {"type": "string"}, "n": {"type": "integer", "default": 10}},
        "required": ["q"],
    },
    "outputSchema": {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]},
    "annotations": {"title": "Find", "readOnlyHint": True, "openWorldHint": False},
}
OTHER: dict[str, Any] = {"name": "other", "inputSchema": {"type": "object", "properties": {}}}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(*tools: dict[str, Any]) -> None:
    Path("tools.json").write_text(json.dumps({"tools": tools}), encoding="utf-8")


def lock(*arguments: str, status: int = 0) -> str:
    result = toolcast("lock", *arguments)
    assert result.exit_code == status, result.output
    assert isinstance(result.exception, SystemExit | None), result.output
    return result.output


def check(*arguments: str) -> dict[str, Any]:
    result = toolcast("lock", "--check", "--format", "json", *arguments)
    answer: dict[str, Any] = json.loads(result.stdout)
    assert result.exit_code == bool(answer["changes"]), result.output
    return answer


def rules(answer: dict[str, Any]) -> list[str]:
    return [each["rule"] for each in answer["changes"]]


def changed(**inputs: Any) -> dict[str, Any]:
    return {**FIND, "inputSchema": {**FIND["inputSchema"], **inputs}}


def test_what_differs_is_reported_with_a_witness() -> None:
    write(FIND, OTHER)
    assert "2 tools" in lock("tools.json")
    assert check()["changes"] == []
    write(changed(required=["q", "n"]), OTHER)
    (found, _) = check()["changes"]
    assert (found["rule"], found["level"]) == ("parameter-required", "error")
    assert found["witness"]["value"] == {"q": "a"}
    assert "accept: " + found["fingerprint"] in lock("--check", status=1)
    for form in ("github", "sarif", "markdown"):
        assert "parameter-required" in lock("--check", "--format", form, status=1)
    assert lock("tools.json").count("2.0.0: 2 tools, major: 1 tool changed") == 1
    assert check()["changes"] == []


def test_white_space_and_the_order_of_keys_do_not_count() -> None:
    write(FIND, OTHER)
    lock("tools.json")
    write(OTHER, dict(reversed(FIND.items())))
    assert check()["unchanged"] == 2


def test_what_was_accepted_stays_accepted_until_it_changes(folder: Path) -> None:
    write(FIND)
    lock("tools.json")
    write(changed(required=["q", "n"], description="New"))
    prints = [each["fingerprint"] for each in check()["changes"]]
    assert prints
    lock("--accept", prints[0], status=2)  # without a reason
    words = [word for each in prints for word in ("--accept", each)]
    assert "accepted" in lock(*words, "--reason", "nobody calls it without n")
    answer = check()
    assert len(answer["suppressed"]) == len(prints)
    write(changed(required=["q", "n", "m"], description="New"))
    assert "parameter-required" in rules(check())
    assert "has the fingerprint abc" in lock("--accept", "abc", "--reason", "r", status=1)
    lock("tools.json")
    assert read_lock(folder / "tools.lock", "").accepted == {}


@pytest.mark.parametrize("name", ["find", "a.b"])
@pytest.mark.parametrize("inputs", [{"type": "array"}, "x", {"properties": {"\ud800": {}}}], ids=range(3))
def test_a_tool_that_becomes_defective_is_reported_by_any_name(name: str, inputs: Any) -> None:
    """`a.b` is no name of a spec; half a character is in no file."""
    write({**FIND, "name": name}, OTHER)
    lock("tools.json")
    write({**FIND, "name": name, "inputSchema": inputs}, OTHER)
    answer = check()
    assert "not-compared" in rules(answer)
    assert answer["unchanged"] == 1
    assert f"tool {name!r}" in lock("tools.json", status=1)


def test_several_sources_are_kept_apart() -> None:
    write(FIND)
    lock("tools.json", "--name", "one")
    Path("tools.json").rename("others.json")
    lock("others.json", "--name", "two")
    write(OTHER)
    answer = check()
    assert {each["tool"] for each in answer["changes"]} == {"find", "other"}
    assert answer["unchanged"] == 1
    assert toolcast("diff", "--against", "tools.lock", "--to", "others.json").exit_code in (0, 1)


@pytest.mark.parametrize("kind", ["openapi", "python"])
def test_other_kinds_of_source(kind: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if kind == "python":
        source, old, new = "some_tools:add", "a: int, b: int = 0", "a: int, b: int"
        file, text = Path("some_tools.py"), 'def add(%s) -> int:\n    "Add numbers."\n    return 0\n'
        monkeypatch.setenv("PYTHONPATH", str(folder))
    else:
        source, old, new = "api.json", "false", "true"
        file = Path(source)
        text = """{"openapi": "3.1.0", "info": {"title": "A", "version": "1"}, "servers": [{"url": "https://a.example"}],
            "paths": {"/a": {"get": {"operationId": "a", "parameters": [{"name": "q", "in": "query",
            "required": %s, "schema": {"type": "string"}}], "responses": {"200": {"description": "d"}}}}}}"""
    file.write_text(text % old, encoding="utf-8")
    lock(source)
    assert check()["changes"] == []
    file.write_text(text % new, encoding="utf-8")
    assert "parameter-required" in rules(check())


def test_no_secret_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    for words in (
        ("https://a.example/mcp", "--header", "Authorization: Bearer s3cret"),
        ("--env", "API_TOKEN=s3cret", "--", "server"),
    ):
        assert "would be written" in lock(*words, status=2)
    assert "is missing" in lock("--env", "A", status=2)
    monkeypatch.delenv("NOT_SET", raising=False)
    said = lock("--header", "Authorization: $NOT_SET", "http://127.0.0.1:9/mcp", status=1)
    assert "NOT_SET" in said
    assert not Path("tools.lock").exists()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[",
        "{}x",
        "[" * 100_000,
        '{"lock": 2}',
        '{"sources": {"a": {}}}',
        "<<<<<<< HEAD\n{}",
        "\x00",
        '{"new": 1}',
    ],
    ids=range(9),
)
def test_a_file_that_is_no_lock_is_refused_and_stays(text: str) -> None:
    Path("tools.lock").write_text(text, encoding="utf-8")
    write(FIND)
    for words in ((), ("--check",), ("tools.json",)):
        assert "lock-unreadable" in lock(*words, status=2)
    assert Path("tools.lock").read_text("utf-8") == text


def test_without_a_lock_or_a_source() -> None:
    for words in ((), ("--check",)):
        assert "no source is locked" in lock(*words, status=1)
    assert "cannot be read" in lock("--kind", "tools", "none.json", status=2)


def edited(tool: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """The tool with changes that have nothing to do with its parameter `n`."""
    tool = deepcopy(tool)
    properties = tool["inputSchema"]["properties"]
    for _ in range(chance.randint(0, 4)):
        name = f"p{chance.randint(0, 5)}"
        match chance.randint(0, 3):
            case 0:
                properties[name] = {"type": chance.choice(["string", "integer", "boolean"])}
            case 1:
                properties.pop(name, None)
            case 2:
                tool["description"] += f" {chance.randint(0, 9)}."
            case _:
                properties["q"]["maxLength"] = chance.randint(10, 99)
    return tool


@given(st.randoms(use_true_random=False))
def test_fingerprints_do_not_depend_on_other_changes(chance: random.Random) -> None:
    keeps_its_fingerprint(chance)


@pytest.mark.thorough
def test_fingerprints_do_not_depend_on_a_thousand_other_changes() -> None:
    for seed in range(1000):
        keeps_its_fingerprint(random.Random(seed))


def keeps_its_fingerprint(chance: random.Random) -> None:
    config, _ = load_config(Path())
    assert config is not None
    sides = []
    for tool in (edited(FIND, chance), edited(changed(required=["q", "n"]), chance)):
        declared = read_shape(Element(file="f", line=0, location="", data=tool))
        sides.append(locked_state([LockedTool.of(declared, "s")], "f"))
    outcome = compare_states(
        config, diff_profiles(config, ("mcp",))[0], (sides[0], sides[1]), Choice(today=date(2026, 11, 28))
    )
    of_n = {each.change.fingerprint for each in outcome.findings if each.change.rule == "parameter-required"}
    assert "4476af844967" in of_n


def test_versions_follow_from_the_rules() -> None:
    def change(rule: str) -> Change:
        return Change(rule=rule, tool="t", file="f", message="m")

    assert version_change([]) == "none"
    assert version_change([change("description-read")]) == "patch"
    assert version_change([change("description-read"), change("tool-added")]) == "minor"
    assert version_change([change("tool-added"), change("tool-removed")]) == "major"


def verdicts(changes: Any) -> list[Any]:
    wanted = ("calls", "results")
    return sorted(
        (each["rule"], each["level"], each["message"]) for each in changes if each["audience"] in wanted
    )


def locked_like_compared(row: dict[str, Any], folder: Path) -> None:
    for side in ("old", "new"):
        tools = [row[side]] if row[side] else []
        (folder / "tools.json").write_text(json.dumps({"tools": tools}), encoding="utf-8")
        if side == "old":
            (folder / "tools.lock").unlink(missing_ok=True)
            lock("tools.json", status=0)
    outcome = compared(row, folder)
    direct = [
        {"rule": e.change.rule, "level": e.level, "message": e.change.message, "audience": e.change.audience}
        for e in outcome.findings
    ]
    assert verdicts(check()["changes"]) == verdicts(direct), row


@pytest.mark.corpora
def test_real_revisions_have_the_verdicts_of_diff(shared_dir: Path, folder: Path) -> None:
    for row in revisions(shared_dir, SAMPLE):
        locked_like_compared(row, folder)


@pytest.mark.corpora
@pytest.mark.thorough
def test_all_real_revisions_have_the_verdicts_of_diff(shared_dir: Path, folder: Path) -> None:
    for row in revisions(shared_dir, 1):
        locked_like_compared(row, folder)
