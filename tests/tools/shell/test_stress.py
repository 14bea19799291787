"""Many commands that end in every way, and nothing that is left of them."""

import asyncio
import gc
import os
import random
import signal
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from toolcast.runtime import RefusalError
from toolcast_tools.shell import Shell

from tests.held import descriptors
from tests.tools.shell.shells import (
    bubblewrap,
    eventually,
    follow,
    linux,
    new_token,
    no_zombie,
    start,
    with_token,
)

pytestmark = linux

COMMANDS = (
    "echo a; exit $((RANDOM % 3))", "sleep 0.0$((RANDOM % 10))", "sleep {0}", "setsid sleep {0}",
    "(setsid sleep {0} &); sleep 0.0$RANDOM", "trap '' TERM; sleep {0}; sleep {0}",
    "sleep {0} & sleep {0} & wait", "yes", "seq 200000", "head -c 300000 /dev/urandom",
    "yes >&2 & sleep {0}", "exec 1>&- 2>&-; sleep {0}", "for i in $(seq 30); do (setsid sleep {0} &); done",
    "kill -9 $$", "kill -STOP $$", "sleep {0} | sleep {0}", "kill -9 $PPID; sleep {0}",
    "(setsid sleep {0} &); kill -9 $PPID", "exec bash -c 'sleep 0.05; exec sleep {0}'", "cat",
    "echo $(sleep 0.02)", "nohup sleep {0} & disown", "no such program",
)  # fmt: skip


async def one(shell: Shell, rng: random.Random, token: str) -> None:
    """One command, to which something happens."""
    command = rng.choice(COMMANDS).format(token)
    fate = rng.choice(["limit", "limit", "cancel", "kill", "background", "close"])
    if fate == "background":
        begun = await start(shell, command, run_in_background=True)
        for _ in range(rng.randrange(3)):
            await follow(shell, begun.process_id, block=rng.random() < 0.5, timeout=rng.random() / 10)
        await follow(shell, begun.process_id, stop=True)
        return
    task = asyncio.create_task(start(shell, command, timeout=rng.choice([0.01, 0.1, 0.3])))
    await asyncio.sleep(rng.random() / 10)
    if fate == "cancel":
        task.cancel()
    elif fate == "kill":
        running: list[Any] = list(shell._processes._running.values())
        for process in rng.sample(running, min(1, len(running))):
            with suppress(ProcessLookupError):
                os.kill(process.popen.pid, rng.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT]))
    with suppress(asyncio.CancelledError):
        await task


async def many(make: Callable[[], Shell], count: int, seed: int, token: str) -> None:
    rng = random.Random(seed)
    done = 0
    while done < count:
        shell = make()
        size = min(count - done, rng.choice([20, 100]))
        done += size
        gate = asyncio.Semaphore(8)

        async def limited(shell: Shell = shell, gate: asyncio.Semaphore = gate) -> None:
            async with gate:
                await one(shell, rng, token)

        tasks = [asyncio.create_task(limited()) for _ in range(size)]
        if rng.random() < 0.5:  # closed while commands run
            await asyncio.wait(tasks, timeout=2)
            await shell.aclose()
        for outcome in await asyncio.gather(*tasks, return_exceptions=True):
            assert outcome is None or isinstance(outcome, RefusalError), outcome
        await shell.aclose()
    assert len(asyncio.all_tasks()) == 1


@pytest.mark.parametrize(
    ("count", "isolation"),
    [
        (24, "none"),
        pytest.param(2000, "none", marks=pytest.mark.thorough),
        pytest.param(300, "bubblewrap", marks=[pytest.mark.thorough, bubblewrap]),
    ],
)
def test_commands_that_end_in_every_way_leave_nothing(
    make: Callable[..., Shell],
    count: int,
    isolation: str,
    seed: int,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setattr("toolcast_tools.shell.processes._MARGIN", 3.0)
    print(f"seed {seed}")
    token = new_token()
    before, threads = descriptors(), threading.active_count()
    asyncio.run(
        many(lambda: make(isolation=isolation, grace=0.1, output_limit=10_000), count, seed, token),
        debug=False,
    )
    gc.collect()
    assert eventually(lambda: not with_token(token))
    assert descriptors() <= before
    assert eventually(lambda: threading.active_count() <= threads)
    assert list(temporary.iterdir()) == []
    assert no_zombie()
