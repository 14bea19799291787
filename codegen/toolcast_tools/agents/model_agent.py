"""An agent that runs a model with tools."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Unpack

import msgspec
from msgspec.structs import replace
from toolcast.agents.answers import WireAnswers
from toolcast.agents.disclosure import Disclosure
from toolcast.agents.loop import run_tools
from toolcast.agents.model_calls import Model
from toolcast.agents.options import RunOptions
from toolcast.agents.record import CallRecord, Record, Stop, record_of
from toolcast.agents.usage import Budget
from toolcast.runtime.context import ToolContext
from toolcast.runtime.errors import RefusalError
from toolcast.runtime.middleware.truncate import cut
from toolcast.runtime.view import ToolView

from .agents import AgentReport, AgentTask, Status

_TEXTS = (None, "text", "output_text")
"""Values of `type` of a block that has text for the reader; others are reasoning, calls or media."""
_FILES = 100


def prompt(task: AgentTask) -> str:
    """Write a task as the message that its agent starts from. Returns the text: task, facts as JSON, and
    files.
    """
    parts = [task.task]
    if task.context:
        facts = msgspec.json.format(msgspec.json.encode(task.context, enc_hook=str), indent=2)
        parts.append(f"Facts:\n{facts.decode()}")
    if task.attachments:
        listed = (
            f"- {each.file_path} ({'may be changed' if each.access == 'write' else 'read only'})"
            + (f": {each.note}" if each.note else "")
            for each in task.attachments
        )
        parts.append("Files:\n" + "\n".join(listed))
    return "\n\n".join(parts)


def _last_text(messages: Sequence[object]) -> str:
    """Give the text that the model wrote last.

    Args:
        messages: the conversation, in any wire format.
    """
    texts: list[str] = []
    for message in reversed(messages):
        if not isinstance(message, Mapping) or not _is_models(message):
            break
        text = _text_of(message)
        if text:
            texts.append(text)
    return "\n\n".join(reversed(texts))


def _written_files(calls: Sequence[CallRecord], tools: ToolView) -> tuple[str, ...]:
    """Return the files that calls wrote: the argument `file_path` of each call that succeeded of a tool with
    the permission `write`, each once.
    """
    found: dict[str, None] = {}
    for call in calls:
        name = tools.resolve(call.name)
        if name is None or not call.result.success or tools.get(name).binding.permission != "write":
            continue
        path = _arguments(call.arguments).get("file_path")
        if isinstance(path, str):
            found[path] = None
    return tuple(found)[:_FILES]


def _is_models(message: Mapping[str, object]) -> bool:
    """Return whether a message is the model's. OpenAI Responses has items without a role."""
    role = message.get("role")
    return role in ("assistant", "model") or (
        role is None and message.get("type") in ("message", "reasoning")
    )


def _text_of(message: Mapping[str, object]) -> str:
    content = message.get("content", message.get("parts"))
    if isinstance(content, str):
        return content
    if not isinstance(content, Sequence):
        return ""
    blocks = (each for each in content if isinstance(each, Mapping))
    return "".join(
        block["text"]
        for block in blocks
        if block.get("type") in _TEXTS and not block.get("thought") and isinstance(block.get("text"), str)
    )


def _arguments(value: object) -> Mapping[str, object]:
    if isinstance(value, (str, bytes)):
        try:
            value = msgspec.json.decode(value)
        except msgspec.DecodeError:
            return {}
    return value if isinstance(value, Mapping) else {}


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
            "context": ToolContext(
                extra=context.extra,
                asker=context.asker,
                sampler=context.sampler,
                root_lister=context.root_lister,
            ),
        }
        options.update(self._options)
        options["budget"] = budget
        text = f"{self._system}\n\n{prompt(task)}" if self._system else prompt(task)
        tools = self._tools if isinstance(self._tools, ToolView) else self._tools()
        view = tools.tools if isinstance(tools, Disclosure) else tools
        try:
            record = await run_tools(self._model, tools, self._say(text, view), **options)
        except Exception as problem:  # the model function's
            failed = record_of(problem)
            if failed is None or failed.stopped not in ("provider_error", "filtered"):
                raise
            record = failed
        return self._report(record, view)

    def _say(self, text: str, tools: ToolView) -> list[object]:
        """Return a message of the user, in the form of the wire format."""
        if self._format == "text":
            return [{"role": "user", "content": text}]
        provider = self._options.get("provider") or self._format
        return [*WireAnswers(tools, self._format, provider, 1).say(text)]

    def _report(self, record: Record, tools: ToolView) -> AgentReport:
        final = self._options.get("final")
        typed = record.output is not None and final is not None
        text = final.encode(record.output).decode() if typed and final else _last_text(record.messages)
        text = cut(text, _REPORT)
        status: Status = "completed"
        if record.stopped != "answer":
            status, why = _WHY.get(record.stopped, ("failed", "It ended without a report."))
            why = why.format(limit=record.exceeded)
            text = f"{why}\n\nIts last text:\n{text}" if text else why
        return AgentReport(
            status=status,
            report=text or "The agent ended without a text.",
            files=_written_files(record.calls, tools),
            steps_used=sum(call.executed for call in record.calls),
        )


def _budget(task: AgentTask, own: Budget | None) -> Budget:
    """Return the limits of the task, and those of the agent where they are lower."""
    base = own or Budget()
    if task.cost is not None and base.prices is None:
        raise RefusalError(
            f"What agent {task.agent!r} costs is not known, so its cost cannot be limited. Leave "
            "cost_usd out, and limit steps or seconds."
        )
    return replace(base, calls=_least(base.calls, task.steps), cost=_least(base.cost, task.cost))


def _least(one: Any, other: Any) -> object:
    return min((each for each in (one, other) if each is not None), default=None)
