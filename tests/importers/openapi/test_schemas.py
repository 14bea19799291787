"""Schema Objects become JSON Schema 2020-12, one form for requests and one for responses."""

from typing import Any

import jsonschema_rs
import pytest
import toolcast
from msgspec import structs
from toolcast.importers.declared_tools import Declarations
from toolcast.importers.import_tools import Imported, specs_of
from toolcast.importers.openapi.document import OpenApiDocument
from toolcast.importers.openapi.read_openapi import declarations_of

from tests.counting import lines_executed

from .documents import connected, converted, declared, json_body, only, query, refused, specs

TEXT = {"type": "string"}
NULL = {"type": "null"}


def accepts(schema: Any, value: Any) -> bool:
    return jsonschema_rs.Draft202012Validator(schema).is_valid(value)


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        ({"type": "string", "nullable": False}, TEXT),
        (
            {"type": "string", "nullable": True, "enum": ["a"]},
            {"type": ["string", "null"], "enum": ["a", None]},
        ),
        (
            {"type": "string", "nullable": True, "enum": ["a", None]},
            {"type": ["string", "null"], "enum": ["a", None]},
        ),
        ({"nullable": True, "enum": ["a"]}, {"anyOf": [{"enum": ["a"]}, NULL]}),
        ({"nullable": True}, {}),
        (
            {"type": "object", "nullable": True, "title": "T"},
            {"anyOf": [{"type": "object"}, NULL], "title": "T"},
        ),
        ({"nullable": True, "allOf": [TEXT]}, {"anyOf": [{"allOf": [TEXT]}, NULL]}),
        (
            {"nullable": True, "oneOf": [TEXT, {"type": "integer"}]},
            {"anyOf": [{"oneOf": [TEXT, {"type": "integer"}]}, NULL]},
        ),
        (
            {"type": "array", "items": {"type": "integer", "nullable": True}},
            {"type": "array", "items": {"type": ["integer", "null"]}},
        ),
        (
            {"type": "number", "minimum": 1, "exclusiveMinimum": True},
            {"type": "number", "exclusiveMinimum": 1},
        ),
        ({"type": "number", "maximum": 1, "exclusiveMaximum": False}, {"type": "number", "maximum": 1}),
        ({"type": "string", "example": "a"}, {"type": "string", "examples": ["a"]}),
        (
            {
                "type": "object",
                "additionalProperties": False,
                "xml": {},
                "externalDocs": {"url": "x"},
                "x-a": 1,
            },
            {"type": "object", "additionalProperties": False},
        ),
        (
            {"type": "object", "additionalProperties": {"type": "string", "nullable": True}},
            {"type": "object", "additionalProperties": {"type": ["string", "null"]}},
        ),
        ({"type": "string", "format": "date-time"}, {"type": "string", "format": "date-time"}),
    ],
)
def test_keywords_of_3_0(schema: Any, expected: Any) -> None:
    assert converted(schema) == expected


def test_siblings_of_a_reference() -> None:
    schema = {"$ref": "#/components/schemas/S", "description": "d", "maxLength": 1, "nullable": True}
    old = converted(schema, schemas={"S": TEXT})
    assert old == {"anyOf": [{"$ref": "#/$defs/S"}, NULL], "description": "d", "$defs": {"S": TEXT}}
    new = converted({**schema, "nullable": False}, "3.1.0", {"S": TEXT})
    assert new == {"$ref": "#/$defs/S", "description": "d", "maxLength": 1, "$defs": {"S": TEXT}}


def test_schemas_of_3_1_are_json_schema() -> None:
    schema = {
        "type": ["string", "null"], "const": "a", "examples": ["a"], "$id": "https://x.y/z", "$comment": "c",
        "$defs": {"unused": {}}, "contentEncoding": "base64",
    }  # fmt: skip
    expected = {"type": ["string", "null"], "const": "a", "examples": ["a"], "contentEncoding": "base64"}
    assert converted(schema, "3.1.0") == expected
    assert converted({"prefixItems": [{"x-a": 1}], "items": False}, "3.2.0") == {
        "prefixItems": [{}],
        "items": False,
    }


def test_drafts_that_a_document_or_a_schema_names() -> None:
    bound = {"type": "number", "minimum": 1, "exclusiveMinimum": True}
    draft_4 = "http://json-schema.org/draft-04/schema#"
    assert converted({"$schema": draft_4, **bound}, "3.1.0") == {"type": "number", "exclusiveMinimum": 1}
    tool = only({"parameters": [query({"const": 1})]}, "3.1.0", jsonSchemaDialect=draft_4)
    assert tool.parameters["properties"]["q"] == {}  # draft 4 has no `const`
    found = declared({"/x": {"get": {}}}, "3.1.0", jsonSchemaDialect="https://x.y/own")
    assert [problem.code for problem in found.diagnostics] == ["openapi-dialect"]


def test_only_the_definitions_that_are_needed_also_circular_ones() -> None:
    schemas = {
        "Tree": {
            "type": "object",
            "properties": {"children": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}}},
        },
        "Other": TEXT,
        "a.b-c": {"type": "object", "properties": {"t": {"$ref": "#/components/schemas/Tree"}}},
    }
    found = converted({"$ref": "#/components/schemas/a.b-c"}, schemas=schemas)
    assert list(found["$defs"]) == ["Tree", "a.b-c"]
    assert found["$defs"]["Tree"]["properties"]["children"]["items"] == {"$ref": "#/$defs/Tree"}


def test_references_to_other_places_become_definitions() -> None:
    operation = {
        "parameters": [
            query({"$ref": "#/paths/~1x/post/requestBody/content/application~1json/schema/properties/a"})
        ],
        "requestBody": json_body({"type": "object", "properties": {"a": {"type": "integer"}}}),
    }
    tool = only(operation)
    (name,) = tool.parameters["$defs"]
    assert tool.parameters["properties"]["q"] == {"$ref": f"#/$defs/{name}"}
    assert tool.parameters["$defs"][name] == {"type": "integer"}


@pytest.mark.parametrize(
    ("schema", "code"),
    [
        ({"$ref": "other.json"}, "openapi-external-reference"),
        ({"$ref": "#/components/schemas/Missing"}, "openapi-reference"),
        ({"$dynamicRef": "#node"}, "openapi-dynamic-reference"),
        ({"items": 3}, "openapi-shape"),
        (None, "openapi-shape"),
    ],
)
def test_schemas_that_cannot_be_read_are_refused(schema: Any, code: str) -> None:
    assert refused({"parameters": [query(schema)]}, "3.1.0")[0] == code
    assert refused({"requestBody": json_body({"type": "array", "items": schema})}, "3.1.0")[0] == code


SCHEMAS = {
    "User": {
        "type": "object",
        "properties": {
            "id": {"type": "integer", "readOnly": True},
            "name": TEXT,
            "password": {"type": "string", "writeOnly": True},
            "created": {"$ref": "#/components/schemas/Created"},
        },
        "required": ["id", "name", "password", "created"],
        "additionalProperties": False,
    },
    "Created": {"type": "string", "readOnly": True, "format": "date-time"},
    "Admin": {
        "allOf": [
            {"$ref": "#/components/schemas/User"},
            {"required": ["id", "rights"], "properties": {"rights": TEXT}},
        ]
    },
}


def test_read_only_properties_leave_requests_and_write_only_ones_responses() -> None:
    body = {"$ref": "#/components/schemas/User"}
    operation = {
        "requestBody": json_body(body),
        "responses": {"200": {"content": {"application/json": {"schema": body}}}},
    }
    tool = only(operation, components={"schemas": SCHEMAS})
    assert tool.parameters["required"] == ["name", "password"]
    assert list(tool.parameters["properties"]) == ["name", "password"]
    answer = tool.result["$defs"]["User"]
    assert answer["required"] == ["id", "name", "created"]
    assert list(answer["properties"]) == ["id", "name", "created"]


def test_a_read_only_property_is_required_by_no_part() -> None:
    tool = only(
        {"requestBody": json_body({"type": "array", "items": {"$ref": "#/components/schemas/Admin"}})},
        components={"schemas": {**SCHEMAS, "User": {**SCHEMAS["User"], "additionalProperties": True}}},
    )
    schema = {**tool.parameters["properties"]["body"]["items"], "$defs": tool.parameters["$defs"]}
    assert accepts(schema, {"name": "a", "password": "b", "rights": "c"})
    assert not accepts(schema, {"name": "a", "password": "b"})


def pets(**more: Any) -> dict[str, Any]:
    def pet(name: str) -> dict[str, Any]:
        return {"type": "object", "properties": {"kind": TEXT, name: TEXT}, "required": ["kind"], **more}

    return {"Cat": pet("lives"), "Dog": pet("tricks")}


CAT, DOG = {"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}


def test_a_discriminator_becomes_a_constant_of_each_branch() -> None:
    schema = {"oneOf": [CAT, DOG], "discriminator": {"propertyName": "kind"}}
    found = converted(schema, schemas=pets())
    assert accepts(found, {"kind": "Cat", "lives": "9"})
    assert accepts(found, {"kind": "Dog"})
    assert not accepts(found, {"kind": "Bird"})
    assert not accepts(found, {"kind": "Dog", "tricks": 1})
    assert not accepts(found, {"lives": "9"})


def test_the_values_of_a_mapping_also_several_for_one_branch() -> None:
    mapping = {
        "cat": "Cat",
        "kitten": "#/components/schemas/Cat",
        "dog": "#/components/schemas/Dog",
        "odd": "x.json",
    }
    schema = {"oneOf": [CAT, CAT, DOG], "discriminator": {"propertyName": "kind", "mapping": mapping}}
    found = converted(schema, "3.1.0", pets())
    assert [accepts(found, {"kind": kind}) for kind in ("cat", "kitten", "dog", "Cat", "odd")] == [
        True
    ] * 3 + [False] * 2


def test_a_property_that_is_declared_beside_the_union() -> None:
    schemas = {name: {"type": "object", "properties": {name: TEXT}} for name in ("Cat", "Dog")}
    schema = {
        "type": "object",
        "properties": {"kind": {"type": "string", "enum": ["cat", "kitten", "dog"]}},
        "oneOf": [CAT, CAT, DOG],
        "discriminator": {"propertyName": "kind", "mapping": {"cat": "Cat", "kitten": "Cat", "dog": "Dog"}},
    }
    found = converted(schema, schemas=schemas)
    assert accepts(found, {"kind": "kitten", "Cat": "a"})
    assert accepts(found, {"kind": "dog", "Dog": "a"})
    assert not accepts(found, {"kind": "dog", "Dog": 1})
    assert not accepts(found, {"kind": "bird"})


def test_a_default_mapping_tells_nothing_apart() -> None:
    schema = {"anyOf": [CAT, DOG], "discriminator": {"propertyName": "kind", "defaultMapping": "Dog"}}
    assert accepts(converted(schema, "3.2.0", pets()), {"kind": "Bird"})


def test_nested_discriminators() -> None:
    animal = {"anyOf": [CAT, DOG], "discriminator": {"propertyName": "kind"}}
    schemas = {
        **pets(),
        "Animal": animal,
        "Car": {"type": "object", "properties": {"wheels": {"type": "integer"}}, "required": ["wheels"]},
    }
    schema = {
        "type": "object",
        "properties": {
            "thing": {
                "oneOf": [{"$ref": "#/components/schemas/Car"}, {"$ref": "#/components/schemas/Animal"}]
            }
        },
    }
    found = converted(schema, schemas=schemas)
    assert accepts(found, {"thing": {"kind": "Dog"}})
    assert accepts(found, {"thing": {"wheels": 4}})
    assert not accepts(found, {"thing": {"kind": "Bird"}})


def test_what_the_document_states_stands() -> None:
    own = {"Cat": {"type": "object", "properties": {"kind": {"enum": ["tom", "felix"]}}},
           "Dog": {"type": "object", "properties": {"bark": TEXT}}}  # fmt: skip
    schema = {"anyOf": [CAT, DOG], "discriminator": {"propertyName": "kind"}}
    assert converted(schema, schemas=own) == {
        "anyOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}],
        "$defs": own,
    }


def test_a_base_stands_for_what_derives_from_it() -> None:
    def derived(name: str) -> dict[str, Any]:
        return {
            "allOf": [
                {"$ref": "#/components/schemas/Pet"},
                {"type": "object", "properties": {name: {"type": "integer"}}, "required": [name]},
            ]
        }

    base = {
        "type": "object",
        "properties": {"kind": TEXT},
        "required": ["kind"],
        "discriminator": {"propertyName": "kind"},
    }
    schemas = {"Pet": base, "Cat": derived("lives"), "Dog": derived("tricks")}
    found = converted({"$ref": "#/components/schemas/Pet"}, schemas=schemas)
    assert accepts(found, {"kind": "Cat", "lives": 9})
    assert accepts(found, {"kind": "Pet"})
    assert not accepts(found, {"kind": "Cat"})
    assert not accepts(found, {"kind": "Bird"})
    alone = converted({"$ref": "#/components/schemas/Cat"}, schemas=schemas)
    assert accepts(alone, {"kind": "Cat", "lives": 9})
    assert not accepts(alone, {"kind": "Dog", "lives": 9})
    mapping = {"propertyName": "kind", "mapping": {"c": "Cat", "d": "Dog"}}
    found = converted(
        {"$ref": "#/components/schemas/Pet"}, schemas={**schemas, "Pet": {**base, "discriminator": mapping}}
    )
    assert accepts(found, {"kind": "d", "tricks": 1})
    assert not accepts(found, {"kind": "Pet"})


def test_a_union_that_its_branches_derive_from_is_no_circle() -> None:
    base = {
        "type": "object", "properties": {"kind": TEXT}, "required": ["kind"],
        "discriminator": {"propertyName": "kind"}, "oneOf": [CAT, DOG],
    }  # fmt: skip
    schemas = {
        "Pet": base,
        **{
            name: {
                "allOf": [{"$ref": "#/components/schemas/Pet"}, {"properties": {"n": {"type": "integer"}}}]
            }
            for name in ("Cat", "Dog")
        },
    }
    pet = {"$ref": "#/components/schemas/Pet"}
    operation = {
        "operationId": "add", "summary": "Adds.", "parameters": [query(pet)],
        "responses": {"200": {"content": {"application/json": {"schema": pet}}}},
    }  # fmt: skip
    tool = only(operation, components={"schemas": schemas})
    found = {**tool.parameters["properties"]["q"], "$defs": tool.parameters["$defs"]}
    assert accepts(found, {"kind": "Dog", "n": 1})
    assert not accepts(found, {"kind": "Pet", "n": 1})
    assert not accepts(found, {"kind": "Dog", "n": "x"})
    assert accepts(tool.result, {"kind": "Dog", "n": 1})
    compiled = toolcast.compile(specs(Declarations(tools=(tool,))), providers=["openai"])
    assert not compiled.failed, compiled.diagnostics


# --- results


def result(schema: Any, version: str = "3.0.3", **responses: Any) -> Any:
    answers = {"200": {"content": {"application/json": {"schema": schema}}}} if schema is not None else {}
    return only({"responses": {**answers, **responses}}, version).result


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string", "enum": ["a", "b"]}, {"type": "string", "examples": ["a", "b"]}),
        (
            {"type": "string", "nullable": True, "enum": ["a"]},
            {"type": ["string", "null"], "examples": ["a"]},
        ),
        ({"type": "string", "format": "uri", "pattern": "a", "maxLength": 3}, TEXT),
        ({"type": "integer", "minimum": 1, "default": 3, "example": 4}, {"type": "integer"}),
        (
            {"type": "object", "properties": {"a": TEXT}, "required": ["a"], "additionalProperties": False},
            {"type": "object", "properties": {"a": TEXT}, "required": ["a"]},
        ),
        (
            {"type": "object", "additionalProperties": {"type": "string", "format": "uri"}},
            {"type": "object", "additionalProperties": TEXT},
        ),
        (
            {"oneOf": [TEXT, {"type": "integer", "nullable": True}]},
            {"anyOf": [TEXT, {"type": ["integer", "null"]}]},
        ),
        ({"oneOf": [TEXT], "anyOf": [{}]}, {"allOf": [{"anyOf": [TEXT]}], "anyOf": [{}]}),
        ({"not": TEXT, "type": "integer"}, {"type": "integer"}),
    ],
)
def test_results_accept_what_apis_answer_beyond_their_document(schema: Any, expected: Any) -> None:
    assert result(schema) == expected


def test_every_successful_json_answer_is_a_result() -> None:
    def json(schema: Any) -> Any:
        return {"content": {"application/json; charset=utf-8": {"schema": schema}}}

    assert result(None) is None
    assert result(None, default=json(TEXT), **{"404": json(TEXT)}) is None
    assert result(None, **{"204": {"description": ""}}) is None
    assert result(None, **{"200": {"content": {"text/html": {"schema": TEXT}}}}) is None
    assert result(None, **{"2XX": json(TEXT)}) == TEXT
    assert result(TEXT, **{"201": json(TEXT)}) == TEXT
    assert result({"type": "integer"}, **{"201": json(TEXT)}) == {"anyOf": [{"type": "integer"}, TEXT]}
    assert result(TEXT, **{"201": {"content": {"application/json": {}}}}) is None


# -- components that refer to each other --------------------------------------------------------------


def imported(source: OpenApiDocument) -> Imported:
    return specs_of(declarations_of(source), share=True)


def test_a_component_is_judged_and_shared_once_for_all_operations() -> None:
    few, many = connected(8, 5), connected(8, 30)
    imported(few)  # imports, and what is made at first use
    assert lines_executed(lambda: imported(many)) < 3 * lines_executed(lambda: imported(few))


def test_components_that_refer_to_each_other_cost_what_is_written() -> None:
    small, large = connected(6, 2), connected(24, 2)  # 16 times as many references
    imported(small)
    assert lines_executed(lambda: imported(large)) < 24 * lines_executed(lambda: imported(small))


@pytest.mark.parametrize(
    "wrong",
    [
        {"type": "string", "minLength": "x"},
        {"type": "object", "properties": {"no": {"type": "integer", "minimum": 2, "maximum": 1}}},
    ],
)
def test_a_defect_of_a_component_is_one_of_each_operation_that_has_it(wrong: Any) -> None:
    source = connected(3, 2, Wrong=wrong)
    source.data["paths"]["/fine"] = {"get": {"parameters": [query(TEXT)]}}
    found = imported(source)
    assert {each.code for each in found.diagnostics} == {"import-defect"}
    alone = [
        specs_of(structs.replace(declarations, tools=(tool,)))
        for declarations in [declarations_of(source)]
        for tool in declarations.tools
    ]
    assert found.diagnostics == tuple(each for one in alone for each in one.diagnostics)
    assert sum("Schema changed" in each.text for each in found.drafts) == 2
