"""The process between a program and one command: it ends the command and all that the command started.

It runs as a script of its own (`python -I -S supervisor.py`), imports the standard library only, and talks
over a socket that is its standard input:

* It reads one line of JSON, a `Task`, and starts the command in a session of its own, with its own standard
  output and error.
* It reads `stop` (SIGTERM, then SIGKILL) or `kill` (SIGKILL), each a line. The end of the socket is a `kill`:
  the program has ended, however that came.
* It writes two lines of JSON: `{"group": N}`, the command's process group; and a `Report` when the command
  and all that it started are gone.

On Linux this process is a "child subreaper" (`prctl(2)`): every process whose parent has ended becomes its
child, also one that called `setsid`. So it has no child exactly when nothing of the command is left.
Elsewhere it knows the command's process group, and what leaves that group escapes.
"""

import errno
import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import Any, NoReturn, TypedDict

_TICK = 0.2
"""Seconds between two looks at the number of processes and at the program."""
_LINGER = 0.5
"""Seconds that what a command started may go on after its end: `> >(tee log)` writes its last lines then."""
GIVE_UP = 5.0
"""Seconds after which processes that SIGKILL does not end are left: they hang in the kernel, or are another
user's."""

_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER
_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG
_ROUNDS = 100


class Task(TypedDict):
    """A command with its limits.

    `folder` is the descriptor of the working folder, and `keep` are descriptors that the command gets;
    `timeout` is in seconds, None for no limit; `grace` are the seconds from SIGTERM to SIGKILL; `processes`
    is how many there may be at once; `sandboxed` says that the command's first process is the sandbox, which
    ends with all that is in it; `parent` is the id of the program.
    """

    program: str
    words: list[str]
    environment: dict[str, str]
    folder: int
    keep: list[int]
    timeout: float | None
    grace: float
    processes: int
    sandboxed: bool
    parent: int


class Report(TypedDict):
    """The end of a command.

    `code` is its exit status, negative for a signal, None where it was never learnt. `reason` says why it was
    ended: "timeout", "stop", "kill", "processes" (too many) or "" where it ended by itself. `left` counts
    processes that it left running, and `stuck` says that some of them could not be ended.
    """

    code: int | None
    reason: str
    left: int
    stuck: bool


def children(pid: int) -> list[int]:
    """Return the processes whose parent is `pid`; none where the system does not tell."""
    found: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - names alone
            with open(f"/proc/{pid}/task/{thread}/children", "rb") as file:  # noqa: PTH123 - fast
                found += map(int, file.read().split())
    except FileNotFoundError:
        if Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").exists():
            return found  # the process has ended
        return [child for child, status in statuses() if status[1] == pid]
    except OSError:  # it ended while its files were read
        return found
    return found


def statuses() -> Iterator[tuple[int, tuple[str, int, int, int]]]:
    """Each process that the system shows: its id; and its state, parent, process group and session."""
    with suppress(OSError):
        for name in os.listdir("/proc"):  # noqa: PTH208 - names alone
            if name.isdecimal():
                with suppress(OSError, ValueError, IndexError):
                    text = Path(f"/proc/{name}/stat").read_bytes().rpartition(b")")[2].split()
                    yield int(name), (text[0].decode(), int(text[1]), int(text[2]), int(text[3]))


def descendants(pid: int, limit: float = inf) -> list[int]:
    """Return all processes below `pid`, each after its parent; of more than `limit`, the first of them."""
    found = children(pid)
    seen = {pid, *found}
    for process in found:  # grows meanwhile
        if len(found) > limit:
            break
        new = [child for child in children(process) if child not in seen]
        seen.update(new)
        found += new
    return found


def _group_of(pid: int) -> int | None:
    """Return the process group of a process; None where it is gone."""
    try:
        return os.getpgid(pid)
    except OSError:
        return None


def send(process: int, number: int) -> bool:
    """Send a signal, to a process group where the id is negative. False where there is none that is ours."""
    try:
        os.kill(process, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _prctl(option: int, value: int) -> None:
    """Set an attribute of this process, on Linux; nothing elsewhere."""
    if not sys.platform.startswith("linux"):
        return
    import ctypes

    ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


class _Supervisor:
    """The life of one command."""

    def __init__(self, task: Task, commands: bytes) -> None:
        """Take over `task`; `commands` is what the socket brought after it."""
        self.task = task
        self.unread = b""
        self.reason = ""
        self.code: int | None = None
        self.ended = False  # the command's first process
        self.alone = False  # no child is left
        self.urgent = False  # SIGKILL now
        self.waker, wake = os.pipe()
        os.set_blocking(self.waker, False)
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, self.handle_signal)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self.handle_signal)
        self.child = -1
        self.checked = 0.0
        self.sees = Path(f"/proc/{os.getpid()}/stat").exists()
        self.apply_requests(commands)

    def run(self) -> Report:
        """Start the command; return when all of it is gone."""
        self.start()
        timeout = self.task["timeout"]
        self.wait(
            None if timeout is None else time.monotonic() + timeout, lambda: self.ended or self.reason != ""
        )
        if not self.reason and not self.ended:
            self.reason = "timeout"
        if not self.reason:
            self.wait(time.monotonic() + _LINGER, lambda: self.alone or self.reason != "")
        left = 0 if self.reason else self.count()
        if not self.alone and not self.urgent and self.reason != "processes":
            self.terminate()
            self.wait(time.monotonic() + self.task["grace"], lambda: self.alone or self.urgent)
        deadline = time.monotonic() + GIVE_UP
        while not self.alone and time.monotonic() < deadline:
            self.kill()
            self.wait(min(deadline, time.monotonic() + 0.02), lambda: self.alone)
        return {"code": self.code, "reason": self.reason, "left": left, "stuck": not self.alone}

    def start(self) -> None:
        """Fork, and become the command in the child. This process has one thread, so all of Python may be
        used between fork and exec."""
        supervisor = os.getpid()
        try:
            self.child = os.fork()
        except OSError as problem:
            os.write(2, f"The command could not be started: {problem.strerror}.\n".encode())
            self.code, self.ended, self.alone = 126, True, True
        if self.child == 0:
            execute(self.task, supervisor)
        _send_message({"group": self.child})
        # Only the command may hold the pipes: their end is to come with it.
        null = os.open(os.devnull, os.O_RDWR)
        for fd in (1, 2):
            os.dup2(null, fd)
        for fd in {null, self.task["folder"], *self.task["keep"]}:
            os.close(fd)

    def handle_signal(self, number: int, frame: object) -> None:
        """Handle a signal, which also ends a wait."""
        del frame
        if number != signal.SIGCHLD:
            self.end("kill", urgent=True)

    def end(self, reason: str, *, urgent: bool = False) -> None:
        """Note that the command must end."""
        self.reason = self.reason or reason
        self.urgent = self.urgent or urgent

    def wait(self, deadline: float | None, over: Callable[[], bool]) -> None:
        """Reap children and apply requests, until `over` or the deadline (of `time.monotonic`)."""
        self.reap()
        while not over():
            seconds = _TICK if deadline is None else min(_TICK, deadline - time.monotonic())
            if seconds <= 0:
                return
            ready, _, _ = select.select([self.waker] if self.urgent else [0, self.waker], [], [], seconds)
            if self.waker in ready:
                with suppress(BlockingIOError):
                    os.read(self.waker, 4096)
            if 0 in ready:
                self.read_requests()
            self.check_limits()
            self.reap()

    def read_requests(self) -> None:
        """Read requests of the program."""
        try:
            data = os.read(0, 4096)
        except OSError:
            data = b""
        self.apply_requests(data)
        if not data:
            self.end("kill", urgent=True)

    def apply_requests(self, data: bytes) -> None:
        """Apply the requests in whole lines: `stop`, `kill`."""
        *lines, self.unread = (self.unread + data).split(b"\n")
        if b"stop" in lines:
            self.end("stop")
        if b"kill" in lines:
            self.end("kill", urgent=True)

    def check_limits(self) -> None:
        """Once per TICK, end the command where it has too many processes, or where the program is gone: a
        process that the program forked may hold the other end of the socket."""
        if self.urgent or time.monotonic() < self.checked + _TICK:
            return
        self.checked = time.monotonic()
        if os.getppid() != self.task["parent"]:
            self.end("kill", urgent=True)
        elif self.count(self.task["processes"]) > self.task["processes"]:
            self.end("processes", urgent=True)

    def reap(self) -> None:
        """Collect what has ended."""
        while not self.alone:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                self.ended = True
                self.alone = self.sees or not self.signal_group(0)
                return
            if pid == 0:
                return
            if pid == self.child:
                self.ended = True
                self.code = os.waitstatus_to_exitcode(status)

    def count(self, limit: float = inf) -> int:
        """Count the processes of the command, to a little above `limit`."""
        return 0 if self.alone else len(descendants(os.getpid(), limit))

    def terminate(self) -> None:
        """Ask all processes to end."""
        for process in descendants(os.getpid()):
            if not (self.task["sandboxed"] and process == self.child):
                send(process, signal.SIGTERM)
                send(process, signal.SIGCONT)  # a stopped process would get SIGTERM only later
        self.signal_group(signal.SIGTERM)

    def kill(self) -> None:
        """Kill all processes.

        They are stopped first, whole process groups at once: what is stopped cannot fork, so this ends a fork
        bomb; and it does not collect its children, so that no other process gets the id of one of them.
        """
        if self.task["sandboxed"] and not self.ended:
            send(self.child, signal.SIGKILL)  # the kernel kills all that is in the sandbox with it
            return
        stopped: set[int] = set()
        for _ in range(_ROUNDS):
            # A fork bomb grows while it is looked at: a few first, since their group may be all of it.
            found = descendants(os.getpid(), 2 * len(stopped) + 16)
            new = [process for process in found if process not in stopped]
            if not new:
                break
            for group in {_group_of(process) for process in new}:
                # Only the command's own processes are in its sessions.
                if group is not None and group != os.getpgrp():
                    send(-group, signal.SIGSTOP)
            for process in new:
                send(process, signal.SIGSTOP)
            stopped.update(new)
        for process in stopped:
            send(process, signal.SIGKILL)
        self.signal_group(signal.SIGKILL)

    def signal_group(self, number: int) -> bool:
        """Signal the command's process group, where the system does not show processes. A group keeps its id
        while it has members. False where there is none."""
        if self.sees or self.child <= 0:
            return False
        try:
            os.killpg(self.child, number)
        except (ProcessLookupError, PermissionError):
            return False
        return True


def execute(task: Task, supervisor: int) -> NoReturn:
    """Replace this process, whose parent has the id `supervisor`, by the command."""
    problem: OSError | None = None
    try:
        os.setsid()  # no terminal, and a process group of its own
        _prctl(_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != supervisor:
            # It was killed before, so no signal comes; nobody else knows the group or the variables.
            os._exit(126)
        signal.set_wakeup_fd(-1)
        for number in signal.valid_signals():
            with suppress(OSError, ValueError):  # SIGKILL, SIGSTOP
                signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        import resource

        hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
        resource.setrlimit(resource.RLIMIT_CORE, (0, hard))  # a core file would have the environment in it
        os.fchdir(task["folder"])
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        for fd in _open_descriptors():
            if fd > 2 and fd not in task["keep"]:
                with suppress(OSError):
                    os.close(fd)
        os.execve(task["program"], task["words"], task["environment"])
    except OSError as error:
        problem = error
    finally:
        text = "" if problem is None else f": {os.strerror(problem.errno or errno.EIO)}"
        os.write(2, f"The command could not be started{text}.\n".encode())
        os._exit(127 if problem is not None and problem.errno == errno.ENOENT else 126)


def _open_descriptors() -> list[int]:
    """Return the descriptors of this process."""
    for folder in ("/proc/self/fd", "/dev/fd"):
        with suppress(OSError):
            return [int(name) for name in os.listdir(folder)]  # noqa: PTH208 - names alone
    return list(range(256))


def _read_task() -> tuple[Task, bytes] | None:
    """Read the first line of the socket, and what came with it. None where the program ended before."""
    data = b""
    while b"\n" not in data:
        more = os.read(0, 65536)
        if not more:
            return None
        data += more
    line, _, rest = data.partition(b"\n")
    task: Any = json.loads(line)
    return task, rest


def main() -> None:
    """Supervise one command."""
    read = _read_task()
    if read is None:
        return
    _prctl(_SUBREAPER, 1)
    _send_message(_Supervisor(*read).run())
    os._exit(0)  # the program waits


def _send_message(message: object) -> None:
    """Write a line to the socket; nothing where nobody reads it any more."""
    with suppress(OSError):
        os.write(0, json.dumps(message).encode() + b"\n")


if __name__ == "__main__":
    main()
