"""Anthropic's Messages API, streamed: python -m examples.claude QUESTION"""

import asyncio
import json
import sys
from typing import Any

from anthropic import AsyncAnthropic
from toolcast.agents import run_tools
from toolcast.agents.dispatch import TextPiece
from toolcast.agents.events import LoopEvent

from .toolbox import toolbox


async def main(question: str, client: AsyncAnthropic, model: str = "claude-sonnet-5-5") -> str:
    """Answer `question` about the files of the working folder. Text is printed as it comes."""

    async def ask(messages: list[Any], definitions: bytes) -> Any:
        return await client.messages.create(
            model=model, max_tokens=4096, messages=messages, tools=json.loads(definitions), stream=True
        )

    def show(event: LoopEvent) -> None:
        if isinstance(event, TextPiece):
            print(event.text, end="", flush=True)

    history = [{"role": "user", "content": question}]
    record = await run_tools(ask, toolbox("."), history, format="anthropic", on_event=show, cache="last")
    blocks = record.rounds[-1].response["content"]
    return "".join(block["text"] for block in blocks if block["type"] == "text")


if __name__ == "__main__":
    asyncio.run(main(" ".join(sys.argv[1:]), AsyncAnthropic()))
