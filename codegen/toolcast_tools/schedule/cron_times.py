"""The times of a cron expression in a time zone, as Debian's cron counts them."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, tzinfo
from functools import cache
from importlib import import_module
from typing import Any, Final
from zoneinfo import ZoneInfo, available_timezones

from msgspec import Struct
from toolcast.runtime.errors import RefusalError

_NAMES: Final = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
}
_VALUE: Final = r"(?:[0-9]{1,2}|[A-Za-z]{3})"
_ITEM: Final = rf"(?:\*|{_VALUE}(?:-{_VALUE})?)(?:/[0-9]{{1,2}})?"
_FIELD: Final = re.compile(rf"{_ITEM}(?:,{_ITEM})*")
_STEPPED: Final = re.compile(rf"(?<![^,])({_VALUE})-({_VALUE})/[0-9]+")
_DAYS: Final = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
_MONTHS: Final = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_NUMBERS: Final = {
    **{name: str(number) for number, name in enumerate(_DAYS)},
    **{name: str(number) for number, name in enumerate(_MONTHS, 1)},
}
_LONGEST: Final = 200
"""Characters of an expression."""
_COUNTED: Final = 1000
"""Missed times that are counted at most."""
_SPAN: Final = 2 * 86400
"""Seconds of the first interval in which `latest` looks back."""
_BY_HALF_HOURS: Final = ("Australia/Lord_Howe", "Australia/LHI")
"""Zones whose clocks change by half an hour: cronsim goes in steps of an hour, and misses times there."""


class CronTimes(Struct, frozen=True, kw_only=True):
    """Times that a schedule names.

    A time that a change of clocks leaves out is replaced by the first one after the change; a time that
    occurs twice counts once, at its first occurrence. Where minute or hour begins with a star, times are
    those that the clock shows, each time that it shows them.

    Attributes:
        expression: five fields.
    """

    expression: str
    zone: tzinfo

    def after(self, seconds: float) -> float | None:
        """Return the first time after another, in seconds since 1970; None where there is none within 50
        years.

        Args:
            seconds: since 1970.
        """
        return next(self._from(seconds), None)

    def latest(self, first: float, now: float) -> tuple[float, int]:
        """Return the last of the times from one on that is not after `now`, and how many there
        are before it, from `first` on: 1,000 at most.

        Args:
            first: a time of the schedule, not after `now`.
            now: the end of the interval, seconds since 1970.
        """
        count, found = 0, first
        for time in self._from(first):
            if time > now or count == _COUNTED:
                break
            count, found = count + 1, time
        if count < _COUNTED:
            return found, count
        span = _SPAN
        while True:  # backwards, in spans that double, so a long interval takes no long time
            start = max(first, now - span)
            last = first
            for time in self._from(start):
                if time > now:
                    break
                last = time
            if last > first or start == first:
                return last, count
            span *= 2

    def _from(self, seconds: float) -> Iterator[float]:
        try:
            yield from _times(self.expression, seconds, self.zone)
        except (OverflowError, ValueError):  # past the year 9999
            return


def cron_times(schedule: str, timezone: str) -> CronTimes:
    """Read a schedule.

    Raises RefusalError: the expression or the zone does not exist, there is no such day in any year, or the
    time zones cannot be read now.

    Args:
        schedule: five fields of a cron expression (numbers, English names of three letters, lists, ranges and
            steps), or @hourly, @daily, @weekly or @monthly.
        timezone: name of an IANA time zone.
    """
    try:
        return _cron_times(schedule, timezone)
    except OSError as problem:
        raise RefusalError(
            f"The time zones cannot be read: {problem.strerror or 'the system refuses'}. Try again later, or "
            "tell the user."
        ) from problem


def _cron_times(schedule: str, timezone: str) -> CronTimes:
    """Read a schedule in a zone. Raises OSError where files of time zones or modules cannot be opened."""
    if timezone != "UTC" and timezone not in _zones():
        raise RefusalError(
            f"There is no time zone {timezone[:100]!r}. Use a name of the IANA list, such as Europe/Berlin."
        )
    expression = _NAMES.get(schedule, schedule)
    fields = expression.split(" ")
    if len(schedule) > _LONGEST or len(fields) != 5 or not all(map(_FIELD.fullmatch, fields)):
        raise _no_schedule(schedule, "five fields of numbers, *, lists, ranges and steps")
    if timezone in _BY_HALF_HOURS and (fields[0].startswith("*") or fields[1].startswith("*")):
        raise RefusalError(
            f"In {timezone} the clocks change by half an hour, so each hour or minute is not counted there. "
            "Use the time zone UTC, or name minute and hour."
        )
    expression = " ".join(_STEPPED.sub(_without_step, field) for field in fields)
    zone = UTC if timezone == "UTC" else ZoneInfo(timezone)
    try:
        _cronsim().CronSim(expression, datetime(2000, 1, 1, tzinfo=zone))
    except _cronsim().CronSimError as problem:
        field = str(problem).removeprefix("Bad ")
        raise _no_schedule(schedule, f"a {field} that exists") from problem
    return CronTimes(expression=expression, zone=zone)


def _times(expression: str, seconds: float, zone: tzinfo) -> Iterator[float]:
    latest = seconds
    for time in _cronsim().CronSim(expression, datetime.fromtimestamp(seconds, zone)):
        # Around a change of clocks it may name one time twice, or step back.
        if (found := time.timestamp()) > latest:
            latest = found
            yield found


def _without_step(match: re.Match[str]) -> str:
    """Replace a range of one value by that value: cronsim takes the step of `5-5/2` as in `5/2`, up to the
    end.
    """
    first, last = (_NUMBERS.get(end.upper(), end).lstrip("0") for end in match.groups())
    return match[1] if first == last else match[0]


def _no_schedule(schedule: str, needed: str) -> RefusalError:
    shown = repr(schedule) if len(schedule) <= _LONGEST else f"{schedule[:_LONGEST]!r}…"
    return RefusalError(
        f'schedule {shown} is no cron expression: it needs {needed}. Write it as in "0 9 * * 1-5".'
    )


@cache
def _zones() -> frozenset[str]:
    return frozenset(available_timezones())


def _cronsim() -> Any:
    return import_module("cronsim")
