"""Many small requests at once, until the first failure or the end of the time allowed."""

import queue
import threading
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from .store import Session, Store, StoreError

Item = TypeVar("Item")
Result = TypeVar("Result")
_GRACE = 0.2
"""Seconds for threads to notice that all is over."""


def run_parallel(
    store: Store, items: Sequence[Item], work: Callable[[Session, Item], Result], *, seconds: float
) -> tuple[list[Result], StoreError | None]:
    """What `work` returns for `items`, in any order; and what stopped it, if not all were done.

    After a failure, or when `seconds` are over, nothing new is begun and no thread is waited for: one may be
    stuck in a lookup of the host. (Threads of an executor would hold up the end of the process.) Raises what
    `work` raises, except StoreError.
    """
    waiting: queue.SimpleQueue[Item] = queue.SimpleQueue()
    outcomes: queue.SimpleQueue[tuple[list[Result], BaseException | None, bool]] = queue.SimpleQueue()
    sessions: list[Session] = []
    for item in items:
        waiting.put(item)

    def run() -> None:
        failure: BaseException | None = None
        try:
            session = store.session()
            sessions.append(session)
            while (item := _next(waiting)) is not None:
                outcomes.put(([work(session, item)], None, False))
            session.close()
        except BaseException as error:  # for the thread that waits
            failure = error
        outcomes.put(([], failure, True))

    threads = [threading.Thread(target=run, daemon=True) for _ in range(min(store.threads, len(items)))]
    for thread in threads:
        thread.start()
    deadline, running = time.monotonic() + seconds, len(threads)
    done: list[Result] = []
    failure: BaseException | None = None
    while running and failure is None:
        try:
            results, failure, ended = outcomes.get(timeout=max(deadline - time.monotonic(), 0.0))
        except queue.Empty:
            failure = StoreError("it is too slow to be of use")
            break
        done += results
        running -= ended
    while _next(waiting) is not None:
        """Nothing more is begun."""
    for session in sessions:
        session.close()
    end = time.monotonic() + _GRACE
    for thread in threads:
        thread.join(max(end - time.monotonic(), 0.0))
    if failure is not None and not isinstance(failure, StoreError):
        raise failure
    return done, failure


def _next(waiting: "queue.SimpleQueue[Item]") -> Item | None:
    try:
        return waiting.get_nowait()
    except queue.Empty:
        return None
