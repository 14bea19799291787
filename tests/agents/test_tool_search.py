"""Tools that are loaded on demand, after a search by the provider or by the program."""

import asyncio
import json
import math
from functools import cache
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.agents import Disclosure, RunState, resume, run_tools
from toolcast.agents.dispatch import Assembler, Dispatcher, assistant_messages, parse, render
from toolcast.agents.text_calls import instructions
from toolcast.agents.tool_search import MOST, SEARCH, SearchIndex, search_words, searched
from toolcast.mcp.live.offered_tools import bind
from toolcast.mcp.live.server_tool import LiveTool
from toolcast.providers import Normalizer, available
from toolcast.runtime import Content, ToolBinding, ToolRegistry, ToolResult
from toolcast.runtime.snapshot import LazyBindings
from toolcast.runtime.standalone_schema import standalone_schema

from generated.registry import BINDINGS
from tests.agents.dispatch.answers import ANSWERS, Asked
from tests.agents.dispatch.test_clients import serving
from tests.clients.conftest import Client, client
from tests.counting import lines_executed
from tests.providers.rules import CHECKS

__all__ = ["client"]

NAMES = ("delegate", "edit", "glob", "web_fetch", "web_search")
QUERY = "search the web for pages"


async def handle(_: Any, context: Any) -> ToolResult:
    return ToolResult.ok(f"done by {context.tool}")


def changed(tool: str, **fields: Any) -> ToolBinding[Any, Any]:
    binding = BINDINGS[tool]
    return msgspec.structs.replace(binding, **fields)


def registry_of(*deferred: str) -> ToolRegistry:
    registry = ToolRegistry(check_results=False)
    for name in NAMES:
        registry.register(changed(name, defer=name in deferred), handle)
    return registry


def found_by(shown: Disclosure, query: Any) -> ToolResult:
    return asyncio.run(shown.execute("tool_search", {"query": query}))


def references(result: ToolResult) -> list[str]:
    return [piece.name for piece in result.content]


# Which tools a session defers.


def test_only_tools_whose_specs_say_so_are_deferred() -> None:
    shown = Disclosure(registry_of("glob", "web_fetch"), "anthropic")
    search, *tools = shown.definition_objects()
    assert search["name"] == "tool_search_tool_bm25"
    assert [tool["name"] for tool in tools if tool.get("defer_loading")] == ["glob", "web_fetch"]
    assert shown.definitions() == registry_of("glob", "web_fetch").definitions("anthropic")
    eager = Disclosure(registry_of("glob"), "anthropic", eager=["glob"])
    assert eager.definitions() == registry_of().definitions("anthropic")


@pytest.mark.parametrize("provider", ["openai", "gemini", "bedrock", "text"])
def test_elsewhere_they_are_shown_in_part_and_the_others_in_full(provider: str) -> None:
    shown = Disclosure(registry_of("glob"), provider)
    levels = {name: shown.level_of(name) for name in NAMES}
    assert levels == {name: "brief" if name == "glob" else "full" for name in NAMES}
    none = Disclosure(registry_of(), provider)
    assert {none.level_of(name) for name in NAMES} == {"brief"}


def test_a_stub_is_not_marked_to_be_loaded() -> None:
    """The definition of a spec that says `defer` is marked; a request without a search must not be."""
    whole = {**json.loads(BINDINGS["glob"].definition("anthropic")), "defer_loading": True}
    binding = changed("glob", defer=True)
    binding._lazy.definitions["anthropic", "full"] = msgspec.json.encode(whole)
    registry = ToolRegistry()
    registry.register(binding, handle)
    assert registry.definition_objects("anthropic")[1] == whole
    for options in ({"native": False}, {"level": "brief"}, {"level": "summary"}, {"eager": ["glob"]}):
        [stub] = Disclosure(registry, "anthropic", **options).definition_objects()  # type: ignore[arg-type]
        assert "defer_loading" not in stub


@pytest.mark.parametrize("cache", [None, "last"])
def test_the_mark_of_the_cache_moves_to_the_last_tool_of_a_growing_list(cache: Any) -> None:
    shown = Disclosure(registry_of("web_fetch"), "anthropic", eager=["edit"])
    shown.choose(names=["edit"])
    first = shown.definition_objects(cache=cache)
    shown.choose(names=["glob", "web_fetch"])
    second = shown.definition_objects(cache=cache)
    marked = [[tool["name"] for tool in tools if "cache_control" in tool] for tools in (first, second)]
    assert marked == ([["edit"], ["glob"]] if cache else [[], []])
    assert [tool["name"] for tool in second] == ["tool_search_tool_bm25", "edit", "glob", "web_fetch"]


def test_a_tool_that_comes_later_stands_alone_also_after_a_restart() -> None:
    shown = Disclosure(registry_of(*NAMES), "openai-responses")
    shown.choose(names=["edit"])
    first = shown.definitions()
    shown.choose(names=["glob"])  # of the same group
    second = shown.definitions()
    assert second.startswith(first[:-1])
    again = Disclosure(registry_of(*NAMES), "openai-responses")
    again.restore(msgspec.json.decode(msgspec.json.encode(shown.state), type=type(shown.state)))
    assert again.definitions() == second
    assert [entry["type"] for entry in again.definition_objects()] == ["tool_search", "namespace", "function"]


# What words find.


def test_words_of_names_count_more_than_those_of_descriptions() -> None:
    index = SearchIndex(map(searched, BINDINGS.values()))
    assert index.find("web_search")[0] == "web_search"
    assert index.find("fetch a page of the web")[0] == "web_fetch"
    assert {*index.find("EDIT files")[:2]} == {"edit", "multi_edit"}
    assert index.find("") == index.find("xyzzy") == index.find("?! …") == ()
    assert len(index.find("files web search edit read write")) == MOST
    assert index.find("search") == SearchIndex(map(searched, reversed([*BINDINGS.values()]))).find("search")


@given(query=st.text(max_size=2_000), limit=st.integers(0, 30))
def test_any_query_finds_tools_that_are_there(query: str, limit: int) -> None:
    found = SearchIndex(searched(BINDINGS[name]) for name in NAMES).find(query, limit)
    assert len(found) == len({*found}) <= limit
    assert {*found} <= {*NAMES}


class Described(msgspec.Struct, frozen=True):
    """What a search reads of a binding."""

    name: str
    description: str
    properties: dict[str, Any] = {}
    group: str = ""

    @property
    def summary(self) -> str:
        return self.description

    def schema(self) -> dict[str, Any]:
        return {"type": "object", "properties": self.properties}


def index_of(*tools: Described) -> SearchIndex:
    listed: list[Any] = [*tools]
    return SearchIndex(map(searched, listed))


def test_descriptions_of_parameters_are_searched_at_any_depth() -> None:
    inner = {"type": "object", "properties": {"zone": {"description": "A lighthouse."}}}
    nested = Described("b", "Books a berth.", {"stay": {"type": "array", "items": inner}})
    flat = Described("a", "Books a berth.", {"vessel": {"description": "Registered tonnage."}})
    index = index_of(flat, nested)
    assert index.find("tonnage") == ("a",)
    assert index.find("lighthouse") == index.find("zone") == ("b",)


def test_a_word_counts_less_among_many_others() -> None:
    long = Described("a", "Translates letters. " + " ".join(f"word{number}x" for number in range(200)))
    short = Described("b", "Translates letters.")
    assert index_of(long, short).find("translates letters") == ("b", "a")


def test_no_repetition_outweighs_a_second_word() -> None:
    stuffed = Described("a", "Refunds " + "refunds " * 5_000)
    fitting = Described("b", "Refunds an invoice to a customer of the shop, in part or whole.")
    others = [Described(name, "Draws a chart of sales.") for name in "cde"]
    assert index_of(stuffed, fitting, *others).find("refund invoice")[0] == "b"


def test_one_and_many_are_one_word() -> None:
    for one, many in (("file", "files"), ("query", "queries"), ("page", "pages"), ("class", "class")):
        assert index_of(Described("a", f"Reads {one}.")).find(many) == ("a",)
        assert index_of(Described("a", f"Reads {many}.")).find(one) == ("a",)
    assert index_of(Described("a", "Checks a status.")).find("statu") == ()


def test_words_of_questions_count_only_alone() -> None:
    tools = [Described("get_me", "Who is logged in."), Described("draw", "What you can do with it: drawing.")]
    assert index_of(*tools).find("what can I do with a login") == ()
    assert index_of(*tools).find("me") == ("get_me",)


@pytest.mark.parametrize("query", ["api", "key", "2", "getAPIKey2", "API keys"])
def test_words_of_identifiers_are_found_one_by_one(query: str) -> None:
    tools = [Described("getAPIKey2", "Reads a secret."), Described("list_files", "Lists files.")]
    assert index_of(*tools).find(query) == ("getAPIKey2",)


def test_texts_without_spaces_are_found_by_a_part() -> None:
    tools = [Described("a", "指定されたファイルを読み込む。"), Described("b", "メールを送信する。")]
    assert index_of(*tools).find("ファイル 読む") == ("a",)
    assert index_of(*tools).find("送信") == ("b",)


def test_words_keep_their_vowel_signs_and_lose_their_form() -> None:
    assert search_words("हिन्दी, ＦＩＬＥ ﬁne") == ["हिन्दी", "file", "fine"]
    assert search_words("한국어 x 本 v2本棚") == ["한국", "국어", "x", "本", "v", "2", "本棚"]


WORDS = ("amber", "birch", "cedar", "delta")


@given(
    texts=st.lists(st.lists(st.sampled_from(WORDS), max_size=12), min_size=1, max_size=8),
    query=st.lists(st.sampled_from(WORDS), min_size=1, max_size=4, unique=True),
)
def test_tools_are_ranked_with_bm25(texts: list[list[str]], query: list[str]) -> None:
    """Against the formula as Robertson and Zaragoza (2009) give it, over the description alone."""
    tools = [Described(f"tool{'abcdefgh'[n]}", " ".join(words)) for n, words in enumerate(texts)]
    lengths = [3 + len(words) for words in texts]  # the name is one word, of weight 3

    def score(at: int) -> float:
        total = 0.0
        for word in query:
            having = sum(word in words for words in texts)
            often = texts[at].count(word)
            rarity = math.log(1 + (len(texts) - having + 0.5) / (having + 0.5))
            share = lengths[at] * len(texts) / sum(lengths)
            total += rarity * often * 2.2 / (often + 1.2 * (0.25 + 0.75 * share))
        return total

    scores = {tool.name: score(at) for at, tool in enumerate(tools)}
    found = index_of(*tools).find(" ".join(query), len(tools))
    assert [scores[name] for name in found] == pytest.approx(sorted(scores.values())[::-1][: len(found)])
    assert {*found} == {tool.name for tool, words in zip(tools, texts, strict=True) if {*words} & {*query}}


def test_of_a_long_text_a_part_is_read() -> None:
    tool = Described("a", "Sorts. " + "x" * 3_000_000 + " needle")
    assert index_of(tool).find("sorts") == ("a",)
    assert index_of(tool).find("needle") == ()
    schema: dict[str, Any] = {}
    for _ in range(5_000):
        schema = {"properties": {"deep": schema}}
    assert index_of(Described("a", "Sorts.", {"deep": schema})).find("deep") == ("a",)


# The program's search in both forms.


def test_the_program_finds_only_tools_that_are_loaded_on_demand() -> None:
    shown = Disclosure(registry_of("web_search", "glob"), "anthropic", search="program")
    search = shown.definition_objects()[0]
    assert search["name"] == "tool_search"
    assert search["input_schema"]["required"] == ["query"]
    assert references(found_by(shown, QUERY))[0] == "web_search"
    assert references(found_by(shown, "delegate a task to another agent")) == []
    assert found_by(shown, "xyzzy").success
    assert "'xyzzy'" in found_by(shown, "xyzzy").output


@pytest.mark.parametrize("arguments", ["", "{}", '{"query": 5}', "[1]", "{", b"\xff", {"query": None}])
def test_a_search_without_words_is_refused_with_the_reason(arguments: Any) -> None:
    shown = Disclosure(registry_of("glob"), "anthropic", search="program")
    result = asyncio.run(shown.execute("tool_search", arguments))
    assert not result.success
    assert result.error.startswith("Invalid arguments for tool 'tool_search'")


def test_a_chosen_tool_alone_can_be_found() -> None:
    """Anthropic refuses a reference to a tool that the request does not have."""
    shown = Disclosure(registry_of(*NAMES), "anthropic", search="program")
    shown.choose(names=["edit"])
    assert "web_search" not in references(found_by(shown, QUERY))
    shown.choose(groups="web")
    assert references(found_by(shown, QUERY))[0] == "web_search"


@pytest.mark.parametrize("provider", ["anthropic", "openai-responses"])
def test_without_native_loading_the_search_is_a_tool_like_any_other(provider: str) -> None:
    """For an older model, or another server of the dialect."""
    shown = Disclosure(registry_of(), provider, native=False, search="program")
    [search] = shown.definition_objects()
    assert (search["name"], CHECKS[provider](search)) == ("tool_search", [])
    assert "- edit: Replace one" in found_by(shown, "unique occurrence").output
    [_, edit] = shown.definition_objects()
    assert edit == json.loads(BINDINGS["edit"].definition(provider))


def test_a_tool_whose_module_fails_costs_no_search() -> None:
    class Failing(LazyBindings):
        def __getitem__(self, name: str) -> Any:
            raise ImportError(name)

    registry = registry_of("glob")
    registry.register_later(Failing("generated", {"broken": ".broken:BROKEN"}), "broken", handle)
    for provider in ("openai", "openai-responses"):
        shown = Disclosure(registry, provider, search="program")
        found = found_by(shown, "glob pattern")
        assert references(found) or "- glob: " in found.output
    assert not asyncio.run(shown.execute("broken", {})).success


def test_a_search_that_cannot_be_is_refused() -> None:
    for options in ({"level": "brief"}, {"levels": {"web": "summary"}}):
        with pytest.raises(ValueError, match="a level has no effect"):
            Disclosure(registry_of(), "openai", search="program", **options)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="state 'client-search' under"):
        Disclosure(registry_of(), "acme", search="program")
    with pytest.raises(ValueError, match="'provider' or 'program'"):
        Disclosure(registry_of(), "anthropic", search="model")  # type: ignore[arg-type]
    registry = registry_of()
    shown = Disclosure(registry, "anthropic", search="program")
    registry.register(changed("edit", name="tool_search"), handle)
    for use in (shown.definitions, lambda: Disclosure(registry, "anthropic", search="program")):
        with pytest.raises(ValueError, match="Rename it"):
            use()


# The program's search for every provider.


@pytest.mark.parametrize("provider", [*available()])
def test_every_provider_can_read_the_search(provider: str) -> None:
    shown = Disclosure(registry_of(), provider, search="program")
    [search] = shown.definition_objects()
    if provider != "openai-responses":  # an item, no tool
        assert CHECKS[provider](search) == []
        assert "tool_search" in json.dumps(search)
    assert "What the tool is to do" in json.dumps(search)
    assert SEARCH.decode('{"query": "x"}', provider).query == "x"


@cache
def thousand() -> ToolRegistry:
    """A thousand tools that were met at run time, as those of live servers."""
    registry, normalizer = ToolRegistry(check_results=False), Normalizer(1000)
    for number in range(250):
        for name in ("edit", "glob", "web_fetch", "web_search"):
            binding = BINDINGS[name]
            words = f"Number {number}. {binding.description}"
            tool = LiveTool(server="s", name=name, description=words, input_schema=standalone_schema(binding))
            registry.register(bind(tool, f"{name}_{number}", "mcp/s", "read", (), normalizer), handle)
    return registry


def scripted(format: str, name: str, arguments: Any) -> Any:
    if format != "text":
        return ANSWERS[format]([Asked("call_0", name, json.dumps(arguments))])
    return f"<tool_call>{json.dumps({'name': name, 'arguments': arguments})}</tool_call>"


END = {**{format: answer([]) for format, answer in ANSWERS.items()}, "text": "Done."}


@pytest.mark.parametrize("format", ["openai", "openai-responses", "anthropic", "gemini", "bedrock", "text"])
def test_what_was_found_is_offered_in_full_in_the_next_round(format: str) -> None:
    """A request with 1,000 tools has 3 % of their bytes at most, also with those that two searches found."""
    seen: list[tuple[Any, bytes]] = []
    pattern, other = {"pattern": "*.txt"}, {"query": "number 77 web search"}
    answers = [
        scripted(format, "tool_search", {"query": "number 123 glob"}),
        scripted(format, "glob_123", pattern),
        scripted(format, "tool_search", other),
        END[format],
    ]
    if format == "openai-responses":
        answers[0] = response(searching(arguments={"query": "number 123 glob"}))
        answers[2] = response(searching(arguments=other, call_id="call_t"))

    async def model(messages: Any, definitions: bytes) -> Any:
        seen.append((messages, definitions))
        return answers[len(seen) - 1]

    shown = Disclosure(thousand(), format, search="program")
    record = asyncio.run(run_tools(model, shown, [{"role": "user", "content": "find it"}], format=format))
    assert [call.name for call in record.calls] == ["tool_search", "glob_123", "tool_search"]
    assert all(call.result.success for call in record.calls)
    assert record.calls[1].result.output == "done by glob_123"
    text = format == "text"
    whole = instructions(thousand()).encode() if text else thousand().definitions(format)
    assert max(len(definitions) for _, definitions in seen) <= 0.03 * len(whole)
    assert b"glob_123" not in seen[0][1]
    if format == "openai-responses":  # the answer has the definition, and the list never changes
        assert len({definitions for _, definitions in seen}) == 1
        assert "glob_123" in str(seen[1][0][-1]["tools"])
        return
    for (_, before), (_, after) in pairwise(seen):
        assert after.startswith(before.removesuffix(b"]").partition(b"\n</tools>")[0])
    if not text:
        own = msgspec.json.decode(thousand().get("glob_123").binding.definition(format))
        [offered] = (each for each in json.loads(seen[1][1]) if '"glob_123"' in json.dumps(each))
        assert {key: value for key, value in offered.items() if key != "defer_loading"} == own
    assert b"web_search_77" in seen[3][1]


@pytest.mark.parametrize("provider", ["openai", "anthropic", "openai-responses", "text"])
def test_a_call_of_a_tool_that_is_not_offered_yet_runs_or_is_told_what_is_wrong(provider: str) -> None:
    registry = registry_of()
    shown = Disclosure(registry, provider, search="program")
    found_by(shown, "unique occurrence")
    at_once = asyncio.run(shown.execute("edit", {"file_path": "/a", "old_string": "a", "new_string": "b"}))
    assert at_once.output == "done by edit"
    assert asyncio.run(shown.execute("glob", {"pattern": "*"})).output == "done by glob"
    wrong = asyncio.run(shown.execute("web_search", {}))
    assert "missing required property `query`" in wrong.error
    assert "The full schema of 'web_search'" in wrong.error
    assert "web_search" in shown.names
    assert "glob" not in shown.names
    assert "There is no tool" in asyncio.run(shown.execute("tool_serch_all", {})).error


@given(
    deferred=st.sets(st.sampled_from(NAMES)),
    eager=st.sets(st.sampled_from(NAMES)),
    queries=st.lists(st.text(max_size=80) | st.sampled_from([*NAMES, QUERY]), max_size=4),
    provider=st.sampled_from(["openai", "anthropic", "gemini", "openai-responses", "mistral"]),
)
def test_of_any_set_what_is_offered_stays_and_what_was_found_comes(
    deferred: set[str], eager: set[str], queries: list[str], provider: str
) -> None:
    late = (deferred or {*NAMES}) - eager
    shown = Disclosure(registry_of(*deferred), provider, search="program", eager=eager)
    offered = shown.definitions()
    assert shown.names == tuple(sorted({*NAMES} - late))
    found: set[str] = set()
    for query in queries:
        before = {*shown.names}
        assert found_by(shown, query).success
        names = {*shown.names} - before
        assert names <= late - found
        found |= names
        after = shown.definitions()
        assert after.startswith(offered[:-1])
        assert (after != offered) == (bool(names) and provider != "openai-responses")
        offered = after
    again = Disclosure(registry_of(*deferred), provider, search="program", eager=eager)
    again.restore(shown.state)
    shown.next_turn()
    assert again.definitions() == shown.definitions() == offered


@pytest.mark.parametrize("query", ["a" * 1_000_000, "edit " * 200_000, "ﷺ" * 500_000, "\ud800 edit", "\x00"])
def test_a_hostile_query_is_read_in_part(query: str) -> None:
    index = SearchIndex(searched(binding) for binding in BINDINGS.values())
    assert len(index.find(query)) <= MOST
    assert lines_executed(lambda: index.find(query)) < 100_000


# OpenAI's items.


def searching(execution: str = "client", arguments: Any = None, **members: Any) -> dict[str, Any]:
    call = {"type": "tool_search_call", "id": "tsc_1", "execution": execution, "status": "completed"}
    return {**call, "call_id": "call_s", "arguments": arguments or {"query": QUERY}, **members}


def calling(name: str, namespace: str, arguments: str) -> dict[str, Any]:
    call = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": name, "status": "completed"}
    return {**call, "arguments": arguments, "namespace": namespace}


def response(*output: Any) -> dict[str, Any]:
    whole = {"id": "resp_1", "object": "response", "created_at": 1, "status": "completed", "model": "m"}
    return {**whole, "output": [*output], "parallel_tool_calls": True, "tool_choice": "auto", "tools": []}


def test_a_search_of_the_provider_is_no_call() -> None:
    loaded = {"type": "tool_search_output", "id": "tso_1", "execution": "server", "status": "completed"}
    answer = response(
        searching("server", {"paths": ["web"]}, call_id=None),
        {**loaded, "call_id": None, "tools": []},
        calling("web_search", "web", '{"query": "snow"}'),
    )
    assert [call.name for call in parse(answer, "openai-responses")] == ["web_search"]
    assert assistant_messages(answer, "openai-responses") == answer["output"]


def test_a_search_for_the_program_is_a_call_whose_result_has_tools() -> None:
    registry = registry_of("web_search", "web_fetch", "glob")
    shown = Disclosure(registry, "openai-responses", search="program")
    search, *loaded = shown.definition_objects()
    assert [tool["name"] for tool in loaded] == ["delegate", "edit"]
    assert (search["type"], search["execution"]) == ("tool_search", "client")
    entries = Disclosure(registry, "openai-responses").definition_objects()[1:]
    answer = response(searching(), calling("glob", "files", '{"pattern": "*"}'))
    calls = parse(answer, "openai-responses")
    assert [(call.name, call.search) for call in calls] == [("tool_search", True), ("glob", False)]
    dispatcher = Dispatcher(shown.tools, "openai-responses")
    output, result = asyncio.run(dispatcher.run(answer))
    first, *_ = output.pop("tools")
    declared = next(entry for entry in entries if entry["name"] == "web")
    assert first["tools"][0]["name"] == "web_search"
    assert {**first, "tools": declared["tools"]} == declared
    item = {"type": "tool_search_output", "call_id": "call_s", "execution": "client", "status": "completed"}
    assert output == item
    assert result == {"type": "function_call_output", "call_id": "call_1", "output": "done by glob"}
    assert assistant_messages(answer, "openai-responses") == answer["output"]


def test_a_registry_that_searches_nothing_answers_with_no_tools() -> None:
    [output] = asyncio.run(Dispatcher(registry_of(), "openai-responses").run(response(searching())))
    assert output["type"] == "tool_search_output"
    assert output["tools"] == []


def test_a_search_in_a_stream_keeps_its_arguments() -> None:
    items = [searching(), calling("web_search", "web", '{"query": "snow"}')]
    stream = Assembler("openai-responses")
    for at, item in enumerate(items):
        for kind in ("added", "done"):
            stream.feed({"type": f"response.output_item.{kind}", "output_index": at, "item": item})
    stream.feed({"type": "response.completed", "response": response()})
    assert stream.response()["output"] == items
    assert [call.name for call in stream.calls()] == ["tool_search", "web_search"]


def test_what_was_found_is_words_for_other_formats() -> None:
    found = Content(kind="tool", name="edit", data=b"{}", media_type="application/json")
    [call] = parse({"tool_calls": [{"id": "a", "function": {"name": "x", "arguments": "{}"}}]}, "openai")
    [message] = render([call], [ToolResult.ok("", content=(found,))], "openai")
    assert "[tool 'edit', application/json, 2 bytes: left out" in str(message["content"])


# With official clients and scripted servers.


def body(answer: Any) -> bytes:
    return json.dumps(answer).encode()


def test_openai_loads_what_the_program_found(client: Client) -> None:
    shown = Disclosure(registry_of("web_search", "glob"), "openai-responses", search="program")
    with serving(body(response()), "application/json") as served:
        served.later = [
            body(response(searching())),
            body(response(calling("web_search", "web", '{"query": "snow"}'))),
        ]
        made = client("openai").AsyncOpenAI(base_url=served.url, api_key="k", max_retries=0)

        async def ask(items: list[Any], definitions: bytes) -> Any:
            return await made.responses.create(model="m", input=items, tools=json.loads(definitions))

        question = [{"role": "user", "content": "find it"}]
        record = asyncio.run(run_tools(ask, shown, question, format="openai-responses"))
    first, second, third = served.requests
    assert record.stopped == "answer"
    assert [call.name for round in record.rounds for call in round.calls] == ["tool_search", "web_search"]
    assert first["tools"] == second["tools"] == third["tools"] == shown.definition_objects()
    call, output = second["input"][1:]
    assert (call["type"], call["call_id"]) == ("tool_search_call", output["call_id"])
    assert call["arguments"] == {"query": QUERY}
    assert [(space["name"], [tool["name"] for tool in space["tools"]]) for space in output["tools"]] == [
        ("web", ["web_search"]),
        ("files", ["glob"]),
    ]
    # "Round-trip the model's function_call item with its namespace field included."
    called, result = third["input"][3:]
    assert (called["name"], called["namespace"]) == ("web_search", "web")
    assert result["output"] == "done by web_search"
    pydantic = client("pydantic")
    item = client("openai.types.responses").ResponseInputItemParam
    for each in third["input"]:
        pydantic.TypeAdapter(item).validate_python(each, strict=True)


def anthropic_answer(*content: Any) -> bytes:
    whole = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_sequence": None}
    usage = {"input_tokens": 1, "output_tokens": 1}
    reason = "tool_use" if content else "end_turn"
    blocks = [*content] or [{"type": "text", "text": "Done."}]
    return body({**whole, "content": blocks, "stop_reason": reason, "usage": usage})


def use(id: str, name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": name, "input": arguments}


@pytest.mark.parametrize("paused", [False, True])
def test_anthropic_loads_what_the_program_found(paused: bool, client: Client) -> None:
    """A run that goes on from its state, in the middle of the answer with the search, gives the same."""
    shown = Disclosure(registry_of("web_search", "glob"), "anthropic", search="program")
    states: list[Any] = []
    with serving(anthropic_answer(), "application/json") as served:
        served.later = [
            anthropic_answer(use("toolu_1", "tool_search", query=QUERY), use("toolu_2", "glob", pattern="*")),
            anthropic_answer(use("toolu_3", "web_search", query="snow")),
        ]
        made = client("anthropic").AsyncAnthropic(base_url=served.url, api_key="k", max_retries=0)

        async def ask(messages: list[Any], definitions: bytes) -> Any:
            tools = json.loads(definitions)
            return await made.messages.create(model="m", max_tokens=9, messages=messages, tools=tools)

        question = [{"role": "user", "content": "find it"}]
        run = run_tools(ask, shown, question, format="anthropic", cache="last", checkpoint=states.append)
        record = asyncio.run(run)
        if paused:
            at = next(state for state in states if state.pending is not None and state.pending.results)
            stored = RunState.decode(at.encode())
            del served.requests[1:]
            served.later = [anthropic_answer(use("toolu_3", "web_search", query="snow"))]
            again = Disclosure(registry_of("web_search", "glob"), "anthropic", search="program")
            record = asyncio.run(resume(ask, again, stored, format="anthropic", cache="last"))
    first, second, third = served.requests
    assert record.stopped == "answer"
    # "Every tool referenced must have a corresponding tool definition": those that were found, deferred.
    assert second["tools"] == third["tools"]
    assert third["tools"] == first["tools"] + [each for each in third["tools"] if "defer_loading" in each]
    assert [each["name"] for each in third["tools"]][-2:] == ["web_search", "glob"]
    assert [tool["name"] for tool in third["tools"] if "cache_control" in tool] == ["web_fetch"]
    found, globbed = second["messages"][2]["content"]
    references = [{"type": "tool_reference", "tool_name": name} for name in ("web_search", "glob")]
    assert found == {"type": "tool_result", "tool_use_id": "toolu_1", "content": references}
    assert globbed["content"] == "done by glob"
    assert third["messages"][4]["content"][0]["content"] == "done by web_search"
    pydantic = client("pydantic")
    adapter = pydantic.TypeAdapter(client("anthropic.types").MessageParam)
    for message in third["messages"]:
        adapter.validate_python(message)
