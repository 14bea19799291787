"""For models: whatever reads differently in a definition is told, by place, with both texts."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.analysis.diff.audiences.code import deprecation
from toolcast.analysis.diff.audiences.definitions import definitions, model_changes, sent_pairs
from toolcast.analysis.diff.audiences.trust import trust
from toolcast.analysis.diff.places import words_changed
from toolcast.analysis.diff.rules import Change
from toolcast.contract.build import build_tool
from toolcast.spec.spec_reader import read_tool

from tests.diff.audience_pairs import PROVIDERS, context, pair, properties, spec
from tests.python.compiled import document

TEXT = {"type": "string"}
WHERE = {"type": "object", "properties": {"in": TEXT, "at": TEXT}}


def changes(old: dict[str, Any], new: dict[str, Any], *providers: str, **more: Any) -> tuple[Change, ...]:
    compared = pair(old, new, **more)
    whole = context([compared], providers or PROVIDERS)
    (sent,) = sent_pairs([compared], whole.profiles)
    return model_changes(sent)


def both(one: dict[str, Any], other: dict[str, Any]) -> list[list[tuple[str, str]]]:
    """Rules and places of a change and of its opposite."""
    found = (changes(one, other), changes(other, one))
    return [[(each.rule, each.pointer) for each in side] for side in found]


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ({"description": "Finds things."}, {"description": "Finds all things."}, "description-read"),
        ({"summary": "Find."}, {"summary": "Find it."}, "summary-read"),
        ({"annotations": {"title": "Find"}}, {"annotations": {"title": "Find it"}}, "title-read"),
        ({}, {"annotations": {"title": "Find it"}}, "title-read"),
        ({}, {"meta": {"a": 1}}, "client-data"),
        ({"meta": {"a": 1, "b": 2}}, {"meta": {"b": 2, "a": 1}}, "client-data"),
        ({}, {"defer": True}, "loading-changed"),
        ({"defer": True}, {"defer": False}, "loading-changed"),
        ({"name": "find"}, {"name": "find_all"}, "name-read"),
    ],
)
def test_texts_of_the_tool(old: dict[str, Any], new: dict[str, Any], rule: str) -> None:
    assert both(spec(**old), spec(**new)) == [[(rule, "")], [(rule, "")]]


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ({"description": "What."}, {"description": "What else."}, "parameter-description-read"),
        ({}, {"description": "What else."}, "parameter-description-read"),
        ({"title": "A"}, {"title": "B"}, "title-read"),
        ({"default": "a"}, {"default": "b"}, "default-read"),
        ({}, {"default": ""}, "default-read"),
        ({"examples": ["a"]}, {"examples": ["b"]}, "examples-read"),
        ({"examples": ["a", "b"]}, {"examples": ["b", "a"]}, "order-read"),
        ({"enum": ["a", "b"]}, {"enum": ["b", "a"]}, "order-read"),
        ({"enum": ["a", "b"]}, {"enum": ["b", "c"]}, "constraint-read"),
        ({"minLength": 1}, {"minLength": 2}, "constraint-read"),
        ({"pattern": "a"}, {}, "constraint-read"),
        ({}, {"deprecated": True}, "note-read"),
        ({"type": ["string", "null"]}, {"type": ["null", "string"]}, "order-read"),
        ({"anyOf": [TEXT, {"minLength": 1}]}, {"anyOf": [TEXT]}, "constraint-read"),
    ],
)
def test_a_place_of_the_schema(old: dict[str, Any], new: dict[str, Any], rule: str) -> None:
    one, other = (
        spec(parameters=properties(where={"type": "object", "properties": {"in": {**TEXT, **each}}}))
        for each in (old, new)
    )
    at = "/parameters/properties/where/properties/in"
    assert both(one, other) == [[(rule, at)], [(rule, at)]]


def test_names() -> None:
    one, other = (spec(parameters=properties(**{name: TEXT, "b": TEXT})) for name in ("a", "c"))
    new, gone = ("names-read", "/parameters/properties/c"), ("names-read", "/parameters/properties/a")
    assert both(one, other)[0] == [new, gone]
    (renamed,) = changes(one, other, renamed_parameters={"c": "a"})
    assert (renamed.pointer, renamed.message) == (
        "/parameters/properties/c", "the property `a` is called `c` now",
    )  # fmt: skip


def test_order() -> None:
    one, other = (
        spec(parameters=properties(where=WHERE, **dict.fromkeys(names, TEXT))) for names in ("ab", "ba")
    )
    assert both(one, other) == [[("order-read", "/parameters")], [("order-read", "/parameters")]]


def test_shared_definitions() -> None:
    one, other = (
        spec(
            parameters={**properties(a={"$ref": "#/$defs/T"}), "$defs": {"T": {**TEXT, "description": text}}}
        )
        for text in ("One.", "Another one.")
    )
    place = ("parameter-description-read", "/$defs/T")
    assert both(one, other) == [[place], [place]]


def test_order_of_definitions() -> None:
    places = {"a": {"$ref": "#/$defs/S"}, "b": {"$ref": "#/$defs/T"}}
    one, other = (
        spec(
            parameters={
                **properties(**{name: places[name] for name in names}),
                "$defs": dict.fromkeys(("S", "T"), TEXT),
            }
        )
        for names in ("ab", "ba")
    )
    said = [(each.pointer, each.message) for each in changes(one, other)]
    assert said == [
        ("", "the definitions stand in another order"),
        ("/parameters", "the properties stand in another order"),
    ]


def test_results_are_read_by_clients_that_are_shown_them() -> None:
    one, other = (
        spec(result={"type": "object", "properties": {"n": {"type": "integer", "description": text}}})
        for text in ("One.", "Two.")
    )
    place = [("parameter-description-read", "/result/properties/n")]
    assert both(one, other) == [place, place]
    assert {each.providers for each in changes(one, other)} == {("openai-responses", "gemini", "mcp")}
    assert changes(one, other, "openai", "anthropic") == ()
    assert both(spec(), one)[0] == [("constraint-read", "/result")]


def test_examples_are_told_where_they_are_sent() -> None:
    parameters = properties(a=TEXT)
    shown = {"providers": {"anthropic": {"examples": True}}}
    one, other = (spec(parameters=parameters, examples=[{"a": word}], **shown) for word in ("x", "y"))
    place = [("examples-read", "")]
    assert both(one, other) == [place, place]
    (change,) = changes(one, {**other, "examples": [{"a": "y"}, {"a": "z"}]})
    assert change.providers == ("anthropic",)
    described = changes(one, {**other, "description": "Finds all things."})
    assert {each.rule for each in described} == {"examples-read", "description-read"}
    hidden = [spec(parameters=parameters, examples=[{"a": word}]) for word in ("x", "y")]
    assert changes(*hidden) == ()


@pytest.mark.parametrize(
    ("more", "providers"),
    [
        ({"annotations": {"title": "Find"}}, ("mcp", "mcp-2025-06-18")),
        ({"icons": [{"src": "https://a.example/i"}]}, ("mcp",)),
        ({"meta": {"a": 1}}, ("mcp", "mcp-2025-06-18")),
    ],
)
def test_data_of_clients_is_told_where_it_is_sent(more: dict[str, Any], providers: tuple[str, ...]) -> None:
    """Also where another change of the tool makes each definition another one."""
    all_of_them = ("anthropic", "openai", "mcp", "mcp-2025-06-18")
    one, other = spec(description="Finds."), spec(description="Finds all.", **more)
    for found in (changes(one, other, *all_of_them), changes(other, one, *all_of_them)):
        told = {each.rule: each.providers for each in found}
        assert told.pop("description-read") == ()
        assert list(told.values()) == [providers]
    assert [each.rule for each in changes(one, other, "anthropic")] == ["description-read"]


def test_what_no_provider_shows_is_not_told() -> None:
    """Each provider's definition decides: its bytes are the same."""
    one, other = (spec(parameters=properties(a={**TEXT, "$comment": text})) for text in ("One.", "Two."))
    assert changes(one, other, "openai", "anthropic", "gemini") == ()
    assert changes(spec(), spec(lint={"ignore": {"vague-description": "It is."}})) == ()


def test_providers_that_show_no_defaults_are_not_named() -> None:
    one, other = (spec(parameters=properties(a={**TEXT, "default": text})) for text in ("a", "b"))
    (change,) = changes(one, other, "mcp", "llama-cpp", "openai")
    shown = [id for id in ("mcp", "llama-cpp", "openai") if changes(one, other, id)]
    assert shown == list(change.providers or ("mcp", "llama-cpp", "openai"))


def test_texts_are_short() -> None:
    assert words_changed("a b c", "a x c") == "a [-b-] {+x+} c"
    assert words_changed("one", "") == "[-one-]"
    assert words_changed("a  b", "a\nb") == "only white space differs"
    long = " ".join(f"w{i}" for i in range(10_000))
    shown = words_changed(long, long.replace("w5000 ", "new "))
    assert shown == "… w4997 w4998 w4999 [-w5000-] {+new+} w5001 w5002 w5003 …"
    assert len(words_changed(long, long.upper())) <= 400


@given(st.text(), st.text())
def test_a_difference_of_texts_is_one_short_line(one: str, other: str) -> None:
    shown = words_changed(one, other)
    assert len(shown) <= 400
    assert len(shown.splitlines()) <= 1
    assert shown or one == other


def test_many_places_are_counted() -> None:
    many = {f"p{i}": TEXT for i in range(300)}
    told = {name: {**TEXT, "description": "Some."} for name in many}
    found = changes(spec(parameters=properties(**many)), spec(parameters=properties(**told)))
    assert len(found) == 101
    assert found[-1].message == "200 more places of the schema read differently"


WORDS = st.sampled_from(["", "Text.", "Other text.", "Text. More."])
LEAVES = st.fixed_dictionaries(
    {"type": st.sampled_from(["string", "integer", ["string", "null"], ["null", "string"]])},
    optional={
        "description": WORDS,
        "title": WORDS,
        "default": st.sampled_from([None, 1, "a"]),
        "examples": st.lists(st.sampled_from(["a", "b"]), max_size=2),
        "deprecated": st.booleans(),
        "minLength": st.integers(0, 2),
        "x-hint": WORDS,
        "$comment": WORDS,
        "format": st.sampled_from(["date", "byte"]),
    },
)
SCHEMAS = st.recursive(
    LEAVES,
    lambda below: st.one_of(
        st.fixed_dictionaries(
            {"type": st.just("object"), "properties": st.dictionaries(st.sampled_from("abc"), below)},
            optional={"additionalProperties": st.booleans(), "description": WORDS},
        ),
        st.fixed_dictionaries({"type": st.just("array"), "items": below}),
        st.fixed_dictionaries({"anyOf": st.lists(below, min_size=1, max_size=2)}),
        st.fixed_dictionaries({"enum": st.permutations(["a", "b"])}),
    ),
    max_leaves=4,
)
SPECS = st.fixed_dictionaries(
    {
        "description": st.sampled_from(["Finds.", "Finds all. Or one.", "Finds all. Or none."]),
        "permission": st.sampled_from(["read", "write"]),
        "secrets": st.just([]),
        "parameters": st.dictionaries(st.sampled_from("abcd"), SCHEMAS, max_size=3).map(
            lambda named: properties(**named)
        ),
    },
    optional={
        "summary": st.sampled_from(["Find.", "Find it."]),
        "result": SCHEMAS,
        "annotations": st.fixed_dictionaries(
            {}, optional={"title": st.just("T"), "destructive": st.booleans(), "open_world": st.booleans()}
        ),
        "deprecated": st.fixed_dictionaries({}, optional={"use": st.just("other"), "since": st.just("1")}),
        "providers": st.just({"openai": {"strict": False}}),
        "mcp": st.just({"meta": {"a": 1}}),
    },
)


def compiles(data: Any) -> bool:
    """Whether the compiler takes a spec: it refuses defaults that are no values of their schema."""
    tool, _, _ = read_tool(document(data, "find.json"), "find.json", frozenset(PROVIDERS))
    return tool is not None and build_tool(tool, {}).contract is not None


@given(SPECS.filter(compiles), SPECS.filter(compiles))
def test_nothing_that_a_definition_shows_changes_untold(old: dict[str, Any], new: dict[str, Any]) -> None:
    """Where the bytes of a definition differ, some change of some audience names tool and provider."""
    compared = pair(old, new)
    whole = context([compared])
    (sent,) = sent_pairs([compared], whole.profiles)
    named = [
        each
        for each in (*trust(compared, whole), *deprecation(compared, whole), *definitions([compared], whole))
        if each.tool == "find"
    ]
    for id in sent.differing(brief=True):
        assert any(not each.providers or id in each.providers for each in named), id
    if not sent.differing(brief=True):
        assert not [each for each in named if each.audience == "model" and each.rule != "deprecated"]


def test_a_text_of_one_provider_is_told_for_that_provider_alone() -> None:
    def tool(path: str, own: str, **more: Any) -> dict[str, Any]:
        parameters = properties(path={**TEXT, "description": path}, n={**TEXT, "description": "How many."})
        texts = {"openai": {"description": f"Finds {own}.", "parameters": {"path": own}}}
        return spec(parameters=parameters, providers=texts, **more)

    def told(old: dict[str, Any], new: dict[str, Any]) -> set[tuple[str, str, tuple[str, ...]]]:
        return {(each.rule, each.pointer, each.providers) for each in changes(old, new)}

    others = tuple(id for id in PROVIDERS if id != "openai")
    old, place = tool("A path.", "one"), "/parameters/properties/path"
    assert others
    assert told(old, tool("A path.", "two")) == {
        ("description-read", "", ("openai",)), ("parameter-description-read", place, ("openai",))
    }  # fmt: skip
    assert told(old, tool("The path.", "one", description="Finds it.")) == {
        ("description-read", "", others), ("parameter-description-read", place, others)
    }  # fmt: skip
    new = tool("A path.", "two")
    source = document(new, "find.json")
    at = {each.rule: (each.line, each.column) for each in changes(old, new)}
    own = ("providers", "openai")
    assert at == {
        "description-read": source.locate((*own, "description"), key=True),
        "parameter-description-read": source.locate((*own, "parameters", "path"), key=True),
    }
    bare = {key: value for key, value in old.items() if key != "providers"}
    assert told(old, bare) == told(old, tool("A path.", "two"))
    assert not [each for each in definitions_of(old, bare) if each.rule.startswith("ledger")]


def definitions_of(old: dict[str, Any], new: dict[str, Any]) -> tuple[Change, ...]:
    compared = pair(old, new)
    return definitions([compared], context([compared]))
