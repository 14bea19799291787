"""Every store that returned is there: after any end of the process, beside other threads and processes."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from toolcast_tools.memory import Memory

from tests.tools.memory.calls import recall, store

ROOT = Path(__file__).resolve().parents[3]
WRITER = Path(__file__).with_name("writer.py")


def writer(file: Path, name: str, count: int | None = None) -> subprocess.Popen[str]:
    command = [sys.executable, str(WRITER), str(file), name, *([] if count is None else [str(count)])]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


def stored(file: Path) -> Iterator[str]:
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        yield from (identifier for (identifier,) in connection.execute("SELECT id FROM memories"))
        rows = (
            "SELECT count(*) FROM memories LEFT JOIN words ON words.rowid = number WHERE words.rowid IS NULL"
        )
        assert connection.execute(rows).fetchone() == (0,)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="kills with SIGKILL")
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(1, 20))]
)
def test_a_process_killed_at_any_moment_loses_no_acknowledged_store(file: Path, seed: int) -> None:
    source = random.Random(seed)
    acknowledged: list[str] = []
    for name in "ab":
        process = writer(file, name)
        assert process.stdout is not None
        with process.stdout as lines:
            for _ in range(source.randint(1, 60)):
                acknowledged.append(lines.readline().split()[0])
            # At a random step of the next store.
            spin = source.randint(0, 200_000)
            while spin:
                spin -= 1
            process.kill()
            acknowledged += [line.split()[0] for line in lines if line.endswith("\n")]
        process.wait()
    found = set(stored(file))
    assert set(acknowledged) <= found
    assert len(found) <= len(acknowledged) + 2  # a store may have been made, and its line not written
    memory = Memory(file)
    store(memory, "after the crash")
    assert recall(memory, "crash") == ["after the crash"]
    memory.close()


def test_processes_write_at_once(file: Path) -> None:
    processes = [writer(file, str(name), 25) for name in range(2)]
    ids = [
        line.split()[0] for process in processes for line in process.communicate(timeout=120)[0].splitlines()
    ]
    assert len(ids) == 50
    assert sorted(ids) == sorted(stored(file))


def test_threads_write_and_read_at_once(memory: Memory, file: Path) -> None:
    other = Memory(file)

    def work(number: int) -> str:
        chosen = other if number % 2 else memory
        item = store(chosen, f"statement number{number}")
        assert recall(chosen, f"number{number}", limit=1) == [item.content]
        return item.id

    with ThreadPoolExecutor(8) as pool:
        ids = list(pool.map(work, range(80)))
    assert sorted(ids) == sorted(stored(file))
    other.close()


def test_writes_reach_the_disk_before_they_are_acknowledged(memory: Memory) -> None:
    with memory._database.read() as connection:
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_only_the_owner_reads_the_file(memory: Memory, file: Path) -> None:
    store(memory, "x")
    for path in file.parent.iterdir():
        assert path.stat().st_mode & 0o777 == 0o600
