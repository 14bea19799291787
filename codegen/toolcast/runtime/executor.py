"""The state that all calls of a registry share: guards, workers, a loop for calls from threads."""

import threading
import weakref
from collections.abc import Coroutine
from contextvars import copy_context
from typing import TYPE_CHECKING, Any, TypeVar

from .binding import AnyBinding
from .context import ToolContext
from .failure_results import MaxAttempts
from .handlers import as_result, find_mismatch, make_encodable, redacted_result
from .log_records import WARNING, log
from .middleware.events import Finished, Refused, Stage
from .middleware.guard import Guard
from .middleware.truncate import cut_result
from .result import ToolResult
from .workers import Workers

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Task
    from concurrent.futures import Future

    from .wire.guesses import Guesses


T = TypeVar("T")


class LoopThread:
    """One event loop, in a daemon thread that begins with the first call. All calls share the loop, so that
    what a handler keeps between calls (connections of an HTTP client) stays usable. Thread-safe. A forked
    process begins a thread of its own."""

    __slots__ = ("__weakref__", "_lock", "_loop", "_thread")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for `work`, which runs in this loop with the caller's context variables. An interrupt (Ctrl-C)
        cancels `work`, and is raised when that has ended. Raises what `work` raises."""
        from concurrent.futures import Future, wait

        done: Future[T] = Future()
        tasks: list[Task[T]] = []

        def begin() -> None:
            task = loop.create_task(work)
            tasks.append(task)
            task.add_done_callback(lambda ended: _settle(done, ended))

        def cancel() -> None:
            if tasks:
                tasks[0].cancel()
            else:  # interrupted before the loop was told to begin
                work.close()
                done.set_exception(RuntimeError("The call was interrupted before it began."))

        loop = self._started()
        # An interrupt may arrive between any two steps: from here on each of them ends with `work` ended.
        try:
            loop.call_soon_threadsafe(begin, context=copy_context())
            wait([done])
        except BaseException:  # an interrupt, at any step
            loop.call_soon_threadsafe(cancel)
            wait([done])
            raise
        return done.result()

    def stop(self) -> None:
        """End the loop and wait for its end; a later call begins another."""
        with self._lock:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is not None and thread is not None and thread.is_alive():
            loop.call_soon_threadsafe(loop.stop)
            thread.join()

    def _started(self) -> "AbstractEventLoop":
        import asyncio

        with self._lock:
            if self._loop is None or self._thread is None or not self._thread.is_alive():
                loop = self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=_serve, args=(loop,), name="toolcast-loop", daemon=True
                )
                self._thread.start()
                weakref.finalize(self, _stop_later, loop).atexit = False
            return self._loop


def refuse_in_event_loop() -> None:
    """Raise RuntimeError if an event loop runs in this thread: waiting would stop it."""
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise RuntimeError(
        "An event loop runs in this thread, and waiting for tools here would stop it. Await the coroutine: "
        "execute(…) in the place of execute_sync(…), run(…) of run_sync(…), aclose() of close()."
    )


def _settle(done: "Future[T]", task: "Task[T]") -> None:
    from asyncio import CancelledError

    if task.cancelled():
        done.set_exception(CancelledError())
    elif (problem := task.exception()) is not None:
        done.set_exception(problem)
    else:
        done.set_result(task.result())


def _serve(loop: "AbstractEventLoop") -> None:
    import asyncio

    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


def _stop_later(loop: "AbstractEventLoop") -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(loop.stop)


class Executor:
    """The means by which a registry and its selections carry out calls. `guard` is the middleware, `workers`
    are the threads of plain handlers, `check_results` holds typed results to their contracts; `closed` is set
    when the registry releases its handlers."""

    __slots__ = (
        "check_results",
        "closed",
        "guard",
        "guesses",
        "loop_thread",
        "max_attempts",
        "warned",
        "workers",
    )

    def __init__(
        self,
        guard: Guard,
        workers: Workers,
        *,
        check_results: bool | None,
        guesses: "Guesses | None",
        max_attempts: MaxAttempts,
    ) -> None:
        self.guard = guard
        self.max_attempts = max_attempts
        self.workers = workers
        self.check_results = check_results
        self.guesses = guesses
        self.closed = False
        self.warned: dict[str, object] = {}  # deprecated tools whose first call was logged
        self.loop_thread = LoopThread()  # for calls from programs without an event loop

    def warn_of_deprecated(self, binding: AnyBinding, context: ToolContext) -> None:
        """Log the first call of a deprecated tool. No `DeprecationWarning`: its filters are about code, and
        where warnings are errors, the call would fail."""
        first = object()
        if self.warned.setdefault(binding.name, first) is not first:  # one step: threads call at once
            return
        stated = "; ".join(f"{key}: {value}" for key, value in (binding.deprecated or {}).items())
        log(
            WARNING,
            "Tool %r was called, and it is deprecated%s.",
            binding.name,
            f" ({stated})" if stated else "",
            event="deprecated",
            tool=binding.name,
            call_id=self.guard.redact_text(context.call_id),
        )

    def accept(self, binding: AnyBinding, value: Any, provider: str | None, call_id: str) -> ToolResult:
        """Treat the result of a call that was carried out elsewhere as that of a handler. Raises ValueError
        if it does not fit the contract."""
        secrets = self.guard.secrets
        if secrets is None:
            result = as_result(binding, value, provider, call_id)
        else:
            result = redacted_result(secrets, binding, value, provider, call_id)
        result = make_encodable(result, binding.name, call_id)
        if result.data is not None or self.check_results is not False:
            how = find_mismatch(binding, value)
            if how is not None:
                raise ValueError(f"The result of tool {binding.name!r} {self.guard.redact_text(how)}.")
        return result if self.guard.limit is None else cut_result(result, self.guard.limit)

    def redact_name(self, name: object) -> object:
        return self.guard.redact_text(name) if isinstance(name, str) else name

    def refuse(
        self,
        stage: Stage,
        name: object,
        provider: str | None,
        context: ToolContext | None,
        refused: ToolResult,
    ) -> ToolResult:
        """Make the result of a call that no tool takes, and tell the hooks. `name` holds no secret."""
        guard = self.guard
        result = make_encodable(ToolResult.failed(guard.redact_text(refused.error)), str(name)[:64], "")
        if guard.hooks:
            call_id = "" if context is None else guard.redact_text(context.call_id)
            tool = name[:64] if isinstance(name, str) else ""
            guard.notify(guard.observers, Refused(tool, call_id, provider, stage, result.error))
            guard.notify(guard.observers, Finished(tool, call_id, provider, result, 0.0))
        return result
