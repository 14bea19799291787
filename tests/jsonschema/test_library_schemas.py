"""Schemas of libraries of validators are no JSON Schema: converted where they carry one, else refused at each
door, in words."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import pydantic
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from toolcast.importers.import_tools import read_tools, specs_of
from toolcast.importers.spec_text import Choices
from toolcast.jsonschema.unusable_values import library_schema
from toolcast.mcp import Limits, LiveTool
from toolcast.mcp.live.server_tool import UnfitError, usable
from toolcast.providers import Normalizer, SchemaError, available, normalize, quarantined

from tests.python.compiled import RefusedError, compile_files, spec

ZOD: dict[str, Any] = {"version": 1, "vendor": "zod"}
TEXT_4 = {"def": {"type": "string"}, "type": "string", "format": None, "minLength": None}
TEXT_3 = {"_def": {"checks": [], "typeName": "ZodString", "coerce": False}, "~standard": ZOD}
OBJECTS: dict[str, dict[str, Any]] = {
    "Zod 4": {"def": {"type": "object", "shape": {"a": TEXT_4}}, "type": "object"},
    "Zod 4, standard": {"~standard": ZOD, "def": {"type": "object"}, "type": "object"},
    "Zod 3": {"_def": {"typeName": "ZodObject"}, "~standard": ZOD, "_cached": None},
    "Zod 3, old": {"_def": {"typeName": "ZodObject"}},
    "Zod core": {"_zod": {"def": {"type": "object", "shape": {}}}},
    "Valibot": {"kind": "schema", "type": "object", "expects": "Object", "async": False, "entries": {}},
    "ArkType": {"domain": "object", "required": [{"key": "a", "value": "string"}]},
    "Effect": {"ast": {"_tag": "TypeLiteral", "propertySignatures": []}},
    # As JSON.stringify writes them: functions and promises leave nothing.
    "Standard JSON Schema": {"~standard": {**ZOD, "jsonSchema": {}}},
    "Standard JSON Schema, in parts": {
        "~standard": {**ZOD, "jsonSchema": {"input": {}, "output": {}}},
        "type": "object",
    },
    "AI SDK, a promise": {"jsonSchema": {}},
    "AI SDK, nothing": {"jsonSchema": None, "_type": None},
    "AI SDK, of Zod": {"jsonSchema": {"def": {"type": "object", "shape": {}}, "type": "object"}},
    "AI SDK, twice": {"jsonSchema": {"jsonSchema": {"type": "object"}}},
    "another": {"~standard": {"version": 1, "vendor": "own"}, "fields": {}},
}
SHAPES = {f"a shape of {name}": {"a": each, "b": each} for name, each in OBJECTS.items()}
JSON_SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
CARRYING: dict[str, dict[str, Any]] = {
    "AI SDK": {"jsonSchema": JSON_SCHEMA},
    "AI SDK, validated": {"jsonSchema": JSON_SCHEMA, "_type": None},
    "Standard JSON Schema": {"~standard": {**ZOD, "jsonSchema": {"input": JSON_SCHEMA}}},
    "beside internals": {"~standard": {**ZOD, "jsonSchema": JSON_SCHEMA}, "def": {"type": "object"}},
}


def placed(value: dict[str, Any]) -> list[dict[str, Any]]:
    """The object as the schema of all parameters, of one, of items, of a branch, and of a definition."""
    inner = [value, {"type": "array", "items": value}, {"anyOf": [value, {"type": "null"}]}]
    below = [{"type": "object", "properties": {"p": each}} for each in inner]
    defined = {"type": "object", "properties": {"p": {"$ref": "#/$defs/V"}}, "$defs": {"V": value}}
    return [value, *below, defined]


def imported(tmp_path: Path, schema: Any) -> Any:
    file = tmp_path / "tools.json"
    tools = [
        {"name": "bad", "description": "Bad.", "inputSchema": schema},
        {"name": "good", "description": "Good.", "inputSchema": JSON_SCHEMA},
    ]
    file.write_text(json.dumps(tools), encoding="utf-8")
    return specs_of(read_tools([file]), Choices(permission="read", secrets=()))


@pytest.mark.parametrize("name", [*OBJECTS, *SHAPES])
def test_what_carries_no_json_schema_is_refused_at_each_door(name: str, tmp_path: Path) -> None:
    value = {**OBJECTS, **SHAPES}[name]
    for schema in placed(value) if name in OBJECTS else [value]:
        for provider in available():
            with pytest.raises(SchemaError, match="JSON Schema") as refused:
                normalize(schema, provider)
            assert "z.toJSONSchema" in str(refused.value)
        with pytest.raises(SchemaError):
            quarantined(schema)
        with pytest.raises(UnfitError, match="JSON Schema"):
            usable(LiveTool(server="s", name="t", input_schema=schema), Normalizer(), Limits())
        with pytest.raises(RefusedError) as unsound:
            compile_files({"t.json": spec(schema)})
        assert "library-schema" in unsound.value.codes
        assert all(each.line and each.column for each in unsound.value.found)
        found = imported(tmp_path, schema)
        assert list(found.specs) == ["good.yaml"]
        (problem,) = found.diagnostics
        assert problem.code == "library-schema"
        assert "z.toJSONSchema" in problem.hint


@pytest.mark.parametrize("name", CARRYING)
def test_what_carries_a_json_schema_is_that(name: str, tmp_path: Path) -> None:
    value = CARRYING[name]
    for schema, plain in zip(placed(value), placed(JSON_SCHEMA), strict=True):
        for provider in available():
            assert normalize(schema, provider).schema == normalize(plain, provider).schema
        assert quarantined(schema)[0] == quarantined(plain)[0]
        files = compile_files({"t.json": spec(schema)})[0]
        assert files["contracts/t.json"] == compile_files({"t.json": spec(plain)})[0]["contracts/t.json"]
        texts = imported(tmp_path, schema).specs
        assert texts.keys() == {"bad.yaml", "good.yaml"}
        assert "jsonSchema" not in yaml.safe_load(texts["bad.yaml"])["parameters"]


class Model(pydantic.BaseModel):
    a: str


@dataclasses.dataclass
class Point:
    a: str


PYTHON: dict[str, Any] = {
    "a model": Model,
    "an object of a model": Model(a="x"),
    "a field": pydantic.Field(description="x"),
    "an adapter": pydantic.TypeAdapter(int),
    "a data class": Point,
    "an object of a data class": Point("x"),
    "a type": str,
    "a function": len,
}


@pytest.mark.parametrize("name", PYTHON)
def test_objects_of_python_are_refused(name: str) -> None:
    schemas = [PYTHON[name], {"properties": {"a": PYTHON[name]}}, {"anyOf": [PYTHON[name], JSON_SCHEMA]}]
    for schema in schemas:
        with pytest.raises(SchemaError, match="no JSON Schema") as refused:
            normalize(schema, "openai")
        assert refused.value.hint
        with pytest.raises(SchemaError, match="no JSON Schema"):
            quarantined(schema)


@given(st.dictionaries(st.sampled_from(["def", "kind", "domain", "ast", "jsonSchema", "_def"]), st.just({})))
def test_properties_of_these_names_are_properties(properties: dict[str, Any]) -> None:
    schema = {"type": "object", "properties": properties}
    assert normalize(schema, "mcp").schema == schema
    assert library_schema(schema, root=True) is None
