"""What `bash` and `bash_process` do for a model."""

import asyncio
import errno
import os
import shutil
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from toolcast.runtime import RefusalError, ToolRegistry
from toolcast_tools.generated.registry import BINDINGS
from toolcast_tools.shell import INHERITED, Shell

from tests.held import descriptors
from tests.loops import in_loop
from tests.tools.shell.shells import (
    eventually,
    follow,
    gone,
    linux,
    new_token,
    run,
    start,
    with_token,
)

Make = Callable[..., Shell]


def test_a_command_has_output_errors_and_an_exit_code(shell: Shell) -> None:
    result = run(shell, "echo out; echo err >&2; exit 3")
    assert (result.status, result.exit_code, result.stdout, result.stderr) == ("exited", 3, "out\n", "err\n")
    assert result.note is None
    assert result.truncated is False


def test_a_signal_is_a_negative_exit_code(shell: Shell) -> None:
    assert run(shell, "kill -USR1 $$").exit_code == -10


def test_a_model_reads_the_exit_code_of_a_command_that_fails(shell: Shell) -> None:
    registry = ToolRegistry()
    registry.register(BINDINGS["bash"], shell.bash)
    registry.register(BINDINGS["bash_process"], shell.bash_process)
    result = registry.execute_sync("bash", {"command": "echo no such test; exit 4"})
    assert result.success
    assert '"exit_code":4' in result.output
    assert "no such test" in result.output
    registry.close()


def test_each_command_begins_in_the_workspace(shell: Shell, folder: Path) -> None:
    (folder / "sub").mkdir()
    assert run(shell, "cd sub; pwd").stdout == f"{folder}/sub\n"
    assert run(shell, "pwd").stdout == f"{folder}\n"


def test_a_workspace_that_was_moved_is_still_the_working_folder(shell: Shell, folder: Path) -> None:
    folder.rename(folder.with_name("moved"))
    folder.mkdir()
    (folder / "decoy").touch()
    assert run(shell, "ls").stdout == ""


def test_there_is_nothing_to_read(shell: Shell) -> None:
    assert run(shell, "cat; read line || echo nothing").stdout == "nothing\n"


def test_signals_and_limits_are_those_of_a_fresh_shell(shell: Shell) -> None:
    assert run(shell, "yes | head -1 >/dev/null; echo ${PIPESTATUS[0]}; ulimit -c").stdout == "141\n0\n"


def test_the_environment_is_the_list_and_the_calls_own(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in INHERITED:
        monkeypatch.setenv(name, os.environ.get(name, "/tmp" if name == "TMPDIR" else "C.UTF-8"))
    monkeypatch.setenv("API_KEY", "hidden")
    monkeypatch.setenv("PYTHONPATH", "/hidden")
    shell = make(environment={"CI": "1"})
    told = run(shell, "env -0", env={"TOKEN": "a\nb", "LANG": "C"}).stdout
    variables = dict(line.split("=", 1) for line in told.split("\0") if line)
    # The last three are bash's own.
    assert variables.keys() == {*INHERITED, "CI", "TOKEN", "TOOLCAST_COMMAND", "PWD", "SHLVL", "_"}
    assert (variables["TOKEN"], variables["LANG"], variables["CI"]) == ("a\nb", "C", "1")


def test_a_command_ends_at_its_limit_and_its_output_stays(shell: Shell) -> None:
    result = run(shell, "echo begun; sleep 60; echo never", timeout=1.5)
    assert (result.status, result.exit_code, result.stdout) == ("timed_out", -15, "begun\n")
    assert result.note is not None
    assert "1.5 s" in result.note


def test_the_program_limits_the_time_of_every_command(make: Make) -> None:
    result = run(make(max_timeout=0.3), "sleep 60")
    assert result.status == "timed_out"
    assert "0.3 s" in str(result.note)


def test_a_command_may_clean_up_at_its_limit(make: Make, folder: Path) -> None:
    result = run(make(grace=60), "trap 'echo bye; touch cleaned; exit 7' TERM; sleep 60 & wait", timeout=1.5)
    assert (result.status, result.exit_code, result.stdout) == ("timed_out", 7, "bye\n")
    assert (folder / "cleaned").exists()


def test_a_command_that_stopped_itself_may_clean_up_too(make: Make) -> None:
    result = run(make(grace=60), "trap 'echo bye; exit 7' TERM; kill -STOP $$", timeout=1.5)
    assert (result.status, result.exit_code, result.stdout) == ("timed_out", 7, "bye\n")


@linux
def test_what_a_command_leaves_running_is_ended(shell: Shell) -> None:
    token = new_token()
    result = run(shell, f"sleep {token} & sleep {token} & echo started")
    assert (result.status, result.exit_code, result.stdout) == ("exited", 0, "started\n")
    assert str(result.note).startswith("2 processes that it left running were ended.")
    assert gone(token)


def test_last_lines_of_a_process_substitution_arrive(shell: Shell) -> None:
    assert run(shell, "echo a > >(sleep 0.1; cat)").stdout == "a\n"


def test_output_past_the_limit_keeps_both_ends(make: Make) -> None:
    result = run(make(output_limit=1000), "seq 100000; seq 9 >&2")
    assert result.truncated
    assert result.stdout.startswith("1\n2\n3\n")
    assert result.stdout.endswith("\n99999\n100000\n")
    assert "bytes are left out here" in result.stdout
    assert len(result.stdout) < 1100
    assert result.stderr == "".join(f"{n}\n" for n in range(1, 10))


def test_bytes_that_are_no_text_are_replaced(shell: Shell) -> None:
    assert run(shell, r"printf 'a\xffb\xc3'; printf '\u00e9'").stdout == "a\ufffdb\ufffdé"


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({"command": "echo a\0b"}, "zero byte"),
        ({"command": "echo \ud800"}, "no Unicode"),
        ({"env": {"A": "x\0"}}, "The variable A has a zero byte"),
        ({"env": {"A": "\udfff"}}, "no Unicode"),
        ({"env": {"A": "x" * 70_000, "B": "x" * 70_000}}, "Put long values into a file"),
    ],
)
def test_what_no_process_can_be_given_is_refused(shell: Shell, more: dict[str, Any], text: str) -> None:
    with pytest.raises(RefusalError, match=text):
        run(shell, **{"command": "true", **more})


def test_the_largest_call_runs(shell: Shell) -> None:
    command = "#" + "\u0001" * 29_000 + "\necho ${#A}"
    assert run(shell, command, env={"A": "\u0001" * 120_000}).stdout == "120000\n"


@in_loop
async def test_a_background_command_is_followed_and_waited_for(shell: Shell, folder: Path) -> None:
    begun = await start(
        shell, "echo one; until [ -e go ]; do sleep 0.02; done; echo two; exit 5", run_in_background=True
    )
    assert (begun.status, begun.exit_code) == ("running", None)
    text = ""
    while text != "one\n":
        text += (await follow(shell, begun.process_id)).stdout
    waited = await follow(shell, begun.process_id, block=True, timeout=0.05)
    assert (waited.status, waited.stdout) == ("running", "")
    (folder / "go").touch()
    ended = await follow(shell, begun.process_id, block=True)
    assert (ended.status, ended.exit_code, ended.stdout) == ("exited", 5, "two\n")
    again = await follow(shell, begun.process_id, block=True)
    assert (again.status, again.exit_code, again.stdout) == ("exited", 5, "")


def test_a_background_command_outlives_the_loop_it_was_started_in(shell: Shell) -> None:
    begun = run(shell, "sleep 0.3; echo done", run_in_background=True, timeout=0.01)
    ended = asyncio.run(follow(shell, begun.process_id, block=True))
    assert (ended.status, ended.stdout) == ("exited", "done\n")


@linux
def test_stop_ends_a_background_command_and_what_it_started(shell: Shell) -> None:
    token = new_token()
    begun = run(shell, f"trap '' TERM; sleep {token} & setsid sleep {token}", run_in_background=True)
    stopped = asyncio.run(follow(shell, begun.process_id, stop=True))
    assert stopped.status == "stopped"
    assert gone(token)


@in_loop
async def test_a_stopped_background_command_may_say_its_last(make: Make) -> None:
    shell = make(grace=60)
    begun = await start(
        shell, "trap 'echo bye; exit 0' TERM; echo up; sleep 60 & wait", run_in_background=True
    )
    text = ""
    while text != "up\n":
        text += (await follow(shell, begun.process_id)).stdout
    stopped = await follow(shell, begun.process_id, stop=True)
    assert (stopped.status, stopped.exit_code, stopped.stdout) == ("stopped", 0, "bye\n")


def test_an_unknown_process_is_refused_with_those_that_run(shell: Shell) -> None:
    with pytest.raises(RefusalError, match=r"no background command 'bash_9'.*None is running"):
        asyncio.run(follow(shell, "bash_9"))
    begun = run(shell, "sleep 60", run_in_background=True)
    with pytest.raises(RefusalError, match=f"Running are: {begun.process_id}"):
        asyncio.run(follow(shell, "bash_9"))


@in_loop
async def test_background_commands_are_few_and_old_ones_are_forgotten(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toolcast_tools.shell.shell._FINISHED", 3)
    shell = make(max_background=2)
    first = await start(shell, "sleep 60", run_in_background=True)
    second = await start(shell, "sleep 60", run_in_background=True)
    with pytest.raises(RefusalError, match=f"{first.process_id}, {second.process_id}"):
        await start(shell, "sleep 60", run_in_background=True)
    await follow(shell, second.process_id, stop=True)
    oldest = await start(shell, "true", run_in_background=True)
    await follow(shell, oldest.process_id, block=True)
    for _ in range(5):
        last = await start(shell, "true", run_in_background=True)
        await follow(shell, last.process_id, block=True)
    with pytest.raises(RefusalError, match="no background command"):
        await follow(shell, oldest.process_id)
    assert (await follow(shell, last.process_id)).status == "exited"
    assert (await follow(shell, first.process_id)).status == "running"


@in_loop
async def test_commands_at_once_are_limited(make: Make) -> None:
    shell = make(max_commands=2)
    async with asyncio.TaskGroup() as group:
        running = [group.create_task(start(shell, "sleep 60", timeout=0.3)) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(RefusalError, match="2 commands run already"):
            await start(shell, "true")
    assert {task.result().status for task in running} == {"timed_out"}
    assert (await start(shell, "echo again")).stdout == "again\n"


@linux
@in_loop
async def test_a_cancelled_call_kills_its_command(shell: Shell) -> None:
    token = new_token()
    task = asyncio.create_task(start(shell, f"trap '' TERM; setsid sleep {token} & sleep {token}"))
    while not await asyncio.to_thread(lambda: len(with_token(token)) >= 2):
        assert not task.done(), task.result()
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not with_token(token)  # at once, not soon


def test_calls_from_many_threads_and_loops_are_apart(shell: Shell) -> None:
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda n: run(shell, f"echo {n}; exit {n}"), range(12)))
    assert [(each.stdout, each.exit_code) for each in results] == [(f"{n}\n", n) for n in range(12)]
    assert len({each.process_id for each in results}) == 12


@in_loop
async def test_aclose_ends_running_calls_and_refuses_later_ones(make: Make) -> None:
    shell = make()
    running = asyncio.create_task(start(shell, "echo begun; sleep 60"))
    while not shell._processes._running:
        await asyncio.sleep(0.01)
    await asyncio.gather(shell.aclose(), shell.aclose())
    result = await running
    assert result.status == "stopped"
    with pytest.raises(RefusalError, match="No command can be started"):
        await start(shell, "true")
    await shell.aclose()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_fault_of_the_shell_lets_nobody_wait(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    token = new_token()
    monkeypatch.setattr("toolcast_tools.shell.processes.Processes._read", lambda *_: 1 / 0)
    result = run(shell, f"setsid sleep {token} & echo x; sleep {token}")
    assert result.status == "stopped"
    assert gone(token)
    with pytest.raises(RefusalError, match="No command can be started"):
        run(shell, "true")


def test_a_system_that_starts_no_process_is_a_refusal_and_holds_nothing(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work(shell: Shell, place: str, code: int) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(place, Mock(side_effect=OSError(code, "no more")))
            with pytest.raises(RefusalError, match="could not be started"):
                await start(shell, "true")
        assert (await start(shell, "echo again")).stdout == "again\n"
        await shell.aclose()

    before = descriptors()
    for place, code in (
        ("os.pipe", errno.EMFILE),
        ("subprocess.Popen", errno.EAGAIN),
        ("socket.socketpair", errno.EMFILE),
        ("selectors.DefaultSelector", errno.EMFILE),
    ):
        asyncio.run(work(make(), place, code))
    assert descriptors() <= before


@linux
def test_a_shell_that_is_forgotten_ends_its_commands(folder: Path) -> None:
    from toolcast_tools.workspace import Workspace

    token = new_token()
    with Workspace(folder) as workspace:
        shell = Shell(workspace)
        run(shell, f"sleep {token}", run_in_background=True)
        assert eventually(lambda: bool(with_token(token)))
        del shell
        assert gone(token)


def test_a_shell_that_cannot_be_made_says_why(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="isolation must be"):
        make(isolation="docker")
    with pytest.raises(ValueError, match="max_timeout"):
        make(max_timeout=0)
    with pytest.raises(ValueError, match="at least 1"):
        make(max_background=0)
    which = shutil.which
    monkeypatch.setattr(
        shutil, "which", lambda name, **more: None if name == "bwrap" else which(name, **more)
    )
    with pytest.raises(RuntimeError, match=r"cannot be isolated: bubblewrap \(the program bwrap\) is not"):
        make(isolation="bubblewrap")
    assert not make(isolation="auto").isolated
    with monkeypatch.context() as patch:
        patch.setattr(sys, "frozen", True, raising=False)
        with pytest.raises(RuntimeError, match=r"sys\.executable"):
            make()
    monkeypatch.delattr(os, "fork")
    with pytest.raises(NotImplementedError, match="On Windows run it in a container or in WSL"):
        make()
