"""Git's plumbing, as a stranger's checkout is read: nothing that the repository names is run or fetched."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct

_QUIET: Final = ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}", "--no-pager")
"""A repository's own configuration names programs that git runs."""
_ENVIRONMENT: Final[Mapping[str, str]] = {
    "GIT_ALLOW_PROTOCOL": "none",  # no transport has that name: nothing is fetched, whatever git's version
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}


class GitOutput(Struct, frozen=True):
    """The output of git; `status` is its exit status, -1 if it took too long and was stopped."""

    status: int
    output: bytes
    errors: str

    @property
    def text(self) -> str:
        """The output as text, without the line break at its end."""
        return self.output.decode("utf-8", "surrogateescape").removesuffix("\n")


def git_program() -> str | None:
    """Return the path of git, but not of one in the working directory, which Windows would search first."""
    found = shutil.which("git")
    if found is None or not Path(found).is_absolute() or Path(found).parent == Path.cwd():
        return None
    return found


def run_git(program: str, folder: Path, *words: str, given: bytes = b"", seconds: float = 60) -> GitOutput:
    """Run one command of git; return its exit status and output. Raises OSError where it cannot be started.
    `words` that a user gave must not start with a hyphen; `given` is what the command reads.
    """
    try:
        done = subprocess.run(
            [program, *_QUIET, *words],
            cwd=folder,
            env={**os.environ, **_ENVIRONMENT},
            input=given,
            capture_output=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return GitOutput(-1, b"", f"git {words[0]} took more than {seconds:g} seconds")
    return GitOutput(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace").strip())
