"""Plain functions as declarations: their signatures are the parameters, what they return is the result."""

import functools
from collections.abc import Mapping
from types import NoneType
from typing import Any

from msgspec import NODEFAULT

from ...diagnostics import Diagnostic
from ...runtime.functions.compare import Place, json_types
from ...runtime.functions.conversions import json_default
from ...runtime.functions.signature import (
    EMPTY,
    FunctionError,
    Parameter,
    Signature,
    function_name,
    read_signature,
)
from ...runtime.functions.type_schemas import schemas_of
from ...runtime.result import ToolResult
from ..declared_tools import Declared
from .annotations import described
from .class_texts import described_definitions
from .docstrings import DocText, read_docstring
from .problems import Origin

_TEXT = (EMPTY, None, NoneType, Any, str, ToolResult)
"""What a function returns that needs no contract: nothing, text for the model, or a finished result."""
_REMEDY = (
    "use a type that JSON can express (a dataclass, a pydantic model, Structs with tags in a union), or give "
    "the parameter a default, and it is left out"
)
_FURTHER = "**"
"""Stands for `**kwargs` among names of parameters."""


def declare_function(function: Any, name: str, origin: Origin) -> tuple[Declared | None, list[Diagnostic]]:
    """A function as a tool called `name`, and problems; without a tool where a parameter has no JSON form."""
    try:
        signature = read_signature(function, function_name(function))
    except FunctionError as error:
        return None, [origin.problem("import-python-signature", each) for each in error.problems]
    document = read_docstring(_doc(function))
    parameters, problems = _parameters(signature, document, origin)
    if parameters is None:
        return None, problems
    result, warnings = _result(signature, document, origin)
    text = document.text
    if result is None and document.returns:
        text = f"{text}\n\nReturns: {document.returns}".lstrip()
    declared = Declared(
        name=origin.target,
        spec_name=name,
        description=text,
        parameters=parameters,
        result=result,
        file=origin.place.file,
        line=origin.place.line,
        location=origin.target,
    )
    return declared, [*problems, *warnings]


def _doc(function: Any) -> str | None:
    """The docstring of the function itself; a partial object has that of its class."""
    while isinstance(function, functools.partial):
        function = function.func
    text = getattr(function, "__doc__", None)
    if not hasattr(function, "__qualname__"):  # a callable object: its class describes instances
        text = type(function).__call__.__doc__ or text
    return text if isinstance(text, str) else None


def _parameters(
    signature: Signature, document: DocText, origin: Origin
) -> tuple[dict[str, Any] | None, list[Diagnostic]]:
    """The schema of the parameters, and problems. A parameter without JSON form that has a default is left
    out, with a warning: the model cannot fill it in, and the function does without."""
    annotations = {each.name: each.annotation for each in signature.parameters}
    if signature.further is not EMPTY:
        annotations[_FURTHER] = signature.further
    found = schemas_of(annotations, "validation")
    optional = {each.name for each in signature.parameters if not each.required}
    problems = [_no_form(name, why, name in optional, origin) for name, why in found.problems.items()]
    if not found.problems.keys() <= optional:
        return None, [each for each in problems if each.severity == "error"]
    parameters = [each for each in signature.parameters if each.name in found.schemas]
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {
            each.name: _property(each, found.schemas[each.name], found.document, document.parameters)
            for each in parameters
        },
    }
    required = [each.name for each in parameters if each.required]
    if required:
        schema["required"] = required
    further = found.schemas.get(_FURTHER, False)
    schema["additionalProperties"] = True if further == {} else further
    if found.definitions:
        schema["$defs"] = described_definitions(found.definitions, annotations.values())
    return schema, problems


def _no_form(name: str, why: str, optional: bool, origin: Origin) -> Diagnostic:
    shown = "**kwargs" if name == _FURTHER else name
    message = f"its parameter `{shown}` has no JSON form: {why}"
    if optional:
        hint = "it is left out of the spec, and its default applies"
        return origin.problem("import-python-left-out", message, hint, severity="warning")
    return origin.problem("import-python-type", message, _REMEDY)


def _property(
    parameter: Parameter, schema: Mapping[str, Any], document: dict[str, Any], texts: Mapping[str, str]
) -> dict[str, Any]:
    """The schema of a parameter with its description and default."""
    made = dict(schema)
    text = described(parameter.annotation) or texts.get(parameter.name)
    if text and "description" not in made:
        made["description"] = text
    if parameter.required:
        return made
    default = json_default(parameter.default, parameter.annotation)
    if default is None and "null" not in json_types(Place(schema, document)):
        default = NODEFAULT  # `= None` of a type without null: absent
    if default is not NODEFAULT:
        made["default"] = default
    return made


def _result(
    signature: Signature, document: DocText, origin: Origin
) -> tuple[dict[str, Any] | None, list[Diagnostic]]:
    """The schema of what the function returns; None, with a warning, where that has no JSON form."""
    if any(signature.returns is kind for kind in _TEXT):
        return None, []
    found = schemas_of({"return": signature.returns}, "serialization")
    if found.problems:
        message = f"its result has no JSON form: {found.problems['return']}"
        hint = "the spec states no result; annotate a type that JSON can express, or state the result there"
        return None, [origin.problem("import-python-result", message, hint, severity="warning")]
    schema = dict(found.schemas["return"])
    if document.returns:
        schema.setdefault("description", document.returns)
    if found.definitions:
        schema["$defs"] = described_definitions(found.definitions, [signature.returns])
    return schema, []
