"""Python objects that a user names as `MODULE:NAME`, their places, and reasons why one cannot be read.

Importing a module runs it.
"""

import difflib
import importlib
import inspect
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

from msgspec import Struct

from ...diagnostics import Diagnostic, Severity


class SourcePlace(Struct, frozen=True):
    """A line of a source file, as shown in diagnostics; line 0 where only the file is known."""

    file: str
    line: int = 0


def shown(file: str) -> str:
    """Return a path as the user would type it: relative to the working directory where it lies in it."""
    path = Path(file)
    try:
        return path.relative_to(Path.cwd()).as_posix()
    except ValueError:
        return path.as_posix()


def place_of(value: Any, fallback: SourcePlace) -> SourcePlace:
    """Return where a function or class is defined; `fallback` where Python does not know."""
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


def import_name(value: object) -> str | None:
    """Return the `module:qualname` under which `value` itself is found; None where there is none."""
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str):
        return None
    found: object = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return f"{module}:{name}" if found is value else None


class Origin(Struct, frozen=True, kw_only=True):
    """The object that is read, by `MODULE:NAME`, with the item of a collection (`app:TOOLS[2]`), and its
    place.
    """

    target: str
    place: SourcePlace

    @property
    def module(self) -> str:
        return self.target.partition(":")[0]

    def problem(self, code: str, message: str, hint: str = "", *, severity: Severity = "error") -> Diagnostic:
        """Return a diagnostic about the object; `message` follows its name and a colon."""
        return Diagnostic(
            file=self.place.file,
            line=self.place.line,
            severity=severity,
            code=code,
            message=f"{self.target}: {message}",
            hint=hint,
        )


_HERE = Path(__file__).parent
_TEXT = 300
"""Characters of an exception's text that are shown."""


class TargetError(Exception):
    """A missing object. `diagnostic` says why."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


def load_target(target: str) -> tuple[ModuleType, Any]:
    """Import the module and the object that `MODULE:NAME` names; NAME may have dots. Raises TargetError."""
    module_name, separator, attribute = target.partition(":")
    if (
        module_name.endswith(".py")
        or not separator
        or not all(part.isidentifier() for part in (*module_name.split("."), *attribute.split(".")))
    ):
        raise TargetError(_wrong_form(target))
    module = _module(module_name, target)
    return module, _attribute(module, attribute, target)


def _wrong_form(target: str) -> Diagnostic:
    file, _, name = target.rpartition(":")
    hint = "write MODULE:NAME, as in app.tools:get_forecast"
    if file.endswith(".py"):
        module = file.removesuffix(".py").removeprefix("./").replace("/", ".").replace("\\", ".")
        hint = f"write the module's name instead of its file: {module}:{name}"
    return Diagnostic(
        file=target, code="import-python-target", message="does not name an object of a module", hint=hint
    )


def _module(name: str, target: str) -> ModuleType:
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)  # as `python -m` has it
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as missing:
        if missing.name is not None and (name == missing.name or name.startswith(f"{missing.name}.")):
            message = f"there is no module {missing.name!r}"
            hint = f"run this in the folder from which `import {name}` works, or set PYTHONPATH to it"
            raise TargetError(_problem(target, 0, "import-python-module", message, hint)) from None
        raise TargetError(_failed(name, missing, "install what it needs in this environment")) from None
    except (Exception, SystemExit, KeyboardInterrupt) as problem:
        hint = "correct the module so that `import` of it works"
        if isinstance(problem, SystemExit):
            hint = 'put what ends the program below `if __name__ == "__main__":`'
        raise TargetError(_failed(name, problem, hint)) from None


def _failed(name: str, problem: BaseException, hint: str) -> Diagnostic:
    file, line = name, 0
    if isinstance(problem, SyntaxError) and problem.filename:
        file, line = shown(problem.filename), problem.lineno or 0
    else:
        for frame in traceback.extract_tb(problem.__traceback__):
            path = Path(frame.filename)
            if Path.cwd() in path.parents and path.parent != _HERE and "site-packages" not in path.parts:
                file, line = shown(frame.filename), frame.lineno or 0
    words = f"{type(problem).__name__}: {problem}" if str(problem) else type(problem).__name__
    message = f"importing {name} failed: {words[:_TEXT]}"
    return _problem(file, line, "import-python-failed", message, hint)


def _attribute(module: ModuleType, attribute: str, target: str) -> object:
    found: object = module
    for part in attribute.split("."):
        try:
            found = getattr(found, part)
        except Exception as problem:  # a property of the program may raise anything
            near = difflib.get_close_matches(part, [name for name in dir(found) if name[:1] != "_"], n=1)
            before = target.rpartition(part)[0]
            hint = f"did you mean {before}{near[0]}?" if near else ""
            message = f"{before.rstrip(':.')} has no {part!r}"
            if not isinstance(problem, AttributeError):
                message = f"{target} cannot be read: {type(problem).__name__}: {str(problem)[:_TEXT]}"
            file = shown(getattr(module, "__file__", None) or module.__name__)
            raise TargetError(_problem(file, 0, "import-python-name", message, hint)) from None
    return found


def _problem(file: str, line: int, code: str, message: str, hint: str) -> Diagnostic:
    return Diagnostic(file=file, line=line, code=code, message=message, hint=hint)
