"""Cohere's chat, version 2: python -m examples.command QUESTION"""

import asyncio
import json
import sys
from typing import Any

from cohere import AsyncClientV2
from toolcast.agents import run_tools

from .toolbox import toolbox


async def main(question: str, client: AsyncClientV2, model: str = "command-a-03-2025") -> str:
    """Answer `question` about the files of the working folder."""

    tools = toolbox(".")
    members = tools.request_members("cohere")  # strict mode, where specs ask for it

    async def ask(messages: list[Any], definitions: bytes) -> Any:
        return await client.chat(model=model, messages=messages, tools=json.loads(definitions), **members)

    history = [{"role": "user", "content": question}]
    record = await run_tools(ask, tools, history, format="cohere")
    return "".join(block.text for block in record.rounds[-1].response.message.content or ())


if __name__ == "__main__":
    print(asyncio.run(main(" ".join(sys.argv[1:]), AsyncClientV2())))
