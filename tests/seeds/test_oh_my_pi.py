"""What oh-my-pi does with schemas, arguments and whole sets of tools."""

import json
from typing import Any, get_args

import jsonschema_rs
import pytest
import toolcast
from toolcast.providers import Normalizer, available, decode, load_profile, normalize, quarantined
from toolcast.runtime import ArgumentError, Guesses, ToolRegistry

from generated.registry import BINDINGS, Provider
from tests.seeds.schemas import lost, of, sent, sent_a

TEXT = (
    "name: probe\nsummary: A.\ndescription: B.\npermission: read\nsecrets: []\nparameters: {type: object}\n"
)
META = "https://json-schema.org/draft/2020-12/schema"
NODE = {"type": "object", "properties": {"next": {"$ref": "#/$defs/n"}}}


def compiled(**properties: Any) -> dict[str, bytes]:
    """The files of one tool with these parameters."""
    spec = {
        "name": "probe",
        "summary": "Probe.",
        "description": "Probes.",
        "permission": "read",
        "secrets": [],
        "parameters": {"type": "object", "additionalProperties": False, "properties": properties},
    }
    return dict(toolcast.compile({"probe.json": json.dumps(spec).encode()}).files)


def test_a_union_of_a_type_and_null_becomes_nullable() -> None:
    """A union of a scalar and null becomes one type with null.
    Source: 1, "Two-branch `anyOf:[scalar,null]` becomes"
    Differs: only where the provider's dialect has no such union; elsewhere it is sent as it is.
    """
    union = {"anyOf": [{"type": "string"}, {"type": "null"}]}
    assert sent_a(union, "gemini") == {"type": "string", "nullable": True}
    assert sent_a(union, "openai") == union


def test_an_enum_of_one_type_gains_that_type() -> None:
    """An enum whose values have one type gains that type.
    Source: 1, "a homogeneous bare enum gains `type`"
    """
    assert sent_a({"enum": ["x", "y"]}, "openai") == {"type": "string", "enum": ["x", "y"]}


def test_a_union_of_constants_becomes_an_enum() -> None:
    """A union of constants becomes one enum where no description is lost by that.
    Source: 1, "an all-const `anyOf` becomes"
    Better: descriptions that differ are kept in words, or in the branches where the provider takes them.
    """
    plain = {"anyOf": [{"const": "x"}, {"const": "y"}]}
    assert sent_a(plain, "cloud-code-assist") == {"type": "string", "enum": ["x", "y"]}
    described = {"anyOf": [{"const": "x", "description": "ex"}, {"const": "y", "description": "why"}]}
    assert all(word in sent_a(described, "cloud-code-assist")["description"] for word in ("ex", "why"))
    assert [branch["description"] for branch in sent_a(described, "gemini")["anyOf"]] == ["ex", "why"]


def test_the_empty_schema_is_any_value() -> None:
    """A schema without keywords means any value.
    Source: 1, "`{}` becomes `true` in schema positions"
    Differs: `{}` stays `{}`, which means the same and which providers that refuse `true` take.
    """
    assert sent_a({}, "mcp") == {}
    assert sent_a({}, "gemini") == {"type": "string", "description": "JSON text of any value."}
    assert decode({"a": "[1]"}, "gemini", schema=of({})) == {"a": [1]}


@pytest.mark.parametrize("provider", available())
def test_older_drafts_become_2020_12(provider: str) -> None:
    """Schemas of older drafts are raised to 2020-12.
    Source: 1, "Draft-07 is raised to 2020-12"
    """
    schema = of({"type": "array", "items": [{"type": "string"}], "additionalItems": False})
    result = sent(schema, provider)
    jsonschema_rs.meta.validate({"$schema": META, **result})
    assert "additionalItems" not in json.dumps(result)


def test_definitions_become_defs() -> None:
    """`definitions` becomes `$defs`.
    Source: 1, "`definitions`→`$defs`"
    """
    schema = of({"$ref": "#/definitions/n"}, definitions={"n": {"type": "integer"}})
    assert sent(schema, "mcp") == of({"$ref": "#/$defs/n"}, **{"$defs": {"n": {"type": "integer"}}})


def test_a_list_of_items_becomes_prefix_items() -> None:
    """A list in `items` becomes `prefixItems`.
    Source: 1, "tuple `items`→`prefixItems`"
    """
    items = [{"type": "string"}, {"type": "integer"}]
    assert sent_a({"type": "array", "items": items}, "mcp") == {"type": "array", "prefixItems": items}


def test_dependencies_are_split() -> None:
    """`dependencies` becomes `dependentRequired` and `dependentSchemas`.
    Source: 1, "`dependencies` split into"
    """
    schema = {"type": "object", "dependencies": {"a": ["b"], "b": {"required": ["a"]}}}
    result = sent(schema, "mcp")
    assert result["dependentRequired"] == {"a": ["b"]}
    assert result["dependentSchemas"] == {"b": {"required": ["a"]}}


def test_nullable_becomes_the_type_null() -> None:
    """`nullable` becomes the type null.
    Source: 1, "`nullable`→null type"
    """
    assert sent_a({"type": "string", "nullable": True}, "mcp") == {"type": ["string", "null"]}


def test_siblings_of_a_reference_win() -> None:
    """Local references are inlined where they must be, and keywords beside one win.
    Source: 1, "Local references are inlined, siblings win"
    Differs: a reference stays where the provider takes references.
    """
    schema = of(
        {"$ref": "#/$defs/n", "description": "own"},
        **{"$defs": {"n": {"type": "integer", "description": "shared"}}},
    )
    assert sent(schema, "gemini")["properties"]["a"] == {"type": "integer", "description": "own"}


def test_a_cycle_ends() -> None:
    """A reference that leads back to itself ends.
    Source: 1, "a cycle becomes `{}`"
    Better: it stays a reference where the provider takes one, else it is written out once and described, and
    the deeper values arrive as JSON text.
    """
    schema = of({"$ref": "#/$defs/n"}, **{"$defs": {"n": NODE}})
    assert sent(schema, "anthropic")["$defs"] == {"n": NODE}
    deep = sent(schema, "gemini")["properties"]["a"]["properties"]["next"]["properties"]["next"]
    assert deep["type"] == "string"
    assert "Same structure as n" in deep["description"]
    value = {"a": {"next": {"next": '{"next": {}}'}}}
    assert decode(value, "gemini", schema=schema) == {"a": {"next": {"next": {"next": {}}}}}


@pytest.mark.parametrize(
    ("written", "meant", "value"),
    [
        ("any_of", "anyOf", [{"type": "string"}, {"type": "integer"}]),
        ("additional_properties", "additionalProperties", False),
        ("prefix_items", "prefixItems", [{"type": "string"}]),
    ],
)
def test_keywords_in_snake_case_are_renamed(written: str, meant: str, value: Any) -> None:
    """Keywords in snake case are read as the keywords that they mean.
    Source: 1, "snake_case combinators"
    Differs: `property_ordering` is no keyword of JSON Schema and stays.
    """
    base = {"type": "array"} if meant == "prefixItems" else {"type": "object"} if value is False else {}
    assert sent_a({**base, written: value}, "mcp") == {**base, meant: value}


@pytest.mark.parametrize("provider", available())
def test_a_property_may_have_the_name_of_a_keyword(provider: str) -> None:
    """Names of properties are never read as keywords.
    Source: 1, "Keys under `properties` and other schema maps"
    """
    names = ("pattern", "title", "format", "enum", "items")
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in names}}
    assert set(sent(schema, provider)["properties"]) == set(names)


def test_literals_are_never_rewritten() -> None:
    """Values of `default`, `enum`, `const` and `examples` are never rewritten as schemas.
    Source: 1, "Literals in `default enum const examples`"
    """
    literal = {"$ref": "#/x", "minLength": 3, "title": "t", "nullable": True}
    schema = {"type": "object", "properties": {"title": {"type": "string"}}, "default": literal}
    assert sent_a(schema, "gemini")["default"] == literal
    assert sent_a({**schema, "examples": [literal]}, "mcp")["examples"] == [literal]


@pytest.mark.parametrize(
    "keyword",
    [
        {"$schema": META},
        {"$defs": {"x": {"type": "string"}}},
        {"patternProperties": {"^x": {"type": "string"}}},
        {"propertyNames": {"maxLength": 3}},
        {"unevaluatedProperties": False},
        {"dependentRequired": {"a": ["b"]}},
        {"dependentSchemas": {"a": {"required": ["b"]}}},
        {"readOnly": True},
        {"deprecated": True},
        {"$comment": "for people"},
    ],
    ids=lambda keyword: next(iter(keyword)),
)
def test_gemini_gets_no_keyword_that_it_refuses(keyword: dict[str, Any]) -> None:
    """Gemini gets no keyword that it refuses.
    Source: 1, "**Google.** Strips"
    Better: what the keyword says is kept in words or in another form, or stands in the ledger; bounds,
    lengths, formats and patterns that Gemini documents today are sent.
    """
    assert next(iter(keyword)) not in json.dumps(sent(of({"type": "string"}, **keyword), "gemini"))


@pytest.mark.parametrize(
    ("keyword", "words"),
    [
        ({"uniqueItems": True}, "Each item must be unique"),
        ({"exclusiveMinimum": 0}, "greater than 0"),
        ({"multipleOf": 5}, "multiple of 5"),
        ({"format": "regex"}, "Format: regex"),
    ],
    ids=lambda each: next(iter(each)) if isinstance(each, dict) else None,
)
def test_what_gemini_lacks_is_said_in_the_description(keyword: dict[str, Any], words: str) -> None:
    """What Gemini has no keyword for is said in the description.
    Source: 1, "Lifts into the description"
    Source: 1, "`pattern format minLength maxLength minimum maximum"
    Better: as a sentence behind the description, which a model reads as it reads prose.
    """
    kind = {"uniqueItems": "array", "format": "string"}.get(next(iter(keyword)), "number")
    schema = {"type": kind, "description": "A value.", **keyword}
    if kind == "array":
        schema["items"] = {"type": "string"}
    description = sent_a(schema, "gemini")["description"]
    assert description.startswith("A value.")
    assert words in description


def test_gemini_knows_null_as_nullable() -> None:
    """A type with null becomes the type with `nullable` for Gemini.
    Source: 1, "`type:[T,null]`→`T` + `nullable:true`"
    """
    assert sent_a({"type": ["integer", "null"]}, "gemini") == {"type": "integer", "nullable": True}


def test_every_type_of_a_list_reaches_gemini() -> None:
    """A list of types becomes what Gemini can say.
    Source: 1, "several types→the first"
    Better: all of them, as a union; the first alone would lock the others out.
    """
    result = sent_a({"type": ["string", "integer"]}, "gemini")
    assert result == {"anyOf": [{"type": "string"}, {"type": "integer"}]}


def test_a_constant_becomes_an_enum_for_gemini() -> None:
    """`const` becomes an enum of one value.
    Source: 1, "`const`→`enum`"
    """
    assert sent_a({"const": "v"}, "gemini") == {"enum": ["v"], "type": "string"}


def test_properties_keep_their_order() -> None:
    """The order of properties reaches the model.
    Source: 1, "`propertyOrdering` when an object has more than one property"
    Differs: JSON keeps the order of the spec; `propertyOrdering` repeats it.
    """
    schema = {"type": "object", "properties": {"b": {"type": "string"}, "a": {"type": "string"}}}
    assert list(sent(schema, "gemini")["properties"]) == ["b", "a"]


def test_objects_without_properties_stay_usable() -> None:
    """An object that states no properties gets what its provider asks for.
    Source: 1, "objects get `properties:{}`"
    Better: for Gemini, which would send nothing but `{}`, it becomes JSON text, and is decoded.
    """
    assert sent_a({"type": "object"}, "gemini") == {
        "type": "string",
        "description": "JSON text of an object.",
    }
    assert decode({"a": '{"x": 1}'}, "gemini", schema=of({"type": "object"})) == {"a": {"x": 1}}


def test_enums_of_numbers_reach_gemini() -> None:
    """An enum of numbers becomes what Gemini can say.
    Source: 1, "non-string enums drop to the bare type"
    Better: the values become strings, and the answer becomes numbers again.
    """
    schema = of({"type": "integer", "enum": [1, 2]})
    assert sent(schema, "gemini")["properties"]["a"] == {"type": "string", "enum": ["1", "2"]}
    assert decode({"a": "2"}, "gemini", schema=schema) == {"a": 2}


def test_cloud_code_assist_gets_no_null() -> None:
    """Claude behind Cloud Code Assist gets no null and no `nullable`.
    Source: 1, "**Cloud Code Assist Claude (CCA).** The Google strip list, no `nullable`"
    """
    result = sent(of({"type": ["string", "null"]}), "cloud-code-assist")
    assert "null" not in json.dumps(result)
    assert decode({}, "cloud-code-assist", schema=of({"type": ["string", "null"]})) == {"a": None}


def test_unions_of_objects_merge_for_cloud_code_assist() -> None:
    """Unions of objects merge: all properties, compatible enums united, only common keys required.
    Source: 1, "Object unions merge"
    """
    branches = [
        {"type": "object", "properties": {"k": {"const": k}, k: {"type": "string"}}, "required": ["k", k]}
        for k in ("u", "v")
    ]
    result = sent_a({"anyOf": branches}, "cloud-code-assist")
    assert set(result["properties"]) == {"k", "u", "v"}
    assert result["properties"]["k"]["enum"] == ["u", "v"]
    assert result["required"] == ["k"]


def test_mixed_types_reach_cloud_code_assist() -> None:
    """A value of several types becomes one that Cloud Code Assist takes.
    Source: 1, "Mixed types→first non-null type"
    Better: as JSON text of a value that fits, so that no type is locked out.
    """
    schema = of({"type": ["string", "object"]})
    result = sent(schema, "cloud-code-assist")["properties"]["a"]
    assert isinstance(result["type"], str)
    assert decode({"a": '{"x": 1}'}, "cloud-code-assist", schema=schema) == {"a": {"x": 1}}


@pytest.mark.parametrize(
    "schema",
    [
        {"not": {"type": "string"}},
        {"allOf": [{"type": "string"}, {"minLength": 2}]},
        {"oneOf": [{"type": "string"}, {"type": "object"}]},
        {"type": ["string", "integer", "null"]},
    ],
)
def test_no_tool_is_emptied_for_cloud_code_assist(schema: dict[str, Any]) -> None:
    """What Cloud Code Assist cannot take costs that part, and leaves the tool its parameters.
    Source: 1, "What is left of type arrays, null types"
    Better: no tool becomes one without parameters.
    """
    result = sent(of(schema), "cloud-code-assist")
    assert "a" in result["properties"]
    for keyword in ("anyOf", "oneOf", "allOf", "not", "nullable"):
        assert keyword not in result["properties"]["a"]


def test_mcp_gets_the_schema_nearly_as_it_is() -> None:
    """MCP clients get the schema with nothing left out but what 2020-12 does not have.
    Source: 1, "**MCP.** Strips only"
    Differs: `$schema` and references stay, which MCP's own conformance suite asks for.
    """
    schema = {"$schema": META, **of({"type": "string", "pattern": "^a", "minLength": 1})}
    assert sent(schema, "mcp") == schema


def test_responses_gets_any_of_for_one_of() -> None:
    """OpenAI's Responses get `anyOf` for `oneOf`.
    Source: 1, "**OpenAI Responses.** `oneOf`→`anyOf`"
    """
    branches = [{"type": "string"}, {"type": "integer"}]
    assert sent_a({"oneOf": branches}, "openai-responses") == {"anyOf": branches}


def test_responses_gets_properties_of_every_object() -> None:
    """For OpenAI's Responses every object states its properties.
    Source: 1, "objects gain `properties:{}`"
    """
    assert sent_a({"type": "object"}, "openai-responses") == {"type": "object", "properties": {}}


def test_responses_gets_the_empty_schema() -> None:
    """Any value stays any value for OpenAI's Responses.
    Source: 1, "`{}`→`true`"
    Differs: as `{}`, which means the same.
    """
    assert sent_a({}, "openai-responses") == {}
    assert normalize(of({}), "openai-responses").strict is False


def test_responses_gets_no_look_around() -> None:
    """OpenAI's Responses get no pattern with look-around.
    Source: 1, "look-around `pattern`s dropped"
    Better: the description has it.
    """
    result = sent_a({"type": "string", "pattern": "(?=a)b"}, "openai-responses")
    assert "pattern" not in result
    assert "(?=a)b" in result["description"]


def test_what_needs_nothing_is_equal() -> None:
    """A schema that needs no change comes back equal.
    Source: 1, "returns the same object when nothing changed"
    """
    schema = of({"type": "string"}, additionalProperties=False)
    outcome = normalize(schema, "openai-responses")
    assert outcome.schema == schema
    assert outcome.ledger == ()


def test_strict_is_enforced_on_what_is_left() -> None:
    """For OpenAI's strict mode every object is closed and requires all its properties.
    Source: 1, "**OpenAI strict.** Sanitise, then enforce"
    """
    result = sent(of({"type": "object", "properties": {"b": {"type": "string"}}}, required=False), "openai")
    assert result["additionalProperties"] is False
    assert result["required"] == ["a"]


@pytest.mark.parametrize(
    ("keyword", "said"),
    [
        ({"type": "string", "contentMediaType": "text/html"}, "text/html"),
        ({"type": "array", "items": {"type": "string"}, "uniqueItems": True}, "unique"),
    ],
    ids=["contentMediaType", "uniqueItems"],
)
def test_strict_gets_no_keyword_that_it_refuses(keyword: dict[str, Any], said: str) -> None:
    """OpenAI's strict mode gets no keyword that it refuses.
    Source: 1, "Removes `format pattern minLength"
    Better: the description has what was removed; the keywords that the strict mode takes today are sent.
    """
    outcome = normalize(of(keyword), "openai")
    result = outcome.schema["properties"]["a"]
    assert outcome.strict is True
    assert [*keyword][-1] not in result
    assert said in result["description"]


def test_a_default_is_said_in_strict_mode() -> None:
    """A default stands in the description where strict mode takes none.
    Source: 1, "`default`→` (default:"
    Source: 1, "X)` in a description that lacks"
    """
    result = sent_a({"type": "integer", "default": 5, "description": "How many."}, "openai", required=False)
    assert "default" not in result
    assert result["description"] == "How many. Default: 5."


def test_a_reference_with_siblings_is_inlined_for_strict() -> None:
    """A reference with keywords beside it is inlined for strict mode, and these win.
    Source: 1, "`$ref` + siblings is inlined and siblings win"
    """
    schema = of({"$ref": "#/$defs/n", "description": "own"}, **{"$defs": {"n": {"type": "integer"}}})
    assert sent(schema, "openai")["properties"]["a"] == {"type": "integer", "description": "own"}


def test_a_single_all_of_is_inlined_for_strict() -> None:
    """An `allOf` of one schema is inlined for strict mode.
    Source: 1, "a single-entry `allOf` is inlined and the entry wins"
    Differs: annotations of the place win over those of the entry, as they do beside a reference.
    """
    schema = {"allOf": [{"type": "string", "description": "in"}], "description": "out"}
    assert sent_a(schema, "openai") == {"type": "string", "description": "out"}


def test_what_is_optional_may_be_null_in_strict_mode() -> None:
    """What is optional may be null in strict mode, and null means absent.
    Source: 1, "Optional→null branch"
    """
    schema = of({"anyOf": [{"type": "string"}, {"type": "integer"}]}, required=False)
    assert {"type": "null"} in sent(schema, "openai")["properties"]["a"]["anyOf"]
    assert decode({"a": None}, "openai", schema=schema) == {}


def test_an_enum_of_several_types_is_strict() -> None:
    """An enum of several types is sent in strict mode.
    Source: 1, "Type-array enums split by type"
    Differs: as one list of types with one enum; the same values.
    """
    outcome = normalize(of({"enum": ["a", 1]}), "openai")
    assert outcome.strict is True
    validator = jsonschema_rs.validator_for(outcome.schema)
    assert [validator.is_valid({"a": value}) for value in ("a", 1, "b", 2)] == [True, True, False, False]


def test_tuples_are_strict_too() -> None:
    """The items of a tuple follow the rules of strict mode.
    Source: 1, "Tuple `prefixItems` are made strict too"
    Better: a closed tuple becomes an object, which the strict mode documents, and is decoded.
    """
    item = {"type": "object", "properties": {"x": {"type": "string"}}}
    schema = of({"type": "array", "prefixItems": [item], "items": False, "minItems": 1})
    outcome = normalize(schema, "openai")
    assert outcome.strict is True
    assert "prefixItems" not in json.dumps(outcome.schema)
    assert json.dumps(outcome.schema).count('"additionalProperties": false') >= 2


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "patternProperties": {"^x": {"type": "string"}}},
        {"type": "object", "properties": {}, "additionalProperties": True},
        {"anyOf": [{}, {"type": "string"}]},
        {},
    ],
)
def test_strict_gives_up_openly(schema: dict[str, Any]) -> None:
    """What strict mode cannot say is sent without it.
    Source: 1, "Fails open to `{strict:false, schema: upgraded}`"
    Source: 1, "`strict:true` is sent only when enforcement succeeded"
    Better: a map of values of one type is sent as pairs, in strict mode.
    """
    outcome = normalize(of(schema), "openai")
    assert outcome.strict is False
    assert any(entry.action == "widened" for entry in outcome.ledger)


def test_one_variable_turns_strict_off_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """One environment variable turns strict modes off everywhere.
    Source: 1, "one environment variable bypasses strict everywhere"
    """
    registry = ToolRegistry()
    for name in BINDINGS:
        registry.register_later(BINDINGS, name, lambda *_: "")
    strict = [name for name in get_args(Provider) if b'"strict":true' in registry.definitions(name)]
    assert "openai" in strict
    monkeypatch.setenv("TOOLCAST_NO_STRICT", "all")
    for name in get_args(Provider):
        assert b'"strict":true' not in registry.definitions(name)
        assert not registry.request_members(name).get("strict")
        assert b'"strict":true' not in BINDINGS["edit"].definition(name)


def test_anthropic_keeps_what_it_takes() -> None:
    """Anthropic's strict mode keeps its keywords.
    Source: 1, "**Anthropic.** Keeps"
    """
    text = {"type": "string", "format": "email", "description": "To whom.", "title": "To"}
    schema = of({"type": "array", "items": text, "minItems": 1}, additionalProperties=False)
    assert sent(schema, "anthropic-strict") == schema


def test_anthropic_gets_the_rest_in_words() -> None:
    """What Anthropic's strict mode does not take is said in words.
    Source: 1, "spills the rest"
    """
    result = sent_a({"type": "string", "minLength": 2, "format": "regex"}, "anthropic-strict")
    assert set(result) == {"type", "description"}
    assert "at least 2 characters" in result["description"]
    assert "regex" in result["description"]


def test_anthropic_gets_an_object_at_the_root() -> None:
    """The root for Anthropic is an object with properties.
    Source: 1, "Root always has `type:object`"
    Differs: what is empty is left out; the API takes that.
    """
    for provider in ("anthropic", "anthropic-strict"):
        assert sent({}, provider)["type"] == "object"


def test_anthropic_gets_no_union_at_the_root() -> None:
    """A union at the root becomes words for Anthropic, because the API answers 400.
    Source: 1, "root combinators are spilled because the API answers 400"
    """
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
    }
    result = sent(schema, "anthropic")
    assert "anyOf" not in result
    assert result["description"] == "At least one of these sets of keys must be given: a; b."


def test_a_contradiction_is_quarantined_by_path() -> None:
    """A tool whose enum contradicts its type is repaired or refused, and reported by path.
    Source: 1, "A tool whose enum or const contradicts its type is quarantined"
    """
    schema, entries = quarantined(of({"type": "string", "enum": [1, 2]}, required=False))
    assert schema["properties"]["a"] is False
    assert [entry.path for entry in entries] == ["/properties"]


def test_one_bad_spec_does_not_fail_the_others() -> None:
    """One bad tool never fails the others.
    Source: 1, "one bad tool never fails the turn"
    """
    good = TEXT.replace("probe", "good").encode()
    bad = TEXT.replace("probe", "bad").replace("{type: object}", "{type: strnig}").encode()
    made = toolcast.compile({"good.yaml": good, "bad.yaml": bad}, providers=["openai"])
    assert made.failed
    assert "good.py" in made.files
    assert {problem.file for problem in made.diagnostics} == {"specs/bad.yaml"}


def test_long_names_are_refused_when_tools_are_built() -> None:
    """Names that a provider refuses never reach it.
    Source: 1, "Tool names are cut to 64 characters with a deterministic hash suffix"
    Differs: in a spec the name is refused, with its line; names of live servers are cut and given a digest.
    """
    made = toolcast.compile({"n.yaml": TEXT.replace("probe", "n" * 65).encode()}, providers=["openai"])
    assert made.failed
    assert "64" in str(made.diagnostics[0].hint)


def test_the_first_of_a_name_wins_whatever_was_registered_before() -> None:
    """Who wins a name is determined.
    Source: 1, "the winner of a collision does not depend on registration order"
    Differs: two specs of one name are an error of the build; at run time the first registration wins, so
    that no later server takes a tool's place.
    """
    for order in (("a/twin.yaml", "b/twin.yaml"), ("b/twin.yaml", "a/twin.yaml")):
        made = toolcast.compile(
            dict.fromkeys(order, TEXT.replace("probe", "twin").encode()), providers=["openai"]
        )
        assert made.failed
        assert any("twin" in problem.message for problem in made.diagnostics)


def test_null_for_what_is_optional_means_absent_at_every_depth() -> None:
    """Null for an optional property means that it is absent, at every depth.
    Source: 1, "Optional `null` (also `\"null\"`) is dropped at every depth"
    Better: the text `"null"` is only a guess, which a program allows.
    """
    inner = {"type": "object", "properties": {"b": {"type": "integer"}}}
    schema = of({"type": "array", "items": inner})
    assert decode({"a": [{"b": None}]}, "openai", schema=schema) == {"a": [{}]}
    with pytest.raises(ArgumentError):
        decode({"a": [{"b": "null"}]}, "mcp", schema=schema)
    assert decode({"a": [{"b": "null"}]}, "mcp", schema=schema, guesses=Guesses(["null-text"])) == {"a": [{}]}


def test_an_empty_text_means_absent_only_where_it_is_refused() -> None:
    """An empty text for an optional property means absent only where the schema refuses it.
    Source: 1, "optional `\"\"` only if the property's schema rejects it"
    """
    guesses = Guesses(["empty-string"])
    refused = of({"type": "integer"}, required=False)
    assert decode({"a": ""}, "mcp", schema=refused, guesses=guesses) == {}
    accepted = of({"type": "string"}, required=False)
    assert decode({"a": ""}, "mcp", schema=accepted, guesses=guesses) == {"a": ""}


def test_a_required_null_is_refused() -> None:
    """A null for a required property is an error that the model reads.
    Source: 1, "a required null takes the schema default"
    Differs: a value that nobody sent would act; the model is told what is missing.
    """
    schema = of({"type": "integer", "default": 5})
    with pytest.raises(ArgumentError, match="`a`"):
        decode({"a": None}, "mcp", schema=schema)


@pytest.mark.parametrize(
    ("name", "schema", "text", "value"),
    [
        ("number", {"type": "integer"}, "5", 5),
        ("boolean", {"type": "boolean"}, "true", True),
        ("blanks", {"enum": ["on"]}, " on ", "on"),
        ("json-text", {"type": "object"}, '{"x": 1}', {"x": 1}),
    ],
)
def test_texts_of_values_are_read_where_a_program_allows_it(
    name: Any, schema: dict[str, Any], text: str, value: Any
) -> None:
    """Texts of numbers, booleans and JSON, and blanks around enum values, are corrected.
    Source: 1, "numeric and boolean strings are coerced"
    Source: 1, "JSON inside strings is parsed up to three levels"
    Source: 1, "enum whitespace trimmed"
    Better: only where the program allows the guess, and where one reading alone fits the contract.
    """
    with pytest.raises(ArgumentError):
        decode({"a": text}, "mcp", schema=of(schema))
    assert decode({"a": text}, "mcp", schema=of(schema), guesses=Guesses([name])) == {"a": value}


def test_a_missing_bracket_is_healed() -> None:
    """A missing bracket is corrected.
    Source: 1, "one-edit bracket healing"
    """
    guesses = Guesses(["missing-bracket"])
    schema = of({"type": "array", "items": {"type": "integer"}})
    assert decode('{"a": [1, 2]', "mcp", schema=schema, guesses=guesses) == {"a": [1, 2]}


def test_arguments_that_are_encoded_twice_are_opened() -> None:
    """An object that was encoded twice is opened.
    Source: 1, "double-encoded keys unwrapped"
    """
    text = json.dumps(json.dumps({"a": 1}))
    assert decode(text, "mcp", schema=of({"type": "integer"})) == {"a": 1}


def test_a_schema_is_normalised_once() -> None:
    """What was normalised is kept by its content.
    Source: 1, "**Fingerprint.** Hash with a version prefix, memoised"
    """
    normalizer = Normalizer()
    schema = json.dumps(of({"type": "string"}))
    assert normalizer.normalize(schema, "openai") is normalizer.normalize(schema, "openai")


def test_a_manifest_of_another_version_is_no_proof() -> None:
    """Outputs of another version count only as what they are.
    Source: 1, "a version mismatch fails closed and rebuilds"
    Better: the manifest holds digests of each input and output beside the versions, so that a version that
    changed no byte rebuilds nothing that differs.
    """
    manifest = compiled(x={"type": "string"})["manifest.txt"].decode()
    assert toolcast.__version__ in manifest
    assert any(len(word) >= 32 for word in manifest.split())


def test_no_specs_is_no_error() -> None:
    """Nothing to do is done at once.
    Source: 1, "empty sources short-circuit"
    """
    made = toolcast.compile({})
    assert not made.failed
    assert json.loads(ToolRegistry().definitions("openai")) == []


def test_every_profile_names_its_sources() -> None:
    """Every rule for a provider has a source.
    Better: theirs are in code.
    """
    for provider in available():
        assert load_profile(provider).sources


def test_the_ledger_lists_what_is_lost() -> None:
    """What a provider cannot be told is listed.
    Better: theirs is silent.
    """
    assert ("contains", "described") in lost(
        of({"type": "array", "items": {"type": "string"}, "contains": {"const": "x"}}), "gemini"
    )
