"""Attacks on the schedule that fail."""

import asyncio
import sqlite3
from base64 import urlsafe_b64encode
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.runtime import RefusalError, ToolRegistry
from toolcast.runtime.database import StorageError
from toolcast_tools.generated.schedule.cron_add import CRON_ADD
from toolcast_tools.generated.schedule.cron_list import CRON_LIST
from toolcast_tools.schedule import Schedule
from toolcast_tools.schedule.cron_times import cron_times

from tests.counting import lines_executed
from tests.loops import in_loop
from tests.tools.schedule.calls import Clock, Program, add, listed, names
from tests.tools.schedule.conftest import Opened


@pytest.fixture
def schedule(file: Path, clock: Clock, program: Program):
    schedule = Schedule(file, program.run, clock=clock)
    yield schedule
    asyncio.run(schedule.aclose())


@pytest.mark.parametrize(
    "zone",
    ["../../etc/passwd", "/etc/passwd", "Europe/../../../../etc/passwd", "Europe", "America/Argentina", "",
     ".", "..", "posixrules", "posix/Europe/Berlin", "right/UTC", "Europe/Berlin\x00", "\ud800",
     "europe/berlin", "tzdata.zi", "A" * 10_000],
)  # fmt: skip
def test_a_time_zone_that_is_a_path_is_refused(zone: str) -> None:
    with pytest.raises(RefusalError, match="There is no time zone") as refused:
        cron_times("@daily", zone)
    assert len(str(refused.value)) < 300


def test_a_schedule_that_never_fires_is_refused() -> None:
    for expression in ("0 0 30 2 *", "0 0 31 2,4,6,9,11 *", "0 0 30-31 FEB */1"):
        with pytest.raises(RefusalError, match="a day-of-month that exists"):
            cron_times(expression, "UTC")


def test_rare_days_are_found_with_bounded_work() -> None:
    rare = cron_times("0 0 29 2 */7", "UTC")  # a 29th of February that is a Sunday
    assert lines_executed(lambda: rare.after(1_800_000_000.0)) < 20_000
    none = cron_times("59 23 31 12 1", "Pacific/Apia")
    assert lines_executed(lambda: none.latest(0.0, 4e9)) < 3_000_000


def test_an_expression_that_is_a_bomb_is_refused() -> None:
    for expression in (
        "*," * 5000 + "* * * * *",
        "1/" * 5000 + "1 * * * *",
        "9" * 5000 + " * * * *",
        "*/" + "9" * 200,
    ):
        with pytest.raises(RefusalError) as refused:
            cron_times(expression, "UTC")
        assert len(str(refused.value)) < 500


@given(st.text("0123456789*/-,#LWmonjanfeb? ", max_size=40), st.sampled_from(["UTC", "Europe/Berlin"]))
def test_no_expression_is_an_error(expression: str, zone: str) -> None:
    try:
        times = cron_times(expression, zone)
    except RefusalError:
        return
    time = times.after(1_800_000_000.0)
    assert time is None or time > 1_800_000_000.0


@in_loop
async def test_the_end_of_time_is_no_error(opened: Opened, clock: Clock) -> None:
    async with opened() as schedule:
        add(schedule, "a", until="9999-12-31T23:59:59Z")
        clock.now = 253_402_300_740.0  # 9999-12-31T23:59:00Z
        await schedule.run_due()
        assert cron_times("@hourly", "Asia/Tokyo").after(clock.now) is None
        with pytest.raises(RefusalError, match="names no time in 50 years"):
            add(schedule, "b")


SQL = "x'); DROP TABLE jobs; --"


def test_sql_in_any_parameter_is_text(schedule: Schedule) -> None:
    add(schedule, "a", prompt=SQL, metadata={SQL: SQL, "'": '"'})
    (job,) = listed(schedule, metadata={SQL: SQL}).jobs
    assert job.prompt == SQL
    assert names(schedule, name_contains="' OR '1'='1") == []
    assert names(schedule, metadata={"' OR 1=1 --": "x"}) == []
    assert not schedule.remove("' OR '1'='1")
    assert not schedule.enable(SQL)
    assert names(schedule) == ["a"]


@pytest.mark.parametrize(
    "cursor",
    ["", "x", "!!!!", "x" * 10_000, "é", "\ud800", *(
        urlsafe_b64encode(text).decode() for text in (
            b"[]", b"[false,1e999,1]", b"[false,null,1]", b"[1,2,3]", b"{}", b"[" * 100, b"\xff\xff",
            b"[false,0,1,2]", b"[false,0,1]; DROP TABLE jobs", b"[false,NaN,1]", b"[false,1,'x']",
        )
    )],
)  # fmt: skip
def test_a_forged_cursor_is_refused(schedule: Schedule, cursor: str) -> None:
    add(schedule, "a")
    with pytest.raises(RefusalError, match="cursor is none of cron_list"):
        listed(schedule, cursor=cursor)


@given(st.text(max_size=60))
def test_no_cursor_is_an_error(cursor: str) -> None:
    async def run(run: object) -> None: ...

    schedule = Schedule(None, run, clock=Clock())
    add(schedule, "a")
    try:
        listed(schedule, cursor=cursor)
    except RefusalError:
        pass
    finally:
        asyncio.run(schedule.aclose())


def test_huge_values_are_refused(schedule: Schedule) -> None:
    registry = ToolRegistry()
    registry.register(CRON_ADD, schedule.cron_add)
    registry.register(CRON_LIST, schedule.cron_list)
    good = {"name": "a", "schedule": "@daily", "prompt": "x"}
    for bad in (
        {"prompt": "x" * 10_001},
        {"name": "a" * 64},
        {"name": "A"},
        {"schedule": "*," * 200 + "* * * * *"},
        {"metadata": {"k": "v" * 501}},
        {"metadata": {str(number): "v" for number in range(51)}},
        {"notify": [{"channel": "chat", "target": "x" * 501}]},
        {"max_runs": 0},
        {"max_runs": 1_000_001},
        {"max_runs": 2**63},
        {"until": "tomorrow"},
    ):
        assert not registry.execute_sync("cron_add", {**good, **bad}).success
    assert registry.execute_sync("cron_add", {**good, "max_runs": 1_000_000}).success
    assert not registry.execute_sync("cron_list", {"limit": 501}).success


def test_an_unusable_file_is_refused_in_words(schedule: Schedule, file: Path, program: Program) -> None:
    assert schedule._table._database._connection is not None
    schedule._table._database._connection.execute("PRAGMA query_only = ON")
    with pytest.raises(StorageError, match="The schedule cannot be written: it is read-only"):
        add(schedule, "a")
    asyncio.run(schedule.aclose())
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA user_version = 7")
    with pytest.raises(StorageError, match="The schedule has version 7"):
        Schedule(file, program.run)
    with pytest.raises(StorageError, match="cannot be opened"):
        Schedule(file.parent / "missing" / "x", program.run)


def test_a_row_that_holds_something_else_is_refused_in_words(schedule: Schedule) -> None:
    add(schedule, "a")
    for change in ("metadata = '[1]'", "notify = 'x'", "status = 'done'", "next = 'soon'"):
        with schedule._table._database.write() as connection:
            before = connection.execute("SELECT metadata, notify, status, next FROM jobs").fetchone()
            connection.execute(f"UPDATE jobs SET {change}")
        with pytest.raises(StorageError, match="The schedule is damaged"):
            listed(schedule)
        with schedule._table._database.write() as connection:
            connection.execute("UPDATE jobs SET metadata = ?, notify = ?, status = ?, next = ?", before)


@in_loop
async def test_a_time_zone_that_is_gone_disables_its_task_alone(
    opened: Opened, clock: Clock, program: Program
) -> None:
    async with opened() as schedule:
        add(schedule, "a")
        add(schedule, "b")
        with schedule._table._database.write() as connection:
            connection.execute("UPDATE jobs SET timezone = 'Gone/City' WHERE name = 'a'")
        clock.now += 3600
        assert await schedule.run_due() == 1
        assert [(job.name, job.last_status) for job in listed(schedule, status="disabled").jobs] == [
            ("a", "failed")
        ]
    assert [run.name for run in program.runs] == ["b"]
