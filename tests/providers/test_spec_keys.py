"""Keys of a spec in tool objects: each is sent where the provider has it, and a ledger entry elsewhere."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import pytest
import toolcast
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from toolcast.analysis.verify.ledger_laws import silent_keys
from toolcast.contract.normal_form import member_places, with_texts
from toolcast.providers import SchemaError, available, load_profile, normalize

from tests.providers.strategies import contracts
from tests.spec.helper import tool as read_tool

BASE: dict[str, Any] = {
    "description": "Looks a word up.",
    "permission": "read",
    "secrets": [],
    "parameters": {
        "type": "object",
        "required": ["word"],
        "additionalProperties": False,
        "properties": {"word": {"type": "string"}},
    },
}
ICON = {"src": "https://a.example/i.png", "mimeType": "image/png"}
RESULT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}
KEYS: dict[str, list[Any]] = {
    "result": [RESULT, {"type": "array", "items": {"type": "integer"}}, {"type": "string"}, {}],
    "callers": [["model"], ["code"], ["model", "code"]],
    "defer": [True, False],
    "stream_arguments": [True, False],
    "blocking": [True, False],
    "execution": [{"task_support": word} for word in ("forbidden", "optional", "required")],
    "icons": [[ICON]],
    "meta": [{"example.com/team": "words"}],
    "annotations": [{"title": "Look up", "destructive": False, "idempotent": True, "open_world": False}],
}
EXAMPLES: dict[str, list[Any]] = {
    "examples": [[{"word": "a"}, {"word": "b"}]],
    "providers": [{"anthropic": {"examples": True}}],
}
ALL: dict[str, Any] = {
    **{key: values[0] for key, values in KEYS.items()},
    "callers": ["model", "code"],
    "blocking": False,
    "execution": {"task_support": "optional"},
}
TREE = {
    "type": "object",
    "properties": {"next": {"$ref": "#/$defs/Node"}},
    "$defs": {"Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}},
}


def made(keys: dict[str, Any]) -> tuple[dict[str, Any], dict[str, list[dict[str, Any]]]]:
    return _made(json.dumps({**BASE, **keys}))


@lru_cache(maxsize=256)
def _made(spec: str) -> tuple[dict[str, Any], dict[str, list[dict[str, Any]]]]:
    compiled = toolcast.compile({"look.json": spec.encode()}, providers=available())
    assert [each for each in compiled.diagnostics if each.severity == "error"] == []
    ledger: dict[str, list[dict[str, Any]]] = {}
    for entry in json.loads(compiled.files.get("ledger/look.json", b"[]")):
        for provider in entry.pop("providers"):
            ledger.setdefault(provider, []).append(entry)
    sent = {id: json.loads(compiled.files[f"schemas/{id}/look.json"]) for id in available()}
    return sent, ledger


def lost(ledger: dict[str, list[dict[str, Any]]], provider: str) -> dict[str, str]:
    return {
        entry["keyword"]: entry["reason"] for entry in ledger.get(provider, []) if entry.get("of") == "spec"
    }


def own(tool: dict[str, Any], *basic: str) -> dict[str, Any]:
    return {key: value for key, value in tool.items() if key not in basic}


def test_openai_responses() -> None:
    sent, ledger = made({**ALL, "callers": ["model"]})
    members = own(sent["openai-responses"], "type", "name", "description", "parameters", "strict")
    assert members == {
        "output_schema": RESULT, "allowed_callers": ["direct"], "defer_loading": True, "async": True
    }  # fmt: skip
    assert lost(ledger, "openai-responses").keys() == {
        "stream_arguments", "execution", "icons", "meta", "annotations"
    }  # fmt: skip


def test_an_async_function_of_responses_is_not_for_code() -> None:
    sent, ledger = made(ALL)
    assert sent["openai-responses"]["allowed_callers"] == ["direct", "programmatic"]
    assert "async" not in sent["openai-responses"]
    assert "code may call the tool" in lost(ledger, "openai-responses")["blocking"]


def test_anthropic() -> None:
    sent, ledger = made(ALL)
    assert own(sent["anthropic"], "name", "description", "input_schema") == {
        "allowed_callers": ["direct", "code_execution_20260120"],
        "defer_loading": True,
        "eager_input_streaming": True,
    }
    assert (
        lost(ledger, "anthropic")["result"]
        == "is not sent, because the Messages API has no schema of results"
    )
    assert "callers" not in lost(ledger, "anthropic")


def test_strict_mode_is_given_up_for_code() -> None:
    """ "Tools with `strict: true` are not supported with programmatic calling"."""
    sent, ledger = made({"callers": ["code"]})
    assert made({})[0]["anthropic-strict"]["strict"] is True
    assert made({"callers": ["model"]})[0]["anthropic-strict"]["strict"] is True
    tool = sent["anthropic-strict"]
    assert (tool["strict"], tool["allowed_callers"]) == (False, ["code_execution_20260120"])
    assert tool["input_schema"] == sent["anthropic"]["input_schema"]
    assert "rules out strict mode" in lost(ledger, "anthropic-strict")["callers"]
    # bedrock has no callers, so nothing is given up for them
    assert sent["bedrock-strict"]["toolSpec"]["strict"] is True


def test_strict_mode_that_the_spec_demands_rules_out_code() -> None:
    sent, ledger = made({"callers": ["code"], "providers": {"anthropic-strict": {"strict": True}}})
    assert sent["anthropic-strict"]["strict"] is True
    assert "allowed_callers" not in sent["anthropic-strict"]
    assert "cannot call strict tools" in lost(ledger, "anthropic-strict")["callers"]


@pytest.mark.parametrize("provider", ["anthropic", "anthropic-strict"])
def test_a_schema_that_contains_itself_is_not_for_code(provider: str) -> None:
    """400: "Circular $ref detected"."""
    sent, ledger = made({"callers": ["model", "code"], "parameters": TREE})
    assert "allowed_callers" not in sent[provider]
    assert "contain themselves" in lost(ledger, provider)["callers"]
    assert sent["openai-responses"]["allowed_callers"] == ["direct", "programmatic"]
    direct, _ = made({"callers": ["model"], "parameters": TREE})
    assert direct[provider]["allowed_callers"] == ["direct"]


@pytest.mark.parametrize("provider", ["gemini", "gemini-json-schema"])
def test_gemini(provider: str) -> None:
    sent, ledger = made(ALL)
    basic = ("name", "description", "parameters", "parametersJsonSchema")
    members = own(sent[provider], *basic)
    assert members["behavior"] == "NON_BLOCKING"
    assert members["responseJsonSchema"]["properties"]["output"] == RESULT
    assert members.keys() == {"behavior", "responseJsonSchema"}
    assert own(made({"blocking": True})[0][provider], *basic) == {"behavior": "BLOCKING"}
    assert "behavior" not in sent["vertex"]
    assert "platform" in lost(ledger, "vertex")["blocking"]


def test_execution_is_of_one_version_of_mcp() -> None:
    sent, ledger = made(ALL)
    assert sent["mcp-2025-11-25"]["execution"] == {"taskSupport": "optional"}
    for provider in ("mcp", "mcp-2025-06-18"):
        assert "execution" not in sent[provider]
        assert "execution" in lost(ledger, provider)
    oldest, older = (lost(ledger, f"mcp-{version}").keys() for version in ("2025-06-18", "2025-11-25"))
    assert oldest - older == {"icons", "execution"}


def test_nothing_stated_leaves_no_member_and_no_entry() -> None:
    sent, ledger = made({})
    for provider in available():
        assert lost(ledger, provider) == {}
    assert own(sent["anthropic"], "name", "description", "input_schema") == {}


def test_a_result_that_a_version_cannot_have_is_in_its_ledger() -> None:
    sent, ledger = made({"result": {"type": "array", "items": {"type": "integer"}}})
    assert "outputSchema" in sent["mcp"]
    for provider in ("mcp-2025-11-25", "mcp-2025-06-18"):
        assert "outputSchema" not in sent[provider]
        assert lost(ledger, provider)["result"] == "is not sent, because results are objects in this version"
    text = made({"result": {"type": "string"}})[1]
    assert "a result that is a text" in lost(text, "openai-responses")["result"]


STATED = st.fixed_dictionaries(
    {}, optional={key: st.sampled_from(values) for key, values in {**KEYS, **EXAMPLES}.items()}
)


@given(keys=STATED, provider=st.sampled_from(available()))
def test_nothing_that_is_stated_is_lost_in_silence(keys: dict[str, Any], provider: str) -> None:
    """L4 by its independent reading; and it sees what a profile or the ledger would forget."""
    sent, ledger = made(keys)
    tool, found = read_tool(json.dumps({**BASE, **keys}), "look.json", "json")
    assert tool is not None, found
    recorded = frozenset(lost(ledger, provider))
    parameters = _parameters(sent[provider])
    assert list(silent_keys(tool, sent[provider], parameters, recorded)) == []
    for key in recorded - {"callers"}:
        assert list(silent_keys(tool, sent[provider], parameters, recorded - {key})) == [key]
    bare = _without(sent[provider], parameters)
    asked = set(silent_keys(tool, bare, parameters, frozenset()))
    assert asked >= recorded - {"callers"}
    assert asked <= keys.keys()


def _parameters(tool: Any) -> Any:
    """The schema of the parameters, which Bedrock wraps once more."""
    found = dict(_members(tool))
    wrapped = found.get("inputSchema", {})
    known = ("parameters", "parametersJsonSchema", "input_schema")
    return next((found[key] for key in known if key in found), wrapped.get("json", wrapped))


def _members(value: Any) -> Any:
    for key, item in value.items() if isinstance(value, dict) else ():
        yield key, item
        yield from _members(item)


def _without(tool: dict[str, Any], parameters: Any) -> dict[str, Any]:
    kept = ("name", "description", "type", "function", "toolSpec", "inputSchema")
    return {key: value for key, value in tool.items() if key in kept or value is parameters}


def test_what_asks_for_the_default_is_not_missed() -> None:
    _, ledger = made({"callers": ["model"], "defer": False, "stream_arguments": False, "blocking": True,
                      "execution": {"task_support": "forbidden"}})  # fmt: skip
    assert {provider: lost(ledger, provider) for provider in ledger} == {provider: {} for provider in ledger}


def test_a_profile_states_names_for_callers_and_reasons_for_keys(tmp_path: Any) -> None:
    from toolcast.providers import ProfileError, load_profile_file

    head = 'base = "openai-nonstrict"\nid = "acme"\ndated = "2026-11-21"\n'
    cases = (
        (
            '[lost]\nresults = "it has none"\n',
            "'results', which is no key",
            "did you mean 'result'?",
        ),
        ('[lost]\nresult = "It has none."\n', "no end of a sentence", "full stop"),
        ('[envelope]\nname = "$name"\ncallers = "$callers"\n', "no table 'callers'", "[callers]"),
        ('[callers]\nmodel = "direct"\n', "code", ""),
        ('[callers]\nmodel = "a"\ncode = "b"\nwithout = ["speed"]\n', "callers.without", ""),
        ('[result]\nkeep = ["type", "not"]\n', "'not'", "refuse more"),
        ('[result]\nkeep = ["typ", "propertis"]\n', "propertis", "did you mean"),
    )
    for text, message, hint in cases:
        file = tmp_path / "acme.toml"
        file.write_text(head + text, encoding="utf-8")
        with pytest.raises(ProfileError) as caught:
            load_profile_file(file)
        shown = "\n".join(f"{each.message} {each.hint}" for each in caught.value.problems)
        assert message in shown
        assert hint in shown


def test_an_own_profile_names_its_callers() -> None:
    acme = replace(load_profile("openai-nonstrict"), id="acme", envelope={"name": "$name", "who": "$callers"})
    from toolcast.providers import ToolInfo, normalize, spec_ledger, tool_object
    from toolcast.providers.profiles.profile import CallerNames

    info = ToolInfo(name="t", description="d", keys={"callers": ("code",)})
    parameters = normalize({"type": "object"}, acme)
    assert "who" not in tool_object(info, acme, parameters)
    assert [entry.keyword for entry in spec_ledger(info, acme, parameters)] == ["callers"]
    named = replace(acme, callers=CallerNames(model="llm", code="script"))
    assert tool_object(info, named, parameters)["who"] == ["script"]
    assert spec_ledger(info, named, parameters) == ()


@pytest.mark.parametrize("provider", available())
def test_tools_are_deferred_where_requests_can_load_them(provider: str) -> None:
    """The rules of requests and the envelope agree on what says that a tool is loaded on demand."""
    profile = load_profile(provider)
    if profile.declaration is not None:
        return  # it is in no request: `describe` declares deferred tools one by one
    rules = profile.request
    sent, ledger = made({"defer": True})
    plain, _ = made({})
    if rules.loads_tools:
        assert sent[provider] == {**plain[provider], **rules.defer}
        assert "defer" not in lost(ledger, provider)
    else:
        assert sent[provider] == plain[provider]


def test_what_is_left_of_deferring_elsewhere_is_stated() -> None:
    _, ledger = made({"defer": True})
    for provider in ("openai", "gemini", "bedrock", "mcp"):
        assert "a `Disclosure` shows such tools in part" in lost(ledger, provider)["defer"]


def test_a_setting_of_the_request_is_kept_elsewhere() -> None:
    _, ledger = made({"stream_arguments": True})
    severities = {
        provider: [each["severity"] for each in entries if each["path"] == "/stream_arguments"]
        for provider, entries in ledger.items()
    }
    assert severities["vertex"] == ["kept elsewhere"]
    assert severities["gemini"] == severities["openai"] == ["lost"]
    assert "`request_members` gives" in lost(ledger, "vertex")["stream_arguments"]


def test_a_ledger_file_has_each_entry_once_sorted_by_place() -> None:
    specs = {"look.json": json.dumps({**BASE, "defer": True, "callers": ["model"]}).encode()}
    compiled = toolcast.compile(specs, providers=("gemini", "mistral", "openai"))
    entries = json.loads(compiled.files["ledger/look.json"])
    assert [(each["path"], each["providers"]) for each in entries if each.get("of") == "spec"] == [
        ("/defer", ["gemini", "mistral", "openai"])
    ]
    stated = [json.dumps({**each, "providers": []}) for each in entries]
    assert len(stated) == len(set(stated))
    parameters = [each["path"].split("/") for each in entries if "of" not in each]
    assert parameters == sorted(parameters)
    assert [each.get("of") for each in entries] == [None] * len(parameters) + ["spec"]


CITY = {"type": "object", "description": "A city.", "properties": {"name": {"type": "string"}}}
TRIP = {
    "type": "object",
    "required": ["origin", "to", "stay"],
    "additionalProperties": False,
    "properties": {
        "origin": {"$ref": "#/$defs/City"},
        "to": {"$ref": "#/$defs/City", "description": "Where to."},
        "stay": {"$ref": "#/$defs/Hotel"},
        "stops": {"type": "array", "items": {"type": "object", "properties": {"a.b": {"type": "integer"}}}},
        "pay": {"anyOf": [{"type": "object", "properties": {"sum": {"type": "number", "minimum": 1}}},
                          {"type": "object", "properties": {"sum": {"type": "string"}}}]},
        "user": {"type": "string"},
    },
    "$defs": {"City": CITY, "Hotel": {"type": "object", "properties": {"nights": {"type": "integer"}}}},
}  # fmt: skip
TEXTS = ["to", "Hotel.nights", "stops[].a.b", "pay.sum", "City", "City.name"]


def refused(**keys: Any) -> list[tuple[int, int, str, str]]:
    text = json.dumps({**BASE, "parameters": TRIP, "inject": {"user": "context.user"}, **keys}, indent=1)
    compiled = toolcast.compile({"trip.json": text.encode()}, providers=("openai", "mcp"))
    assert not compiled.files.get("schemas/openai/trip.json")
    lines = text.split("\n")
    return [
        (each.column, lines[each.line - 1].index('"') + 1, each.code, f"{each.message}; {each.hint}")
        for each in compiled.diagnostics
    ]


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("stops[].a.c", "unknown-parameter", "did you mean `stops[].a.b`?"),
        ("stay.nights", "unknown-parameter", "did you mean `Hotel.nights`?"),
        ("user", "unknown-parameter", "not a parameter that models are offered"),
        ("origin.name", "unknown-parameter", "did you mean `City.name`?"),  # `to.name` is the same text
        ("origin", "no-text", "name the definition"),
    ],
)
def test_a_text_of_no_parameter_is_refused_at_its_place(name: str, code: str, words: str) -> None:
    [(column, start, found, message)] = refused(
        providers={"openai": {"parameters": {"to": "T.", name: "T."}}}
    )
    assert (column, found) == (start, code)
    assert words in message


def test_a_text_that_no_provider_of_the_project_reads_is_refused() -> None:
    [(column, start, code, message)] = refused(providers={"openai-responses": {"description": "Others."}})
    assert (column, code) == (start, "unread-text")
    assert "those of the project are `mcp` or `openai`" in message


def test_one_provider_reads_texts_of_its_own() -> None:
    texts = {name: f"Own {name}" for name in TEXTS}
    keys = {"parameters": TRIP, "deprecated": {}}
    plain, before = made(keys)
    sent, ledger = made({**keys, "providers": {"openai": {"description": "Own.", "parameters": texts}}})
    assert {id for id in sent if sent[id] != plain[id]} == {"openai"}
    assert sent["openai"]["function"]["description"] == "Deprecated.\n\nOwn."
    shown = json.dumps(sent["openai"])
    assert all(f'"Own {name}' in shown for name in TEXTS)
    assert without_texts(sent["openai"]) == without_texts(plain["openai"])
    written = [each for each in ledger["openai"] if each not in before.get("openai", [])]
    assert {(each["path"], each.get("of")) for each in written} == {
        ("/description", "spec"), ("/properties/to", None), ("/$defs/City", None),
        ("/$defs/Hotel/properties/nights", None), ("/properties/stops/items/properties/a.b", None),
        ("/properties/pay/anyOf/0/properties/sum", None), ("/properties/pay/anyOf/1/properties/sum", None),
        ("/$defs/City/properties/name", None),
    }  # fmt: skip
    assert {(each["keyword"], each["severity"]) for each in written} == {("description", "kept elsewhere")}


def test_generated_code_has_the_text_of_all() -> None:
    def code(keys: dict[str, Any]) -> dict[str, bytes]:
        spec = json.dumps({**BASE, **keys}).encode()
        made = toolcast.compile({"look.json": spec}, providers=("openai", "mcp"), targets=("typescript",))
        others = ("schemas/", "ledger/", "manifest")
        return {path: text for path, text in made.files.items() if not path.startswith(others)}

    own = {"openai": {"description": "Own.", "parameters": {"word": "Own."}}}
    assert code({}) == code({"providers": own})


def test_a_text_for_an_argument_that_has_no_schema_is_told() -> None:
    spec = {key: value for key, value in BASE.items() if key != "parameters"}
    text = json.dumps({**spec, "input": "text", "providers": {"openai": {"parameters": {"input": "Own."}}}})
    compiled = toolcast.compile({"run.json": text.encode()}, providers=("openai",))
    entries = json.loads(compiled.files["ledger/run.json"])
    assert [(each["path"], each["severity"]) for each in entries] == [
        ("/providers/openai/parameters", "lost")
    ]


def without_texts(schema: Any) -> Any:
    """A schema without descriptions; branches that are equal then are one."""
    if isinstance(schema, list):
        return [without_texts(each) for each in schema]
    if not isinstance(schema, dict):
        return {} if schema is True else schema
    bare = {
        key: value if key in ("enum", "const", "default", "examples") else without_texts(value)
        for key, value in schema.items()
        if key != "description" or not isinstance(value, str)
    }
    if isinstance(bare.get("anyOf"), list):
        branches = [each for i, each in enumerate(bare["anyOf"]) if each not in bare["anyOf"][:i]]
        bare["anyOf"] = branches
        if len(branches) == 1:
            return {**bare, **bare.pop("anyOf")[0]}
    return bare


@given(schema=contracts(), provider=st.sampled_from(available()), data=st.data())
def test_texts_change_nothing_but_descriptions(schema: Any, provider: str, data: st.DataObject) -> None:
    free = data.draw(st.sampled_from([True, {}, {"default": 1}, {"$ref": "#/$defs/Leaf", "default": 1}]))
    schema["properties"]["free"] = free
    places = member_places(schema)
    names = data.draw(st.lists(st.sampled_from(sorted(places)), min_size=1, unique=True))
    text = st.sampled_from(["Own.", "By default 1.", "", "Must be at least 1."])
    own = with_texts(schema, {name: data.draw(text) for name in names}, places)
    try:
        one = normalize(schema, provider)
    except SchemaError:
        return
    other = normalize(own, provider)
    assert without_texts(other.schema) == without_texts(one.schema)
    assert (other.strict, other.wire_forms) == (one.strict, one.wire_forms)
