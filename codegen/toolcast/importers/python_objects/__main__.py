"""The process in which the user's modules run: `python -m toolcast.importers.python_objects OUT TARGET…`."""

import os
import sys
from pathlib import Path

import msgspec

from .read_object import read_object


def main() -> None:
    """Write the declarations of all targets to the file OUT, as JSON."""
    out, *targets = sys.argv[1:]
    sys.stdout.flush()
    os.dup2(2, 1)  # what modules print is no output of the command
    declarations = [read_object(target) for target in targets]
    Path(out).write_bytes(msgspec.json.encode(declarations))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # threads and exit handlers of the modules are not waited for


if __name__ == "__main__":
    main()
