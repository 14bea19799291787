"""A run as a workflow of DBOS: it survives crashes, and waits for an approval as long as it takes.

    python -m examples.durable ID QUESTION   starts the workflow ID, or goes on with it, and waits for its end
    python -m examples.durable ID            approves the calls that it waits for, from another process

DURABLE_DATABASE is the URL of a database of SQLite or PostgreSQL; sqlite:///durable.sqlite by default.
"""

import asyncio
import json
import os
import sys
from typing import Any

from dbos import DBOS, DBOSClient, SetWorkflowID
from openai import AsyncOpenAI
from toolcast.agents import resume, run_tools
from toolcast.runtime import ToolContext, ToolRegistry
from toolcast.runtime.middleware.policy import Policy

from .toolbox import toolbox

DATABASE = os.environ.get("DURABLE_DATABASE", "sqlite:///durable.sqlite")
DAY = 24 * 60 * 60


def stepped(name: str, handler: Any) -> Any:
    """The handler as a step: a workflow that runs again gets what it returned before."""

    async def run(params: Any, context: ToolContext) -> Any:
        return await DBOS.run_step_async({"name": name}, handler, params, context)

    return run


def tools(folder: str = ".") -> ToolRegistry:
    """The tools of all examples; files are read with somebody's approval."""
    registry = ToolRegistry(policy=Policy("supervised", always_ask=["read_file"]))
    plain = toolbox(folder)
    for name in plain:
        tool = plain.get(name)
        registry.register(tool.binding, stepped(name, tool.handler))
    return registry


async def ask(messages: list[Any], definitions: bytes) -> Any:
    """Ask the model, as a step; what is recorded is plain data."""

    async def request() -> Any:
        async with AsyncOpenAI() as client:
            response = await client.chat.completions.create(
                model="gpt-5.4-mini", messages=messages, tools=json.loads(definitions)
            )
        return response.model_dump(mode="json", exclude_none=True)

    return await DBOS.run_step_async({"name": "model"}, request)


@DBOS.workflow()
async def answer(question: str) -> str:
    """Answer `question` about the files of the working folder."""
    registry = tools()
    # One call after another: the steps of a workflow that runs again come in the same order.
    record = await run_tools(ask, registry, [{"role": "user", "content": question}], format="openai", limit=1)
    while record.waiting:
        shown = [{"key": call.key, "tool": call.name, "arguments": call.arguments} for call in record.waiting]
        await DBOS.set_event_async("waiting", shown)
        decisions = await DBOS.recv_async("decisions", timeout_seconds=DAY) or {}
        known = {call.key: decisions[call.key] for call in record.waiting if call.key in decisions}
        record = await resume(ask, registry, record.state, decisions=known, format="openai", limit=1)
    return str(record.response["choices"][0]["message"]["content"])


async def main(id: str, question: str) -> str:
    """Start the workflow, or go on with it, and wait for its end."""
    DBOS(config={"name": "durable", "system_database_url": DATABASE})
    DBOS.launch()
    try:
        with SetWorkflowID(id):
            handle = await DBOS.start_workflow_async(answer, question)
        return await handle.get_result()
    finally:
        DBOS.destroy()


def approve(id: str) -> str:
    """Approve the calls that a workflow waits for."""
    client = DBOSClient(system_database_url=DATABASE)
    try:
        waiting = client.get_event(id, "waiting") or []
        client.send(id, {call["key"]: "yes" for call in waiting}, "decisions")
    finally:
        client.destroy()
    return json.dumps(waiting)


if __name__ == "__main__":
    workflow, *words = sys.argv[1:]
    print(asyncio.run(main(workflow, " ".join(words))) if words else approve(workflow))
