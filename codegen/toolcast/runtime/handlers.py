"""Handlers: how they are called and released, and what becomes of the values that they return."""

# The contract of results is for the modules of a call alone.
# pyright: reportPrivateUsage=false

from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from inspect import iscoroutinefunction
from types import MethodType
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, TypeVar

import msgspec

from .binding import AnyBinding
from .checked_types import decode_hook
from .codec import rewrite, to_builtins
from .context import ToolContext
from .errors import CallDeferred, is_from_outside
from .log_records import ERROR, WARNING, log
from .middleware.truncate import with_texts
from .result import ToolResult
from .unicode_text import is_encodable, replace_surrogates
from .workers import Workers, unwrap

if TYPE_CHECKING:
    from ..jsonschema.validator import Validator
    from .middleware.secrets.secrets import Secrets

R = TypeVar("R")

Returns: TypeAlias = R | ToolResult | str | Awaitable[R | ToolResult | str]
"""The value of a handler, now or awaited: its typed result, a finished ToolResult, or text. Where the tool
has a typed result, text alone is a failure unless the contract accepts it (`ToolRegistry.check_results`)."""

Handler: TypeAlias = Callable[[Any, ToolContext], Any]
"""A handler as the registry keeps it; type checkers use the generated Protocols."""

Refuses: TypeAlias = str | Awaitable[str | None] | None
"""The value of a precheck, now or awaited: why the call is refused, or None."""

Precheck: TypeAlias = Callable[[Any, ToolContext], Refuses]
"""A precheck as the registry keeps it."""


async def defer(params: object, context: ToolContext, /) -> NoReturn:
    """Raise CallDeferred: the handler of every external tool."""
    del params
    raise CallDeferred(f"Calls of tool {context.tool!r} are carried out outside of this program.")


async def call(workers: Workers, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a handler or a precheck: async ones awaited, plain ones in a worker thread with this context.
    Raises what the function raises, and what `Workers.run` raises."""
    if is_async(function):
        return await function(*arguments)
    return await call_in_thread(workers, function, *arguments)


async def call_in_thread(workers: Workers, function: Callable[..., object], *arguments: object) -> object:
    """Call a plain function in a worker thread; an awaitable that it returns is awaited."""
    outcome = await workers.run(function, *arguments)
    if isinstance(outcome, Awaitable):  # a plain callable over an async one: a lambda, a decorator
        return await outcome
    return outcome


def find_precheck(handler: Any) -> object:
    """Return the `precheck` of a handler, or of what it wraps: by `functools.partial`, by `functools.wraps`,
    or as the bound `__call__` of an object."""
    seen: set[int] = set()
    while id(handler) not in seen:
        seen.add(id(handler))
        precheck = getattr(handler, "precheck", None)
        if precheck is not None:
            return precheck
        if isinstance(handler, partial):
            handler = handler.func
        elif type(handler) is MethodType and handler.__name__ == "__call__":
            handler = handler.__self__
        else:
            handler = getattr(handler, "__wrapped__", handler)
    return None


def is_async(function: object) -> bool:
    """Tell by its type whether calling `function` returns a coroutine."""
    return iscoroutinefunction(function) or iscoroutinefunction(type(function).__call__)


async def release(handlers: Iterable[tuple[str, Any]]) -> None:
    """Call `aclose`, or else `close`, of every handler that has one: each object once, in that order. A bound
    method without one stands for its object. Plain closers run in a worker thread. Raises an ExceptionGroup
    with every failure after the last handler; a cancellation waits for that, too."""
    import asyncio

    done: set[int] = set()
    problems: list[Exception] = []
    cancelled: BaseException | None = None
    workers = Workers(1)  # of its own: handlers that hang are no reason to hold on to the others
    for name, handler in handlers:
        owner = _owner(handler)
        if id(owner) in done:
            continue
        done.add(id(owner))
        close = _closer(owner)
        if close is None:
            continue
        try:
            await call(workers, close)
        except BaseException as problem:  # a handler's
            if not is_from_outside(problem):
                problems.append(_noted(name, unwrap(problem)))
            elif isinstance(problem, asyncio.CancelledError):
                cancelled = problem
            else:
                raise
    if cancelled is not None:
        raise cancelled
    if problems:
        raise ExceptionGroup("Some handlers could not be released", problems)


def _owner(handler: Any) -> Any:
    """Return the object to release for a handler: itself, or the object of a bound method."""
    return handler.__self__ if type(handler) is MethodType and _closer(handler) is None else handler


def _closer(handler: object) -> Any:
    """Return an object's closer. A class has methods of its instances, which are no closers of its own."""
    if isinstance(handler, type):
        return None
    found = (getattr(handler, name, None) for name in ("aclose", "close"))
    return next((close for close in found if callable(close)), None)


def _noted(name: str, problem: BaseException) -> Exception:
    log(
        ERROR,
        "The handler of %r could not be released",
        name,
        event="release_failed",
        tool=name,
        problem=problem,
    )
    kept = problem if isinstance(problem, Exception) else RuntimeError(f"{type(problem).__name__}({problem})")
    kept.add_note(f"while releasing the handler of tool {name!r}")
    return kept


T = TypeVar("T")

_VIOLATIONS = 3
"""Most violations of a result that are named."""


def as_result(binding: AnyBinding, value: object, provider: str | None, call_id: str) -> ToolResult:
    """Make the ToolResult for `provider`. That of a typed value is encodable. Raises TypeError if the value
    has no JSON text."""
    if isinstance(value, str):
        typed = binding.result is not None and _is_typed_text(binding, value)
        return ToolResult(True, value, value if typed else None)
    if isinstance(value, ToolResult):
        return value
    if value is None:
        is_data = binding.result is not None and find_mismatch(binding, None) is None
        return ToolResult(True, "null" if is_data else "")
    if binding.text is not None:
        return _in_own_text(binding, value, call_id)
    try:
        text = binding.encode_result(value, provider)
    except UnicodeEncodeError:
        text = binding.encode_result(_replaced(value), provider)
        return make_encodable(ToolResult.ok(text.decode(), value), binding.name, call_id)
    return ToolResult(True, text.decode(), value)


def _in_own_text(binding: AnyBinding, value: object, call_id: str) -> ToolResult:
    try:
        text = binding.write_result(value)
    except UnicodeEncodeError:
        text = binding.write_result(_replaced(value))
    return make_encodable(ToolResult(True, text.decode(), value, own_text=True), binding.name, call_id)


def redacted_result(
    secrets: "Secrets", binding: AnyBinding, value: object, provider: str | None, call_id: str
) -> ToolResult:
    """Make the ToolResult without values of secrets."""
    if not secrets.known:
        return as_result(binding, value, provider, call_id)
    # The data first: its text is then made of values that hold no secret, and stays well formed.
    result = as_result(binding, secrets.redact(value), provider, call_id)
    return _redact_parts(secrets, secrets.redact(result))


def _redact_parts(secrets: "Secrets", result: ToolResult) -> ToolResult:
    """Redact values of secrets with parts in several texts of `result`, in the order in which models read
    them."""
    pieces = [piece.text for piece in result.content if piece.kind == "text"]
    texts = [result.error, result.output, *pieces]
    if sum(map(bool, texts)) < 2 or (redacted := secrets.redact_texts(texts)) == texts:
        return result
    error, output, *pieces = redacted
    content = with_texts(result.content, pieces)
    return msgspec.structs.replace(result, error=error, output=output, content=content)


def result_validator(binding: AnyBinding) -> "Validator":
    """Return the validator of a tool's result, which has a contract."""
    return binding._result().validator()


def _is_typed_text(binding: AnyBinding, text: str) -> bool:
    """Tell whether a handler's text is its typed result, and not words in its place."""
    kind = binding.result
    if kind is str:
        return True
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return False
    return binding._result().validator().accepts(text)


def find_mismatch(binding: AnyBinding, value: object) -> str | None:
    """Return why a handler's value does not fit the contract of its results; None if it fits, if there is
    none, and for a failure. Text is a typed result only if the contract accepts it."""
    if binding.result is None:
        return None
    data = value
    if isinstance(value, ToolResult):
        if not value.success:
            return None
        data = value.data
    elif isinstance(value, str) and not _is_typed_text(binding, value):
        data = None
    if binding.result_form and type(data) is binding.result and _is_accepted(binding, data):
        return None
    validator = binding._result().validator()
    try:
        plain = validator.settle(to_builtins(data))
    except (TypeError, ValueError, RecursionError) as problem:
        return f"has no JSON form ({type(problem).__name__})"
    violations = validator.violations(plain, limit=_VIOLATIONS)
    if violations and data is None:
        return "has none of the data that its contract promises"
    if violations:
        wrong = "; ".join(f"{violation.path}: {violation.message}" for violation in violations)
        return f"is not what its contract says ({wrong})"
    return None


def _is_accepted(binding: AnyBinding, value: object) -> bool:
    """Tell whether a Struct can be read again: its type says all of its contract."""
    try:
        msgspec.json.decode(msgspec.json.encode(value), type=binding.result, dec_hook=decode_hook)
    except (msgspec.MsgspecError, TypeError, ValueError, RecursionError):
        return False
    return True


def fault_of_result(tool: str, how: str) -> str:
    """Return the text for the model about a result that breaks its contract, as `find_mismatch` says."""
    return (
        f"Tool {tool!r} ran, and its result {how}. This is a fault of the tool, not of the arguments; what "
        "it did is done."
    )


def report_mismatch(tool: str, call_id: str, how: str, result: ToolResult) -> ToolResult:
    """Log a result that breaks its contract, and make it a failure; the handler's text and content stay."""
    log(
        ERROR,
        "A result of tool %r %s. A handler returns what `result` of the spec states, or "
        "ToolResult.ok(text, data).",
        tool,
        how,
        event="result_mismatch",
        tool=tool,
        call_id=call_id,
    )
    return msgspec.structs.replace(result, success=False, data=None, error=fault_of_result(tool, how))


def make_encodable(result: ToolResult, tool: str, call_id: str) -> ToolResult:
    """Put U+FFFD for each code point that UTF-8 cannot carry, and log that; the same object if there is none.
    Lone surrogates are in file names that are no UTF-8 (PEP 383), and in text that was cut within a
    character. No provider's message and no protocol can hold them."""
    clean = is_encodable(result.output) and (not result.error or is_encodable(result.error))
    if clean and not result.content:
        if result.data is None:
            return result
        try:
            msgspec.json.encode(result.data)
        except BaseException as problem:  # text that is no Unicode, or what has no JSON form
            if is_from_outside(problem):
                raise
        else:
            return result
    made = _replaced(result)
    if made is not result:
        log(
            WARNING,
            "A result of tool %r held text that is no Unicode (lone surrogates); it was replaced.",
            tool,
            event="replaced_text",
            tool=tool,
            call_id=call_id,
        )
    return made


def _replaced(value: T) -> T:
    try:
        made: T = rewrite(value, _leaf, _leaf)
    except BaseException as problem:  # what cannot be walked has no JSON form either: it is never sent
        if is_from_outside(problem):
            raise
        return value
    return made


def _leaf(value: Any) -> Any:
    if isinstance(value, str) and not is_encodable(value):
        return replace_surrogates(value)
    return value
