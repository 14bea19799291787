"""A process with a disk of its own and, started by root, without its privileges."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from toolcast_tools.shell.supervisor import statuses

_DISK = "size=96m,mode=0777"
_NEW_MOUNTS = 0x20000  # CLONE_NEWNS
_DROP = 24  # PR_CAPBSET_DROP
_CAPABILITIES = 64
_PRIVATE = (1 << 18) | (1 << 14)  # MS_PRIVATE | MS_REC
FLAG = "--inside"


def run_isolated(arguments: Sequence[str], page: str | None) -> int:
    """Run `python -m bench.chaos --inside FOLDER …` in a folder that is removed afterwards; its exit status.

    The report goes to the file `page`, where there is one. For root on Linux, the folder is a file system in
    memory that the process alone sees, and the process has no privileges. Else the folder is on the system's
    disk: then the disk never becomes full and, for root, no permission is denied.
    """
    with ExitStack() as stack:
        name = stack.enter_context(
            tempfile.TemporaryDirectory(prefix="toolcast-chaos-", ignore_cleanup_errors=True)
        )
        folder = Path(name)
        folder.chmod(0o777)
        alone = _can_mount(folder)
        report = stack.enter_context(tempfile.TemporaryFile())
        inside = [FLAG, name, "--report", str(report.fileno()), *(["--own-disk"] if alone else [])]
        environment = {
            **os.environ,
            "TMPDIR": str(folder / "tmp"),
            "HOME": name,
            "PYTHONDONTWRITEBYTECODE": "1",
            # GNU's malloc: what one thread frees serves the others, so that memory does not grow by chance.
            "MALLOC_ARENA_MAX": "1",
        }
        status = subprocess.run(
            [sys.executable, "-m", "bench.chaos", *arguments, *inside],
            check=False,
            env=environment,
            pass_fds=[report.fileno()],
            preexec_fn=(lambda: _enter(name)) if alone else None,
        ).returncode
        left = _marked(folder / "tmp")
        if left:
            print(f"processes are left at the end: {left}")
        report.seek(0)
        text = report.read()
        if page is not None and text:
            Path(page).write_bytes(text)
        return status or int(bool(left))


def _enter(folder: str) -> None:
    """Mount a disk that this process alone sees, and give up all privileges at the next `exec`."""
    system = ctypes.CDLL(None, use_errno=True)
    mounted = (
        system.unshare(_NEW_MOUNTS) == 0
        and system.mount(b"none", b"/", None, _PRIVATE, None) == 0
        and system.mount(b"tmpfs", folder.encode(), b"tmpfs", 0, _DISK.encode()) == 0
    )
    if not mounted:
        raise OSError(ctypes.get_errno(), "no disk could be mounted")
    # What is dropped here is missing after exec: permissions of files apply to root, too, then.
    for capability in range(_CAPABILITIES):
        system.prctl(_DROP, capability, 0, 0, 0)


def _can_mount(folder: Path) -> bool:
    """Whether this process may do all of that."""
    if os.getuid() != 0 or not sys.platform.startswith("linux"):
        return False
    command = [sys.executable, "-c", "pass"]
    try:
        done = subprocess.run(
            command,
            check=False,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "TMPDIR": str(folder)},
            preexec_fn=lambda: _enter(str(folder)),
        )
    except subprocess.SubprocessError:
        return False
    return done.returncode == 0


def _marked(temporary: Path) -> list[int]:
    """Processes that have this folder in their environment."""
    mark, found = f"TMPDIR={temporary}".encode(), []
    for process, _ in statuses():
        try:
            if mark in Path(f"/proc/{process}/environ").read_bytes().split(b"\0"):
                found.append(process)
        except OSError:
            continue
    return found
