"""The command itself, with the compiler and its workers, killed after any time."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from toolcast.project.output.output_tree import TEMPORARY

from tests.project.fake import tree
from tests.project.fault_injection import EVERY

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, bytes], float]:
    """What an undisturbed run leaves, and how long it takes."""
    base, started = _project(tmp_path_factory.mktemp("undisturbed")), time.monotonic()
    assert _start(base).wait() == 0
    return tree(base / "generated"), time.monotonic() - started


def _project(base: Path) -> Path:
    for folder in (
        [*(ROOT / "specs").iterdir()] if EVERY else [ROOT / "specs" / "_types", ROOT / "specs" / "files"]
    ):
        shutil.copytree(folder, base / "specs" / folder.name)
    (base / "pyproject.toml").write_text('[tool.toolcast]\nproviders = ["gemini", "mcp"]\n', "utf-8")
    return base


def _start(base: Path) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "codegen")}
    command = [sys.executable, "-m", "toolcast", "generate", "--jobs", "2"]
    return subprocess.Popen(
        command, cwd=base, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


@pytest.mark.parametrize("share", [part / 24 for part in range(25)] if EVERY else [0.6])
def test_killed_after_any_time(memory: Path, expected: tuple[dict[str, bytes], float], share: float) -> None:
    whole, seconds = expected
    base = _project(memory / "p")
    for _ in range(2 if EVERY else 1):  # the second run repairs what the first left, and is killed, too
        run = _start(base)
        time.sleep(seconds * share)
        run.kill()
        run.wait()
        for path, content in tree(base / "generated").items():
            assert content == whole.get(path) or path.endswith(TEMPORARY), path
    assert _start(base).wait(120) == 0
    assert tree(base / "generated") == whole
