"""Gemini, and Vertex AI with `genai.Client(vertexai=True)`: python -m examples.gemini QUESTION"""

import asyncio
import json
import sys
from typing import Any

from google import genai
from toolcast.agents import run_tools

from .toolbox import toolbox


async def main(question: str, client: genai.Client, model: str = "gemini-3-flash") -> str:
    """Answer `question` about the files of the working folder."""

    tools = toolbox(".")
    members = tools.request_members("gemini")  # strict mode, where specs ask for it

    async def ask(contents: list[Any], definitions: bytes) -> Any:
        return await client.aio.models.generate_content(
            model=model,
            contents=contents,
            config={"tools": [{"function_declarations": json.loads(definitions)}], **members},
        )

    history = [{"role": "user", "parts": [{"text": question}]}]
    record = await run_tools(ask, tools, history, format="gemini")
    return str(record.rounds[-1].response.text)


if __name__ == "__main__":
    print(asyncio.run(main(" ".join(sys.argv[1:]), genai.Client())))
