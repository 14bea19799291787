"""Sandboxes that exist: a Python or Node.js process, by itself and in bubblewrap."""

import asyncio
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from toolcast.runtime import ToolContext
from toolcast.runtime.code import CodeRun, CodeServer, Language, client_source

NAMES = {"python": ("toolcast_client.py", "program.py"), "typescript": ("toolcast_client.mjs", "program.mjs")}


def interpreter(language: Language) -> str:
    """The path of Python or Node.js; without it the test is skipped."""
    if language == "python":
        return sys.executable
    found = shutil.which("node")
    if found is None:
        pytest.skip("Node.js is not installed")
    return found


def bubblewrap() -> list[str]:
    """A command line: no network, all files read-only, a folder of its own; skips where it does not work."""
    found = shutil.which("bwrap")
    words = [
        str(found), "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL",
        "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev",
    ]  # fmt: skip
    probe = None if found is None else subprocess.run([*words, "true"], capture_output=True, check=False)
    if probe is None or probe.returncode:
        pytest.skip("bubblewrap (bwrap) is not installed, or does not work here")
    return words


class Ran(NamedTuple):
    """What became of a process: what it printed, its exit code, and what it called."""

    output: str
    code: int | None
    run: CodeRun


def write_program(folder: Path, language: Language, program: str) -> list[str]:
    client, name = NAMES[language]
    (folder / client).write_bytes(client_source(language))
    (folder / name).write_text(program, "utf-8")
    return [interpreter(language), *(["-I", "-B"] if language == "python" else []), client, name]


async def run_process(
    server: CodeServer,
    words: list[str],
    folder: Path,
    context: ToolContext | None = None,
    pipes: bool = False,
) -> Ran:
    """Run a process whose calls are served."""
    if pipes:
        return await _with_pipes(server, words, folder)
    ours, theirs = socket.socketpair()
    with theirs:
        process = await asyncio.create_subprocess_exec(
            *words,
            cwd=folder,
            env={"TOOLCAST_CALLS": f"fd:{theirs.fileno()}", "PATH": os.environ["PATH"]},
            pass_fds=[theirs.fileno()],
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
    reader, writer = await asyncio.open_connection(sock=ours)
    return await _to_end(process, server.serve(reader, writer, context))


async def _to_end(process: asyncio.subprocess.Process, serving: "asyncio._CoroutineLike[CodeRun]") -> Ran:
    try:
        (output, _), run = await asyncio.wait_for(asyncio.gather(process.communicate(), serving), 60)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return Ran(output.decode(), process.returncode, run)


async def _with_pipes(server: CodeServer, words: list[str], folder: Path) -> Ran:
    """The same over two pipes beside standard input and output."""
    (answers_out, answers_in), (requests_out, requests_in) = os.pipe(), os.pipe()
    process = await asyncio.create_subprocess_exec(
        *words,
        cwd=folder,
        env={"TOOLCAST_CALLS": f"fd:{answers_out},{requests_in}", "PATH": os.environ["PATH"]},
        pass_fds=[answers_out, requests_in],
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    os.close(answers_out)
    os.close(requests_in)
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(requests_out, "rb"))
    transport, protocol = await loop.connect_write_pipe(
        lambda: asyncio.streams.FlowControlMixin(loop), os.fdopen(answers_in, "wb")
    )
    writer = asyncio.StreamWriter(transport, protocol, reader, loop)
    return await _to_end(process, server.serve(reader, writer))


def run_code(
    server: CodeServer,
    folder: Path,
    language: Language,
    program: str,
    *,
    before: tuple[str, ...] = (),
    pipes: bool = False,
) -> Ran:
    words = [*before, *write_program(folder, language, program)]
    return asyncio.run(run_process(server, words, folder, pipes=pipes))
