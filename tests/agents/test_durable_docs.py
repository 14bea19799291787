"""The examples of docs/reference/durable.md, with a scripted model."""

# ruff: noqa: ARG001 - a handler has its signature, whatever it uses

import asyncio
import inspect
import re
from ast import PyCF_ALLOW_TOP_LEVEL_AWAIT
from pathlib import Path
from typing import Any

import pytest
from toolcast.agents import RunState, resume, run_tools
from toolcast.runtime import ToolContext, ToolRegistry, ToolResult
from toolcast.runtime.middleware.policy import Policy

from generated.agents.delegate import DELEGATE
from generated.files.edit import EDIT

from .test_loop import GOOD, USER, Scripted, asks

pytestmark = pytest.mark.untyped_results
DOC = Path(__file__).resolve().parents[2] / "docs/reference/durable.md"


def test_every_example_runs_in_its_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ran: list[str] = []

    async def edit(params: Any, context: ToolContext) -> ToolResult:
        ran.append(params.file_path)
        return ToolResult.ok(f"edited {params.file_path}")

    async def model(messages: list[Any], definitions: bytes) -> Any:
        return asks(("edit", GOOD)) if messages[-1]["role"] == "user" else asks()

    def tools(**options: Any) -> ToolRegistry:
        registry = ToolRegistry(**options)
        registry.register(EDIT, edit)
        return registry

    names: dict[str, Any] = {
        "model": model,
        "registry": tools(),
        "asking": tools(policy=Policy()),
        "question": USER[0],
    }
    blocks = re.findall(r"```python\n(.*?)```", DOC.read_text("utf-8"), re.DOTALL)
    assert len(blocks) == 3

    async def run(block: str) -> None:
        code = compile(block, str(DOC), "exec", flags=PyCF_ALLOW_TOP_LEVEL_AWAIT)
        result = eval(code, names)
        if inspect.isawaitable(result):
            await result

    async def main() -> None:
        await run(blocks[0])
        await run(blocks[0])  # from the file
        assert (names["record"].stopped, ran) == ("answer", ["/a"])
        ran.clear()
        await run(blocks[1])
        await nested(names, ran)
        ran.clear()
        await run(blocks[2])
        assert ran == ["/a"]

    asyncio.run(main())


async def nested(names: dict[str, Any], ran: list[str]) -> None:
    """The run inside of a run, as the page tells it in words."""
    outer = ToolRegistry()
    outer.register(DELEGATE.specialise(agent=["coder"]), names["start"])
    call = ("delegate", {"agent": "coder", "task": "Put y for x in /a."})
    record = await run_tools(Scripted(asks(call)), outer, USER, format="openai")
    [waiting] = record.waiting
    assert (waiting.kind, ran) == ("external", [])
    state = RunState.decode(names["agents"][waiting.text])
    decisions: Any = {each.key: "yes" for each in state.waiting}
    inner = await resume(names["model"], names["asking"], state, decisions=decisions, format="openai")
    assert (inner.stopped, ran) == ("answer", ["/a"])
    answer = inner.messages[-1]["content"]
    after = await resume(
        Scripted(asks()), outer, record.state, results={waiting.key: answer}, format="openai"
    )
    assert after.messages[2]["content"] == "Done."
