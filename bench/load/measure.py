"""Runs conversations side by side for a time, and reports what they took."""

import asyncio
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from msgspec import Struct

from .conversations import LOOPS, Clock, Connection
from .server import Counts


class Load(Struct, frozen=True):
    """What one loop did.

    Attributes:
        loop: its name.
        conversations: conversations at once.
        seconds: of the clock, from the first request to the last answer.
        processor: seconds of the processor, of this process.
        overheads: seconds of each round that were not the model's or a handler's, sorted.
        memory: MiB that the process took at most.
        counts: what the server saw.
    """

    loop: str
    conversations: int
    seconds: float
    processor: float
    overheads: tuple[float, ...]
    memory: float
    counts: Counts

    @property
    def rounds(self) -> float:
        """Rounds a second."""
        return self.counts.requests / self.seconds

    def percentile(self, share: float) -> float:
        """The overhead that this share of the rounds does not exceed, in seconds."""
        return self.overheads[min(len(self.overheads) - 1, int(share * len(self.overheads)))]

    @property
    def median(self) -> float:
        """The overhead of the middle round, in seconds."""
        return statistics.median(self.overheads)


@contextmanager
def _server() -> Iterator[tuple[int, "subprocess.Popen[str]"]]:
    command = [sys.executable, "-m", "bench.load.server"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline()), process
    finally:
        process.kill()
        process.communicate()


async def _converse(loop: str, folder: Path, port: int, many: int, seconds: float) -> list[Clock]:
    """Keep `many` conversations going until the time is over; each ends whole."""
    converse, end = LOOPS[loop](folder)
    clocks: list[Clock] = []
    until = time.monotonic() + seconds

    async def one(number: int) -> None:
        connection = Connection(port)
        copy = 0
        try:
            while copy == 0 or time.monotonic() < until:
                clock = Clock()
                await converse(connection, clock, f"{number} of {copy}")
                clocks.append(clock)
                copy += 1
        finally:
            connection.close()

    try:
        async with asyncio.TaskGroup() as group:
            for number in range(many):
                group.create_task(one(number))
    finally:
        await end()
    return clocks


def measure(loop: str, many: int, seconds: float) -> Load:
    """Run conversations by one loop against a server in a process of its own.

    Args:
        loop: a key of LOOPS.
        many: conversations at once.
        seconds: after which no conversation begins.

    Returns:
        What it took.

    Raises:
        ExceptionGroup: a conversation failed.
    """
    with tempfile.TemporaryDirectory() as name, _server() as (port, process):
        folder = Path(name)
        for number in range(many):
            text = "a line\n" * 20 + f"<the words of {number}>\n" + "another line\n" * 20
            (folder / f"{number}.txt").write_text(text)
        begun, busy = time.perf_counter(), time.process_time()
        clocks = asyncio.run(_converse(loop, folder, port, many, seconds))
        took, busy = time.perf_counter() - begun, time.process_time() - busy
        out, _ = process.communicate()
        counts = msgspec.json.decode(out, type=Counts)
    return Load(
        loop=loop,
        conversations=many,
        seconds=took,
        processor=busy,
        overheads=tuple(sorted(overhead for clock in clocks for overhead in clock.overheads)),
        memory=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        counts=counts,
    )
