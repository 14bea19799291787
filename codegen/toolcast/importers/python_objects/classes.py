"""Classes as declarations: their fields are the parameters."""

import re
from collections.abc import Mapping
from typing import Any

from ...diagnostics import Diagnostic
from ...runtime.functions.compare import Place, json_types
from ...runtime.functions.type_schemas import schemas_of
from ..declared_tools import Declared
from .class_texts import described_definitions, read_class, with_field_texts
from .problems import Origin

_EXPECTED = "a class whose fields are parameters is a pydantic model, a dataclass, a Struct or a TypedDict"


def declare_class(cls: type, origin: Origin) -> tuple[Declared | None, list[Diagnostic]]:
    """A class as a tool, and problems; without a tool where values of the class are no JSON objects."""
    found = schemas_of({"class": cls}, "validation")
    if found.problems:
        message = f"it has no JSON form: {found.problems['class']}"
        return None, [origin.problem("import-python-type", message, _EXPECTED)]
    schema = found.schemas["class"]
    if json_types(Place(schema, found.document)) != frozenset(("object",)):
        return None, [origin.problem("import-python-type", "its values are no JSON objects", _EXPECTED)]
    document = read_class(cls)
    parameters = _inlined(schema, described_definitions(found.definitions, [cls]))
    declared = Declared(
        name=origin.target,
        spec_name=snake_case(cls.__name__),
        description=document.text,
        parameters=with_field_texts(parameters, document),
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
