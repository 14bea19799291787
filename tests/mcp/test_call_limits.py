"""Calls at once: who waits, who is refused, and that nobody is forgotten."""

import asyncio
from collections.abc import Awaitable
from typing import Any

import pytest
from toolcast.mcp import BearerAuth, CallLimits, HttpOptions, Principal, mcp_server
from toolcast.runtime import ToolRegistry

from generated.shell.bash import BASH
from tests.mcp.conftest import MODERN, MODES, Sdk
from tests.mcp.over_http import MODERN_META, Held, calling, opened, result_of, serving

pytestmark = pytest.mark.usefixtures("installed")


def run(session: Awaitable[Any]) -> Any:
    return asyncio.run(asyncio.wait_for(session, 60))


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
            await settled(held, 2)
            done, waiting = await asyncio.wait(calls, timeout=1.0, return_when=asyncio.ALL_COMPLETED)
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


@pytest.mark.parametrize("limits", [{"running": 0}, {"per_client": 0}, {"waiting": -1}])
def test_limits_that_cannot_be_meant(limits: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="1 or more"):
        CallLimits(**limits)
