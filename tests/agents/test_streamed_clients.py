"""Streamed runs with the official clients, and a server of our own on loopback."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from toolcast.agents import Record, RunState, in_thread, resume, run_tools
from toolcast.agents.dispatch import ArgumentsPiece, TextPiece
from toolcast.agents.events import LoopEvent
from toolcast.runtime.middleware.policy import Policy

from tests.agents.dispatch.answers import TEXT
from tests.agents.dispatch.test_clients import CLIENTS, on_the_wire, serving
from tests.agents.test_streamed_runs import Tools, asked, events_of
from tests.clients.conftest import Client, client
from tests.sampled import sampled

__all__ = ["client"]

Ask = Callable[[list[Any]], Any]
"""Sends a history, and returns what the model of a run may return."""


@asynccontextmanager
async def openai(load: Client, url: str) -> AsyncGenerator[dict[str, Ask]]:
    async with load("openai").AsyncOpenAI(base_url=url, api_key="k", max_retries=0) as made:
        chat = made.chat.completions
        yield {
            "openai": lambda history: chat.create(model="m", messages=history, stream=True),
            "openai manager": lambda history: chat.stream(model="m", messages=history),
            "openai-responses": lambda history: made.responses.create(model="m", input=history, stream=True),
        }


@asynccontextmanager
async def anthropic(load: Client, url: str) -> AsyncGenerator[dict[str, Ask]]:
    async with load("anthropic").AsyncAnthropic(base_url=url, api_key="k", max_retries=0) as made:
        yield {
            "anthropic": lambda history: made.messages.create(
                model="m", max_tokens=9, messages=history, stream=True
            ),
            "anthropic manager": lambda history: made.messages.stream(
                model="m", max_tokens=9, messages=history
            ),
        }


@asynccontextmanager
async def gemini(load: Client, url: str) -> AsyncGenerator[dict[str, Ask]]:
    made = load("google.genai").Client(api_key="k", http_options={"base_url": url})
    yield {"gemini": lambda history: made.aio.models.generate_content_stream(model="m", contents=history)}
    await made.aio.aclose()


@asynccontextmanager
async def bedrock(load: Client, url: str) -> AsyncGenerator[dict[str, Ask]]:
    ask = CLIENTS["bedrock"](load, url)

    async def stream(history: list[Any]) -> Any:
        return in_thread(await asyncio.to_thread(ask, history, True))

    yield {"bedrock": stream}


@asynccontextmanager
async def mistral(load: Client, url: str) -> AsyncGenerator[dict[str, Ask]]:
    async with load("mistralai.client").Mistral(api_key="k", server_url=url) as made:
        yield {"mistral": lambda history: made.chat.stream_async(model="m", messages=history)}


@asynccontextmanager
async def cohere(load: Client, url: str) -> AsyncGenerator[dict[str, Ask]]:
    async with load("cohere").AsyncClientV2(api_key="k", base_url=url) as made:
        yield {"cohere": lambda history: made.chat_stream(model="m", messages=history)}


@asynccontextmanager
async def ollama(load: Client, url: str) -> AsyncGenerator[dict[str, Ask]]:
    made = load("ollama").AsyncClient(host=url)
    yield {"ollama": lambda history: made.chat(model="m", messages=history, stream=True)}


OPENERS = {
    "openai": openai, "openai manager": openai, "openai-responses": openai, "anthropic": anthropic,
    "anthropic manager": anthropic, "gemini": gemini, "bedrock": bedrock, "mistral": mistral,
    "cohere": cohere, "ollama": ollama,
}  # fmt: skip


def user(format: str) -> dict[str, Any]:
    if format in ("gemini", "bedrock"):
        return {"role": "user", "parts" if format == "gemini" else "content": [{"text": "Edit it."}]}
    return {"role": "user", "content": "Edit it."}


@pytest.mark.parametrize("name", sampled(OPENERS, ("openai manager", "anthropic manager", "mistral")))
def test_a_streamed_run_that_pauses_for_an_approval(name: str, client: Client) -> None:
    format = name.removesuffix(" manager")
    tools = Tools(policy=Policy("supervised"))
    seen: list[LoopEvent] = []
    body, kind = on_the_wire(format, events_of(format, asked(format, "/a", "/é")))
    options: Any = {"format": format, "provider": "openai", "on_event": seen.append}
    with serving(body, kind) as served:

        async def main() -> tuple[Record, Record]:
            async with OPENERS[name](client, served.url) as asks:

                def model(messages: list[Any], _: bytes) -> Any:
                    return asks[name](messages)

                paused = await run_tools(model, tools, [user(format)], **options)
                served.body = on_the_wire(format, events_of(format, []))[0]
                state = RunState.decode(paused.state.encode())
                decisions: Any = {call.key: "yes" for call in paused.waiting}
                return paused, await resume(model, tools, state, decisions=decisions, **options)

        paused, record = asyncio.run(main())
    assert (paused.stopped, len(paused.waiting)) == ("paused", 2)
    assert (record.stopped, sorted(tools.paths)) == ("answer", ["/a", "/é"])
    assert "edited /é" in json.dumps(served.requests[1], ensure_ascii=False)
    pieces = [event.text for event in seen if isinstance(event, ArgumentsPiece) and event.index == 1]
    assert json.loads("".join(pieces))["file_path"] == "/é"
    if format != "cohere":
        assert "".join(event.text for event in seen if isinstance(event, TextPiece)) == 2 * TEXT
