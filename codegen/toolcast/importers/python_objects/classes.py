"""Classes as declarations: their fields are the parameters."""

import ast
import inspect
import itertools
import re
import textwrap
from collections.abc import Mapping
from typing import Any

from ...diagnostics import Diagnostic
from ...runtime.functions.compare import Place, json_types
from ...runtime.functions.type_schemas import schemas_of
from ..declarations import Declared
from .docstrings import read_docstring
from .problems import Origin

_EXPECTED = "a class whose fields are parameters is a pydantic model, a dataclass, a Struct or a TypedDict"

_LIBRARIES = ("builtins", "msgspec", "pydantic", "typing", "typing_extensions")
"""Whose base classes state no parameters."""


def declare_class(cls: type, origin: Origin) -> tuple[Declared | None, list[Diagnostic]]:
    """A class as a tool, and problems; without a tool where values of the class are no JSON objects."""
    found = schemas_of({"class": cls}, "validation")
    if found.problems:
        message = f"it has no JSON form: {found.problems['class']}"
        return None, [origin.problem("import-python-type", message, _EXPECTED)]
    schema = found.schemas["class"]
    if json_types(Place(schema, found.document)) != frozenset(("object",)):
        return None, [origin.problem("import-python-type", "its values are no JSON objects", _EXPECTED)]
    document = read_docstring(_own_doc(cls))
    parameters = _inlined(schema, found.definitions)
    texts = {**document.parameters, **_field_texts(cls)}
    declared = Declared(
        name=origin.target,
        spec_name=snake_case(cls.__name__),
        description=document.text,
        parameters=_with_texts(parameters, cls, texts),
        file=origin.place.file,
        line=origin.place.line,
        location=origin.target,
    )
    return declared, []


def snake_case(name: str) -> str:
    """`GetHTTPForecast` → `get_http_forecast`."""
    parts = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return parts.lower()


def _inlined(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    """The object's own schema at the root; its definition stays where the class refers to itself."""
    name = str(schema.get("$ref", "")).removeprefix("#/$defs/")
    if name not in definitions:
        made, others = dict(schema), dict(definitions)
    else:
        made = {key: value for key, value in definitions[name].items() if key not in ("title", "description")}
        others = {key: value for key, value in definitions.items() if key != name}
        if _refers_to(name, [made, others]):
            others[name] = definitions[name]
    made.pop("title", None)
    made.pop("description", None)
    return {**made, "$defs": others} if others else made


def _refers_to(name: str, schema: Any) -> bool:
    if isinstance(schema, dict):
        if schema.get("$ref") == f"#/$defs/{name}":
            return True
        schema = list(schema.values())
    return isinstance(schema, list) and any(_refers_to(name, each) for each in schema)


def _with_texts(parameters: dict[str, Any], cls: type, texts: Mapping[str, str]) -> dict[str, Any]:
    """`parameters` with descriptions of fields that have none; a field may have another name in JSON."""
    fields, encoded = getattr(cls, "__struct_fields__", ()), getattr(cls, "__struct_encode_fields__", ())
    names: dict[str, str] = dict(zip(fields, encoded, strict=True))
    models: Any = getattr(cls, "model_fields", {})
    names |= {name: field.alias for name, field in models.items() if field.alias}
    wire = {names.get(name, name): text for name, text in texts.items()}
    properties = {
        name: {**schema, "description": wire[name]}
        if name in wire and isinstance(schema, dict) and "description" not in schema
        else schema
        for name, schema in parameters.get("properties", {}).items()
    }
    return {**parameters, "properties": properties}


def _own_doc(cls: type) -> str | None:
    """The docstring that the class was written with; dataclasses are given one that repeats the fields."""
    text = vars(cls).get("__doc__")
    if not isinstance(text, str) or text.startswith(f"{cls.__name__}("):
        return None
    return text


def _field_texts(cls: type) -> dict[str, str]:
    """The strings that stand below fields in the source."""
    found: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        if base.__module__.partition(".")[0] in _LIBRARIES:
            continue
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(base)))
        except (OSError, TypeError, ValueError, SyntaxError):
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
