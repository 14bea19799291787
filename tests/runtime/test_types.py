"""mypy and pyright accept every right handler, and report every wrong one at its registration."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).parent / "typing"
SAMPLE = Path(__file__).parent / "sample"


def marked(file: Path) -> set[int]:
    lines = file.read_text("utf-8").splitlines()
    return {number for number, line in enumerate(lines, 1) if line.endswith("# report")}


def start(command: list[str]) -> "subprocess.Popen[str]":
    environment = {**os.environ, "MYPYPATH": str(ROOT / "codegen"), "NO_COLOR": "1"}
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)


def found_by_mypy(output: str) -> dict[str, set[int]]:
    found: dict[str, set[int]] = {}
    for file, line in re.findall(r"^(.+?):(\d+): error:", output, re.MULTILINE):
        found.setdefault(Path(file).name, set()).add(int(line))
    return found


def found_by_pyright(output: str) -> dict[str, set[int]]:
    found: dict[str, set[int]] = {}
    for problem in json.loads(output)["generalDiagnostics"]:
        if problem["severity"] == "error":
            line = problem["range"]["start"]["line"] + 1
            found.setdefault(Path(problem["file"]).name, set()).add(line)
    return found


def test_type_checkers_find_the_wrong_handlers(tmp_path: Path) -> None:
    settings = {
        "include": [os.path.relpath(folder, tmp_path) for folder in (FOLDER, SAMPLE)],
        "extraPaths": [str(ROOT), str(ROOT / "codegen")],
        "pythonVersion": "3.11",
        "typeCheckingMode": "strict",
        "reportMissingTypeStubs": "none",
    }
    config = tmp_path / "pyrightconfig.json"
    config.write_text(json.dumps(settings), "utf-8")
    python = [sys.executable, "-m"]
    pyright = start([*python, "pyright", "--outputjson", "--pythonpath", sys.executable, "-p", str(config)])
    mypy = start(
        [*python, "mypy", "--no-error-summary", "--cache-dir", str(tmp_path), str(FOLDER), str(SAMPLE)]
    )
    mypy_output = mypy.communicate(timeout=120)[0]
    pyright_output = pyright.communicate(timeout=120)[0]
    if not pyright_output.startswith("{") and not os.environ.get("CI"):  # it fetches itself on its first run
        pytest.skip(f"pyright does not run here: {pyright_output[:200]}")
    expected = {"bad.py": marked(FOLDER / "bad.py")}
    assert found_by_mypy(mypy_output) == expected, mypy_output
    assert found_by_pyright(pyright_output) == expected, pyright_output
