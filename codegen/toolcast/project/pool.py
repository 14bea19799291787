"""Compile many specs in worker processes, with the same results as in this process."""

import contextlib
import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from ..diagnostics import Diagnostic
from ..spec.parsed_document import Document
from .core.compiled import Compiled
from .worker import Context, Task, compile_task, failed, load_types

if TYPE_CHECKING:
    from concurrent.futures import Future

MANY = 150
"""With fewer tasks, starting worker processes takes longer than they save."""
_MANY_WITH_MODELS = 12
"""The same where other model families are generated, which takes most of the time."""
_CHUNK = 16
_TOLD = 0.5
"""Seconds after which progress is told again."""
_GARBAGE = 100_000
"""Objects between two searches for cycles in a worker: a compile leaves few."""
_SAFE_PATH = "PYTHONSAFEPATH"

Progress = Callable[[int, int], None]


def processors() -> int:
    """Return how many processors this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


_Submit = Callable[..., "Future[Any]"]
"""As `Executor.submit`."""


class _WorkerDiedError(Exception):
    """A worker process ended before its task."""


@contextlib.contextmanager
def process_pool(count: int, initializer: Callable[..., None], *arguments: Any) -> Generator[_Submit]:
    """Yield the `submit` of a pool of `count` worker processes.

    Workers start as new interpreters on every platform: no thread is copied. They import nothing from the
    working directory, do not run the main module again, and end with the program. Arguments are pickled. On
    an exception, tasks that have not begun are cancelled.
    """
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    context = multiprocessing.get_context("spawn")
    with _clean_start():  # the tracker of resources is a process, too
        pool = ProcessPoolExecutor(count, context, _start, (initializer, *arguments))

    def submit(function: Callable[..., object], *values: object) -> "Future[Any]":
        with _clean_start():
            return pool.submit(function, *values)

    with _ended_by_signal():
        try:
            yield submit
        except BrokenProcessPool as error:
            raise _WorkerDiedError from error
        finally:
            pool.shutdown(cancel_futures=True)


@contextlib.contextmanager
def _ended_by_signal() -> Generator[None]:
    """Let SIGTERM raise SystemExit, so that the pool is shut down and leaves no semaphore behind."""
    if threading.current_thread() is not threading.main_thread():  # others cannot set a handler
        yield
        return

    def end(number: int, _frame: object) -> None:
        signal.signal(number, signal.SIG_IGN)
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextlib.contextmanager
def _clean_start() -> Generator[None]:
    """Let processes start without a main module to run, and without the working directory on their path."""
    main, before = sys.modules["__main__"], os.environ.get(_SAFE_PATH)
    sys.modules["__main__"] = ModuleType("__main__")
    os.environ[_SAFE_PATH] = "1"  # for the `python -c` that a new worker is
    try:
        yield
    finally:
        sys.modules["__main__"] = main
        if before is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = before


def _start(initializer: Callable[..., None], *arguments: Any) -> None:
    import multiprocessing

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the workers, too: the parent ends them
    parent = multiprocessing.parent_process()
    assert parent is not None

    def end_with_parent() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()
    initializer(*arguments)


def compile_tasks(
    context: Context,
    tasks: Sequence[Task],
    *,
    jobs: int | None = None,
    progress: Progress = lambda _done, _total: None,
) -> list[Compiled]:
    """Compile `tasks` in at most `jobs` processes, by default one per processor; one result each, in order.
    `progress` gets (done, total). A task that raises, or that ends its process, becomes a diagnostic.
    """
    many = len(tasks) >= (_MANY_WITH_MODELS if context.options.models else MANY)
    count = min(jobs or processors(), max(1, len(tasks) // 4))
    if many and count > 1:
        return _compile_in_processes(context, tasks, count, progress)
    return _compile_here(context, tasks, progress)


def _compile_here(context: Context, tasks: Sequence[Task], progress: Progress) -> list[Compiled]:
    types = load_types(context) if tasks else {}
    done: list[Compiled] = []
    for task in tasks:
        done.append(compile_task(context, types, task))
        progress(len(done), len(tasks))
    return done


class _Worker(Struct, frozen=True):
    context: Context
    types: Mapping[str, Document]


_worker: _Worker | None = None  # set once, when a worker process starts


def _prepare(context: Context) -> None:
    global _worker  # an initializer has no other way to pass a value to the tasks
    gc.set_threshold(_GARBAGE)
    _worker = _Worker(context, load_types(context))


def _compile_chunk(tasks: Sequence[Task]) -> list[Compiled]:
    assert _worker is not None
    return [compile_task(_worker.context, _worker.types, task) for task in tasks]


def _compile_in_processes(
    context: Context, tasks: Sequence[Task], count: int, progress: Progress
) -> list[Compiled]:
    from concurrent.futures import FIRST_COMPLETED, wait

    size = max(1, min(_CHUNK, len(tasks) // (count * 4)))
    chunks = [tasks[start : start + size] for start in range(0, len(tasks), size)]
    results: dict[str, Compiled] = {}
    with contextlib.suppress(_WorkerDiedError), process_pool(count, _prepare, context) as submit:
        waiting = {submit(_compile_chunk, chunk) for chunk in chunks}
        while waiting:  # the first chunk takes long where it builds many types
            done, waiting = wait(waiting, _TOLD, FIRST_COMPLETED)
            results |= {compiled.path: compiled for future in done for compiled in future.result()}
            progress(len(results), len(tasks))
    unfinished = [chunk for chunk in chunks if chunk[0].path not in results]  # a process died
    results |= {compiled.path: compiled for compiled in _compile_apart(context, unfinished)}
    return [results[task.path] for task in tasks]


def _compile_apart(context: Context, chunks: Sequence[Sequence[Task]]) -> list[Compiled]:
    """Compile each chunk in its own process, and again spec by spec if that process dies."""
    done: list[Compiled] = []
    for tasks in chunks:
        try:
            with process_pool(1, _prepare, context) as submit:
                done += submit(_compile_chunk, tasks).result()
        except _WorkerDiedError:
            if len(tasks) > 1:
                done += _compile_apart(context, [[task] for task in tasks])
            else:
                done.append(failed(tasks[0].path, _died(context, tasks[0])))
    return done


def _died(context: Context, task: Task) -> Diagnostic:
    return Diagnostic(
        file=context.shown(task.path),
        code="worker-crash",
        message="the process that compiled this file died",
        hint="it may need more memory than there is; otherwise please report it with the spec",
    )
