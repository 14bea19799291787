"""What a schedule tells the program: runs to carry out, and whom to notify."""

from collections.abc import Mapping
from datetime import datetime
from typing import Literal, TypeAlias

from msgspec import Struct

Channel: TypeAlias = Literal["email", "chat", "webhook"]
Status: TypeAlias = Literal["succeeded", "failed", "skipped"]


class Recipient(Struct, frozen=True, kw_only=True):
    """Whom to notify, and after which outcome; as it is stored."""

    channel: Channel
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

    channel: Channel
    target: str
    run: ScheduledRun
    status: Status


def notifications(recipients: tuple[Recipient, ...], run: ScheduledRun, status: Status) -> list[Notification]:
    """The messages about an outcome.

    Args:
        recipients: whom to notify, and when.
        run: the run.
        status: its outcome. A skipped run is a failure.

    Returns:
        One for each recipient that asked for this outcome.
    """
    outcome = "success" if status == "succeeded" else "failure"
    return [
        Notification(channel=each.channel, target=each.target, run=run, status=status)
        for each in recipients
        if each.when in ("always", outcome)
    ]
