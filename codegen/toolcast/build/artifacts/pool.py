"""Many small requests at once, until the first failure or the end of patience."""

import queue
import threading
import time
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from .store import Session, Store, StoreError

Item = TypeVar("Item")
Result = TypeVar("Result")
_LAST_WORDS = 0.2
"""Seconds for threads to notice that all is over."""


def spread(
    store: Store, items: Sequence[Item], work: Callable[[Session, Item], Result], *, seconds: float
) -> tuple[list[Result], StoreError | None]:
    """What `work` makes of `items`, in any order; and what stopped it, if not all were done.

    After a failure, or when `seconds` are over, nothing new is begun and no thread is waited for long.
    Raises what `work` raises, except StoreError.
    """
    crew = _Crew(store, items, work)
    deadline = time.monotonic() + seconds
    working = min(store.threads, len(items))
    threads = [threading.Thread(target=crew.run, daemon=True) for _ in range(working)]
    for thread in threads:
        thread.start()
    done: list[Result] = []
    failure: BaseException | None = None
    while working and failure is None:
        try:
            result, finished, failure = crew.told.get(timeout=max(deadline - time.monotonic(), 0.0))
        except queue.Empty:
            failure = StoreError("it is too slow to be of use")
            break
        done += result
        working -= finished
    crew.stop()
    patience = time.monotonic() + _LAST_WORDS
    for thread in threads:  # those that still look for a host are left behind
        thread.join(max(patience - time.monotonic(), 0.0))
    if failure is not None and not isinstance(failure, StoreError):
        raise failure
    return done, failure


class _Crew(Generic[Item, Result]):
    """What the threads share. Each tells (results, whether it ended, why)."""

    def __init__(self, store: Store, items: Sequence[Item], work: Callable[[Session, Item], Result]) -> None:
        self._store, self._work = store, work
        self._items = iter(items)
        self._lock = threading.Lock()
        self._stopped = False
        self._sessions: list[Session] = []
        self.told: queue.SimpleQueue[tuple[list[Result], bool, BaseException | None]] = queue.SimpleQueue()

    def run(self) -> None:
        try:
            session = self._store.session()
            with self._lock:
                self._sessions.append(session)
            while (item := self._next()) is not None:
                self.told.put(([self._work(session, item)], False, None))
            session.close()
        except BaseException as error:  # for the thread that waits
            self.told.put(([], True, error))
        else:
            self.told.put(([], True, None))

    def stop(self) -> None:
        """Begin nothing more, and end what waits."""
        with self._lock:
            self._stopped = True
            sessions = list(self._sessions)
        for session in sessions:
            session.close()

    def _next(self) -> Item | None:
        with self._lock:
            return None if self._stopped else next(self._items, None)
