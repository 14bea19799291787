"""Anthropic's Messages API, streamed: python -m examples.claude QUESTION"""

import asyncio
import json
import sys
from typing import Any

from anthropic import AsyncAnthropic
from toolcast.agents import run_tools
from toolcast.agents.dispatch import Assembler

from .toolbox import toolbox


async def main(question: str, client: AsyncAnthropic, model: str = "claude-sonnet-5-5") -> str:
    """Answer `question` about the files of the working folder. Text is printed as it comes."""

    async def ask(messages: list[Any], definitions: bytes) -> Any:
        events = await client.messages.create(
            model=model, max_tokens=4096, messages=messages, tools=json.loads(definitions), stream=True
        )
        answer = Assembler("anthropic")
        async for event in events:
            answer.feed(event)
            if event.type == "content_block_delta" and event.delta.type == "text_delta":
                print(event.delta.text, end="", flush=True)
        return answer.response()

    history = [{"role": "user", "content": question}]
    record = await run_tools(ask, toolbox("."), history, format="anthropic")
    blocks = record.rounds[-1].response["content"]
    return "".join(block["text"] for block in blocks if block["type"] == "text")


if __name__ == "__main__":
    asyncio.run(main(" ".join(sys.argv[1:]), AsyncAnthropic()))
