"""Stored states that somebody changed: what runs, or is answered, is what the state shows."""

import asyncio
import json
from collections.abc import Callable
from hashlib import sha256
from itertools import product
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.agents import ClaimedError, RunState, StateError, WaitingCall, resume, run_tools
from toolcast.runtime import ToolContext, ToolRegistry
from toolcast.runtime.middleware.policy import Policy

from generated.files.edit import EDIT
from generated.memory.memory_store import MEMORY_STORE
from generated.web.web_fetch import WEB_FETCH

from .test_loop import GOOD, USER, Own, Scripted, asks

A, B = {**GOOD, "file_path": "/a", "replace_all": False}, {**GOOD, "file_path": "/b"}
PAGE = {"url": "https://example.org/"}
CALLS = (("edit", A), ("edit", B), ("web_fetch", PAGE), ("web_fetch", {**PAGE, "max_length": 100}))
TEXT = "".join(
    f'<tool_call>{{"name": "{name}", "arguments": {json.dumps(value)}}}</tool_call>' for name, value in CALLS
)
FORMS: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "openai": (asks(*CALLS), asks(), {"format": "openai"}),
    "text": (TEXT, "Done.", {"format": "text"}),
    "own": ([*CALLS], [], {"dispatcher": Own, "provider": "mcp"}),
}


def tools() -> tuple[ToolRegistry, list[Any]]:
    ran: list[Any] = []

    async def edit(params: Any, context: ToolContext) -> str:
        ran.append((context.tool, json.loads(EDIT.encode(params))))
        return "edited"

    registry = ToolRegistry(check_results=False, policy=Policy(auto_approve=["web_fetch"]))
    registry.register(EDIT, edit)  # type: ignore[arg-type]
    registry.register(MEMORY_STORE, edit)  # type: ignore[arg-type]
    registry.register(msgspec.structs.replace(WEB_FETCH, external=True))
    return registry, ran


def paused(form: str = "openai") -> RunState:
    answer, _, options = FORMS[form]
    return asyncio.run(run_tools(Scripted(answer), tools()[0], USER, **options)).state


def sealed(state: Any) -> bytes:
    """The bytes of a state of any members, with the digest that belongs to them."""
    body = msgspec.msgpack.encode(state)
    return b"toolcast run 1\n" + sha256(body).digest() + body


def rewritten(state: RunState, change: Callable[[Any], object], keys: bool) -> bytes:
    plain = msgspec.msgpack.decode(msgspec.msgpack.encode(state._plain()))
    change(plain)
    if keys:
        for call in plain["pending"]["waiting"]:
            shown = msgspec.convert({**call}, WaitingCall)
            call["key"] = shown.expected_key(plain["rounds"])
    return sealed(plain)


def go_on(data: bytes, form: str = "openai", **options: Any) -> tuple[RunState, list[Any]]:
    """Approve all that a state shows; the state, and what ran."""
    registry, ran = tools()
    state = RunState.decode(data)
    decisions: Any = {call.key: "yes" for call in state.waiting if call.kind == "approval"}
    results = {call.key: "a page" for call in state.waiting if call.kind == "external"}
    given: dict[str, Any] = {"decisions": decisions, "results": results, **FORMS[form][2], **options}
    asyncio.run(resume(Scripted(FORMS[form][1]), registry, state, **given))
    return state, ran


def waiting(plain: Any, index: int = 0) -> Any:
    return plain["pending"]["waiting"][index]


def swap(*names: str, between: tuple[int, int] = (0, 1)) -> Callable[[Any], None]:
    def change(plain: Any) -> None:
        one, two = (waiting(plain, index) for index in between)
        for name in names:
            one[name], two[name] = two.get(name, 0), one.get(name, 0)

    return change


CHANGES: dict[str, Callable[[Any], object]] = {
    "arguments": lambda plain: waiting(plain)["arguments"].update(file_path="/c"),
    "a hidden argument": lambda plain: waiting(plain)["arguments"].update(replace_all=True),
    "no arguments": lambda plain: waiting(plain).update(arguments={}),
    "arguments of a result from outside": lambda plain: waiting(plain, 2)["arguments"].update(
        url="https://b/"
    ),
    "another tool": lambda plain: waiting(plain).update(name="memory_store"),
    "another id": lambda plain: waiting(plain).update(id="c9"),
    "swapped arguments": swap("arguments"),
    "swapped results from outside": swap("arguments", between=(2, 3)),
    "swapped places": swap("index"),
    "swapped kinds": swap("name", "arguments", "kind", "contract", between=(0, 2)),
    "a place of another call": lambda plain: waiting(plain, 1).update(index=0),
    "a place that is none": lambda plain: waiting(plain, 3).update(index=4),
    "a place before the first": lambda plain: waiting(plain).update(index=-1),
    "a call twice": lambda plain: plain["pending"]["waiting"].append(dict(waiting(plain))),
    "another order": lambda plain: plain["pending"]["waiting"].reverse(),
    "too many results": lambda plain: plain["pending"]["results"].append(None),
    "too few results": lambda plain: plain["pending"]["results"].pop(),
    "no results": lambda plain: plain["pending"].update(results=[]),
    "a result for a call that waits": lambda plain: plain["pending"]["results"].__setitem__(
        0, {"success": True, "output": "x"}
    ),
    "begun twice": lambda plain: plain["pending"].update(begun=[0, 0]),
    "a begun call that is none": lambda plain: plain["pending"].update(begun=[7]),
    "an unknown member": lambda plain: plain.update(approved=True),
    "an unknown member of the answer": lambda plain: plain["pending"].update(approved=[0]),
    "an unknown member of a call": lambda plain: waiting(plain).update(approved=True),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_rewritten_state_is_refused(name: str) -> None:
    for form, keys in product(FORMS, (False, True)):
        try:
            data = rewritten(paused(form), CHANGES[name], keys)
        except (msgspec.ValidationError, OverflowError):
            continue  # such a call has no key
        if form == "own" and name in ("another id", "another tool"):  # its calls have none: nothing runs
            continue
        with pytest.raises(StateError):
            go_on(data, form)


@pytest.mark.parametrize("form", FORMS)
def test_a_state_that_nobody_changed_goes_on(form: str) -> None:
    state = paused(form)
    assert rewritten(state, dict, True) == state.encode()
    shown, ran = go_on(state.encode(), form)
    assert [call.arguments for call in shown.waiting[:2]] == [arguments for _, arguments in ran]


@given(st.data())
def test_what_runs_is_what_was_shown(data: st.DataObject) -> None:
    """Whatever is written into the calls that wait, with keys that fit."""
    values = st.sampled_from(["/a", "/b", "/c", "x", "y", "edit", "c0", "c1", "", 0, 1, 2, True, None])

    def change(plain: Any) -> None:
        for _ in range(data.draw(st.integers(1, 3))):
            call = waiting(plain, data.draw(st.integers(0, 3)))
            members = [part for part in (call, call["arguments"]) if isinstance(part, dict) and part]
            where = data.draw(st.sampled_from(members))
            key = data.draw(st.sampled_from([*map(str, where)]))
            where[key] = data.draw(values)

    try:
        shown, ran = go_on(rewritten(paused(), change, True))
    except (StateError, msgspec.ValidationError):
        return
    assert [
        (call.name, call.arguments) for call in shown.waiting if (call.name, call.arguments) in ran
    ] == ran


def test_a_decision_for_a_state_is_none_for_the_rewritten_one() -> None:
    state = paused()
    seen = {call.key: "yes" for call in state.waiting[:1]}

    def change(plain: Any) -> None:
        waiting(plain)["arguments"]["file_path"] = "/c"
        answer = plain["pending"]["response"]["choices"][0]["message"]["tool_calls"][0]["function"]
        answer["arguments"] = json.dumps({**A, "file_path": "/c"})

    with pytest.raises(ValueError, match="no call waits under the key"):
        go_on(rewritten(state, change, True), decisions=seen, results={})
    with pytest.raises(StateError, match="is not that of the call"):
        go_on(rewritten(state, change, False), decisions=seen, results={})


VERSIONS = [
    "01",
    "+1",
    "-1",
    "1.0",
    " 1",
    "1 ",
    "1\r",
    "1\0",
    "1_0",
    "0x1",
    "1e0",
    "true",
    "",
    "١",
    "¹",
    "1" * 40,
]


@pytest.mark.parametrize("version", VERSIONS)
def test_only_the_version_as_it_is_written_is_one(version: str) -> None:
    data = paused().encode().replace(b"toolcast run 1\n", f"toolcast run {version}\n".encode())
    with pytest.raises(StateError, match="lack the mark"):
        RunState.decode(data)


@pytest.mark.parametrize("value", [1.0, True, "1", b"1", -1])
@pytest.mark.parametrize("member", ["rounds", "begun"])
def test_numbers_are_integers(member: str, value: Any) -> None:
    """`rounds` is part of each key, and places are those of the answer."""

    def change(plain: Any) -> None:
        if member == "rounds":
            plain["rounds"] = value
        else:
            plain["pending"]["begun"] = [value]

    with pytest.raises(StateError):
        RunState.decode(rewritten(paused(), change, False))


def test_one_of_two_that_claim_a_state_goes_on() -> None:
    state, taken = paused(), set[bytes]()

    def claim(state: RunState) -> bool:
        data = state.encode()
        return data not in taken and not taken.add(data)

    async def later(state: RunState) -> bool:
        await asyncio.sleep(0)
        return claim(state)

    assert len(go_on(state.encode(), claim=claim)[1]) == 2
    for each in (claim, later):
        with pytest.raises(ClaimedError):
            go_on(state.encode(), claim=each)
    with pytest.raises(TypeError, match="True or False, not NoneType"):
        go_on(state.encode(), claim=print)


def test_what_is_refused_is_not_claimed() -> None:
    state, claimed = paused(), list[RunState]()

    def claim(state: RunState) -> bool:
        claimed.append(state)
        return True

    with pytest.raises(ValueError, match="no call waits"):
        go_on(state.encode(), claim=claim, decisions={"x": "yes"})
    with pytest.raises(StateError):
        go_on(rewritten(state, CHANGES["arguments"], True), claim=claim)
    with pytest.raises(StateError):
        go_on(state.encode(), claim=claim, format="anthropic")
    assert claimed == []
