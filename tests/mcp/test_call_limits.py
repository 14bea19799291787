"""Calls at once: who waits, who is refused, and that nobody is forgotten."""

import asyncio
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.mcp import BearerAuth, CallLimits, HttpOptions, Principal, mcp_server
from toolcast.mcp.serving.clients import CallTurns
from toolcast.runtime import ToolContext, ToolRegistry, ToolResult

from generated.shell.bash import BASH, BashParams
from tests.mcp.conftest import MODERN, MODES, Sdk
from tests.mcp.over_http import MODERN_META, Held, calling, opened, result_of, run, serving

pytestmark = pytest.mark.usefixtures("installed")


async def settled(held: Held, running: int) -> None:
    """Wait until so many calls run, and no more begin."""
    while held.running < running:
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.1)
    assert held.running == running


@pytest.mark.parametrize("mode", MODES)
def test_calls_wait_for_their_turn(mode: str, sdk: Sdk) -> None:
    """In process, by the official client."""

    async def use() -> Any:
        held = Held()
        registry = ToolRegistry()
        registry.register(BASH, held)
        server = mcp_server(registry, calls=CallLimits(running=3))
        async with sdk("mcp").Client(server, mode=mode) as client:
            calls = [client.call_tool("bash", {"command": str(number)}) for number in range(10)]
            answers = asyncio.gather(*calls)
            await settled(held, 3)
            held.go.set()
            texts = [answer.content[0].text for answer in await answers]
            return held.most, texts

    most, texts = run(use())
    assert most == 3
    assert texts == [f"{number} is done" for number in range(10)]


def test_a_server_serves_one_event_loop_after_another(sdk: Sdk) -> None:
    registry = ToolRegistry()
    held = Held()
    registry.register(BASH, held)
    server = mcp_server(registry, calls=CallLimits(running=1))

    async def use() -> None:
        held.go = asyncio.Event()
        async with sdk("mcp").Client(server) as client:
            calls = [client.call_tool("bash", {"command": "x"}) for _ in range(3)]
            answers = asyncio.gather(*calls)
            await settled(held, 1)
            held.go.set()
            await answers

    for _ in range(2):
        run(use())


def test_one_client_does_not_take_the_turns_of_others(sdk: Sdk) -> None:
    async def use() -> Any:
        limits = CallLimits(running=4, per_client=2)
        async with serving(sdk, calls=limits) as (client, held):
            greedy, modest = await opened(client), await opened(client)
            calls = [
                asyncio.create_task(client.post("/mcp", json=calling("hold", number), headers=greedy))
                for number in range(8)
            ]
            await settled(held, 2)
            answer = await client.post("/mcp", json=calling("free"), headers=modest)
            held.go.set()
            return answer.text, [(await call).text for call in calls], held.most

    text, texts, most = run(use())
    assert "done at once" in text
    assert all("hold is done" in each for each in texts)
    assert most == 2


def test_sessions_of_one_principal_are_one_client(sdk: Sdk) -> None:
    async def verify(token: str) -> Principal | None:
        return Principal(id=token)

    async def use() -> int:
        options = HttpOptions(auth=BearerAuth(verify=verify))
        async with serving(sdk, options, calls=CallLimits(per_client=2)) as (client, held):
            sessions = [await opened(client, authorization="Bearer ada") for _ in range(3)]
            calls = [
                asyncio.create_task(client.post("/mcp", json=calling("hold"), headers=headers))
                for headers in sessions
            ]
            await settled(held, 2)
            held.go.set()
            await asyncio.gather(*calls)
            return held.most

    assert run(use()) == 2


@pytest.mark.parametrize("era", ["legacy", MODERN])
def test_too_many_waiting_calls_are_refused_in_words(era: str, sdk: Sdk) -> None:
    """A refused call is a failed result, and never ran; the others do."""

    async def use() -> Any:
        limits = CallLimits(running=2, per_client=2, waiting=3, waiting_per_client=3)
        async with serving(sdk, calls=limits) as (client, held):
            if era == "legacy":
                headers = await opened(client)
            else:
                headers = {
                    "mcp-protocol-version": MODERN,
                    "mcp-method": "tools/call",
                    "mcp-name": "bash",
                }
            requests = [calling("hold", number) for number in range(9)]
            for request in requests:
                request["params"]["_meta"] = MODERN_META
            calls = [
                asyncio.create_task(client.post("/mcp", json=request, headers=headers))
                for request in requests
            ]
            done, waiting = set(), set(calls)
            while len(done) < 4:
                more, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                done |= more
            await settled(held, 2)
            held.go.set()
            await asyncio.wait(waiting)
            return [result_of(each.result().text) for each in done], len(waiting), len(held.contexts)

    refused, waited, ran = run(use())
    assert (len(refused), waited, ran) == (4, 5, 5)
    for answer in refused:
        assert answer["result"]["isError"]
        assert "runs 2 calls at once" in answer["result"]["content"][0]["text"]


def test_a_cancelled_call_gives_its_turn_back(sdk: Sdk) -> None:
    async def use() -> Any:
        held = Held()
        registry = ToolRegistry()
        registry.register(BASH, held)
        async with sdk("mcp").Client(mcp_server(registry, calls=CallLimits(running=1))) as client:
            running = asyncio.create_task(client.call_tool("bash", {"command": "a"}))
            await settled(held, 1)
            waiting = asyncio.create_task(client.call_tool("bash", {"command": "b"}))
            last = asyncio.create_task(client.call_tool("bash", {"command": "free"}))
            await asyncio.sleep(0.05)
            for task in (waiting, running):
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
            return (await last).content[0].text

    assert run(use()) == "done at once"


@pytest.mark.parametrize("mode", MODES)
def test_a_call_that_asks_its_user_lets_others_run(mode: str, sdk: Sdk) -> None:
    """One turn: the call that asks has it before and after, another one meanwhile. It never has two."""
    types = sdk("mcp.types")
    order: list[str] = []

    class Name(msgspec.Struct):
        name: str

    async def use() -> None:
        answered = asyncio.Event()

        async def handler(params: BashParams, context: ToolContext) -> ToolResult:
            if params.command == "ask":
                order.append("asks")
                answer = await context.ask("Who?", Name)
                order.append(f"heard {answer.data.name if answer.data else None}")
            else:
                order.append("other")
                answered.set()
                await asyncio.sleep(0.05)
                order.append("other is done")
            return ToolResult.failed("done")

        async def answer(_context: Any, _params: Any) -> Any:
            await answered.wait()
            return types.ElicitResult(action="accept", content={"name": "Ada"})

        registry = ToolRegistry()
        registry.register(BASH, handler)
        server = mcp_server(registry, calls=CallLimits(running=1))
        async with sdk("mcp").Client(server, mode=mode, elicitation_callback=answer) as client:
            asking = asyncio.create_task(client.call_tool("bash", {"command": "ask"}))
            while not order:
                await asyncio.sleep(0.01)
            await client.call_tool("bash", {"command": "other"})
            await asking
            order.append("both are done")

    run(use())
    assert order == ["asks", "other", "other is done", "heard Ada", "both are done"]


@given(st.data())
def test_turns_are_neither_lost_nor_doubled(data: st.DataObject) -> None:
    """Calls that wait, pause and are cancelled at any moment; then all turns are free."""
    limits = CallLimits(running=2, per_client=1, waiting=100, waiting_per_client=100)
    plans = data.draw(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 3)), min_size=1, max_size=8))
    cancelled = data.draw(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 12)), max_size=6))

    class Request:
        def __init__(self, client: str) -> None:
            self.scope: dict[str, Any] = {}
            self.headers = {"mcp-session-id": client}

    async def use() -> None:
        turns = CallTurns(limits)
        running = {"a": 0, "b": 0}

        async def call(client: str, pauses: int) -> None:
            async with turns.turn(Request(client)) as turn:
                for pause in range(pauses + 1):
                    running[client] += 1
                    assert running[client] <= 1
                    try:
                        await asyncio.sleep(0)
                    finally:
                        running[client] -= 1
                    if pause < pauses:
                        async with turn.paused():
                            await asyncio.sleep(0)

        tasks = [asyncio.create_task(call(*plan)) for plan in plans]
        for step in range(13):
            for number, when in cancelled:
                if when == step and number < len(tasks):
                    tasks[number].cancel()
            await asyncio.sleep(0)
        done = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 60)
        assert all(each is None or isinstance(each, asyncio.CancelledError) for each in done), done
        for every, clients in turns._loops.values():  # none where all were cancelled before they began
            assert (every.present, every.free._value, clients) == (0, 2, {})

    asyncio.run(use())


@pytest.mark.parametrize("limits", [{"running": 0}, {"per_client": 0}, {"waiting": -1}])
def test_limits_that_cannot_be_meant(limits: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="1 or more"):
        CallLimits(**limits)
