"""Modules of the page's script in one file, by esbuild, for Node.js."""

import subprocess
from pathlib import Path

from tests.typescript.tools import MODULES, ROOT, missing

_ESBUILD = MODULES / ".bin" / "esbuild"


def bundle(entry: Path, *options: str) -> bytes:
    """A module and all that it imports as one script, readable; without esbuild, a test is skipped, in CI it
    fails."""
    if not _ESBUILD.is_file():
        missing("esbuild is not installed; `make typescript-tools` installs it")
    words = ("--bundle", "--target=es2022", "--charset=utf8", "--log-level=warning", *options)
    done = subprocess.run(
        [str(_ESBUILD), str(entry.relative_to(ROOT)), *words],
        cwd=ROOT,  # the script names its modules by their paths from here
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout
