"""The checkers themselves: held to recorded answers, and to what providers said when they refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.providers.rules import CHECKERS

Tool = dict[str, Any]

# -- recorded traffic -------------------------------------------------------------------------------

JUDGES = {
    ("api.openai.com", "openai_chat"): "openai",
    ("api.openai.com", "openai_responses"): "openai-responses",
    ("api.anthropic.com", "anthropic"): "anthropic",
    ("generativelanguage.googleapis.com", "google_openapi"): "gemini",
    ("generativelanguage.googleapis.com", "google_jsonschema"): "gemini-json-schema",
    ("aiplatform.googleapis.com", "google_jsonschema"): "vertex",
    ("bedrock-runtime.us-east-1.amazonaws.com", "bedrock"): "bedrock",
    ("api.groq.com", "openai_chat"): "groq",
    ("api.deepseek.com", "openai_chat"): "deepseek",
    ("api.mistral.ai", "openai_chat"): "mistral",
    ("api.cohere.com", "openai_chat"): "cohere",
}
CALLS_ARE_TO_BLAME = {"test_groq/test_tool_use_failed_error.yaml"}
"""Answered with 400 because of what the model wrote, not because of the schema."""


@pytest.mark.corpora
def test_what_was_answered_with_200_is_not_rejected_and_400_is(shared_dir: Path) -> None:
    path = shared_dir / "suites" / "provider-cassettes" / "tools.jsonl"
    wrong: list[str] = []
    judged: set[str] = set()
    for line in path.read_text(encoding="utf-8").rstrip("\n").split("\n"):
        record = json.loads(line)
        judge = JUDGES.get((record["host"], record["provider_format"]))
        if judge is None or any(record["source"].endswith(name) for name in CALLS_ARE_TO_BLAME):
            continue
        tool = dict(record["raw_tool"])
        if "parameters_json_schema" in tool:  # the SDK's spelling, before it is sent
            tool["parametersJsonSchema"] = tool.pop("parameters_json_schema")
        found = CHECKERS[judge].reject(tool)
        judged.add(judge)
        if bool(found) != (record["status"] == 400):
            wrong.append(f"{judge} {record['status']} {record['name']}: {found}")
    assert wrong == []
    assert judged == set(JUDGES.values())


# -- quoted refusals --------------------------------------------------------------------------------


def openai(
    parameters: Any, *, strict: bool = False, name: str = "tool", description: str = "A tool."
) -> Tool:
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters, "strict": strict},
    }


def anthropic(schema: Any, *, name: str = "tool") -> Tool:
    return {"name": name, "description": "A tool.", "input_schema": schema}


def gemini(parameters: Any, *, name: str = "tool") -> Tool:
    return {"name": name, "description": "A tool.", "parameters": parameters}


def of(name: str, schema: Any, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {name: schema}, **more}


def closed(*required: str) -> dict[str, Any]:
    return {"required": list(required), "additionalProperties": False}


CLOSED = closed("a")
TEXT = {"type": "string"}
LONG = "settings__approved__or__denied__countries__or__regions__approved__list"
QUOTED: list[tuple[str, Tool, str]] = [
    ("openai", openai(of("tool_input", of("a", TEXT), **closed("tool_input")), strict=True),
     "In context=('properties', 'tool_input'), 'additionalProperties' is required to be supplied and to be "
     "false."),
    ("openai", openai(of("operations", {"type": "array", "items": of("a", TEXT)}, **closed("operations")),
                      strict=True),
     "In context=('properties', 'operations', 'items'), 'additionalProperties' is required"),
    ("openai", openai(of("a", TEXT, **closed("a", "function_arguments")), strict=True),
     "In context=(), 'required' is required to be supplied and to be an array including every key in "
     "properties. Extra required key 'function_arguments' supplied."),
    ("openai", openai(of("url", {"type": "string", "format": "uri"}, **closed("url")), strict=True),
     "In context=('properties', 'url'), 'uri' is not a valid format."),
    ("openai", openai(of("data", {"oneOf": [TEXT]}, **closed("data")), strict=True),
     "In context=('properties', 'data'), 'oneOf' is not permitted."),
    ("openai", openai(of("configs", {"type": "array"})),
     "In context=('properties', 'configs'), array schema missing items."),
    ("openai", openai(of("a", {"type": ["string", "array"]})), "array schema missing items."),
    ("openai", openai({"type": "object", "properties": {}, "anyOf": [{"required": ["a"]}]}),
     "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/"),
    ("openai", openai({"type": "object", "properties": {}, "const": {}}),
     "'enum'/'const'/'not' at the top level."),
    ("deepseek", openai({"properties": {}}), "schema must be a JSON Schema of 'type: \"object\"'"),
    ("openai", openai({"type": "object"}), "properties"),
    ("openai", openai({"type": "object", "properties": {"type": "object"}}),
     "is not of type 'object', 'boolean'"),
    ("openai", openai(of("a", TEXT), name="a.b"), "'^[a-zA-Z0-9_-]+$'"),
    ("openai", openai(of("a", TEXT), name="a b"),
     "string does not match pattern. Expected a string that matches the pattern"),
    ("openai", openai(of("a", TEXT), name="a" * 71),
     "string too long. Expected a string with maximum length 64, but got a string with length 71 instead."),
    ("anthropic", anthropic({"type": "object", "oneOf": [{}]}),
     "input_schema does not support oneOf, allOf, or anyOf at the top level"),
    ("anthropic", anthropic({"type": "object", "anyOf": [{"required": ["route"]}]}), "anyOf"),
    ("anthropic", anthropic(of("filter[id]", TEXT)),
     "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'"),
    ("anthropic", anthropic(of("$top", TEXT)), "pattern"),
    ("anthropic", anthropic(of(LONG, TEXT)),
     LONG),
    ("anthropic", anthropic(of("a", TEXT), name="a.b"), "custom.name: String should match pattern"),
    ("anthropic", anthropic(of("a", TEXT), name="a" * 129),
     "custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"),
    ("gemini", gemini(of("a", TEXT), name="1a"),
     "Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9)"),
    ("gemini", gemini(of("a", TEXT, **{"$schema": "https://json-schema.org/draft/2020-12/schema"})),
     'Unknown name "$schema"'),
    ("gemini", gemini(of("a", TEXT, additionalProperties=False)), 'Unknown name "additionalProperties"'),
    ("gemini", gemini(of("a", {"type": ["string", "null"]})),
     ": Proto field is not repeating, cannot start list."),
    ("gemini", gemini(of("a", {"anyOf": [{"type": "string", "const": "x"}]})), 'Unknown name "const"'),
    ("gemini", gemini(of("a", {"type": "string", "enum": [2]})), "enum[0]' (TYPE_STRING), 2"),
    ("gemini", gemini(of("a", {"type": "number", "enum": ["2"]})), "only allowed for STRING type"),
    ("gemini", gemini(of("a", {"type": "object", "properties": {}})),
     "properties: should be non-empty for OBJECT type"),
    ("gemini", gemini(of("a", {"anyOf": [{"type": ""}]})),
     '(type.googleapis.com/google.ai.generativelanguage.v1beta.Type), ""'),
]  # fmt: skip
"""A tool that breaks one rule, and the part of the recorded answer that its checker must say."""
DOUBTED: list[tuple[str, Tool, str]] = [
    ("openai", openai(of("a", TEXT), description="a" * 1103),
     "Expected a string with maximum length 1024, but got a string with length 1103 instead."),
]  # fmt: skip
"""Reported once and absent from the provider's own contract: a doubt, not a refusal."""
FAMILIES = {"deepseek": "openai", "gemini": "google"}
NOT_THE_TOOL = ("INVALID_ARGUMENT error when MCP",)
"""Said of a client's conversion. Records of provider `arguments` are of what models write, not of tools."""


@pytest.mark.corpora
def test_every_quoted_refusal_has_a_rule_that_says_it(shared_dir: Path) -> None:
    path = shared_dir / "suites" / "provider-cassettes" / "rejections.jsonl"
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").rstrip("\n").split("\n")]
    texts = [(each["provider"], each["text"]) for each in records if each["provider"] != "arguments"]
    stated = [(FAMILIES.get(provider, provider), words) for provider, _, words in (*QUOTED, *DOUBTED)]
    unsaid = [
        (family, text)
        for family, text in texts
        if not text.startswith(NOT_THE_TOOL)
        and not any(family == own and words in text for own, words in stated)
    ]
    unquoted = [
        words for own, words in stated if not any(family == own and words in text for family, text in texts)
    ]
    assert (unsaid, unquoted) == ([], [])


@pytest.mark.parametrize(("provider", "tool", "words"), DOUBTED)
def test_a_doubt_is_reported_and_refuses_nothing(provider: str, tool: Tool, words: str) -> None:
    checker = CHECKERS[provider]
    assert checker.reject(tool) == []
    assert any(words in doubt for doubt in checker.doubts(tool))


# -- each rule can fail -----------------------------------------------------------------------------

BROKEN: list[tuple[str, Tool, str]] = [
    ("openai", openai(of("a", {"type": "string", "pattern": r"\p{L}"})), "is not a 'regex'."),
    ("openai", openai(of("a", {"$ref": "#/$defs/X"})), "cannot be resolved"),
    ("openai", openai(of("a", {}, **CLOSED), strict=True), "schema must have a 'type' key."),
    ("openai", openai(of("a", True, **CLOSED), strict=True), "is not of type 'object'"),
    ("openai", openai(of("a", {"type": "integer", "enum": ["x"]}, **CLOSED), strict=True),
     "does not validate"),
    (
        "openai",
        openai(
            of("a", {"$ref": "#/$defs/X", "description": "d"}, **CLOSED, **{"$defs": {"X": TEXT}}),
            strict=True,
        ),
        "$ref cannot have keywords {'description'}.",
    ),
    ("openai-nonstrict", openai(of("a", TEXT, **CLOSED), strict=True), "strict"),
    ("openai-responses", {"type": "function", "name": "a", "parameters": of("a", TEXT)}, "'tools[0].strict'"),
    (
        "openai-responses",
        {"type": "function", "name": "a", "strict": False, "parameters": of("a", {"oneOf": [TEXT]})},
        "'oneOf' is not permitted.",
    ),
    ("anthropic", anthropic({"properties": {}}), "type: Field required"),
    ("anthropic", anthropic(of("a", {"type": "array", "items": [TEXT]})), "draft 2020-12"),
    ("anthropic", anthropic(of("a", {**TEXT, "nullable": True})), "draft 2020-12"),
    (
        "anthropic-strict",
        {**anthropic(of("a", {"type": "integer", "minimum": 1}, **CLOSED)), "strict": True},
        "For 'integer' type, properties minimum are not supported",
    ),
    (
        "anthropic-strict",
        {**anthropic(of("a", {"$ref": "#"}, additionalProperties=False)), "strict": True},
        "Circular reference detected",
    ),
    ("anthropic-strict", {**anthropic(of("a", TEXT)), "strict": True}, "must be explicitly set to false"),
    ("bedrock", {"toolSpec": {"name": "a.b", "inputSchema": {"json": of("a", TEXT)}}}, "[a-zA-Z0-9_-]+"),
    ("bedrock-strict", {"toolSpec": {"name": "a", "strict": True, "inputSchema": {"json": of("a", TEXT)}}},
     "must be explicitly set to false"),
    ("bedrock", {"toolSpec": {"name": "a", "inputSchema": {"json": {}}}},
     "must be one of the following: object."),
    (
        "bedrock",
        {"toolSpec": {"name": "a", "description": "", "inputSchema": {"json": of("a", TEXT)}}},
        "Invalid length",
    ),
    ("gemini", gemini(of("a", {"type": "array"})), "items: missing field."),
    ("gemini", gemini(of("a", {"type": "string", "format": "uri"})), "only 'enum' and 'date-time'"),
    ("gemini", gemini(of("a", TEXT, required=["b"])), "required[0]: property is not defined"),
    ("gemini", gemini(of("a", {})), "didn't specify the schema type field"),
    ("vertex", gemini(of("a", {"anyOf": [TEXT], "description": "d"})), "alongside any_of"),
    ("vertex", gemini(of("a", {"$ref": "#/$defs/a"})), 'Unknown name "$ref"'),
    (
        "gemini-json-schema",
        {
            "name": "a",
            "description": "d",
            "parametersJsonSchema": of("a", {"$ref": "#/$defs/X", "title": "t"}, **{"$defs": {"X": TEXT}}),
        },
        "if $ref is set",
    ),
    (
        "gemini-json-schema",
        {"name": "a", "description": "d", "parametersJsonSchema": of("a", {"$ref": "#"}, required=["a"])},
        "cyclic reference",
    ),
    ("cloud-code-assist", gemini(of("a", {"anyOf": [TEXT]})), 'Unknown name "anyOf"'),
    ("cloud-code-assist", gemini(of("a", {"type": "null"})), "null"),
    ("mcp", {"name": "a", "inputSchema": {}}, "expected \"object\""),
    ("mcp", {"name": "a", "inputSchema": of("a", {"type": "number", "x-mcp-header": "X"})}, "x-mcp-header"),
    ("mcp", {"name": "a", "inputSchema": of("a", TEXT), "execution": {}}, "Unrecognized key: execution"),
    (
        "mcp-2025-11-25",
        {"name": "a", "inputSchema": of("a", TEXT), "outputSchema": {"type": "array"}},
        "outputSchema.type",
    ),
    ("mcp-2025-06-18", {"name": "a", "inputSchema": of("a", TEXT), "icons": []}, "Unrecognized key: icons"),
    ("mistral", openai(of("a", {"type": "nonsense"})), "Invalid tool schema"),
    ("cohere", openai(of("a", TEXT)), "unknown member function.strict"),
    ("xai", openai(of("a", True)), "property schema true is not supported"),
    ("xai", openai(of("a", {"enum": []})), "enum with zero variants"),
    ("xai", openai(of("a", {"type": "string", "pattern": r"\bword"})), "pattern outside"),
    ("deepseek", openai(of("a", {"type": "string", "minLength": 1}, **CLOSED), strict=True), "minLength"),
    ("groq", openai(of("a", TEXT, additionalProperties=False), strict=True), "Missing 'a'"),
    ("moonshot", openai(of("a", {"const": 1})), "const is not supported"),
    (
        "moonshot",
        openai(of("a", {"$ref": "#/properties/b"}, **{"$defs": {}})),
        "At path 'properties.a': references must start with #/$defs/>",
    ),
    ("moonshot", openai(of("a", {"type": "integer", "anyOf": [{"type": "integer"}]})), "beside anyOf"),
    ("ollama", {"type": "function", "function": {"name": "a", "parameters": of("a", True)}},
     "cannot unmarshal bool"),
    ("llama-cpp", openai(of("a", {"type": "string", "pattern": "a"})), "Pattern must start with '^'"),
    ("llama-cpp", openai(of("a", True)), "Unrecognized schema: true"),
    ("vllm-xgrammar", openai(of("a", {"type": "integer", "multipleOf": 2})), "not supported by xgrammar"),
    ("vllm-xgrammar", openai(of("a", {"type": "string", "format": "idn-email"})),
     "not supported by xgrammar"),
    ("conservative", openai(of("a", {"type": "integer", "minimum": 1})), "minimum is not portable"),
    ("azure-openai", openai(of("a", {"type": "array"})), "array schema missing items."),
    ("typescript", {"name": "a", "parameters": of("a", {"type": "string", "minLength": 1})}, "minLength"),
    ("python", {"name": "a", "parameters": of("from", TEXT)}, "'from' is no name for a parameter"),
]  # fmt: skip


@pytest.mark.parametrize(("provider", "tool", "words"), [*QUOTED, *BROKEN])
def test_a_breach_is_found(provider: str, tool: Tool, words: str) -> None:
    assert any(words in finding for finding in CHECKERS[provider].reject(tool)), CHECKERS[provider].reject(
        tool
    )


def test_every_checker_is_seen_to_reject() -> None:
    assert {provider for provider, _, _ in BROKEN} == CHECKERS.keys()


@pytest.mark.parametrize(
    ("provider", "tool", "words"),
    [
        ("openai-nonstrict", openai(of("a", {"type": "string", "minLength": 1})), "minLength"),
        ("ollama", openai(of("a", {"type": "string", "minLength": 1})), "/properties/a: minLength is lost"),
        ("llama-cpp", openai(of("a", {"type": "number", "minimum": 1})), "minimum"),
        ("vllm-xgrammar", openai(of("a", {"not": {}})), "widened to any JSON value"),
        (
            "gemini-json-schema",
            {"name": "a", "description": "d", "parametersJsonSchema": of("a", {"const": 1})},
            "const",
        ),
        ("xai", openai(of("a", {"type": "string", "maxLength": 5000})), "not guaranteed"),
    ],
)
def test_what_is_taken_and_not_enforced_is_named(provider: str, tool: Tool, words: str) -> None:
    assert any(words in finding for finding in CHECKERS[provider].ignored(tool))
