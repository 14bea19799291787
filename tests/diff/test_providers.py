"""For single providers: strict mode, the ledger, limits and tokens, in both directions."""

from collections.abc import Sequence
from typing import Any

import pytest
from toolcast.analysis.diff.audiences.definitions import definitions, provider_changes, sent_pairs
from toolcast.analysis.diff.pairs import Pair
from toolcast.analysis.diff.rules import Change

from tests.diff.audience_pairs import PROVIDERS, context, pair, properties, spec

TEXT = {"type": "string"}
FREE = {"type": "object"}


def changes(old: dict[str, Any], new: dict[str, Any], *providers: str, **more: Any) -> tuple[Change, ...]:
    compared = pair(old, new, **more)
    whole = context([compared], providers or PROVIDERS)
    (sent,) = sent_pairs([compared], whole.profiles)
    return provider_changes(sent, whole)


def both(one: dict[str, Any], other: dict[str, Any], *providers: str) -> list[list[str]]:
    return [[each.rule for each in changes(*sides, *providers)] for sides in ((one, other), (other, one))]


def test_strict_mode() -> None:
    strict = spec(parameters=properties("a", a=TEXT))
    loose = spec(parameters=properties("a", a=FREE))
    assert both(strict, loose, "openai") == [["strict-lost"], ["strict-gained"]]
    found = changes(strict, loose, "openai", "openai-responses", "gemini", "mcp")
    (lost,) = [each for each in found if each.rule == "strict-lost"]
    assert lost.providers == ("openai", "openai-responses")
    assert lost.message.startswith("not strict, because of `properties`: ")
    assert lost.hint
    assert lost.line


def test_strict_mode_that_the_spec_gives_up() -> None:
    strict = spec(parameters=properties("a", a=TEXT))
    given_up = spec(parameters=properties("a", a=TEXT), providers={"openai": {"strict": False}})
    assert both(strict, given_up, "openai", "mcp") == [["strict-given-up"], ["strict-gained"]]


def test_the_ledger() -> None:
    inner = {"type": "object", "description": "Some.", "properties": {"b": TEXT}}
    closed = {**inner, "additionalProperties": False}
    plain, lossy, renamed = (
        spec(parameters={**properties("z", z=TEXT, **named), "additionalProperties": True})
        for named in ({"a": inner}, {"a": closed}, {"c": closed})
    )
    assert both(plain, lossy, "gemini") == [["ledger-grown"], []]
    (change,) = changes(plain, lossy, "gemini", "mcp")
    assert change.providers == ("gemini",)
    assert change.pointer == "/parameters/properties/a"
    assert [each.rule for each in changes(lossy, renamed, "gemini")] == ["ledger-grown"]
    assert changes(lossy, renamed, "gemini", renamed_parameters={"c": "a"}) == ()


def test_the_ledger_of_what_a_spec_states_beside_its_parameters() -> None:
    plain = spec(parameters=properties(a=TEXT))
    streamed = {**plain, "stream_arguments": True}
    assert both(plain, streamed, "openai", "anthropic") == [["ledger-grown"], []]
    (change,) = changes(plain, streamed, "openai", "anthropic")
    assert change.providers == ("openai",)
    start = "new in the ledger: `stream_arguments` of the spec is not sent, because "
    assert change.message.startswith(start)
    assert change.line


def test_the_ledger_of_results() -> None:
    plain, lossy = (
        {
            **spec(parameters=properties(a=TEXT)),
            "result": {"type": "object", "properties": {"n": {"type": "integer", **more}}},
        }
        for more in ({}, {"multipleOf": 5})
    )
    assert both(plain, lossy, "gemini") == [["ledger-grown"], []]
    (change,) = changes(plain, lossy, "gemini", "mcp")
    assert (change.providers, change.pointer) == (("gemini",), "/result/properties/n")
    assert "`multipleOf` at /properties/n of the result " in change.message


KEYS: dict[str, Any] = {
    "icons": [{"src": "https://a.example/i.png"}],
    "meta": {"a": 1},
    "callers": ["code"],
    "defer": True,
    "execution": {"task_support": "optional"},
}


@pytest.mark.parametrize("key", KEYS)
def test_a_key_that_is_not_sent_is_new_in_the_ledger(key: str) -> None:
    plain, more = spec(), spec(**{key: KEYS[key]})
    found = [each for each in changes(plain, more, "gemini", "mistral") if each.rule == "ledger-grown"]
    assert {id for each in found for id in each.providers} == {"gemini", "mistral"}
    assert all(f"`{key}` of the spec is not sent, because " in each.message and each.line for each in found)
    assert not [each for each in changes(more, plain, "gemini") if each.rule == "ledger-grown"]
    assert changes(more, {**more, "description": "Other."}, "gemini") == ()


def test_each_key_is_one_change_for_a_provider() -> None:
    found = changes(spec(), spec(icons=KEYS["icons"], meta=KEYS["meta"]), "gemini")
    assert [(each.rule, each.providers) for each in found] == [("ledger-grown", ("gemini",))] * 2
    assert {each.message.split("`")[1] for each in found} == {"icons", "meta"}


def test_examples_count_where_a_provider_was_sent_them() -> None:
    examples = [{"a": "x"}]
    shown = {"anthropic": {"examples": True}}
    plain, off = (
        spec(parameters=properties("a", a=TEXT)),
        spec(parameters=properties("a", a=TEXT), examples=examples),
    )
    on = {**off, "providers": shown}
    assert changes(plain, off, "anthropic", "openai") == ()
    (lost,) = [each for each in changes(on, off, "anthropic") if each.rule == "ledger-grown"]
    assert "`examples` of the spec is not sent" in lost.message


def test_what_a_description_says_is_in_the_ledger_too() -> None:
    plain, other = (
        spec(parameters=properties("a", a={"type": "integer", "description": "Some.", **more}))
        for more in ({}, {"multipleOf": 5})
    )
    assert both(plain, other, "gemini", "mcp") == [["ledger-moved"], []]


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ({"description": "Finds."}, {"description": "Finds things. " * 80}, "description-length"),
        ({"name": "find"}, {"name": "_" + "f" * 63}, ""),
        ({}, {"parameters": properties(**{f"p{i}": TEXT for i in range(11)})}, "advised-optional"),
        ({}, {"parameters": properties("a", a={"enum": [f"v{i}" for i in range(1100)]})}, "enum-values"),
    ],
)
def test_limits_of_a_tool(old: dict[str, Any], new: dict[str, Any], code: str) -> None:
    base = spec(parameters=properties("a", a=TEXT))
    one, other = {**base, **old}, {**base, **new}
    ids = ("openai", "anthropic-strict")
    found = [
        each
        for each in changes(one, other, *ids, renamed_from="x" * ("name" in new))
        if "passed" in each.rule
    ]
    assert [each.message.rpartition("(")[2] for each in found] == ([f"{code})"] if code else [])
    assert [each for each in changes(other, one, *ids) if "passed" in each.rule] == []


def test_tokens() -> None:
    long = spec(description="Finds things in all the places that there are. " * 8)
    assert both(spec(), long, "anthropic") == [["tokens-grown"], []]
    (change,) = changes(spec(), long)
    assert change.providers == PROVIDERS
    assert " tokens for openai, and had " in change.message
    assert both(spec(), spec(description="Finds other things."), "anthropic") == [[], []]


def test_tools_of_one_state_have_no_changes_of_their_own() -> None:
    pairs = [pair(None, spec(parameters=properties(a=FREE))), pair(spec(), None)]
    whole = context(pairs)
    for sent in sent_pairs(pairs, whole.profiles):
        assert provider_changes(sent, whole) == ()


def whole_set(pairs: Sequence[Pair], *providers: str, unchanged: tuple[str, ...] = ()) -> list[Change]:
    whole = context(pairs, providers or PROVIDERS, unchanged=unchanged)
    return [each for each in definitions(pairs, whole) if not each.tool]


def named(name: str, **keys: Any) -> dict[str, Any]:
    return spec(name=name, **keys)


def test_the_number_of_tools() -> None:
    unchanged = tuple(f"tool_{i:03}" for i in range(127))
    both_states = [pair(named("a"), named("a", description="Finds more."))]
    added = [*both_states, pair(None, named("b"))]
    assert [each.rule for each in whole_set(both_states, "openai", unchanged=unchanged)] == ["prefix-ends"]
    (limit, _) = whole_set(added, "openai", unchanged=unchanged)
    assert (limit.rule, limit.providers) == ("limit-passed", ("openai",))
    assert limit.message == "one request would hold 129 tools; at most 128 are accepted (tools)"
    assert [each.rule for each in whole_set(added, "openai", unchanged=(*unchanged, "one_more"))] == [
        "prefix-ends"
    ]


def test_sums_over_a_request() -> None:
    few = properties(**{f"p{i}": TEXT for i in range(9)})
    many = properties(**{f"p{i}": TEXT for i in range(10)})
    old = [named(name, parameters=few) for name in "abc"]
    new = [named(name, parameters=many) for name in "abc"]
    at_limit = [pair(one, one) for one in old[:2]]
    passed = [*at_limit, pair(None, old[2])]
    rules = [each.rule for each in whole_set(passed, "anthropic-strict")]
    assert rules == ["limit-passed", "prefix-ends"]
    assert not [each for each in whole_set(at_limit, "anthropic-strict") if each.rule == "limit-passed"]
    back = [*at_limit, pair(old[2], None)]
    assert not [each for each in whole_set(back, "anthropic-strict") if each.rule == "limit-passed"]
    worse = [pair(*sides) for sides in zip(old, new, strict=True)]  # beyond it in both states
    assert not [each for each in whole_set(worse, "anthropic-strict") if each.rule == "limit-passed"]


def test_sums_over_tools_that_were_not_read_are_undecided() -> None:
    few, many = (properties(**{f"p{i}": TEXT for i in range(count)}) for count in (1, 2))
    grown = [pair(named("a", parameters=few), named("a", parameters=many))]
    less = [pair(named("a", parameters=many), named("a", parameters=few))]
    (limit, _) = whole_set(grown, "anthropic-strict", unchanged=("b",))
    assert (limit.rule, limit.undecided) == ("limit-unchecked", True)
    assert [each.rule for each in whole_set(less, "anthropic-strict", unchanged=("b",))] == ["prefix-ends"]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (("a",), "a cached prefix ends before `a`: 6 of 6 tools are read anew"),
        (("e",), "a cached prefix ends before `e`: 2 of 6 tools are read anew"),
        (("c", "e"), "a cached prefix ends before `c`: 4 of 6 tools are read anew"),
    ],
)
def test_a_cached_prefix_ends_at_the_first_tool_that_differs(changed: tuple[str, ...], message: str) -> None:
    pairs = [pair(named(name), named(name, description="Other.")) for name in changed]
    others = tuple(name for name in "abcdef" if name not in changed)
    (change,) = whole_set(pairs, "openai", "mcp", unchanged=others)
    assert change.message.startswith(f"{message}, about ")
    assert (change.rule, change.audience, change.tool) == ("prefix-ends", "cache", "")
    assert change.providers == ("openai", "mcp")


def test_a_new_or_removed_tool_ends_it_too() -> None:
    (added,) = whole_set([pair(None, named("b"))], "openai", unchanged=("a", "c"))
    assert added.message.startswith("a cached prefix ends before `b`: 2 of 3 tools are read anew")
    (removed,) = whole_set([pair(named("b"), None)], "openai", unchanged=("a", "c"))
    assert removed.message.startswith("a cached prefix ends before `b`: 1 of 2 tools is read anew")
    assert removed.old
    (last,) = whole_set([pair(named("z"), None)], "openai", unchanged=("a", "c"))
    assert last.message.startswith("a cached prefix ends before `z`: no tool comes after it")
    (renamed,) = whole_set([pair(named("d"), named("b"), renamed_from="d")], "openai", unchanged=("a", "c"))
    assert renamed.message.startswith("a cached prefix ends before `b`: 2 of 3 tools are read anew")


def test_it_is_told_for_providers_whose_definition_differs() -> None:
    old, new = (named("b", parameters=properties(a={**TEXT, "default": each})) for each in ("x", "y"))
    shown = [id for id in PROVIDERS if whole_set([pair(old, new)], id)]
    (change,) = whole_set([pair(old, new)])
    assert list(change.providers) == shown
    assert whole_set([pair(named("b"), named("b", secrets=["text"]))]) == []
