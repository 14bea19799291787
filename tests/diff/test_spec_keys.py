"""Keys beside the schemas that change what a call or a result means, in both directions."""

from typing import Any

import pytest
from msgspec import structs
from toolcast.analysis.diff.audiences.spec_keys import spec_keys
from toolcast.analysis.diff.rules import RULES, Change
from toolcast.analysis.diff.states import State

from tests.diff.audience_pairs import context, pair, properties, spec

TEXT = {"type": "string"}
RESULT = {"type": "object", "properties": {"n": {"type": "integer", "default": 1}}}


def changes(
    old: dict[str, Any], new: dict[str, Any], project: str | None = None, **more: Any
) -> list[Change]:
    compared = pair(old, new, **more)
    whole = context([compared])
    config = structs.replace(whole.config, defaults=project)
    return list(spec_keys(compared, structs.replace(whole, config=config)))


def tool(*names: str, **keys: Any) -> dict[str, Any]:
    return spec(parameters=properties(**dict.fromkeys(names, TEXT)), **keys)


def test_an_empty_text() -> None:
    plain, empty = tool("a"), tool("a", empty_is_absent=["a"])
    assert [(each.rule, each.audience) for each in changes(empty, plain)] == [("empty-is-value", "calls")]
    assert [each.rule for each in changes(plain, empty)] == ["empty-is-absent"]
    assert changes(empty, empty) == []
    assert changes(tool("b"), tool("a", "b", empty_is_absent=["a"])) == []  # the parameter is new
    assert changes(tool("a", "b", empty_is_absent=["a"]), tool("b")) == []  # the parameter is gone
    renamed = tool("c", empty_is_absent=["c"])
    assert changes(empty, renamed, renamed_parameters={"c": "a"}) == []
    (change,) = changes(empty, tool("c"), renamed_parameters={"c": "a"})
    assert change.message == '`a: ""` meant that it was left out, and is a value now'


def test_values_that_the_program_bounds() -> None:
    plain, bounded = tool("a"), tool("a", runtime_enums={"a": "agents"})
    assert [each.rule for each in changes(plain, bounded)] == ["values-bounded"]
    assert changes(bounded, plain) == []  # who grants trust is told
    assert changes(tool("b"), tool("a", "b", runtime_enums={"a": "agents"})) == []


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("include", "omit", "defaults-omitted"),
        (None, "omit", "defaults-omitted"),
        ("include", None, "defaults-omitted"),
        ("omit", "include", "defaults-included"),
        ("omit", None, "defaults-included"),
        (None, "include", "defaults-included"),
        (None, None, None),
        ("omit", "omit", None),
    ],
)
def test_members_of_results_that_equal_their_default(old: Any, new: Any, rule: str | None) -> None:
    states = [tool("a", result=RESULT, defaults=each) for each in (old, new)]
    found = changes(states[0], states[1])
    assert [each.rule for each in found] == ([rule] if rule else [])
    assert all(each.audience == "results" for each in found)
    assert changes(tool("a", defaults=old), tool("a", defaults=new)) == []  # there is no result


@pytest.mark.parametrize(("old", "new"), [(None, ["n"]), (["n"], "{n}"), ("{n}", "{n}."), ("{n}", None)])
def test_another_text_of_results_is_a_note(old: Any, new: Any) -> None:
    (change,) = changes(*(tool("a", result=RESULT, text=each) for each in (old, new)))
    assert (change.rule, change.audience, change.old) == ("result-text-changed", "results", new is None)
    assert RULES[change.rule].level == "note"
    assert changes(*[tool("a", result=RESULT, text=new)] * 2) == []


def test_the_project_says_it_where_the_spec_does_not() -> None:
    said, silent = tool("a", result=RESULT, defaults="omit"), tool("a", result=RESULT)
    assert changes(said, silent, project="omit") == []
    assert [each.rule for each in changes(said, silent, project="include")] == ["defaults-included"]


def test_a_list_states_none_of_it() -> None:
    compared = pair(tool("a", empty_is_absent=["a"]), tool("a"))
    whole = structs.replace(context([compared]), new=State(label="l", tools={}, types={}, listed=True))
    assert spec_keys(compared, whole) == ()


@pytest.mark.parametrize(
    ("old", "new", "rules"),
    [
        (None, ["model"], ["callers-narrowed"]),
        (None, ["code"], ["callers-narrowed"]),
        (["model", "code"], None, []),
        (["model"], ["code"], ["callers-narrowed"]),
        (["model"], ["code", "model"], []),
    ],
)
def test_fewer_callers(old: list[str] | None, new: list[str] | None, rules: list[str]) -> None:
    states = [tool("a", **({} if each is None else {"callers": each})) for each in (old, new)]
    assert [each.rule for each in changes(*states)] == rules


def test_further_scopes_break_calls() -> None:
    (change,) = changes(tool("a", scopes=["x"]), tool("a", scopes=["y", "x"]))
    assert (change.rule, change.old) == ("scopes-added", False)
    assert change.message == "the token of whoever calls the tool needs the scope `y` now"
    assert RULES[change.rule].level == "error"
    assert changes(tool("a", scopes=["x", "y"]), tool("a", scopes=["y"])) == []
    assert changes(tool("a", scopes=[]), tool("a")) == []


def test_when_arguments_and_results_arrive() -> None:
    plain = tool("a")
    for keys, rule in (
        ({"stream_arguments": True}, "arguments-streamed"),
        ({"blocking": False}, "results-timing"),
        ({"execution": {"task_support": "required"}}, "results-timing"),
    ):
        for states in ((plain, tool("a", **keys)), (tool("a", **keys), plain)):
            (change,) = changes(*states)
            assert change.rule == rule
    same = {"stream_arguments": False, "blocking": True, "execution": {"task_support": "forbidden"}}
    assert changes(plain, tool("a", **same)) == []
    (change,) = changes(plain, tool("a", execution={"task_support": "optional"}))
    assert change.message == "to run a call as a task was forbidden and is optional, for clients of MCP"
