"""L9 where several processes publish: each of them may be killed, or outlive a run that is."""

import contextlib
import errno
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from toolcast.build import crew, hand
from toolcast.build.clean import clean
from toolcast.build.generate import Report, build
from toolcast.build.output.tree import TEMPORARY
from toolcast.config import Config

from tests.build.fake import FAKE, config_of, project, put, states, tree
from tests.build.seams import EVERY, At, Refusing, die_really, run_in_fork, seams
from tests.crash.test_disks import FAULTS

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked processes")

ROOT = Path(__file__).parents[2]
COUNT = 70
"""Specs, with four outputs each: enough for the workers to publish."""
PUBLISHING = "replace"
"""Workers use this step for outputs alone."""
RUN = "import sys; import tests.crash.test_crew as here; here.outlived(sys.argv[1], int(sys.argv[2]))"


Changed = tuple[Config, dict[str, bytes], dict[str, bytes]]
"""A project whose specs have changed since it was built; its output, and what that will become."""


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that each worker is handed several."""
    monkeypatch.setattr(crew, "_PIECE", 40)


def _specs(version: int) -> dict[str, str]:
    return {f"g{number % 3}/t{number}.yaml": f"{version} {number}" for number in range(COUNT)}


def _change(config: Config) -> None:
    """Every output becomes another one; some go, and some come."""
    for path, text in _specs(2).items():
        put(config.specs / path, text)
    (config.specs / "g0/t0.yaml").rename(config.specs / "g0/new.yaml")


def _run(config: Config) -> Report:
    return build(config, FAKE, jobs=2)


@pytest.fixture
def changed(memory: Path) -> Changed:
    config = project(memory / "p", _specs(1))
    _run(config)
    before = tree(config.output)
    _change(config)
    other = project(
        memory / "clean",
        {
            path.relative_to(config.specs).as_posix(): path.read_text()
            for path in config.specs.rglob("*.yaml")
        },
    )
    build(other, FAKE, jobs=1)
    return config, before, tree(other.output)


def _hold(config: Config, before: dict[str, bytes], expected: dict[str, bytes]) -> None:
    for path, content in tree(config.output).items():
        assert content in (before.get(path), expected.get(path)) or path.endswith(TEMPORARY), path


def _hold_end(config: Config, expected: dict[str, bytes]) -> None:
    assert tree(config.output) == expected
    assert not [
        path
        for path in config.state.iterdir()
        if path.name.startswith(("journal", "spill", ".")) and path.name != ".gitignore"
    ]
    assert build(config, FAKE, mode="check").plan.empty


class InWorkers(At):
    """The steps of workers only; each of them counts its own."""

    def __init__(self, step: int, fall: Callable[[], None], names: tuple[str, ...] = ()) -> None:
        super().__init__(step, fall)
        self.first, self.names = os.getpid(), names

    def passes(self, name: str, after: bool) -> bool:  # noqa: ARG002
        return os.getpid() == self.first or (bool(self.names) and name not in self.names)


def _kill_run() -> None:
    """For a worker: end the process that started it, if that is still there."""
    run = multiprocessing.parent_process()
    if run is not None and run.pid == os.getppid():
        os.kill(run.pid, signal.SIGKILL)


def _steps(most: int, *few: int) -> list[int]:
    return list(range(0, most, 3) if EVERY else few)


@pytest.mark.parametrize("step", _steps(900, 0, 30, 500))
def test_a_worker_that_is_killed_is_made_up_for(changed: Changed, step: int) -> None:
    """While it compiles or while it publishes; the run ends well, whoever is killed."""
    config, _, expected = changed
    with seams(InWorkers(step, die_really)):
        report = _run(config)
    died = {each.code for each in report.diagnostics}
    assert died <= {"worker-crash"}  # told only where one dies of every attempt
    if not died:
        assert not report.failed
        assert {write.path for write in report.plan.writes} >= {"registry.py", "g0/new.py"}
        _hold_end(config, expected)
    build(config, FAKE)
    _hold_end(config, expected)


@pytest.mark.parametrize("step", _steps(140, 0, 7, 90))
@pytest.mark.parametrize("lose", [False, True])
def test_a_run_that_is_killed_while_its_workers_publish(changed: Changed, step: int, lose: bool) -> None:
    config, before, expected = changed

    def fall() -> None:
        _kill_run()
        time.sleep(0.2)  # and then go on, until it notices

    def killed() -> None:
        with seams(InWorkers(step, fall, (PUBLISHING,))):
            _run(config)

    assert run_in_fork(killed) == signal.SIGKILL
    _hold(config, before, expected)
    if lose:
        for name in ("cache.json", "index"):
            (config.state / name).unlink(missing_ok=True)
    assert not _run(config).failed
    _hold_end(config, expected)
    time.sleep(0.7)  # whoever is left would have written by now
    _hold_end(config, expected)


def outlived(base: str, step: int) -> None:
    """A run that is killed by its worker, which then takes its time over one file."""

    def fall() -> None:
        with contextlib.suppress(FileExistsError):  # one of them only
            Path(base, "chosen").touch(exist_ok=False)
            _kill_run()
            put(Path(base) / "killed.new", str(os.getpid()))
            Path(base, "killed.new").rename(Path(base) / "killed")
            os.kill(os.getpid(), signal.SIGSTOP)

    with seams(InWorkers(step, fall, (PUBLISHING,))):
        _run(config_of(Path(base)))


@pytest.mark.parametrize("then", ["generate", "clean"])
def test_the_next_run_waits_for_a_worker_that_still_publishes(changed: Changed, then: str) -> None:
    """It is stopped between the temporary file and the rename: what it holds must not appear later."""
    config, before, expected = changed
    run = subprocess.Popen([sys.executable, "-c", RUN, str(config.base), "9"], cwd=ROOT)
    assert run.wait() == -signal.SIGKILL
    end = time.monotonic() + 20
    while not (config.base / "killed").exists() and time.monotonic() < end:
        time.sleep(0.01)
    left = int((config.base / "killed").read_text())
    messages: list[str] = []

    def go_on(message: str) -> None:
        messages.append(message)
        _hold(config, before, expected)
        os.kill(left, signal.SIGCONT)

    try:
        if then == "clean":
            assert clean(config, dry_run=False, waiting=go_on).diagnostics == ()
            assert tree(config.output) == {}
            assert not config.state.exists()
        else:
            assert not build(config, FAKE, jobs=2, waiting=go_on).failed
            _hold_end(config, expected)
        assert len(messages) == 1
    finally:
        with contextlib.suppress(OSError):
            os.kill(left, signal.SIGKILL)


@pytest.mark.parametrize("step", _steps(900, 0, 101, 402, 703))
def test_a_disk_that_refuses_a_worker(changed: Changed, step: int) -> None:
    """Told with reason and remedy; what the other worker was given is done, and nothing is half done."""
    config, before, expected = changed
    first, fault = os.getpid(), list(FAULTS.values())[step % len(FAULTS)]

    class Refused(Refusing):
        def passes(self, name: str, after: bool) -> bool:
            return os.getpid() == first or super().passes(name, after)

    with seams(Refused(step, fault)):
        report = _run(config)
    _hold(config, before, expected)
    assert not [path for path in tree(config.output) if path.endswith(TEMPORARY)]
    assert not list(config.state.glob("spill-*"))
    for problem in report.diagnostics:
        assert problem.code == "io-error"
        assert os.strerror(fault) in problem.message
        assert problem.hint
    assert all(tree(config.output)[write.path] == expected[write.path] for write in report.plan.writes)
    assert all(delete.path not in tree(config.output) for delete in report.plan.deletes)
    assert report.failed or tree(config.output) == expected
    assert not build(config, FAKE).failed
    _hold_end(config, expected)


def test_no_room_to_tell_what_a_worker_works_on(changed: Changed, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk refuses the lock of its second piece: the report still says what was done."""
    config, before, expected = changed
    pieces: list[int] = []
    at_work = hand.at_work

    def refused(folder: str, number: int) -> contextlib.AbstractContextManager[None]:
        pieces.append(number)
        if len(pieces) > 1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return at_work(folder, number)

    monkeypatch.setattr(hand, "at_work", refused)
    report = _run(config)
    monkeypatch.setattr(hand, "at_work", at_work)
    assert [each.code for each in report.diagnostics] == ["io-error"]
    assert os.strerror(errno.ENOSPC) in report.diagnostics[0].message
    now = tree(config.output)
    written = {write.path for write in report.plan.writes}
    assert written
    assert written == {path for path in expected if path in now and now[path] != before.get(path)}
    assert not build(config, FAKE).failed
    _hold_end(config, expected)


def test_a_file_that_appears_while_workers_publish(
    changed: Changed,
) -> None:
    """Somebody's own file at a path that was free is not overwritten."""
    config, _, expected = changed
    place = config.output / "g0/new.py"

    def appear() -> None:
        put(place, "mine")

    with seams(InWorkers(0, appear, (PUBLISHING,))):
        report = _run(config)
    assert [(each.code, Path(each.file).name) for each in report.diagnostics] == [("io-error", "new.py")]
    assert "come to stand" in report.diagnostics[0].message
    assert place.read_text() == "mine"
    place.unlink()
    assert not build(config, FAKE).failed
    _hold_end(config, expected)


@pytest.mark.parametrize("mode", ["check", "diff"])
def test_what_a_run_that_writes_nothing_keeps_stays_outside(
    changed: Changed,
    mode: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config, before, expected = changed
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    left = states(config.base)
    plan = build(config, FAKE, mode=mode, jobs=2).plan  # type: ignore[arg-type]
    assert states(config.base) == left
    assert {write.path for write in plan.writes} == {
        path for path in expected if before.get(path) != expected[path]
    }
    if mode == "diff":
        assert all(write.content.read() == expected[write.path] for write in plan.writes)
        assert all(write.old is None or write.old.read() == before[write.path] for write in plan.writes)
    assert not list(tmp_path.glob("toolcast-*"))


def test_how_many_work_makes_no_difference(
    changed: Changed,
) -> None:
    config, _, expected = changed
    assert build(config, FAKE, mode="diff", jobs=1).plan == build(config, FAKE, mode="diff", jobs=3).plan
    assert not build(config, FAKE, jobs=3).failed
    _hold_end(config, expected)
