"""`init --editor` and `schema --write`: what editors find, and what is kept of a person's settings."""

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from toolcast.cli.schema import SettingsError, merged_settings, settings_of
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


def test_settings_of_a_person_stay(run: Command, empty: Path) -> None:
    mine: dict[str, Any] = {
        "editor.rulers": [110],
        "yaml.schemas": {"./mine.json": "*.x.yaml"},
        "json.schemas": [{"fileMatch": ["/a.json"], "url": "./a.json"}, "odd"],
        "é": "ü",
    }
    put(empty / ".vscode/settings.json", json.dumps(mine, indent="\t", ensure_ascii=False))
    put(empty / "pyproject.toml", '[tool.toolcast]\nspecs = "a/specs"\n')
    assert run("init", "--editor").exit_code == 0
    text = (empty / ".vscode/settings.json").read_text("utf-8")
    after = json.loads(text)
    assert '\n\t"editor.rulers": [' in text
    assert "é" in text
    ours = after["yaml.schemas"].pop(f"./a/specs/{EDITOR_SCHEMA}")
    assert "a/specs/**/*.yaml" in ours
    assert "!a/specs/_types/**" in ours
    assert after["json.schemas"].pop()["url"] == f"./a/specs/{EDITOR_SCHEMA}"
    assert after == mine


@pytest.mark.parametrize(
    "text",
    [
        '{\n  // mine\n  "a": 1\n}',
        '{"a": 1,}',
        "[]",
        '{"a": 1, "a": 2}',
        '{"yaml.schemas": []}',
        '{"json.schemas": {}}',
        "[" * 100_000,
        "{",
    ],
)
def test_settings_that_cannot_be_kept_are_refused_in_words(run: Command, empty: Path, text: str) -> None:
    put(empty / ".vscode/settings.json", text)
    result = run("init", "--editor")
    assert result.exit_code == 1
    assert "error[editor-settings]" in result.stderr
    assert '"yaml.schemas": {' in result.stderr  # what to add by hand
    assert (empty / ".vscode/settings.json").read_text() == text


def test_empty_settings_and_line_endings() -> None:
    for empty in ("", "  \n", "{}"):
        made = merged_settings(empty, "specs")
        assert made is not None
        assert merged_settings(made, "specs") is None
    made = merged_settings('{\r\n  "a": 1\r\n}\r\n', "specs")
    assert made is not None
    assert made.count("\n") == made.count("\r\n")
    with pytest.raises(SettingsError, match="comments"):
        merged_settings("// x\n{}", "specs")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "yaml.schemas": st.dictionaries(st.text(max_size=5), JSON, max_size=2),
        "json.schemas": st.lists(JSON, max_size=2),
        "editor": JSON,
    },
)


@given(SETTINGS, st.sampled_from([None, 2, 4, "\t"]))
def test_any_settings_are_kept(before: dict[str, Any], indent: int | str | None) -> None:
    text = merged_settings(json.dumps(before, indent=indent), "specs")
    assert text is not None
    after = json.loads(text)
    assert merged_settings(text, "specs") is None
    ours = settings_of("specs")
    assert after.pop("yaml.schemas") == {**before.get("yaml.schemas", {}), **ours["yaml.schemas"]}
    assert after.pop("json.schemas") == [*before.get("json.schemas", []), *ours["json.schemas"]]
    assert after == {key: value for key, value in before.items() if not key.endswith(".schemas")}
