"""`MODULE:NAME` → declarations of tools: each object by what it is.

Runs the user's modules, in a process of its own: `python -m … OUT TARGET…`.
"""

import importlib
import inspect
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
from msgspec import structs

from ...diagnostics import Diagnostic
from ..declared_tools import Declarations, Declared
from ..spec_text import UnwritableError, check_writable
from .frameworks import FrameworkError, framework_reader, item_name
from .functions import declare_class, declare_function, snake_case
from .targets import Origin, SourcePlace, TargetError, load_target, place_of, shown

_MAX_DEPTH = 4
"""Collections within collections."""
_MAX_ITEMS = 5_000
_EXPECTED = (
    "name a function, a class with fields, a FastMCP server, a tool of LangChain, openai-agents or "
    "pydantic-ai, or a list of such"
)
_Read: TypeAlias = Declared | Diagnostic


def read_object(target: str) -> Declarations:
    """Read the tools that `MODULE:NAME` declares: a function, class, tool, server, toolset, or collection of
    them.

    Runs its module, which is searched as `python -m` does. Each object is a source of its own: a tool that is
    gone from one says nothing about others.
    """
    try:
        module, value = load_target(target)
    except TargetError as error:
        return Declarations(tools=(), diagnostics=(error.diagnostic,), kind="python", label=target)
    _load_pydantic()
    place = SourcePlace(shown(getattr(module, "__file__", None) or module.__name__))
    found = list(_read(value, target, place, 0))
    return Declarations(
        tools=tuple(each for each in found if isinstance(each, Declared)),
        diagnostics=tuple(each for each in found if not isinstance(each, Declared)),
        kind="python",
        label=target,
    )


def _load_pydantic() -> None:
    """Import pydantic, which reads the constraints of annotated-types, where a program has those."""
    if "annotated_types" in sys.modules:
        importlib.import_module("pydantic")


def _read(value: object, target: str, place: SourcePlace, depth: int) -> Iterator[_Read]:
    origin = Origin(target=target, place=place)
    if isinstance(value, (list, tuple, set, frozenset, Mapping)):
        yield from _items(value, origin, depth)
        return
    origin = Origin(target=target, place=place_of(value, place))
    try:
        for found in _declare(value, origin):
            yield _checked(found, origin) if isinstance(found, Declared) else found
    except FrameworkError as error:
        yield origin.problem("import-python-tool", str(error), _EXPECTED)
    except Exception as error:  # frameworks and the program's own types run here
        words = f"{type(error).__name__}: {str(error)[:300]}"
        yield origin.problem("import-python-tool", f"it cannot be read: {words}")


def _items(value: Any, origin: Origin, depth: int) -> Iterator[_Read]:
    if depth >= _MAX_DEPTH or len(value) > _MAX_ITEMS:
        message = f"it holds more than {_MAX_DEPTH} levels of collections, or more than {_MAX_ITEMS} items"
        yield origin.problem("import-python-tool", message, _EXPECTED)
        return
    pairs = value.items() if isinstance(value, Mapping) else enumerate(value)
    names: set[str] = set()
    for key, item in pairs:
        target = f"{origin.target}[{key!r}]"
        for found in _read(item, target, origin.place, depth + 1):
            named = found
            if isinstance(found, Declared) and found.name.startswith(target):
                # Not by its index, which is another tool's when one comes into the collection or leaves it.
                name = item_name(item, found.spec_name or found.name, origin)
                named = found if name in names else structs.replace(found, name=name)
            if isinstance(named, Declared):
                names.add(named.name)
            yield named


def _declare(value: object, origin: Origin) -> Iterator[_Read]:
    reader = framework_reader(value)
    if reader is not None:
        yield from reader(value, origin)
        return
    if isinstance(value, type):
        declared, problems = declare_class(value, origin)
    elif callable(value):
        declared, problems = declare_function(value, _function_name(value, origin), origin)
    else:
        kind = type(value).__name__
        yield origin.problem("import-python-tool", f"an object of type {kind} declares no tool", _EXPECTED)
        return
    yield from problems
    if declared is not None:
        yield declared


def _function_name(function: object, origin: Origin) -> str:
    """Return the function's own name; else the name under which the program keeps it."""
    if inspect.isroutine(function) and function.__name__.isidentifier():
        return function.__name__
    kept = origin.target.rpartition(":")[2].rpartition(".")[2].partition("[")[0]
    key = origin.target.rpartition("[")[2].rstrip("]").strip("'\"")
    return key if origin.target.endswith("]") and not key.isdigit() else snake_case(kept)


def _checked(declared: Declared, origin: Origin) -> _Read:
    try:
        check_writable(
            [
                *(declared.spec_name or declared.name, declared.description, declared.parameters),
                *(declared.result, declared.annotations, list(declared.icons), declared.meta),
            ]
        )
    except UnwritableError as error:
        return origin.problem("import-unwritable", f"it cannot be written as YAML: {error}")
    return declared


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
