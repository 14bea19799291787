"""Existing functions as handlers of generated bindings."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import msgspec

from ..binding import ToolBinding
from ..context import ToolContext
from ..handlers import find_precheck, is_async
from ..resources import read_resource
from .adapt_error import AdaptError
from .fitting import Arguments, fit
from .returned_values import result_maker
from .signature import FunctionError, function_name, plain_function, read_signature

P = TypeVar("P")


def adapt(function: Callable[..., Any], binding: ToolBinding[P, Any]) -> Callable[[P, ToolContext], Any]:
    """Make a handler of an existing function.

    The function gets the parameters of a call by name, as the types that it annotates: pydantic models,
    dataclasses, Structs, TypedDicts, enums. A function with one parameter that the contract does not have,
    of such a class, gets all parameters as that. An optional parameter that a call leaves out is not
    passed. A parameter of type `ToolContext` gets the context of the call. What the function returns is
    converted to the result of the binding.

    The signature is compared with the contract here, once; a call only converts values. A value that the
    contract accepts and the function's type refuses is a failed result that names it.

    Args:
        function: a function, method, `functools.partial` or callable object, sync or async; or a tool of
            FastMCP, LangChain or pydantic-ai that was made of a function.
        binding: the generated binding.

    Returns:
        The handler, for `ToolRegistry.register`.

    Raises:
        AdaptError: the function does not fit the contract; it names every difference.
        MissingDataError: the contract file is missing.
    """
    target = plain_function(function)
    name = function_name(target)
    if isinstance(target, type):
        reason = "is a class, which describes parameters and carries out no call: adapt a function"
        raise AdaptError(name, binding.name, (reason,))
    if not callable(target):
        reason = "holds no function that can be called: adapt the function that it was made of"
        raise AdaptError(name, binding.name, (reason,))
    try:
        signature = read_signature(target, name)
    except FunctionError as problem:
        raise AdaptError(name, binding.name, problem.problems) from None
    document = msgspec.json.decode(read_resource(binding.module, binding.contract))
    arguments, problems = fit(signature, binding, document)
    if problems:
        raise AdaptError(name, binding.name, tuple(problems))
    handler: Any = _handler(target, arguments, result_maker(binding, signature, document))
    precheck = find_precheck(target)
    if precheck is not None:
        handler.precheck = precheck
    handler.__module__ = getattr(target, "__module__", None) or __name__
    handler.__name__ = handler.__qualname__ = name  # the log names it where a registration is refused
    handler.__doc__ = target.__doc__
    made: Callable[[P, ToolContext], Any] = handler
    return made


def _handler(
    function: Callable[..., Any], arguments: Arguments, result: Callable[[Any], Any]
) -> Callable[[Any, ToolContext], Any]:
    if is_async(function):

        async def awaited(params: Any, context: ToolContext, /) -> Any:
            return result(await function(**arguments(params, context)))

        return awaited

    def called(params: Any, context: ToolContext, /) -> Any:
        value = function(**arguments(params, context))
        # A plain callable over an async one: a lambda, a decorator.
        return _awaited(value, result) if isinstance(value, Awaitable) else result(value)

    return called


async def _awaited(value: Awaitable[Any], result: Callable[[Any], Any]) -> Any:
    return result(await value)
