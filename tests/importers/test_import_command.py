"""`toolcast import` writes specs, keeps what exists, and says what it did."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from toolcast.cli.main import import_group

TOOL = {"name": "find", "description": "Finds.", "parameters": {"properties": {"key": {"type": "string"}}}}


def source(tmp_path: Path) -> str:
    path = tmp_path / "tools.json"
    path.write_text(json.dumps([TOOL, {**TOOL, "name": "x.y"}]), encoding="utf-8")
    return str(path)


def test_writes_specs_and_a_summary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    into = tmp_path / "defs"
    result = CliRunner().invoke(
        import_group, ["tools", source(tmp_path), "--into", str(into), "--group", "web"]
    )
    assert result.exit_code == 0, result.output
    assert result.output == (
        f"2 specs written to {into.as_posix()}, 1 renamed, 2 with TODO lines, 0 problems\n"
        "undecided: the same import with --permission and --secrets\n"
    )
    assert sorted(path.name for path in (into / "web").iterdir()) == ["find.yaml", "x_y_b24ca9b7.yaml"]


def test_existing_specs_are_kept_unless_forced(tmp_path: Path) -> None:
    into = tmp_path / "specs"
    into.mkdir()
    (into / "find.yaml").write_text("mine", encoding="utf-8")
    arguments = ["tools", source(tmp_path), "--into", str(into), "--permission", "read", "--secrets", "none"]
    kept = CliRunner().invoke(import_group, arguments)
    assert kept.exit_code == 1
    assert "find.yaml: error[import-exists]: is there already, and does not state that it came" in kept.output
    assert (into / "find.yaml").read_text(encoding="utf-8") == "mine"
    assert (into / "x_y_b24ca9b7.yaml").is_file()
    forced = CliRunner().invoke(import_group, [*arguments, "--force"])
    assert forced.exit_code == 0
    spec = yaml.safe_load((into / "find.yaml").read_text(encoding="utf-8"))
    assert (spec["permission"], spec["secrets"]) == ("read", [])


def test_problems_are_one_line_each_and_the_rest_is_written(tmp_path: Path) -> None:
    path = tmp_path / "tools.jsonl"
    path.write_text(json.dumps(TOOL) + '\n{"name": 1}\n', encoding="utf-8")
    result = CliRunner().invoke(import_group, ["tools", str(path), "--into", str(tmp_path / "s")])
    assert result.exit_code == 1
    assert f"{path.as_posix()}:2: error[import-shape]: the tool has no name\n" in result.output
    assert (tmp_path / "s" / "find.yaml").is_file()


def test_a_warning_is_reported_and_is_no_failure(tmp_path: Path) -> None:
    wrong = {"type": "object", "properties": {"on": {"type": "boolean", "default": "no"}}, "default": 1}
    path = tmp_path / "tools.jsonl"
    path.write_text(json.dumps({**TOOL, "parameters": wrong}), encoding="utf-8")
    result = CliRunner().invoke(import_group, ["tools", str(path), "--into", str(tmp_path / "s")])
    assert result.exit_code == 0
    assert "does not fit its own schema: /properties/on; " in result.output
    assert "does not fit its own schema: that of the parameters themselves; " in result.output
    assert ", 0 problems, 2 warnings\n" in result.output


def test_a_group_cannot_leave_the_folder(tmp_path: Path) -> None:
    for group in ("../up", "/abs", "_types", "a//b", "class", "schemas/a", "_x", "a/_x"):
        result = CliRunner().invoke(
            import_group, ["tools", source(tmp_path), "--into", str(tmp_path / "s"), "--group", group]
        )
        assert result.exit_code == 2
    arguments = ["tools", source(tmp_path), "--into", str(tmp_path / "s"), "--group", "web-search"]
    assert CliRunner().invoke(import_group, arguments).exit_code == 0


def test_a_folder_that_is_not_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text('[tool.toolcast]\nspecs = "defs"\n', encoding="utf-8")
    arguments = ["tools", source(tmp_path), "--into"]
    result = CliRunner().invoke(import_group, [*arguments, "specs"])
    assert result.exit_code == 0
    assert result.output.endswith("note: toolcast generate reads defs, and not specs\n")
    assert "note:" not in CliRunner().invoke(import_group, [*arguments, "defs/a"]).output
    refused = CliRunner().invoke(import_group, [*arguments, "defs/_a"])
    assert refused.exit_code == 2
    assert "`_a` would be passed over" in refused.output


def test_sample(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text('{"city": "Paris", "token": "x"}', encoding="utf-8")
    arguments = ["sample", str(path), "--name", "weather", "--into", str(tmp_path), "--secrets", "token"]
    result = CliRunner().invoke(import_group, arguments)
    assert result.exit_code == 0, result.output
    spec = yaml.safe_load((tmp_path / "weather.yaml").read_text(encoding="utf-8"))
    assert spec["secrets"] == ["token"]
    assert spec["examples"] == [{"city": "Paris", "token": "x"}]


def test_no_text_of_the_input_steers_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "tools.json"
    path.write_text(json.dumps([{"name": "x", "type": "a\n\x1b[2J"}]), encoding="utf-8")
    result = CliRunner().invoke(import_group, ["tools", str(path), "--into", str(tmp_path / "s")])
    assert "\x1b" not in result.output
    assert len(result.output.splitlines()) == 2


def test_reached_through_the_main_command(tmp_path: Path) -> None:
    arguments = ["import", "tools", source(tmp_path), "--into", str(tmp_path / "s")]
    command = [sys.executable, "-c", "import sys; from toolcast.cli.entry import main; sys.exit(main())"]
    done = subprocess.run([*command, *arguments], capture_output=True, check=False)
    assert b"2 specs written" in done.stdout, done.stderr


def test_hints_decide_when_they_are_trusted(tmp_path: Path) -> None:
    path = tmp_path / "tools.json"
    path.write_text(json.dumps([{**TOOL, "annotations": {"readOnlyHint": True}}]), encoding="utf-8")
    arguments = ["tools", str(path), "--into", str(tmp_path / "s"), "--secrets", "none"]
    for options, permission, count in (([], "TODO", 1), (["--trust-hints"], "read", 0)):
        result = CliRunner().invoke(import_group, [*arguments, *options, "--force"])
        assert f"{count} with TODO lines" in result.output
        spec = yaml.safe_load((tmp_path / "s" / "find.yaml").read_text(encoding="utf-8"))
        assert spec["permission"] == permission


def test_decisions_for_tools_that_match_a_pattern(tmp_path: Path) -> None:
    named = [{**TOOL, "name": name} for name in ("get_key", "get_all", "drop")]
    path = tmp_path / "tools.json"
    path.write_text(json.dumps(named), encoding="utf-8")
    into = tmp_path / "s"
    options = ["--permission", "get_*=read", "--permission", "*_all=network", "--permission", "write"]
    options += ["--secrets", "none", "--secrets", "drop=key"]
    result = CliRunner().invoke(import_group, ["tools", str(path), "--into", str(into), *options])
    assert result.exit_code == 0, result.output
    specs = {file.stem: yaml.safe_load(file.read_text(encoding="utf-8")) for file in into.glob("*.yaml")}
    assert {name: spec["permission"] for name, spec in specs.items()} == {
        "get_key": "read",
        "get_all": "network",
        "drop": "write",
    }
    assert specs["drop"]["secrets"] == ["key"]
    assert specs["get_key"]["secrets"] == []


def test_a_decision_that_is_none_is_refused(tmp_path: Path) -> None:
    arguments = ["tools", source(tmp_path), "--into", str(tmp_path / "s")]
    for option in (["--permission", "reed"], ["--permission", "=read"], ["--secrets", "a,,b"]):
        result = CliRunner().invoke(import_group, [*arguments, *option])
        assert result.exit_code == 2
        assert "expected" in result.output
