"""Small OpenAPI documents for tests, and what is made of them."""

import json
from collections.abc import Mapping
from typing import Any

import yaml
from toolcast.importers.declared_tools import Declarations, Declared
from toolcast.importers.import_tools import specs_of
from toolcast.importers.openapi.document import OpenApiDocument, parse_openapi
from toolcast.importers.openapi.read_openapi import NOTHING_CHOSEN, OpenApiChoices, declarations_of
from toolcast.importers.spec_text import Choices


def document(paths: Mapping[str, Any], version: str = "3.0.3", **more: Any) -> OpenApiDocument:
    """A document with `paths`, and other keys."""
    data = {"openapi": version, "info": {"title": "t", "version": "1"}, "paths": paths, **more}
    found = parse_openapi(json.dumps(data).encode(), "api.json")
    assert isinstance(found, OpenApiDocument), found
    return found


def declared(
    paths: Mapping[str, Any], version: str = "3.0.3", choices: OpenApiChoices = NOTHING_CHOSEN, **more: Any
) -> Declarations:
    return declarations_of(document(paths, version, **more), choices)


def only(operation: Mapping[str, Any], version: str = "3.0.3", path: str = "/x", **more: Any) -> Declared:
    found = declared({path: {"post": operation}}, version, **more)
    assert found.diagnostics == ()
    (tool,) = found.tools
    return tool


def refused(
    operation: Mapping[str, Any], version: str = "3.0.3", path: str = "/x", **more: Any
) -> tuple[str, str]:
    """Code and message of why the one operation of a document is refused."""
    found = declared({path: {"post": operation}}, version, **more)
    assert found.tools == ()
    (problem,) = found.diagnostics
    assert problem.line == 1
    assert problem.column > 1
    assert problem.hint
    return problem.code, problem.message


def query(schema: Any, name: str = "q", **more: Any) -> dict[str, Any]:
    return {"name": name, "in": "query", "schema": schema, **more}


def json_body(schema: Any, *, required: bool = True) -> dict[str, Any]:
    return {"required": required, "content": {"application/json": {"schema": schema}}}


def converted(schema: Any, version: str = "3.0.3", schemas: Mapping[str, Any] | None = None) -> Any:
    """What a schema becomes in a request, with its definitions."""
    components = {"components": {"schemas": schemas}} if schemas else {}
    found = only({"parameters": [query(schema)]}, version, **components).parameters
    definitions = {"$defs": found["$defs"]} if "$defs" in found else {}
    return {**found["properties"]["q"], **definitions}


def specs(declarations: Declarations) -> dict[str, bytes]:
    imported = specs_of(declarations, Choices(permission="network", secrets=()))
    return {path: text.encode() for path, text in imported.specs.items()}


def spec(tool: Declared) -> Any:
    (text,) = specs(Declarations(tools=(tool,))).values()
    return yaml.safe_load(text)


def connected(components: int, operations: int = 1, **more: Any) -> OpenApiDocument:
    """A document in which every component refers to every other, and each operation takes and answers one.
    `more` are further components, to which all others refer.
    """
    named = [f"C{number}" for number in range(components)] + [*more]
    properties = {name.lower(): {"$ref": f"#/components/schemas/{name}"} for name in named}
    schemas = {name: {"type": "object", "properties": properties} for name in named}
    paths: dict[str, Any] = {}
    for number in range(operations):
        one = {"$ref": f"#/components/schemas/{named[number % components]}"}
        schema = {"type": "object", "properties": {"one": one}}
        answer = {"description": "x", "content": {"application/json": {"schema": schema}}}
        paths[f"/{number}"] = {"post": {"requestBody": json_body(schema), "responses": {"200": answer}}}
    return document(paths, components={"schemas": {**schemas, **more}})
