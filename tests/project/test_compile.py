"""`toolcast.compile`: the same files and diagnostics as `generate`, without a file being touched."""

import json
import shutil
from pathlib import Path

import pytest
import toolcast
from toolcast.project.generate import build
from toolcast.project.worker import FRONTEND
from toolcast.providers import ProfileError

from tests.project.fake import config_of, put, tree

ROOT = Path(__file__).parents[2]
SPEC = b"description: Reads.\npermission: read\nsecrets: []\nparameters: {type: object}\n"


def test_it_returns_what_generate_writes(tmp_path: Path) -> None:
    for part in ("_types", "data", "files"):
        shutil.copytree(ROOT / "specs" / part, tmp_path / "specs" / part)
    (tmp_path / "specs/files/edit.yaml").write_bytes(b"secrets: []\n")
    put(tmp_path / "pyproject.toml", '[tool.toolcast]\nproviders = ["openai", "mcp"]\n')
    report = build(config_of(tmp_path), FRONTEND)
    sources = {path: content for path, content in tree(tmp_path / "specs").items() if "." in path}
    made = toolcast.compile(sources, providers=["openai", "mcp"], shown_root="specs")
    assert made.files == tree(tmp_path / "generated")
    assert [(each.code, each.line, each.message) for each in made.diagnostics] == [
        (each.code, each.line, each.message) for each in report.diagnostics
    ]
    assert made.failed


def test_defaults_and_faults_of_the_caller() -> None:
    made = toolcast.compile({"a.yaml": SPEC})
    assert not made.failed
    assert {"a.py", "registry.py", "manifest.txt", "schemas/gemini/a.json"} <= made.files.keys()
    with pytest.raises(ProfileError):
        toolcast.compile({"a.yaml": SPEC}, providers=["nobody"])
    with pytest.raises(ValueError, match=r"a\.txt"):
        toolcast.compile({"a.txt": SPEC})


def test_the_draft_that_a_spec_states_reaches_mcp_clients() -> None:
    """Whatever draft the spec names, what is sent is 2020-12: older drafts are upgraded."""
    newest, older = "https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#"
    root = f'{{$schema: "{older}", type: object, properties: {{a: {{$ref: "#/definitions/A"}}}}'
    root += ", additionalProperties: false, definitions: {A: {type: string}}}"
    spec = SPEC.replace(b"{type: object}", f"{root}\nresult: {root}".encode())
    providers = ["mcp", "mcp-2025-11-25", "mcp-2025-06-18", "gemini", "openai"]
    made = toolcast.compile({"a.yaml": spec}, providers=providers)
    assert not made.diagnostics
    for revision in ("mcp", "mcp-2025-11-25"):
        tool = json.loads(made.files[f"schemas/{revision}/a.json"])
        for schema in (tool["inputSchema"], tool["outputSchema"]):
            assert next(iter(schema)) == "$schema"
            assert schema["$schema"] == newest
            assert [*schema["$defs"].values()] == [{"type": "string"}]
            assert schema["additionalProperties"] is False
    for other in ("mcp-2025-06-18", "gemini", "openai"):
        assert b"$schema" not in made.files[f"schemas/{other}/a.json"]
    assert b"$schema" not in made.files["a.py"]
