"""Calls of the two tools, and programs that run their tasks, as tests write them."""

from typing import Any

from toolcast.runtime import ToolContext
from toolcast_tools.generated._types.cron_job import CronJob
from toolcast_tools.generated.schedule.cron_add import CronAddParams
from toolcast_tools.generated.schedule.cron_list import CronListParams, CronListResult
from toolcast_tools.schedule import Notification, Schedule, ScheduledRun

NOON = 1_800_014_400.0
"""2027-01-15T12:00:00Z, a Friday."""


class Clock:
    """A clock that a test sets: seconds since 1970."""

    def __init__(self, now: float = NOON) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


class Program:
    """What runs the tasks: keeps what it is given, and fails where a prompt says so."""

    def __init__(self) -> None:
        self.runs: list[ScheduledRun] = []
        self.messages: list[Notification] = []

    async def run(self, run: ScheduledRun) -> None:
        self.runs.append(run)
        if run.prompt == "fail":
            raise RuntimeError("it failed")

    async def notify(self, message: Notification) -> None:
        self.messages.append(message)
        if message.target == "broken":
            raise RuntimeError("no such address")


def add(schedule: Schedule, name: str, when: str = "0 * * * *", **arguments: Any) -> CronJob:
    params = CronAddParams(name=name, schedule=when, prompt=arguments.pop("prompt", "work"), **arguments)
    return schedule.cron_add(params, ToolContext())


def listed(schedule: Schedule, **arguments: Any) -> CronListResult:
    return schedule.cron_list(CronListParams(**arguments), ToolContext())


def names(schedule: Schedule, **arguments: Any) -> list[str]:
    return [job.name for job in listed(schedule, **arguments).jobs]


def only(schedule: Schedule) -> CronJob:
    (job,) = listed(schedule, status="all").jobs
    return job
