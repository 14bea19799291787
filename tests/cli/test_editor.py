"""`init --editor` and `schema --write`: what editors find; the settings of a person stay."""

import json
from pathlib import Path

import jsonschema_rs
import yaml
from toolcast.spec.discovery import EDITOR_SCHEMA

from tests.cli.conftest import Command
from tests.project.fake import put, states

TOOL = {"name": "fetch", "description": "Fetches.", "inputSchema": {"type": "object", "properties": {}}}
HEAD = "# yaml-language-server: $schema="


def named(spec: Path) -> Path:
    first = spec.read_text("utf-8").splitlines()[0]
    assert first.startswith(HEAD), first
    return (spec.parent / first.removeprefix(HEAD)).resolve()


def test_every_new_spec_names_the_one_schema(run: Command, empty: Path) -> None:
    assert run("init", "--editor").exit_code == 0
    assert run("new", "web/api/search").exit_code == 0
    assert run("new", "top").exit_code == 0
    put(empty / "tools.json", json.dumps([TOOL]))
    decided = ("--permission", "network", "--secrets", "none")
    assert run("import", "tools", "tools.json", "--into", "specs/web", *decided).exit_code == 0
    put(empty / "sample.json", '{"q": "x"}')
    sample = ("--name", "sampled", "--into", "specs")
    assert run("import", "sample", "sample.json", *sample, *decided).exit_code == 0
    schema = empty / "specs" / EDITOR_SCHEMA
    specs = ["text/count_words", "web/api/search", "top", "web/fetch", "sampled"]
    for path in specs:
        assert named(empty / f"specs/{path}.yaml") == schema
    validator = jsonschema_rs.validator_for(json.loads(schema.read_text("utf-8")))
    written = {path: yaml.safe_load((empty / f"specs/{path}.yaml").read_text()) for path in specs}
    assert [path for path, data in written.items() if validator.is_valid(data)] == [
        "text/count_words",
        "web/fetch",
    ]
    result = run("list", "--format", "json")  # the schema is no spec
    assert len(json.loads(result.stdout)["tools"]) == len(specs)
    before = (empty / "specs/web/fetch.yaml").read_bytes()
    run("import", "tools", "tools.json", "--into", "specs/web", *decided)
    assert (empty / "specs/web/fetch.yaml").read_bytes() == before


def test_without_the_schema_no_line_names_it(run: Command, empty: Path) -> None:
    run("init")
    run("new", "web/search")
    for path in (empty / "specs").rglob("*.yaml"):
        assert "yaml-language-server" not in path.read_text()
    put(empty / EDITOR_SCHEMA, "{}")  # above the project: not this project's
    put(empty / "inner/pyproject.toml", "[tool.toolcast]\n")
    assert run("new", "x", "--config", "inner/pyproject.toml").exit_code == 0
    assert "yaml-language-server" not in (empty / "inner/specs/x.yaml").read_text()


def test_the_schema_outlives_clean_and_is_kept_current(run: Command, empty: Path) -> None:
    run("init", "--editor")
    run("generate")
    run("clean")
    schema = empty / "specs" / EDITOR_SCHEMA
    assert schema.is_file()
    assert json.loads(run("schema").stdout) == json.loads(schema.read_text("utf-8"))
    assert "kept" in run("schema", "--write").stdout
    schema.write_text("old")
    assert "written" in run("schema", "--write").stdout
    assert json.loads(run("schema").stdout) == json.loads(schema.read_text("utf-8"))


def test_editor_again_changes_nothing(run: Command, empty: Path) -> None:
    run("init", "--editor")
    before = states(empty)
    result = run("init", "--editor")
    assert result.exit_code == 0
    assert states(empty) == before


def test_settings_of_a_person_stay_and_what_they_lack_is_printed(run: Command, empty: Path) -> None:
    put(empty / "pyproject.toml", '[tool.toolcast]\nspecs = "a/specs"\n')
    mine = '{\n  // mine\n  "a": 1,\n}'
    put(empty / ".vscode/settings.json", mine)
    result = run("init", "--editor")
    assert result.exit_code == 0
    assert (empty / ".vscode/settings.json").read_text() == mine
    printed = result.stdout.partition("if it does not say so yet, add:")[2]
    (empty / ".vscode/settings.json").unlink()
    assert run("init", "--editor").exit_code == 0
    written = (empty / ".vscode/settings.json").read_text()
    assert written in printed
    settings = json.loads(written)
    assert list(settings["yaml.schemas"]) == [f"./a/specs/{EDITOR_SCHEMA}"]
    assert "!a/specs/_types/**" in settings["yaml.schemas"][f"./a/specs/{EDITOR_SCHEMA}"]
    assert settings["json.schemas"][0]["url"] == f"./a/specs/{EDITOR_SCHEMA}"
