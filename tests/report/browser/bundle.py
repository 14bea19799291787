"""The page's script: its modules and the validator in one file, by esbuild.

`python -m tests.report.browser.bundle` writes it (`make report-page`).
"""

import subprocess
import sys
from pathlib import Path

from toolcast.package_files import PACKAGE

from tests.typescript.tools import MODULES, ROOT, missing

PAGE = PACKAGE / "analysis" / "report" / "page"
BUNDLED = PACKAGE / "analysis" / "report" / "page.js"
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


def page_script() -> bytes:
    mark = "// Bundled from page/ and typescript/support/ by `make report-page`; do not edit."
    return bundle(PAGE / "main.js", "--format=iife", f"--banner:js={mark}")


if __name__ == "__main__":
    script = page_script()
    BUNDLED.write_bytes(script)
    sys.stdout.write(f"{BUNDLED.relative_to(ROOT)}: {len(script)} bytes\n")
