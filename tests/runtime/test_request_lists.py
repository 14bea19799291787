"""What a request has beside tool objects: tools loaded on demand, marks for caches, settings for all."""

import importlib
import inspect
import json
import re
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.agents import Disclosure
from toolcast.config import load_config
from toolcast.project.generate import build
from toolcast.project.worker import FRONTEND
from toolcast.providers import available, load_profile
from toolcast.runtime import MissingDataError, ToolBinding, ToolRegistry, UnknownProviderError
from toolcast.runtime.request_rules import (
    RequestRules,
    RequestTool,
    is_deferred,
    mark_loaded,
    request_tools,
    tool_entries,
)

from generated.registry import BINDINGS
from tests.clients.conftest import Client, client
from tests.runtime.sample.files.edit import EDIT

__all__ = ["client"]

Binding = ToolBinding[Any, Any]
NAMES = ("delegate", "edit", "glob", "web_fetch", "web_search")
LOADING = tuple(id for id in available() if load_profile(id).request.loads_tools)
GENERATED = ("anthropic", "openai-responses", "bedrock", "cohere", "gemini", "openai")
BM25 = {"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"}


async def handle(_: Any, __: Any) -> str:
    return "done"


def changed(name: str, **fields: Any) -> Binding:
    binding = BINDINGS[name]
    return msgspec.structs.replace(binding, **fields)


def registry_of(*deferred: str, **fields: Any) -> ToolRegistry:
    registry = ToolRegistry()
    for name in NAMES:
        registry.register(changed(name, defer=name in deferred, **fields), handle)
    return registry


def inner(entry: Any) -> list[Any]:
    """The tools of an entry: those of a namespace, or itself."""
    return entry["tools"] if entry.get("type") == "namespace" else [entry]


def test_a_search_comes_first_where_a_tool_is_loaded_on_demand() -> None:
    plain = registry_of().definition_objects("anthropic")
    search, *tools = registry_of("edit", "web_search").definition_objects("anthropic")
    assert search == BM25
    assert [tool.pop("defer_loading", None) for tool in tools] == [None, True, None, None, True]
    assert tools == plain
    assert [tool["name"] for tool in plain] == [*NAMES]


def test_tools_loaded_on_demand_are_in_namespaces_by_group() -> None:
    plain = {tool["name"]: tool for tool in registry_of().definition_objects("openai-responses")}
    search, *entries = registry_of("edit", "web_fetch", "web_search").definition_objects("openai-responses")
    assert search == {"type": "tool_search"}
    assert [entry["name"] for entry in entries] == ["delegate", "files", "glob", "web"]
    for entry in entries:
        for tool in inner(entry):
            assert tool.pop("defer_loading", False) is (entry["name"] in ("files", "web"))
            assert tool == plain[tool["name"]]
    web = entries[3]
    assert [tool["name"] for tool in web["tools"]] == ["web_fetch", "web_search"]
    for name in ("web_fetch", "web_search"):
        assert f"{name}: {BINDINGS[name].summary.rstrip('.')}" in web["description"]


@pytest.mark.parametrize("provider", ["openai", "gemini", "bedrock", "cohere"])
def test_other_providers_get_all_tools_in_full(provider: str) -> None:
    assert registry_of("edit").definitions(provider) == registry_of().definitions(provider)


def test_a_binding_that_is_not_deferred_loses_the_mark_of_its_definition() -> None:
    rules = load_profile("anthropic").request
    marked = msgspec.json.encode({"name": "a", "defer_loading": True, "input_schema": {}})
    assert is_deferred(marked, rules)
    assert json.loads(mark_loaded(marked, rules)) == {"name": "a", "input_schema": {}}
    quoted = msgspec.json.encode({"name": "a", "description": '"defer_loading":true'})
    nested = msgspec.json.encode({"name": "a", "input_schema": {"defer_loading": True}})
    assert not is_deferred(quoted, rules)
    assert not is_deferred(nested, rules)
    assert mark_loaded(nested, rules) is nested


def test_the_cache_ends_at_the_last_tool_of_the_prompt() -> None:
    mark = {"type": "ephemeral"}
    for deferred, at in (((), -1), (("web_search",), -2), (("web_fetch", "web_search"), -3), (NAMES, 0)):
        tools = registry_of(*deferred).definition_objects("anthropic", cache="last")
        assert [tool["name"] for tool in tools if "cache_control" in tool] == [tools[at]["name"]]
        assert tools[at].pop("cache_control") == mark
        assert tools == registry_of(*deferred).definition_objects("anthropic")
    *tools, last = registry_of("edit").definition_objects("bedrock", cache="last")
    assert last == {"cachePoint": {"type": "default"}}
    assert tools == registry_of().definition_objects("bedrock")
    for provider in ("openai", "openai-responses", "gemini", "cohere"):
        registry = registry_of("edit")
        assert registry.definitions(provider, cache="last") == registry.definitions(provider)
    for provider in GENERATED:
        assert ToolRegistry().definitions(provider, cache="last") == b"[]"
    with pytest.raises(ValueError, match="'last' or None, not 'first'"):
        registry_of().definitions("anthropic", cache="first")  # type: ignore[arg-type]


def test_the_same_bytes_until_the_next_registration() -> None:
    registry = registry_of("edit")
    first = registry.definitions("anthropic", cache="last")
    assert registry.definitions("anthropic", cache="last") is first
    assert registry.definitions("anthropic") is not first


VALIDATED = {"toolConfig": {"functionCallingConfig": {"mode": "VALIDATED"}}}


def with_modes(provider: str, *modes: bool | None) -> ToolRegistry:
    registry = ToolRegistry()
    for name, mode in zip(NAMES, modes, strict=False):
        registry.register(changed(name, strict={} if mode is None else {provider: mode}), handle)
    return registry


@pytest.mark.parametrize(("provider", "wanted"), [("gemini", VALIDATED), ("cohere", {"strict_tools": True})])
def test_strict_mode_for_all_tools_of_a_request(provider: str, wanted: Any) -> None:
    """One tool that asks for it is enough, one that gives it up, too."""
    assert with_modes(provider, None, True).request_members(provider) == wanted
    assert with_modes(provider, None, None).request_members(provider) == {}
    assert with_modes(provider, True, False).request_members(provider) == {}
    assert with_modes("mistral", True).request_members(provider) == {}
    assert with_modes(provider, True).request_members(provider, strict=False) == {}
    assert ToolRegistry().request_members(provider) == {}


def test_members_for_an_unknown_provider_are_refused() -> None:
    """A misspelt id would leave strict mode off without a word."""
    registry = with_modes("gemini", True)
    assert registry.request_members("openai") == {}
    with pytest.raises(UnknownProviderError, match="gemnii"):
        registry.request_members("gemnii")


def test_strict_mode_is_off_where_the_environment_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLCAST_NO_STRICT", "gemini")
    assert with_modes("gemini", True).request_members("gemini") == {}
    assert with_modes("gemini", True).request_members("gemini", strict=True) == VALIDATED


def test_a_package_without_rules_has_none_until_they_are_asked_for() -> None:
    registry = ToolRegistry()
    registry.register(EDIT, handle)  # it was generated without the file
    assert registry.definition_objects("anthropic")[0]["name"] == "edit"
    with pytest.raises(MissingDataError, match=r"requests\.json"):
        registry.definitions("anthropic", cache="last")
    with pytest.raises(MissingDataError, match=r"requests\.json"):
        registry.request_members("anthropic")


GROUPS = ("", "files", "web", "web/search", "web_search", "a" * 80, "ä/ö")
TOOLS = st.lists(
    st.builds(
        lambda name, deferred, group, words: (name, deferred, group, words),
        st.sampled_from(("edit", "files", "web", "list", "web_search", "web_search_2", "x")),
        st.booleans(),
        st.sampled_from(GROUPS),
        st.text("aé. ", max_size=900),
    ),
    unique_by=lambda tool: tool[0],
)


def request_of(tools: Any) -> list[RequestTool]:
    return [
        RequestTool(name, msgspec.json.encode({"name": name, "type": "function"}), *rest)
        for name, *rest in tools
    ]


@pytest.mark.parametrize("provider", LOADING)
@given(tools=TOOLS)
def test_every_tool_is_in_the_list_once_and_is_marked_where_it_is_deferred(provider: str, tools: Any) -> None:
    rules = load_profile(provider).request
    whole = json.loads(request_tools(request_of(tools), rules, rules.search_tools, "last"))
    search = [*rules.search_tools] if any(tool[1] for tool in tools) else []
    entries = whole[len(search) :]
    marks = [entry.pop(key) for key in rules.cache for entry in whole if key in entry]
    assert marks == ([*rules.cache.values()] if any(not tool[1] for tool in tools) or search else [])
    assert whole[: len(search)] == search
    listed = [tool for entry in entries for tool in inner(entry)]
    assert sorted(tool["name"] for tool in listed) == sorted(tool[0] for tool in tools)
    wanted = {name: deferred for name, deferred, *_ in tools}
    assert {tool["name"]: tool.get("defer_loading", False) for tool in listed} == wanted
    assert [e["name"] for e in entries if e.get("type") == "function" and "defer_loading" not in e] == [
        name for name, deferred, *_ in tools if not deferred
    ]
    groups = {name: group for name, _, group, _ in tools}
    spaces = [entry for entry in entries if entry["type"] == "namespace"]
    assert len({space["name"] for space in spaces} | {*groups}) == len(spaces) + len(groups)
    for space in spaces:
        assert re.fullmatch("[a-zA-Z0-9_-]{1,64}", space["name"])
        assert len({groups[tool["name"]] for tool in space["tools"]}) == 1
        assert 0 < len(space["description"]) <= 2_000
    if rules.namespace:
        alone = [e["name"] for e in entries if e["type"] == "function" and e.get("defer_loading")]
        assert all(groups[name] == "" for name in alone)


@given(tools=TOOLS, data=st.data())
def test_what_a_search_found_is_written_as_the_request_has_it(tools: Any, data: st.DataObject) -> None:
    rules = load_profile("openai-responses").request
    request = request_of(tools)
    deferred = [tool.name for tool in request if tool.deferred]
    found = set(data.draw(st.lists(st.sampled_from(deferred)))) if deferred else set()
    declared = {entry["name"]: entry for entry in map(json.loads, tool_entries(request, rules))}
    written = [json.loads(entry) for entry in tool_entries(request[::-1], rules, found)]
    assert {tool["name"] for entry in written for tool in inner(entry)} == found
    for entry in written:
        whole = declared[entry["name"]]
        assert {**entry, "tools": 0} == {**whole, "tools": 0}
        assert all(tool in inner(whole) for tool in inner(entry))


def judged(load: Client, module: str, name: str, value: Any) -> None:
    pydantic = load("pydantic")
    adapter = pydantic.TypeAdapter(getattr(load(module), name))
    msgspec.json.encode(_read(adapter.validate_python(value, strict=True, extra="forbid")))


def _read(value: Any) -> Any:
    """pydantic looks at the items of an Iterable only when they are asked for."""
    if isinstance(value, dict):
        return {key: _read(item) for key, item in value.items()}
    if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
        return value
    return [_read(item) for item in value]


@pytest.mark.parametrize("deferred", [(), ("edit", "web_fetch"), NAMES])
def test_official_clients_take_the_lists(deferred: tuple[str, ...], client: Client) -> None:
    registry = registry_of(*deferred)
    for tool in registry.definition_objects("anthropic", cache="last"):
        judged(client, "anthropic.types.tool_union_param", "ToolUnionParam", tool)
    for tool in registry.definition_objects("openai-responses", cache="last"):
        judged(client, "openai.types.responses.tool_param", "ToolParam", tool)
    session, validate = client("botocore.session"), client("botocore.validate")
    shape = session.get_session().get_service_model("bedrock-runtime").shape_for("ToolConfiguration")
    tools = {"tools": registry.definition_objects("bedrock", cache="last")}
    report = validate.ParamValidator().validate(tools, shape)
    assert not report.has_errors(), report.generate_report()


def test_official_clients_take_the_members(client: Client) -> None:
    types = client("google.genai.types")
    members = load_profile("vertex").request
    both = {"toolConfig": {"functionCallingConfig": {}}}
    for rules in (members.strict, members.stream_arguments):
        both["toolConfig"]["functionCallingConfig"] |= rules["toolConfig"]["functionCallingConfig"]
    config = types.GenerateContentConfig.model_validate(both, extra="forbid")
    assert config.tool_config.function_calling_config.mode == types.FunctionCallingConfigMode.VALIDATED
    assert config.tool_config.function_calling_config.stream_function_call_arguments is True
    chat = inspect.signature(client("cohere").ClientV2.chat)
    assert {*load_profile("cohere").request.strict} <= {*chat.parameters}


def test_both_members_of_vertex_are_one_object(monkeypatch: pytest.MonkeyPatch) -> None:
    registry = registry_of(stream_arguments=True, strict={"vertex": True})
    rules = load_profile("vertex").request
    monkeypatch.setattr(ToolBinding, "request_rules", lambda *_: rules)
    config = {"mode": "VALIDATED", "streamFunctionCallArguments": True}
    assert registry.request_members("vertex") == {"toolConfig": {"functionCallingConfig": config}}
    assert rules == load_profile("vertex").request
    assert RequestRules() == load_profile("openai").request


@given(tools=TOOLS)
def test_no_tool_has_examples_beside_a_search(tools: Any) -> None:
    """Anthropic has either."""
    rules = load_profile("anthropic").request
    shown = [
        tool._replace(definition=b'{"name":"' + tool.name.encode() + b'","input_examples":[{}]}')
        for tool in request_of(tools)
    ]
    whole = json.loads(request_tools(shown, rules, rules.search_tools))
    searches = any(tool.deferred for tool in shown)
    assert len(whole) == len(shown) + searches
    assert [each for each in whole if "input_examples" in each] == ([] if searches else whole)


SPEC = """
permission: read
secrets: []
summary: Looks {0} up.
description: Looks {0} up in the books.
parameters: {{type: object, properties: {{word: {{type: string}}}}}}
"""


def test_specs_that_say_so_without_their_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From specs to the lists of requests; only tools in namespaces are imported for them."""
    keys = "defer: true\nstream_arguments: true\nproviders: {gemini: {strict: true}}\n"
    for path, more in (("one.yaml", ""), ("books/two.yaml", keys), ("books/three.yaml", keys)):
        file = tmp_path / "specs" / path
        file.parent.mkdir(exist_ok=True, parents=True)
        file.write_text(SPEC.format(file.stem) + more, "utf-8")
    chosen = "[tool.toolcast]\noutput = 'deferring'\nproviders = "
    (tmp_path / "pyproject.toml").write_text(
        f"{chosen}['anthropic', 'openai-responses', 'gemini', 'vertex']", "utf-8"
    )
    config, problems = load_config(tmp_path)
    assert config is not None, problems
    assert build(config, FRONTEND).diagnostics == ()
    monkeypatch.syspath_prepend(str(tmp_path))
    bindings = importlib.import_module("deferring.registry").BINDINGS
    registry = ToolRegistry()
    for name in bindings:
        registry.register_later(bindings, name, handle)
    tools = registry.definition_objects("anthropic", cache="last")
    assert [tool["name"] for tool in tools] == [BM25["name"], "one", "three", "two"]
    assert [tool["name"] for tool in tools if tool.get("defer_loading")] == ["three", "two"]
    assert [tool["name"] for tool in tools if "cache_control" in tool] == ["one"]
    assert not [name for name in sys.modules if re.match(r"deferring\.(one|books\.)", name)]
    _, one, books = registry.definition_objects("openai-responses")
    assert "deferring.one" not in sys.modules
    assert (one["name"], books["name"]) == ("one", "books")
    assert books["description"] == "three: Looks three up; two: Looks two up"
    assert registry.request_members("gemini") == VALIDATED
    streamed = {"toolConfig": {"functionCallingConfig": {"streamFunctionCallArguments": True}}}
    assert registry.request_members("vertex") == streamed
    shown = Disclosure(registry, "gemini")
    assert [shown.level_of(name) for name in ("one", "two", "three")] == ["full", "brief", "brief"]
