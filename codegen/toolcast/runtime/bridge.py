"""One call, from untyped arguments to a ToolResult: the only untyped parsing in the program.

provider's way back → decode → precheck → handler → result

`guarded` has the same order with what a program may put around it.
"""

import os
from typing import TYPE_CHECKING, Any

import msgspec

from .binding import ToolBinding
from .brief import schema_of
from .context import ToolContext
from .errors import ArgumentError, RefusalError
from .execution import Execution, Ready
from .handlers import Handler, call, call_in_thread
from .interrupts import is_from_outside
from .result import ToolResult
from .results import as_result, encodable, mismatch, mismatched
from .workers import RaisedInThreadError, Workers

if TYPE_CHECKING:
    from .ways.guesses import Guesses


async def run(
    tool: Ready,
    arguments: Any,
    context: ToolContext,
    guesses: "Guesses | None",
    execution: Execution,
) -> ToolResult:
    """Carry out one call. Whatever happens is a ToolResult; only what comes from outside passes through
    (`is_from_outside`).

    This is the way without secrets, policy, hooks and limits.
    """
    binding, handler, awaited = tool
    stage = "reading the arguments"
    try:
        try:
            params = binding.decode(arguments, context.provider, guesses)
        except ArgumentError as problem:
            raise RefusalError(explain(binding, problem, context.provider)) from problem
        stage = "the precheck"
        if hasattr(handler, "precheck"):
            refusal = await ask_precheck(binding.name, execution.workers, handler, params, context)
            if refusal is not None:
                raise RefusalError(refusal)
        stage = "the handler"
        if awaited:
            value = await handler(params, context)
        else:
            value = await call_in_thread(execution.workers, handler, params, context)
        stage = "encoding the result"
        result = as_result(binding, value)
        if execution.check_results:
            how = mismatch(binding, value)
            if how is not None:
                result = mismatched(binding.name, context.call_id, how, result)
    except RefusalError as problem:
        result = ToolResult.failed(str(problem) or f"The call of {binding.name!r} was refused.")
    except BaseException as problem:
        if is_from_outside(problem):
            raise
        result = report(binding.name, context.call_id, stage, unwrap(problem))
    return encodable(result, binding.name, context.call_id)


def unwrap(problem: BaseException) -> BaseException:
    """What was raised, out of what carries it. A coroutine cannot raise StopIteration; Python reports a
    RuntimeError caused by it."""
    if isinstance(problem, RaisedInThreadError):
        return problem.problem
    cause = problem.__cause__
    return cause if isinstance(cause, StopIteration) else problem


async def ask_precheck(
    tool: str, workers: Workers, handler: Handler, params: Any, context: ToolContext
) -> str | None:
    """The handler's own refusal, if it has a precheck and that has one."""
    precheck = getattr(handler, "precheck", None)
    if precheck is None:
        return None
    refusal = await call(workers, precheck, params, context)
    if refusal is None:
        return None
    if isinstance(refusal, str):
        return refusal or f"The call of {tool!r} was refused."
    # Neither a refusal nor a pass: a precheck that answers True or False may mean either.
    raise TypeError(f"precheck must return None or a refusal text, not {type(refusal).__name__}")


def explain(binding: ToolBinding[Any, Any], problem: ArgumentError, provider: str | None) -> str:
    """The text for the model. Where arguments are missing, it carries the tool's full schema:
    a model that saw only the brief definition cannot know them.

    With a provider, the schema has the bytes that it has in that provider's definition; else the contract's.
    """
    if not problem.missing:
        return str(problem)
    schema = None
    if provider is not None:
        schema = schema_of(binding.definition(provider), binding.name, binding.envelopes.get(provider))
    if schema is None:
        schema = msgspec.json.encode(binding.schema())
    return f"{problem}\nThe full schema of {binding.name!r}: {schema.decode()}"


def report(tool: str, call_id: str, where: str, problem: BaseException) -> ToolResult:
    """A bug: its traceback to the log, and to the model only its kind and the number to find it by.

    An exception's text may hold secrets, paths, or a third party's words.
    """
    from .records import ERROR, log

    number = os.urandom(6).hex()
    log(
        ERROR,
        "Tool %r failed in %s [%s]",
        tool,
        where,
        number,
        event="failed",
        tool=tool,
        call_id=call_id,
        error_id=number,
        problem=problem,
    )
    return fault(tool, where, type(problem).__name__, number)


def fault(tool: str, where: str, kind: str, number: str) -> ToolResult:
    """What the model reads of a bug."""
    return ToolResult.failed(
        f"Tool {tool!r} failed in {where}: internal error {kind} (error id {number}). "
        "This is a fault of the tool, not of the arguments; do not repeat the call unchanged more than once."
    )
