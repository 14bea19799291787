"""The handler of delegate."""

from collections.abc import Callable, Mapping
from typing import Any

from ...agents.delegation import delegate, depth
from ...runtime.binding import ToolBinding
from ...runtime.context import ToolContext
from ...runtime.errors import RefusalError
from ...runtime.workspace import Workspace, path_errors
from ..generated.agents.delegate import DELEGATE, DelegateLimits, DelegateParams, DelegateResult
from .agent import Agent, AgentReport, AgentTask
from .background import Background, Receiver

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
        report: Receiver | None = None,
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
        self._background = None if report is None else Background(report, max_background)

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
        context: dict[str, Any] = params.context or {}
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
        """Raises RefusalError where the path is no file of the workspace, or cannot be written to."""
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
