"""Law L6: the same specs give the same bytes, whatever machine, place or hour they are compiled in."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from toolcast.config import load_config
from toolcast.project.generate import build
from toolcast.project.worker import FRONTEND

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "tests" / "cases"
CASE = "field_kinds"
BLACK = "\n[tool.black]\nline-length = 40\nskip-string-normalization = true\npreview = true\n"


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def project(folder: Path, case: str = CASE) -> Path:
    shutil.copytree(CASES / case, folder, ignore=shutil.ignore_patterns("expected"))
    return folder


def generate(folder: Path, **environment: str) -> dict[str, bytes]:
    variables = {**os.environ, "PYTHONPATH": str(ROOT / "codegen"), **environment}
    command = [sys.executable, "-m", "toolcast", "generate"]
    run = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    return files(folder / "generated")


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONHASHSEED": "1", "LC_ALL": "tr_TR.UTF-8", "TZ": "Asia/Kathmandu", "PYTHONUTF8": "0"},
        {"PYTHONHASHSEED": "2", "LC_ALL": "C", "LANG": "C", "TZ": "America/St_Johns", "COLUMNS": "20"},
        {"PYTHONOPTIMIZE": "2", "NO_COLOR": "1", "SOURCE_DATE_EPOCH": "0", "BLACK_CACHE_DIR": "/nowhere"},
    ],
    ids=["turkish", "plain C", "optimised"],
)
def test_environment(tmp_path: Path, environment: dict[str, str]) -> None:
    assert generate(project(tmp_path / "p"), **environment) == files(CASES / CASE / "expected")


def test_formatter_settings_and_place(tmp_path: Path) -> None:
    folder = project(tmp_path / "a folder" / "ünïcode")
    settings = folder / "pyproject.toml"
    settings.write_text(settings.read_text("utf-8") + BLACK, "utf-8")
    for place in (tmp_path, folder, folder / "specs"):
        (place / ".editorconfig").write_text("root = true\n[*]\nend_of_line = crlf\nindent_style = tab\n")
        (place / "black.toml").write_text(BLACK)
    assert generate(folder) == files(CASES / CASE / "expected")


def test_umask_and_time_change_no_byte(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        folder = project(tmp_path / "p")
        for path in folder.rglob("*"):
            os.utime(path, (0, 0))
        written = generate(folder)
    finally:
        os.umask(before)
    assert written == files(CASES / CASE / "expected")


@pytest.mark.parametrize("case", [CASE, "shared_types", "hostile_text", "results"])
def test_line_endings(tmp_path: Path, case: str) -> None:
    folder = project(tmp_path / "p", case)
    for path in folder.rglob("*.yaml"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert _built(folder) == files(CASES / case / "expected")


@pytest.mark.parametrize("case", [CASE, "tagged_unions", "hostile_text", "results", "provider_overrides"])
def test_json_and_yaml_say_the_same(tmp_path: Path, case: str) -> None:
    folder = project(tmp_path / "p", case)
    for path in (folder / "specs").rglob("*.yaml"):
        path.with_suffix(".json").write_text(json.dumps(yaml.safe_load(path.read_text("utf-8"))), "utf-8")
        path.unlink()
    found, expected = _built(folder), files(CASES / case / "expected")
    del found["manifest.txt"], expected["manifest.txt"]  # it has the digest of every spec
    assert found.keys() == expected.keys()
    for path, content in found.items():
        assert content.replace(b".json; do not edit.", b".yaml; do not edit.") == expected[path], path


def test_the_number_of_jobs_and_the_order_of_files(tmp_path: Path) -> None:
    outputs: list[dict[str, bytes]] = []
    paths = sorted((ROOT / "specs").rglob("*.yaml"))
    for number, order in enumerate((paths, paths[::-1])):
        folder = tmp_path / str(number)
        for path in order:  # a folder lists its files in the order in which they came, on some file systems
            copy = folder / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
        (folder / "pyproject.toml").write_text('[tool.toolcast]\nproviders = ["mcp"]\n', "utf-8")
        outputs.append(_built(folder, jobs=number + 1))
    assert outputs[0] == outputs[1]
    assert len(outputs[0]) > 60


def _built(folder: Path, jobs: int = 1) -> dict[str, bytes]:
    config, problems = load_config(folder)
    assert config is not None, problems
    report = build(config, FRONTEND, jobs=jobs)
    assert not report.failed, report.diagnostics
    return files(folder / "generated")
