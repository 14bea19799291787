"""Import the generated package, and a program's registry with its logs, faults and end."""

import asyncio
import difflib
import importlib
import inspect
import logging
import os
import sys
import traceback
from collections.abc import Generator, Mapping
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, TypeVar

from ..config import Config, show
from ..console import one_line, print_diagnostics, printable
from ..diagnostics import Diagnostic
from ..output_layout import REGISTRY

if TYPE_CHECKING:
    from ..runtime import ToolBinding
    from ..runtime.view import ToolView


def module_of(folder: Path) -> tuple[Path, str]:
    """Return the folder from which a package is imported, and its import name below the last folder that is
    no package.
    """
    parts = [folder.name]
    above = folder.parent
    while (above / "__init__.py").is_file() and above != above.parent:
        parts.insert(0, above.name)
        above = above.parent
    return above, ".".join(parts)


def package_name(config: Config) -> str:
    """Return the import name of the output folder."""
    return module_of(config.output)[1]


def load_bindings(config: Config) -> "Mapping[str, ToolBinding[Any, Any]]":
    """Import the generated registry, or end the command."""
    from .options import refuse

    file = config.output / REGISTRY
    if not file.is_file():
        raise refuse(show(file), "not-generated", "nothing is generated yet", "run: toolcast generate")
    above, package = module_of(config.output)
    if str(above) not in sys.path:
        sys.path.insert(0, str(above))
    try:
        module = importlib.import_module(f"{package}.{REGISTRY.removesuffix('.py')}")
    except Exception as problem:  # a generated module
        message = f"it cannot be imported: {type(problem).__name__}: {problem}"
        raise refuse(show(file), "not-imported", message, "run: toolcast generate") from None
    if Path(str(module.__file__)).resolve() != file.resolve():
        message = f"another module is imported as {package}: {module.__file__}"
        raise refuse(show(file), "not-imported", message, "rename `output`, or change PYTHONPATH")
    bindings: Mapping[str, ToolBinding[Any, Any]] = module.BINDINGS
    return bindings


APP: Final = "app"
"""The module that registers all handlers, which `toolcast stubs` writes beside their folder."""

T = TypeVar("T")


class TargetError(Exception):
    """There is no such object under the name `target`; `hint` is the way out."""

    def __init__(self, message: str, hint: str = "", target: str = "") -> None:
        super().__init__(message)
        self.hint = hint
        self.target = target


async def load_registry(target: str, *, here: bool = True) -> "ToolView":
    """Load the registry, or the selection of one, that `MODULE:ATTRIBUTE` names; see `load_target`."""
    from ..runtime.view import ToolView

    return await load_target(target, ToolView, "a ToolRegistry", here=here)


async def load_target(target: str, wanted: type[T], noun: str, *, here: bool = True) -> T:
    """Load the object that `MODULE:ATTRIBUTE` names, or that it returns when it is called without arguments.

    With `here`, the working directory is searched first. `noun` says what it has to be. Raises TargetError,
    caused by whatever the program's own code raised.
    """
    if here and (folder := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, folder)
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
    except Exception as problem:  # the program's function
        raise TargetError(
            f"{target}() raised {type(problem).__name__}: {problem}", "it is called without arguments"
        ) from problem
    if not isinstance(made, wanted):
        raise TargetError(
            f"{target}() returned a value of type {type(made).__name__}, not {noun}", f"return {noun} itself"
        )
    return made


def _module(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as missing:
        if missing.name is not None and (name == missing.name or name.startswith(f"{missing.name}.")):
            hint = f"run this in the folder from which `import {name}` works, or set PYTHONPATH to it"
            written = f"; `toolcast stubs` writes {APP}.py" if name == APP else ""
            raise TargetError(f"there is no module {missing.name!r}", hint + written) from None
        hint = "install what it needs into this environment; if toolcast generates it, run: toolcast generate"
        raise TargetError(f"importing {name} failed: {missing}", hint) from missing
    except Exception as problem:  # the program's module
        message = f"importing {name} failed: {type(problem).__name__}: {problem}"
        raise TargetError(message, "correct the module; its traceback stands above") from problem


def _attribute(module: ModuleType, attribute: str, wanted: type[object], noun: str) -> object:
    found: object = module
    for part in attribute.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise TargetError(
                f"{module.__name__} has no attribute {attribute!r}", _instead(module, part, wanted, noun)
            ) from None
    return found


def _instead(module: ModuleType, part: str, wanted: type[object], noun: str) -> str:
    fitting = [name for name, value in vars(module).items() if isinstance(value, wanted)]
    near = difflib.get_close_matches(part, [name for name in vars(module) if name[:1] != "_"], n=1)
    offered = fitting or near
    if offered:
        return f"did you mean {module.__name__}:{offered[0]}?"
    return f"name {noun}, or a function that returns one"


@contextmanager
def quiet_stdout() -> Generator[None, None, None]:
    """Send to stderr what Python or a child process prints meanwhile."""

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


_CLOSING = 5.0
"""Seconds that handlers have to release what they hold."""


def no_registry(target: str, problem: "TargetError") -> int:
    """Print why there is no registry, with the traceback of the program's own fault; return the status."""
    if problem.__cause__ is not None:
        traceback.print_exception(problem.__cause__)
    file = problem.target or target
    print_diagnostics((Diagnostic(file=file, code="no-registry", message=str(problem), hint=problem.hint),))
    return 1


async def close(registry: "ToolView") -> None:
    """Release what the registry's handlers hold; failures go to the log."""
    aclose = getattr(registry, "aclose", None)
    if aclose is None:
        return
    try:
        async with asyncio.timeout(_CLOSING):
            await aclose()
    except Exception:  # a handler's
        logging.getLogger("toolcast.mcp").exception("The registry was not closed properly.")


class _OneLine(logging.Formatter):
    """Writes each record on one line, a traceback indented below it; both quote what others send."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the name that logging calls
        return one_line(super().formatMessage(record))

    def formatException(self, ei: Any) -> str:  # noqa: N802 - the name that logging calls
        return "\n".join(f"  {printable(line)}" for line in super().formatException(ei).split("\n"))


def log_to_stderr(level: int = logging.INFO, *, verbose: bool = False) -> None:
    """Log to stderr: our records, and from others what matters."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_OneLine("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(handlers=[handler])
    logging.getLogger("toolcast").setLevel(level)
    if verbose:
        logging.getLogger().setLevel(logging.INFO)
        logging.getLogger("mcp").setLevel(logging.DEBUG)
