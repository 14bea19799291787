"""Many schemas in several processes, until so many or so many seconds are through."""

import random
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool

from toolcast.analysis.verify.verified_tool import Failure

from .finding import Tally, finding
from .judge import one
from .schemas import compose

CHUNK = 25
"""Schemas that a process takes at a time."""


def chunk(seed: str, start: int, stop: int, count: int, providers: tuple[str, ...] = ()) -> Tally:
    """The schemas from `start` to `stop`: what one process does at a time."""
    tally = Tally()
    for number in range(start, stop):
        one(seed, number, count, tally, providers)
    return tally


def run(
    *,
    seed: str,
    start: int,
    schemas: int | None,
    seconds: float | None,
    count: int,
    jobs: int,
    providers: tuple[str, ...] = (),
    told: Callable[[Tally, Tally], None],
) -> Tally:
    """Fuzz from schema `start` until so many or so many seconds are through.

    `told` gets each part and the whole. With `providers`, all laws are held for each of them.
    """
    total = Tally()
    ends = time.monotonic() + seconds if seconds else None
    numbers = _chunks(start, schemas)
    waiting: dict[Future[Tally], tuple[int, int]] = {}
    more = True
    pool = ProcessPoolExecutor(jobs)
    try:
        while more or waiting:
            while more and len(waiting) < 2 * jobs:
                part = None if ends is not None and time.monotonic() > ends else next(numbers, None)
                more = part is not None
                if part is not None:
                    waiting[pool.submit(chunk, seed, *part, count, providers)] = part
            done, _ = wait(waiting, return_when=FIRST_COMPLETED)
            parts = [(waiting.pop(future), future) for future in done]
            lost = [part for part, future in parts if isinstance(future.exception(), BrokenProcessPool)]
            if lost:  # one process died and took the pool along: nobody knows yet which schema did it
                lost += waiting.values()
                waiting.clear()
                pool.shutdown(wait=False)
                pool = ProcessPoolExecutor(jobs)
            for tally in [future.result() for place, future in parts if place not in lost]:
                total.add(tally)
                told(tally, total)
            for tally in (
                found for start, stop in lost for found in _alone(seed, start, stop, count, providers)
            ):
                total.add(tally)
                told(tally, total)
    finally:
        pool.shutdown()
    return total


def _alone(seed: str, start: int, stop: int, count: int, providers: tuple[str, ...]) -> Iterator[Tally]:
    """Halves of a range in processes of their own, until the schema that kills its process stands alone."""
    try:
        with ProcessPoolExecutor(1) as pool:
            yield pool.submit(chunk, seed, start, stop, count, providers).result()
    except BrokenProcessPool:
        if stop - start > 1:
            middle = (start + stop) // 2
            yield from _alone(seed, start, middle, count, providers)
            yield from _alone(seed, middle, stop, count, providers)
            return
        failure = Failure("crash", "it compiles and judges", "the process died")
        yield Tally(schemas=1, findings=[finding(start, failure, compose(random.Random(f"{seed}:{start}")))])


def _chunks(start: int, schemas: int | None) -> Iterator[tuple[int, int]]:
    end = None if schemas is None else start + schemas
    while end is None or start < end:
        stop = start + CHUNK if end is None else min(start + CHUNK, end)
        yield start, stop
        start = stop
