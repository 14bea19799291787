"""Law L6 over what differs between machines; what differs within one is in tests/python."""

import os
import re
import shutil
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from tests.project.fake import tree
from tests.project.pythons import VERSIONS, python_of
from tests.sampled import sampled

ROOT = Path(__file__).resolve().parents[2]


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
    "turkish": (
        (),
        {"LC_ALL": "tr_TR.UTF-8", "PYTHONHASHSEED": "1", "TZ": "Asia/Kathmandu", "COLUMNS": "20"},
    ),
    "posix": ((), {"LC_ALL": "POSIX", "PYTHONHASHSEED": "4294967295", "TZ": "Pacific/Kiritimati"}),
    "utf-8": (("-X", "utf8"), {"LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0", "TZ": "Antarctica/Troll"}),
    "careful": (("-X", "dev", "-W", "error::EncodingWarning", "-X", "warn_default_encoding"), {}),
    "hurried": (
        ("-OO", "-B", "-s"),
        {"HOME": "/nonexistent", "XDG_CACHE_HOME": "/nonexistent", "SOURCE_DATE_EPOCH": "0"},
    ),
    "ci": ((), {"CI": "true", "GITHUB_ACTIONS": "true", "FORCE_COLOR": "1", "TERM": "xterm", "LINES": "3"}),
}
CASES = {
    "hostile_text": "strings of every alphabet, which a locale or an encoding would change",
    "field_kinds": "every kind of field, which an order of sets would change",
}
DEFAULT = (
    ("ascii", "hostile_text"),
    ("careful", "hostile_text"),
    ("turkish", "field_kinds"),
    ("hurried", "field_kinds"),
)


@pytest.mark.parametrize("pair", sampled(product(MACHINES, CASES), DEFAULT), ids="-".join)
def test_machines(tmp_path: Path, pair: tuple[str, str]) -> None:
    machine, case = pair
    flags, variables = MACHINES[machine]
    folder, source = tmp_path / "p", ROOT / "tests/cases" / case
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("expected"))
    assert _generate(folder, *flags, **variables) == tree(source / "expected")


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
@pytest.mark.parametrize("version", VERSIONS)
def test_python_versions(tmp_path: Path, version: str) -> None:
    """Each that the machine has; `make pythons` sets them up."""
    python = python_of(version)
    if python is None:
        pytest.skip(f"no Python {version} was set up by `make pythons`")
    folder = tmp_path / "p"
    shutil.copytree(ROOT / "specs", folder / "specs")
    toml = (ROOT / "pyproject.toml").read_text("utf-8")
    table = re.search(r"^\[tool\.toolcast\]\n(?:[^\[].*\n)*", toml, re.MULTILINE)
    assert table is not None
    (folder / "pyproject.toml").write_text(table[0], "utf-8")
    assert _generate(folder, python=python) == _without_bytecode(tree(ROOT / "generated"))


def _without_bytecode(found: dict[str, bytes]) -> dict[str, bytes]:
    return {path: data for path, data in found.items() if "__pycache__" not in path}
