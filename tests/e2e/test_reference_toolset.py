"""The checked-in `generated/` at work: all tools registered, real calls executed."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from toolcast.runtime import ArgumentError, ToolContext, ToolRegistry, ToolResult

from generated.files.edit import EDIT, EditParams, EditResult
from generated.files.file_read import FileReadResult
from generated.registry import BINDINGS
from generated.web.http_request import HttpRequestResult
from tests.e2e import handlers
from tests.languages import SENT_AS_JSON

ROOT = Path(__file__).resolve().parents[2]
PROVIDERS = sorted(path.name for path in (ROOT / "generated/schemas").iterdir())


@pytest.fixture
def registry() -> ToolRegistry:
    made = ToolRegistry()
    handlers.register(made)
    return made


def call(registry: ToolRegistry, name: str, arguments: Any, provider: str | None = None) -> ToolResult:
    return asyncio.run(registry.execute(name, arguments, provider=provider))


def test_every_tool_is_registered(registry: ToolRegistry) -> None:
    assert list(registry.names) == sorted(BINDINGS) == sorted(path.stem for path in _specs())


def test_files_are_written_read_edited_and_found(registry: ToolRegistry, tmp_path: Path) -> None:
    file = str(tmp_path / "notes.txt")
    written = call(registry, "file_write", {"file_path": file, "content": "one\ntwo\nthree\n"})
    assert json.loads(written.output) == {"bytes_written": 14, "created": True}
    read = call(registry, "file_read", json.dumps({"file_path": file, "line_range": [2, 3]}))
    assert isinstance(read.data, FileReadResult)
    assert (read.data.content, read.data.total_lines) == ("two\nthree\n", 3)
    edited = call(registry, "edit", {"file_path": file, "old_string": "two", "new_string": "2"})
    assert isinstance(edited.data, EditResult)
    assert edited.data.replacements == 1
    edits = [{"old_string": "one", "new_string": "1"}, {"old_string": "three", "new_string": "3"}]
    multi = call(registry, "multi_edit", {"file_path": file, "edits": edits}, "openai")
    assert multi.success
    assert (tmp_path / "notes.txt").read_text("utf-8") == "1\n2\n3\n"
    found = call(registry, "glob", {"pattern": "*.txt", "path": str(tmp_path)})
    assert json.loads(found.output) == {"paths": [file], "total": 1}
    grepped = call(registry, "grep", {"pattern": "2", "path": str(tmp_path), "output": "lines"})
    assert json.loads(grepped.output)["matches"] == [{"path": file, "line": 2, "text": "2"}]


def test_an_ordinary_failure_is_a_result(registry: ToolRegistry, tmp_path: Path) -> None:
    missing = call(registry, "file_read", {"file_path": str(tmp_path / "none")})
    assert (missing.success, "use glob" in missing.error) == (False, True)
    edits = [{"old_string": "a", "new_string": "b"}]
    refused = call(registry, "multi_edit", {"file_path": str(tmp_path / "none"), "edits": edits})
    assert refused.error.endswith("is no file.")


def test_wrong_arguments_are_all_named(registry: ToolRegistry) -> None:
    result = call(registry, "file_write", {"file_path": "", "mode": "shred", "colour": "red"})
    assert not result.success
    for word in ("file_path", "content", "mode", "colour"):
        assert word in result.error
    assert '"properties"' not in result.error  # the model was offered the full definition
    assert "content" in result.data.schema["properties"]  # an argument is missing: programs get the schema
    assert not call(registry, "file_write", "{not json").success
    assert "file_write" in call(registry, "file_writ", {}).error


def test_a_bug_is_reported_without_its_secrets(
    registry: ToolRegistry, caplog: pytest.LogCaptureFixture
) -> None:
    result = call(registry, "memory_store", {"content": "x"})
    assert not result.success
    assert "hunter2" not in result.error
    assert "hunter2" in caplog.text


def test_a_union_arrives_as_the_struct_of_its_tag(registry: ToolRegistry) -> None:
    body = {"kind": "json", "value": {"a": [1]}}
    result = call(registry, "http_request", {"url": "https://x.org", "method": "POST", "body": body})
    assert isinstance(result.data, HttpRequestResult)
    assert result.data.body == "{'a': [1]}"
    wrong = call(registry, "http_request", {"url": "https://x.org", "body": {"kind": "xml", "value": 1}})
    assert not wrong.success


@pytest.mark.parametrize("provider", [each for each in PROVIDERS if each in SENT_AS_JSON])
def test_definitions(registry: ToolRegistry, provider: str) -> None:
    full, brief = (json.loads(registry.definitions(provider, level)) for level in ("full", "brief"))
    assert len(full) == len(brief) == len(BINDINGS)
    for whole, short in zip(full, brief, strict=True):
        text, stub = json.dumps(whole), json.dumps(short)
        assert len(stub) < len(text)
    ordered = [binding.definition(provider) for _, binding in sorted(BINDINGS.items())]
    assert registry.definitions(provider) == b"[" + b",".join(ordered) + b"]"


@pytest.mark.parametrize("path", sorted((ROOT / "specs").glob("[!_]*/*.yaml")), ids=lambda path: path.stem)
def test_every_example_decodes(path: Path) -> None:
    tool = yaml.safe_load(path.read_text("utf-8"))
    binding = BINDINGS[tool.get("name", path.stem)]
    assert tool["examples"]
    for example in tool["examples"]:
        for provider in (None, *PROVIDERS):
            params = binding.decode(json.dumps(example), provider)
            assert isinstance(params, binding.params)
            assert binding.decode(binding.encode(params)) == params


def test_the_registry_names_each_tool_three_times() -> None:
    """The import of its handler's type, its binding, the keyword of `register_all`."""
    lines = (ROOT / "generated/registry.py").read_text("utf-8").splitlines()[2:]  # below the mark
    for name in BINDINGS:
        assert sum(re.search(rf"\b{name}\b", line) is not None for line in lines) == 3, name


def test_some_tools_may_be_left_out() -> None:
    def edit(params: EditParams, context: ToolContext) -> str:
        return f"{context.tool}: {params.old_string}"

    some = ToolRegistry()
    some.register(EDIT, edit)
    assert list(some.names) == ["edit"]
    arguments = {"file_path": "a", "old_string": "b", "new_string": "c"}
    assert call(some, "edit", arguments).output == "edit: b"
    with pytest.raises(ArgumentError):
        BINDINGS["edit"].decode({})


def _specs() -> list[Path]:
    return [path for path in (ROOT / "specs").rglob("*.yaml") if "_types" not in path.parts]
