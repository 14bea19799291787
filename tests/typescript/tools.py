"""The TypeScript compiler, Node.js and a tokenizer, which `make typescript-tools` installs."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import NoReturn

import pytest

ROOT = Path(__file__).parents[2]
INSTALLED = ROOT / ".typescript-tools"
TSC = INSTALLED / "node_modules" / ".bin" / "tsc"
MODULES = INSTALLED / "node_modules"


def missing(reason: str) -> NoReturn:
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


def node() -> str:
    """The path of Node.js; without it, or without the tools, a test is skipped, in CI it fails."""
    found = shutil.which("node")
    if found is None or not TSC.is_file():
        missing("Node.js or the TypeScript compiler is not installed; `make typescript-tools` installs it")
    return str(found)


def run_node(script: Path, *arguments: str, text: str = "", timeout: float = 300) -> str:
    """Run a script and return its standard output; its failure is the test's, with what it printed."""
    done = subprocess.run(
        [node(), str(script), *arguments],
        input=text,
        capture_output=True,
        text=True,
        timeout=timeout,
        env={**os.environ, "NODE_PATH": str(MODULES)},
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


def tsc(*files: Path, options: tuple[str, ...] = ("--strict",), timeout: float = 300) -> list[str]:
    node()
    done = subprocess.run(
        [str(TSC), *options, "--noEmit", "--pretty", "false", *map(str, files)],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    return done.stdout.splitlines()
