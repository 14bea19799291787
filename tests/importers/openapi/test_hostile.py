"""Whatever stands in a document, reading it gives declarations and diagnostics, never another error."""

import copy
import json
import random
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from toolcast.importers.declared_tools import Declarations
from toolcast.importers.import_tools import specs_of
from toolcast.importers.openapi.document import OpenApiDocument, parse_openapi
from toolcast.importers.openapi.read_openapi import declarations_of

from tests.counting import lines_executed

PET = {"$ref": "#/components/schemas/Pet"}
DOCUMENT: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "t", "version": "1"},
    "servers": [{"url": "https://{a}.example.com", "variables": {"a": {"default": "b"}}}],
    "security": [{"key": []}],
    "tags": [{"name": "pets"}],
    "paths": {
        "/pets/{id}": {
            "summary": "Pets",
            "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}],
            "get": {
                "operationId": "getPet",
                "tags": ["pets"],
                "summary": "Get",
                "description": "Gets **one** [pet](https://x.y).",
                "parameters": [
                    {
                        "name": "q",
                        "in": "query",
                        "style": "form",
                        "explode": False,
                        "schema": {"type": "array"},
                    },
                    {"name": "c", "in": "query", "content": {"application/json": {"schema": PET}}},
                    {"$ref": "#/components/parameters/P"},
                ],
                "responses": {"200": {"content": {"application/json": {"schema": PET}}}, "404": {}},
            },
            "post": {
                "requestBody": {
                    "required": True,
                    "content": {
                        "multipart/form-data": {
                            "schema": {
                                "type": "object",
                                "properties": {"f": {"type": "string", "format": "binary"}},
                            },
                            "encoding": {"f": {"contentType": "image/png"}},
                        }
                    },
                },
                "deprecated": True,
                "servers": [{"url": "/x"}],
                "security": [],
            },
        },
        "/a": {"put": {"requestBody": {"$ref": "#/components/requestBodies/B"}}},
        "/b": {"$ref": "#/paths/~1a"},
    },
    "components": {
        "parameters": {"P": {"name": "p", "in": "header", "schema": {"type": "string", "nullable": True}}},
        "requestBodies": {
            "B": {"content": {"application/json": {"schema": {"oneOf": [PET, {"type": "string"}]}}}}
        },
        "securitySchemes": {"key": {"type": "apiKey", "in": "query", "name": "k"}},
        "schemas": {
            "Pet": {
                "type": "object",
                "required": ["kind", "id"],
                "properties": {
                    "kind": {"type": "string", "enum": ["Cat"]},
                    "id": {"readOnly": True, "type": "integer", "minimum": 1, "exclusiveMinimum": True},
                    "parent": PET,
                },
                "discriminator": {"propertyName": "kind", "mapping": {"Cat": "#/components/schemas/Cat"}},
                "additionalProperties": False,
            },
            "Cat": {"allOf": [PET, {"type": "object", "properties": {"n": {"type": "array", "items": PET}}}]},
        },
    },
}
JUNK: tuple[Any, ...] = (
    None, True, False, 0, -1, 1.5, "", "x", "\ud800", [], {}, [[]], {"": {}}, [None], {"$ref": 3},
    {"$ref": "#"},
    {"$ref": "#/"}, {"$ref": "#/paths"}, {"$ref": "#/paths/~1a"}, {"$ref": "#/components/schemas/Cat"},
    {"$ref": "#/%zz/é"}, {"$ref": "#/components/schemas/Pet/required/0"}, {"schema": {}}, {"type": ["a", 3]},
    {"allOf": [PET, PET]}, {"oneOf": PET}, {"properties": []}, {"required": {}}, {"enum": "a"}, ["a", "a"],
    "#/a",
    "{a", "}{", "../x", "https://[", {"discriminator": {"propertyName": 3}}, {"in": "path", "name": 3},
    {"in": {}, "name": "x"}, {"in": ["query"], "name": "x"}, {"style": {}}, [{}], [{"a": {}}],
)  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(value, dict | list):
        for step, child in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(child, (*path, step))


def replaced(path: tuple[Any, ...], value: Any, *, rename: bool = False) -> Any:
    data = copy.deepcopy(DOCUMENT)
    parent = data
    for step in path[:-1]:
        parent = parent[step]
    if rename and isinstance(parent, dict):
        parent[value] = parent.pop(path[-1])
    else:
        parent[path[-1]] = value
    return data


def read(data: Any) -> Declarations:
    found = parse_openapi(json.dumps(data).encode(), "api.json")
    if not isinstance(found, OpenApiDocument):
        assert found
        return Declarations(tools=(), diagnostics=found)
    declarations = declarations_of(found)
    assert all(problem.message for problem in declarations.diagnostics)
    return declarations


@pytest.mark.parametrize("version", ["3.0.3", "3.1.1"])
def test_junk_in_every_place_is_read_or_told(version: str) -> None:
    rng = random.Random(version)
    for path in list(places(DOCUMENT))[1:]:
        for junk in rng.sample(JUNK, 4):
            data = replaced(path, junk)
            data["openapi"] = version if path != ("openapi",) else data["openapi"]
            try:
                read(data)
            except Exception as error:
                error.add_note(f"{path}: {junk!r}")
                raise


def test_odd_keys_in_every_place() -> None:
    for path in list(places(DOCUMENT))[1::3]:
        for name in ("", "\ud800", "a/b~c", "get", "$ref"):
            read(replaced(path, name, rename=True))


def test_lone_surrogates_reach_no_spec() -> None:
    found = specs_of(read(replaced(("paths", "/a", "put", "summary"), "\ud800")))
    assert "import-unwritable" in [problem.code for problem in found.diagnostics]


def test_parts_of_parts_without_an_end_are_refused() -> None:
    count = 2_000
    every = [{"$ref": f"#/components/schemas/S{i}"} for i in range(count)]
    schemas = {
        f"S{i}": {"allOf": every[i + 1 : i + 3], "properties": {"a": every[(i * 7) % count]}}
        for i in range(count)
    }
    body = {"content": {"application/json": {"schema": every[0]}}}
    found = read(
        {
            **DOCUMENT,
            "paths": {"/a": {"put": {"requestBody": body}}},
            "components": {**DOCUMENT["components"], "schemas": schemas},
        }
    )
    assert [problem.code for problem in found.diagnostics] == ["openapi-parts"]


@pytest.mark.parametrize(("count", "codes"), [(200, []), (5_000, ["openapi-parts"])])
def test_a_wide_union_with_a_discriminator(count: int, codes: list[str]) -> None:
    base = {"$ref": "#/components/schemas/Base"}
    schemas: dict[str, Any] = {
        f"S{i}": {"allOf": [base, {"properties": {f"p{i}": {"type": "string"}}}]} for i in range(count)
    }
    schemas["Base"] = {
        "type": "object",
        "properties": {"kind": {"type": "string"}},
        "discriminator": {"propertyName": "kind"},
    }
    found = read(
        {
            **DOCUMENT,
            "paths": {"/a": {"put": {"requestBody": {"content": {"application/json": {"schema": base}}}}}},
            "components": {**DOCUMENT["components"], "schemas": schemas},
        }
    )
    assert [problem.code for problem in found.diagnostics] == codes
    assert [len(tool.parameters["$defs"]["Base"]["oneOf"]) for tool in found.tools] == (
        [] if codes else [201]
    )


def _dense(number: int) -> dict[str, Any]:
    """`number` components, each with a property for each of them."""
    every = {f"p{n}": {"$ref": f"#/components/schemas/D{n}"} for n in range(number)}
    return {f"D{n}": {"type": "object", "properties": every} for n in range(number)}


def _inheriting(number: int) -> dict[str, Any]:
    base = {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(number)}}
    parts = {"allOf": [{"$ref": "#/components/schemas/base"}, {"type": "object"}]}
    every = {f"p{n}": {"$ref": f"#/components/schemas/D{n}"} for n in range(number)}
    return {f"D{n}": parts for n in range(number)} | {
        "base": base,
        "D0": {"type": "object", "properties": every},
    }


def _posting(schemas: dict[str, Any]) -> dict[str, Any]:
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/D0"}}}}
    operation = {"operationId": "post", "requestBody": body, "responses": {"200": body}}
    paths = {"/x": {"post": operation}}
    return {
        **DOCUMENT,
        "openapi": "3.1.0",
        "security": [],
        "paths": paths,
        "components": {"schemas": schemas},
    }


def _declared(document: OpenApiDocument) -> None:
    assert declarations_of(document).tools


@pytest.mark.parametrize("shape", [_dense, _inheriting])
def test_the_work_for_components_that_refer_to_each_other(shape: Callable[[int], dict[str, Any]]) -> None:
    steps: list[int] = []
    sizes: list[int] = []
    for number in (3, 8, 16, 32):  # what is made at first use is no part of the work
        data = json.dumps(_posting(shape(number))).encode()
        document = parse_openapi(data, "api.json")
        assert isinstance(document, OpenApiDocument)
        steps.append(lines_executed(partial(_declared, document)))
        sizes.append(len(data))
    less, more = ((steps[n + 1] - steps[n]) / (sizes[n + 1] - sizes[n]) for n in (1, 2))
    assert more < 1.2 * less, (steps, sizes)


@pytest.mark.parametrize(("number", "code"), [(180, "openapi-too-large"), (110, "import-too-large")])
def test_schemas_that_are_too_large_for_a_spec_are_refused(number: int, code: str) -> None:
    document = parse_openapi(json.dumps(_posting(_dense(number)), indent=1).encode(), "api.json")
    assert isinstance(document, OpenApiDocument)
    imported = specs_of(declarations_of(document))
    assert not imported.specs
    (problem,) = imported.diagnostics
    assert problem.code == code
    assert problem.line > 1
    assert "--no-results" in problem.hint or "--path" in problem.hint
