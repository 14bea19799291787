"""Law L6 over what differs between machines; what differs between formatter settings is in tests/python."""

import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from toolcast.project.generate import build
from toolcast.project.worker import FRONTEND

from tests.project.fake import config_of, tree
from tests.sampled import sampled

ROOT = Path(__file__).resolve().parents[2]
CASE = ROOT / "tests/cases/hostile_text"
"""Strings of every alphabet: what a locale or an encoding would change."""


def _project(folder: Path, case: Path = CASE) -> Path:
    shutil.copytree(case, folder, ignore=shutil.ignore_patterns("expected"))
    return folder


def _generate(folder: Path, *flags: str, python: str = sys.executable, **variables: str) -> dict[str, bytes]:
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "codegen"), **variables}
    command = [python, *flags, "-m", "toolcast", "generate"]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, check=False, stdin=subprocess.DEVNULL
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return tree(folder / "generated")


MACHINES = {
    "ascii": (
        (),
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"},
    ),
    "posix": ((), {"LC_ALL": "POSIX", "PYTHONHASHSEED": "4294967295", "TZ": "Pacific/Kiritimati"}),
    "utf-8": (("-X", "utf8"), {"LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0", "TZ": "Antarctica/Troll"}),
    "careful": (("-X", "dev", "-W", "error::EncodingWarning", "-X", "warn_default_encoding"), {}),
    "hurried": (("-OO", "-B", "-s"), {"HOME": "/nonexistent", "XDG_CACHE_HOME": "/nonexistent"}),
    "ci": ((), {"CI": "true", "GITHUB_ACTIONS": "true", "FORCE_COLOR": "1", "TERM": "xterm", "LINES": "3"}),
}


@pytest.mark.parametrize("machine", sampled(MACHINES, ("ascii", "careful", "hurried")))
def test_machines(tmp_path: Path, machine: str) -> None:
    flags, variables = MACHINES[machine]
    assert _generate(_project(tmp_path / "p"), *flags, **variables) == tree(CASE / "expected")


@pytest.mark.parametrize("umask", sampled([0o000, 0o022, 0o027, 0o077], [0o000, 0o077]))
def test_modes_are_what_the_umask_leaves(tmp_path: Path, umask: int) -> None:
    """No file can be executed, and none is open to more than others of this user are."""
    folder, before = _project(tmp_path / "p"), os.umask(umask)
    try:
        found = _generate(folder)
    finally:
        os.umask(before)
    assert found == tree(CASE / "expected")
    for path in [folder / "generated", *(folder / "generated").rglob("*")]:
        mode = 0o777 if path.is_dir() else 0o666
        assert stat.S_IMODE(path.stat().st_mode) == mode & ~umask, path


@pytest.mark.parametrize("ending", ["\r\n", "\r"])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
def test_what_editors_do_to_text(tmp_path: Path, ending: str, bom: bytes) -> None:
    """Line endings as Windows and old Macs have them, and a mark at the beginning."""
    folder = _project(tmp_path / "p", ROOT / "tests/cases/shared_types")
    for path in (folder / "specs").rglob("*.yaml"):
        path.write_bytes(bom + path.read_bytes().replace(b"\n", ending.encode()))
    report = build(config_of(folder), FRONTEND, jobs=1)
    assert not report.failed, report.diagnostics
    found, expected = tree(folder / "generated"), tree(ROOT / "tests/cases/shared_types/expected")
    if bom:  # the manifest has a digest of every spec, and a mark is a part of it
        del found["manifest.txt"], expected["manifest.txt"]
    assert found == expected


@pytest.mark.thorough
def test_the_way_workers_start(tmp_path: Path) -> None:
    """Forked, or begun anew as on Windows and macOS; one, or many."""
    outputs: list[dict[str, bytes]] = []
    for number, method in enumerate(("fork", "spawn", "forkserver")):
        if method == "fork" and not hasattr(os, "fork"):
            continue
        folder = tmp_path / method
        shutil.copytree(ROOT / "specs", folder / "specs")
        (folder / "pyproject.toml").write_text('[tool.toolcast]\nproviders = ["gemini"]\n', "utf-8")
        code = (
            "import multiprocessing, sys\n"
            "from toolcast.cli.main import run\n"
            f"if __name__ == '__main__':\n    multiprocessing.set_start_method({method!r})\n"
            f"    sys.exit(run(['generate', '--jobs', '{number + 1}']))\n"
        )
        (tmp_path / "main.py").write_text(code, "utf-8")
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "codegen")}
        command = [sys.executable, str(tmp_path / "main.py")]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        outputs.append(tree(folder / "generated"))
    assert all(output == outputs[0] for output in outputs)
    assert len(outputs[0]) > 60


@pytest.mark.thorough
@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13", "3.14"])
def test_python_versions(tmp_path: Path, version: str) -> None:
    """Each that the machine has; `make pythons` sets them up."""
    python = ROOT / f".venv-pythons/{version}/bin/python"
    if f"{sys.version_info[0]}.{sys.version_info[1]}" == version:
        python = Path(sys.executable)
    elif not python.exists():
        pytest.skip(f"no Python {version} was set up by `make pythons`")
    folder = tmp_path / "p"
    shutil.copytree(ROOT / "specs", folder / "specs")
    toml = (ROOT / "pyproject.toml").read_text("utf-8")
    table = re.search(r"^\[tool\.toolcast\]\n(?:[^\[].*\n)*", toml, re.MULTILINE)
    assert table is not None
    (folder / "pyproject.toml").write_text(table[0], "utf-8")
    assert _generate(folder, python=str(python)) == _without_bytecode(tree(ROOT / "generated"))


def _without_bytecode(found: dict[str, bytes]) -> dict[str, bytes]:
    return {path: data for path, data in found.items() if "__pycache__" not in path}
