"""Nothing of a command is left when the program ends, however that comes."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tools.shell.shells import bubblewrap, eventually, gone, linux, new_token, with_token

pytestmark = linux

PROGRAM = """
import asyncio, os, sys, time
from toolcast.runtime import ToolContext
from toolcast_tools.workspace import Workspace
from toolcast_tools.generated.shell.bash import BashParams
from toolcast_tools.shell import Shell

folder, token, isolation, end = sys.argv[1:]
shell = Shell(Workspace(folder), isolation=isolation)

async def work():
    # A daemon that forks twice, one that ignores signals, and one whose output goes elsewhere.
    command = (
        f"(setsid bash -c '(sleep {token} &)' &); "
        f"nohup bash -c 'trap \\"\\" TERM HUP INT; sleep {token}' >/dev/null 2>&1 & sleep {token}"
    )
    await shell.bash(BashParams(command=command, run_in_background=True), ToolContext())
    foreground = asyncio.create_task(shell.bash(BashParams(command=command), ToolContext()))
    await asyncio.sleep(0)
    if end == "forked":
        if not os.fork():
            time.sleep(60)  # holds all descriptors of the program
            os._exit(0)
    print("running", flush=True)
    if end == "return":
        await asyncio.to_thread(sys.stdin.readline)
        return
    if end == "exit":
        await asyncio.to_thread(sys.stdin.readline)
        raise SystemExit(3)
    await foreground

asyncio.run(work())
"""


def begin(folder: Path, end: str, isolation: str = "none") -> tuple["subprocess.Popen[str]", str]:
    """A program with two commands, all of whose processes run."""
    token = new_token()
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(folder), token, isolation, end],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    assert program.stdout is not None
    assert program.stdout.readline() == "running\n"
    # Each command has three `sleep` at least, and the program has the number, too.
    assert eventually(lambda: len(with_token(token)) >= 7)
    return program, token


@pytest.mark.parametrize("end", ["return", "exit"])
def test_an_interpreter_that_exits_leaves_nothing(folder: Path, end: str) -> None:
    program, token = begin(folder, end)
    program.communicate("\n", timeout=60)
    assert program.returncode == (3 if end == "exit" else 0)
    assert gone(token)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=lambda n: n.name)
def test_a_program_that_is_killed_leaves_nothing(folder: Path, number: signal.Signals) -> None:
    program, token = begin(folder, "signal")
    program.send_signal(number)
    program.wait(60)
    assert gone(token)
    program.communicate()


def test_a_program_whose_fork_lives_on_leaves_nothing(folder: Path) -> None:
    program, token = begin(folder, "forked")
    program.kill()
    program.wait(60)
    # The fork has the program's command line.
    assert eventually(lambda: len(with_token(token)) == 1)
    os.killpg(program.pid, signal.SIGKILL)
    program.communicate()


@bubblewrap
def test_a_system_that_shows_no_processes_ends_those_of_the_group(folder: Path) -> None:
    """As on macOS, there is no /proc: the sandbox that hides it stands for such a system."""
    token = new_token()
    code = """
import asyncio, sys
from toolcast.runtime import ToolContext
from toolcast_tools.workspace import Workspace
from toolcast_tools.generated.shell.bash import BashParams
from toolcast_tools.generated.shell.bash_process import BashProcessParams
from toolcast_tools.shell import Shell

folder, token = sys.argv[1:]
shell = Shell(Workspace(folder), grace=0.2)
run = lambda command, **more: asyncio.run(shell.bash(BashParams(command=command, **more), ToolContext()))
print(run("echo out; exit 3"))
print(run(f"sleep {token} & echo left").note)
print(run(f"trap '' TERM; sleep {token}; sleep {token}", timeout=0.2).status)
print(run(f"kill -9 $PPID; sleep {token}").status)
begun = run(f"sleep {token}", run_in_background=True)
follow = BashProcessParams(process_id=begun.process_id, stop=True)
print(asyncio.run(shell.bash_process(follow, ToolContext())).status)
run(f"sleep {token}", run_in_background=True)
"""
    without = ["bwrap", "--dev-bind", "/", "/", "--tmpfs", "/proc"]
    done = subprocess.run(
        [*without, sys.executable, "-c", code, str(folder), token], capture_output=True, text=True, timeout=60
    )
    assert done.stderr == ""
    first, *rest = done.stdout.splitlines()
    assert "exit_code=3" in first
    assert rest == ["None", "timed_out", "stopped", "stopped"]
    assert gone(token)


def test_a_forked_program_starts_commands_of_its_own(folder: Path) -> None:
    code = """
import asyncio, os, sys
from toolcast.runtime import ToolContext
from toolcast_tools.workspace import Workspace
from toolcast_tools.generated.shell.bash import BashParams
from toolcast_tools.generated.shell.bash_process import BashProcessParams
from toolcast_tools.shell import Shell

shell = Shell(Workspace(sys.argv[1]))
run = lambda command, **more: asyncio.run(shell.bash(BashParams(command=command, **more), ToolContext()))
first = run("sleep 0.5; echo parent", run_in_background=True)
if not (child := os.fork()):
    print(run("echo child").stdout, end="", flush=True)
    sys.exit(0)
os.waitpid(child, 0)
follow = BashProcessParams(process_id=first.process_id, block=True)
print(asyncio.run(shell.bash_process(follow, ToolContext())).stdout, end="")
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "child\nparent\n"
