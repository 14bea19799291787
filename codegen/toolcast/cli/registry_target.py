"""A program's own registry, by the name under which it can be imported."""

import difflib
import importlib
import inspect
import sys
from collections.abc import Generator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from types import ModuleType
from typing import Any, Final, TypeVar

from ..runtime.view import ToolView

APP: Final = "app"
"""The module that registers all handlers, which `toolcast stubs` writes beside their folder."""

T = TypeVar("T")


class TargetError(Exception):
    """There is no such object under a name. `hint` is the way out, `target` the name."""

    def __init__(self, message: str, hint: str = "", target: str = "") -> None:
        super().__init__(message)
        self.hint = hint
        self.target = target


async def load_registry(target: str) -> ToolView:
    """The registry, or the selection of one, that `MODULE:ATTRIBUTE` names; as `load_target`."""
    return await load_target(target, ToolView, "a ToolRegistry")


async def load_target(target: str, wanted: type[T], noun: str) -> T:
    """The object that `MODULE:ATTRIBUTE` names: the object itself, or what it returns when it is called
    without arguments, now or awaited. The working directory is searched first. `noun` is what it has to be.

    Raises TargetError, caused by whatever the program's own code raised.
    """
    try:
        return await _load(target, wanted, noun)
    except TargetError as problem:
        problem.target = target
        raise


async def _load(target: str, wanted: type[T], noun: str) -> T:
    module_name, _, attribute = target.partition(":")
    if not attribute or not all(
        part.isidentifier() for part in [*module_name.split("."), *attribute.split(".")]
    ):
        raise TargetError(
            f"{target!r} does not name {noun}", "write MODULE:ATTRIBUTE, as in app.tools:registry"
        )
    module = _module(module_name)
    found = _attribute(module, attribute, wanted, noun)
    if isinstance(found, wanted):
        return found
    if not callable(found):
        raise TargetError(
            f"{target} is of type {type(found).__name__}, not {noun}",
            f"name {noun}, or a function without parameters that returns one",
        )
    try:
        made = found()
        made = await made if inspect.isawaitable(made) else made
    except Exception as problem:
        raise TargetError(
            f"{target}() raised {type(problem).__name__}: {problem}", "it is called without arguments"
        ) from problem
    if not isinstance(made, wanted):
        raise TargetError(
            f"{target}() returned a value of type {type(made).__name__}, not {noun}", f"return {noun} itself"
        )
    return made


def _module(name: str) -> ModuleType:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as missing:
        if missing.name is not None and (name == missing.name or name.startswith(f"{missing.name}.")):
            hint = f"run this in the folder from which `import {name}` works, or set PYTHONPATH to it"
            written = f"; `toolcast stubs` writes {APP}.py" if name == APP else ""
            raise TargetError(f"there is no module {missing.name!r}", hint + written) from None
        hint = "install what it needs into this environment; if toolcast generates it, run: toolcast generate"
        raise TargetError(f"importing {name} failed: {missing}", hint) from missing
    except Exception as problem:
        message = f"importing {name} failed: {type(problem).__name__}: {problem}"
        raise TargetError(message, "correct the module; its traceback stands above") from problem


def _attribute(module: ModuleType, attribute: str, wanted: type[Any], noun: str) -> Any:
    found: Any = module
    for part in attribute.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise TargetError(
                f"{module.__name__} has no attribute {attribute!r}", _instead(module, part, wanted, noun)
            ) from None
    return found


def _instead(module: ModuleType, part: str, wanted: type[Any], noun: str) -> str:
    fitting = [name for name, value in vars(module).items() if isinstance(value, wanted)]
    near = difflib.get_close_matches(part, [name for name in vars(module) if name[:1] != "_"], n=1)
    offered = fitting or near
    if offered:
        return f"did you mean {module.__name__}:{offered[0]}?"
    return f"name {noun}, or a function that returns one"


@contextmanager
def quiet_stdout() -> Generator[None, None, None]:
    """What is printed meanwhile, by Python or by a child process, goes to stderr."""
    import os

    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)
