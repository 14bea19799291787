"""Several processes on one file, and processes that are killed: no run twice, none lost without a record."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from toolcast_tools.schedule import Schedule

from tests.loops import in_loop
from tests.tools.schedule.calls import NOON, Clock, Program, add, listed, only
from tests.tools.schedule.conftest import Opened

ROOT = Path(__file__).resolve().parents[3]
RUNNER = Path(__file__).with_name("runner.py")


def runner(file: Path, now: float, prompt: str = "work") -> subprocess.Popen[str]:
    command = [sys.executable, str(RUNNER), str(file), str(now), prompt]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def test_processes_that_look_at_once_carry_out_each_run_once(
    file: Path, clock: Clock, program: Program
) -> None:
    schedule = Schedule(file, program.run, clock=clock)
    for number in range(30):
        add(schedule, f"a{number}")
    processes = [runner(file, NOON + 3601) for _ in range(2)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    lines = [line for process in processes for line in process.communicate(timeout=60)[0].splitlines()]
    assert sorted(lines) == sorted(f"a{number} {NOON + 3600}" for number in range(30))
    assert {job.last_status for job in listed(schedule).jobs} == {"succeeded"}
    asyncio.run(schedule.aclose())


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="kills with SIGKILL")
def test_a_run_whose_process_is_killed_fails_and_is_not_repeated(
    opened: Opened, file: Path, clock: Clock, program: Program
) -> None:
    async def before() -> None:
        async with opened() as schedule:
            add(schedule, "a", max_runs=3)

    async def after() -> None:
        async with opened() as schedule:
            clock.now = NOON + 3630
            assert await schedule.run_due() == 0  # it may run still
            assert only(schedule).last_status is None
            clock.now = NOON + 3700
            assert await schedule.run_due() == 0
            job = only(schedule)
            assert (job.last_status, job.last_run, job.next_run) == (
                "failed", "2027-01-15T13:00:00Z", "2027-01-15T14:00:00Z",
            )  # fmt: skip
            clock.now = NOON + 7200
            assert await schedule.run_due() == 1

    asyncio.run(before())
    process = runner(file, NOON + 3601, "hang")
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("\n")
    process.stdin.flush()
    assert process.stdout.readline() == f"a {NOON + 3600}\n"
    process.kill()
    process.communicate()
    asyncio.run(after())
    assert [run.number for run in program.runs] == [2]


@in_loop
async def test_a_run_that_another_process_gave_up_is_not_recorded_twice(
    opened: Opened, clock: Clock, program: Program
) -> None:
    """A process that was suspended for long finds that its run has an outcome."""
    async with opened() as one, opened() as other:
        add(one, "a", max_runs=1)
        clock.now += 3600
        (run,) = one._table.claim(clock.now, one._holder, lease=60, grace=60, limit=9).runs
        clock.now += 61
        assert await other.run_due() == 0
        assert listed(other, status="all").jobs == []
        assert not one._table.renew(run, one._holder, clock.now + 60)
        assert one._table.end(run, one._holder, "succeeded") is None
    assert program.runs == []
