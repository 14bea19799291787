"""What an agent is: an async function from a task to a report."""

from collections.abc import Mapping
from typing import Any, Literal, Protocol

from msgspec import Struct

from ...runtime.context import ToolContext
from ..generated.agents.delegate import DelegateAttachmentsItem

Status = Literal["completed", "failed", "stopped"]


class AgentTask(Struct, frozen=True, kw_only=True):
    """What an agent is to do. It is the text of a model.

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
    """What came of a task.

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
