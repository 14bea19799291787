"""The commands with the real compiler: a newcomer's way, and L6 over what differs between machines."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.project.fake import put, tree

SHARED = "type: object\nproperties: {line: {type: integer}}\n"
SPEC = """\
name: look
description: Looks at a place.
permission: read
secrets: []
parameters:
  type: object
  required: [at]
  properties:
    at: {$ref: ../_types/place.yaml}
    how: {enum: [fast, slow]}
"""


def toolcast(cwd: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "toolcast", *arguments],
        cwd=cwd,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def _project(base: Path, ending: str = "\n", toml: str = "") -> Path:
    put(base / "specs/g/look.yaml", SPEC.replace("\n", ending))
    put(base / "specs/_types/place.yaml", SHARED.replace("\n", ending))
    put(base / "pyproject.toml", '[tool.toolcast]\nproviders = "all"\n' + toml)
    return base


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    base = _project(tmp_path_factory.mktemp("plain"))
    toolcast(base, "generate", PYTHONHASHSEED="0")
    return tree(base / "generated")


def test_hash_seed_locale_and_formatter_settings_change_no_byte(
    tmp_path: Path, plain: dict[str, bytes]
) -> None:
    base = _project(tmp_path, toml="[tool.black]\nline-length = 20\nskip-string-normalization = true\n")
    toolcast(base, "generate", "--jobs", "2", PYTHONHASHSEED="7", LC_ALL="C", TZ="Asia/Tokyo")
    assert tree(base / "generated") == plain


def test_line_endings_change_no_byte(tmp_path: Path, plain: dict[str, bytes]) -> None:
    base = _project(tmp_path, ending="\r\n")
    toolcast(base, "generate")
    assert tree(base / "generated") == plain


def test_the_working_directory_changes_no_byte(tmp_path: Path, plain: dict[str, bytes]) -> None:
    base = _project(tmp_path / "deep" / "er")
    toolcast(tmp_path, "generate", "--config", "deep/er/pyproject.toml")
    assert tree(base / "generated") == plain
    toolcast(tmp_path, "generate", "--check", "--config", "deep/er/pyproject.toml")


def test_a_newcomers_way(tmp_path: Path) -> None:
    toolcast(tmp_path, "init")
    toolcast(tmp_path, "new", "files/edit")
    spec = tmp_path / "specs/files/edit.yaml"
    decisions = {"description: TODO": "description: Edits a text.", "permission: TODO": "permission: write"}
    text = (
        spec.read_text().replace("secrets: TODO", "secrets: []").replace("required: []", "required: [text]")
    )
    for open_one, decided in decisions.items():
        text = text.replace(open_one, decided)
    spec.write_text(text.replace("properties: {}", "properties: {text: {type: string}}"))
    assert "2 tools: 2 rebuilt" in toolcast(tmp_path, "generate").stdout
    assert "2 unchanged" in toolcast(tmp_path, "generate").stdout
    toolcast(tmp_path, "generate", "--check")
    toolcast(tmp_path, "stubs")
    assert '"name": "edit"' in toolcast(tmp_path, "show", "edit", "--provider", "anthropic").stdout
    code = (
        "import asyncio; from generated.registry import BINDINGS; from handlers.files.edit import edit\n"
        "from toolcast.runtime import ToolRegistry\n"
        "registry = ToolRegistry(); registry.register(BINDINGS['edit'], edit)\n"
        """print(asyncio.run(registry.execute('edit', '{"text": "a b"}')).error)"""
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stdout == "not implemented yet\n", done.stderr
    toolcast(tmp_path, "clean")
    assert not (tmp_path / "generated/registry.py").exists()
    assert not (tmp_path / ".toolcast").exists()
