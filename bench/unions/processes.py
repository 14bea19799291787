"""Programs that may die: run under a memory checker, and once more from behind what killed them."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

ROOT = Path(__file__).parents[2]

# CPython's checks around each block of memory, glibc's, and bytes that are no addresses in freed blocks.
CHECKED = {"PYTHONMALLOC": "debug", "MALLOC_CHECK_": "3", "MALLOC_PERTURB_": "165"}
VALGRIND = ("valgrind", "--quiet", "--leak-check=no", "--undef-value-errors=no", "--error-exitcode=99")
"""Reads and writes outside of any block. Python's own blocks are shown to it one by one (`malloc`)."""


class Event(Struct, frozen=True):
    """Something that a program came upon at one number; `what` says how it died, or what it found."""

    number: int
    what: str
    died: bool = True


def events(
    python: Path | str, module: str, arguments: Sequence[str], *, valgrind: bool = False
) -> Iterator[Event]:
    """What the program `python -m bench.unions.MODULE ARGUMENTS START` came upon. It says each number before
    it looks at it, `done` at the end; where it dies it is run again from the next number on.

    Raises RuntimeError where it ends without either.
    """
    start = 0
    while True:
        command = [str(python), "-m", f"bench.unions.{module}", *arguments, str(start)]
        checks = {"PYTHONMALLOC": "malloc"} if valgrind else CHECKED
        run = subprocess.run(
            [*VALGRIND, *command] if valgrind else command,
            cwd=ROOT,
            env={**os.environ, **checks, "PYTHONPATH": f"{ROOT}:{ROOT / 'codegen'}"},
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        lines = run.stdout.splitlines()
        for line in lines:
            number, _, what = line.partition(" ")
            if what:
                yield Event(int(number), what, died=False)
        if lines and lines[-1] == "done":
            if run.returncode == 99:
                yield Event(-1, "valgrind: " + run.stderr[:2000])
            return
        if not lines or run.returncode == 1:
            raise RuntimeError(run.stderr[-4000:])
        last = int(lines[-1].partition(" ")[0])
        yield Event(last, f"exit status {run.returncode}")
        start = last + 1
