"""Random calls while the system fails around them: nothing is left, and no call is a fault of its tool."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")


@LINUX
@pytest.mark.parametrize("calls", [120, pytest.param(5_000, marks=pytest.mark.thorough)])
def test_calls_under_faults_leave_nothing(calls: int, seed: int, tmp_path: Path) -> None:
    pytest.importorskip("jsonschema_rs")
    page = tmp_path / "chaos.md"
    command = [
        sys.executable,
        "-m",
        "bench.chaos",
        "--seed",
        str(seed),
        "--calls",
        str(calls),
        "--write",
        str(page),
    ]
    done = subprocess.run(
        [*command, "--each", str(min(calls, 2_500))],
        check=False,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout[-8_000:] + done.stderr[-2_000:]
    assert f"{calls:,} calls" in page.read_text("utf-8")


@LINUX
def test_what_is_left_is_found(tmp_path: Path) -> None:
    """The measure itself: each kind of thing that a call could leave is noticed."""
    script = """
import asyncio, fcntl, os, subprocess, sys, threading
from pathlib import Path
from bench.chaos.held import held

async def main(temporary, workspace):
    before = held(temporary, workspace)
    file = (temporary / "left").open("w")
    fcntl.lockf(file, fcntl.LOCK_EX)
    (workspace / ".toolcast-0.tmp").touch()
    task = asyncio.create_task(asyncio.sleep(60))
    free = threading.Event()
    threading.Thread(target=free.wait, daemon=True).start()
    orphan = subprocess.run(
        ["sh", "-c", "sleep 60 > /dev/null 2>&1 & echo $!"], capture_output=True, text=True
    ).stdout
    print(*sorted(held(temporary, workspace).beyond(before)))
    os.kill(int(orphan), 9)

temporary, workspace = map(Path, sys.argv[1:])
asyncio.run(main(temporary, workspace))
"""
    temporary, workspace = tmp_path / "tmp", tmp_path / "workspace"
    temporary.mkdir()
    workspace.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", script, str(temporary), str(workspace)],
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    found = done.stdout.split()
    assert {*found} | {"locks"} == {"descriptors", "files", "locks", "processes", "tasks", "threads"}
