"""Where a Python object stands in its source, and under which name it can be imported."""

import inspect
import sys
from pathlib import Path
from typing import Any

from msgspec import Struct


class SourcePlace(Struct, frozen=True):
    """A line of a source file, as shown in diagnostics; line 0 where only the file is known."""

    file: str
    line: int = 0


def shown(file: str) -> str:
    """A path as the user would type it: relative to the working directory where it lies in it."""
    path = Path(file)
    try:
        return path.relative_to(Path.cwd()).as_posix()
    except ValueError:
        return path.as_posix()


def place_of(value: Any, fallback: SourcePlace) -> SourcePlace:
    """Where a function or class is defined; `fallback` where Python does not know."""
    try:
        target = inspect.unwrap(getattr(value, "__func__", value))
        code = getattr(target, "__code__", None)
        if code is not None:
            return SourcePlace(shown(code.co_filename), code.co_firstlineno)
        file = inspect.getsourcefile(target)
        if file is not None:
            return SourcePlace(shown(file), inspect.getsourcelines(target)[1])
    except (OSError, TypeError, ValueError):
        pass  # built in, made at run time, or without its source
    return fallback


def import_name(value: Any) -> str | None:
    """`module:qualname` under which `value` itself is found; None where there is no such name."""
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str):
        return None
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return f"{module}:{name}" if found is value else None
