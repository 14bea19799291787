"""Annotations that a spec does not state, for the providers that have them."""

from pathlib import Path
from typing import Any

import pytest

from tests.lint.projects import found, spec, write

CODE = "unstated-annotation"
WHOLE: dict[str, Any] = {"title": "Look up", "destructive": False, "idempotent": True, "open_world": False}


def project(folder: Path, annotations: dict[str, Any] | None, *providers: str) -> Path:
    tool = spec(annotations=annotations or {})
    return write(folder, {"look": tool}, f"providers = {list(providers)!r}")


@pytest.mark.parametrize("missing", [("title",), ("open_world", "idempotent"), tuple(WHOLE)])
def test_each_that_is_missing_is_named(tmp_path: Path, missing: tuple[str, ...]) -> None:
    stated = {name: value for name, value in WHOLE.items() if name not in missing}
    (note,) = found(project(tmp_path, stated or None, "mcp"), CODE)
    assert (note.severity, note.tool) == ("note", "look")
    assert {name for name in WHOLE if f"`{name}`" in note.message} == set(missing)
    assert all(f"{name}: …" in note.fix for name in missing)


def test_false_is_stated(tmp_path: Path) -> None:
    assert found(project(tmp_path, WHOLE, "mcp"), CODE) == []


def test_versions_of_mcp_share_a_finding_and_others_have_none(tmp_path: Path) -> None:
    (note,) = found(project(tmp_path, None, "openai", "mcp", "mcp-2025-11-25", "gemini"), CODE)
    assert note.providers == ("mcp", "mcp-2025-11-25")
    assert found(project(tmp_path, None, "openai", "anthropic", "gemini"), CODE) == []


def test_keys_of_meta_that_mcp_reserves_are_named(tmp_path: Path) -> None:
    meta = {"com.example/a": 1, "dev.mcp/a": 2, "team": 3}
    folder = write(tmp_path, {"look": spec(annotations=WHOLE, meta=meta)}, "providers = ['mcp']")
    (warning,) = found(folder, "reserved-meta-key")
    assert (warning.severity, warning.tool) == ("warning", "look")
    assert "'dev.mcp/a'" in warning.message
    assert "com.example/" in warning.fix
