"""Mistral: python -m examples.mistral QUESTION"""

import asyncio
import json
import os
import sys
from typing import Any

from mistralai.client import Mistral
from toolcast.agents import run_tools

from .toolbox import toolbox


async def main(question: str, client: Mistral, model: str = "mistral-large-latest") -> str:
    """Answer `question` about the files of the working folder."""

    async def ask(messages: list[Any], definitions: bytes) -> Any:
        return await client.chat.complete_async(model=model, messages=messages, tools=json.loads(definitions))

    history = [{"role": "user", "content": question}]
    record = await run_tools(ask, toolbox("."), history, format="mistral")
    return str(record.rounds[-1].response.choices[0].message.content)


if __name__ == "__main__":
    print(asyncio.run(main(" ".join(sys.argv[1:]), Mistral(api_key=os.environ["MISTRAL_API_KEY"]))))
