"""Tasks that are carried out at their times, by whatever process has the schedule open."""

import asyncio
import os
import secrets
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Awaitable, Callable
from contextlib import suppress
from math import isfinite
from typing import Final

import msgspec
from toolcast.runtime.context import ToolContext
from toolcast.runtime.database import StorageError
from toolcast.runtime.errors import RefusalError
from toolcast.runtime.log_records import ERROR, WARNING, log

from ..generated._types.cron_job import CronJob
from ..generated.schedule.cron_add import CronAddParams
from ..generated.schedule.cron_list import CronListParams, CronListResult
from ..libraries import require
from ..task_ends import cancel_tasks, have_ended
from ..timestamps import timestamp_seconds, timestamp_text
from .cron_times import cron_times
from .job_table import Ended, Job, JobTable, Notification, Recipient, ScheduledRun, Status, notifications

_LEASE: Final = 60.0
"""Seconds without a sign of life after which a run counts as failed."""
_NOTIFY: Final = 30.0
"""Seconds that sending one notification may take."""
_CURSOR: Final = 200
"""Characters of a cursor."""
_SOONEST: Final = 0.05
_PATIENCE: Final = 5.0
"""Seconds that cancelled runs have to end."""

_Key = tuple[bool, float, int]


class Schedule:
    """The handlers `cron_add` and `cron_list`, and the loop that runs the tasks.

    Several processes may use one file: each run is one process's, and no run is carried out twice. A run
    whose process is killed counts as failed a minute later and is not repeated: nobody knows what it did.
    Times that pass while no process runs, or while the run before goes on, are made up for by one run, where
    the last of them is at most `grace` seconds ago, and are else recorded as skipped. A task with `max_runs`
    1, a reminder, runs however late it is, until its `until`.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None,
        run: Callable[[ScheduledRun], Awaitable[object]],
        *,
        notify: Callable[[Notification], Awaitable[object]] | None = None,
        grace: float = 3600.0,
        run_seconds: float = 3600.0,
        max_running: int = 4,
        max_jobs: int = 1000,
        poll: float = 30.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Open a schedule, or make it. Nothing runs before `start` or `run_due`.

        Args:
            path: path of its file, which its owner alone may read; None keeps it in this object.
            run: carries out a task. A run fails where this raises an `Exception`.
            notify: sends a message; without it, tasks that ask for messages are refused.
            grace: how many seconds late a run may begin; reminders have no such limit.
            run_seconds: seconds after which a run is cancelled, and fails.
            max_running: runs at a time in this process.
            max_jobs: tasks in the file at most.
            poll: seconds after which this process looks for what others have added.
            clock: seconds since 1970.

        Raises:
            ImportError: cronsim is not installed.
            StorageError: the file cannot be used, is damaged, or was written by a newer version.
            ValueError: a number is not positive.
        """
        if not min(grace, run_seconds, max_running, max_jobs, poll) > 0:
            raise ValueError("grace, run_seconds, max_running, max_jobs and poll must be more than 0.")
        require("Schedule", "cronsim")
        self._run = run
        self._notify = notify
        self._grace = grace
        self._run_seconds = run_seconds
        self._max_running = max_running
        self._max_jobs = max_jobs
        self._poll = poll
        self._clock = clock
        self._holder = secrets.token_hex(8)
        self._table = JobTable(path)
        self._running: set[asyncio.Task[None]] = set()
        self._sending: set[asyncio.Task[None]] = set()
        self._loop: asyncio.Task[None] | None = None
        self._changed = asyncio.Event()

    def cron_add(self, params: CronAddParams, context: ToolContext) -> CronJob:
        """Add a task.

        Args:
            params: the task and its schedule.
            context: circumstances of the call.

        Returns:
            The task, with the time of its first run.

        Raises:
            RefusalError: the name is taken; the schedule, the zone or `until` leaves no time to run; nobody
                sends messages; there are too many tasks; or the file cannot be written.
        """
        del context
        if params.notify and self._notify is None:
            raise RefusalError("This program sends no messages. Leave out notify, and tell the user.")
        now = self._clock()
        until = timestamp_seconds(params.until, "until") if isinstance(params.until, str) else None
        first = cron_times(params.schedule, params.timezone).after(now)
        if first is None or (until is not None and first > until):
            end = "in 50 years" if until is None else f"before {params.until}"
            raise RefusalError(
                f"schedule {params.schedule!r} names no time {end}; it is {timestamp_text(now)} now. "
                "Change schedule or until."
            )
        job = Job(
            number=0,
            id=f"job_{secrets.token_hex(8)}",
            name=params.name,
            schedule=params.schedule,
            timezone=params.timezone,
            prompt=params.prompt,
            until=until,
            max_runs=params.max_runs,
            enabled=params.enabled,
            notify=tuple(
                Recipient(channel=each.channel, target=each.target, when=each.when) for each in params.notify
            ),
            metadata=params.metadata,
            next=first if params.enabled else None,
        )
        added = self._table.add(job, self._max_jobs)
        self._wake()
        return added.shown()

    def cron_list(self, params: CronListParams, context: ToolContext) -> CronListResult:
        """List tasks, the soonest first. Tasks that are added between two pages change neither.

        Args:
            params: which tasks, and which page of them.
            context: circumstances of the call.

        Returns:
            At most `params.limit` tasks, and the cursor of the next page.

        Raises:
            RefusalError: `cursor` is none of this tool, or the file cannot be read.
        """
        del context
        after = _read_cursor(params.cursor) if isinstance(params.cursor, str) else None
        found = sorted((job for job in self._table.all() if _is_wanted(job, params)), key=_key)
        rest = [job for job in found if after is None or _key(job) > after]
        page = rest[: params.limit]
        more = len(rest) > len(page)
        return CronListResult(
            jobs=[job.shown() for job in page], next_cursor=_cursor(_key(page[-1])) if more else None
        )

    def remove(self, name: str) -> bool:
        """Remove a task, for programs. A run that is under way goes on.

        Args:
            name: its name.

        Returns:
            Whether there was one.

        Raises:
            StorageError: the file cannot be written.
        """
        return self._table.remove(name)

    def enable(self, name: str, enabled: bool = True) -> bool:
        """Let a task run, or not, for programs.

        Args:
            name: its name.
            enabled: whether it is to run.

        Returns:
            Whether there is such a task.

        Raises:
            StorageError: the file cannot be written.
        """
        found = self._table.enable(name, enabled, self._clock())
        self._wake()
        return found

    def start(self) -> None:
        """Run the tasks from now on, in the running event loop, until `aclose`.

        Raises:
            RuntimeError: no event loop runs.
        """
        if self._loop is None:
            self._loop = asyncio.get_running_loop().create_task(self._run_always(), name="toolcast schedule")

    async def run_due(self) -> int:
        """Carry out what is due now, and wait for it; for programs that another scheduler starts.

        Returns:
            How many runs there were.

        Raises:
            StorageError: the file cannot be used.
        """
        tasks = await self._begin()
        await asyncio.gather(*tasks, *self._sending, return_exceptions=True)
        return len(tasks)

    async def aclose(self) -> None:
        """Cancel the runs under way, which fail, and close the file. Waits 5 seconds at most for their ends.
        May be called twice, and in another event loop than `start`."""
        tasks = [*self._running, *self._sending, *([self._loop] if self._loop is not None else [])]
        self._loop = None
        cancel_tasks(tasks)
        if not await have_ended(lambda: [task for task in tasks if not task.done()], _PATIENCE):
            log(ERROR, "Scheduled runs did not end when they were cancelled.", event="schedule_runs_on")
        self._table.close()

    def _wake(self) -> None:
        """Have the loop look at the table; from any thread."""
        loop = self._loop
        if loop is not None:
            with suppress(RuntimeError):  # the event loop is closed
                loop.get_loop().call_soon_threadsafe(self._changed.set)

    async def _run_always(self) -> None:
        while True:
            self._changed.clear()
            delay = self._poll
            try:
                await self._begin()
                wake = await asyncio.to_thread(self._table.wake)
                if wake is not None and len(self._running) < self._max_running:
                    delay = min(delay, max(_SOONEST, wake - self._clock()))
            except Exception as problem:  # whatever it is, the next round may succeed
                log(ERROR, "%s", str(problem), event="schedule_unusable", problem=problem)
            with suppress(TimeoutError):
                async with asyncio.timeout(delay):
                    await self._changed.wait()

    async def _begin(self) -> list[asyncio.Task[None]]:
        """Start the runs that are due."""
        limit = self._max_running - len(self._running)
        claiming = asyncio.create_task(
            asyncio.to_thread(
                self._table.claim, self._clock(), self._holder, lease=_LEASE, grace=self._grace, limit=limit
            )
        )
        try:
            claimed = await asyncio.shield(claiming)
        except asyncio.CancelledError:  # the thread takes runs all the same, and nobody carries them out
            with suppress(StorageError):  # in place of the cancellation, it would keep the loop running
                for run in (await claiming).runs:
                    self._table.end(run, self._holder, "failed")
            raise
        tasks = [
            asyncio.create_task(self._carry_out(run), name=f"toolcast {run.name}") for run in claimed.runs
        ]
        for task in tasks:
            self._running.add(task)
            task.add_done_callback(self._forget)
        for ended in claimed.ended:
            message = asyncio.create_task(self._send(ended))
            self._sending.add(message)
            message.add_done_callback(self._sending.discard)
        return tasks

    def _forget(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        self._changed.set()
        if not task.cancelled() and (problem := task.exception()) is not None:
            log(ERROR, "A scheduled run was not recorded.", event="schedule_unusable", problem=problem)

    async def _carry_out(self, run: ScheduledRun) -> None:
        """Carry out one run, from its start to its messages."""
        life = asyncio.create_task(self._renew(run, asyncio.current_task()))
        status: Status = "failed"
        try:
            async with asyncio.timeout(self._run_seconds):
                await self._run(run)
            status = "succeeded"
        except asyncio.CancelledError:
            life.cancel()
            self._table.end(run, self._holder, "failed")  # at once: nothing may be awaited any more
            raise
        except Exception as problem:  # the task's
            log(WARNING, "Scheduled task %s failed.", run.name, event="schedule_failed", problem=problem)
        finally:
            life.cancel()
        ended = await asyncio.to_thread(self._table.end, run, self._holder, status)
        if ended is not None:
            await self._send(ended)

    async def _renew(self, run: ScheduledRun, task: "asyncio.Task[object] | None") -> None:
        """Keep the lease of a run; cancel the run where it is lost."""
        while True:
            await asyncio.sleep(_LEASE / 4)
            with suppress(StorageError):  # the next attempt may succeed before the lease ends
                if not await asyncio.to_thread(self._table.renew, run, self._holder, self._clock() + _LEASE):
                    if task is not None:
                        task.cancel()
                    return

    async def _send(self, ended: Ended) -> None:
        if self._notify is None:
            return
        for message in notifications(ended.notify, ended.run, ended.status):
            try:
                async with asyncio.timeout(_NOTIFY):
                    await self._notify(message)
            except Exception as problem:  # the program's receiver
                log(
                    WARNING,
                    "A message about task %s was not sent.",
                    ended.run.name,
                    event="notification_failed",
                    problem=problem,
                )


def _is_wanted(job: Job, params: CronListParams) -> bool:
    return (
        (params.status == "all" or job.enabled == (params.status == "enabled"))
        and (params.name_contains is None or params.name_contains in job.name)
        and all(job.metadata.get(key) == value for key, value in params.metadata.items())
    )


def _key(job: Job) -> _Key:
    return job.next is None, job.next or 0.0, job.number


def _cursor(key: _Key) -> str:
    return urlsafe_b64encode(msgspec.json.encode(key)).decode().rstrip("=")


def _read_cursor(text: str) -> _Key:
    try:
        if len(text) <= _CURSOR:
            key: _Key = msgspec.json.decode(urlsafe_b64decode(text + "=" * (-len(text) % 4)), type=_Key)
            if isfinite(key[1]):
                return key
    except ValueError:  # of base64 and of JSON
        pass
    raise RefusalError("cursor is none of cron_list. Give next_cursor of the page before, or leave it out.")
