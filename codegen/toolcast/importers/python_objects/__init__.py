"""Python objects as declarations of tools: functions, classes, and the tools of frameworks.

Objects are read in a process of its own: modules may print, end the process, or never end.
"""

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec

from ...diagnostics import Diagnostic
from ..declared_tools import Declarations

_PROCESS = f"{__name__}.read_object"


def read_python(targets: Sequence[str], *, timeout: float) -> tuple[Declarations, ...]:
    """Read the tools that objects of Python modules (`MODULE:NAME`) declare, in `timeout` seconds for all;
    what those print goes to stderr.
    """
    with tempfile.TemporaryDirectory(prefix="toolcast-") as folder:
        out = Path(folder) / "declarations.json"
        command = [sys.executable, "-m", _PROCESS, str(out), *targets]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, timeout=timeout, check=False)
        except subprocess.TimeoutExpired:
            hint = 'a module that serves or waits belongs below `if __name__ == "__main__":`; or --timeout'
            return _nothing(targets, f"did not finish within {timeout:g} s and was stopped", hint)
        try:
            return msgspec.json.decode(out.read_bytes(), type=tuple[Declarations, ...])
        except (OSError, msgspec.DecodeError):
            hint = 'what ends the process belongs below `if __name__ == "__main__":`'
            message = f"ended the process (exit status {done.returncode}) before its tools could be read"
            return _nothing(targets, message, hint)


def _nothing(targets: Sequence[str], message: str, hint: str) -> tuple[Declarations, ...]:
    modules = ", ".join(sorted({target.partition(":")[0] for target in targets}))
    problem = Diagnostic(file=modules, code="import-python-failed", message=message, hint=hint)
    return (Declarations(tools=(), diagnostics=(problem,), kind="python", label=modules),)
