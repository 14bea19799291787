"""Copy the modules of `specs/` into this package, before it is built and in a checkout (`make generate`).

The repository holds them once, in `generated/`. `toolcast_tools.generated` is this copy, also in a wheel.
"""

import shutil
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = Path(__file__).resolve().parent
SOURCE = PACKAGE.parents[1] / "generated"
COPY = PACKAGE / "generated"


def copy_generated() -> None:
    """Make the copy anew, unless its manifest is that of the source."""
    manifest = SOURCE / "manifest.txt"
    if not manifest.is_file():
        if COPY.is_dir():  # an unpacked source distribution
            return
        raise FileNotFoundError(f"{manifest} is missing; run: make generate")
    copied = COPY / "manifest.txt"
    if copied.is_file() and copied.read_bytes() == manifest.read_bytes():
        return
    shutil.rmtree(COPY, ignore_errors=True)
    shutil.copytree(SOURCE, COPY, ignore=shutil.ignore_patterns("models", "__pycache__", "manifest.txt"))
    shutil.copy(manifest, COPY)  # last: a copy that was interrupted is made again


class CopyGenerated(BuildHookInterface[Any]):
    """Hatchling's build hook."""

    def initialize(self, version: str, build_data: dict[str, object]) -> None:  # noqa: ARG002 - hatchling's
        """Copy before each build, editable ones included."""
        copy_generated()


if __name__ == "__main__":
    copy_generated()
