"""Delegation to agents: async functions from a task to a report, awaited or in the background."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Mapping
from inspect import isawaitable
from typing import Any, Literal, Protocol, TypeAlias

from msgspec import Struct
from toolcast.agents.delegation import delegate, depth
from toolcast.runtime.binding import ToolBinding
from toolcast.runtime.context import ToolContext
from toolcast.runtime.errors import RefusalError
from toolcast.runtime.log_records import ERROR, log

from ..generated.agents.delegate import (
    DELEGATE,
    DelegateAttachmentsItem,
    DelegateLimits,
    DelegateParams,
    DelegateResult,
)
from ..task_ends import cancel_tasks, have_ended
from ..workspace import Workspace, path_errors

Status = Literal["completed", "failed", "stopped"]


class AgentTask(Struct, frozen=True, kw_only=True):
    """The task of an agent, as a model wrote it.

    Attributes:
        agent: name of the agent.
        task: what to do, and what to report.
        context: facts, by name.
        attachments: files inside of the workspace, and whether the agent may change them: what holds it to
            that is the policy of its own tools.
        steps: calls of tools that it may make.
        seconds: seconds that it may take; None for the limit of `Agents` alone.
        cost: cost of its model calls at most, in US dollars; None for no limit.
    """

    agent: str
    task: str
    context: Mapping[str, Any] = {}
    attachments: tuple[DelegateAttachmentsItem, ...] = ()
    steps: int = 40
    seconds: float | None = None
    cost: float | None = None


class AgentReport(Struct, frozen=True, kw_only=True):
    """The outcome of a task.

    Attributes:
        status: "completed"; "stopped" where a limit ended it; "failed" where it could not be done.
        report: what the agent says, or why there is no report.
        files: paths of files that it wrote or changed.
        steps_used: calls of tools that were carried out; None where nobody counted.
    """

    status: Status
    report: str
    files: tuple[str, ...] = ()
    steps_used: int | None = None


class Agent(Protocol):
    """Carries out tasks: an async function, or an object with such a `__call__`."""

    async def __call__(self, task: AgentTask, context: ToolContext, /) -> AgentReport:
        """Carry out a task.

        Args:
            task: the task.
            context: circumstances of the call that delegates it.

        Returns:
            The report.

        Raises:
            RefusalError: the task cannot be carried out as it is; the text says why.
        """
        ...


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


_Receiver: TypeAlias = Callable[[BackgroundReport], Awaitable[object] | object]
"""Receives each report once, plain or async. What it raises is logged, with the text of the report."""


class _Background:
    """The delegations that run, each as a task of the event loop of its call."""

    def __init__(self, receive: _Receiver, most: int) -> None:
        """Make an empty set."""
        self._receive = receive
        self._most = most
        self._lock = threading.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._unbegun: set[asyncio.Task[None]] = set()
        self._closed = False

    @property
    def running(self) -> int:
        """Return the number of tasks that run."""
        return len(self._tasks)

    def start(self, task: AgentTask, call_id: str, work: Callable[[], Awaitable[AgentReport]]) -> None:
        """Start a delegation. Raises RefusalError: too many run, or the program is ending."""
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
        except Exception as problem:  # the agent's
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
        except Exception as problem:  # the program's receiver
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


_LISTED = 20


class Agents:
    """The agents that a model can delegate to."""

    def __init__(
        self,
        agents: Mapping[str, Agent] | Callable[[], Mapping[str, Agent]],
        *,
        workspace: Workspace | None = None,
        max_depth: int = 3,
        timeout: float = 120.0,
        report: _Receiver | None = None,
        background_timeout: float = 3600.0,
        max_background: int = 8,
    ) -> None:
        """Make the handler.

        Args:
            agents: the agents by name, or a function that gives them: it is asked at each call.
            workspace: the folder that attachments must lie in; None refuses attachments. Whoever opened it
                closes it, after this object.
            max_depth: agents inside of each other at most.
            timeout: seconds after which an agent is stopped, unless its task says fewer.
            report: receives the reports of agents that run in the background; None refuses these.
            background_timeout: seconds after which an agent in the background is stopped.
            max_background: agents that run in the background at once.

        Raises:
            ValueError: a limit is not above 0.
        """
        if max_depth < 1 or max_background < 1 or not timeout > 0 or not background_timeout > 0:
            raise ValueError("max_depth, max_background, timeout and background_timeout must be above 0.")
        self._agents = agents
        self._workspace = workspace
        self._max_depth = max_depth
        self._timeout = timeout
        self._background_timeout = background_timeout
        self._background = None if report is None else _Background(report, max_background)

    def binding(self) -> ToolBinding[DelegateParams, DelegateResult]:
        """Give the tool with the names of the agents that there are now.

        Returns:
            The binding, to register with `delegate`; where agents come and go, replace it between runs.

        Raises:
            ValueError: there is no agent: leave the tool out.
        """
        return DELEGATE.specialise(agent=sorted(self._known()))

    async def delegate(self, params: DelegateParams, context: ToolContext) -> DelegateResult:
        """Carry out a call of delegate.

        Args:
            params: the parameters.
            context: circumstances of the call.

        Returns:
            The agent's report; or "started", and `report` of the constructor receives it later.

        Raises:
            RefusalError: there is no such agent, an attachment cannot be handed over, agents are nested too
                deep, or it cannot run in the background.
        """
        agent = self._agent(params.agent)
        task = self._task(params)
        if not params.run_in_background:
            return _result(await self._run(agent, task, context, self._timeout))
        if self._background is None:
            raise RefusalError(
                "Nothing here receives the report of an agent that runs in the background. Delegate without "
                "run_in_background."
            )
        self._check_depth()
        timeout = self._background_timeout
        self._background.start(task, context.call_id, lambda: self._run(agent, task, context, timeout))
        return DelegateResult(
            status="started",
            report=f"Agent {params.agent!r} works on it. Its report comes as a later message.",
        )

    async def aclose(self) -> None:
        """Cancel agents in the background: their reports say that they were stopped."""
        if self._background is not None:
            await self._background.aclose()

    async def _run(self, agent: Agent, task: AgentTask, context: ToolContext, timeout: float) -> AgentReport:
        self._check_depth()
        seconds = timeout if task.seconds is None else min(timeout, task.seconds)
        done: list[AgentReport] = []

        async def work() -> None:
            try:
                done.append(await agent(task, context))
            except RefusalError as problem:
                done.append(AgentReport(status="failed", report=str(problem)))

        try:
            await delegate(work, limit=self._max_depth, timeout=seconds)
        except RefusalError as problem:  # of the time: how deep it is was looked at before
            return AgentReport(status="stopped", report=str(problem))
        return done[0]

    def _check_depth(self) -> None:
        if depth() >= self._max_depth:
            raise RefusalError(
                f"Agents may be nested {self._max_depth} deep, and this one is as deep. Do the task yourself."
            )

    def _known(self) -> Mapping[str, Agent]:
        return self._agents() if callable(self._agents) else self._agents

    def _agent(self, name: str) -> Agent:
        known = self._known()
        if name not in known:
            listed = ", ".join(repr(each) for each in sorted(known)[:_LISTED])
            raise RefusalError(f"There is no agent {name!r:.120}. There are: {listed or 'none'}.")
        return known[name]

    def _task(self, params: DelegateParams) -> AgentTask:
        for attachment in params.attachments:
            self._check_attachment(attachment.file_path, attachment.access == "write")
        limits = params.limits or DelegateLimits()
        context: dict[str, object] = params.context or {}
        return AgentTask(
            agent=params.agent,
            task=params.task,
            context=context,
            attachments=tuple(params.attachments),
            steps=limits.steps,
            seconds=limits.seconds,
            cost=limits.cost_usd,
        )

    def _check_attachment(self, path: str, writes: bool) -> None:
        """Raise RefusalError where the path is no file of the workspace, or cannot be written to."""
        if self._workspace is None:
            raise RefusalError("Files cannot be handed over here. Say what they hold in task or context.")
        with path_errors(path):
            self._workspace.open(path, "r+b" if writes else "rb").close()


def _result(report: AgentReport) -> DelegateResult:
    return DelegateResult(
        status=report.status,
        report=report.report,
        files=list(report.files),
        steps_used=report.steps_used,
    )
