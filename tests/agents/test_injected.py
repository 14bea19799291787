"""Parameters that the program fills in, in runs: records and states hold what models sent."""

import asyncio
import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from toolcast.agents import Disclosure, Record, RunState, StateError, resume, run_tools
from toolcast.runtime import CallDeferred, ToolBinding, ToolContext, ToolRegistry
from toolcast.runtime.middleware.policy import Policy

from tests.injected import CALL, USER, compiled, registered
from tests.runtime.sample.files.edit import EDIT

from .test_loop import USER as ASKED
from .test_loop import Scripted, asks

CONTEXT = ToolContext(extra=USER)


@pytest.fixture(scope="module")
def inbox() -> Iterator[ToolBinding[Any, Any]]:
    with compiled() as binding:
        yield binding


def sent(name: str = "inbox") -> Any:
    return asks((name, {**CALL, "limit": None, "tags": None}))


def start(tools: Any, *answers: Any, **options: Any) -> Record:
    options = {"context": CONTEXT, **options}
    return asyncio.run(run_tools(Scripted(*answers), tools, ASKED, format="openai", **options))


def test_a_run_fills_in_and_records_what_the_model_sent(inbox: Any) -> None:
    registry, seen = registered(inbox)
    model = Scripted(sent(), asks())
    record = asyncio.run(run_tools(model, registry, ASKED, format="openai", context=CONTEXT))
    assert [each.user_id for each in seen.params] == [7]
    assert "user_id" not in json.dumps([msgspec.to_builtins(each.arguments) for each in record.calls])
    assert "user_id" not in json.dumps(msgspec.to_builtins(record.messages))


def stored(record: Record) -> RunState:
    assert record.state is not None
    return RunState.decode(record.state.encode())


def decided(tools: Any, state: RunState, context: ToolContext, verdict: Any = "yes") -> Record:
    """The run, after somebody decided of each call that waits."""
    decisions = {call.key: verdict for call in state.waiting}
    again: Any = {"decisions": decisions, "format": "openai", "context": context}
    return asyncio.run(resume(Scripted(asks()), tools, state, **again))


def test_an_approved_call_is_filled_in_with_the_values_that_it_was_approved_for(inbox: Any) -> None:
    registry, seen = registered(inbox, policy=Policy(asks=("read",)))
    state = stored(start(registry, sent()))
    [call] = state.waiting
    assert call.arguments == {"folder": "in"}
    assert "user_id" not in json.dumps(msgspec.to_builtins(state.messages))
    equal = ToolContext(extra={"region": "eu", "user": SimpleNamespace(id=7), "other": 1})
    assert decided(registry, state, equal).stopped == "answer"
    assert [(each.user_id, each.region) for each in seen.params] == [(7, "eu")]


OTHERS = [{"user": {"id": 8}, "region": "eu"}, {"user": {"id": 7}, "region": "us"}]


@pytest.mark.parametrize("verdict", ["yes", "always"])
@pytest.mark.parametrize("extra", OTHERS)
def test_an_approval_for_one_user_is_none_for_another(
    inbox: Any, extra: Any, verdict: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Another user's call is asked for anew, and what was decided for the first one does not count."""
    policy = Policy(asks=("read",))
    registry, seen = registered(inbox, policy=policy)
    state = stored(start(registry, sent()))
    [asked] = state.waiting
    record = decided(registry, state, ToolContext(extra=extra), verdict)
    assert (record.stopped, seen.params, policy.remembered) == ("paused", [], ())
    [again] = record.waiting
    assert again.key != asked.key
    assert "The approval of a call of 'inbox' is void" in caplog.text
    with pytest.raises(ValueError, match="no call waits under the key"):
        asyncio.run(
            resume(Scripted(asks()), registry, stored(record), decisions={asked.key: "yes"}, format="openai")
        )
    assert decided(registry, stored(record), ToolContext(extra=extra), verdict).stopped == "answer"
    assert [(each.user_id, each.region) for each in seen.params] == [(extra["user"]["id"], extra["region"])]
    assert len(policy.remembered) == (verdict == "always")
    assert start(registry, sent()).stopped == "paused"


def test_calls_side_by_side_are_each_held_to_their_own_values(inbox: Any) -> None:
    """What changes between two calls of one answer voids the approval of the one that it concerns."""
    registry, seen = registered(inbox, policy=Policy(asks=("read", "write")))
    edited: list[Any] = []

    async def edit(params: Any, _: ToolContext) -> str:
        edited.append(params)
        return "done"

    registry.register(EDIT, edit)
    change = {"file_path": "/a", "old_string": "x", "new_string": "y"}
    asked = asks(("inbox", {**CALL, "limit": None, "tags": None}), ("edit", change))
    state = stored(start(registry, asked))
    assert [bool(call.injected) for call in state.waiting] == [True, False]
    record = decided(registry, state, ToolContext(extra={"user": {"id": 8}, "region": "eu"}))
    assert [call.name for call in record.waiting] == ["inbox"]
    assert (len(edited), seen.params) == (1, [])


def test_an_approval_that_a_handler_asked_for_holds_for_its_values(inbox: Any) -> None:
    approved: list[tuple[bool, int]] = []

    async def careful(params: Any, context: ToolContext) -> str:
        if not context.approved:
            raise CallDeferred("Sure?", kind="approval")
        approved.append((context.approved, params.user_id))
        return "done"

    registry = ToolRegistry()
    registry.register(inbox, careful)
    state = stored(start(registry, sent()))
    other = ToolContext(extra={"user": {"id": 8}, "region": "eu"})
    assert decided(registry, state, other).stopped == "paused"
    assert approved == []
    assert decided(registry, state, CONTEXT).stopped == "answer"
    assert approved == [(True, 7)]


def test_a_state_without_the_digest_approves_nothing(inbox: Any) -> None:
    registry, seen = registered(inbox, policy=Policy(asks=("read",)))
    state = stored(start(registry, sent()))
    assert state.pending is not None
    [call] = state.waiting
    without = msgspec.structs.replace(call, injected="")
    keyed = msgspec.structs.replace(without, key=without.expected_key(state.rounds))
    bare = [
        msgspec.structs.replace(state, pending=msgspec.structs.replace(state.pending, waiting=(each,)))
        for each in (without, keyed)
    ]
    with pytest.raises(StateError):
        decided(registry, bare[0], CONTEXT)
    record = decided(registry, bare[1], CONTEXT)
    assert (record.stopped, seen.params) == ("paused", [])


def test_a_state_holds_no_value_that_the_program_fills_in(inbox: Any) -> None:
    token = 8_765_432_109_876
    registry, _ = registered(inbox, policy=Policy(asks=("read",)))
    record = start(registry, sent(), context=ToolContext(extra={"user": {"id": token}, "region": "eu"}))
    assert record.state is not None
    shown = json.dumps(msgspec.to_builtins(record.state))
    assert str(token) not in shown
    assert record.waiting[0].text == (
        'inbox with folder = "in", region = (filled in by the program), user_id = (filled in by the program)'
    )


def test_an_approval_is_void_where_another_value_is_filled_in(inbox: Any) -> None:
    registry, _ = registered(inbox, policy=Policy(asks=("read",)))
    record = start(registry, sent())
    assert record.state is not None
    moved = msgspec.structs.replace(inbox, inject={**inbox.inject, "user_id": "context.owner.id"})
    other, seen = registered(moved, policy=Policy(asks=("read",)))
    assert decided(other, record.state, CONTEXT).stopped == "answer"
    assert seen.params == []


def test_a_tool_shown_in_part_is_completed_without_it(inbox: Any) -> None:
    registry, _ = registered(inbox)
    shown = Disclosure(registry, "openai", level="brief", native=False)
    result = asyncio.run(shown.execute("inbox", {"folder": 5}, context=CONTEXT))
    assert "The full schema of 'inbox'" in result.error
    assert "user_id" not in result.error
    assert "zebra" not in result.error


def test_an_external_call_is_completed_by_who_carries_it_out(inbox: Any) -> None:
    external = msgspec.structs.replace(inbox, external=True)
    registry = ToolRegistry()
    registry.register(external)
    record = start(registry, sent())
    [call] = record.waiting
    assert (call.kind, call.arguments) == ("external", {"folder": "in"})
    assert inbox.decode(call.arguments, injected={"user_id": 7}).user_id == 7
