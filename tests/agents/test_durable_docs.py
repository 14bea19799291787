"""The examples of docs/reference/durable.md, with a scripted model."""

# ruff: noqa: ARG001 - a handler has its signature, whatever it uses

import asyncio
import inspect
import os
import re
import subprocess
import sys
import time
from ast import PyCF_ALLOW_TOP_LEVEL_AWAIT
from pathlib import Path
from typing import Any

import pytest
from toolcast.agents import RunState, resume, run_tools
from toolcast.runtime import ToolContext, ToolRegistry, ToolResult
from toolcast.runtime.middleware.policy import Policy

from generated.agents.delegate import DELEGATE
from generated.files.edit import EDIT
from tests.clients.conftest import Client, client
from tests.examples.test_durable import database

from .test_loop import GOOD, USER, Scripted, asks

__all__ = ["client"]

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
        registry = ToolRegistry(check_results=False, **options)
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
        await run(blocks[0])  # from the table
        assert (names["record"].stopped, ran) == ("answer", ["/a"])
        ran.clear()
        await run(blocks[1])
        await nested(names, ran)
        ran.clear()
        await run(blocks[2])
        assert ran == ["/a"]

    asyncio.run(main())


PROCESS = """
import asyncio, json, os, sys, time
from pathlib import Path

from toolcast.runtime import ToolRegistry
from toolcast.runtime.middleware.policy import Policy
from toolcast.agents import ClaimedError
from generated.files.edit import EDIT
from tests.agents.test_loop import GOOD, USER, asks

STORED
DATABASE = os.environ.get("DATABASE")


async def edit(params, context):
    with open("ran", "a") as file:
        print("edited", file=file)
    return "edited"


async def model(messages, definitions):
    return asks(("edit", GOOD)) if messages[-1]["role"] == "user" else asks()


async def main(before):
    registry = ToolRegistry(policy=Policy(), check_results=False)
    registry.register(EDIT, edit)
    stored = CLASS("run-1")
    if stored.state is None:
        return (await run_tools(model, registry, USER, format="openai", checkpoint=stored.checkpoint)).stopped
    state = RunState.decode(stored.state)
    Path(f"ready-{os.getpid()}").touch()
    while before and not Path("go").exists():
        time.sleep(0.01)
    decisions = {call.key: "yes" for call in state.waiting}
    options = {"format": "openai", "checkpoint": stored.checkpoint, "claim": stored.claim}
    try:
        return (await resume(model, registry, state, decisions=decisions, **options)).stopped
    except ClaimedError:
        return "claimed"


print(asyncio.run(main(len(sys.argv) > 1)))
"""


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
@pytest.mark.skipif(os.name == "nt", reason="PostgreSQL is asked by a socket of Unix")
def test_one_of_two_processes_goes_on_with_a_state(kind: str, client: Client, tmp_path: Path) -> None:
    """The classes of the page. Both processes have read the state before one of them resumes it."""
    text = DOC.read_text("utf-8")
    blocks = [
        each for each in re.findall(r"```pyt?h?o?n?\n(.*?)```", text, re.DOTALL) if "class Stored" in each
    ]
    assert len(blocks) == 2
    classes = "\n".join(block.partition("\nstored = ")[0] for block in blocks[: 1 + (kind == "postgresql")])
    name = "StoredInPostgres" if kind == "postgresql" else "Stored"
    program = PROCESS.replace("STORED", classes).replace("CLASS", name)
    command = [sys.executable, "-c", program]
    environment = {**os.environ, "PYTHONPATH": str(DOC.parents[2])}

    def processes(count: int, *words: str) -> list[subprocess.Popen[str]]:
        options: dict[str, Any] = {"cwd": tmp_path, "env": environment, "text": True}
        return [subprocess.Popen([*command, *words], stdout=subprocess.PIPE, **options) for _ in range(count)]

    with database(kind, tmp_path) as url:
        if kind == "postgresql":
            environment["DATABASE"] = url.replace("+psycopg", "").replace("/durable?", "/postgres?")
            table = "CREATE TABLE runs (id TEXT PRIMARY KEY, turn INT, state BYTEA)"
            with client("psycopg").connect(environment["DATABASE"], autocommit=True) as made:
                made.execute(table)
        [first] = processes(1)
        assert first.communicate(timeout=120)[0].split() == ["paused"]
        racing = processes(2, "race")
        while len([*tmp_path.glob("ready-*")]) < 2:
            assert all(each.poll() is None for each in racing)
            time.sleep(0.05)
        (tmp_path / "go").touch()
        outcomes = sorted(each.communicate(timeout=120)[0].strip() for each in racing)
        assert outcomes == ["answer", "claimed"]
        assert (tmp_path / "ran").read_text().split() == ["edited"]
        [last] = processes(1)
        assert last.communicate(timeout=120)[0].split() == ["answer"]
        assert (tmp_path / "ran").read_text().split() == ["edited"]


async def nested(names: dict[str, Any], ran: list[str]) -> None:
    """The run inside of a run, as the page tells it in words."""
    outer = ToolRegistry(check_results=False)
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
