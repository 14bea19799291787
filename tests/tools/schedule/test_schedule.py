"""Tasks run at their times, once each, whatever process has the file open, and are listed in order."""

import asyncio
import sqlite3
import threading
from collections.abc import Coroutine
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.runtime import RefusalError
from toolcast.runtime.database import StorageError
from toolcast_tools.generated.schedule.cron_add import CronAddNotifyItem
from toolcast_tools.schedule import Schedule, ScheduledRun

from tests.loops import in_loop
from tests.tools.schedule.calls import NOON, Clock, Program, add, listed, names, only
from tests.tools.schedule.conftest import Opened

HOUR = 3600.0


def wait(work: Coroutine[Any, Any, None]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(60):
            await work

    asyncio.run(bounded())


@in_loop
async def test_a_task_runs_at_its_times(opened: Opened, clock: Clock, program: Program) -> None:
    async with opened() as schedule:
        job = add(
            schedule,
            "report",
            "30 14 * * *",
            timezone="Europe/Berlin",
            prompt="sum up",
            metadata={"a": "b"},
        )
        assert (job.next_run, job.timezone, job.enabled) == (
            "2027-01-15T13:30:00Z",
            "Europe/Berlin",
            True,
        )
        clock.now += 1.5 * HOUR - 1
        assert await schedule.run_due() == 0
        clock.now += 1
        assert await schedule.run_due() == 1
        assert await schedule.run_due() == 0
        job = only(schedule)
        assert (job.next_run, job.last_run, job.last_status) == (
            "2027-01-16T13:30:00Z", "2027-01-15T13:30:00Z", "succeeded",
        )  # fmt: skip
    (run,) = program.runs
    assert run == ScheduledRun(
        job_id=run.job_id, name="report", prompt="sum up", due=run.due, timezone="Europe/Berlin", missed=0,
        number=1, metadata={"a": "b"},
    )  # fmt: skip
    assert run.due.isoformat() == "2027-01-15T13:30:00+00:00"


@in_loop
async def test_a_failed_run_is_recorded_and_the_next_one_comes(
    opened: Opened, clock: Clock, program: Program
) -> None:
    async with opened() as schedule:
        add(schedule, "a", prompt="fail")
        clock.now += HOUR
        await schedule.run_due()
        assert (only(schedule).last_status, only(schedule).next_run) == ("failed", "2027-01-15T14:00:00Z")
    assert len(program.runs) == 1


@in_loop
async def test_messages_go_to_who_asked_for_the_outcome(
    opened: Opened, clock: Clock, program: Program
) -> None:
    def to(target: str, when: Any) -> CronAddNotifyItem:
        return CronAddNotifyItem(channel="chat", target=target, when=when)

    everyone = [
        to("broken", "always"),
        to("always", "always"),
        to("success", "success"),
        to("failure", "failure"),
    ]
    async with opened(grace=2 * HOUR) as schedule:
        add(schedule, "good", "0 13 * * *", notify=everyone)
        add(schedule, "bad", "0 14 * * *", notify=everyone, prompt="fail")
        add(schedule, "late", "0 15 * * *", notify=everyone)
        for hours in (1, 1, 9):
            clock.now += hours * HOUR
            await schedule.run_due()
    told = [(each.run.name, each.target, each.status) for each in program.messages if each.target != "broken"]
    assert told == [
        ("good", "always", "succeeded"), ("good", "success", "succeeded"),
        ("bad", "always", "failed"), ("bad", "failure", "failed"),
        ("late", "always", "skipped"), ("late", "failure", "skipped"),
    ]  # fmt: skip


@in_loop
async def test_a_task_ends_after_its_runs_and_its_name_is_free(
    opened: Opened, clock: Clock, program: Program
) -> None:
    async with opened() as schedule:
        add(schedule, "twice", max_runs=2)
        for _ in range(4):
            clock.now += HOUR
            await schedule.run_due()
        assert listed(schedule, status="all").jobs == []
        add(schedule, "twice")
    assert [run.number for run in program.runs] == [1, 2]


@in_loop
async def test_until_is_the_last_moment(opened: Opened, clock: Clock, program: Program) -> None:
    async with opened() as schedule:
        add(schedule, "a", until="2027-01-15T15:00:00+01:00")
        for _ in range(4):
            clock.now += HOUR
            await schedule.run_due()
        assert (only(schedule).next_run, only(schedule).enabled) == (None, True)
        add(schedule, "a", "0 0 * * *")  # in the place of the one that is over
        assert only(schedule).next_run == "2027-01-16T00:00:00Z"
    assert [run.due.hour for run in program.runs] == [13, 14]


@in_loop
async def test_a_task_that_would_never_run_is_refused(opened: Opened) -> None:
    async with opened() as schedule:
        with pytest.raises(
            RefusalError, match=r"names no time before 2027-01-15T12:59:00Z; it is 2027-01-15T12"
        ):
            add(schedule, "a", until="2027-01-15T12:59:00Z")
        with pytest.raises(RefusalError, match="a day-of-month that exists"):
            add(schedule, "a", "0 0 30 2 *")
        assert names(schedule, status="all") == []


@in_loop
async def test_a_disabled_task_waits_until_it_is_enabled(
    opened: Opened, clock: Clock, program: Program
) -> None:
    async with opened() as schedule:
        assert add(schedule, "a", enabled=False).next_run is None
        clock.now += 5 * HOUR
        assert await schedule.run_due() == 0
        assert schedule.enable("a")
        assert only(schedule).next_run == "2027-01-15T18:00:00Z"
        assert schedule.enable("a", enabled=False)
        assert (only(schedule).enabled, only(schedule).next_run) == (False, None)
        assert not schedule.enable("b")
        assert schedule.remove("a")
        assert not schedule.remove("a")
    assert program.runs == []


@in_loop
async def test_names_are_unique(opened: Opened) -> None:
    async with opened(max_jobs=2) as schedule:
        add(schedule, "a")
        with pytest.raises(RefusalError, match=r"a task a already, with schedule '0 \* \* \* \*'"):
            add(schedule, "a", "@daily")
        add(schedule, "b")
        with pytest.raises(RefusalError, match="2 tasks already, which is the limit"):
            add(schedule, "c")


@in_loop
async def test_messages_need_a_program_that_sends_them(opened: Opened) -> None:
    async with opened(notify=None) as schedule:
        with pytest.raises(RefusalError, match="sends no messages"):
            add(schedule, "a", notify=[CronAddNotifyItem(channel="email", target="ada@example.com")])


def test_times_that_passed_while_nothing_ran_are_one_run(
    opened: Opened, clock: Clock, program: Program
) -> None:
    async def first() -> None:
        async with opened() as schedule:
            add(schedule, "a", "*/20 * * * *")

    async def second() -> None:
        async with opened() as schedule:
            assert await schedule.run_due() == 1
            assert only(schedule).next_run == "2027-01-15T15:20:00Z"

    wait(first())
    clock.now += 3 * HOUR + 60
    wait(second())
    (run,) = program.runs
    assert (run.due.isoformat(), run.missed) == ("2027-01-15T15:00:00+00:00", 8)


@in_loop
async def test_times_that_passed_too_long_ago_are_skipped(
    opened: Opened, clock: Clock, program: Program
) -> None:
    async with opened() as schedule:
        add(schedule, "a", "0 13 * * *")
        clock.now += 49 * HOUR + 3601
        assert await schedule.run_due() == 0
        job = only(schedule)
        assert (job.last_status, job.last_run, job.next_run) == (
            "skipped", "2027-01-17T13:00:00Z", "2027-01-18T13:00:00Z",
        )  # fmt: skip
    assert program.runs == []


@in_loop
async def test_a_reminder_that_was_missed_runs_late(opened: Opened, clock: Clock, program: Program) -> None:
    """As a job of at(1) does: its next time of the schedule may be a year away."""
    async with opened() as schedule:
        add(schedule, "renew", "30 8 1 3 *", max_runs=1)
        clock.now += 90 * 24 * HOUR
        assert await schedule.run_due() == 1
        assert listed(schedule, status="all").jobs == []
    (run,) = program.runs
    assert (run.due.isoformat(), run.missed) == ("2027-03-01T08:30:00+00:00", 0)


@in_loop
async def test_a_reminder_does_not_run_after_its_last_moment(
    opened: Opened, clock: Clock, program: Program
) -> None:
    async with opened() as schedule:
        add(schedule, "renew", "30 8 1 3 *", max_runs=1, until="2027-03-02T00:00:00Z")
        clock.now += 90 * 24 * HOUR
        assert await schedule.run_due() == 0
        assert only(schedule).last_status == "skipped"
    assert program.runs == []


@in_loop
async def test_a_round_that_fails_does_not_end_the_schedule(
    opened: Opened, clock: Clock, program: Program, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with opened(poll=0.01) as schedule:
        add(schedule, "a")
        with closing(sqlite3.connect(file)) as other:
            other.execute("ALTER TABLE jobs RENAME TO others")
            schedule.start()
            while not caplog.records:
                await asyncio.sleep(0.01)
            other.execute("ALTER TABLE others RENAME TO jobs")
        clock.now += HOUR
        while not program.runs:
            await asyncio.sleep(0.01)


def test_a_schedule_may_be_closed_in_another_event_loop(file: Path, program: Program) -> None:
    schedule = Schedule(file, program.run)

    async def start() -> None:
        schedule.start()
        await asyncio.sleep(0)

    asyncio.run(start())
    wait(schedule.aclose())
    with pytest.raises(RefusalError, match="is closed"):
        add(schedule, "a")


@in_loop
async def test_a_clock_that_steps_back_repeats_no_run(opened: Opened, clock: Clock, program: Program) -> None:
    async with opened() as schedule:
        add(schedule, "a")
        clock.now += HOUR
        await schedule.run_due()
        for step in (-HOUR, HOUR):
            clock.now += step
            assert await schedule.run_due() == 0
    assert len(program.runs) == 1


@in_loop
async def test_no_run_begins_while_the_one_before_goes_on(
    opened: Opened, clock: Clock, program: Program
) -> None:
    release = asyncio.Event()

    async def run(run: ScheduledRun) -> None:
        program.runs.append(run)
        await release.wait()

    async with opened(run=run) as schedule:
        add(schedule, "a")
        clock.now += HOUR
        begun = asyncio.create_task(schedule.run_due())
        while not program.runs:
            await asyncio.sleep(0.001)
        for _ in range(2):
            clock.now += 30
            assert await schedule.run_due() == 0
        release.set()
        assert await begun == 1
        clock.now += 2 * HOUR
        assert await schedule.run_due() == 1
        assert [(run.due.hour, run.missed) for run in program.runs] == [(13, 0), (15, 1)]


@in_loop
async def test_a_run_that_takes_too_long_fails(opened: Opened, clock: Clock) -> None:
    async with opened(run=lambda run: asyncio.sleep(1000), run_seconds=0.01) as schedule:  # noqa: ARG005
        add(schedule, "a")
        clock.now += HOUR
        assert await schedule.run_due() == 1
        assert only(schedule).last_status == "failed"


@in_loop
async def test_a_run_that_is_cut_off_by_the_end_fails(opened: Opened, clock: Clock) -> None:
    begun = asyncio.Event()

    async def run(run: ScheduledRun) -> None:  # noqa: ARG001
        begun.set()
        await asyncio.sleep(1000)

    async with opened(run=run) as schedule:
        add(schedule, "a")
        clock.now += HOUR
        schedule.start()
        await begun.wait()
    async with opened() as schedule:
        assert only(schedule).last_status == "failed"
        await schedule.aclose()


@in_loop
async def test_few_runs_at_a_time_and_the_others_follow(
    opened: Opened, clock: Clock, program: Program
) -> None:
    async with opened(max_running=2) as schedule:
        for number in range(5):
            add(schedule, f"a{number}")
        clock.now += HOUR
        assert [await schedule.run_due() for _ in range(4)] == [2, 2, 1, 0]
    assert len({run.name for run in program.runs}) == 5


@in_loop
async def test_the_loop_runs_what_is_added_and_ends(opened: Opened, clock: Clock) -> None:
    done: asyncio.Queue[str] = asyncio.Queue()

    async def run(run: ScheduledRun) -> None:
        await done.put(run.name)

    async with opened(run=run, poll=1000.0, max_running=1) as schedule:
        schedule.start()
        schedule.start()
        await asyncio.sleep(0.05)  # the loop waits for a task
        clock.now += 0.2
        await asyncio.to_thread(add, schedule, "a")
        clock.now += HOUR
        await asyncio.to_thread(add, schedule, "b", "0 13 * * *")
        assert await done.get() == "a"
        await asyncio.to_thread(add, schedule, "c", "0 13 * * *")
        clock.now += 24 * HOUR
        schedule.enable("none")  # wakes the loop: the clock of the test is no timer
        assert {await done.get(), await done.get(), await done.get()} == {"a", "b", "c"}
    assert asyncio.all_tasks() == {asyncio.current_task()}


@in_loop
async def test_a_file_that_cannot_be_used_does_not_end_the_loop(
    opened: Opened, clock: Clock, program: Program
) -> None:
    async with opened(poll=0.02) as schedule:
        add(schedule, "a")
        connection = schedule._table._database._connection
        assert connection is not None
        connection.execute("PRAGMA query_only = ON")
        clock.now += HOUR
        schedule.start()
        await asyncio.sleep(0.1)
        assert program.runs == []
        connection.execute("PRAGMA query_only = OFF")
        while not program.runs:
            await asyncio.sleep(0.01)


@in_loop
async def test_tasks_are_listed_soonest_first(opened: Opened, clock: Clock) -> None:  # noqa: ARG001
    async with opened() as schedule:
        add(schedule, "weekly", "@weekly", metadata={"team": "ops", "x": "1"})
        add(schedule, "hourly", "@hourly", metadata={"team": "ops"})
        add(schedule, "off", "@hourly", enabled=False)
        add(schedule, "daily-report", "@daily")
        assert names(schedule) == ["hourly", "daily-report", "weekly"]
        assert names(schedule, status="disabled") == ["off"]
        assert names(schedule, status="all") == ["hourly", "daily-report", "weekly", "off"]
        assert names(schedule, name_contains="daily") == ["daily-report"]
        assert names(schedule, name_contains="%") == []
        assert names(schedule, metadata={"team": "ops"}) == ["hourly", "weekly"]
        assert names(schedule, metadata={"team": "ops", "x": "1"}) == ["weekly"]


@given(st.lists(st.integers(0, 59), max_size=8), st.lists(st.integers(0, 59), max_size=8), st.integers(1, 4))
def test_pages_have_each_task_once_whatever_is_added_between_them(
    before: list[int], between: list[int], limit: int
) -> None:
    async def run(run: ScheduledRun) -> None:
        raise AssertionError(run)

    schedule = Schedule(None, run, clock=Clock())
    for number, minute in enumerate(before):
        add(schedule, f"a{number}", f"{minute} * * * *", enabled=minute % 7 != 0)
    order = names(schedule, status="all")
    more = iter(list(enumerate(between)))
    seen: list[str] = []
    cursor: str | None = None
    while True:
        page = listed(schedule, status="all", limit=limit, cursor=cursor)
        seen += [job.name for job in page.jobs]
        if (cursor := page.next_cursor) is None:
            break
        for number, minute in [next(more, (None, 0))]:
            if number is not None:
                add(schedule, f"b{number}", f"{minute} * * * *")
    assert [name for name in seen if name.startswith("a")] == order
    assert len(seen) == len({*seen})
    asyncio.run(schedule.aclose())


def test_a_schedule_in_memory_and_bad_options(tmp_path: Path) -> None:
    async def run(run: ScheduledRun) -> None: ...

    with pytest.raises(ValueError, match="more than 0"):
        Schedule(tmp_path / "s", run, poll=0)
    schedule = Schedule(None, run, clock=lambda: NOON)
    assert add(schedule, "a").next_run == "2027-01-15T13:00:00Z"
    with pytest.raises(RuntimeError, match="no running event loop"):
        schedule.start()
    asyncio.run(schedule.aclose())
    asyncio.run(schedule.aclose())
    with pytest.raises(RefusalError, match="is closed"):
        add(schedule, "b")


def test_a_file_that_fails_while_the_schedule_is_closed_does_not_keep_it_running(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    claiming, free = threading.Event(), threading.Event()

    def claim(*_: Any, **__: Any) -> Any:
        claiming.set()
        free.wait(60)
        raise StorageError("The schedule is damaged.")

    async def run(_: Any) -> None:
        """What a task does."""

    async def close() -> None:
        schedule = Schedule(None, run)
        monkeypatch.setattr(schedule._table, "claim", claim)
        schedule.start()
        await asyncio.to_thread(claiming.wait, 60)
        closing = asyncio.create_task(schedule.aclose())
        await asyncio.sleep(0)
        free.set()
        done, _ = await asyncio.wait({closing}, timeout=60)
        assert done

    asyncio.run(close())
