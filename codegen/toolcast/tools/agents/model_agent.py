"""An agent that runs a model with tools."""

from collections.abc import Callable
from typing import Any, Unpack

from msgspec.structs import replace

from ...agents.answers import WireAnswers
from ...agents.budget import Budget
from ...agents.disclosure import Disclosure
from ...agents.loop import run_tools
from ...agents.model_calls import Model
from ...agents.options import RunOptions
from ...agents.record import Record, Stop, record_of
from ...runtime.context import ToolContext
from ...runtime.errors import RefusalError
from ...runtime.middleware.truncate import cut
from ...runtime.view import ToolView
from .agent import AgentReport, AgentTask, Status
from .messages import last_text, prompt, written_files

_REPORT = 50_000
"""Characters of a report."""
_WHY: dict[Stop, tuple[Status, str]] = {
    "rounds": ("stopped", "It was stopped: its model was asked as often as it may be."),
    "budget": ("stopped", "It was stopped at the limit of its {limit}."),
    "repeated": (
        "stopped",
        "It was stopped: it made the same call again and again, and the call failed each time.",
    ),
    "cut": ("stopped", "Its last answer was cut off at a limit of its length."),
    "paused": ("stopped", "It was stopped: calls of it wait for an approval, or for a result from outside."),
    "refusal": ("failed", "Its model refused the task."),
    "filtered": ("failed", "A filter of the model's provider withheld the request or the answer."),
    "malformed_call": ("failed", "Its model wrote calls that could not be read."),
    "provider_error": ("failed", "The provider of its model failed."),
}


class ModelAgent:
    """An agent that runs `run_tools`; its report is what the model says at the end, or as JSON the parameters
    of its call of a tool `final`."""

    def __init__(
        self,
        model: Model,
        tools: ToolView | Callable[[], ToolView | Disclosure],
        *,
        system: str = "",
        **options: Unpack[RunOptions],
    ) -> None:
        """Make an agent.

        Args:
            model: as for `run_tools`.
            tools: what it works with, under a policy of its own; with `delegate` among them it has agents,
                too. A function is called for each task: a Disclosure serves one run at a time.
            system: text before the task. It is part of the first message, because some formats have no place
                for it; a model function of your own may set the provider's system prompt instead.
            **options: options of `run_tools`; `format` is needed. Of a `budget` each limit holds beside that
                of the task; its prices are needed for tasks that limit the cost.

        Raises:
            ValueError: there is no `format`.
        """
        format = options.get("format")
        if format is None:
            raise ValueError("ModelAgent needs format=: a wire format, or text.")
        self._model = model
        self._tools = tools
        self._format = format
        self._system = system
        self._options = options

    async def __call__(self, task: AgentTask, context: ToolContext) -> AgentReport:
        """Carry out a task.

        Args:
            task: the task.
            context: circumstances of the call that delegates it: its handlers get the same `extra`, and ask
                the same user.

        Returns:
            The report. A provider that fails is one, too.

        Raises:
            RefusalError: the task limits the cost, and there are no prices.
        """
        budget = _budget(task, self._options.get("budget"))
        options: RunOptions = {
            "max_rounds": task.steps + 1,
            "context": ToolContext(extra=context.extra, asker=context.asker, sampler=context.sampler),
        }
        options.update(self._options)
        options["budget"] = budget
        text = f"{self._system}\n\n{prompt(task)}" if self._system else prompt(task)
        tools = self._tools if isinstance(self._tools, ToolView) else self._tools()
        view = tools.tools if isinstance(tools, Disclosure) else tools
        try:
            record = await run_tools(self._model, tools, self._say(text, view), **options)
        except Exception as problem:
            failed = record_of(problem)
            if failed is None or failed.stopped not in ("provider_error", "filtered"):
                raise
            record = failed
        return self._report(record, view)

    def _say(self, text: str, tools: ToolView) -> list[Any]:
        """A message of the user, in the form of the wire format."""
        if self._format == "text":
            return [{"role": "user", "content": text}]
        provider = self._options.get("provider") or self._format
        return [*WireAnswers(tools, self._format, provider, 1).say(text)]

    def _report(self, record: Record, tools: ToolView) -> AgentReport:
        final = self._options.get("final")
        typed = record.output is not None and final is not None
        text = final.encode(record.output).decode() if typed and final else last_text(record.messages)
        text = cut(text, _REPORT)
        status: Status = "completed"
        if record.stopped != "answer":
            status, why = _WHY.get(record.stopped, ("failed", "It ended without a report."))
            why = why.format(limit=record.exceeded)
            text = f"{why}\n\nIts last text:\n{text}" if text else why
        return AgentReport(
            status=status,
            report=text or "The agent ended without a text.",
            files=written_files(record.calls, tools),
            steps_used=sum(call.executed for call in record.calls),
        )


def _budget(task: AgentTask, own: Budget | None) -> Budget:
    """The limits of the task, and those of the agent where they are lower."""
    base = own or Budget()
    if task.cost is not None and base.prices is None:
        raise RefusalError(
            f"What agent {task.agent!r} costs is not known, so its cost cannot be limited. Leave "
            "cost_usd out, and limit steps or seconds."
        )
    return replace(base, calls=_least(base.calls, task.steps), cost=_least(base.cost, task.cost))


def _least(one: Any, other: Any) -> Any:
    return min((each for each in (one, other) if each is not None), default=None)
