"""Checkpoints: what a process that ends at any moment leaves, and what another one makes of it."""

# ruff: noqa: ARG001, ARG002 - a handler has its signature, whatever it uses

import asyncio
import json
import os
import subprocess
import sys
from itertools import permutations
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.agents import Record, RunState, resume, run_tools
from toolcast.runtime import CallDeferred, ToolContext, ToolRegistry, ToolResult
from toolcast.runtime.middleware.policy import Policy

from generated.files.edit import EDIT
from generated.files.glob import GLOB
from generated.memory.memory_store import MEMORY_STORE
from generated.schedule.cron_add import CRON_ADD
from generated.web.web_fetch import WEB_FETCH
from tests.sampled import sampled

from .test_loop import GOOD, USER, Scripted, answered, asks, record_in, tool_texts

ROOT = Path(__file__).resolve().parents[2]


class Moment(NamedTuple):
    """Something that happened in a run: "asked", "began", "ended" or "stored"."""

    kind: str
    what: Any


class World:
    """Tools and a model whose steps are written into `moments`; the model goes by the conversation alone."""

    def __init__(self, script: list[list[tuple[str, str]]]) -> None:
        self.moments: list[Moment] = []
        self.script = script
        self.registry = ToolRegistry(check_results=False)
        self.registry.register(EDIT, self.edit)
        self.registry.register(GLOB, self.glob)  # type: ignore[arg-type]

    async def edit(self, params: Any, context: ToolContext) -> ToolResult:
        return ToolResult.ok(await self.work(f"edit {params.file_path}"))

    async def glob(self, params: Any, context: ToolContext) -> str:
        return await self.work(f"glob {params.pattern}")

    async def work(self, what: str) -> str:
        self.moments.append(Moment("began", what))
        await asyncio.sleep(0)
        self.moments.append(Moment("ended", what))
        return what

    async def model(self, messages: list[Any], definitions: bytes) -> Any:
        number = sum(message["role"] == "assistant" for message in messages)
        self.moments.append(Moment("asked", number))
        calls = self.script[number] if number < len(self.script) else []
        named = {"edit": "file_path", "glob": "pattern"}
        return asks(*((n, {**(GOOD if n == "edit" else {}), named[n]: value}) for n, value in calls))

    async def store(self, state: RunState) -> None:
        self.moments.append(Moment("stored", state.encode()))

    def run(self) -> Record:
        return asyncio.run(run_tools(self.model, self.registry, USER, format="openai", checkpoint=self.store))

    def go_on(self, stored: bytes) -> Record:
        state = RunState.decode(stored)
        return asyncio.run(resume(self.model, self.registry, state, format="openai", checkpoint=self.store))

    def count(self, kind: str) -> dict[Any, int]:
        found = [moment.what for moment in self.moments if moment.kind == kind]
        return {what: found.count(what) for what in found}


def scripts() -> st.SearchStrategy[list[list[tuple[str, str]]]]:
    """Rounds of calls, each with an argument of its own."""
    names = st.lists(st.lists(st.sampled_from(["edit", "glob"]), min_size=1, max_size=3), max_size=4)
    return names.map(
        lambda rounds: [
            [(name, f"/{i}.{j}") for j, name in enumerate(calls)] for i, calls in enumerate(rounds)
        ]
    )


@given(scripts())
def test_a_crash_at_any_moment_repeats_nothing_and_loses_nothing_recorded(
    script: list[list[tuple[str, str]]],
) -> None:
    whole = World(script)
    expected = whole.run()
    assert expected.stopped == "answer"
    resumed: dict[int, tuple[World, Record]] = {}
    for end in range(len(whole.moments) + 1):
        before = whole.moments[:end]
        stored = [moment.what for moment in before if moment.kind == "stored"]
        if not stored:
            continue
        state = RunState.decode(stored[-1])
        if len(stored) not in resumed:  # what is asked and done goes by the state alone
            world = World(script)
            resumed[len(stored)] = world, world.go_on(stored[-1])
        world, record = resumed[len(stored)]
        assert (record.stopped, record.response) == ("answer", expected.response)
        answered(record)
        assert record.messages[: len(state.messages)] == state.messages
        # An answer that was stored is not asked for again.
        assert min(world.count("asked"), default=state.rounds) >= state.rounds
        began = [moment.what for moment in before if moment.kind == "began"]
        for what in world.count("began"):
            if what.startswith("edit"):  # writes, and is not idempotent
                assert what not in began
        told = tool_texts(record)
        for what in [f"{name} {value}" for calls in script for name, value in calls]:
            if what not in told:  # then it may have run, and the model knows
                assert what.startswith("edit")
                assert sum("It may have taken effect" in text for text in told) >= 1


def test_the_state_is_stored_around_the_calls_of_every_answer() -> None:
    world = World([[("edit", "/a")], [("glob", "*")]])
    world.run()
    assert [moment.kind for moment in world.moments] == [
        *("asked", "stored", "stored", "began", "ended", "stored"),
        *("asked", "stored", "began", "ended", "stored"),  # which only reads
        *("asked", "stored"),
    ]


def test_a_plain_function_stores_and_a_pause_is_stored() -> None:
    stored: list[RunState] = []
    registry = ToolRegistry(policy=Policy())
    registry.register(EDIT, World([]).edit)
    work = run_tools(
        Scripted(asks(("edit", GOOD))), registry, USER, format="openai", checkpoint=stored.append
    )
    record = asyncio.run(work)
    assert stored[-1].waiting == record.waiting != ()
    assert stored[0].pending is not None
    assert (stored[0].pending.begun, stored[0].waiting) == ((), ())


@pytest.mark.parametrize("turn", [1, 2, 3])
def test_a_state_that_cannot_be_stored_ends_the_run(turn: int) -> None:
    turns: list[RunState] = []

    def fails(state: RunState) -> None:
        turns.append(state)
        if len(turns) == turn:
            raise OSError("the disk is full")

    world = World([[("edit", "/a")]])
    with pytest.raises(OSError, match="disk is full") as raised:
        asyncio.run(run_tools(world.model, world.registry, USER, format="openai", checkpoint=fails))
    record = record_in(raised)
    assert record.stopped == "error"
    assert world.count("began") == ({} if turn < 3 else {"edit /a": 1})
    again = World(world.script)
    assert again.go_on(record.state.encode()).stopped == "answer"
    assert again.count("began") == ({"edit /a": 1} if turn < 3 else {})


@pytest.mark.parametrize("failure", [OSError("the disk is full"), SystemExit(3)])
@pytest.mark.parametrize("turn", [2, 3, 4, 5])
def test_calls_side_by_side_end_before_a_state_that_cannot_be_stored_ends_the_run(
    turn: int, failure: BaseException
) -> None:
    """What ran is known, and what did not begin is carried out later."""
    turns: list[RunState] = []

    async def fails(state: RunState) -> None:
        turns.append(state)
        await asyncio.sleep(0)
        if len(turns) == turn:
            raise failure

    world = World([[("edit", "/a"), ("edit", "/b"), ("glob", "/c")]])
    run = run_tools(world.model, world.registry, USER, format="openai", checkpoint=fails)
    with pytest.raises(type(failure)):
        asyncio.run(run)
    assert len(turns) == turn
    again = World(world.script)
    record = again.go_on(turns[-2 if turn == 5 else -1].encode())
    ran, reran = world.count("began"), again.count("began")
    told = tool_texts(record)
    for text, name in zip(told[:2], ("edit /a", "edit /b"), strict=True):
        assert ran.get(name, 0) + reran.get(name, 0) <= 1
        assert (text == name) is (name in reran) or name in ran
        assert ("It may have taken effect" in text) <= (name not in reran)


def waits(*, stuck: bool = False) -> tuple[ToolRegistry, list[str]]:
    """Tools of each kind of wait, and what they did."""
    ran: list[str] = []

    async def act(params: Any, context: ToolContext) -> str:
        ran.append(context.tool)
        if context.tool == "memory_store" and stuck:
            await asyncio.sleep(60)
        return f"{context.tool} ran"

    async def job(params: Any, context: ToolContext) -> str:
        ran.append(context.tool)
        raise CallDeferred("job 7")

    registry = ToolRegistry(
        check_results=False, policy=Policy(auto_approve=["memory_store", "web_fetch", "cron_add"])
    )
    registry.register(MEMORY_STORE, act)  # type: ignore[arg-type]
    registry.register(EDIT, act)  # type: ignore[arg-type]
    registry.register(msgspec.structs.replace(WEB_FETCH, external=True))
    registry.register(CRON_ADD, job)  # type: ignore[arg-type]
    return registry, ran


ANSWER = (
    ("memory_store", {"content": "x"}),
    ("edit", GOOD),
    ("web_fetch", {"url": "https://example.org/"}),
    ("cron_add", {"name": "a", "schedule": "0 9 * * *", "prompt": "x"}),
)


@pytest.mark.parametrize("limit", [1, 2, 8])
@pytest.mark.parametrize("order", [*permutations(range(4))])
def test_a_crash_in_one_call_leaves_the_others_waiting(order: tuple[int, ...], limit: int) -> None:
    """The process ends inside of one call: no call that could not begin is said to have begun."""
    calls = tuple(ANSWER[index] for index in order)
    registry, ran = waits(stuck=True)
    stored: list[bytes] = []

    def store(state: RunState) -> None:
        stored.append(state.encode())

    async def main() -> None:
        model = Scripted(asks(*calls), asks())
        run = run_tools(model, registry, USER, format="openai", limit=limit, checkpoint=store)
        task = asyncio.create_task(run)
        for _ in range(200):
            await asyncio.sleep(0)
        state, before = stored[-1], [*ran]
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        stored[:], ran[:] = [state], before  # the process ended at once

    asyncio.run(main())
    later, reran = waits()
    state = RunState.decode(stored[-1])
    record = asyncio.run(resume(Scripted(asks()), later, state, format="openai"))
    waiting = {call.name: call for call in record.waiting}
    assert {"edit", "web_fetch", "cron_add"} == {*waiting}
    assert reran == [name for name in ["cron_add"] if name not in ran]
    decisions: Any = {waiting["edit"].key: "yes"}
    results = {waiting["web_fetch"].key: "a page", waiting["cron_add"].key: "made"}
    work = resume(
        Scripted(asks()), later, record.state, decisions=decisions, results=results, format="openai"
    )
    after = asyncio.run(work)
    told = tool_texts(after)
    said = dict(zip((name for name, _ in calls), told, strict=True))
    assert "It may have taken effect" in said.pop("memory_store")
    assert said == {"edit": "edit ran", "web_fetch": "a page", "cron_add": "made"}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked processes")
@pytest.mark.parametrize("kills", sampled([30, 500], [30]))
def test_killed_processes_do_nothing_twice_and_say_nothing_false(
    tmp_path: Path, kills: int, seed: int
) -> None:
    command = [sys.executable, "-m", "tests.agents.killed_runs", str(tmp_path), str(seed), str(kills)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1800, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["contradictions"] == [], f"seed {seed}"
    assert found["kills"] >= kills
    assert found["interrupted"] > 0


@pytest.mark.parametrize("runs", sampled([100, 1000], [100]))
def test_many_paused_runs_go_on_in_a_fresh_process(tmp_path: Path, runs: int) -> None:
    from bench.paused import READ, in_fresh_process, pause

    paused = asyncio.run(pause(tmp_path, runs))
    assert paused["calls"] == READ * runs
    resumed = in_fresh_process(tmp_path)
    assert (resumed["calls"], resumed["distinct"]) == (runs, runs)
