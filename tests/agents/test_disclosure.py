"""Tools shown in part until a call needs them whole."""

import asyncio
import json
from itertools import product
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.agents.disclosure import LEVELS, Disclosure, match_groups
from toolcast.agents.dispatch import Dispatcher
from toolcast.mcp.live.offered_tools import bind
from toolcast.mcp.live.server_tool import LiveTool
from toolcast.providers import Normalizer, ToolInfo, available, load_profile, normalize, tool_object
from toolcast.runtime import Guesses, ToolContext, ToolRegistry, ToolResult, UnknownToolError
from toolcast.runtime.definitions import bare_definition, cut_definition, cut_schema
from toolcast.runtime.middleware.truncate import cut
from toolcast.runtime.request_rules import RequestRules

from generated.registry import BINDINGS
from tests.agents.test_loop import asks

TOOLS = ("delegate", "edit", "web_fetch", "web_search")
NOTE = "(Shown in part: a call whose arguments do not fit is answered with the full schema.)"
GOOD = {"file_path": "/a", "old_string": "x", "new_string": "y"}


async def handle(_: Any, __: ToolContext) -> ToolResult:
    return ToolResult.ok("done")


def registry_of(*names: str, **options: Any) -> ToolRegistry:
    registry = ToolRegistry(**options)
    for name in names or TOOLS:
        registry.register(BINDINGS[name], handle)
    return registry


def disclosure(**options: Any) -> Disclosure:
    return Disclosure(registry_of(), options.pop("provider", "openai"), **{"native": False, **options})


def call(shown: Disclosure, arguments: Any, name: str = "edit", **options: Any) -> ToolResult:
    return asyncio.run(shown.execute(name, arguments, **options))


def tool(shown: Disclosure, name: str = "edit") -> Any:
    [found] = [each for each in shown.definition_objects() if each["function"]["name"] == name]
    return found["function"]


def test_the_levels_show_names_then_types_then_everything() -> None:
    summary, brief, full = (tool(disclosure(level=level)) for level in ("summary", "brief", "full"))
    binding = BINDINGS["edit"]
    assert summary == {
        **{key: value for key, value in full.items() if key == "strict"},
        "name": "edit",
        "description": f"{binding.summary} {NOTE}",
        "parameters": {"type": "object", "properties": {}},
        **({"strict": False} if "strict" in full else {}),
    }
    assert brief["description"] == f"{binding.summary} {NOTE}"
    assert brief["parameters"]["required"] == full["parameters"]["required"]
    types = {name: each.get("type") for name, each in full["parameters"]["properties"].items()}
    assert {name: each.get("type") for name, each in brief["parameters"]["properties"].items()} == types
    assert json.loads(binding.definition("openai"))["function"] == full


@pytest.mark.parametrize("arguments", [{}, {"file_path": "/a"}, {**GOOD, "replace_all": "maybe"}, "nonsense"])
def test_a_first_wrong_call_is_answered_with_all_that_is_wrong_and_the_schema(arguments: Any) -> None:
    shown = disclosure()
    stub = tool(shown)
    first = call(shown, arguments)
    assert not first.success
    assert first.data.tool == "edit"
    assert {*first.data.missing} == ({*GOOD} - {*arguments} if isinstance(arguments, dict) else set())
    assert first.data.schema == tool(disclosure(level="full"))["parameters"]
    assert first.error.startswith("Invalid arguments for tool 'edit'")
    if isinstance(arguments, dict):
        wrong = {"new_string", "old_string", "file_path"} - {*arguments} or {"replace_all"}
        assert all(f"`{name}`" in first.error for name in wrong)
    assert first.error.count("The full schema of 'edit': ") == 1
    assert json.loads(first.error.partition("The full schema of 'edit': ")[2]) == first.data.schema
    assert f"The description of 'edit': {BINDINGS['edit'].description}" in first.error
    assert tool(shown) == tool(disclosure(level="full")) != stub


@pytest.mark.parametrize("guarded", [False, True])
@pytest.mark.parametrize("provider", ["openai", "openai-responses", "anthropic", "gemini", "mcp"])
def test_the_schema_in_an_error_has_the_bytes_of_the_next_definition(provider: str, guarded: bool) -> None:
    """A model that was shown a stub reads the form that it has to answer in, not the contract's."""
    tools = registry_of(*BINDINGS, **({"output_limit": 100_000} if guarded else {}))
    shown = Disclosure(tools, provider, level="summary", native=False)
    required = [name for name, binding in BINDINGS.items() if binding.schema().get("required")]
    assert required
    for name in required:
        error = call(shown, {}, name=name).error
        schema = error.partition(f"The full schema of {name!r}: ")[2]
        assert schema.startswith("{"), error
        assert schema.encode() in shown.definitions()


def test_a_second_wrong_call_in_a_turn_is_answered_as_any_call() -> None:
    for upgrade, wrong in product(("answer", "definition"), ({}, {**GOOD, "replace_all": "maybe"})):
        shown = disclosure(upgrade=upgrade)
        plain = asyncio.run(registry_of().execute("edit", wrong, "openai"))
        for _ in range(2):
            assert call(shown, wrong) != plain
            assert [call(shown, wrong) for _ in range(2)] == [plain, plain]
            other = {"url": "https://a.example", "start_index": "x"}
            assert "The full schema" in call(shown, other, name="web_fetch").error
            shown.next_turn()


@pytest.mark.parametrize("keep", [True, False])
def test_the_next_turn_clears_or_keeps(keep: bool) -> None:
    shown = disclosure(keep=keep)
    call(shown, {})
    assert shown.level_of("edit") == "full"
    shown.next_turn()
    assert shown.level_of("edit") == ("full" if keep else "brief")


def test_with_the_schema_in_the_answer_definitions_stay_as_they_are() -> None:
    shown = disclosure(upgrade="answer")
    before = shown.definitions()
    assert "The full " in call(shown, {}).error
    assert shown.definitions() == before


def test_good_calls_failures_of_handlers_and_unknown_tools_upgrade_nothing() -> None:
    async def broken(_: Any, __: ToolContext) -> ToolResult:
        raise RuntimeError

    registry = ToolRegistry()
    registry.register(BINDINGS["edit"], broken)
    for shown in (disclosure(), Disclosure(registry, "openai")):
        call(shown, GOOD)
        assert not call(shown, GOOD, name="edti").success
        assert shown.level_of("edit") == "brief"


def test_guesses_hold_and_are_counted_once() -> None:
    guesses = Guesses(["boolean"])

    async def failing(_: Any, __: ToolContext) -> ToolResult:
        return ToolResult.failed("no")

    registry = ToolRegistry(guesses=guesses)
    registry.register(BINDINGS["edit"], failing)
    shown = Disclosure(registry, "openai")
    assert call(shown, {**GOOD, "replace_all": "true"}).error == "no"
    assert shown.level_of("edit") == "brief"
    assert guesses.counts["boolean"] == 1


def test_two_wrong_calls_side_by_side_get_one_answer_in_full() -> None:
    async def both(shown: Disclosure, wrong: Any) -> list[ToolResult]:
        return await asyncio.gather(*(shown.execute("edit", wrong) for _ in range(3)))

    for wrong in ({}, {**GOOD, "replace_all": "maybe"}):
        results = asyncio.run(both(disclosure(), wrong))
        assert ["The full schema" in result.error for result in results] == [True, False, False]


@pytest.mark.parametrize("wrong", [{}, {**GOOD, "replace_all": "maybe"}, "nonsense"])
def test_no_error_has_the_schema_where_the_full_definition_was_offered(wrong: Any) -> None:
    tools = (registry_of(), disclosure(level="full"), disclosure(eager=["edit"]))
    late = Disclosure(registry_of(), "anthropic")  # which loads full definitions
    for offered in (*tools, late):
        results = [asyncio.run(offered.execute("edit", wrong, "openai")) for _ in range(2)]
        assert not any("The full" in result.error or "The description" in result.error for result in results)
        assert len(results[0].error) < 1000


def of_schema(schema: Any, **options: Any) -> ToolRegistry:
    tool = LiveTool(server="s", name="big", description="Does it.", input_schema=schema)
    registry = ToolRegistry(**options)
    registry.register(bind(tool, "big", "", "read", (), Normalizer()), handle)
    return registry


SUBSCHEMAS = st.one_of(
    st.just({"$ref": "#/$defs/a"}),
    st.builds(lambda words: {"type": "string", "description": words}, st.text("añ", max_size=200)),
    st.builds(
        lambda names: {"type": "object", "properties": {name: {"type": "integer"} for name in names}},
        st.lists(st.sampled_from("xyz"), max_size=3),
    ),
)


@given(
    properties=st.dictionaries(
        st.sampled_from(["a", "b c", "d.e", "é", "f", "g", "/h~"]), SUBSCHEMAS, min_size=1
    ),
    defined=SUBSCHEMAS,
    limit=st.integers(1, 3000),
    data=st.data(),
)
def test_an_error_with_a_schema_is_within_the_output_limit(
    properties: Any, defined: Any, limit: int, data: st.DataObject
) -> None:
    required = data.draw(st.lists(st.sampled_from(sorted(properties)), unique=True))
    schema = {"type": "object", "properties": properties, "required": required, "$defs": {"a": defined}}
    wrong = {"unknown": [], "a": 1}
    plain = asyncio.run(of_schema(schema).execute("big", wrong, "mcp"))
    if plain.success:
        return
    error = asyncio.run(
        Disclosure(of_schema(schema, output_limit=limit), "mcp", level="brief").execute("big", wrong)
    ).error
    assert len(error) <= max(limit, len(cut(plain.error, limit)))
    unbounded = Disclosure(of_schema(schema), "mcp", level="brief")
    whole = asyncio.run(unbounded.execute("big", wrong)).error
    described, _, schema_line = whole.rpartition("\n")
    rows = (described.rpartition("\n")[0], schema_line)  # without its description, which goes first
    bare = "\n".join(rows)
    assert described.rpartition("\n")[2].startswith("The description of 'big': ")
    if len(bare) <= limit:
        assert error == (whole if len(whole) <= limit else bare)
    else:
        assert "The full schema of 'big': " not in error


def test_a_schema_past_the_output_limit_is_left_out_and_said_to_be() -> None:
    field = {"type": "string", "description": "words " * 20, "minLength": 3}
    properties = {f"field_{number}": field for number in range(200)}
    schema = {"type": "object", "properties": properties, "required": ["field_120", "field_7"]}
    shown = Disclosure(of_schema(schema, output_limit=1500), "mcp", level="brief")
    [first, second] = [asyncio.run(shown.execute("big", {"field_7": "long"})).error for _ in range(2)]
    assert first.startswith(second + "\nThe full schema of 'big' has ")
    assert first.endswith(" characters, too many for one result.")


def test_levels_by_group_and_tools_that_are_always_full() -> None:
    shown = disclosure(level="full", levels={"web": "summary"}, eager=["web_search"])
    assert [shown.level_of(name) for name in TOOLS] == ["full", "full", "summary", "full"]
    assert tool(shown, "web_fetch")["parameters"]["properties"] == {}
    shown.disclose("web_fetch")
    shown.next_turn()
    assert shown.level_of("web_fetch") == "full"
    with pytest.raises(UnknownToolError, match="web_fetch"):
        shown.disclose("web_fech")


KEYWORDS = {"web": ["web", "url", "网页"], "files": ["file"]}


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("Which FILES are there?", ("files",)),
        ("my profile", ()),
        ("请读取网页并保存file", ("web", "files")),
        ("open the urls", ("web",)),
        ("hello", ()),
    ],
)
def test_words_lead_to_groups(text: str, groups: tuple[str, ...]) -> None:
    assert match_groups(text, KEYWORDS) == groups


@pytest.mark.parametrize("words", ["web", [" "]])
def test_keywords_are_lists_of_words(words: Any) -> None:
    with pytest.raises(ValueError, match="a list of words"):
        match_groups("text", {"web": words})


def test_routes_add_to_what_a_session_shows_and_no_match_shows_all() -> None:
    shown = disclosure()
    assert shown.route("Find it in the web", KEYWORDS) == ("web",)
    shown.definitions()
    assert shown.names == ("web_fetch", "web_search")
    shown.route("the file", KEYWORDS)
    shown.definitions()
    assert shown.names == ("web_fetch", "web_search", "edit")
    assert shown.route("hello", KEYWORDS) == ()
    shown.definitions()
    assert shown.names == ("web_fetch", "web_search", "edit", "delegate")


def test_groups_and_names_can_be_chosen() -> None:
    shown = disclosure()
    shown.choose(groups="web", names=["edit"])
    shown.definitions()
    assert shown.names == ("edit", "web_fetch", "web_search")


@pytest.mark.parametrize(
    ("provider", "search"),
    [
        ("anthropic", {"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"}),
        ("openai-responses", {"type": "tool_search"}),
    ],
)
def test_providers_that_load_tools_get_all_of_them_whole(provider: str, search: Any) -> None:
    shown = Disclosure(registry_of(), provider, eager=["edit"])
    first, *entries = shown.definition_objects()
    assert first == search
    tools = [tool for entry in entries for tool in entry.get("tools", [entry])]
    for name, each in zip(TOOLS, tools, strict=True):
        assert each.pop("defer_loading", False) is (name != "edit")
        assert each == json.loads(BINDINGS[name].definition(provider))
    plain = asyncio.run(registry_of().execute("edit", {"file_path": 1}, provider))
    assert call(shown, {"file_path": 1}) == plain


@pytest.mark.parametrize("provider", ["anthropic", "openai-responses", "openai", "gemini"])
def test_an_explicit_level_is_honoured_by_every_provider(provider: str) -> None:
    registry = registry_of()
    for level in LEVELS:
        shown = Disclosure(registry, provider, level=level)
        assert shown.definitions() == Disclosure(registry, provider, level=level, native=False).definitions()
        assert {shown.level_of(name) for name in TOOLS} == {level}
    by_group = Disclosure(registry, provider, levels={"web": "summary"}, eager=["web_search"])
    assert [by_group.level_of(name) for name in TOOLS] == ["brief", "brief", "summary", "full"]
    assert b"defer_loading" not in by_group.definitions()
    lengths = [len(Disclosure(registry, provider, level=level).definitions()) for level in LEVELS]
    assert lengths == sorted(lengths)
    assert len({*lengths}) == len(LEVELS)


@pytest.mark.parametrize("levels", [{"level": "summary"}, {"level": "full"}, {"levels": {"web": "brief"}}])
@pytest.mark.parametrize("native", [True, RequestRules(defer={"lazy": 1})])
def test_levels_beside_native_loading_are_refused(levels: Any, native: Any) -> None:
    with pytest.raises(ValueError, match="Leave out native for stubs, or level and levels"):
        Disclosure(registry_of(), "anthropic", native=native, **levels)


def test_native_loading_is_asked_for_offered_or_refused() -> None:
    own = RequestRules(defer={"lazy": 1})
    assert tool(disclosure(native=own))["name"] == "edit"
    assert disclosure(native=own).definition_objects()[0]["lazy"] == 1
    assert disclosure(provider="anthropic").definition_objects()[0]["name"] == "delegate"
    with pytest.raises(ValueError, match="not known to load tools on demand"):
        disclosure(native=True)
    assert Disclosure(registry_of(), "anthropic", eager=TOOLS).definition_objects()[0]["name"] == "delegate"
    assert Disclosure(ToolRegistry(), "anthropic").definitions() == b"[]"


def test_a_dispatcher_takes_its_tools() -> None:
    shown = disclosure()
    [message] = asyncio.run(Dispatcher(shown.tools, "openai").run(asks(("edit", {"file_path": "/a"}))))
    assert "`old_string`" in message["content"]
    assert shown.level_of("edit") == "full"


@pytest.mark.parametrize("options", [{"level": "short"}, {"levels": {"web": "x"}}, {"upgrade": "never"}])
def test_words_that_are_no_choice_are_refused(options: Any) -> None:
    with pytest.raises(ValueError, match=r"level|upgrade"):
        disclosure(**options)


SCHEMA = {
    "type": "object",
    "required": ["路径"],
    "properties": {"路径": {"type": "string", "description": "汉字" * 60}, "n": {"type": "integer"}},
}


@pytest.mark.parametrize("provider", available())
def test_stubs_keep_required_whole_characters_and_any_call(provider: str) -> None:
    """Every profile: what a stub's schema refuses, the full one refuses as well."""
    summary = "读取文件内容并返回。" * 20
    info = ToolInfo(name="read", description=summary * 2)
    full = tool_object(info, load_profile(provider), normalize(SCHEMA, provider))
    full = msgspec.json.decode(msgspec.json.encode(full))
    brief = cut_definition(full, "read", summary)
    bare = bare_definition(full, "read", summary)
    for stub in (brief, bare):
        assert summary in json.dumps(stub, ensure_ascii=False)
        assert "汉字" not in json.dumps(stub, ensure_ascii=False)
    whole, cut = (_schema(each) for each in (full, brief))
    assert cut.get("required") == whole.get("required")
    assert '"strict": true' not in json.dumps(bare)
    empty = _schema(bare)
    if empty is not None:
        assert jsonschema_rs.Draft202012Validator(empty).is_valid({"anything": 1})


def _schema(definition: Any) -> Any:
    if isinstance(definition, dict):
        if str(definition.get("type")).lower() == "object":
            return definition
        found = (_schema(value) for value in definition.values())
        return next((each for each in found if each is not None), None)
    return None


def test_branches_that_only_bounds_distinguish_do_not_refuse_each_other() -> None:
    """`oneOf` of cut branches would refuse what two of them take now."""
    branches = [{"type": "integer", "minimum": 5}, {"type": "integer", "maximum": 4}]
    brief = cut_schema({"type": "object", "properties": {"n": {"oneOf": branches}}})
    assert jsonschema_rs.Draft202012Validator(brief).is_valid({"n": 3})
    both = {"anyOf": [{"type": "string"}, {"type": "integer"}], "oneOf": branches}
    assert cut_schema(both) == {"anyOf": [{"type": "string"}, {"type": "integer"}]}
