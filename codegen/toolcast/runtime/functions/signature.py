"""The signature of a function: its parameters with resolved annotations, and what a framework injects."""

import functools
import inspect
from collections import Counter
from collections.abc import Callable, Mapping
from copy import copy
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from msgspec import Struct

from ...jsonschema.json_values import JsonObject

EMPTY: Any = inspect.Parameter.empty
"""Stands for a default or an annotation that is not there."""
OWN = "toolcast"
"""The framework of `ToolContext`."""
FASTMCP = "FastMCP"
"""The framework whose context and dependencies `adapt` passes, too."""

_CONTEXTS = (
    ("toolcast.runtime.context", "ToolContext", OWN),
    ("fastmcp", "Context", FASTMCP),
    ("mcp.server", "Context", "the MCP SDK"),
    ("pydantic_ai", "RunContext", "pydantic-ai"),
    ("agents", "RunContextWrapper", "openai-agents"),
)
"""Classes whose instances a framework passes to its tools: package, name, framework."""
_INSIDE = ("fn", "func", "coroutine", "function")
"""Attributes in which frameworks' tools keep the function that they were made of."""


class FunctionError(TypeError):
    """A function has no signature that JSON arguments can fill. `problems` are sentences."""

    def __init__(self, name: str, problems: tuple[str, ...]) -> None:
        super().__init__(f"{name}: {'; '.join(problems)}")
        self.problems = problems


class Parameter(Struct, frozen=True, kw_only=True):
    """One parameter of a function. `wire` is its name in JSON, which pydantic's `Field(alias=…)` may state;
    `annotation` is its type with `Annotated` metadata, `Any` for none; `default` is EMPTY if an argument is
    required; `stated`: `default` stands in the metadata (`= Field(5)`), so that a call has to pass it."""

    name: str
    wire: str
    annotation: Any
    default: Any = EMPTY
    stated: bool = False

    @property
    def required(self) -> bool:
        """True if a call has to pass it."""
        return self.default is EMPTY


class Signature(Struct, frozen=True, kw_only=True):
    """The `parameters` that a model fills in, and the result, of a function. `contexts` are parameters that a
    framework injects, each with the framework, `needed` those without a default; `further` is the type of
    the values of `**kwargs`, `returns` that of the result; EMPTY for none.
    """

    parameters: tuple[Parameter, ...]
    contexts: Mapping[str, str]
    needed: tuple[str, ...]
    further: Any = EMPTY
    returns: Any = EMPTY
    decoded: bool = False


def plain_function(tool: object) -> object:
    """Return the function behind a framework's tool object; `tool` itself if there is none. FastMCP,
    LangChain and pydantic-ai keep it in an attribute of the tool."""
    if inspect.isroutine(tool) or isinstance(tool, (type, functools.partial)):
        return tool
    found = (getattr(tool, name, None) for name in _INSIDE)
    return next((function for function in found if callable(function)), tool)


def function_name(function: Any) -> str:
    """Return the name of a callable, for messages and logs."""
    while isinstance(function, functools.partial):
        function = function.func
    return str(getattr(function, "__qualname__", None) or type(function).__qualname__)


def read_signature(function: Callable[..., object], name: str) -> Signature:
    """Return the signature of anything that can be called with keywords. `name` is for messages. Raises
    FunctionError with every problem."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        raise FunctionError(name, ("has no signature that Python can read",)) from None
    hints = _hints(function, name)
    parameters: list[Parameter] = []
    contexts: dict[str, str] = {}
    needed: list[str] = []
    further: object = EMPTY
    problems: list[str] = []
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        problems.append("it yields its result in pieces, and a call has one result: return a list")
    if inspect.isfunction(function) and next(iter(signature.parameters), "") == "self":
        problems.append("it is a method without its object: name it through an instance")
    for parameter in signature.parameters.values():
        annotation = hints.get(parameter.name, Any)
        stand_in = _is_stand_in(parameter.default)
        framework = _injects(annotation) or (FASTMCP if stand_in else None)
        if framework is not None:
            contexts[parameter.name] = framework
            if parameter.default is parameter.empty or stand_in:
                needed.append(parameter.name)
        elif parameter.kind is parameter.POSITIONAL_ONLY:
            problems.append(
                f"its parameter `{parameter.name}` is positional-only, and arguments come by name: "
                "remove the `/`"
            )
        elif parameter.kind is parameter.VAR_POSITIONAL:
            problems.append(
                f"its `*{parameter.name}` takes arguments without names, which a JSON object does not have: "
                f"make it a parameter `{parameter.name}: list[…]`"
            )
        elif parameter.kind is parameter.VAR_KEYWORD:
            further = annotation
        else:
            parameters.append(_parameter(parameter, annotation))
    problems += [
        f"several of its parameters are `{wire}` in JSON: give each an alias of its own"
        for wire, count in Counter(each.wire for each in parameters).items()
        if count > 1
    ]
    if problems:
        raise FunctionError(name, tuple(problems))
    return Signature(
        parameters=tuple(parameters),
        contexts=contexts,
        needed=tuple(needed),
        further=further,
        returns=hints.get("return", EMPTY),
        decoded=hasattr(function, "__fastmcp__"),
    )


def _parameter(parameter: inspect.Parameter, annotation: Any) -> Parameter:
    default: Any = parameter.default
    stated = is_field_info(default)
    if stated:  # `= Field(…)`: metadata, and perhaps the default
        annotation = Annotated[annotation, default]
        default = EMPTY if default.is_required() else default.get_default(call_default_factory=True)
    annotation, alias = _without_alias(annotation)
    return Parameter(
        name=parameter.name,
        wire=alias or parameter.name,
        annotation=annotation,
        default=default,
        stated=stated,
    )


def _without_alias(annotation: Any) -> tuple[Any, str]:
    """Return a type, and the name that its metadata give the parameter in JSON. Outside of a model pydantic
    ignores it with a warning."""
    if get_origin(annotation) is not Annotated:
        return annotation, ""
    inner, *metadata = get_args(annotation)
    alias = ""
    for at, each in enumerate(metadata):
        if is_field_info(each):
            metadata[at] = plain = copy(each)
            stated = each.validation_alias  # a name, or choices of names
            alias = next(
                (name for name in (stated, *getattr(stated, "choices", ())) if isinstance(name, str)), alias
            )
            for member in ("alias", "validation_alias", "serialization_alias"):
                setattr(plain, member, None)
    return Annotated[inner, *metadata], alias


def is_field_info(value: object) -> bool:
    """Tell whether `value` is what pydantic's `Field` returns."""
    kind = type(value)
    return kind.__name__ == "FieldInfo" and kind.__module__.partition(".")[0] == "pydantic"


def _hints(function: object, name: str) -> JsonObject:
    """Return annotations as types. Raises FunctionError if one names what is not there at run time."""
    target = function
    while isinstance(target, functools.partial):
        target = target.func
    if isinstance(target, type):
        target = vars(target).get("__init__", target)
    elif not inspect.isroutine(target):
        target = type(target).__call__
    target = inspect.unwrap(target)
    try:
        return get_type_hints(target, include_extras=True)
    except NameError as problem:
        missing = f"an annotation names `{problem.name}`, which its module does not have when it runs"
        raise FunctionError(name, (f"{missing}: import it outside of `if TYPE_CHECKING`",)) from None
    except Exception as problem:  # annotations are the program's own code
        reason = f"its annotations cannot be resolved ({type(problem).__name__}: {problem})"
        raise FunctionError(name, (reason,)) from None


def _injects(annotation: object) -> str | None:
    for part in union_members(annotation):
        kind = get_origin(part) or part
        for base in getattr(kind, "__mro__", ()):
            for package, class_name, framework in _CONTEXTS:
                if base.__name__ == class_name and f"{base.__module__}.".startswith(f"{package}."):
                    return framework
    return None


def _is_stand_in(default: object) -> bool:
    """Tell whether a default stands for a value that FastMCP fills in: `Depends(…)`, `CurrentContext()`.
    FastMCP gives a parameter for its context such a default in the signature of a tool's function."""
    bases = ((base.__module__.partition(".")[0], base.__name__) for base in type(default).__mro__)
    return ("uncalled_for", "Dependency") in bases


def union_members(annotation: object) -> tuple[Any, ...]:
    """Return the types of a union without `Annotated` around them; the type itself if it is none."""
    while get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    if get_origin(annotation) in (Union, UnionType):
        return tuple(part for each in get_args(annotation) for part in union_members(each))
    return (annotation,)
