"""Delegations that run on after their call, and whose reports the program gets."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from inspect import isawaitable
from typing import TypeAlias

from msgspec import Struct

from ...runtime.errors import RefusalError
from ...runtime.log_records import ERROR, log
from ..task_ends import cancel_tasks, have_ended
from .agent import AgentReport, AgentTask

_PATIENCE = 5.0
"""Seconds that a cancelled agent has to end."""
_STOPPED = AgentReport(status="stopped", report="The program ended before the agent did.")


class BackgroundReport(Struct, frozen=True, kw_only=True):
    """The report of a delegation that ran in the background.

    Attributes:
        task: the task.
        call_id: the provider's id of the call that delegated it, or "".
        report: what came of it. Its words are an agent's: add it to the conversation as data, not as words of
            the user.
    """

    task: AgentTask
    call_id: str
    report: AgentReport


Receiver: TypeAlias = Callable[[BackgroundReport], Awaitable[object] | object]
"""Receives each report once, plain or async. What it raises is logged, with the text of the report."""


class Background:
    """The delegations that run, each as a task of the event loop of its call."""

    def __init__(self, receive: Receiver, most: int) -> None:
        """Make an empty set.

        Args:
            receive: gets the reports.
            most: delegations that run at once.
        """
        self._receive = receive
        self._most = most
        self._lock = threading.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._unbegun: set[asyncio.Task[None]] = set()
        self._closed = False

    @property
    def running(self) -> int:
        """How many run."""
        return len(self._tasks)

    def start(self, task: AgentTask, call_id: str, work: Callable[[], Awaitable[AgentReport]]) -> None:
        """Start a delegation.

        Args:
            task: the task.
            call_id: id of the call.
            work: runs the agent.

        Raises:
            RefusalError: too many run, or the program is ending.
        """
        with self._lock:
            if self._closed:
                raise RefusalError("The program is ending: no agent is started any more.")
            if len(self._tasks) >= self._most:
                raise RefusalError(
                    f"{self._most} agents run in the background already. Wait for their reports, or delegate "
                    "without run_in_background."
                )
            self._keep(asyncio.create_task(self._run(task, call_id, work)), task, call_id)

    async def aclose(self) -> None:
        """Cancel what runs; its reports say so. Waits for the agents to end, 5 seconds at most."""
        with self._lock:
            self._closed = True
            tasks = tuple(self._tasks)
        cancel_tasks(tasks)
        # A task leaves the set by a callback, which may start another one that sends a report.
        if not await have_ended(lambda: tuple(self._tasks), _PATIENCE):
            log(ERROR, "Agents did not end when they were cancelled.", event="agent_runs_on", tool="delegate")

    def _keep(self, running: asyncio.Task[None], task: AgentTask, call_id: str) -> None:
        """Own a task of the event loop until it ends."""

        def ended(done: asyncio.Task[None]) -> None:
            if done in self._unbegun:  # cancelled before its first step
                self._unbegun.discard(done)
                self._send(task, call_id, _STOPPED)
            with self._lock:
                self._tasks.discard(done)
            if not done.cancelled():
                done.exception()

        self._tasks.add(running)
        self._unbegun.add(running)
        running.add_done_callback(ended)

    async def _run(self, task: AgentTask, call_id: str, work: Callable[[], Awaitable[AgentReport]]) -> None:
        self._unbegun.discard(_current())
        try:
            report = await work()
        except asyncio.CancelledError:
            await self._deliver(task, call_id, _STOPPED)
            raise
        except RefusalError as problem:
            report = AgentReport(status="failed", report=str(problem))
        except Exception as problem:
            log(ERROR, "Agent %r failed", task.agent, event="agent_failed", tool="delegate", problem=problem)
            kind = type(problem).__name__
            report = AgentReport(
                status="failed", report=f"The agent ended by an error of the program ({kind})."
            )
        await self._deliver(task, call_id, report)

    def _send(self, task: AgentTask, call_id: str, report: AgentReport) -> None:
        """Deliver a report outside of a task."""
        delivering = self._deliver(task, call_id, report)
        sent = asyncio.get_running_loop().create_task(delivering)
        with self._lock:
            self._tasks.add(sent)
        sent.add_done_callback(self._tasks.discard)

    async def _deliver(self, task: AgentTask, call_id: str, report: AgentReport) -> None:
        try:
            received = self._receive(BackgroundReport(task=task, call_id=call_id, report=report))
            if isawaitable(received):
                await received
        except Exception as problem:
            log(
                ERROR,
                "The report of agent %r was not received: %s",
                task.agent,
                report.report,
                event="report_not_received",
                tool="delegate",
                call_id=call_id,
                problem=problem,
            )


def _current() -> "asyncio.Task[None]":
    task = asyncio.current_task()
    assert task is not None
    return task
