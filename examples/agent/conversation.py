"""A conversation: turns, each a run, and the file from which another process goes on."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from toolcast.agents import (
    Disclosure,
    Record,
    RunOptions,
    RunState,
    StateError,
    stream_resume,
    stream_tools,
)
from toolcast.agents.events import LoopEvent, Stopped
from toolcast.runtime import ArgumentError, InjectionError, ToolContext, UnknownToolError
from toolcast.runtime.middleware.policy import Policy
from toolcast.runtime.view import ToolView

from .models import AgentError, Model, in_words, message
from .terminal import Screen


class Conversation:
    """The messages so far; a file keeps them, with the run that waits or that a process left behind."""

    def __init__(
        self, model: Model, tools: Disclosure, options: RunOptions, screen: Screen, file: Path | None
    ) -> None:
        self._model = model
        self._tools = tools
        self._format = str(options["format"])
        self._options: RunOptions = {
            **options,
            "on_event": self._watch,
            "checkpoint": self._store,
            "pause": file is not None,  # elsewhere nobody could go on
        }
        self._screen = screen
        self._file = file
        self._messages: tuple[Any, ...] = ()
        self._record: Record | None = None

    def load(self) -> RunState | None:
        """Read the file; the run to go on with, or None where the user speaks next. Raises AgentError."""
        if self._file is None or not self._file.exists():
            return None
        try:
            state = RunState.decode(self._file.read_bytes())
        except (OSError, StateError) as problem:
            raise AgentError(f"{self._file}: {problem}") from problem
        if state.format != self._format:
            raise AgentError(f"{self._file} is of a conversation with --provider {state.format}.")
        self._messages = state.messages
        return state if state.rounds else None

    def ask(self, question: str) -> Record:
        """One turn: the model answers a question."""
        messages = [*self._messages, message(self._format, "user", question)]
        return self._run(stream_tools(self._model, self._tools, messages, **self._options))

    def resume(self, state: RunState, decisions: dict[str, Any]) -> Record:
        """Go on with a run, with the verdict on each call that waited."""
        return self._run(stream_resume(self._model, self._tools, state, decisions=decisions, **self._options))

    def _run(self, events: AsyncGenerator[LoopEvent]) -> Record:
        """Run to the end, whatever that is: Ctrl-C cancels the run, and what the model raises is shown."""
        self._record, problem = None, ""
        try:
            self._tools.registry.run_sync(self._show(events))
        except KeyboardInterrupt:
            if self._record is None:  # it had not begun
                raise
        except Exception as raised:
            if self._record is None or self._record.stopped == "cancelled":  # the terminal is gone
                raise
            problem = in_words(raised)
        assert self._record is not None
        record: Record = self._record
        self._screen.end(record, problem)
        if record.waiting:
            self._store(record.state)
        else:
            self._messages = _ended(record, self._format)
            self._store(RunState(messages=self._messages, format=self._format))
        return record

    async def _show(self, events: AsyncGenerator[LoopEvent]) -> None:
        async with aclosing(events):
            async for event in events:
                self._screen.show(event)

    def _watch(self, event: LoopEvent) -> None:
        if isinstance(event, Stopped):
            self._record = event.record

    def _store(self, state: RunState) -> None:
        """Replace the file. Only its owner reads and writes it: it decides what a resumed run does."""
        if self._file is not None:
            with NamedTemporaryFile(dir=self._file.parent, prefix=".state.", delete=False) as new:
                new.write(state.encode())
            Path(new.name).replace(self._file)


def _ended(record: Record, format: str) -> tuple[Any, ...]:
    """The messages of a run. Where the model does not have the last word, a note takes its place: some
    providers refuse two messages of the user in a row."""
    if record.stopped == "answer" or record.messages[-1].get("role") in ("assistant", "model"):
        return record.messages
    note = f"(This turn ended without an answer: {record.stopped}.)"
    return (*record.messages, message(format, "assistant", note))


async def decide(state: RunState, tools: ToolView, policy: Policy) -> dict[str, Any]:
    """Ask for an approval of each call that waits, as the policy asks for any call; the verdicts by key."""
    verdicts: dict[str, Any] = {}
    for call in state.waiting:
        verdicts[call.key] = "no"
        try:
            binding = tools.get(call.name).binding
            params = binding.decode(call.arguments)
        except (UnknownToolError, ArgumentError, InjectionError):
            continue  # the tool is gone, or another one now: the model is told that
        context = ToolContext(call_id=call.id)
        decision = await policy.ask(binding, params, context, policy.forgotten)
        verdicts[call.key] = "yes" if decision.allowed else "no"
    return verdicts
