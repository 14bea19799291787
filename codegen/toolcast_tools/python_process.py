"""A Python process of its own for work on data of strangers: how it starts, and what the system holds it to.

A parser in C, or a database, reads what anybody may have written: only a process can be stopped, and held to
limits of memory.
"""

import os
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

_START: Final = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from importlib import import_module; import_module(sys.argv[2]).main()"
)


def python_command(module: str) -> list[str]:
    """Return the command line that calls `main()` of a module, with the modules that this process has.

    The process reads no PYTHON* variable, and imports nothing from the folder that it runs in. It writes no
    bytecode: where its limits, or a full disk, cut such a file short, no process could import the module any
    more.
    """
    paths = [path for path in sys.path if Path(path).is_absolute()]
    words = [sys.executable, "-I", "-B", "-X", "utf8", "-c", _START]
    return [*words, msgspec.json.encode(paths).decode(), module]


def python_environment() -> dict[str, str]:
    """Return the variables that it gets: none of this process, in which secrets may stand, but where
    temporary files go, and what no Python on Windows starts without.
    """
    environment = {"LC_ALL": "C.UTF-8", "TMPDIR": tempfile.gettempdir()}
    if "SYSTEMROOT" in os.environ:
        environment["SYSTEMROOT"] = os.environ["SYSTEMROOT"]
    return environment


def limit_process(**limits: int) -> None:
    """Hold this process to limits, from now on; it writes no core file either. Windows has none of them.

    Args:
        **limits: amounts by the names that `resource` has for them, such as RLIMIT_CPU. One that the system
            lacks is left out: whoever started the process bounds its time in any case.
    """
    if sys.platform == "win32":
        return
    import resource

    for name, amount in {"RLIMIT_CORE": 0, **limits}.items():
        with suppress(AttributeError, OSError, ValueError):
            kind = getattr(resource, name)
            _, hard = resource.getrlimit(kind)
            least = amount if hard == resource.RLIM_INFINITY else min(amount, hard)
            resource.setrlimit(kind, (least, least))
