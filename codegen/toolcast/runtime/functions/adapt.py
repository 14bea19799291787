"""Existing functions as handlers of generated bindings."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import msgspec

from ...jsonschema.cases import ALL, OBJECT, Part, Side, admitted
from ...jsonschema.json_values import JsonMapping
from ..binding import AnyBinding, ToolBinding
from ..checked_types import trusted_hook
from ..context import ToolContext
from ..handlers import find_precheck, is_async
from ..resources import read_resource
from ..result import ToolResult
from .conversions import outgoing, schemas_of
from .fitting import Arguments, fit
from .signature import EMPTY, FunctionError, Signature, function_name, plain_function, read_signature

P = TypeVar("P")


class AdaptError(TypeError):
    """A function does not fit the contract of the tool that it is to carry out.

    Attributes:
        function: its name.
        tool: name of the tool.
        differences: every difference, in words.
    """

    def __init__(self, function: str, tool: str, differences: tuple[str, ...]) -> None:
        super().__init__(function, tool, differences)
        self.function = function
        self.tool = tool
        self.differences = differences

    def __str__(self) -> str:
        """Return all differences, one per line, and what to do about them."""
        lines = "\n".join(f"- {each}" for each in self.differences)
        return (
            f"{self.function} does not fit tool {self.tool!r}:\n{lines}\n"
            "Change the function or the spec, or write a handler that translates."
        )


def adapt(function: Callable[..., Any], binding: ToolBinding[P, Any]) -> Callable[[P, ToolContext], Any]:
    """Make a handler, for `ToolRegistry.register`, of an existing function.

    The function gets the parameters of a call by name, as the types that it annotates: pydantic models,
    dataclasses, Structs, TypedDicts, enums. A function with one parameter of such a class that the contract
    does not have gets all parameters as that. An absent optional parameter is not passed. A parameter of type
    `ToolContext` gets the context. The returned value is converted to the result of the binding.

    The signature is compared with the contract here, once; a call only converts values. A value that the
    contract accepts and the function's type refuses is a failed result that names it.

    Args:
        function: a function, method, `functools.partial` or callable object, sync or async; or a tool of
            FastMCP, LangChain or pydantic-ai that was made of a function.
        binding: the generated binding.

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
    handler: Any = _handler(target, arguments, _result_maker(binding, signature, document))
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

        async def awaited(params: Any, context: ToolContext, /) -> object:
            return result(await function(**arguments(params, context)))

        return awaited

    def called(params: object, context: ToolContext, /) -> object:
        value = function(**arguments(params, context))
        # A plain callable over an async one: a lambda, a decorator.
        return _awaited(value, result) if isinstance(value, Awaitable) else result(value)

    return called


async def _awaited(value: Awaitable[object], result: Callable[[object], object]) -> object:
    return result(await value)


def _result_maker(
    binding: AnyBinding, signature: Signature, document: JsonMapping
) -> Callable[[object], object]:
    """Return what makes the binding's result of a returned value. `document` is the contract. A value that
    does not fit is passed on as plain data: `check_results` reports it, as for every handler."""
    wanted = binding.result
    if wanted is None:
        return lambda value: value if isinstance(value, (str, ToolResult)) else outgoing(value)
    wraps = _wraps(Part(Side(document), document["result"], ""), signature)

    def make(value: object) -> object:
        if isinstance(value, ToolResult) or (isinstance(wanted, type) and type(value) is wanted):
            return value
        if wraps:
            return _wrapped(outgoing(value), wanted)
        if value is None or isinstance(value, str):
            return value
        return _typed(outgoing(value), wanted)

    return make


def _typed(data: Any, wanted: Any) -> Any:
    try:
        return msgspec.convert(data, wanted, dec_hook=trusted_hook)
    except ValueError:
        return data


def _wrapped(data: object, wanted: object) -> object:
    """Return the object that the contract wants, with the text of the value itself, as FastMCP sends it. Not
    if that text is an object of its own: a reader of data in texts would take it for the wanted one."""
    made = _typed({"result": data}, wanted)
    if data is None:
        return ToolResult.ok("", made)
    try:
        text = data if isinstance(data, str) else msgspec.json.encode(data).decode()
    except UnicodeEncodeError:
        return made  # lone surrogates, which are replaced where results are encoded
    return made if text.lstrip()[:1] == "{" else ToolResult.ok(text, made)


def _wraps(result: Part, signature: Signature) -> bool:
    """Tell whether the contract wants `{"result": …}` of a function that may return no object: FastMCP and
    the MCP SDK declare such results, as a tool's data had to be an object."""
    schema = result.resolved().schema
    if not isinstance(schema, dict) or list(schema.get("properties", ())) != ["result"]:
        return False
    if signature.returns is EMPTY:
        return False
    found = schemas_of({"result": signature.returns}, "serialization")
    returned = Part(Side(found.document), found.schemas.get("result", True), "")
    return admitted(returned) not in (OBJECT, ALL)
