"""Functions and classes of Python as declarations of tools.

Parameters come from a signature or fields, the result from the return type. Descriptions come from
annotations (`Annotated[str, "…"]`, `Meta`, `Field`, `Doc`), from docstrings in Google's, NumPy's or Sphinx'
style, and from strings below fields: the schemas of msgspec and pydantic have a class's docstring in one
piece.
"""

import ast
import functools
import inspect
import itertools
import re
import textwrap
from collections.abc import Iterable, Mapping
from types import NoneType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import griffe
from msgspec import NODEFAULT, Struct

from ...diagnostics import Diagnostic
from ...jsonschema.cases import NULL, OBJECT, Part, Side, admitted
from ...jsonschema.json_values import JsonMapping, JsonObject, nested_objects
from ...runtime.functions.adapt import obstacle
from ...runtime.functions.conversions import json_default, schemas_of
from ...runtime.functions.framework_values import states_content
from ...runtime.functions.signature import (
    EMPTY,
    FunctionError,
    Parameter,
    Signature,
    function_name,
    read_signature,
)
from ...runtime.result import ToolResult
from ..declared_tools import Declared
from .targets import Origin


def described(annotation: object) -> str:
    """Return the description in the metadata of an annotation; empty where there is none."""
    if get_origin(annotation) is not Annotated:
        return ""
    inner, *metadata = get_args(annotation)
    found = (
        each
        if isinstance(each, str)
        else getattr(each, "description", None) or getattr(each, "documentation", None)
        for each in reversed(metadata)
    )
    return next((text for text in found if isinstance(text, str) and text), "") or described(inner)


_STYLES: Any = {style: {"warnings": False} for style in ("google", "numpy", "sphinx")}
_MAX_TEXT = 200_000
"""Characters of a docstring that are parsed."""


class _DocText(Struct, frozen=True, kw_only=True):
    text: str = ""
    parameters: Mapping[str, str] = {}
    returns: str = ""


def _read_docstring(text: str | None) -> _DocText:
    if not text:
        return _DocText()
    text = inspect.cleandoc(text[:_MAX_TEXT])
    sections: Any = griffe.parse_auto(griffe.Docstring(text), default="google", per_style_options=_STYLES)
    described: list[str] = []
    parameters: dict[str, str] = {}
    returns: list[str] = []
    for section in sections:
        kind = section.kind.value
        if kind == "text":
            described.append(section.value)
        elif kind == "admonition":
            described.append(f"{section.title}: {section.value.description}")
        elif kind in ("parameters", "other parameters", "attributes"):
            for each in section.value:
                parameters.setdefault(each.name.lstrip("*"), _one_paragraph(each.description))
        elif kind in ("returns", "yields"):
            returns += [_one_paragraph(each.description) for each in section.value]
    return _DocText(
        text="\n\n".join(part.strip() for part in described if part.strip()),
        parameters={name: words for name, words in parameters.items() if words},
        returns="\n".join(words for words in returns if words),
    )


def _one_paragraph(text: str) -> str:
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n") if part.strip())


_LIBRARIES = ("builtins", "enum", "msgspec", "pydantic", "typing", "typing_extensions")
"""Whose base classes state no parameters."""
_MAX_CLASSES = 1_000
_FIELDS = ("__struct_fields__", "__dataclass_fields__", "__pydantic_fields__", "__total__")
"""Attributes of classes that have fields."""


def _read_class(cls: type) -> _DocText:
    """Return descriptions of a class, and of its fields by the names that they have in JSON."""
    document = _read_docstring(_own_doc(cls))
    texts = {**document.parameters, **_texts_below_fields(cls)}
    names = _json_names(cls)
    return _DocText(
        text=document.text, parameters={names.get(name, name): text for name, text in texts.items()}
    )


def _with_field_texts(schema: JsonMapping, document: _DocText) -> JsonObject:
    texts = document.parameters
    properties = {
        name: {**each, "description": texts[name]}
        if name in texts and isinstance(each, dict) and "description" not in each
        else each
        for name, each in schema.get("properties", {}).items()
    }
    return {**schema, "properties": properties} if properties else dict(schema)


def _described_definitions(definitions: JsonMapping, annotations: Iterable[object]) -> dict[str, JsonObject]:
    classes = _classes(annotations)
    return {
        name: _described(schema, classes.get(schema.get("title"))) for name, schema in definitions.items()
    }


def _described(schema: JsonObject, cls: type | None) -> JsonObject:
    if cls is None:
        return schema
    document = _read_class(cls)
    made = _with_field_texts(schema, document)
    stated = made.get("description")
    if isinstance(stated, str) and inspect.cleandoc(stated) == inspect.cleandoc(_own_doc(cls) or ""):
        made["description"] = document.text  # without the sections, and not indented
    return made


def _classes(annotations: Iterable[object]) -> dict[object, type | None]:
    """Return classes with fields by their names, at any depth; None for a name that several have."""
    found: dict[object, type | None] = {}
    waiting, seen = list(annotations), set[int]()
    while waiting and len(found) < _MAX_CLASSES:
        annotation = waiting.pop()
        if id(annotation) in seen:
            continue
        seen.add(id(annotation))
        waiting += get_args(annotation)
        kind = get_origin(annotation) or annotation
        if not isinstance(kind, type) or not any(hasattr(kind, name) for name in _FIELDS):
            continue
        found[kind.__name__] = kind if found.get(kind.__name__, kind) is kind else None
        try:
            waiting += get_type_hints(kind, include_extras=True).values()
        except Exception:  # the program's own code; what matters was refused with its schema
            continue
    return found


def _json_names(cls: type) -> dict[str, str]:
    fields, encoded = getattr(cls, "__struct_fields__", ()), getattr(cls, "__struct_encode_fields__", ())
    names: dict[str, str] = dict(zip(fields, encoded, strict=True))
    models: Any = getattr(cls, "__pydantic_fields__", {})
    for name, field in models.items():
        alias = getattr(field, "validation_alias", None) or getattr(field, "alias", None)
        if isinstance(alias, str):
            names[name] = alias
    return names


def _own_doc(cls: type) -> str | None:
    """Return the docstring that the class was written with; dataclasses get one that repeats the fields."""
    text = vars(cls).get("__doc__")
    if not isinstance(text, str) or text.startswith(f"{cls.__name__}("):
        return None
    return text


def _texts_below_fields(cls: type) -> dict[str, str]:
    found: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        if base.__module__.partition(".")[0] in _LIBRARIES:
            continue
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(base)))
        except (OSError, TypeError, ValueError, SyntaxError, RecursionError):
            continue  # built in, or made at run time
        body = tree.body[0].body if tree.body and isinstance(tree.body[0], ast.ClassDef) else []
        for field, text in itertools.pairwise(body):
            if (
                isinstance(field, ast.AnnAssign)
                and isinstance(field.target, ast.Name)
                and isinstance(text, ast.Expr)
                and isinstance(text.value, ast.Constant)
                and isinstance(text.value.value, str)
            ):
                found[field.target.id] = " ".join(text.value.value.split())
    return found


_TEXT = (EMPTY, None, NoneType, Any, str, ToolResult)
"""Return types that need no contract: nothing, text for the model, or a finished result; and content."""
_REMEDY = (
    "use a type that JSON can express (a dataclass, a pydantic model, Structs with tags in a union), or give "
    "the parameter a default, and it is left out"
)
_FURTHER = "**"
"""Stands for `**kwargs` among names of parameters."""


def declare_function(function: Any, name: str, origin: Origin) -> tuple[Declared | None, list[Diagnostic]]:
    """Return a function as a tool, and problems; no tool where a parameter has no JSON form."""
    try:
        signature = read_signature(function, function_name(function))
    except FunctionError as error:
        return None, [origin.problem("import-python-signature", each) for each in error.problems]
    document = _read_docstring(_doc(function))
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
        by_hand=obstacle(function),
        file=origin.place.file,
        line=origin.place.line,
        location=origin.target,
    )
    return declared, [*problems, *warnings]


def _doc(function: object) -> str | None:
    """Return the docstring of the function itself; a partial object has that of its class."""
    while isinstance(function, functools.partial):
        function = function.func
    text = getattr(function, "__doc__", None)
    if not hasattr(function, "__qualname__"):  # a callable object: its class describes instances
        text = type(function).__call__.__doc__ or text
    return text if isinstance(text, str) else None


def _parameters(
    signature: Signature, document: _DocText, origin: Origin
) -> tuple[JsonObject | None, list[Diagnostic]]:
    """Return the schema, and problems. A parameter without JSON form is left out if it has a default."""
    annotations = {each.name: each.annotation for each in signature.parameters}
    if signature.further is not EMPTY:
        annotations[_FURTHER] = signature.further
    found = schemas_of(annotations, "validation")
    optional = {each.name for each in signature.parameters if not each.required}
    problems = [_no_form(name, why, name in optional, origin) for name, why in found.problems.items()]
    if not found.problems.keys() <= optional:
        return None, [each for each in problems if each.severity == "error"]
    parameters = [each for each in signature.parameters if each.name in found.schemas]
    schema: JsonObject = {
        "type": "object",
        "properties": {
            each.wire: _property(each, found.schemas[each.name], found.document, document.parameters)
            for each in parameters
        },
    }
    required = [each.wire for each in parameters if each.required]
    if required:
        schema["required"] = required
    further = found.schemas.get(_FURTHER, False)
    schema["additionalProperties"] = True if further == {} else further
    if found.definitions:
        schema["$defs"] = _described_definitions(found.definitions, annotations.values())
    return schema, problems


def _no_form(name: str, why: str, optional: bool, origin: Origin) -> Diagnostic:
    shown = "**kwargs" if name == _FURTHER else name
    message = f"its parameter `{shown}` has no JSON form: {why}"
    if optional:
        hint = "it is left out of the spec, and its default applies"
        return origin.problem("import-python-left-out", message, hint, severity="warning")
    return origin.problem("import-python-type", message, _REMEDY)


def _property(
    parameter: Parameter, schema: Mapping[str, object], document: JsonObject, texts: Mapping[str, str]
) -> JsonObject:
    made = dict(schema)
    text = described(parameter.annotation) or texts.get(parameter.name)
    if text and "description" not in made:
        made["description"] = text
    if parameter.required:
        return made
    default = json_default(parameter.default, parameter.annotation)
    if default is None and not admitted(Part(Side(document), schema, "")) & NULL:
        default = NODEFAULT  # `= None` of a type without null: absent
    if default is not NODEFAULT:
        made["default"] = default
    return made


def _result(
    signature: Signature, document: _DocText, origin: Origin
) -> tuple[JsonObject | None, list[Diagnostic]]:
    if any(signature.returns is kind for kind in _TEXT) or states_content(signature.returns):
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
        schema["$defs"] = _described_definitions(found.definitions, [signature.returns])
    return schema, []


_EXPECTED = "a class whose fields are parameters is a pydantic model, a dataclass, a Struct or a TypedDict"


def declare_class(cls: type, origin: Origin) -> tuple[Declared | None, list[Diagnostic]]:
    """Return a class as a tool, and problems; no tool where its values are no JSON objects."""
    found = schemas_of({"class": cls}, "validation")
    if found.problems:
        message = f"it has no JSON form: {found.problems['class']}"
        return None, [origin.problem("import-python-type", message, _EXPECTED)]
    schema = found.schemas["class"]
    if admitted(Part(Side(found.document), schema, "")) != OBJECT:
        return None, [origin.problem("import-python-type", "its values are no JSON objects", _EXPECTED)]
    document = _read_class(cls)
    parameters = _inlined(schema, _described_definitions(found.definitions, [cls]))
    declared = Declared(
        name=origin.target,
        spec_name=snake_case(cls.__name__),
        description=document.text,
        parameters=_with_field_texts(parameters, document),
        file=origin.place.file,
        line=origin.place.line,
        location=origin.target,
    )
    return declared, []


def snake_case(name: str) -> str:
    """Return a name in small letters: `GetHTTPForecast` → `get_http_forecast`."""
    parts = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return parts.lower()


def _inlined(schema: Mapping[str, object], definitions: JsonMapping) -> JsonObject:
    """Return the object's own schema at the root; its definition stays where the class refers to itself."""
    name = str(schema.get("$ref", "")).removeprefix("#/$defs/")
    if name not in definitions:
        made, others = dict(schema), dict(definitions)
    else:
        made = {key: value for key, value in definitions[name].items() if key not in ("title", "description")}
        others = {key: value for key, value in definitions.items() if key != name}
        if any(each.get("$ref") == f"#/$defs/{name}" for each in nested_objects([made, others])):
            others[name] = definitions[name]
    made.pop("title", None)
    made.pop("description", None)
    return {**made, "$defs": others} if others else made
