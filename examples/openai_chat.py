"""OpenAI's chat completions, and what speaks like them: python -m examples.openai_chat QUESTION"""

import asyncio
import json
import sys
from typing import Any

from openai import AsyncOpenAI
from toolcast.agents import run_tools

from .toolbox import toolbox


async def main(question: str, client: AsyncOpenAI, model: str = "gpt-5.4-mini") -> str:
    """Answer `question` about the files of the working folder."""

    async def ask(messages: list[Any], definitions: bytes) -> Any:
        return await client.chat.completions.create(
            model=model, messages=messages, tools=json.loads(definitions)
        )

    history = [{"role": "user", "content": question}]
    record = await run_tools(ask, toolbox("."), history, format="openai")
    return str(record.rounds[-1].response.choices[0].message.content)


if __name__ == "__main__":
    print(asyncio.run(main(" ".join(sys.argv[1:]), AsyncOpenAI())))
