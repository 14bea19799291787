"""Runs at the same time: one waits for the other, whatever becomes of it."""

import errno
import fcntl
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from toolcast.config import Config
from toolcast.project.generate import build
from toolcast.project.output.publish import clean
from toolcast.project.pool import MANY
from toolcast.project.state.files import locked

from tests.project.fake import FAKE, config_of, project, put, tree

ROOT = Path(__file__).parents[2]
SPECS = {f"t{number}.yaml": str(number) for number in range(MANY)}
RUN = """
import os, sys, time
from pathlib import Path
from msgspec import structs
from toolcast.project.generate import build
import tests.project.fake as fake
import tests.crash.test_together as here
print("begun", flush=True)
build(fake.config_of(Path(sys.argv[1])), structs.replace(fake.FAKE, compile_tool=here.slowly), jobs=2)
"""


def slowly(*arguments: object) -> object:
    """Compile as the stand-in does, and take long; say who does it."""
    put(Path(os.environ["WORKERS"]) / str(os.getpid()), "")
    time.sleep(0.2)
    return FAKE.compile_tool(*arguments)  # type: ignore[arg-type]


def _until(true: Callable[[], bool], seconds: float = 60) -> bool:
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.02)
    return true()


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
        stat = Path(f"/proc/{process}/stat")
        return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _other(config: Config, messages: list[str]) -> threading.Thread:
    reported = {"waiting": messages.append}
    other = threading.Thread(target=build, args=(config, FAKE), kwargs=reported, daemon=True)
    other.start()
    return other


@pytest.fixture
def slow(memory: Path) -> Iterator[tuple[Config, subprocess.Popen[bytes], list[int]]]:
    """A project, and a run in it whose workers compile."""
    config = project(memory / "p", SPECS)
    (memory / "workers").mkdir()
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "WORKERS": str(memory / "workers")}
    run = subprocess.Popen([sys.executable, "-c", RUN, str(config.base)], env=variables)
    assert _until(lambda: len(list((memory / "workers").iterdir())) == 2)
    yield config, run, [int(path.name) for path in (memory / "workers").iterdir()]
    run.kill()
    run.wait()


@pytest.mark.skipif(sys.platform == "win32", reason="forks")
def test_a_run_waits_for_a_stopped_one_and_goes_on_when_it_is_killed_with_its_workers(
    slow: tuple[Config, subprocess.Popen[bytes], list[int]],
) -> None:
    config, run, workers = slow
    run.send_signal(signal.SIGSTOP)
    messages: list[str] = []
    other = _other(config, messages)
    assert _until(lambda: bool(messages))
    assert not config.output.exists()
    run.send_signal(signal.SIGKILL)
    run.wait()
    other.join(60)
    assert not other.is_alive()
    assert (config.output / "t39.py").exists()
    assert not build(config, FAKE, mode="check").plan.writes
    assert _until(lambda: not any(map(_alive, workers)))


def test_a_run_that_waited_sees_what_the_other_left(memory: Path) -> None:
    """Its cache is read once it may go on, not before."""
    config = project(memory / "p", {"a.yaml": "1"})
    build(config, FAKE)
    first = tree(config.output)
    messages: list[str] = []
    with locked(config.state, messages.append):
        other = threading.Thread(target=build, args=(config, FAKE), kwargs={"waiting": messages.append})
        other.start()
        assert _until(lambda: bool(messages))
        saved = {path: path.read_bytes() for path in (config.state / "cache.json", config.state / "index")}
        for path in saved:
            path.unlink()
        put(config.specs / "a.yaml", "2")
    other.join()
    second = tree(config.output)
    assert second != first
    put(config.specs / "a.yaml", "1")
    build(config, FAKE)
    assert tree(config.output) == first


def test_a_run_that_waited_for_clean_starts_anew(memory: Path) -> None:
    config = project(memory / "p", {"a.yaml": "1"})
    build(config, FAKE)
    expected = tree(config.output)
    for _ in range(8):
        runs = [threading.Thread(target=build, args=(config, FAKE)) for _ in range(3)]
        for run in runs:
            run.start()
        assert clean(config, dry_run=False).diagnostics == ()
        for run in runs:
            run.join()
        report = build(config, FAKE)
        assert not report.failed, report.diagnostics
        assert tree(config.output) == expected
        assert (config.state / ".gitignore").exists()


def test_runs_and_edits_at_once(memory: Path) -> None:
    """Processes while specs change: afterwards one run leaves what a clean build would."""
    config = project(memory / "p", dict(list(SPECS.items())[:8]))
    code = (
        "import sys; from pathlib import Path; import tests.project.fake as f\n"
        "from toolcast.project.generate import build\n"
        "for _ in range(4): build(f.config_of(Path(sys.argv[1])), f.FAKE, jobs=1)\n"
    )
    variables = {**os.environ, "PYTHONPATH": str(ROOT)}
    runs = [subprocess.Popen([sys.executable, "-c", code, str(config.base)], env=variables) for _ in range(2)]
    turn = 0
    while any(run.poll() is None for run in runs):
        turn += 1
        put(config.specs / f"t{turn % 8}.yaml", f"turn {turn}")
        (config.specs / f"t{(turn + 3) % 8}.yaml").unlink(missing_ok=True)
        time.sleep(0.01)
    assert [run.returncode for run in runs] == [0, 0]
    build(config, FAKE)
    specs = {path.name: path.read_text() for path in config.specs.glob("*.yaml")}
    other = project(memory / "clean", specs)
    build(other, FAKE)
    assert tree(config.output) == tree(other.output)


def test_a_file_system_without_locks_is_reported_and_not_waited_for(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    config = project(memory / "p", {"a.yaml": "1"})
    monkeypatch.setattr(fcntl, "flock", refuse)
    report = build(config, FAKE)
    problem = report.diagnostics[0]
    assert (problem.code, problem.file.rpartition("/")[2]) == ("io-error", "lock")
    assert "No locks" in problem.message
    assert not config.output.exists()


def test_a_lock_file_that_lies_about_is_no_lock(memory: Path) -> None:
    config = project(memory / "p", {"a.yaml": "1"})
    put(config.state / "lock", "4711")
    assert not build(config_of(config.base), FAKE).failed
