"""Parameters that the program fills in, in each framework: from where its programs keep their user."""

import asyncio
import json
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from toolcast.runtime import ToolBinding
from toolcast.runtime.middleware.policy import Policy

from tests.bridges.test_langchain import Library as LangChain
from tests.bridges.test_openai_agents import Library as OpenaiAgents
from tests.bridges.test_pydantic_ai import Library as PydanticAi
from tests.injected import compiled, registered

Load = Callable[[str], Any]
Bind = Callable[[str], ToolBinding[Any, Any]]
SCHEMA = {
    "type": "object",
    "required": ["user_id", "folder"],
    "properties": {
        "user_id": {"type": "integer"},
        "folder": {"type": "string"},
        "limit": {"type": "integer"},
    },
    "additionalProperties": False,
}
SENT = {"folder": "in", "limit": None}
SET = {**SENT, "user_id": 8}


@pytest.fixture
def bind() -> Iterator[Bind]:
    """The binding whose user comes from a path."""
    made: list[Any] = []

    def call(path: str) -> ToolBinding[Any, Any]:
        made.append(compiled(SCHEMA, inject={"user_id": path}))
        return made[-1].__enter__()  # type: ignore[no-any-return]

    yield call
    for each in made:
        each.__exit__(None, None, None)


def test_pydantic_ai(framework: Load, bind: Bind) -> None:
    lib = PydanticAi(framework)
    registry, seen = registered(bind("context.deps.id"))
    model = lib.model([("inbox", SET)], [("inbox", SENT)], "done")
    lib.run(registry, model, deps=SimpleNamespace(id=7))
    assert "is filled in by the program" in model.seen[1][0][-1].parts[0].model_response_str()
    assert [(each.user_id, each.folder) for each in seen.params] == [(7, "in")]
    assert "user_id" not in json.dumps(model.seen[0][1].function_tools[0].parameters_json_schema)


def test_openai_agents(framework: Load, bind: Bind) -> None:
    lib = OpenaiAgents(framework)
    registry, seen = registered(bind("context.run_context.context.id"))
    model = lib.model([("inbox", SET), ("inbox", SENT)], "done")
    lib.run(registry, model, context=SimpleNamespace(id=7))
    (refused, done) = lib.outputs(model)
    assert "is filled in by the program" in refused
    assert done == "done"
    assert [(each.user_id, each.folder) for each in seen.params] == [(7, "in")]


def test_openai_agents_know_whether_a_call_needs_approval(framework: Load, bind: Bind) -> None:
    lib = OpenaiAgents(framework)
    registry, seen = registered(bind("context.run_context.context.id"), policy=Policy(asks=("read",)))
    model = lib.model([("inbox", SENT)], "done")
    result = lib.run(registry, model, context=SimpleNamespace(id=7))
    assert len(result.interruptions) == 1
    assert seen.params == []


def test_langchain(framework: Load, bind: Bind) -> None:
    lib = LangChain(framework)
    registry, seen = registered(bind("context.config.configurable.user"))
    tool = lib.tool(registry, "inbox")
    call = {"type": "tool_call", "id": "c0", "name": "inbox", "args": SENT}
    config = {"configurable": {"user": 7}}
    asyncio.run(tool.ainvoke(call, config))
    refused = asyncio.run(tool.ainvoke({**call, "args": SET}, config))
    assert refused.status == "error"
    assert "is filled in by the program" in refused.content
    assert [(each.user_id, each.folder) for each in seen.params] == [(7, "in")]
