"""The command as a process: at a pseudo-terminal of its own, or without any."""

import fcntl
import os
import pty
import select
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.examples.agent.scripted_server import ENVIRONMENT

ROOT = Path(__file__).resolve().parents[3]
COMMAND = [sys.executable, "-m", "examples.agent"]
PATIENCE = 120.0
"""Seconds after which a process that says nothing has failed."""


def environment(**variables: str) -> Mapping[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("OTEL_", "NO_COLOR"))}
    return {**kept, **ENVIRONMENT, "PYTHONPATH": str(ROOT), "TERM": "xterm", **variables}


def piped(
    arguments: Sequence[str], question: str = "Do it.", **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run the command without a terminal, with a question on a pipe."""
    return subprocess.run(
        [*COMMAND, *arguments],
        input=question,
        capture_output=True,
        text=True,
        env=environment(**variables),
        start_new_session=True,  # a developer's terminal is none of its own
        timeout=PATIENCE,
        check=False,
    )


class Terminal:
    """A person at the terminal of one process."""

    def __init__(self, process: subprocess.Popen[bytes], master: int) -> None:
        self.process = process
        self.shown = ""
        self._master = master
        self._seen = 0

    def expect(self, text: str) -> None:
        """Wait until the text stands there, after what was waited for before."""
        until = time.monotonic() + PATIENCE
        while (found := self.shown.find(text, self._seen)) < 0:
            waits = self.process.poll() is None and time.monotonic() < until
            self._read(0.1)
            assert waits or text in self.shown[self._seen :], f"no {text!r} in {self.shown!r}"
        self._seen = found + len(text)

    def type(self, text: str) -> None:
        time.sleep(0.05)  # Ctrl-C is lost between a question and the wait of `readline` for a line
        os.write(self._master, text.encode())

    def end(self) -> int:
        """Wait for the end of the process; the exit code."""
        until = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            assert time.monotonic() < until, f"it does not end: {self.shown!r}"
            self._read(0.1)
        self._read(0)
        return self.process.returncode

    def _read(self, seconds: float) -> None:
        while select.select([self._master], [], [], seconds)[0]:
            try:
                data = os.read(self._master, 65536)
            except OSError:  # the process has closed it
                return
            if not data:
                return
            self.shown += data.decode("utf-8", "replace")
            seconds = 0


@contextmanager
def at_terminal(arguments: Sequence[str], **variables: str) -> Iterator[Terminal]:
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=environment(**variables),
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(slave)
    try:
        yield Terminal(process, master)
    finally:
        process.kill()
        process.wait()
        os.close(master)
