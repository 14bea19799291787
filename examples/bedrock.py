"""Bedrock's Converse API: python -m examples.bedrock QUESTION"""

import asyncio
import json
import sys
from typing import Any

import boto3
from toolcast.agents import run_tools

from .toolbox import toolbox


async def main(question: str, client: Any, model: str = "anthropic.claude-sonnet-5-5-v1:0") -> str:
    """Answer `question` about the files of the working folder. The client waits, so it gets a thread."""

    async def ask(messages: list[Any], definitions: bytes) -> Any:
        tools = {"tools": json.loads(definitions)}
        return await asyncio.to_thread(client.converse, modelId=model, messages=messages, toolConfig=tools)

    history = [{"role": "user", "content": [{"text": question}]}]
    record = await run_tools(ask, toolbox("."), history, format="bedrock", cache="last")
    blocks = record.rounds[-1].response["output"]["message"]["content"]
    return "".join(block.get("text", "") for block in blocks)


if __name__ == "__main__":
    print(asyncio.run(main(" ".join(sys.argv[1:]), boto3.client("bedrock-runtime"))))
