"""`MODULE:NAME…` → declarations of tools: each object by what it is."""

import importlib
import inspect
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from ...diagnostics import Diagnostic
from ..declarations import Declarations, Declared
from ..spec_text import UnwritableError, check_writable
from .classes import declare_class, snake_case
from .frameworks import FrameworkError, framework_reader
from .functions import declare_function
from .problems import Origin
from .source_places import SourcePlace, place_of, shown
from .targets import TargetError, load_target

_MAX_DEPTH = 4
"""Collections within collections."""
_MAX_ITEMS = 5_000
_EXPECTED = (
    "name a function, a class with fields, a FastMCP server, a tool of LangChain, openai-agents or "
    "pydantic-ai, or a list of such"
)
Read: TypeAlias = Declared | Diagnostic


def read_objects(targets: Sequence[str]) -> Declarations:
    """The tools that objects of Python modules declare. Runs those modules.

    Args:
        targets: `MODULE:NAME` of functions, classes, tools, servers, toolsets, or collections of them.
            Modules are searched as `python -m` does, the working directory first.

    Returns:
        The tools in order, and what could not be read.
    """
    tools: list[Declared] = []
    problems: list[Diagnostic] = []
    for target in targets:
        try:
            module, value = load_target(target)
        except TargetError as error:
            problems.append(error.diagnostic)
            continue
        _load_pydantic()
        place = SourcePlace(shown(getattr(module, "__file__", None) or module.__name__))
        for found in _read(value, target, place, 0):
            if isinstance(found, Declared):
                tools.append(found)
            else:
                problems.append(found)
    label = ", ".join(sorted({target.partition(":")[0] for target in targets}))
    return Declarations(tools=tuple(tools), diagnostics=tuple(problems), kind="python", label=label)


def _load_pydantic() -> None:
    """pydantic reads the constraints of annotated-types; a program may have those without pydantic."""
    if "annotated_types" in sys.modules:
        importlib.import_module("pydantic")


def _read(value: Any, target: str, place: SourcePlace, depth: int) -> Iterator[Read]:
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


def _items(value: Any, origin: Origin, depth: int) -> Iterator[Read]:
    if depth >= _MAX_DEPTH or len(value) > _MAX_ITEMS:
        message = f"it holds more than {_MAX_DEPTH} levels of collections, or more than {_MAX_ITEMS} items"
        yield origin.problem("import-python-tool", message, _EXPECTED)
        return
    pairs = value.items() if isinstance(value, Mapping) else enumerate(value)
    for key, item in pairs:
        yield from _read(item, f"{origin.target}[{key!r}]", origin.place, depth + 1)


def _declare(value: Any, origin: Origin) -> Iterator[Read]:
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


def _function_name(function: Any, origin: Origin) -> str:
    """Its own name where it has one; else the name under which the program keeps it."""
    if inspect.isroutine(function) and function.__name__.isidentifier():
        return function.__name__
    kept = origin.target.rpartition(":")[2].rpartition(".")[2].partition("[")[0]
    key = origin.target.rpartition("[")[2].rstrip("]").strip("'\"")
    return key if origin.target.endswith("]") and not key.isdigit() else snake_case(kept)


def _checked(declared: Declared, origin: Origin) -> Read:
    """`declared`, if a spec can hold it: what a framework or a default states may be no JSON."""
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
