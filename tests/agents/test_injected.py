"""Parameters that the program fills in, in runs: records and states hold what models sent."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from toolcast.agents import Disclosure, Record, RunState, resume, run_tools
from toolcast.runtime import ToolBinding, ToolContext, ToolRegistry
from toolcast.runtime.middleware.policy import Policy

from tests.injected import CALL, USER, compiled, registered

from .test_loop import USER as ASKED
from .test_loop import Scripted, asks

pytestmark = pytest.mark.untyped_results
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


def test_an_approved_call_is_filled_in_anew(inbox: Any) -> None:
    registry, seen = registered(inbox, policy=Policy(asks=("read",)))
    record = start(registry, sent())
    [call] = record.waiting
    assert call.arguments == {"folder": "in", "user_id": 7, "region": "eu"}  # what a person approves
    assert record.state is not None
    assert "user_id" not in json.dumps(msgspec.to_builtins(record.messages))
    state = RunState.decode(record.state.encode())
    again = {"decisions": {call.key: "yes"}, "format": "openai"}
    context = ToolContext(extra={"user": {"id": 8}, "region": "us"})
    asyncio.run(resume(Scripted(asks()), registry, state, context=context, **again))  # type: ignore[arg-type]
    assert [(each.user_id, each.region) for each in seen.params] == [(8, "us")]


def test_an_approval_is_void_where_another_value_is_filled_in(inbox: Any) -> None:
    registry, _ = registered(inbox, policy=Policy(asks=("read",)))
    record = start(registry, sent())
    assert record.state is not None
    [call] = record.waiting
    moved = msgspec.structs.replace(inbox, inject={**inbox.inject, "user_id": "context.owner.id"})
    other, seen = registered(moved, policy=Policy(asks=("read",)))
    model = Scripted(asks())
    decided: Any = {"decisions": {call.key: "yes"}, "format": "openai"}
    asyncio.run(resume(model, other, record.state, context=CONTEXT, **decided))
    assert seen.params == []


def test_a_tool_shown_in_part_is_completed_without_it(inbox: Any) -> None:
    registry, _ = registered(inbox)
    shown = Disclosure(registry, "openai", level="brief", native=False)
    result = asyncio.run(shown.execute("inbox", {"folder": 5}, context=CONTEXT))
    assert "The full definition of 'inbox'" in result.error
    assert "user_id" not in result.error
    assert "zebra" not in result.error


def test_an_external_tool_gets_the_value(inbox: Any) -> None:
    external = msgspec.structs.replace(inbox, external=True)
    registry = ToolRegistry()
    registry.register(external)
    record = start(registry, sent())
    [call] = record.waiting
    assert (call.kind, call.arguments["user_id"]) == ("external", 7)
