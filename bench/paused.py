"""`python -m bench.paused`: runs that pause, and go on in a fresh process.

Each run has asked a scripted model a few times before a call waits for an approval. `--write
docs/reference/durable.md`
puts the figures into that page. Seconds are those of the processor.
"""

# ruff: noqa: ARG001 - a handler has its signature, whatever it uses

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from toolcast.agents import RunState, resume, run_tools
from toolcast.runtime import ToolContext, ToolRegistry, ToolResult
from toolcast.runtime.middleware.policy import Policy

from bench.marked import write
from generated.files.edit import EDIT
from generated.files.file_read import FILE_READ

ROOT = Path(__file__).resolve().parents[1]
READ = 3
"""Calls of a run before the one that waits; each result has 2,000 characters."""
RUNS = 1000


def tools(log: list[str]) -> ToolRegistry:
    """A tool that reads, and one that needs an approval; what ran is in `log`."""

    async def edit(params: Any, context: ToolContext) -> ToolResult:
        log.append(params.file_path)
        return ToolResult.ok(f"edited {params.file_path}")

    async def read(params: Any, context: ToolContext) -> str:
        log.append(params.file_path)
        return "x" * 2000

    registry = ToolRegistry(policy=Policy(auto_approve=["file_read"]), check_results=False)
    registry.register(EDIT, edit)
    registry.register(FILE_READ, read)  # type: ignore[arg-type]
    return registry


async def model(messages: list[Any], definitions: bytes) -> Any:
    """Reads files, edits one, and is done; goes by the conversation alone."""
    turn = sum(message["role"] == "assistant" for message in messages)
    path = messages[0]["content"]
    message: dict[str, Any] = {"role": "assistant", "content": "Done."}
    if turn <= READ:
        edits = turn == READ
        arguments = {"file_path": path, **({"old_string": "x", "new_string": "y"} if edits else {})}
        function = {"name": "edit" if edits else "file_read", "arguments": json.dumps(arguments)}
        call = {"id": f"call_{turn}", "type": "function", "function": function}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
    return {"choices": [{"index": 0, "finish_reason": "stop", "message": message}]}


async def pause(folder: Path, runs: int) -> dict[str, float]:
    """Start runs side by side until each waits, and store their states."""
    log: list[str] = []
    registry = tools(log)

    async def one(number: int) -> None:
        user = [{"role": "user", "content": f"/{number}"}]
        record = await run_tools(model, registry, user, format="openai")
        if record.stopped != "paused":
            raise RuntimeError(f"run {number} ended: {record.stopped} {record.detail}")
        (folder / str(number)).write_bytes(record.state.encode())

    begun = time.process_time()
    await asyncio.gather(*(one(number) for number in range(runs)))
    return {"seconds": time.process_time() - begun, "calls": len(log)}


async def go_on(folder: Path) -> dict[str, float]:
    """Approve what every stored run waits for, side by side, and go on to its answer."""
    log: list[str] = []
    registry = tools(log)

    async def one(stored: Path) -> None:
        state = RunState.decode(stored.read_bytes())
        decisions = {call.key: "yes" for call in state.waiting}
        record = await resume(model, registry, state, decisions=decisions, format="openai")
        if record.stopped != "answer" or len(record.calls) != 1:
            raise RuntimeError(f"run {stored.name} ended: {record.stopped} {record.detail}")

    begun = time.process_time()
    await asyncio.gather(*(one(stored) for stored in folder.iterdir()))
    seconds = time.process_time() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "seconds": seconds,
        "process": time.process_time(),
        "megabytes": peak,
        "calls": len(log),
        "distinct": len({*log}),
    }


def in_fresh_process(folder: Path) -> dict[str, float]:
    """What `go_on` gives in a process that has seen none of the runs."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.paused", "--go-on", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    made: dict[str, float] = json.loads(done.stdout)
    return made


def table(runs: int) -> str:
    """The figures, as the page has them."""
    with tempfile.TemporaryDirectory(prefix="bench-paused-") as name:
        folder = Path(name)
        paused = asyncio.run(pause(folder, runs))
        size = sum(stored.stat().st_size for stored in folder.iterdir()) / runs
        resumed = in_fresh_process(folder)
    started = f"{runs:,} runs of {READ + 1} rounds until they pause, states stored"
    rows = [
        "| | |",
        "|---|---|",
        f"| {started} | {paused['seconds']:.2f} s |",
        f"| a state: {2 * READ + 1} messages and an answer whose call waits | {size / 1000:.1f} kB |",
        f"| all of them to their answers, in a fresh process | {resumed['seconds']:.2f} s |",
        f"| with the start of that process, its peak of memory | {resumed['process']:.2f} s, "
        f"{resumed['megabytes']:.0f} MB |",
        f"| calls that ran in it | {resumed['calls']:,.0f}: one for each run, no other again |",
    ]
    return "\n".join(rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print or write the figures."""
    page = (__doc__ or "").partition("\n")[0]
    parser = argparse.ArgumentParser(prog="python -m bench.paused", description=page)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--write", type=Path, help="the page that gets the figures")
    parser.add_argument("--go-on", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.go_on is not None:
        print(json.dumps(asyncio.run(go_on(given.go_on))))
        return
    body = table(given.runs)
    if given.write is None:
        print(body)
    else:
        write(given.write, "paused", body)


if __name__ == "__main__":
    main()
