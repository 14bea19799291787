"""Threads for plain handlers: few at once, and calls that never return take none of them for good."""

import os
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from contextvars import Context, ContextVar, copy_context
from queue import Empty, SimpleQueue
from time import monotonic
from typing import TYPE_CHECKING, Any

from .errors import RefusalError
from .log_records import ERROR, WARNING, log

if TYPE_CHECKING:  # the caller's event loop has imported it
    from asyncio import AbstractEventLoop, Future, TimerHandle

_DAY = 86400.0
"""Seconds; loops do not take longer timers."""
_IDLE = 5.0
"""Seconds that a thread without work is kept for the next call."""

Outcome = tuple[Any, BaseException | None]
"""The value or the exception of a function. As a value: a future cannot carry every exception."""


class _WorkersExhaustedError(RefusalError):
    """Too many calls of plain handlers did not return; no other begins until some do."""


class RunsOn(BaseException):
    """The cause of a cancellation whose worker thread could not be stopped."""


class _RaisedInThreadError(Exception):
    """Holds what a plain function raised that is no `Exception`: the waiting task must not end by it."""

    def __init__(self, problem: BaseException) -> None:
        super().__init__(problem)
        self.problem = problem


def unwrap(problem: BaseException) -> BaseException:
    """Return what was raised, out of what carries it. A coroutine cannot raise StopIteration; Python reports
    a RuntimeError caused by it."""
    if isinstance(problem, _RaisedInThreadError):
        return problem.problem
    cause = problem.__cause__
    return cause if isinstance(cause, StopIteration) else problem


class _Job:
    """A plain function's call in a thread, and whether anyone still waits for it. The lock of `Workers`
    guards its state."""

    __slots__ = (
        "abandoned",
        "arguments",
        "begun",
        "context",
        "done",
        "function",
        "loop",
        "outcome",
        "overdue",
        "timer",
    )

    def __init__(
        self, function: Callable[..., object], arguments: tuple[object, ...], loop: "AbstractEventLoop"
    ) -> None:
        self.function = function
        self.arguments = arguments
        self.context: Context | None = copy_context()
        self.loop = loop
        self.done: Future[None] = loop.create_future()
        self.timer: TimerHandle | None = None
        self.begun = 0.0
        self.abandoned = False
        self.overdue = False
        self.outcome: Outcome | None = None

    def run(self) -> None:
        _job.set(self)
        try:
            self.outcome = self.function(*self.arguments), None
        except BaseException as problem:  # nothing catches an exception that leaves a thread
            self.outcome = None, problem

    def end(self) -> None:
        with suppress(RuntimeError):  # the loop is closed
            self.loop.call_soon_threadsafe(_settle, self.done)

    def warn(self, event: str, what: str, error_type: str | None = None) -> None:
        # Handlers and prechecks get their context last, approvers a request: both know the call.
        last = self.arguments[-1] if self.arguments else None
        log(
            WARNING,
            "Plain handler %s %s.",
            getattr(self.function, "__qualname__", type(self.function).__qualname__),
            what,
            event=event,
            tool=getattr(last, "tool", None),
            call_id=getattr(last, "call_id", None),
            error_type=error_type,
            seconds=monotonic() - self.begun,
        )


class _Thread(threading.Thread):
    def __init__(self, work: "Callable[[_Thread], None]") -> None:
        super().__init__(target=work, args=(self,), name="toolcast", daemon=True)
        self.jobs: SimpleQueue[_Job] = SimpleQueue()


_job: ContextVar[_Job] = ContextVar("toolcast_job")


def abandoned() -> bool:
    """Tell a plain handler whether its call was cancelled or timed out, so that it can give up."""
    job = _job.get(None)
    return job is not None and job.abandoned


class Workers:
    """Threads for plain functions. A free thread serves the next call.

    A call that nobody waits for, or that takes longer than `patience` seconds, does not count: its thread
    runs on, and another one replaces it. The threads are daemons: a call that never returns does not keep the
    program from ending. A registry has workers of its own; several registries may share one object.
    """

    def __init__(self, size: int | None = None, *, patience: float = 10.0, limit: int = 256) -> None:
        """Make a pool without threads; they start with the first calls.

        Args:
            size: most threads at work; `min(32, CPUs + 4)` by default.
            patience: seconds after which a call does not count any more.
            limit: most calls that do not count; then calls that would need another thread are refused.

        Raises:
            ValueError: a value is out of range.
        """
        if (size is not None and size < 1) or limit < 1 or not patience > 0:
            raise ValueError("size and limit must be at least 1, and patience more than 0 seconds.")
        self._size = min(32, (os.cpu_count() or 1) + 4) if size is None else size
        self._patience = patience
        self._limit = limit
        self._lock = threading.Lock()
        self._running: set[_Job] = set()
        self._waiting: deque[_Job] = deque()
        self._idle: list[_Thread] = []

    @property
    def running(self) -> int:
        """The number of threads at work, with those of calls that nobody waits for."""
        return len(self._running)

    @property
    def stuck(self) -> int:
        """The number of them that do not count: abandoned, or at work for longer than `patience`."""
        with self._lock:
            return sum(job.abandoned or job.overdue for job in self._running)

    async def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return what a plain function returns that is called in a thread, with this task's context.

        Cancelled, it stops waiting. A function that has not started never starts; one that has runs on, can
        ask `abandoned()`, and both this and its end are logged.

        Args:
            function: a function that is not async.
            *arguments: its positional arguments.

        Raises:
            RaisedInThreadError: the function raised what is no `Exception`. Every `Exception` is raised as it
                is.
            WorkersExhaustedError: too many earlier calls did not return.
            RuntimeError: the system has no thread left.
        """
        import asyncio

        job = _Job(function, arguments, asyncio.get_running_loop())
        with self._lock:
            self._waiting.append(job)
        self._look(job)
        try:
            await job.done
        except asyncio.CancelledError as cancelled:
            if self._abandon(job):
                raise cancelled from RunsOn()
            raise
        finally:
            if job.timer is not None:
                job.timer.cancel()
        outcome, job.outcome = job.outcome, None  # an exception's frames hold the job
        if outcome is None:
            raise RuntimeError("A worker thread ended without an outcome.")
        value, problem = outcome
        if problem is None:
            return value
        raise problem if isinstance(problem, Exception) else _RaisedInThreadError(problem)

    def _look(self, job: _Job) -> None:
        """Start waiting calls; if this one cannot start, try again after `patience` seconds."""
        self._begin()
        if not job.begun and job.outcome is None:
            job.timer = job.loop.call_later(min(self._patience, _DAY), self._look, job)

    def _begin(self) -> None:
        """Start waiting calls while threads are free; refuse them if calls that hang hold every thread."""
        with self._lock:
            overdue = self._late() if self._waiting else []
            refused: list[_Job] = []
            stuck = sum(job.abandoned or job.overdue for job in self._running)
            while self._waiting and (stuck >= self._limit or len(self._running) - stuck < self._size):
                job = self._waiting.popleft()
                if stuck >= self._limit or not self._start(job):
                    refused.append(job)
        for job in overdue:
            job.warn("overdue", f"runs for more than {self._patience:g} s; others begin without it")
        for job in refused:
            if job.outcome is None:
                job.outcome = None, _exhausted(stuck)
            job.end()

    def _late(self) -> list[_Job]:
        """Return calls that count no longer from now on. Holds the lock."""
        before = monotonic() - self._patience
        late = [job for job in self._running if not job.overdue and not job.abandoned and job.begun <= before]
        for job in late:
            job.overdue = True
        return late

    def _start(self, job: _Job) -> bool:
        """Begin one call. Holds the lock. False if the system has no thread left."""
        job.begun = monotonic()
        self._running.add(job)
        while self._idle:
            thread = self._idle.pop()
            if thread.is_alive():  # none is after a fork
                thread.jobs.put(job)
                return True
        thread = _Thread(self._work)
        thread.jobs.put(job)
        try:
            thread.start()
        except RuntimeError as problem:
            self._running.discard(job)
            job.outcome = None, problem
            return False
        return True

    def _work(self, thread: "_Thread") -> None:
        """Run one call after the other, until none comes for a while."""
        while True:
            try:
                job = thread.jobs.get(timeout=_IDLE)
            except Empty:
                with self._lock:
                    if thread in self._idle:
                        self._idle.remove(thread)
                        return
                continue  # a call came just now
            self._carry_out(job, thread)
            del job

    def _carry_out(self, job: _Job, thread: "_Thread") -> None:
        """Run one call in `thread`, which is free for the next one before anybody learns the outcome."""
        context, job.context = job.context, None  # which holds the job
        if context is not None:
            context.run(job.run)
        with self._lock:
            self._running.discard(job)
            self._idle.append(thread)
            forgotten = job.abandoned
        self._begin()
        if forgotten:
            problem = None if job.outcome is None else job.outcome[1]
            kind = None if problem is None else type(problem).__name__
            how = "" if kind is None else f" with {kind}"
            job.warn("ran_on", f"ended{how}, after nobody waited for it any more", kind)
        job.end()

    def _abandon(self, job: _Job) -> bool:
        """Wait for a call no longer. True if it runs on: a thread cannot be stopped from outside."""
        with self._lock:
            job.abandoned = True
            running = job in self._running
            if not running and job in self._waiting:
                self._waiting.remove(job)
        if running:
            job.warn("runs_on", "was cancelled, and its thread runs on")
            self._begin()
        return running


def _settle(done: Any) -> None:
    if not done.done():
        done.set_result(None)


def _exhausted(stuck: int) -> _WorkersExhaustedError:
    log(ERROR, "No worker thread is left: %d calls did not return.", stuck, event="workers_exhausted")
    return _WorkersExhaustedError(
        f"The tool was not called: {stuck} earlier calls of tools of this program did not return and hold "
        "its threads. Do not call it again; go on without it, and tell the user that the program hangs."
    )
