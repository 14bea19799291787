"""Scheduled tasks in SQLite: the table is the truth, for every process that uses the file."""

import os
import sqlite3
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final, Literal, TypeAlias

import msgspec
from msgspec import Struct
from toolcast.runtime.database import Database, Schema
from toolcast.runtime.errors import RefusalError

from ..generated._types.cron_job import CronJob
from ..timestamps import timestamp_text
from .cron_times import CronTimes, cron_times

_Channel: TypeAlias = Literal["email", "chat", "webhook"]
Status: TypeAlias = Literal["succeeded", "failed", "skipped"]


class Recipient(Struct, frozen=True, kw_only=True):
    """Whom to notify, and after which outcome; as it is stored."""

    channel: _Channel
    target: str
    when: Literal["always", "success", "failure"] = "failure"


class ScheduledRun(Struct, frozen=True, kw_only=True):
    """One run of a scheduled task.

    Attributes:
        job_id: id of the task.
        name: its name.
        prompt: what to do: a model's text.
        due: the time that the schedule names, in UTC.
        timezone: the time zone of the schedule.
        missed: how many earlier times it stands for, which passed while no program ran; 1,000 at most.
        number: how many runs there were, with this one.
        metadata: labels of the task.
    """

    job_id: str
    name: str
    prompt: str
    due: datetime
    timezone: str
    missed: int
    number: int
    metadata: Mapping[str, str]


class Notification(Struct, frozen=True, kw_only=True):
    """A message about a run that ended, or that was skipped.

    Attributes:
        channel: how it is sent.
        target: an address, a channel's name or a URL: a model's text, for the program to check.
        run: the run.
        status: its outcome.
    """

    channel: _Channel
    target: str
    run: ScheduledRun
    status: Status


def notifications(recipients: tuple[Recipient, ...], run: ScheduledRun, status: Status) -> list[Notification]:
    """Return the messages about an outcome: one for each recipient that asked for this outcome.

    Args:
        recipients: whom to notify, and when.
        status: its outcome. A skipped run is a failure.
    """
    outcome = "success" if status == "succeeded" else "failure"
    return [
        Notification(channel=each.channel, target=each.target, run=run, status=status)
        for each in recipients
        if each.when in ("always", outcome)
    ]


_SCHEMA: Final = Schema(
    title="The schedule",
    application=0x7473_6368,  # "tsch"
    version=1,
    tables=(
        """CREATE TABLE jobs (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            name TEXT NOT NULL UNIQUE,
            schedule TEXT NOT NULL,
            timezone TEXT NOT NULL,
            prompt TEXT NOT NULL,
            until REAL,
            max_runs INTEGER,
            enabled INTEGER NOT NULL,
            notify TEXT NOT NULL,
            metadata TEXT NOT NULL,
            runs INTEGER NOT NULL,
            next REAL,
            last REAL,
            status TEXT,
            due REAL,
            missed INTEGER NOT NULL,
            holder TEXT,
            lease REAL
        )""",
        "CREATE INDEX jobs_next ON jobs (next)",
    ),
)


class Job(Struct, frozen=True, kw_only=True):
    """A row: a scheduled task. Times are seconds since 1970.

    Attributes:
        number: counts up with each task that is added.
        next: time of the next run; None while disabled, and when it is over.
        due: time of the run under way; None while there is none.
        missed: how many earlier times that run stands for.
        holder: the process that carries it out.
        lease: until when that process may be silent.
    """

    number: int
    id: str
    name: str
    schedule: str
    timezone: str
    prompt: str
    until: float | None
    max_runs: int | None
    enabled: bool
    notify: tuple[Recipient, ...]
    metadata: dict[str, str]
    runs: int = 0
    next: float | None = None
    last: float | None = None
    status: Status | None = None
    due: float | None = None
    missed: int = 0
    holder: str | None = None
    lease: float | None = None

    def times(self) -> CronTimes:
        """Return the times of its schedule; raises RefusalError where the time zone is gone since."""
        return cron_times(self.schedule, self.timezone)

    def next_after(self, seconds: float) -> float | None:
        """Return the first time after another, within `until`."""
        found = self.times().after(seconds)
        return None if found is None or (self.until is not None and found > self.until) else found

    def is_too_late(self, due: float, now: float, grace: float) -> bool:
        """Return whether the run of a time that has passed is skipped. One that is to be the only one runs
        late, as a job of at(1) does: the next time of its schedule may be a year away.
        """
        if self.max_runs == 1:
            return self.until is not None and now > self.until
        return now - due > grace

    def is_over(self) -> bool:
        """Return whether it has no run to come, and none under way."""
        return self.enabled and self.next is None and self.due is None

    def run(self, due: float, missed: int) -> ScheduledRun:
        """Return the run at a time."""
        return ScheduledRun(
            job_id=self.id,
            name=self.name,
            prompt=self.prompt,
            due=datetime.fromtimestamp(due, UTC),
            timezone=self.timezone,
            missed=missed,
            number=self.runs,
            metadata=self.metadata,
        )

    def shown(self) -> CronJob:
        """Return the task as a model sees it."""
        return CronJob(
            id=self.id,
            name=self.name,
            schedule=self.schedule,
            timezone=self.timezone,
            prompt=self.prompt,
            enabled=self.enabled,
            next_run=None if self.next is None else timestamp_text(self.next),
            last_run=None if self.last is None else timestamp_text(self.last),
            last_status=self.status,
        )


class Ended(Struct, frozen=True, kw_only=True):
    """A run that has its outcome."""

    run: ScheduledRun
    status: Status
    notify: tuple[Recipient, ...]


class _Claimed(Struct, frozen=True, kw_only=True):
    """Work that a process has claimed.

    Attributes:
        runs: runs that are this process's.
        ended: runs that were skipped, or whose process ended without a word.
    """

    runs: list[ScheduledRun]
    ended: list[Ended]


class JobTable:
    """The tasks, and which process carries out which of them."""

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        self._database = Database(path, _SCHEMA)

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def all(self) -> list[Job]:
        """Every task, as it is now."""
        with self._database.read() as connection:
            return _jobs(connection)

    def add(self, job: Job, limit: int) -> Job:
        """Add a task, in the place of one of its name that is over. Raises RefusalError: the name is taken,
        or there are `limit` tasks.
        """
        with self._database.write() as connection:
            former = _named(connection, job.name)
            if former is not None and not former.is_over():
                raise RefusalError(
                    f"There is a task {job.name} already, with schedule {former.schedule!r}. "
                    "Look at it with cron_list, or use another name."
                )
            if former is not None:
                connection.execute("DELETE FROM jobs WHERE number = ?", (former.number,))
            (count,) = connection.execute("SELECT count(*) FROM jobs").fetchone()
            if count >= limit:
                raise RefusalError(f"There are {count} tasks already, which is the limit. Tell the user.")
            _insert(connection, job)
        return job

    def remove(self, name: str) -> bool:
        """Remove a task; a run that is under way goes on."""
        with self._database.write() as connection:
            return connection.execute("DELETE FROM jobs WHERE name = ?", (name,)).rowcount > 0

    def enable(self, name: str, enabled: bool, now: float) -> bool:
        """Let a task run, or not."""
        with self._database.write() as connection:
            job = _named(connection, name)
            if job is None:
                return False
            following = job.next_after(now) if enabled else None
            connection.execute(
                "UPDATE jobs SET enabled = ?, next = ? WHERE number = ?", (enabled, following, job.number)
            )
            return True

    def wake(self) -> float | None:
        """Return the time of the next run, or of the next look at a silent process."""
        with self._database.read() as connection:
            statement = "SELECT min(CASE WHEN due IS NULL THEN next ELSE lease END) FROM jobs"
            (found,) = connection.execute(statement).fetchone()
        return found  # type: ignore[no-any-return]  # sqlite3 types no column

    def claim(self, now: float, holder: str, *, lease: float, grace: float, limit: int) -> _Claimed:
        """Take the runs that are due.

        A task is advanced before its run begins: no run is carried out twice, whatever ends meanwhile.

        Returns the runs, and the outcome of others.

        Args:
            now: seconds since 1970.
            holder: name of this process.
            lease: seconds after which another process may say that a run failed, unless `renew` is called.
            grace: how many seconds late a run may begin that is not to be the only one of its task.
            limit: runs to take at most.
        """
        runs: list[ScheduledRun] = []
        ended: list[Ended] = []
        with self._database.write() as connection:
            for job in _jobs(connection, "due IS NOT NULL AND lease <= ?", now):
                ended.append(_end(connection, job, "failed"))
            for job in _jobs(connection, "due IS NULL AND next <= ?", now):
                try:
                    due, missed = job.times().latest(
                        _number(job.next), now if job.until is None else min(now, job.until)
                    )
                    following = job.next_after(due)
                except RefusalError:  # the time zone is gone from the system
                    connection.execute(
                        "UPDATE jobs SET enabled = 0, next = NULL, status = 'failed' WHERE number = ?",
                        (job.number,),
                    )
                    continue
                if job.is_too_late(due, now, grace):
                    statement = "UPDATE jobs SET next = ?, last = ?, status = 'skipped' WHERE number = ?"
                    connection.execute(statement, (following, due, job.number))
                    ended.append(Ended(run=job.run(due, missed), status="skipped", notify=job.notify))
                elif len(runs) < limit:
                    job = msgspec.structs.replace(job, runs=job.runs + 1)
                    if job.max_runs is not None and job.runs >= job.max_runs:
                        following = None
                    connection.execute(
                        "UPDATE jobs SET next = ?, runs = ?, due = ?, missed = ?, holder = ?, lease = ? "
                        "WHERE number = ?",
                        (following, job.runs, due, missed, holder, now + lease, job.number),
                    )
                    runs.append(job.run(due, missed))
        return _Claimed(runs=runs, ended=ended)

    def renew(self, run: ScheduledRun, holder: str, until: float) -> bool:
        """Say that a run goes on. False where it is this process's no longer."""
        with self._database.write() as connection:
            statement = "UPDATE jobs SET lease = ? WHERE id = ? AND holder = ?"
            return connection.execute(statement, (until, run.job_id, holder)).rowcount > 0

    def end(self, run: ScheduledRun, holder: str, status: Status) -> Ended | None:
        """Record the outcome of a run. None where it is this process's no longer, or the task is removed."""
        with self._database.write() as connection:
            for job in _jobs(connection, "id = ?", run.job_id):
                if job.holder == holder and job.runs == run.number:
                    return _end(connection, job, status)
        return None


def _end(connection: sqlite3.Connection, job: Job, status: Status) -> Ended:
    due = _number(job.due)
    if job.max_runs is not None and job.runs >= job.max_runs:
        connection.execute("DELETE FROM jobs WHERE number = ?", (job.number,))
    else:
        connection.execute(
            "UPDATE jobs SET last = ?, status = ?, due = NULL, missed = 0, holder = NULL, lease = NULL "
            "WHERE number = ?",
            (due, status, job.number),
        )
    return Ended(run=job.run(due, job.missed), status=status, notify=job.notify)


def _number(value: float | None) -> float:
    """Return a column that the condition of the query has excluded null from."""
    assert value is not None
    return value


def _jobs(connection: sqlite3.Connection, condition: str = "TRUE", *values: object) -> list[Job]:
    """Return the tasks that meet a condition of this module, in the order of their runs."""
    names = ", ".join(Job.__struct_fields__)
    rows = connection.execute(f"SELECT {names} FROM jobs WHERE {condition} ORDER BY next, number", values)
    return [_job(dict(zip(Job.__struct_fields__, row, strict=True))) for row in rows]


def _named(connection: sqlite3.Connection, name: str) -> Job | None:
    return next(iter(_jobs(connection, "name = ?", name)), None)


def _job(columns: dict[str, Any]) -> Job:
    decode = msgspec.json.decode
    columns |= {
        "enabled": bool(columns["enabled"]),
        "notify": decode(columns["notify"], type=tuple[Recipient, ...]),
        "metadata": decode(columns["metadata"], type=dict[str, str]),
    }
    return msgspec.convert(columns, Job)


def _insert(connection: sqlite3.Connection, job: Job) -> None:
    columns = {name: getattr(job, name) for name in Job.__struct_fields__ if name != "number"}
    for name in ("notify", "metadata"):
        columns[name] = msgspec.json.encode(columns[name]).decode()
    places = ", ".join("?" * len(columns))
    statement = f"INSERT INTO jobs ({', '.join(columns)}) VALUES ({places})"
    connection.execute(statement, tuple(columns.values()))
