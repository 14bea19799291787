"""A worker does not outlive the run that started it, however that ends."""

import os
import time

_LOOK = 0.5
"""Seconds between two looks at the parent; a worker that waits for work costs nothing else."""


def end_with_parent() -> None:
    """End this worker process soon after the one that started it.

    A killed run cannot end its workers, and each of them holds an end of the pipe that all wait at: without
    this they would wait for ever.
    """
    import multiprocessing
    import threading

    parent = multiprocessing.parent_process()
    if parent is None:
        return
    forked = os.getppid() == parent.pid  # else a server stands between, and a pipe tells of the parent's end

    def watch() -> None:
        while forked and os.name != "nt" and os.getppid() == parent.pid:
            time.sleep(_LOOK)
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
