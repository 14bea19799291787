"""Existing functions as handlers of generated bindings: the differences from the contract, and the calls."""

import inspect
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, TypeAlias, TypeVar

import msgspec
from msgspec import NODEFAULT, UNSET, Struct

from ...jsonschema.cases import ALL, NULL, OBJECT, Part, Side, admitted, names_of_types
from ...jsonschema.json_values import JsonMapping, JsonObject, nested_objects
from ..binding import AnyBinding, ToolBinding
from ..checked_types import trusted_hook
from ..codec import EXTRA
from ..context import ToolContext
from ..handlers import find_precheck, is_async
from ..resources import read_resource
from ..result import Content, ToolResult, structured
from .conversions import Incoming, TypeSchemas, incoming, json_default, outgoing, refusal, schemas_of
from .framework_values import framework_result, in_fastmcp_context, langchain_result, refuse_tool_error
from .signature import (
    EMPTY,
    FASTMCP,
    OWN,
    FunctionError,
    Parameter,
    Signature,
    function_name,
    plain_function,
    read_signature,
    union_members,
)

Arguments: TypeAlias = Callable[[Any, ToolContext], JsonObject]
"""Makes the keyword arguments of one call. Raises RefusalError for a value that a type refuses."""

_MAX_DEPTH = 32
"""Levels that are compared; recursive types end here."""


class _Field(Struct, frozen=True):
    """The way of one property of the contract to the function. `name` is the function's parameter,
    `attribute` the Struct's field, `absent` its value if a call leaves the property out (NODEFAULT for none);
    `convert` makes the function's value."""

    name: str
    attribute: str
    absent: Any
    convert: Incoming


class _Sides(Struct, frozen=True, kw_only=True):
    """Both sides of a comparison. `contract` is the schema of the tool's parameters, `properties` are its
    properties by name, `attributes` those of the Struct by the names of the properties, `found` the schemas
    of the function's types by parameter."""

    signature: Signature
    binding: AnyBinding
    contract: Part
    properties: JsonMapping
    attributes: Mapping[str, str]
    found: TypeSchemas

    def incoming(self, annotation: Any, schema: object) -> Incoming:
        """Return how values of a type are made of those that `schema` describes."""
        described = nested_objects([schema, self.contract.side.document.get("$defs")])
        defaults = any("default" in each for each in described)
        return incoming(annotation, defaults=defaults, decoded=self.signature.decoded)

    def taken(self, parameter: str) -> Part:
        return Part(Side(self.found.document), self.found.schemas.get(parameter, True), "")


def fit(signature: Signature, binding: AnyBinding, document: JsonMapping) -> tuple[Arguments, list[str]]:
    """Return what makes the arguments of each call, and every difference between function and contract.
    `document` is the contract. With differences, the first value is of no use."""
    problems = _injected(signature)
    sides = _sides(signature, binding, document)
    sent = set(_parameter_names(sides).values())
    problems += _unmade(sides.found, sent)
    single = _single(sides)
    if single is not None:
        problems += _differences(sides.contract, sides.taken(single.name), "$")
    else:
        problems += _named_differences(sides)
    if problems:
        return (lambda _params, _context: {}), problems
    make = _as_one(single, sides) if single is not None else _by_name(sides)
    contexts = tuple(name for name, framework in signature.contexts.items() if framework == OWN)
    if not contexts:
        return lambda params, _context: make(params), []
    return lambda params, context: {**make(params), **dict.fromkeys(contexts, context)}, []


def obstacle(function: Any) -> str:
    """Return why no handler can be made of a function, whatever the contract is, and the call to complete; ""
    where one can, and for a framework's tool that keeps no function."""
    target = plain_function(function)
    if not inspect.isroutine(target):
        return ""
    try:
        signature = read_signature(target, function_name(target))
    except FunctionError as problem:
        return "; ".join(problem.problems)
    names = [each.name for each in signature.parameters]
    found = schemas_of({each.name: each.annotation for each in signature.parameters}, "validation")
    reasons = [*_injected(signature), *_unmade(found, names)]
    if any(getattr(part, "__name__", "") == "ResourceLink" for part in union_members(signature.returns)):
        reasons.append("its result is a link, which no content of a result is: return the resource, or text")
    filled = [*(f"{name}=…" for name in signature.needed), *(f"{name}=params.{name}" for name in names)]
    call = f"{'await ' * is_async(target)}{function_name(target)}({', '.join(filled)})"
    return f"{'; '.join(reasons)}. Its handler completes {call}" if reasons else ""


def _unmade(found: TypeSchemas, names: Iterable[str]) -> list[str]:
    kept = {name: why for name, why in found.problems.items() if name in names}
    return [f"{name}: its type cannot be made of JSON: {why}" for name, why in kept.items()]


def _injected(signature: Signature) -> list[str]:
    return [
        f"{name}: only {signature.contexts[name]} passes such a value; give the parameter a default, or pass "
        "one with functools.partial"
        for name in signature.needed
        if signature.contexts[name] not in (OWN, FASTMCP)
    ]


def _sides(signature: Signature, binding: AnyBinding, document: JsonMapping) -> _Sides:
    contract = Part(Side(document), document["parameters"], "")
    schema = contract.resolved().schema
    params: Any = binding.params
    named = hasattr(params, "__struct_fields__")
    return _Sides(
        signature=signature,
        binding=binding,
        contract=contract,
        properties=schema.get("properties", {}) if named and isinstance(schema, dict) else {},
        attributes=dict(zip(params.__struct_encode_fields__, params.__struct_fields__, strict=True))
        if named
        else {},
        found=schemas_of({each.name: each.annotation for each in signature.parameters}, "validation"),
    )


def _single(sides: _Sides) -> Parameter | None:
    """Return the one parameter that takes all properties as one object, or None."""
    required = [each for each in sides.signature.parameters if each.required]
    if len(required) != 1 or sides.signature.further is not EMPTY:
        return None
    (parameter,) = required
    is_object = admitted(sides.taken(parameter.name)) == OBJECT
    return parameter if is_object and parameter.wire not in sides.properties else None


def _parameter_names(sides: _Sides) -> dict[str, str]:
    names = {each.wire: each.name for each in sides.signature.parameters}
    made = {wire: names.get(wire, sides.attributes.get(wire, wire)) for wire in sides.properties}
    return {wire: name for wire, name in made.items() if name in names.values()}


def _named_differences(sides: _Sides) -> list[str]:
    if not sides.attributes and not hasattr(sides.binding.params, "__struct_fields__"):
        return [
            "the parameters of the contract are no object with properties of its own, which named parameters "
            "could take: give the function one parameter for all of them"
        ]
    names = _parameter_names(sides)
    problems: list[str] = []
    if sides.signature.further is EMPTY:
        problems += [
            f"{wire}: the contract has this parameter, the function does not"
            for wire in sides.properties
            if wire not in names
        ]
        if getattr(sides.binding.params, EXTRA, None) is not None:
            problems.append("the contract takes further parameters, the function has no `**kwargs` for them")
    problems += [
        f"{each.name}: the function requires this parameter, the contract does not have it"
        for each in sides.signature.parameters
        if each.required and each.name not in names.values()
    ]
    parameters = {each.name: each for each in sides.signature.parameters}
    required = sides.contract.resolved().schema.get("required", ())
    for wire, name in names.items():
        place, parameter = sides.contract.resolved().below("properties", wire), parameters[name]
        problems += _differences(place, sides.taken(name), name)
        if parameter.required and wire not in required and not _has_default(place):
            problems.append(f"{name}: the function requires it, and in the contract it is optional")
        problems += _default_differences(place, parameter)
    return problems


def _default_differences(place: Part, parameter: Parameter) -> list[str]:
    """Compare defaults that both state. None alone often means "absent", if the contract has no null."""
    if parameter.required or not isinstance(place.schema, dict) or "default" not in place.schema:
        return []
    own, stated = json_default(parameter.default, parameter.annotation), place.schema["default"]
    absent = own is None and not admitted(place) & NULL
    if own is NODEFAULT or absent or own == stated:
        return []
    return [f"{parameter.name}: the contract's default is {stated!r}, the function's is {own!r}"]


def _as_one(parameter: Parameter, sides: _Sides) -> Callable[[object], JsonObject]:
    convert = sides.incoming(parameter.annotation, sides.contract.schema)
    name, tool = parameter.name, sides.binding.name

    def make(params: object) -> JsonObject:
        try:
            return {name: convert(params)}
        except ValueError as problem:
            raise refusal(tool, "", problem) from problem

    return make


def _by_name(sides: _Sides) -> Callable[[object], JsonObject]:
    """Pass each parameter of a call as an argument. What is absent is not passed, so that the function's
    default applies."""
    parameters = {each.name: each for each in sides.signature.parameters}
    names = _parameter_names(sides)
    fields = tuple(_field(sides, wire, parameters[name]) for wire, name in names.items())
    stated = {each.name: each.default for each in parameters.values() if each.stated and not each.required}
    further = _further(sides, names)
    tool = sides.binding.name

    def make(params: object) -> JsonObject:
        made = dict(stated)
        name = ""
        try:
            for field in fields:
                value = getattr(params, field.attribute)
                if value is not field.absent and value is not UNSET:
                    name = field.name
                    made[name] = field.convert(value)
            if further is not None:
                made |= further(params)
        except ValueError as problem:
            raise refusal(tool, name, problem) from problem
        return made

    return make


def _field(sides: _Sides, wire: str, parameter: Parameter) -> _Field:
    attribute, schema = sides.attributes[wire], sides.properties[wire]
    params: Any = sides.binding.params
    default = next(each.default for each in msgspec.structs.fields(params) if each.name == attribute)
    is_value = isinstance(schema, dict) and "default" in schema  # null as the contract's own default
    absent = None if default is None and not is_value else NODEFAULT
    inner = (
        {key: each for key, each in schema.items() if key != "default"}
        if isinstance(schema, dict)
        else schema
    )
    convert = sides.incoming(parameter.annotation, inner)
    return _Field(parameter.name, attribute, absent, convert)


def _further(sides: _Sides, names: Mapping[str, str]) -> Callable[[object], JsonObject] | None:
    """Return what makes the arguments that only `**kwargs` takes; None if the function has none."""
    if sides.signature.further is EMPTY:
        return None
    convert = sides.incoming(sides.signature.further, sides.contract.schema)
    extra = getattr(sides.binding.params, EXTRA, None)
    others = {
        wire: _field(sides, wire, Parameter(name=wire, wire=wire, annotation=sides.signature.further))
        for wire in sides.properties
        if wire not in names
    }

    def make(params: object) -> JsonObject:
        values = {wire: (getattr(params, field.attribute), field.absent) for wire, field in others.items()}
        made = {
            wire: convert(value)
            for wire, (value, absent) in values.items()
            if value is not absent and value is not UNSET
        }
        rest = {} if extra is None else getattr(params, extra)
        return made | {wire: convert(value) for wire, value in rest.items()}

    return make


def _differences(contract: Part, function: Part, path: str, depth: int = 0) -> Iterator[str]:
    """Yield each difference in words: what the contract sends and the function does not take. A value that a
    type refuses for another reason (a range, a format) is refused when it arrives."""
    sent, taken = admitted(contract), admitted(function)
    if sent != ALL and sent & ~taken:
        yield f"{path}: the contract has {_words(sent)}, the function takes {_words(taken)}"
        return
    contract, function = contract.resolved(), function.resolved()
    if depth >= _MAX_DEPTH or isinstance(contract.schema, bool) or isinstance(function.schema, bool):
        return
    if "items" in contract.schema and isinstance(function.schema.get("items"), dict):
        yield from _differences(contract.below("items"), function.below("items"), f"{path}[]", depth + 1)
    if "properties" in function.schema:
        yield from _of_objects(contract, function, path, depth)
    yield from _of_values(contract.schema, function.schema, path)


def _of_objects(contract: Part, function: Part, path: str, depth: int) -> Iterator[str]:
    sent: JsonObject = contract.schema.get("properties", {})
    for name in sent:
        if name in function.schema["properties"]:
            inner = contract.below("properties", name), function.below("properties", name)
            yield from _differences(*inner, f"{path}.{name}", depth + 1)
        elif not function.schema.get("additionalProperties"):
            yield f"{path}.{name}: the function's type has no such field"
    for name in function.schema.get("required", ()):
        if name not in sent:
            yield f"{path}.{name}: the function's type requires it, and the contract does not have it"
        elif name not in contract.schema.get("required", ()) and not _has_default(
            contract.below("properties", name)
        ):
            yield f"{path}.{name}: the function's type requires it, and in the contract it is optional"


def _has_default(part: Part) -> bool:
    return any(isinstance(each, dict) and "default" in each for each in (part.schema, part.resolved().schema))


def _of_values(contract: JsonObject, function: JsonObject, path: str) -> Iterator[str]:
    sent, taken = _values(contract), _values(function)
    if sent is None or taken is None:
        return
    refused = [value for value in sent if value not in taken and value is not None]
    if refused:
        shown = ", ".join(repr(value) for value in refused[:5])
        yield f"{path}: the contract has the value {shown}, which the function's type does not have"


def _values(schema: JsonObject) -> list[Any] | None:
    if "const" in schema:
        return [schema["const"]]
    values = schema.get("enum")
    return values if isinstance(values, list) else None


def _words(mask: int) -> str:
    if mask == ALL:
        return "any value"
    return " or ".join(sorted(names_of_types(mask), key=lambda kind: (kind == "null", kind))) or "no value"


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
    result = _result_maker(binding, signature, document)
    if (format_ := getattr(function, "response_format", None)) is not None:  # a tool of LangChain
        result = _langchain_maker(result, artifact=format_ == "content_and_artifact")
    if FASTMCP in signature.contexts.values():
        handler: Any = _handler(in_fastmcp_context(target, arguments), _unchanged, result)
    else:
        handler = _handler(target, arguments, result)
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
            filled = arguments(params, context)
            try:
                value = await function(**filled)
            except Exception as problem:
                refuse_tool_error(problem)
                raise
            return result(value)

        return awaited

    def called(params: object, context: ToolContext, /) -> object:
        filled = arguments(params, context)
        try:
            value = function(**filled)
        except Exception as problem:
            refuse_tool_error(problem)
            raise
        # A plain callable over an async one: a lambda, a decorator.
        return _awaited(value, result) if isinstance(value, Awaitable) else result(value)

    return called


def _unchanged(params: object, context: ToolContext) -> JsonObject:
    return {"params": params, "context": context}


def _langchain_maker(result: Callable[[object], object], *, artifact: bool) -> Callable[[object], object]:
    def make(value: object) -> object:
        made = langchain_result(value, artifact=artifact)
        return result(value if made is None else made)

    return make


async def _awaited(value: Awaitable[object], result: Callable[[object], object]) -> object:
    return result(await value)


def _result_maker(
    binding: AnyBinding, signature: Signature, document: JsonMapping
) -> Callable[[object], object]:
    """Return what makes the binding's result of a returned value. `document` is the contract. A value that
    does not fit is passed on as plain data: `check_results` reports it, as for every handler."""
    wanted = binding.result
    write = partial(outgoing, by_alias=None) if signature.decoded else outgoing
    if wanted is None:
        return partial(_plain, write)
    wraps = _wraps(Part(Side(document), document["result"], ""), signature)

    def make(value: object) -> object:
        if isinstance(value, ToolResult) or (isinstance(wanted, type) and type(value) is wanted):
            return value
        if (made := framework_result(value)) is not None:
            return msgspec.structs.replace(made, data=_typed(made.data, wanted)) if made.data else made
        if wraps:
            data = write(value)
            return _wrapped(data, wanted) if binding.text is None else _typed({"result": data}, wanted)
        if value is None or isinstance(value, str):
            return value
        return _typed(write(value), wanted)

    return make


def _plain(write: Callable[[Any], object], value: object) -> object:
    if isinstance(value, (str, ToolResult)):
        return value
    if isinstance(value, bytes):
        with suppress(UnicodeDecodeError):
            return value.decode()
    made = framework_result(value)
    return write(value) if made is None else made


def _typed(data: Any, wanted: Any) -> Any:
    try:
        made = msgspec.convert(data, wanted, dec_hook=trusted_hook)
    except ValueError:
        return data
    names = getattr(wanted, "__struct_encode_fields__", None)
    if names is None or not isinstance(data, dict) or not (further := data.keys() - names):
        return made
    # A Struct decodes without what it does not name.
    place = getattr(wanted, EXTRA, None)
    if place is None:
        return data
    return msgspec.structs.replace(made, **{place: {name: data[name] for name in data if name in further}})


def _wrapped(data: object, wanted: object) -> object:
    """Return the object that the contract wants, with the text of the value itself, as FastMCP sends it."""
    made = _typed({"result": data}, wanted)
    if data is None or data == []:  # no items of content
        return ToolResult.ok("", made)
    try:
        text = data if isinstance(data, str) else msgspec.json.encode(data).decode()
    except UnicodeEncodeError:
        return made  # lone surrogates, which are replaced where results are encoded
    result = ToolResult.ok(text, made)
    if not isinstance(structured(result), dict):
        return result
    # An object with a `result` of its own would be read as the wanted one; a piece is not.
    return ToolResult.ok("", made, (Content.of(text),))


def _wraps(result: Part, signature: Signature) -> bool:
    """Tell whether the contract wants `{"result": …}` of a function that may return no object: FastMCP and
    the MCP SDK declare such results, as a tool's data had to be an object."""
    schema = result.resolved().schema
    if not isinstance(schema, dict) or list(schema.get("properties", ())) != ["result"]:
        return False
    if schema.get("x-fastmcp-wrap-result") is True:
        return True
    if signature.returns is EMPTY:
        return False
    found = schemas_of({"result": signature.returns}, "serialization")
    returned = Part(Side(found.document), found.schemas.get("result", True), "")
    return admitted(returned) not in (OBJECT, ALL)
