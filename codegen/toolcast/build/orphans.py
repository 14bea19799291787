"""A worker does not outlive the run that started it, however that ends."""

import os
import time
from collections.abc import Callable

_LOOK = 0.5
"""Seconds between two looks at the parent; a worker that waits for work costs nothing else."""


def end_with_parent() -> Callable[[], bool]:
    """End this worker process soon after the one that started it; whether that one lives.

    A killed run cannot end its workers, and each of them holds an end of the pipe that all wait at: without
    this they would wait for ever.
    """
    import multiprocessing
    import threading

    parent = multiprocessing.parent_process()
    if parent is None:
        return lambda: True
    # Else a server stands between, and a pipe tells of the parent's end.
    forked = os.name != "nt" and os.getppid() == parent.pid

    def lives() -> bool:
        return os.getppid() == parent.pid if forked else parent.is_alive()

    def watch() -> None:
        while forked and lives():
            time.sleep(_LOOK)
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    return lives
