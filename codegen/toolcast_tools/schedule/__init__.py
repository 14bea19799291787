"""Tasks at times to come: the handlers of `cron_add` and `cron_list`, and what runs the tasks."""

from .job_table import Notification, ScheduledRun
from .schedule import Schedule

__all__ = ["Notification", "Schedule", "ScheduledRun"]
