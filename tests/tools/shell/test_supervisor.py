"""The supervisor by itself: what it does with what comes over its socket."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from toolcast_tools.shell import processes, supervisor

from tests.tools.shell.shells import eventually, gone, linux, new_token, with_token

pytestmark = linux


def task(command: str, folder: int, **more: Any) -> bytes:
    made: supervisor.Task = {
        "program": "/bin/sh", "words": ["sh", "-c", command], "environment": {"PATH": os.environ["PATH"]},
        "folder": folder, "keep": [], "timeout": 30.0, "grace": 0.2, "processes": 100, "sandboxed": False,
        "parent": os.getpid(),
    }  # fmt: skip
    return json.dumps({**made, **more}).encode() + b"\n"


@contextmanager
def supervised(folder: Path, command: str, behind: bytes = b"", **more: Any) -> Iterator[tuple[Any, Any]]:
    """A supervisor that was sent a task and, in the same piece, `behind`; and the socket to it."""
    fd = os.open(folder, os.O_RDONLY)
    ours, theirs = socket.socketpair()
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", supervisor.__file__], stdin=theirs.fileno(), stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, pass_fds=[fd],
    )  # fmt: skip
    theirs.close()
    with ours, process:
        ours.settimeout(60)
        ours.sendall(task(command, fd, **more) + behind)
        yield process, ours
        process.kill()
    os.close(fd)


def told(connection: socket.socket) -> list[Any]:
    """All that the supervisor writes, until it ends."""
    data = b""
    while more := connection.recv(4096):
        data += more
    return [json.loads(line) for line in data.splitlines()]


@pytest.mark.parametrize(("request_", "reason"), [(b"stop\n", "stop"), (b"kill\n", "kill")])
def test_a_request_that_comes_with_the_task_is_obeyed(folder: Path, request_: bytes, reason: str) -> None:
    with supervised(folder, "sleep 60", request_) as (_, connection):
        _, report = told(connection)
    assert report["reason"] == reason
    assert report["stuck"] is False


def test_a_request_may_come_in_pieces(folder: Path) -> None:
    with supervised(folder, "sleep 60", b"ki") as (_, connection):
        connection.sendall(b"l")
        connection.sendall(b"l\n")
        assert told(connection)[1]["reason"] == "kill"


def test_the_end_of_the_socket_is_the_end_of_the_command(folder: Path) -> None:
    token = new_token()
    with supervised(folder, f"setsid sleep {token} & sleep {token}") as (process, connection):
        assert eventually(lambda: len(with_token(token)) >= 2)
        connection.close()
        assert process.wait(60) == 0
        assert not with_token(token)


def test_a_socket_that_ends_within_the_task_starts_nothing(folder: Path) -> None:
    ours, theirs = socket.socketpair()
    with (
        theirs,
        subprocess.Popen([sys.executable, "-I", "-S", supervisor.__file__], stdin=theirs.fileno()) as process,
    ):
        ours.sendall(task(f"touch {folder}/begun", 0)[:-1])
        ours.close()
        assert process.wait(60) == 0
    assert not (folder / "begun").exists()


def test_a_command_dies_with_its_supervisor(folder: Path) -> None:
    """Without the program's help: that may be killed at the same moment."""
    token = new_token()
    with supervised(folder, f"exec sleep {token}") as (process, _):
        assert eventually(lambda: len(with_token(token)) >= 1)
        process.kill()
        process.wait()
        assert gone(token)


def test_a_program_that_is_gone_is_the_end_of_the_command(folder: Path) -> None:
    """The socket is open still, as where a fork of the program holds it."""
    with supervised(folder, "sleep 60", parent=1) as (_, connection):
        assert told(connection)[1]["reason"] == "kill"


def test_a_program_that_does_not_exist_is_reported(folder: Path) -> None:
    with supervised(folder, "", program="/no/such/program") as (_, connection):
        assert told(connection)[1]["code"] == 127


def test_descendants_are_all_processes_below() -> None:
    token = new_token()
    with subprocess.Popen(["/bin/sh", "-c", f"sleep {token} & sh -c 'sleep {token}; :' & wait"]) as process:
        assert eventually(lambda: len(with_token(token)) >= 4)
        found = supervisor.descendants(process.pid)
        assert {*found} == {*with_token(token)} - {process.pid}
        assert supervisor.descendants(process.pid, 1) == found[: len(supervisor.descendants(process.pid, 1))]
        for each in [process.pid, *found]:
            supervisor.send(each, 9)
    assert supervisor.descendants(process.pid) == []


def test_a_command_whose_supervisor_is_killed_before_it_begins_does_not_begin(folder: Path) -> None:
    """A process gets no signal for a parent that was gone before it asked for one."""
    script = """
import json, os, sys
from toolcast_tools.shell import supervisor

read, write = os.pipe()
if os.fork() == 0:
    parent = os.getpid()
    if os.fork() == 0:
        while os.getppid() == parent:
            pass
        supervisor.execute(json.loads(sys.argv[1]), parent)
    os._exit(0)
os.close(write)
os.wait()
os.read(read, 1)  # ends with the last process
"""
    token = new_token()
    fd = os.open(folder, os.O_RDONLY)
    line = task(f"touch begun; sleep 0.2; : {token}", fd).decode()
    subprocess.run([sys.executable, "-c", script, line], check=True, pass_fds=[fd], timeout=60)
    os.close(fd)
    assert eventually(lambda: not with_token(token))
    assert not (folder / "begun").exists()


def test_a_process_that_shows_no_environment_for_a_moment_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """So it is while a process begins a program."""
    marker = new_token()
    process = subprocess.Popen(["sleep", "60"], env={processes.MARK: marker}, start_new_session=True)
    looked: list[int] = []
    read = processes._environment

    def begins(pid: int) -> bytes:
        looked.append(pid)
        return b"" if looked.count(process.pid) == 1 else read(pid)

    monkeypatch.setattr(processes, "_environment", begins)
    try:
        processes.kill_remaining(None, marker)
        assert process.wait(60) == -signal.SIGKILL
    finally:
        process.kill()
        process.wait()
