"""A model without tool calling, told in its prompt how to call: python -m examples.text_only QUESTION"""

import asyncio
import sys
from typing import Any

from openai import AsyncOpenAI
from toolcast.agents import run_tools

from .toolbox import toolbox


async def main(question: str, client: AsyncOpenAI, model: str = "some-base-model") -> str:
    """Answer `question` about the files of the working folder."""

    async def ask(messages: list[Any], instructions: bytes) -> str:
        system = {"role": "system", "content": instructions.decode()}
        answer = await client.chat.completions.create(model=model, messages=[system, *messages])
        return answer.choices[0].message.content or ""

    history = [{"role": "user", "content": question}]
    record = await run_tools(ask, toolbox("."), history, format="text")
    return str(record.rounds[-1].response)


if __name__ == "__main__":
    print(asyncio.run(main(" ".join(sys.argv[1:]), AsyncOpenAI())))
