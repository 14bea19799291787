"""Every step at which a build touches the disk: to be killed there, or refused."""

import contextlib
import os
import pathlib
import signal
from collections.abc import Callable, Iterator
from typing import Any

EVERY = os.environ.get("TOOLCAST_EVERY_STEP") == "1"
"""`make crash` kills at every step; the tests at every few."""
NAMES = ("open", "write", "replace", "rename", "unlink", "rmdir", "mkdir")
"""Functions of `os` that change something; `pathlib` calls these, too."""
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


class Killed(BaseException):
    """Stands for the end of the process: nothing catches it, so nothing is tidied up."""


@contextlib.contextmanager
def seams(reached: Callable[[str, bool], None]) -> Iterator[None]:
    """Call `reached(name, after)` around each step; a write is cut in half for the call in its middle.

    `after` says that the step is done. What `reached` raises goes to the build.
    """
    real = {name: getattr(os, name) for name in NAMES}
    write_bytes = pathlib.Path.write_bytes

    def around(name: str) -> Callable[..., Any]:
        def step(*arguments: Any, **options: Any) -> Any:
            if name == "open" and not arguments[1] & _WRITING:
                return real[name](*arguments, **options)
            reached(name, False)
            if name == "write":
                half = bytes(arguments[1])[: len(arguments[1]) // 2]
                written: int = real[name](arguments[0], half) if half else 0
                reached(name, True)
                return written + real[name](arguments[0], bytes(arguments[1])[written:])
            outcome = real[name](*arguments, **options)
            reached(name, True)
            return outcome

        return step

    def write_whole(path: pathlib.Path, content: bytes) -> int:
        reached("write_bytes", False)
        write_bytes(path, content[: len(content) // 2])
        reached("write_bytes", True)
        return write_bytes(path, content)

    for name in NAMES:
        setattr(os, name, around(name))
    pathlib.Path.write_bytes = write_whole  # type: ignore[method-assign,assignment]
    try:
        yield
    finally:
        for name, function in real.items():
            setattr(os, name, function)
        pathlib.Path.write_bytes = write_bytes  # type: ignore[method-assign]


class At:
    """Lets `fall` happen at step number `step` (from 0), before or after it; counts the steps."""

    def __init__(self, step: int, fall: Callable[[], None]) -> None:
        self.step, self.fall, self.count = step, fall, 0

    def __call__(self, name: str, after: bool) -> None:
        if self.passes(name, after):
            return
        self.count += 1
        if self.count - 1 == self.step:
            self.fall()

    def passes(self, _name: str, _after: bool) -> bool:
        return False


class Refusing(At):
    """The same for a disk that refuses: it does so instead of a step, or in the middle of a write."""

    def __init__(self, step: int, error: int) -> None:
        def fall() -> None:
            raise OSError(error, os.strerror(error))

        super().__init__(step, fall)

    def passes(self, name: str, after: bool) -> bool:
        return after and not name.startswith("write")


def die() -> None:
    """The end, as an exception."""
    raise Killed


def die_really() -> None:
    """The end, by a signal that cannot be caught."""
    os.kill(os.getpid(), signal.SIGKILL)


def die_beside_a_journal(state: pathlib.Path) -> Callable[[str, bool], None]:
    """The end at the first step that finds a journal in `state`."""

    def reached(_name: str, _after: bool) -> None:
        if any(state.glob("journal-*")):
            die_really()

    return reached


def run_in_fork(work: Callable[[], object]) -> int:
    """Run `work` in a forked process: 0, or the number of the signal that ended it. 255 is an exception."""
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException:
            import traceback

            traceback.print_exc()
            os._exit(255)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
