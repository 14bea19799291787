"""Parameters and bodies become one object of arguments, and a place in the request for each."""

from typing import Any

import pytest
from toolcast.importers.openapi.read_openapi import OpenApiChoices

from .documents import declared, json_body, only, query, refused, spec

TEXT = {"type": "string"}


def place(where: str, name: str = "id", **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "in": where,
        "schema": TEXT,
        **({"required": True} if where == "path" else {}),
        **more,
    }


def test_arguments_of_one_name_are_told_apart_by_their_place() -> None:
    operation = {
        "parameters": [place(where) for where in ("path", "query", "header", "cookie")],
        "requestBody": json_body({"type": "object", "properties": {"id": TEXT, "note": TEXT}}),
    }
    tool = only(operation, path="/x/{id}")
    assert tool.http is not None
    assert tool.http["in"] == {
        "id__path": {"in": "path", "name": "id"},
        "id__query": {"in": "query", "name": "id"},
        "id__header": {"in": "header", "name": "id"},
        "id__cookie": {"in": "cookie", "name": "id"},
        "id__body": {"in": "body", "name": "id"},
        "note": "body",
    }
    assert list(tool.parameters["properties"]) == list(tool.http["in"])
    assert tool.parameters["required"] == ["id__path"]
    assert tool.parameters["additionalProperties"] is False


def test_a_suffix_never_takes_the_name_of_another_argument() -> None:
    operation = {"parameters": [place("path"), place("query"), place("query", "id__path")]}
    tool = only(operation, path="/x/{id}")
    assert tool.http is not None
    assert tool.http["in"] == {
        "id__path_2": {"in": "path", "name": "id"},
        "id__query": {"in": "query", "name": "id"},
        "id__path": "query",
    }


def test_parameters_of_the_operation_replace_those_of_the_path() -> None:
    item = {
        "parameters": [place("path"), place("query", "a", description="of the path"), place("header", "X-A")],
        "get": {"parameters": [place("query", "a", description="of the operation"), place("header", "x-a")]},
    }
    (tool,) = declared({"/x/{id}": item}).tools
    assert list(tool.parameters["properties"]) == ["id", "a", "x-a"]
    assert tool.parameters["properties"]["a"]["description"] == "of the operation"


def test_parameters_and_bodies_by_reference() -> None:
    components = {
        "parameters": {
            "A": {"$ref": "#/components/parameters/B"},
            "B": query({"$ref": "#/components/schemas/S"}),
        },
        "requestBodies": {"C": json_body({"$ref": "#/components/schemas/O"})},
        "schemas": {
            "S": {"type": "integer"},
            "O": {"type": "object", "properties": {"n": {"$ref": "#/components/schemas/S"}}},
        },
    }
    operation = {
        "parameters": [{"$ref": "#/components/parameters/A"}],
        "requestBody": {"$ref": "#/components/requestBodies/C"},
    }
    tool = only(operation, components=components)
    assert tool.parameters["properties"] == {"q": {"$ref": "#/$defs/S"}, "n": {"$ref": "#/$defs/S"}}
    assert tool.parameters["$defs"] == {"S": {"type": "integer"}}


@pytest.mark.parametrize(
    ("reference", "code"),
    [
        ("https://example.com/a.json", "openapi-external-reference"),
        ("other.yaml#/A", "openapi-external-reference"),
        ("file:///etc/passwd", "openapi-external-reference"),
        ("#/components/parameters/Missing", "openapi-reference"),
        ("#/components/parameters/Loop", "openapi-reference"),
        (7, "openapi-reference"),
    ],
)
def test_references_that_cannot_be_followed_are_refused(reference: Any, code: str) -> None:
    loop = {"parameters": {"Loop": {"$ref": "#/components/parameters/Loop"}}}
    assert refused({"parameters": [{"$ref": reference}]}, components=loop)[0] == code


def test_one_bad_operation_costs_no_other() -> None:
    bad = {"parameters": [{"$ref": "#/nowhere"}]}
    found = declared(
        {"/a": {"get": bad, "put": {}}, "/b": {"get": {}}, "/c": {"$ref": "#/nowhere"}, "/d": {"get": 1}}
    )
    assert [tool.name for tool in found.tools] == ["PUT /a", "GET /b"]
    assert [problem.code for problem in found.diagnostics] == [
        "openapi-reference",
        "openapi-shape",
        "openapi-reference",
    ]
    assert "GET /a: the reference `#/nowhere` leads nowhere" in found.diagnostics[2].message


def test_keys_of_security_are_no_arguments() -> None:
    schemes = {
        "key": {"type": "apiKey", "in": "header", "name": "X-Key", "description": "the key"},
        "session": {"type": "apiKey", "in": "cookie", "name": "sid"},
        "oauth": {"type": "oauth2", "flows": {}},
        "unused": {"type": "http", "scheme": "basic"},
    }
    operation = {
        "parameters": [
            place("header", "x-key"),
            place("cookie", "sid"),
            place("query", "sid"),
            *(place("header", name) for name in ("Authorization", "accept", "Content-Type")),
        ],
        "security": [{"key": [], "session": []}, {"oauth": ["read"]}],
    }
    tool = only(operation, components={"securitySchemes": schemes})
    assert tool.http == {
        "method": "post",
        "path": "/x",
        "in": {"sid": "query"},
        "security": [{"key": [], "session": []}, {"oauth": ["read"]}],
        "schemes": {
            "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
            "session": {"type": "apiKey", "in": "cookie", "name": "sid"},
            "oauth": {"type": "oauth2"},
        },
    }


def test_parameters_without_a_place_are_stated_as_left_out() -> None:
    operation = {"parameters": [place("path", "gone"), place("header", "Host"), place("query")]}
    tool = only(operation)
    assert list(tool.parameters["properties"]) == ["id"]
    assert tool.left_out == ("header Host", "path gone")


@pytest.mark.parametrize(
    ("security", "scopes"),
    [
        ([{"oauth": ["read", "write"]}], ("read", "write")),
        ([{"oauth": ["read"], "key": ["admin", "read"]}], ("read", "admin")),
        ([{"oauth": ["a", "b"]}, {"key": ["b", "a"]}], ("a", "b")),
        ([{"oauth": ["a"]}, {"oauth": ["b"]}], ()),
        ([{"oauth": ["a"]}, {"key": []}], ()),
        ([{"oauth": ["a"]}, {}], ()),
        ([{"oauth": ["a b"]}], ()),
        ([{"key": []}], ()),
        ([], ()),
    ],
)
def test_scopes_that_every_alternative_needs_are_those_of_the_tool(
    security: list[Any], scopes: tuple[str, ...]
) -> None:
    schemes = {"oauth": {"type": "oauth2", "flows": {}}, "key": {"type": "http", "scheme": "bearer"}}
    tool = only({"security": security}, components={"securitySchemes": schemes})
    assert tool.scopes == scopes


def test_security_of_the_document_holds_unless_the_operation_states_its_own() -> None:
    more = {
        "security": [{"key": []}],
        "components": {"securitySchemes": {"key": {"type": "http", "scheme": "bearer"}}},
    }
    plain, none = only({}, **more).http, only({"security": []}, **more).http
    assert plain is not None
    assert none is not None
    assert plain["security"] == [{"key": []}]
    assert "security" not in none
    assert refused({"security": [{"other": []}]}, **more)[0] == "openapi-security"
    assert refused({"security": {"key": []}}, **more)[0] == "openapi-shape"


@pytest.mark.parametrize(
    ("parameter", "entry"),
    [
        (query(TEXT), "query"),
        (query(TEXT, style="form", explode=True), "query"),
        (query(TEXT, explode=False), {"in": "query", "explode": False}),
        (query(TEXT, style="pipeDelimited", explode=False), {"in": "query", "style": "pipeDelimited"}),
        (query(TEXT, style="spaceDelimited", explode=True),
         {"in": "query", "style": "spaceDelimited", "explode": True}),
        (query(TEXT, style="deepObject", explode=True), {"in": "query", "style": "deepObject"}),
        (query(TEXT, allowReserved=True), {"in": "query", "allow_reserved": True}),
        (place("header", "q", explode=True), {"in": "header", "explode": True}),
        (place("cookie", "q", style="form"), "cookie"),
        ({"name": "q", "in": "query", "content": {"application/json": {"schema": TEXT}}},
         {"in": "query", "content": "application/json"}),
    ],
)  # fmt: skip
def test_styles_that_differ_from_the_defaults_are_stated(parameter: Any, entry: Any) -> None:
    tool = only({"parameters": [parameter]})
    assert tool.http is not None
    assert tool.http["in"] == {"q": entry}


@pytest.mark.parametrize("style", ["label", "matrix"])
def test_styles_of_the_path(style: str) -> None:
    tool = only({"parameters": [place("path", style=style)]}, path="/x/{id}")
    assert tool.http is not None
    assert tool.http["in"] == {"id": {"in": "path", "style": style}}


@pytest.mark.parametrize(
    ("parameter", "path", "code"),
    [
        (query(TEXT, style="matrix"), "/x", "openapi-style"),
        ({"name": "q", "in": "querystring", "content": {}}, "/x", "openapi-place"),
        ({"name": "q", "in": "query"}, "/x", "openapi-parameter"),
        ({"name": "q", "in": "query", "content": {"application/xml": {}}}, "/x", "openapi-parameter"),
        ({"in": "query"}, "/x", "openapi-shape"),
        (query(TEXT), "/x/{id}", "openapi-path-parameter"),
        (query(TEXT), "/x?action=list", "openapi-path"),
        (query(7), "/x", "openapi-shape"),
    ],
)
def test_what_has_no_place_in_a_request_is_refused(parameter: Any, path: str, code: str) -> None:
    assert refused({"parameters": [parameter]}, path=path)[0] == code


def test_texts_and_examples_of_a_parameter() -> None:
    parameter = query(TEXT, description="See [this](https://x.y) **page**.", deprecated=True, example="a")
    other = query(TEXT, "r", examples={"one": {"value": "b"}, "two": {"externalValue": "https://x.y"}})
    tool = only({"parameters": [parameter, other]})
    assert tool.parameters["properties"] == {
        "q": {"type": "string", "description": "See this page.", "examples": ["a"], "deprecated": True},
        "r": {"type": "string", "examples": ["b"]},
    }


BODY = {"type": "object", "properties": {"a": TEXT, "b": {"type": "integer"}}, "required": ["a"]}


def test_properties_of_a_body_are_arguments() -> None:
    tool = only({"requestBody": json_body(BODY)})
    assert tool.parameters == {**BODY, "additionalProperties": False}
    assert tool.http is not None
    assert tool.http["in"] == {"a": "body", "b": "body"}
    assert tool.http["body"] == "application/json"


def test_parts_of_all_of_are_merged_where_that_is_exact() -> None:
    schemas = {"Base": {"type": "object", "properties": {"a": TEXT}, "required": ["a"]}}
    merged = {"allOf": [{"$ref": "#/components/schemas/Base"}, {"properties": {"b": {"type": "integer"}}}]}
    tool = only({"requestBody": json_body(merged)}, components={"schemas": schemas})
    assert list(tool.parameters["properties"]) == ["a", "b"]
    clashing = {"allOf": [{"$ref": "#/components/schemas/Base"}, {"properties": {"a": {"enum": ["x"]}}}]}
    tool = only({"requestBody": json_body(clashing)}, components={"schemas": schemas})
    assert list(tool.parameters["properties"]) == ["body"]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "items": TEXT},
        TEXT,
        {"type": "object"},
        {"type": "object", "properties": {"a": TEXT}, "additionalProperties": TEXT},
        {"type": "object", "properties": {"a": TEXT}, "additionalProperties": True},
        {"type": "object", "properties": {"a": TEXT}, "minProperties": 1},
        {"type": "object", "properties": {"a": TEXT}, "required": ["z"]},
        {"oneOf": [BODY, TEXT]},
        {"type": "object", "properties": {"a": TEXT}, "anyOf": [{"required": ["a"]}]},
        {},
    ],
)
def test_other_bodies_are_one_argument(schema: Any) -> None:
    tool = only({"requestBody": {**json_body(schema), "description": "All of it."}})
    assert tool.parameters["required"] == ["body"]
    assert tool.parameters["properties"] == {"body": {**schema, "description": "All of it."}}
    assert tool.http is not None
    assert tool.http["in"] == {"body": {"in": "body", "whole": True}}


def test_a_body_that_may_be_left_out_keeps_its_required_properties_together() -> None:
    tool = only({"requestBody": json_body(BODY, required=False)})
    assert tool.parameters["properties"] == {"body": BODY}
    assert "required" not in tool.parameters
    free = only({"requestBody": json_body({"type": "object", "properties": {"a": TEXT}}, required=False)})
    assert free.parameters["properties"] == {"a": TEXT}


def test_json_comes_before_other_content_types() -> None:
    def body(*types: str) -> Any:
        tool = only(
            {"requestBody": {"required": True, "content": {each: {"schema": BODY} for each in types}}}
        )
        assert tool.http is not None
        return tool.http["body"]

    assert body("text/plain", "application/x-www-form-urlencoded", "application/json") == "application/json"
    assert body("multipart/form-data", "application/vnd.api+json; version=1") == "application/vnd.api+json"
    assert body("*/*") == "application/json"
    assert (
        body("application/xml", "multipart/form-data", "application/x-www-form-urlencoded")
        == "multipart/form-data"
    )


def test_files_of_a_form_are_base64() -> None:
    schema = {
        "type": "object",
        "properties": {
            "file": {"type": "string", "format": "binary", "description": "The picture"},
            "files": {"type": "array", "items": {"type": "string", "format": "binary"}},
            "name": TEXT,
        },
        "required": ["file"],
    }
    encoding = {
        "file": {"contentType": "image/png, image/jpeg; q=1", "headers": {}},
        "name": {"style": "form", "explode": False, "allowReserved": True},
        "other": {"contentType": "text/plain"},
    }
    content = {"multipart/form-data": {"schema": schema, "encoding": encoding}}
    tool = only({"requestBody": {"required": True, "content": content}})
    properties = tool.parameters["properties"]
    assert properties["file"] == {
        "type": "string", "contentEncoding": "base64", "description": "The picture. Base64 of the bytes.",
    }  # fmt: skip
    assert properties["files"]["items"] == {"type": "string", "contentEncoding": "base64"}
    assert tool.http is not None
    assert tool.http["in"] == {
        "file": {"in": "body", "binary": True}, "files": {"in": "body", "binary": True}, "name": "body",
    }  # fmt: skip
    assert tool.http["encoding"] == {
        "file": {"content_type": "image/png, image/jpeg"},
        "name": {"style": "form", "explode": False, "allow_reserved": True},
    }
    assert tool.left_out == ("encoding.file.headers", "encoding.other")


@pytest.mark.parametrize(
    ("media_type", "schema", "options", "sent"),
    [
        ("text/plain", TEXT, {}, "text/plain"),
        ("application/xml", TEXT, {}, "application/xml"),
        ("image/png", {"type": "string", "format": "binary"}, {"binary": True}, "image/png"),
        ("application/octet-stream", None, {"binary": True}, "application/octet-stream"),
        ("image/*", None, {"binary": True}, "application/octet-stream"),
    ],
)
def test_text_and_bytes_are_one_argument(media_type: str, schema: Any, options: Any, sent: str) -> None:
    media = {} if schema is None else {"schema": schema}
    tool = only({"requestBody": {"required": True, "content": {media_type: media}}}, version="3.1.0")
    assert tool.http is not None
    assert tool.http["in"] == {"body": {"in": "body", "whole": True, **options}}
    assert tool.http["body"] == sent
    assert ("contentEncoding" in tool.parameters["properties"]["body"]) == bool(options)


@pytest.mark.parametrize("media_type", ["application/xml", "text/csv", "multipart/mixed"])
def test_bodies_that_cannot_be_written_are_refused(media_type: str) -> None:
    assert refused({"requestBody": {"content": {media_type: {"schema": BODY}}}})[0] == "openapi-body"


def test_media_types_and_references_of_3_2() -> None:
    components = {
        "mediaTypes": {"Pet": {"schema": {"$ref": "https://x.y/api.json#/components/schemas/Pet"}}},
        "schemas": {"Pet": BODY},
    }
    media = {"application/json": {"$ref": "#/components/mediaTypes/Pet"}}
    operation = {
        "parameters": [{"name": "q", "in": "query", "content": media}],
        "requestBody": {"required": True, "content": media},
        "responses": {"200": {"content": media}},
    }
    found = declared(
        {"/x": {"query": operation}}, "3.2.0", components=components, **{"$self": "https://x.y/api.json"}
    )
    (tool,) = found.tools
    assert tool.http is not None
    assert (tool.http["method"], tool.read_only) == ("query", True)
    assert tool.parameters["properties"]["q"] == {"$ref": "#/$defs/Pet"}
    assert list(tool.parameters["properties"]) == ["q", "a", "b"]
    assert tool.result == {"$ref": "#/$defs/Pet", "$defs": {"Pet": BODY}}


def test_servers() -> None:
    def server(operation: Any, **more: Any) -> Any:
        tool = only(operation, **more)
        assert tool.http is not None
        return tool.http.get("server"), tool.http.get("server_variables")

    variables = {"region": {"default": "eu"}, "unused": {"default": "x"}}
    of_document = [
        {"url": "https://{region}.example.com/v1/", "variables": variables},
        {"url": "https://two.example"},
    ]
    assert server({}, servers=of_document) == ("https://{region}.example.com/v1", {"region": "eu"})
    assert (
        server({"servers": [{"url": "https://own.example"}]}, servers=of_document)[0] == "https://own.example"
    )
    assert server({}, servers=[{"url": "/v1"}]) == (None, None)
    assert server({}, servers=[{"url": "https://{open}.example"}]) == (None, None)
    assert server({}) == (None, None)


def test_the_method_states_the_effect() -> None:
    found = declared({"/x": {method: {} for method in ("get", "head", "post", "put", "patch", "delete")}})
    assert {tool.name: (tool.read_only, tool.annotations) for tool in found.tools} == {
        "GET /x": (True, {"open_world": True}),
        "HEAD /x": (True, {"open_world": True}),
        "POST /x": (False, {"open_world": True}),
        "PUT /x": (False, {"idempotent": True, "open_world": True}),
        "PATCH /x": (False, {"open_world": True}),
        "DELETE /x": (False, {"destructive": True, "idempotent": True, "open_world": True}),
    }


def test_a_spec_has_all_of_it() -> None:
    operation = {
        "operationId": "pets/create",
        "summary": "Create a pet",
        "description": "Makes it.",
        "requestBody": json_body(BODY),
        "responses": {"201": {"description": "", "content": {"application/json": {"schema": BODY}}}},
    }
    tool = only(operation, servers=[{"url": "https://example.com"}])
    found = spec(tool)
    assert found["name"] == "pets_create"
    assert found["description"] == "Create a pet.\n\nMakes it."
    assert found["annotations"] == {"title": "Create a pet", "open_world": True}
    assert found["http"] == {
        "method": "post", "path": "/x", "server": "https://example.com",
        "in": {"a": "body", "b": "body"}, "body": "application/json",
    }  # fmt: skip
    assert found["result"] == BODY


def test_without_results() -> None:
    operation = {"responses": {"200": {"content": {"application/json": {"schema": BODY}}}}}
    found = declared({"/x": {"get": operation}}, choices=OpenApiChoices(results=False))
    assert found.tools[0].result is None


def test_a_fragment_tells_operations_apart_and_is_not_sent() -> None:
    found = declared({"/x#a": {"get": {}}, "/x#b": {"get": {}}})
    assert [(tool.name, tool.http and tool.http["path"]) for tool in found.tools] == [
        ("GET /x#a", "/x"),
        ("GET /x#b", "/x"),
    ]


def deep(schema: Any) -> dict[str, Any]:
    return {"parameters": [query(schema, style="deepObject"), query(schema, name="p")]}


LIST = {"type": "array", "items": TEXT}


@pytest.mark.parametrize(
    ("server", "schema", "arrays"),
    [
        ("https://api.stripe.com/", LIST, "indexed"),
        (
            "https://API.Stripe.com",
            {"type": "object", "properties": {"a": {"anyOf": [TEXT, LIST]}}},
            "indexed",
        ),
        ("https://shop.chargebee.com/api/v2", {"$ref": "#/components/schemas/Node"}, "indexed"),
        ("https://api.stripe.com/", {"type": "object", "properties": {"a": TEXT}}, None),
    ],
)
def test_forms_of_arrays_that_services_are_known_for(server: str, schema: Any, arrays: str | None) -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/components/schemas/Node"}, "a": LIST}}
    components = {"schemas": {"Node": node}}
    tool = only(deep(schema), servers=[{"url": server}], components=components)
    assert tool.http is not None
    assert tool.http.get("arrays") == arrays


def test_arrays_whose_form_nothing_defines_are_warned_of_once() -> None:
    found = declared(
        {"/x": {"get": deep(LIST), "post": deep(LIST)}}, servers=[{"url": "https://evil-stripe.com"}]
    )
    (warning,) = found.diagnostics
    assert (warning.severity, warning.code, warning.line) == ("warning", "openapi-arrays", 1)
    assert warning.message.startswith("GET /x and 1 more: ")
    assert "--arrays" in warning.hint
    chosen = declared({"/x": {"get": deep(LIST)}}, choices=OpenApiChoices(arrays="brackets"))
    assert chosen.diagnostics == ()
    assert [tool.http["arrays"] for tool in chosen.tools if tool.http] == ["brackets"]


def test_a_body_that_can_only_be_empty_is_no_argument() -> None:
    schema = {"type": "object", "properties": {}, "additionalProperties": False}
    content = {"application/x-www-form-urlencoded": {"schema": schema}}
    tool = only({"requestBody": {"content": content}})
    assert tool.parameters["properties"] == {}
    assert tool.http is not None
    assert "body" not in tool.http
    assert "body" in only({"requestBody": {"content": content, "required": True}}).parameters["properties"]
