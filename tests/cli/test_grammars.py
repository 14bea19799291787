"""Specs with a grammar where llguidance is not installed: commands say what to install and change nothing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SPEC = (
    "description: Computes.\npermission: read\nsecrets: []\ninput: {grammar: regex, definition: '[0-9]+'}\n"
)
INSTALL = "pip install 'toolcast[grammars]'"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "absent").mkdir()
    (tmp_path / "absent/llguidance.py").write_text("raise ModuleNotFoundError(__name__)\n", "utf-8")
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs/calculate.yaml").write_text(SPEC, "utf-8")
    (tmp_path / "pyproject.toml").write_text("[tool.toolcast]\n", "utf-8")
    return tmp_path


def run(project: Path, *words: str, absent: bool = True) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **({"PYTHONPATH": str(project / "absent")} if absent else {})}
    command = [sys.executable, "-m", "toolcast", *words]
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)


def test_generate_says_what_to_install(project: Path) -> None:
    done = run(project, "generate")
    assert done.returncode == 1
    assert "specs/calculate.yaml:4:37: error[missing-library]: the grammar cannot be checked" in done.stderr
    assert INSTALL in done.stderr
    assert not (project / "generated").exists()
    done = run(project, "generate", absent=False)
    assert done.returncode == 0, done.stderr
    before = (project / "generated/calculate.py").read_bytes()
    (project / "specs/calculate.yaml").write_text(SPEC.replace("Computes", "Counts"), "utf-8")
    assert run(project, "generate").returncode == 1
    assert (project / "generated/calculate.py").read_bytes() == before


def test_call_says_what_to_install(project: Path) -> None:
    assert run(project, "generate", absent=False).returncode == 0
    assert run(project, "call", "calculate", '{"input": "5"}', absent=False).returncode == 0
    done = run(project, "call", "calculate", '{"input": "5"}')
    assert done.returncode == 1
    assert "missing-library" in done.stderr
    assert INSTALL in done.stderr
    assert "Traceback" not in done.stderr
