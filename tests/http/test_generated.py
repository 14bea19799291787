"""A changed `http` changes the binding, and nothing else of the tool's outputs."""

import shutil
from pathlib import Path

import pytest
from toolcast.config import load_config
from toolcast.project.generate import build
from toolcast.project.worker import FRONTEND

CASE = Path(__file__).resolve().parents[1] / "cases" / "http_requests"


def outputs(folder: Path) -> dict[str, bytes]:
    found = (folder / "generated").rglob("*")
    return {path.name: path.read_bytes() for path in found if path.suffix in (".py", ".json")}


def test_another_path_is_another_binding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tmp_path / "project"
    shutil.copytree(CASE, project, ignore=shutil.ignore_patterns("expected"))
    monkeypatch.chdir(project)
    config, _ = load_config(project)
    assert config is not None
    assert not build(config, FRONTEND, jobs=1).failed
    before = outputs(project)
    spec = project / "specs" / "upload.yaml"
    spec.write_text(spec.read_text("utf-8").replace("path: /pictures", "path: /photos"), "utf-8")
    report = build(config, FRONTEND, jobs=1)
    assert not report.failed
    after = outputs(project)
    assert {name for name in after if after[name] != before.get(name)} == {"upload.py"}
    assert b'"path": "/photos"' in after["upload.py"]
