"""A model on this machine, by Ollama: python -m examples.local QUESTION"""

import asyncio
import json
import sys
from typing import Any

from ollama import AsyncClient
from toolcast.agents import run_tools

from .toolbox import toolbox


async def main(question: str, client: AsyncClient, model: str = "qwen3:8b") -> str:
    """Answer `question` about the files of the working folder."""

    async def ask(messages: list[Any], definitions: bytes) -> Any:
        return await client.chat(model=model, messages=messages, tools=json.loads(definitions))

    history = [{"role": "user", "content": question}]
    record = await run_tools(ask, toolbox("."), history, format="ollama")
    return str(record.rounds[-1].response.message.content)


if __name__ == "__main__":
    print(asyncio.run(main(" ".join(sys.argv[1:]), AsyncClient())))
