"""Worker processes: what becomes of a spec does not depend on them, whatever becomes of them."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs
from toolcast.project import pool
from toolcast.project.core.compiled import Compiled, Options
from toolcast.project.generate import build
from toolcast.project.worker import Frontend
from toolcast.spec.tool_spec import ToolSpec

from tests.project.fake import FAKE, project, tree

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="kills processes")

ROOT = Path(__file__).parents[2]
MANY = 8
SPECS = {f"g{number % 3}/t{number}.yaml": f"{number}" for number in range(MANY)}
KILL = "TOOLCAST_TEST_KILL"


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "MANY", MANY)


def killed_once(tool: ToolSpec, types: Mapping[str, Any], options: Options) -> Compiled:
    """Compile as the stand-in does; the first process to get here is killed."""
    mark = Path(os.environ[KILL])
    if mark.exists():
        mark.unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    return FAKE.compile_tool(tool, types, options)


KILLED_ONCE: Frontend = structs.replace(FAKE, compile_tool=killed_once)


def test_the_work_of_a_worker_that_is_killed_is_done_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = tmp_path / "kill"
    mark.touch()
    monkeypatch.setenv(KILL, str(mark))
    config, plain = project(tmp_path / "p", SPECS), project(tmp_path / "plain", SPECS)
    report = build(config, KILLED_ONCE, jobs=2)
    assert not mark.exists()
    assert not report.failed
    assert report.rebuilt == MANY
    build(plain, FAKE, jobs=1)
    assert tree(config.output) == tree(plain.output)


@pytest.mark.filterwarnings("error:resource_tracker")  # it is started again where it died
def test_workers_import_nothing_from_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("pickle", "msgspec", "signal"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(9)")
    monkeypatch.chdir(tmp_path)
    report = build(project(tmp_path / "p", SPECS), FAKE, jobs=2)
    assert not report.diagnostics


def test_workers_do_not_run_the_program_again(tmp_path: Path) -> None:
    """It has no `if __name__ == "__main__"`, and holds the lock that it would wait for."""
    config = project(tmp_path / "p", SPECS)
    program = tmp_path / "program.py"
    program.write_text(
        "import sys; from pathlib import Path; import tests.project.fake as f\n"
        "import toolcast.project.pool as pool\n"
        f"pool.MANY = {MANY}\n"
        "from toolcast.project.generate import build\n"
        "sys.exit(build(f.config_of(Path(sys.argv[1])), f.FAKE, jobs=2).failed)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, str(program), str(config.base)]
    done = subprocess.run(command, env=environment, capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    assert (config.output / "g0/t0.py").exists()


def stopping(tool: ToolSpec, types: Mapping[str, Any], options: Options) -> Compiled:
    """Compile as the stand-in does, and end the program that started this process."""
    os.kill(os.getppid(), signal.SIGTERM)
    return FAKE.compile_tool(tool, types, options)


STOPPING: Frontend = structs.replace(FAKE, compile_tool=stopping)


def test_a_program_that_is_ended_leaves_no_process_and_no_semaphore_behind(tmp_path: Path) -> None:
    project(tmp_path / "p", SPECS)
    program = (
        "from pathlib import Path; from tests.project.test_pool import *; pool.MANY = MANY;"
        "from toolcast.config import load_config;"
        "config, _ = load_config(Path(sys.argv[1])); build(config, STOPPING, jobs=2)"
    )
    command = (sys.executable, "-c", program, str(tmp_path / "p"))
    ended = subprocess.run(command, capture_output=True, text=True, timeout=100, cwd=ROOT)
    assert ended.returncode == 128 + signal.SIGTERM
    assert ended.stderr == ""
