"""The process of one analysis: reads a request, carries it out within its limits, writes a reply.

A process of its own, because a database does not hold all of its memory to its limit: a function that makes
one long text takes no notice of it. The system's limits do hold, and what crashes here takes nothing else
with it.
"""

import os
import sys
import threading

import msgspec

from ..python_process import limit_process


class ProcessLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits that the system holds a process to.

    Attributes:
        memory: bytes of its own memory.
        cpu: seconds of processor time.
        file: bytes of a file that it writes.
    """

    memory: int
    cpu: int
    file: int


def main() -> None:
    """Carry out the request on standard input: a line with the limits, and a line with the request.

    The process ends where standard input does: whoever started it is gone, or waits no longer.
    """
    limits = msgspec.json.decode(sys.stdin.buffer.readline(), type=ProcessLimits)
    # RLIMIT_DATA: Linux counts all memory that a process may write; other systems the heap alone.
    limit_process(RLIMIT_CPU=limits.cpu, RLIMIT_FSIZE=limits.file, RLIMIT_DATA=limits.memory)
    request = sys.stdin.buffer.readline()
    threading.Thread(target=_end_with_input, daemon=True).start()
    from .analysis import Request, analyse

    reply = analyse(msgspec.json.decode(request, type=Request))
    sys.stdout.buffer.write(msgspec.json.encode(reply))
    sys.stdout.buffer.flush()
    # At once: a database that is taken down in order takes its time.
    os._exit(0)


def _end_with_input() -> None:
    while sys.stdin.buffer.read(1):
        pass
    os._exit(1)
