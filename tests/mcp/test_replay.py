"""What a client missed while its connection was broken: its own session's messages, within bounds."""

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.mcp import HttpOptions, Replay
from toolcast.mcp.serving.sessions import KEY, EventLog

from tests.mcp.conftest import Sdk
from tests.mcp.over_http import calling, events, opened, result_of, run, serving

pytestmark = pytest.mark.usefixtures("installed")


async def broken_call(client: Any, session: dict[str, str]) -> str:
    """Begin a call, and break the connection; returns the id of the event that came first."""
    async with client.stream("POST", "/mcp", json=calling("hold", "same"), headers=session) as response:
        async for event in events(response):
            assert event == {"id": event["id"], "retry": "1000", "data": ""}
            return event["id"]
    raise AssertionError("no event came")


def test_a_stream_begins_with_where_to_go_on(sdk: Sdk) -> None:
    async def use() -> str:
        async with serving(sdk) as (client, _):
            session = await opened(client)
            return (await client.post("/mcp", json=calling("free"), headers=session)).text

    first, second, *_ = run(use()).replace("\r\n", "\n").split("\n\n")
    assert sorted(line.partition(":")[0] for line in first.split("\n")) == ["data", "id", "retry"]
    assert "done at once" in second


def test_older_clients_get_no_event_that_they_cannot_read(sdk: Sdk) -> None:
    async def use() -> str:
        async with serving(sdk) as (client, _):
            session = await opened(client, "2025-06-18")
            return (await client.post("/mcp", json=calling("free"), headers=session)).text

    assert "retry:" not in run(use())


def test_the_revision_is_the_one_that_the_session_agreed_on(sdk: Sdk) -> None:
    async def use() -> list[str]:
        async with serving(sdk) as (client, _):
            session = await opened(client)
            del session["mcp-protocol-version"]
            older = {**session, "mcp-protocol-version": "2025-03-26"}
            return [
                (await client.post("/mcp", json=calling("free"), headers=headers)).text
                for headers in (session, older)
            ]

    assert all("retry: 1000" in text for text in run(use()))


@pytest.mark.parametrize("when", ["before", "after"])
def test_the_result_of_a_call_arrives_later(when: str, sdk: Sdk) -> None:
    """The call ends before the client comes back, or after."""

    async def use() -> Any:
        async with serving(sdk) as (client, held):
            session = await opened(client)
            id = await broken_call(client, session)
            while not held.running:
                await asyncio.sleep(0.01)
            if when == "before":
                held.go.set()
                while held.running:
                    await asyncio.sleep(0.01)
            resumed = client.stream("GET", "/mcp", headers={**session, "last-event-id": id})
            async with resumed as response:
                if when == "after":
                    asyncio.get_running_loop().call_later(0.1, held.go.set)
                # The stream ends by itself, with the result.
                return [json.loads(event["data"]) async for event in events(response)]

    (answer,) = run(use())
    assert answer["id"] == "same"
    assert answer["result"]["content"][0]["text"] == "hold is done"


def test_who_waits_for_a_result_is_released_when_the_session_ends(sdk: Sdk) -> None:
    async def use() -> str:
        async with serving(sdk) as (client, _):
            session = await opened(client)
            id = await broken_call(client, session)
            waiting = asyncio.create_task(client.get("/mcp", headers={**session, "last-event-id": id}))
            await asyncio.sleep(0.1)
            assert (await client.delete("/mcp", headers=session)).status_code == 200
            return (await waiting).text

    assert "done" not in run(use())


def test_another_session_gets_nothing_of_it(sdk: Sdk) -> None:
    """Two clients number their requests alike; an id that leaked replays nothing."""

    async def use() -> tuple[str, str]:
        async with serving(sdk) as (client, held):
            session, other = await opened(client), await opened(client)
            id = await broken_call(client, session)
            await broken_call(client, other)
            held.go.set()
            while held.running:
                await asyncio.sleep(0.01)
            texts = []
            for headers in (other, session):
                got = await client.get("/mcp", headers={**headers, "last-event-id": id})
                texts.append(got.text)
            return texts[0], texts[1]

    stolen, own = run(use())
    assert "done" not in stolen
    assert result_of(own)["result"]["isError"]


def test_an_id_that_never_was_replays_nothing(sdk: Sdk) -> None:
    async def use() -> list[Any]:
        async with serving(sdk) as (client, _):
            session = await opened(client)
            own = (await client.post("/mcp", json=calling("free"), headers=session)).text
            first = next(line[4:] for line in own.splitlines() if line.startswith("id: "))
            ids = ["0", "x", "-", "1-zz", "\xff" * 20, "a" * 4000, first[:-1] + "ff", first.upper() + "0"]
            answers = []
            for id in ids:
                headers = {**session, "last-event-id": id.encode("latin-1")}
                answers.append(await client.get("/mcp", headers=headers))
            return answers

    for answer in run(use()):
        assert answer.status_code == 200
        assert "data: {" not in answer.text


def test_a_long_call_ends_its_stream_and_the_official_client_comes_back(sdk: Sdk) -> None:
    """`stream_seconds`: the client waits as long as it is told, connects again, and has the result."""

    async def use() -> Any:
        replay = Replay(retry=50, stream_seconds=0.1)
        async with serving(sdk, HttpOptions(replay=replay)) as (client, held):
            url = f"{client.base_url}/mcp"
            async with sdk("mcp").Client(url, mode="legacy") as official:
                asyncio.get_running_loop().call_later(0.5, held.go.set)
                return await official.call_tool("bash", {"command": "hold"})

    result = run(use())
    assert result.content[0].text == "hold is done"


@pytest.mark.parametrize(
    "options", [HttpOptions(replay=Replay(session_events=0)), HttpOptions(stateless=True)]
)
def test_nothing_is_kept_where_nothing_is_to_be_replayed(options: HttpOptions, sdk: Sdk) -> None:
    async def use() -> tuple[str, int]:
        async with serving(sdk, options) as (client, _):
            session = {} if options.stateless else await opened(client)
            text = (await client.post("/mcp", json=calling("free"), headers=session)).text
            # An ordinary stream without end, as if there were no such header.
            async with client.stream("GET", "/mcp", headers={**session, "last-event-id": "1"}) as response:
                return text, response.status_code

    text, status = run(use())
    assert "done at once" in text
    assert "retry:" not in text
    assert status == 200


def test_a_result_that_is_larger_than_what_is_kept_is_told(sdk: Sdk) -> None:
    async def use() -> Any:
        async with serving(sdk, HttpOptions(replay=Replay(session_bytes=200))) as (client, held):
            session = await opened(client)
            held.go.set()
            answer = await client.post("/mcp", json=calling("x" * 500, 7), headers=session)
            first = next(line[4:] for line in answer.text.splitlines() if line.startswith("id: "))
            again = await client.get("/mcp", headers={**session, "last-event-id": first})
            return result_of(answer.text), result_of(again.text)

    answer, again = run(use())
    assert len(answer["result"]["content"][0]["text"]) > 500
    assert again["id"] == 7
    assert "are more than 200" in again["error"]["message"]


@pytest.mark.parametrize("bounds", [Replay(session_events=1), Replay(total_bytes=30)])
def test_who_waits_for_a_result_that_is_not_kept_is_told(bounds: Replay, sdk: Sdk) -> None:
    """Another message takes its place before it was sent, or all sessions together leave none for it."""
    types = sdk("mcp.types")

    async def use() -> list[Any]:
        store = EventLog(bounds)
        KEY.set(store.open())
        first = await store.store_event("7", None)
        sent: list[Any] = []

        async def send(event: Any) -> None:
            sent.append(event.message)

        waiting = asyncio.create_task(store.replay_events_after(first, send))
        await asyncio.sleep(0)
        result = types.JSONRPCResponse(jsonrpc="2.0", id=7, result={"content": "x" * 50})
        await store.store_event("7", result)
        await store.store_event("8", types.JSONRPCNotification(jsonrpc="2.0", method="m"))
        assert await waiting is None
        return sent

    (told,) = run(use())
    assert (told.id, told.error.code) == (7, -32603)
    assert "did not keep it" in told.error.message


def test_logs_go_with_their_sessions(sdk: Sdk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of sessions that were deleted at once; of others when they have ended and one more begins."""
    stores: list[EventLog] = []
    made = EventLog.__init__

    def noting(self: EventLog, bounds: Replay) -> None:
        made(self, bounds)
        stores.append(self)

    monkeypatch.setattr(EventLog, "__init__", noting)

    async def use() -> list[int]:
        async with serving(sdk, HttpOptions(session_idle=1.5)) as (client, _):
            (store,) = stores
            first = await opened(client)
            counts = [len(store.logs)]
            await client.post("/mcp", json=calling("free"), headers=first)
            assert (await client.delete("/mcp", headers=first)).status_code == 200
            counts.append(len(store.logs))
            assert (await client.post("/mcp", json=calling("free"))).status_code == 400  # no session begins
            assert (await client.post("/mcp", json=calling("free"), headers=first)).status_code == 404
            counts.append(len(store.logs))
            left = await opened(client)
            await opened(client)
            await asyncio.sleep(2)
            for _ in range(3):  # who asks for a session that has ended does not keep it
                assert (await client.post("/mcp", json=calling("free"), headers=left)).status_code == 404
            await opened(client)
            counts.append(len(store.logs))
            return counts

    assert run(use()) == [1, 0, 0, 1]


@given(
    st.lists(st.tuples(st.integers(0, 2), st.sampled_from("ab"), st.integers(0, 400)), max_size=60),
    st.integers(1, 5),
    st.integers(0, 900),
    st.integers(0, 1500),
)
def test_what_is_kept_stays_within_the_bounds(
    stored: list[tuple[int, str, int]], most: int, bytes_of_one: int, total: int
) -> None:
    """Against a model: each session has its last messages, in order, and of its own streams alone."""
    from mcp.types import JSONRPCNotification

    store = EventLog(Replay(session_events=most, session_bytes=bytes_of_one, total_bytes=total))
    keys = [store.open() for _ in range(3)]
    logs = list(store.logs.values())
    sent: list[list[tuple[str, str, str]]] = [[], [], []]

    async def use() -> None:
        for number, (session, stream, size) in enumerate(stored):
            KEY.set(keys[session])
            method = f"{number}-{'x' * size}"
            id = await store.store_event(stream, JSONRPCNotification(jsonrpc="2.0", method=method))
            sent[session].append((id, stream, method))
            kept = [log._events for log in logs]
            assert all(len(each) <= most for each in kept)
            sizes = [sum(event.size for event in each.values()) for each in kept]
            assert max(sizes) <= bytes_of_one
            assert sum(sizes) <= total
            assert store._room.left == total - sum(sizes)
        ids = [id for each in sent for id, _, _ in each]
        assert len(set(ids)) == len(ids)
        for log, each in zip(logs, sent, strict=True):
            kept_ids = [id for id, _, _ in each if log.stream_of(id) is not None]
            assert kept_ids == list(log._events)
            for position, (id, stream, _) in enumerate(each):
                if log.stream_of(id) is None:
                    continue
                expected = [(i, m) for i, s, m in each[position + 1 :] if s == stream and log.stream_of(i)]
                assert [(i, m.method) for i, m in log.following(id, stream)] == expected

        for key in keys:
            store.close(key)
        assert store._room.left == total

    asyncio.run(use())
