"""A program's own registry, by the name under which it can be imported."""

import difflib
import importlib
import inspect
import sys
from collections.abc import Generator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from types import ModuleType
from typing import Any

from ..runtime.view import ToolView


class TargetError(Exception):
    """There is no registry under that name. `hint` is the way out."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


async def load_registry(target: str) -> ToolView:
    """The registry that `MODULE:ATTRIBUTE` names: the object itself, or what it returns when it is called
    without arguments, now or awaited. The working directory is searched first.

    Raises TargetError, caused by whatever the program's own code raised.
    """
    module_name, _, attribute = target.partition(":")
    if not attribute or not all(
        part.isidentifier() for part in [*module_name.split("."), *attribute.split(".")]
    ):
        raise TargetError(
            f"{target!r} does not name a registry", "write MODULE:ATTRIBUTE, as in app.tools:registry"
        )
    module = _module(module_name)
    found = _attribute(module, attribute)
    if isinstance(found, ToolView):
        return found
    if not callable(found):
        raise TargetError(
            f"{target} is of type {type(found).__name__}, not a ToolRegistry",
            "name a ToolRegistry, a selection of one, or a function without parameters that returns one",
        )
    try:
        made = found()
        made = await made if inspect.isawaitable(made) else made
    except Exception as problem:
        raise TargetError(
            f"{target}() raised {type(problem).__name__}: {problem}", "it is called without arguments"
        ) from problem
    if not isinstance(made, ToolView):
        raise TargetError(
            f"{target}() returned a value of type {type(made).__name__}, not a ToolRegistry",
            "return the registry itself",
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
            raise TargetError(
                f"there is no module {missing.name!r}",
                f"run this in the folder from which `import {name}` works, or set PYTHONPATH to it",
            ) from None
        raise TargetError(
            f"importing {name} failed: {missing}", "install what it needs into this environment"
        ) from missing
    except Exception as problem:
        message = f"importing {name} failed: {type(problem).__name__}: {problem}"
        raise TargetError(message, "correct the module; its traceback stands above") from problem


def _attribute(module: ModuleType, attribute: str) -> Any:
    found: Any = module
    for part in attribute.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise TargetError(
                f"{module.__name__} has no attribute {attribute!r}", _instead(module, part)
            ) from None
    return found


def _instead(module: ModuleType, part: str) -> str:
    registries = [name for name, value in vars(module).items() if isinstance(value, ToolView)]
    near = difflib.get_close_matches(part, [name for name in vars(module) if name[:1] != "_"], n=1)
    offered = registries or near
    if offered:
        return f"did you mean {module.__name__}:{offered[0]}?"
    return "name a ToolRegistry, or a function that returns one"


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
