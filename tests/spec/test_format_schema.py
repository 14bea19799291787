"""The published schema and the reader agree; jsonschema-rs judges the schema's side."""

import json
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.spec.editor_schema import format_schema
from toolcast.spec.keys import KEYS
from toolcast.spec.spec_reader import read_tool

from tests.spec.helper import PROVIDERS, read

BASE: dict[str, Any] = {"description": "Does it.", "permission": "read", "secrets": []}
GONE = object()
PARAMETERS = {"type": "object", "properties": {"a": {"type": "string"}, "TODO_b": {}}}

GOOD: list[dict[str, Any]] = [
    {},
    {"name": "a-b_C1"},
    {"name": "_"},
    {"name": "a" * 64},
    {"$schema": "https://example.com/spec.json"},
    {"summary": "x", "description": GONE},
    {"description": "TODO lists are kept here."},
    *[{"permission": word} for word in ("write", "execute", "network")],
    {"parameters": PARAMETERS, "secrets": ["a", "TODO_b"]},
    {"parameters": PARAMETERS, "runtime_enums": {"a": "agents"}},
    {"parameters": {"type": ["object"]}},
    {"parameters": {"$ref": "../_types/a.yaml"}},
    {"parameters": {"allOf": [{"type": "object"}]}},
    {"parameters": {"type": "object", "x-mine": 1, "additionalProperties": {"type": ["string", "null"]}}},
    {"parameters": {"type": "object", "properties": {"a": {"exclusiveMinimum": True, "items": [{}]}}}},
    {
        "parameters": {
            "type": "object",
            "properties": {"a": True, "b": {"$ref": "#/$defs/b"}},
            "$defs": {"b": {}},
        }
    },
    {"result": {"type": "array", "items": {"const": None}}},
    {"result": {}},
    {"examples": [{}, {"a": [1]}]},
    {"annotations": {"title": "x", "destructive": True, "idempotent": False, "open_world": True}},
    {"providers": {"openai": {"strict": True}, "mcp": {}}},
    {"defaults": "include"},
    {"defaults": "omit"},
    {"text": ["a.b", "rows[].c"]},
    {"text": "{a}"},
    {"parallel": False, "external": True},
    {"callers": ["model", "code"], "defer": True, "stream_arguments": False, "blocking": False},
    {"callers": ["code"]},
    {"scopes": ["a", "b:c", "!#[]~"]},
    {"scopes": []},
    *[{"execution": {"task_support": word}} for word in ("forbidden", "optional", "required")],
    {"execution": {}},
    {"input": "text"},
    {"input": "text", "secrets": ["input"]},
    *[{"input": {"grammar": word, "definition": "a"}} for word in ("lark", "regex")],
    {"parameters": PARAMETERS, "described_by": "a"},
    {"parameters": PARAMETERS, "inject": {"a": "context.user.id"}},
    {"parallel": True, "external": False, "http": {"method": "get", "path": "/"}},
    {"http": {"method": "get", "path": "/"}},
    *[
        {"http": {"method": "get", "path": "/", "server": server, "server_variables": {"s": "https"}}}
        for server in ("{s}://a.example", "HTTPS://{s}.example")
    ],
    {
        "http": {
            "method": "post",
            "path": "/a",
            "server": "https://{at}.example.com/v1",
            "server_variables": {"at": "eu"},
            "in": {"a": "body", "TODO_b": {"in": "query", "name": "b", "style": "deepObject"}},
            "body": "multipart/form-data",
            "encoding": {"a": {"content_type": "image/png, image/*"}},
            "security": [{"key": [], "web": ["read"]}, {}],
            "schemes": {
                "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
                "web": {"type": "oauth2"},
            },
        },
        "parameters": PARAMETERS,
    },
    {"lint": {}},
    {"lint": {"ignore": {"vague-description": "The name says it all.", "not-strict": "It is a map."}}},
    {"lint": {"ignore": {"not-strict": {"reason": "It is a map.", "until": "2027-03-01"}}}},
    {"lint": {"ignore": {"not-strict": {"reason": "It is a map."}}}},
    {"verify": {"ignore": {"L3": "The map is too deep.", "second-opinion": {"reason": "Known."}}}},
    {"diff": {"ignore": {"tool-removed": {"reason": "Nobody calls it.", "until": "2027-03-01"}}}},
    {"diff": {}},
    {"source": {"kind": "mcp", "name": "a.b", "from": "git"}},
    {"icons": [{"src": "https://a.example/i", "sizes": ["any"], "theme": "light"}], "meta": {"a": 1}},
    {"icons": [{"src": "HTTPS://a.example/i"}], "meta": {"com.example/a": 1}},
]
BAD: list[dict[str, Any]] = [
    {"colour": 1},
    {"inputSchema": {}},
    {"name": "1a"},
    {"name": "a b"},
    {"name": ""},
    {"name": "a" * 65},
    {"name": 1},
    {"description": GONE},
    {"description": " "},
    {"description": 1},
    {"summary": ""},
    {"permission": GONE},
    {"permission": "TODO"},
    {"permission": "admin"},
    {"permission": None},
    {"secrets": GONE},
    {"secrets": None},
    {"secrets": "a"},
    {"secrets": "TODO"},
    {"secrets": ["TODO"]},
    {"secrets": ["a", "a"], "parameters": PARAMETERS},
    {"secrets": [1], "parameters": PARAMETERS},
    {"parameters": None},
    {"parameters": True},
    {"parameters": {}},
    {"parameters": {"properties": {}}},
    {"parameters": {"type": "array"}},
    {"parameters": {"type": ["object", "null"]}},
    {"result": True},
    {"result": None},
    {"examples": {}},
    {"examples": [1]},
    {"annotations": {"readOnly": True}},
    {"annotations": {"destructive": "yes"}},
    {"annotations": {"title": ""}},
    {"annotations": []},
    {"runtime_enums": {"a": ""}, "parameters": PARAMETERS},
    {"runtime_enums": {"a": 1}, "parameters": PARAMETERS},
    {"runtime_enums": []},
    {"providers": {"acme": {}}},
    {"providers": {"openai": None}},
    {"providers": {"openai": {"strict": 1}}},
    {"providers": {"openai": {"mode": "x"}}},
    {"defaults": "all"},
    {"defaults": True},
    {"defaults": None},
    *[{"text": value} for value in (None, [], ["a", "a"], [1], "", {}, True)],
    {"parallel": "no"},
    {"parallel": None},
    {"external": 1},
    {"callers": []},
    {"callers": "code"},
    {"scopes": "a"},
    {"scopes": ["a b"]},
    {"scopes": [""]},
    {"scopes": ["a", "a"]},
    {"callers": ["robot"]},
    {"callers": ["code", "code"]},
    {"defer": None},
    {"stream_arguments": "no"},
    {"blocking": 0},
    {"execution": []},
    {"input": None},
    {"input": "lark"},
    {"input": {}},
    {"input": {"grammar": "lark"}},
    {"input": {"definition": "a"}},
    {"input": {"grammar": "gbnf", "definition": "a"}},
    {"input": {"grammar": "lark", "definition": " "}},
    {"input": {"grammar": "lark", "definition": "a", "flags": "i"}},
    {"input": "text", "parameters": PARAMETERS},
    {"input": "text", "runtime_enums": {"input": "a"}},
    {"input": "text", "empty_is_absent": []},
    {"input": "text", "inject": {"input": "context.a"}},
    {"input": "text", "described_by": "input"},
    {"execution": {"task_support": None}},
    {"execution": {"task_support": "never"}},
    {"execution": {"taskSupport": "optional"}},
    {"described_by": ["a"], "parameters": PARAMETERS},
    {"described_by": "", "parameters": PARAMETERS},
    {"inject": ["a"], "parameters": PARAMETERS},
    {"inject": {"a": "user.id"}, "parameters": PARAMETERS},
    {"inject": {"a": "context._id"}, "parameters": PARAMETERS},
    {"external": True, "http": {"method": "get", "path": "/"}},
    {"http": []},
    {"http": {"method": "get"}},
    {"http": {"method": "GET", "path": "/"}},
    {"http": {"method": "get", "path": "a"}},
    {"http": {"method": "get", "path": "/", "server": "ftp://example.com"}},
    {"http": {"method": "get", "path": "/", "timeout": 3}},
    {"http": {"method": "get", "path": "/", "security": {}}},
    {"http": {"method": "get", "path": "/", "schemes": {"a": {"type": "key"}}}},
    {"http": {"method": "get", "path": "/", "in": {"a": "url"}}, "parameters": PARAMETERS},
    {"lint": []},
    {"lint": {"ignored": {}}},
    {"lint": {"ignore": ["vague-description"]}},
    {"lint": {"ignore": {"vague": "x"}}},
    {"lint": {"ignore": {"vague-description": " "}}},
    {"lint": {"ignore": {"vague-description": True}}},
    {"lint": {"ignore": {"not-strict": {"until": "2027-03-01"}}}},
    {"lint": {"ignore": {"not-strict": {"reason": "x", "until": "1 March"}}}},
    {"lint": {"ignore": {"not-strict": {"reason": "x", "until": "20270301"}}}},
    {"lint": {"ignore": {"not-strict": {"reason": "x", "until": None}}}},
    {"lint": {"ignore": {"not-strict": {"reason": "x", "since": "2027-03-01"}}}},
    {"verify": {"ignore": {"L6": "x"}}},
    {"diff": {"ignore": {"tool-removed": "Nobody calls it."}}},
    {"diff": {"ignore": {"tool-removed": {"reason": "Nobody calls it."}}}},
    {"diff": {"ignore": {"Tool removed": {"reason": "x", "until": "2027-03-01"}}}},
    {"source": {"kind": "mcp", "name": "a"}},
    {"source": {"kind": "soap", "name": "a", "from": "b"}},
    {"source": "mcp"},
    {"mcp": {"meta": {}}},
    {"_meta": {}},
    {"icons": [{}]},
    {"icons": [{"src": "javascript:x"}]},
    {"icons": [{"src": "https://a.example", "theme": "pink"}]},
    {"meta": []},
    {"meta": {"_a": 1}},
]
# A schema cannot say these; the reader does.
ONLY_READER: list[dict[str, Any]] = [
    {"secrets": ["b"], "parameters": PARAMETERS},
    {"runtime_enums": {"b": "x"}, "parameters": PARAMETERS},
    {"name": "__init__"},
    {"lint": {"ignore": {"not-strict": {"reason": "x", "until": "2027-02-30"}}}},
    {"http": {"method": "get", "path": "/", "in": {}}, "parameters": PARAMETERS},
    {"http": {"method": "get", "path": "/../b"}},
    {"http": {"method": "get", "path": "/", "security": [{"a": []}]}},
]


def build(changes: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in {**BASE, **changes}.items() if value is not GONE}


def reader_accepts(spec: dict[str, Any]) -> bool:
    return read_tool(read(json.dumps(spec), "json"), "g/tool.json", PROVIDERS)[0] is not None


@pytest.fixture(scope="module")
def validator() -> Any:
    return jsonschema_rs.Draft202012Validator(format_schema(PROVIDERS))


@pytest.mark.parametrize("changes", GOOD)
def test_good(changes: dict[str, Any], validator: Any) -> None:
    assert reader_accepts(build(changes))
    assert [error.message for error in validator.iter_errors(build(changes))] == []


@pytest.mark.parametrize("changes", BAD)
def test_bad(changes: dict[str, Any], validator: Any) -> None:
    assert not reader_accepts(build(changes))
    assert not validator.is_valid(build(changes))


@pytest.mark.parametrize("changes", ONLY_READER)
def test_bad_beyond_a_schema(changes: dict[str, Any], validator: Any) -> None:
    assert not reader_accepts(build(changes))
    assert validator.is_valid(build(changes))


@pytest.mark.parametrize("name", ["", "a b", "A:", "a\n", "\u00e9", 1, None, ["A"]])
def test_names_of_headers(name: object, validator: Any) -> None:
    """The build refuses these after it has read the spec; editors say so at once."""

    def spec(header: object) -> dict[str, Any]:
        schema = {"type": "string", "x-mcp-header": header}
        return build({"parameters": {"type": "object", "properties": {"a": schema}}})

    assert not validator.is_valid(spec(name))
    assert validator.is_valid(spec("X-Region"))


_SCALARS = [None, True, 0, 1.5, "", " ", "a", "TODO", "write"]
_LISTS = [[], [1], ["a"], ["a", "a"], [{}]]
_MAPPINGS = [{}, {"a": "b"}, {"a": 1}, {"type": "object"}, {"type": "array"}, {"openai": {}}, {"title": "x"}]
ODD = st.sampled_from([*_SCALARS, *_LISTS, *_MAPPINGS, {"openai": {"strict": True}}])


@given(st.dictionaries(st.sampled_from([*KEYS, "nmae", "x"]), ODD, max_size=6), st.booleans())
def test_any_mapping(validator: Any, spec: dict[str, Any], whole: bool) -> None:
    """A tool or reasons, never both; and the schema refuses the same, but for names of parameters."""
    spec = {**BASE, **spec} if whole else spec
    document = read(json.dumps(spec), "json")
    tool, found, _ = read_tool(document, "g/tool.json", PROVIDERS)
    assert (tool is None) == bool(found)
    assert all(each.message and each.line == 1 and each.column >= 1 for each in found)
    if validator.is_valid(spec):
        assert {each.code for each in found} <= {"unknown-parameter"}
    else:
        assert tool is None


def test_the_schema_itself() -> None:
    schema = format_schema(PROVIDERS)
    jsonschema_rs.meta.validate(schema)
    assert tuple(sorted(schema["properties"])) == tuple(sorted(KEYS))
    for rule in schema["properties"].values():
        assert rule["description"]
        for example in rule.get("examples", []):
            local = {**rule, "$defs": schema["$defs"]}
            assert jsonschema_rs.is_valid(local, example)


def test_each_call_gives_a_fresh_schema() -> None:
    first = format_schema(frozenset({"mcp"}))
    first["properties"].clear()
    again = format_schema(frozenset({"mcp"}))
    assert list(again["properties"]["providers"]["properties"]) == ["mcp"]
