"""OpenAI's Responses API: python -m examples.openai_responses QUESTION"""

import asyncio
import json
import sys
from typing import Any

from openai import AsyncOpenAI
from toolcast.agents import run_tools

from .toolbox import toolbox


async def main(question: str, client: AsyncOpenAI, model: str = "gpt-5.4-mini") -> str:
    """Answer `question` about the files of the working folder."""

    async def ask(items: list[Any], definitions: bytes) -> Any:
        return await client.responses.create(model=model, input=items, tools=json.loads(definitions))

    history = [{"role": "user", "content": question}]
    record = await run_tools(ask, toolbox("."), history, format="openai-responses")
    return str(record.rounds[-1].response.output_text)


if __name__ == "__main__":
    print(asyncio.run(main(" ".join(sys.argv[1:]), AsyncOpenAI())))
