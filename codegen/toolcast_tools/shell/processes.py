"""Commands that run: started, followed by one thread, and ended.

Nothing here belongs to an event loop: commands outlive the loop in which they were started, and may be waited
for in several loops.
"""

import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Literal

import msgspec
from toolcast.runtime import RefusalError

from . import supervisor
from .output import Output
from .supervisor import Report, Task, descendants, send, statuses

MARK = "TOOLCAST_COMMAND"
"""Variable whose value tells the processes of one command from all others."""
_SECONDS = 5.0
_LOOKS = 3
"""How often at least to look: while a process begins a program, its environment is empty for a moment."""
_PAUSE = 0.01


def kill_remaining(group: int | None, marker: str) -> None:
    """Kill all processes of a session, all that have the marker in their environment, and all below these.

    A process that has left the session, has another environment and no parent among the others is not found:
    a program that does all of this on purpose can only be held in a sandbox.

    Args:
        group: id of the command's process group and session; None where it did not begin.
        marker: the value of `MARK`.
    """
    if not Path("/proc/self/stat").exists():
        if group is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL)
        return
    deadline = time.monotonic() + _SECONDS
    looks = _LOOKS
    while looks > 0 and time.monotonic() < deadline:
        found = _members(group, f"{MARK}={marker}".encode())
        looks = _LOOKS if found else looks - 1
        # As the supervisor does: what is stopped cannot fork.
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for process in found:
                send(process, number)
        time.sleep(_PAUSE)


def _members(group: int | None, mark: bytes) -> list[int]:
    found: dict[int, None] = {}
    for process, (state, _, _, session) in statuses():
        if state not in "ZX" and process != os.getpid() and (session == group or _has(process, mark)):
            found.update(dict.fromkeys((process, *descendants(process))))
    found.pop(os.getpid(), None)
    return [*found]


def _has(process: int, mark: bytes) -> bool:
    try:
        return mark in _environment(process).split(b"\0")
    except OSError:  # it has ended, or is another user's
        return False


def _environment(process: int) -> bytes:
    """Return the variables of a process. Raises OSError."""
    return Path(f"/proc/{process}/environ").read_bytes()


_Status = Literal["running", "exited", "timed_out", "stopped"]

_CHUNK = 65536
_MARGIN = 10.0
"""Seconds that a supervisor has beyond its limits. One that takes longer was stopped, and is killed."""
_DRAIN = 64
"""Chunks that are read at most of a command that is over: another process may hold its pipes and write on."""
_STATUSES: dict[str, _Status] = {"": "exited", "timeout": "timed_out"}
SUPERVISOR = Path(supervisor.__file__)
_LIBRARIES = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""Variables that the interpreter may need to start; commands do not get them."""


class State(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a command and its output since the last read.

    Attributes:
        status: "running", "exited" by itself, "timed_out", or "stopped".
        code: the exit status, negative for a signal; None where there is none (yet).
        stdout: standard output since the last read.
        stderr: standard error since the last read.
        truncated: whether the middle of one of them is missing.
        report: how it ended; None while it runs, and where its supervisor was killed.
        lost: whether its supervisor was killed.
    """

    status: _Status
    code: int | None
    stdout: str
    stderr: str
    truncated: bool
    report: Report | None
    lost: bool


class Process:
    """One command. Its state is guarded by its own lock; the manager's thread changes it."""

    def __init__(self, name: str, marker: str, output_limit: int) -> None:
        self.name = name
        self.marker = marker
        self.lock = threading.Lock()
        self.stdout = Output(output_limit)
        self.stderr = Output(output_limit)
        self.report: Report | None = None
        self.over = False
        self.waiters: set[Callable[[], None]] = set()
        # The thread's own:
        self.popen: subprocess.Popen[bytes] | None = None
        self.socket: socket.socket | None = None
        self.pipes: dict[int, Output] = {}
        self.group: int | None = None
        self.incoming = b""
        self.outgoing = b""
        self.deadline: float | None = None

    def read(self) -> State:
        """Take what was written since the last read."""
        with self.lock:
            final = self.over
            (stdout, cut_out), (stderr, cut_err) = (each.take(final) for each in (self.stdout, self.stderr))
            report = self.report
        status: _Status = "running"
        if final:
            status = "stopped" if report is None else _STATUSES.get(report["reason"], "stopped")
        return State(
            status=status,
            code=None if report is None else report["code"],
            stdout=stdout,
            stderr=stderr,
            truncated=cut_out + cut_err > 0,
            report=report,
            lost=final and report is None,
        )

    def finish(self) -> None:
        """Wake everybody who waits for it."""
        with self.lock:
            self.over = True
            waiters, self.waiters = self.waiters, set()
        for wake in waiters:
            wake()

    async def wait(self, seconds: float | None) -> bool:
        """Wait until it is over. False where the seconds have passed before."""
        import asyncio

        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()

        def wake() -> None:
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(lambda: None if done.done() else done.set_result(None))

        with self.lock:
            if self.over:
                return True
            self.waiters.add(wake)
        try:
            await asyncio.wait_for(done, seconds)
        except TimeoutError:
            return self.over
        finally:
            with self.lock:
                self.waiters.discard(wake)
        return True


class Processes:
    """All commands of one shell, and the thread that follows them.

    Safe from several threads. In a process that was forked, it begins anew, and the commands stay the
    parent's.
    """

    def __init__(self, *, output_limit: int, grace: float) -> None:
        """Make a manager without commands; its thread starts with the first one.

        Args:
            output_limit: bytes that are kept of each stream between two reads.
            grace: seconds from SIGTERM to SIGKILL.
        """
        self._output_limit = output_limit
        self._grace = grace
        self._begin()

    def _begin(self) -> None:
        self._owner = os.getpid()
        # Reentrant: a shell that is forgotten is closed by the garbage collector, wherever that runs.
        self._lock = threading.RLock()
        self._running: dict[str, Process] = {}
        self._todo: list[Callable[[], None]] = []
        self._thread: threading.Thread | None = None
        self._waker: socket.socket | None = None
        self._closed = False

    @property
    def running(self) -> int:
        """Return the number of commands that run."""
        self._check_owner()
        return len(self._running)

    def start(self, name: str, task: Task, limit: int) -> Process:
        """Start a command.

        Returns the command, running. Raises OSError: the system cannot start it; RefusalError: the manager is
        closed, or too many commands run.

        Args:
            name: its name, for the program's own use.
            task: what to run; `parent` and the variable that marks its processes are filled in.
            limit: commands that may run at once.
        """
        self._check_owner()
        marker = os.urandom(16).hex()
        environment = {**task["environment"], MARK: marker}
        task = {**task, "environment": environment, "parent": os.getpid()}
        process = Process(name, marker, self._output_limit)
        process.outgoing = json.dumps(task).encode() + b"\n"
        if task["timeout"] is not None:
            process.deadline = time.monotonic() + task["timeout"] + self._grace + _MARGIN
        with self._lock:
            if self._closed:
                raise RefusalError("No command can be started: the program is about to end. Go on without.")
            if len(self._running) >= limit:
                raise RefusalError(
                    f"{limit} commands run already, and no more may at once. Wait for them, or stop those in "
                    "the background with bash_process."
                )
            self._ensure_thread()
            _spawn(process, [task["folder"], *task["keep"]])
            self._running[name] = process
            self._todo.append(lambda: self._register(process))
            self._wake()
        return process

    def end(self, process: Process, how: Literal["stop", "kill"]) -> None:
        """Ask for the end of a command: "stop" is SIGTERM and, after the grace, SIGKILL; "kill" only that."""
        self._check_owner()

        def request() -> None:
            if process.socket is None:
                return
            process.outgoing += how.encode() + b"\n"
            seconds = _MARGIN + (self._grace if how == "stop" else 0.0)
            limit = time.monotonic() + seconds
            process.deadline = limit if process.deadline is None else min(limit, process.deadline)
            self._flush(process)

        with self._lock:
            if self._waker is not None:
                self._todo.append(request)
                self._wake()

    def close(self) -> None:
        """End all commands, and the thread; wait for that. Safe to call twice."""
        if self._owner != os.getpid():
            return
        with self._lock:
            self._closed = True
            thread = self._thread
            for process in self._running.values():
                self._todo.append(partial(self._request_kill, process))
            if self._waker is not None:
                self._wake()
        if thread is not None and thread is not threading.current_thread():
            thread.join(2 * _MARGIN + supervisor.GIVE_UP)

    def _request_kill(self, process: Process) -> None:
        process.outgoing += b"kill\n"
        process.deadline = time.monotonic() + _MARGIN
        self._flush(process)

    def _check_owner(self) -> None:
        """Forget the state of the process that this one was forked from."""
        if self._owner == os.getpid():
            return
        for process in self._running.values():
            if process.socket is not None:
                process.socket.close()
            for fd in process.pipes:
                os.close(fd)
            if process.popen is not None:
                process.popen.returncode = 0  # another process waits for it
        if self._waker is not None:
            self._waker.close()
        self._begin()

    def _ensure_thread(self) -> None:
        if self._thread is not None:
            return
        ours, theirs = socket.socketpair()
        try:
            self._selector = selectors.DefaultSelector()
            self._thread = threading.Thread(
                target=self._follow, args=(theirs,), name="toolcast-shell", daemon=True
            )
            self._thread.start()
        except BaseException:
            self._thread = None
            ours.close()
            theirs.close()
            raise
        ours.setblocking(False)
        self._waker = ours

    def _wake(self) -> None:
        """Make the thread look at what there is to do. Holds the lock."""
        if self._waker is not None:
            with suppress(BlockingIOError):
                self._waker.send(b".")

    # What follows runs in the thread.

    def _follow(self, woken: socket.socket) -> None:
        """Read outputs and reports, until the manager is closed and no command is left."""
        woken.setblocking(False)
        try:
            with self._selector as selector, woken:
                selector.register(woken, selectors.EVENT_READ, None)
                while not self._is_done():
                    for key, events in selector.select(self._seconds()):
                        process: Process | None = key.data
                        if process is None:
                            with suppress(BlockingIOError):
                                woken.recv(4096)
                        elif key.fd in process.pipes:  # it may have been closed since it was selected
                            self._read(process, key.fd)
                        elif key.fileobj is process.socket:
                            self._exchange(process, events)
                    with self._lock:
                        todo, self._todo = self._todo, []
                    for work in todo:
                        work()
                    self._expire()
        finally:
            self._abandon()

    def _is_done(self) -> bool:
        with self._lock:
            return self._closed and not self._running and not self._todo

    def _abandon(self) -> None:
        """End what is left when the thread ends: nothing, unless it ends by a fault. Then nobody may wait for
        ever, and no command may run on."""
        with self._lock:
            self._closed = True
            left, self._running = list(self._running.values()), {}
            waker, self._waker = self._waker, None
        if waker is not None:
            waker.close()
        for process in left:
            if process.socket is not None:
                process.socket.close()  # which the supervisor takes for the end of the program
            for fd in process.pipes:
                os.close(fd)
            process.finish()

    def _seconds(self) -> float | None:
        """Seconds until the first deadline."""
        with self._lock:
            deadlines = [each.deadline for each in self._running.values() if each.deadline is not None]
        return max(0.0, min(deadlines) - time.monotonic()) if deadlines else None

    def _expire(self) -> None:
        """Kill supervisors whose time is over."""
        now = time.monotonic()
        with self._lock:
            late = [
                each for each in self._running.values() if each.deadline is not None and each.deadline <= now
            ]
        for process in late:
            if process.popen is not None:
                process.popen.kill()
            self._finish(process)

    def _register(self, process: Process) -> None:
        for fd in process.pipes:
            self._selector.register(fd, selectors.EVENT_READ, process)
        if process.socket is not None:
            self._selector.register(process.socket, selectors.EVENT_READ, process)
            self._flush(process)

    def _read(self, process: Process, fd: int) -> bool:
        """Read a chunk of output. False where there is no more, now or ever."""
        try:
            chunk = os.read(fd, _CHUNK)
        except BlockingIOError:
            return False
        except OSError:
            chunk = b""
        if chunk:
            with process.lock:
                process.pipes[fd].add(chunk)
            return True
        self._close_pipe(process, fd)
        return False

    def _close_pipe(self, process: Process, fd: int) -> None:
        self._selector.unregister(fd)
        del process.pipes[fd]
        os.close(fd)

    def _exchange(self, process: Process, events: int) -> None:
        """Go on with what is sent to the supervisor, and read what it reports."""
        if events & selectors.EVENT_WRITE:
            self._flush(process)
        if not events & selectors.EVENT_READ or process.socket is None:
            return
        try:
            data = process.socket.recv(_CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        *lines, process.incoming = (process.incoming + data).split(b"\n")
        for line in lines:
            message = json.loads(line)
            if "group" in message:
                process.group = message["group"]
            else:
                process.report = message
        if not data or process.report is not None:
            self._finish(process)

    def _flush(self, process: Process) -> None:
        """Send as much as the socket takes."""
        if process.socket is None or process.socket not in self._selector.get_map():
            return
        try:
            while process.outgoing:
                process.outgoing = process.outgoing[process.socket.send(process.outgoing) :]
        except BlockingIOError:
            pass
        except OSError:  # the supervisor is gone, which is read, too
            process.outgoing = b""
        wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if process.outgoing else 0)
        key = self._selector.get_key(process.socket)
        if key.events != wanted:
            self._selector.modify(process.socket, wanted, key.data)

    def _finish(self, process: Process) -> None:
        """Release, once the supervisor has reported or is gone, all that is held for the command."""
        if process.socket is None or process.popen is None:
            return
        self._selector.unregister(process.socket)
        process.socket.close()
        process.socket = None
        _collect(process.popen)
        if process.report is None:
            kill_remaining(process.group, process.marker)
        for fd in [*process.pipes]:
            for _ in range(_DRAIN):
                if not self._read(process, fd):
                    break
            if fd in process.pipes:
                self._close_pipe(process, fd)
        with self._lock:
            self._running.pop(process.name, None)
        process.finish()


def _spawn(process: Process, descriptors: list[int]) -> None:
    """Start the supervisor of a command, which inherits `descriptors`. Raises OSError."""
    opened: list[int] = []
    ours, theirs = socket.socketpair()
    try:
        for _ in range(2):
            opened += os.pipe()
        process.popen = subprocess.Popen(
            # Isolated from PYTHON* variables, from the user's packages and from the folder of the script.
            [sys.executable, "-I", "-S", "-B", "-X", "utf8", str(SUPERVISOR)],
            stdin=theirs.fileno(),
            stdout=opened[1],
            stderr=opened[3],
            cwd="/",
            env={name: os.environ[name] for name in _LIBRARIES if name in os.environ},
            pass_fds=sorted({*descriptors}),
            start_new_session=True,
        )
    except BaseException:
        ours.close()
        for fd in opened[::2]:
            os.close(fd)
        raise
    finally:
        theirs.close()
        for fd in opened[1::2]:
            os.close(fd)
    ours.setblocking(False)
    process.socket = ours
    for fd, output in zip(opened[::2], (process.stdout, process.stderr), strict=True):
        os.set_blocking(fd, False)
        process.pipes[fd] = output


def _collect(popen: "subprocess.Popen[bytes]") -> None:
    """Wait for a supervisor that is about to end, and kill one that does not."""
    for _ in range(2):
        with suppress(subprocess.TimeoutExpired):
            popen.wait(_MARGIN)
            return
        popen.kill()
