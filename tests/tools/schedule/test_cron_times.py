"""Times are those of cron: against an oracle that tries every minute, around changes of clocks above all."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.runtime import RefusalError
from toolcast_tools.schedule.cron_times import cron_times

from tests.system_limits import UNIX, without_descriptors
from tests.tools.schedule.cron_oracle import Oracle

ZONES = [
    "UTC", "Europe/Berlin", "America/New_York", "Antarctica/Troll", "Asia/Kathmandu",
    "Africa/Casablanca",
]  # fmt: skip
CHANGES = [
    datetime(2027, 3, 28, 1, tzinfo=UTC), datetime(2027, 10, 31, 1, tzinfo=UTC),  # Berlin, Troll
    datetime(2027, 3, 14, 7, tzinfo=UTC), datetime(2027, 11, 7, 6, tzinfo=UTC),  # New York
    datetime(2028, 2, 29, 0, tzinfo=UTC),
]  # fmt: skip


def part(low: int, high: int) -> st.SearchStrategy[str]:
    number = st.integers(low, high)
    span = st.tuples(number, number).map(lambda ends: f"{min(ends)}-{max(ends)}")
    step = st.integers(1, max(2, (high - low) // 2))
    item = st.one_of(
        number.map(str),
        span,
        st.tuples(st.one_of(st.just("*"), span, number.map(str)), step).map(
            lambda parts: f"{parts[0]}/{parts[1]}"
        ),
    )
    return st.one_of(st.just("*"), item, st.lists(item, min_size=2, max_size=3).map(",".join))


# Most schedules name something in the hours around a change.
MINUTES = st.one_of(part(0, 59), st.sampled_from(["0", "30", "*/15", "5,45"]))
HOURS = st.one_of(part(0, 23), st.sampled_from(["*", "1", "2", "3", "1-3", "*/2", "0,2"]))
DAYS = st.one_of(st.just("*"), part(1, 28))
MONTHS = st.one_of(st.just("*"), st.just("mar,apr,oct-nov"), part(1, 12))
WEEKDAYS = st.one_of(st.just("*"), st.sampled_from(["SUN", "mon-fri", "7", "0", "5-7", "*/2"]), part(0, 7))
EXPRESSIONS = st.tuples(MINUTES, HOURS, DAYS, MONTHS, WEEKDAYS).map(" ".join)


@given(EXPRESSIONS, st.sampled_from(ZONES), st.sampled_from(CHANGES), st.integers(-54 * 60, 20 * 60))
def test_times_are_those_of_the_oracle(expression: str, zone: str, change: datetime, offset: int) -> None:
    start = change + timedelta(minutes=offset)
    end = start + timedelta(days=3)
    times = cron_times(expression, zone)
    found: list[datetime] = []
    time = times.after(start.timestamp())
    while time is not None and time <= end.timestamp():
        found.append(datetime.fromtimestamp(time, UTC))
        time = times.after(time)
    assert found == Oracle(expression, zone).times(start, end)
    if found:
        last, before = times.latest(found[0].timestamp(), end.timestamp())
        assert (last, before) == (found[-1].timestamp(), min(1000, len(found) - 1))


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[arg-type, misc]  # year to minute


def first(expression: str, zone: str, start: datetime, count: int) -> list[datetime]:
    times = cron_times(expression, zone)
    found: list[datetime] = []
    for _ in range(count):
        time = times.after((found[-1] if found else start).timestamp())
        assert time is not None
        found.append(datetime.fromtimestamp(time, UTC))
    return found


def test_a_time_that_the_clock_leaves_out_is_made_up_for_after_the_change() -> None:
    assert first("30 2 * * *", "Europe/Berlin", utc(2027, 3, 27, 12), 2) == [
        utc(2027, 3, 28, 1, 0),  # 03:00 in summer time: 02:30 does not exist
        utc(2027, 3, 29, 0, 30),
    ]


def test_a_time_that_the_clock_shows_twice_counts_once() -> None:
    assert first("30 2 * * *", "Europe/Berlin", utc(2027, 10, 30, 12), 2) == [
        utc(2027, 10, 31, 0, 30), utc(2027, 11, 1, 1, 30),
    ]  # fmt: skip


def test_every_half_hour_passes_through_the_hour_that_occurs_twice() -> None:
    found = first("*/30 * * * *", "Europe/Berlin", utc(2027, 10, 30, 23, 59), 6)
    assert [each - found[0] for each in found] == [timedelta(minutes=30) * number for number in range(6)]


def test_each_minute_where_clocks_change_by_half_an_hour_is_refused() -> None:
    with pytest.raises(RefusalError, match="Use the time zone UTC, or name minute and hour"):
        cron_times("*/5 0 * * *", "Australia/Lord_Howe")
    assert first("30 9 * * *", "Australia/Lord_Howe", utc(2027, 4, 3, 12), 2) == [
        utc(2027, 4, 3, 23), utc(2027, 4, 4, 23),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        ("@hourly", utc(2027, 1, 15, 9)),
        ("@daily", utc(2027, 1, 16)),
        ("@weekly", utc(2027, 1, 17)),  # a Sunday
        ("@monthly", utc(2027, 2, 1)),
        ("0 9 * * 1-5", utc(2027, 1, 15, 9)),
        ("0 9 * * 0", utc(2027, 1, 17, 9)),
        ("0 9 * * 7", utc(2027, 1, 17, 9)),
        ("0 0 13 * 5", utc(2027, 1, 22)),  # either day
        ("0 0 29 2 *", utc(2028, 2, 29)),
        ("30 8 1 MAR *", utc(2027, 3, 1, 8, 30)),
        ("0 7-07/5 * * *", utc(2027, 1, 16, 7)),  # a range of one value, whatever the step
        ("0 0 * * sun-0/2", utc(2027, 1, 17)),
    ],
)
def test_forms_of_a_schedule(schedule: str, expected: datetime) -> None:
    assert first(schedule, "UTC", utc(2027, 1, 15, 8, 30), 1) == [expected]


def test_long_intervals_are_counted_to_a_bound() -> None:
    times = cron_times("* * * * *", "UTC")
    assert times.latest(0.0, 1_800_000_030.0) == (1_800_000_000.0, 1000)
    rare = cron_times("0 0 29 2 *", "Europe/Berlin")
    birth = rare.after(0.0)
    assert birth is not None
    last, before = rare.latest(birth, 1_800_000_000.0)
    assert datetime.fromtimestamp(last, UTC) == utc(2024, 2, 28, 23)
    assert before == 13


@pytest.mark.parametrize(
    "schedule",
    ["", "* * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * 32 * *", "* * * 13 *", "* * * * 8",
     "5-1 * * * *", "*/0 * * * *", "@yearly", "@reboot", "0 0 * * mon#2", "0 0 L * *", "* * * * * *",
     "1/1/1 * * * *", ", * * * *", "a * * * *", "٣ * * * *",
     "0 0 * foo *", "-1 * * * *", "1,,2 * * * *", "* * * * *\n", "0 0 1 1 *\u00a0"],
)  # fmt: skip
def test_what_is_no_schedule_is_refused(schedule: str) -> None:
    with pytest.raises(RefusalError, match=r"is no cron expression: it needs .*Write it as in"):
        cron_times(schedule, "UTC")


@UNIX
def test_time_zones_that_cannot_be_read_are_no_missing_ones() -> None:
    """And what could not be read once is read again."""
    ZoneInfo.clear_cache()
    with without_descriptors(), pytest.raises(RefusalError, match="cannot be read: Too many open files"):
        cron_times("@daily", "Asia/Kathmandu")
    assert cron_times("@daily", "Asia/Kathmandu").expression == "0 0 * * *"
