"""The handlers of `bash` and `bash_process`."""

import asyncio
import os
import shutil
import sys
import threading
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from weakref import finalize

from toolcast.runtime import RefusalError, ToolContext

from ..generated.shell.bash import BashParams, BashResult
from ..generated.shell.bash_process import BashProcessParams, BashProcessResult
from ..workspace import Workspace
from .environment import Sandbox, check, check_text, find_sandbox, inherit
from .processes import SUPERVISOR, Process, Processes, State
from .supervisor import GIVE_UP, Task

if TYPE_CHECKING:
    from toolcast.runtime.middleware.policy import Commands


def _note_of(state: State, timeout: float | None) -> str | None:
    """Say what status and exit code do not; None where there is nothing to say.

    Args:
        timeout: its limit in seconds; None for a background command.
    """
    if state.lost:
        return (
            "The process that supervises the command was killed, perhaps by the command. What was found of "
            "the command was ended."
        )
    report = state.report
    if report is None:
        return None
    parts: list[str] = []
    if report["reason"] == "timeout" and timeout is not None:
        parts.append(
            f"Ended at its time limit of {timeout:g} s. Set a longer timeout, or use run_in_background."
        )
    if report["reason"] == "processes":
        parts.append("Killed: it had too many processes at once.")
    if report["left"]:
        what = "A process" if report["left"] == 1 else f"{report['left']} processes"
        verb = "was" if report["left"] == 1 else "were"
        parts.append(
            f"{what} that it left running {verb} ended. Use run_in_background for programs that go on."
        )
    if report["stuck"]:
        parts.append("Some of its processes could not be ended. Tell the user.")
    return " ".join(parts) or None


_FINISHED = 32
"""Background commands that are over and can still be read."""
_CANCELLED = 2.0
"""Seconds that a cancelled call waits for the end of its command, which was killed."""


class Shell:
    """Commands in the folder of a workspace, for `bash` and `bash_process`.

    A command has the variables of `INHERITED` alone, a session of its own without a terminal, nothing to read
    and no descriptor of the program. Whatever it started ends with it, with the call, with `aclose`, and with
    the program, however that ends. Without isolation it may do all that the program's user may do.

    Works in any event loop, also in several, and with `execute_sync`. Linux; and with fewer promises macOS
    and other systems of POSIX, where processes that leave the command's process group escape.
    """

    def __init__(
        self,
        workspace: Workspace,
        *,
        isolation: Literal["none", "auto", "bubblewrap"] = "none",
        network: bool = False,
        readable: Sequence[str | os.PathLike[str]] = (),
        commands: "Commands | None" = None,
        environment: Mapping[str, str] | None = None,
        max_timeout: float = 600.0,
        grace: float = 2.0,
        output_limit: int = 1024 * 1024,
        max_processes: int = 512,
        max_commands: int = 64,
        max_background: int = 16,
    ) -> None:
        """Make the handlers.

        Args:
            workspace: where commands run. Whoever opened it closes it, after this object. Commands are bound
                to it only by isolation.
            isolation: "bubblewrap" runs each command in a sandbox: system folders read-only, the workspace, a
                private /tmp, no other process and no network. "auto" does so where `bwrap` works.
            network: whether isolated commands reach the network. Commands without isolation always do.
            readable: further paths that isolated commands may read, such as a toolchain in /opt.
            commands: the only commands that are allowed, run without a shell. Programs are not looked up in
                the workspace then, where a model could replace them. None allows every command.
            environment: variables of every command, beside those that it inherits.
            max_timeout: seconds that a command may take, whatever a call asks for. Background commands have
                no limit.
            grace: seconds between SIGTERM and SIGKILL.
            output_limit: bytes of each of stdout and stderr that are kept between two reads: the beginning
                and the end.
            max_processes: processes that one command may have at once; one with more is killed.
            max_commands: commands that may run at once.
            max_background: those of them that may run in the background.

        Raises:
            NotImplementedError: the system has no processes as POSIX has them.
            RuntimeError: there is no bash, no Python interpreter, or no bubblewrap that works.
            ValueError: an option is out of range.
        """
        if not hasattr(os, "fork"):
            raise NotImplementedError(
                "Shell needs sessions and signals as POSIX has them. On Windows run it in a container or in "
                "WSL."
            )
        if isolation not in ("none", "auto", "bubblewrap"):
            raise ValueError(f"isolation must be 'none', 'auto' or 'bubblewrap', not {isolation!r}.")
        if not max_timeout > 0 or not grace >= 0:
            raise ValueError("max_timeout must be more than 0 seconds, and grace not less.")
        if min(output_limit, max_processes, max_commands, max_background) < 1:
            raise ValueError("output_limit and every number of processes and commands must be at least 1.")
        if not sys.executable or getattr(sys, "frozen", False) or not SUPERVISOR.is_file():
            raise RuntimeError(
                "Shell starts a Python file of its own for each command. It needs the interpreter's path "
                "(sys.executable), and toolcast as files, not within an archive."
            )
        self._workspace = workspace
        self._commands = commands
        self._sandbox = _find_sandbox(isolation, network, readable)
        hidden = workspace.root if commands is not None else None
        self._environment = inherit(os.environ, environment or {}, without=hidden)
        self._bash = _find_bash(workspace, self._environment["PATH"])
        self._max_timeout = max_timeout
        self._grace = grace
        self._max_processes = max_processes
        self._max_commands = max_commands
        self._max_background = max_background
        self._numbers = count(1)
        self._background: dict[str, Process] = {}
        self._lock = threading.Lock()
        self._processes = Processes(output_limit=output_limit, grace=grace)
        # Runs at the end of the interpreter, too.
        self._close = finalize(self, Processes.close, self._processes)

    @property
    def isolated(self) -> bool:
        """Tell whether commands run in a sandbox."""
        return self._sandbox is not None

    async def bash(self, params: BashParams, context: ToolContext) -> BashResult:
        """Run a command, or start one in the background.

        An exit code other than 0 and the end of the time are results, not failures: the model reads the
        output, the code and the status. A cancelled call kills its command.

        Args:
            params: the command.
            context: the call.

        Returns:
            Output and state.

        Raises:
            RefusalError: the command or a variable is not allowed, too many commands run, or the system could
                not start it.
        """
        del context
        if params.run_in_background:
            return _state(self._start_background(params))
        timeout = min(float(params.timeout), self._max_timeout)
        process = self._start(params, timeout)
        try:
            await process.wait(None)
        except asyncio.CancelledError:
            self._processes.end(process, "kill")
            await process.wait(_CANCELLED)
            raise
        finally:
            if not process.over:  # the coroutine was closed
                self._processes.end(process, "kill")
        return _state(process, timeout)

    async def bash_process(self, params: BashProcessParams, context: ToolContext) -> BashProcessResult:
        """Read a background command, wait for it, or stop it.

        Args:
            params: which, and what to do.
            context: the call.

        Returns:
            Output since the last read, and state.

        Raises:
            RefusalError: there is no such command.
        """
        del context
        with self._lock:
            process = self._background.get(params.process_id)
            names = ", ".join(name for name, each in self._background.items() if not each.over)
        if process is None:
            raise RefusalError(
                f"There is no background command {params.process_id[:64]!r}, or it ended long ago. "
                + (f"Running are: {names}." if names else "None is running.")
            )
        if params.stop:
            self._processes.end(process, "stop")
            await process.wait(2 * self._grace + 2 * GIVE_UP)
        elif params.block:
            await process.wait(float(params.timeout))
        return _state(process)

    async def aclose(self) -> None:
        """End every command, and release all that is held. Calls that run return with status "stopped"; later
        ones are refused. Safe to call twice."""
        await asyncio.to_thread(self.close)

    def close(self) -> None:
        """The same as `aclose`, for programs without an event loop."""
        self._processes.close()
        self._close.detach()

    def _parse(self, params: BashParams) -> tuple[str, list[str], dict[str, str]]:
        """Return the program, its words and its environment. Raises RefusalError."""
        check(params.env, self._workspace.root)
        check_text("The command", params.command)
        env = {**self._environment, **params.env}
        if self._sandbox is not None:
            env = self._sandbox.environment(env)
        if self._commands is None:
            return self._bash, ["bash", "-c", params.command], env
        for name in params.env:  # a variable of the call is as one before the command
            self._commands.check(f"{name}= {params.command}")
        variables, words = self._commands.check(params.command)
        program = words[0] if "/" in words[0] else shutil.which(words[0], path=self._environment["PATH"])
        if program is None:
            raise RefusalError(
                f"The program {words[0][:80]!r} was not found on this system. Use another, or tell the user."
            )
        return program, words, {**env, **variables}

    def _start(self, params: BashParams, timeout: float | None) -> Process:
        """Start a command. Raises RefusalError."""
        program, words, env = self._parse(params)
        with self._workspace.folder() as folder:
            if self._sandbox is not None:
                words = [*self._sandbox.words(self._workspace.root, folder), program, *words[1:]]
                program = self._sandbox.program
            task: Task = {
                "program": program,
                "words": words,
                "environment": env,
                "folder": folder,
                "keep": [] if self._sandbox is None else [folder],
                "timeout": timeout,
                "grace": self._grace,
                "processes": self._max_processes,
                "sandboxed": self._sandbox is not None,
                "parent": os.getpid(),
            }
            try:
                return self._processes.start(f"bash_{next(self._numbers)}", task, self._max_commands)
            except OSError as problem:
                raise RefusalError(
                    f"The command could not be started: {os.strerror(problem.errno or 0)}. Try again later, "
                    "or tell the user."
                ) from problem

    def _start_background(self, params: BashParams) -> Process:
        with self._lock:
            running = [name for name, each in self._background.items() if not each.over]
            if len(running) >= self._max_background:
                raise RefusalError(
                    f"{len(running)} background commands run already, and no more may: {', '.join(running)}. "
                    "Stop one of them with bash_process."
                )
            process = self._start(params, None)
            self._background[process.name] = process
            finished = [name for name, each in self._background.items() if each.over]
            for name in finished[: max(0, len(finished) - _FINISHED)]:
                del self._background[name]
        return process


def _state(process: Process, timeout: float | None = None) -> BashResult:
    """Return the result that a model reads."""
    state = process.read()
    return BashResult(
        process_id=process.name,
        status=state.status,
        exit_code=state.code,
        note=_note_of(state, timeout),
        stdout=state.stdout,
        stderr=state.stderr,
        truncated=state.truncated,
    )


def _find_sandbox(
    isolation: Literal["none", "auto", "bubblewrap"],
    network: bool,
    readable: Sequence[str | os.PathLike[str]],
) -> Sandbox | None:
    """Return the sandbox; None for none. Raises RuntimeError where there must be one and there is none."""
    if isolation == "none":
        return None
    found = find_sandbox(network, readable)
    if isinstance(found, Sandbox):
        return found
    if isolation == "auto":
        return None
    raise RuntimeError(f"Commands cannot be isolated: {found}.")


def _find_bash(workspace: Workspace, path: str) -> str:
    """Return the path of bash, which is none that a model could have put into the workspace."""
    folders = [
        each for each in path.split(os.pathsep) if not Path(each).resolve().is_relative_to(workspace.root)
    ]
    found = shutil.which("bash", path=os.pathsep.join([*folders, "/usr/bin", "/bin"]))
    if found is None:
        raise RuntimeError("Shell needs bash, and there is none on PATH.")
    return found
