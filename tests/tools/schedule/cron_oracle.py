"""Times of cron expressions by trying every minute, as cron(8) of Debian describes them.

Written from the manual, and shares no code with what it judges: a schedule whose minute and hour do not
begin with a star names times of the wall clock, each once; any other is compared with the clock as each
minute passes.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

MINUTE = timedelta(minutes=1)
DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
MONTHS = ["", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]


def value(text: str, names: list[str]) -> int:
    return names.index(text.lower()) if text.isalpha() else int(text)


def field(text: str, low: int, high: int, names: list[str]) -> set[int]:
    found: set[int] = set()
    for item in text.split(","):
        span, _, step = item.partition("/")
        if span == "*":
            first, last = low, high
        elif "-" in span:
            first, last = (value(each, names) for each in span.split("-"))
        else:
            first = value(span, names)
            last = high if step else first
        found |= set(range(first, last + 1, int(step or 1)))
    return found


class Oracle:
    def __init__(self, expression: str, zone: str) -> None:
        minute, hour, day, month, weekday = expression.split()
        self.zone = ZoneInfo(zone)
        self.minutes, self.hours = field(minute, 0, 59, []), field(hour, 0, 23, [])
        self.days, self.months = field(day, 1, 31, []), field(month, 1, 12, MONTHS)
        self.weekdays = {each % 7 for each in field(weekday, 0, 7, DAYS)}
        self.both_days = day.startswith("*") or weekday.startswith("*")
        self.wall_clock = not (minute.startswith("*") or hour.startswith("*"))

    def fits(self, local: datetime) -> bool:
        if not (local.minute in self.minutes and local.hour in self.hours and local.month in self.months):
            return False
        days = (local.day in self.days, local.isoweekday() % 7 in self.weekdays)
        return all(days) if self.both_days else any(days)

    def times(self, start: datetime, end: datetime) -> list[datetime]:
        """In UTC, between two times in UTC, after the first."""
        found = self._of_the_wall(start, end) if self.wall_clock else self._of_the_clock(start, end)
        return sorted({time for time in found if start < time <= end})

    def _of_the_clock(self, start: datetime, end: datetime) -> Iterator[datetime]:
        time = start.replace(second=0, microsecond=0)
        while time <= end:
            if self.fits(time.astimezone(self.zone)):
                yield time
            time += MINUTE

    def _of_the_wall(self, start: datetime, end: datetime) -> Iterator[datetime]:
        wall = start.astimezone(self.zone).replace(tzinfo=None, second=0, microsecond=0) - timedelta(hours=3)
        last = end.astimezone(self.zone).replace(tzinfo=None) + timedelta(hours=3)
        while wall <= last:
            if self.fits(wall):
                real = wall
                # A time that the clock leaves out: the first one after the change.
                while (
                    real.replace(tzinfo=self.zone).astimezone(UTC).astimezone(self.zone).replace(tzinfo=None)
                    != real
                ):
                    real += MINUTE
                yield real.replace(tzinfo=self.zone, fold=0).astimezone(UTC)
            wall += MINUTE
