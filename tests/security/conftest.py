"""Commands run in a process of their own, in a folder that somebody else filled."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import Struct

_AUDITED = Path(__file__).with_name("audited.py")
SPEC = """\
description: Reads a file.
permission: read
secrets: []
parameters:
  type: object
  required: [path]
  properties:
    path: {type: string, minLength: 1}
    modes: {type: array, items: {type: integer}, uniqueItems: true}
"""


class Run(Struct, frozen=True):
    """What a command printed, and what it asked of the operating system: (kind, words…)."""

    status: int
    output: str
    accesses: tuple[tuple[str, ...], ...]

    def made(self, kind: str) -> list[tuple[str, ...]]:
        return [each[1:] for each in self.accesses if each[0] == kind]


Command = Callable[..., Run]


def put(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A small project that somebody else wrote."""
    folder = tmp_path / "checkout"
    put(folder / "pyproject.toml", '[tool.toolcast]\nproviders = ["mcp", "openai"]\n')
    put(folder / "specs" / "read.yaml", SPEC)
    return folder


@pytest.fixture
def audited(tmp_path: Path) -> Command:
    """Run a command line in a folder. Fails if it does not end."""

    def run(folder: Path, *words: str, seconds: float = 120, **environment: str) -> Run:
        log = tmp_path / "accesses"
        log.unlink(missing_ok=True)
        home, temporary = tmp_path / "home", tmp_path / "temporary"
        home.mkdir(exist_ok=True)
        temporary.mkdir(exist_ok=True)
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("TOOLCAST_", "PYTHON"))
        }
        kept |= {"HOME": str(home), "TMPDIR": str(temporary), "PYTHONDONTWRITEBYTECODE": "1", **environment}
        done = subprocess.run(
            [sys.executable, str(_AUDITED), str(log), *words],
            cwd=folder,
            env=kept,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
        )
        lines = log.read_text("ascii").splitlines() if log.exists() else []
        accesses = tuple(tuple(json.loads(line)) for line in lines)
        return Run(done.returncode, done.stdout + done.stderr, accesses)

    return run
