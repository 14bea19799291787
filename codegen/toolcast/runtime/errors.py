"""The exceptions of the runtime. Every text states what to change."""

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from ..jsonschema.json_values import JsonMapping

if TYPE_CHECKING:  # the schema compiler is loaded only where a value needs it
    from ..jsonschema.validator_errors import Violation


LIMIT = 50
"""Violations that one error lists at most: past it, a model is better off starting anew."""


class ArgumentError(ValueError):
    """The arguments of a call do not fit the tool.

    Attributes:
        tool: name of the tool.
        problem: why the text is not JSON; with violations, a hint or "".
        violations: violations of the contract, at most 50; empty if the text is not JSON.
    """

    def __init__(self, tool: str, problem: str = "", violations: "Sequence[Violation]" = ()) -> None:
        super().__init__(tool, problem, tuple(violations))
        self.tool = tool
        self.problem = problem
        self.violations: tuple[Violation, ...] = tuple(violations)

    @property
    def missing(self) -> bool:
        """True if a required argument is absent."""
        return any(violation.keyword == "required" for violation in self.violations)

    def __str__(self) -> str:
        """Return a message that a model can act on: every violation with its path, one per line."""
        lines = [f"- {violation.path}: {violation.message}" for violation in self.violations]
        if not lines:
            return f"Invalid arguments for tool {self.tool!r}: {self.problem}"
        more = " or more" if len(lines) >= LIMIT else ""
        count = "1 problem" if len(lines) == 1 else f"{len(lines)}{more} problems"
        head = f"Invalid arguments for tool {self.tool!r}, {count}:"
        return "\n".join([head, *lines, *([self.problem] if self.problem else [])])


class InjectionError(Exception):
    """A value that the program fills in (`inject`) is missing, or the contract refuses it: no fault of the
    model's.

    Attributes:
        tool: name of the tool.
        parameter: name of the parameter.
        reason: the fault, without the value.
    """

    def __init__(self, tool: str, parameter: str, reason: str) -> None:
        super().__init__(tool, parameter, reason)
        self.tool = tool
        self.parameter = parameter
        self.reason = reason

    def __str__(self) -> str:
        """Return one sentence for the program's log."""
        return f"Parameter {self.parameter!r} of tool {self.tool!r}: {self.reason}."


class EncodeError(ValueError):
    """The contract of parameters refuses them, however they are encoded.

    They were built by hand, or lack a property that the Struct does not keep and the contract requires.

    Attributes:
        tool: name of the tool.
        violations: every violation of the contract.
    """

    def __init__(self, tool: str, violations: "Sequence[Violation]") -> None:
        super().__init__(tool, tuple(violations))
        self.tool = tool
        self.violations: tuple[Violation, ...] = tuple(violations)

    def __str__(self) -> str:
        """Return every violation with its path, one per line."""
        lines = [f"- {violation.path}: {violation.message}" for violation in self.violations]
        head = f"The contract of tool {self.tool!r} refuses these parameters; correct them before encoding:"
        return "\n".join([head, *lines])


class RefusalError(Exception):
    """A handler or a precheck refuses the call; its text tells the model what to change.

    It becomes a failed result, as if that had been returned. Any other exception is a bug.
    """


class RetryError(RefusalError):
    """A handler or a precheck asks for another call; the model reads its text, which says how.

    In a run of `toolcast.agents` the failed result also has the number of the attempt; after the last one the
    model is told to stop. `data` of the result is a `RetryHint`.
    """


class MissingCapabilityError(RefusalError):
    """A handler asks whoever made the call for what it does not offer.

    Attributes:
        capability: what is missing, as MCP names capabilities of clients: `{"sampling": {}}`.
    """

    def __init__(self, text: str, capability: JsonMapping) -> None:
        super().__init__(text)
        self.capability = capability


class CallDeferred(RefusalError):  # noqa: N818  # a public name; no error
    """A call has no result yet: it comes later, from outside of the call.

    The registry raises it for a tool that is `external`; a handler or a precheck may raise it for work that
    ends later, or for a call that somebody must approve first. It passes through `execute` if
    `Framework.passes` names it; else the call is a failed result that says that nothing waits for the result.

    Attributes:
        text: information for the program, such as the id of a job. The model never reads it.
        kind: "approval" if the call runs once it is approved, "external" if its result comes from outside.
    """

    def __init__(self, text: str = "", *, kind: Literal["approval", "external"] = "external") -> None:
        """Defer the call that runs now.

        Args:
            text: information for the program.
            kind: "approval" or "external".

        Raises:
            ValueError: `kind` is another.
        """
        if kind not in ("approval", "external"):
            raise ValueError(f"kind must be 'approval' or 'external', not {kind!r}.")
        super().__init__(text)
        self.text = text
        self.kind: Literal["approval", "external"] = kind


class MissingDataError(FileNotFoundError):
    """A JSON file that belongs to generated code is not where the code expects it."""


class UnknownProviderError(LookupError):
    """No definition was generated for that provider."""


class UnknownToolError(LookupError):
    """No tool of that name."""


class DuplicateToolError(ValueError):
    """A second tool wants a name that is taken."""


class FrozenRegistryError(RuntimeError):
    """A registration after `freeze()`."""


def is_from_outside(problem: BaseException) -> bool:
    """Tell whether an exception must pass through a call: nobody awaits its result, or the program ends.

    That is a cancellation that the running task was asked for (`Task.cancelling`), Python's own interrupt for
    Ctrl-C, and the closing of the coroutine that catches this. All else is raised by a handler, a precheck, a
    hook or a resolver: a `CancelledError` of something that it waited for, `SystemExit`, a
    `KeyboardInterrupt` or a `GeneratorExit` of its own.
    """
    if isinstance(problem, Exception):
        return False
    import asyncio

    if isinstance(problem, asyncio.CancelledError):
        task = asyncio.current_task()
        return task is None or task.cancelling() > 0
    if isinstance(problem, KeyboardInterrupt):
        return _raises_interrupts()
    # Python raises it anew in each coroutine that is closed: it has come through no other frame.
    raised = problem.__traceback__
    return isinstance(problem, GeneratorExit) and (raised is None or raised.tb_next is None)


def _raises_interrupts() -> bool:
    """Tell whether Ctrl-C raises in this thread. Not if the program handles the signal: `asyncio.run` cancels
    its main task instead, and servers have handlers of their own."""
    import signal

    handled = signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    return threading.current_thread() is threading.main_thread() and not handled
