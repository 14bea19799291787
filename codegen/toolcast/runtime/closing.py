"""Releasing what handlers hold."""

import asyncio
from collections.abc import Iterable
from typing import Any

from .handlers import call
from .interrupts import is_from_outside
from .log_records import ERROR, log
from .workers import Workers, unwrap


async def release(handlers: Iterable[tuple[str, Any]]) -> None:
    """Call `aclose`, or else `close`, of every handler that has one: each object once, in the order given.

    Plain ones run in a worker thread. Raises an ExceptionGroup with every failure after the last handler;
    a cancellation waits for the last one, too.
    """
    done: set[int] = set()
    problems: list[Exception] = []
    cancelled: asyncio.CancelledError | None = None
    workers = Workers(1)  # of its own: handlers that hang are no reason to hold on to the others
    for name, handler in handlers:
        if id(handler) in done:
            continue
        done.add(id(handler))
        close = _closer(handler)
        if close is None:
            continue
        try:
            await call(workers, close)
        except BaseException as problem:
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


def _closer(handler: Any) -> Any:
    """A class that serves as a handler has methods of its instances, which are no closers of its own."""
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
