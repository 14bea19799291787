"""Starts the process of an analysis, exchanges request and reply with it, and ends it."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

import msgspec

from ...runtime.errors import RefusalError
from ..python_process import python_command, python_environment
from .analysis import Reply, Request
from .process_main import Limits

_REPLY = 64 * 1024 * 1024
"""Bytes of a reply at most."""
_PROGRAM = "toolcast.tools.data.process_main"


async def carry_out(
    request: Request, limits: Limits, descriptors: Sequence[int], running: set[asyncio.subprocess.Process]
) -> Reply:
    """Carry out a request in a process of its own.

    Cancelled, it kills the process, and waits for its end.

    Args:
        request: the request.
        limits: what the system holds the process to.
        descriptors: the descriptors that the process gets, which the request names.
        running: processes that run; this one is among them meanwhile.

    Returns:
        The reply.

    Raises:
        RefusalError: the process ended without a reply.
        OSError: the system starts no process.
    """
    process = await asyncio.create_subprocess_exec(
        *python_command(_PROGRAM),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        pass_fds=tuple(descriptors),
        env=python_environment(),
        cwd="/",
        start_new_session=True,
    )
    running.add(process)
    try:
        answer = await _exchanged(process, request, limits)
        await process.wait()
    except BaseException:
        with suppress(ProcessLookupError):
            process.kill()
        # Shielded: a process that is not waited for stays in the table of processes.
        await asyncio.shield(asyncio.ensure_future(process.wait()))
        raise
    finally:
        running.discard(process)
    if not answer:
        raise RefusalError(
            "The analysis was stopped: it needs more memory or processor time than it may use, or the "
            "file is damaged. Filter and select earlier, or use a smaller file."
        )
    return msgspec.json.decode(answer, type=Reply)


async def _exchanged(process: asyncio.subprocess.Process, request: Request, limits: Limits) -> bytes:
    """Send the request; gives the reply, or nothing where the process ended before."""
    assert process.stdin is not None
    assert process.stdout is not None
    encode = msgspec.json.encode
    with suppress(BrokenPipeError, ConnectionResetError):
        process.stdin.write(encode(limits) + b"\n" + encode(request) + b"\n")
        await process.stdin.drain()
    # Standard input stays open: the process ends with it.
    parts: list[bytes] = []
    size = 0
    while part := await process.stdout.read(1 << 16):
        size += len(part)
        if size > _REPLY:
            raise RefusalError("The result is too large. Ask for fewer rows, or select fewer columns.")
        parts.append(part)
    return b"".join(parts)
