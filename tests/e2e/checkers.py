"""mypy, pyright, ty and pyrefly over some folders, and the lines that they report."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
Found = dict[Path, set[int]]


def check(folders: list[Path], scratch: Path, *roots: Path) -> tuple[dict[str, Found], str]:
    """Reports of mypy, pyright (both strict), ty and pyrefly as lines by file; the words of the first two.

    `roots` are import roots beside the repository's. Skips where pyright cannot run, except in CI.
    """
    paths = [str(ROOT / "codegen"), str(ROOT), *map(str, roots)]
    config = scratch / "pyrightconfig.json"
    settings = {
        "include": [os.path.relpath(folder, scratch) for folder in folders],
        "extraPaths": paths,
        "pythonVersion": "3.11",
        "typeCheckingMode": "strict",
        "reportMissingTypeStubs": "none",
        "reportUnusedExpression": "none",
    }
    config.write_text(json.dumps(settings), "utf-8")
    python = [sys.executable, "-m"]
    environment = {**os.environ, "MYPYPATH": os.pathsep.join(paths), "NO_COLOR": "1"}
    pyright = _start([*python, "pyright", "--outputjson", "--pythonpath", sys.executable, "-p", str(config)])
    options = ["--strict", "--no-error-summary", "--explicit-package-bases", "--namespace-packages"]
    files = [str(path) for folder in folders for path in sorted(folder.rglob("*.py"))]
    mypy = _start([*python, "mypy", *options, "--cache-dir", str(scratch / "mypy"), *files], environment)
    search = [word for path in paths for word in ("--extra-search-path", path)]
    ty = _start(
        [*python, "ty", "check", "--python", sys.executable, "--output-format", "concise", *search, *files]
    )
    search = [word for path in paths for word in ("--search-path", path)]
    options = ["--preset", "strict", "--output-format", "json", "--python-interpreter-path", sys.executable]
    pyrefly = _start([*python, "pyrefly", "check", *options, *search, *files])
    mypy_output, pyright_output = mypy.communicate(timeout=300)[0], pyright.communicate(timeout=300)[0]
    ty_output, pyrefly_output = ty.communicate(timeout=300)[0], pyrefly.communicate(timeout=300)[0]
    if not pyright_output.startswith("{") and not os.environ.get("CI"):  # it fetches itself on its first run
        pytest.skip(f"pyright does not run here: {pyright_output[:200]}")
    found = {
        "mypy": _lines(r"^(.+?):(\d+): error:", mypy_output),
        "pyright": _pyright(pyright_output),
        "ty": _lines(r"^(.+?):(\d+):\d+: error", ty_output),
        "pyrefly": _pyrefly(pyrefly_output),
    }
    return found, mypy_output + pyright_output


def _start(command: list[str], environment: dict[str, str] | None = None) -> "subprocess.Popen[str]":
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)


def _lines(pattern: str, output: str) -> Found:
    found: Found = {}
    for file, line in re.findall(pattern, output, re.MULTILINE):
        found.setdefault((ROOT / file).resolve(), set()).add(int(line))
    return found


def _pyright(output: str) -> Found:
    found: Found = {}
    for problem in json.loads(output)["generalDiagnostics"]:
        if problem["severity"] == "error":
            line = problem["range"]["start"]["line"] + 1
            found.setdefault(Path(problem["file"]).resolve(), set()).add(line)
    return found


def _pyrefly(output: str) -> Found:
    found: Found = {}
    for problem in json.loads(output)["errors"]:
        if problem["severity"] == "error":
            found.setdefault((ROOT / problem["path"]).resolve(), set()).add(problem["line"])
    return found
