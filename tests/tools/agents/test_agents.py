"""Delegation: who is started, for how long, how deep, and what comes back."""

# ruff: noqa: ARG001, ARG002 - the signatures of agents, handlers and models are fixed

import asyncio
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from toolcast.agents import Budget, Disclosure, Prices
from toolcast.agents.delegation import depth
from toolcast.runtime import RefusalError, ToolContext, ToolRegistry, ToolResult
from toolcast.runtime.middleware.policy import Policy
from toolcast_tools.agents import (
    Agent,
    AgentReport,
    Agents,
    AgentTask,
    BackgroundReport,
    ModelAgent,
)
from toolcast_tools.generated.agents.delegate import DelegateResult
from toolcast_tools.generated.files.edit import EDIT, EditResult
from toolcast_tools.generated.memory.memory_store import MEMORY_STORE
from toolcast_tools.workspace import Workspace

from tests.agents.test_loop import asks as calls
from tests.loops import in_loop

TASK = "Write the tests of it."


def says(text: str, reason: str = "stop", **more: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {"choices": [{"index": 0, "finish_reason": reason, "message": message}], **more}


class Model:
    """A model that answers what stands in a list, the last for ever."""

    def __init__(self, *answers: Any) -> None:
        self.answers = [*answers]
        self.asked: list[list[Any]] = []

    async def __call__(self, messages: list[Any], definitions: bytes) -> Any:
        self.asked.append(json.loads(json.dumps(messages)))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


def registry_of(agents: Agents, **options: Any) -> ToolRegistry:
    registry = ToolRegistry(check_results=True, **options)
    registry.register(agents.binding(), agents.delegate)
    return registry


def call(agents: Agents, *, agent: str = "coder", task: str = TASK, **arguments: Any) -> ToolResult:
    async def main() -> ToolResult:
        return await registry_of(agents).execute("delegate", {"agent": agent, "task": task, **arguments})

    return asyncio.run(main())


def answering(report: AgentReport) -> Agent:
    async def run(task: AgentTask, context: ToolContext) -> AgentReport:
        return report

    return run


DONE = AgentReport(status="completed", report="Done.", files=("a.py",), steps_used=2)


def test_the_report_of_a_function() -> None:
    result = call(Agents({"coder": answering(DONE)}))
    assert result.data == DelegateResult(status="completed", report="Done.", files=["a.py"], steps_used=2)


def test_an_agent_gets_task_facts_files_and_limits(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x")
    got: list[AgentTask] = []

    async def run(task: AgentTask, context: ToolContext) -> AgentReport:
        got.append(task)
        return DONE

    agents = Agents({"coder": run}, workspace=Workspace(tmp_path))
    attachment = {"file_path": "a.py", "note": "The code.", "access": "write"}
    result = call(
        agents,
        context={"language": "python"},
        attachments=[attachment],
        limits={"steps": 7, "seconds": 5, "cost_usd": 0.5},
    )
    assert result.success, result.error
    [task] = got
    assert (task.agent, task.task, task.context) == ("coder", TASK, {"language": "python"})
    assert (task.steps, task.seconds, task.cost) == (7, 5, 0.5)
    assert [(each.file_path, each.access) for each in task.attachments] == [("a.py", "write")]


def test_the_names_of_the_agents_are_in_the_definition() -> None:
    agents = Agents({"coder": answering(DONE), "tester": answering(DONE)})
    assert b'"enum":["coder","tester"]' in agents.binding().definition("openai")
    assert 'must be one of "coder", "tester"' in call(agents, agent="thief").error


def test_an_agent_that_has_gone_is_refused_with_those_that_are_there() -> None:
    known: dict[str, Agent] = {"coder": answering(DONE), "tester": answering(DONE)}
    agents = Agents(lambda: known)
    registry = registry_of(agents)
    del known["coder"]
    result = asyncio.run(registry.execute("delegate", {"agent": "coder", "task": TASK}))
    assert result.error == "There is no agent 'coder'. There are: 'tester'."


def test_without_agents_there_is_no_tool() -> None:
    with pytest.raises(ValueError, match="1 to 250 values"):
        Agents({}).binding()


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", "none.txt", ".", "link"])
@pytest.mark.parametrize("access", ["read", "write"])
def test_an_attachment_must_be_a_file_of_the_workspace(tmp_path: Path, path: str, access: str) -> None:
    (tmp_path / "link").symlink_to("/etc/passwd")
    agents = Agents({"coder": answering(DONE)}, workspace=Workspace(tmp_path))
    result = call(agents, attachments=[{"file_path": path, "access": access}])
    assert not result.success
    assert "internal" not in result.error


def test_an_attachment_with_another_name_elsewhere_cannot_be_handed_over_for_writing(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "outside").write_text("x")
    (tmp_path / "inside" / "a").hardlink_to(tmp_path / "outside")
    agents = Agents({"coder": answering(DONE)}, workspace=Workspace(tmp_path / "inside"))
    assert "hard link" in call(agents, attachments=[{"file_path": "a", "access": "write"}]).error
    assert call(agents, attachments=[{"file_path": "a"}]).success


def test_attachments_need_a_workspace() -> None:
    result = call(Agents({"coder": answering(DONE)}), attachments=[{"file_path": "a"}])
    assert "cannot be handed over" in result.error


async def for_ever(task: AgentTask, context: ToolContext) -> AgentReport:
    await asyncio.Event().wait()
    raise AssertionError


@pytest.mark.parametrize(("timeout", "limits"), [(0.05, {}), (60, {"seconds": 0.05})])
def test_an_agent_that_takes_too_long_is_stopped(timeout: float, limits: Mapping[str, Any]) -> None:
    result = call(Agents({"coder": for_ever}, timeout=timeout), limits=limits)
    assert result.data.status == "stopped"
    assert "stopped after 0.05 seconds" in result.data.report


def test_cancelling_a_call_cancels_its_agent() -> None:
    cancelled: list[bool] = []
    running = asyncio.Event()

    async def run(task: AgentTask, context: ToolContext) -> AgentReport:
        running.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(True)
            raise
        raise AssertionError

    async def main() -> None:
        registry = registry_of(Agents({"coder": run}))
        begun = asyncio.create_task(registry.execute("delegate", {"agent": "coder", "task": TASK}))
        await running.wait()
        begun.cancel()
        with pytest.raises(asyncio.CancelledError):
            await begun

    asyncio.run(main())
    assert cancelled == [True]


def test_a_refusal_of_an_agent_is_its_report() -> None:
    async def run(task: AgentTask, context: ToolContext) -> AgentReport:
        raise RefusalError("Name a file first.")

    data = call(Agents({"coder": run})).data
    assert (data.status, data.report) == ("failed", "Name a file first.")


def nested(levels: int) -> tuple[Agents, list[int]]:
    """Agents of which each delegates to the next one, by calls of its model."""
    seen: list[int] = []
    agents = Agents(lambda: {f"level{n}": agent(n) for n in range(levels)})

    def agent(n: int) -> Agent:
        async def run(task: AgentTask, context: ToolContext) -> AgentReport:
            seen.append(depth())
            last = n + 1 == levels
            wanted = ("delegate", {"agent": f"level{n + 1}", "task": TASK})
            model = Model(says("The bottom.")) if last else Model(calls(wanted), says(f"Level {n} is done."))
            report = await ModelAgent(model, registry_of(agents), format="openai")(task, context)
            if not last:
                results.append(model.asked[1][-1]["content"])
            return report

        return run

    results: list[str] = []
    agents.results = results  # type: ignore[attr-defined]
    return agents, seen


def test_a_delegate_two_levels_deep() -> None:
    agents, seen = nested(2)
    result = call(agents, agent="level0")
    assert result.data.report == "Level 0 is done."
    assert seen == [1, 2]
    [inner] = agents.results  # type: ignore[attr-defined]
    assert json.loads(inner)["report"] == "The bottom."


def test_agents_are_nested_3_deep_and_no_deeper() -> None:
    agents, seen = nested(4)
    assert call(agents, agent="level0").data.status == "completed"
    assert seen == [1, 2, 3]
    assert "nested 3 deep" in agents.results[0]  # type: ignore[attr-defined]


# --- agents with a model


def editor(edited: list[str] | None = None, **options: Any) -> ToolRegistry:
    registry = ToolRegistry(**options)

    async def edit(params: Any, context: ToolContext) -> EditResult:
        if edited is not None:
            edited.append(params.file_path)
        return EditResult(replacements=1)

    registry.register(EDIT, edit)
    return registry


GOOD = {"file_path": "a.py", "old_string": "x", "new_string": "y"}


def report_of(
    model: Model, *, tools: ToolRegistry | None = None, task: Mapping[str, Any] = {}, **options: Any
) -> Any:
    agent = ModelAgent(model, tools or editor(), **{"format": "openai", **options})
    return call(Agents({"coder": agent}), **task).data


def test_a_model_works_and_reports() -> None:
    model = Model(calls(("edit", GOOD)), says("It is done."))
    data = report_of(model, system="You are a coder.", task={"context": {"language": "python"}})
    assert data == DelegateResult(status="completed", report="It is done.", files=["a.py"], steps_used=1)
    [first] = model.asked[0]
    assert first["role"] == "user"
    assert first["content"].startswith(f"You are a coder.\n\n{TASK}\n\nFacts:\n")
    assert '"language": "python"' in first["content"]


ANSWERS: dict[str, Any] = {
    "openai": says("The report."),
    "mistral": says("The report."),
    "ollama": {"message": {"role": "assistant", "content": "The report."}, "done_reason": "stop"},
    "cohere": {
        "message": {"role": "assistant", "content": [{"type": "text", "text": "The report."}]},
        "finish_reason": "COMPLETE",
    },
    "anthropic": {
        "role": "assistant",
        "stop_reason": "end_turn",
        "content": [
            {"type": "thinking", "thinking": "Hm.", "signature": "s"},
            {"type": "text", "text": "The report."},
        ],
    },
    "gemini": {
        "candidates": [
            {
                "finishReason": "STOP",
                "content": {
                    "role": "model",
                    "parts": [{"text": "Hm.", "thought": True}, {"text": "The report."}],
                },
            }
        ]
    },
    "bedrock": {
        "output": {"message": {"role": "assistant", "content": [{"text": "The report."}]}},
        "stopReason": "end_turn",
    },
    "openai-responses": {
        "status": "completed",
        "output": [
            {"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "Hm."}]},
            {
                "type": "message",
                "id": "m",
                "role": "assistant",
                "status": "completed",
                "content": [{"type": "output_text", "text": "The report.", "annotations": []}],
            },
        ],
    },
    "text": "The report.",
}


@pytest.mark.parametrize("format", ANSWERS)
def test_the_report_is_the_models_text_in_every_format(format: str) -> None:
    providers = {"bedrock": "anthropic", "mistral": "openai", "ollama": "openai", "cohere": "openai"}
    options = {} if format == "text" else {"provider": providers.get(format, format)}
    model = Model(ANSWERS[format])
    data = report_of(model, tools=editor(), format=format, **options)
    assert (data.status, data.report, data.steps_used) == ("completed", "The report.", 0)


ENDS: list[tuple[Any, str, str]] = [
    (says("I cannot.", "content_filter"), "failed", "filter"),
    (says("So far", "length"), "stopped", "cut off"),
    (RuntimeError("connection lost: s3cret"), "failed", "The provider of its model failed."),
    ({"error": {"message": "overloaded"}}, "failed", "The provider of its model failed."),
    (calls(("edit", {"file_path": 1})), "stopped", "again and again"),
]


@pytest.mark.parametrize(("answer", "status", "words"), ENDS)
def test_an_agent_that_does_not_end_with_an_answer_says_why(answer: Any, status: str, words: str) -> None:
    data = report_of(Model(answer))
    assert data.status == status
    assert words in data.report
    assert "s3cret" not in data.report


def test_steps_are_limited() -> None:
    edited: list[str] = []
    answers = [calls(("edit", {**GOOD, "file_path": f"{n}.py"})) for n in range(10)]
    data = report_of(Model(*answers), tools=editor(edited), task={"limits": {"steps": 3}})
    assert (data.status, data.steps_used, len(edited)) == ("stopped", 3, 3)
    assert data.files == ["0.py", "1.py", "2.py"]
    assert "limit" in data.report


def test_the_agents_own_limit_holds_where_it_is_lower() -> None:
    answers = [calls(("edit", {**GOOD, "file_path": f"{n}.py"})) for n in range(10)]
    data = report_of(Model(*answers), budget=Budget(calls=2), task={"limits": {"steps": 5}})
    assert (data.status, data.steps_used) == ("stopped", 2)


def test_the_cost_is_limited_where_prices_are_known() -> None:
    usage = {"prompt_tokens": 1_000_000, "completion_tokens": 0, "total_tokens": 1_000_000}
    answers = [{**calls(("edit", {**GOOD, "file_path": f"{n}.py"})), "usage": usage} for n in range(10)]
    prices = Budget(prices=Prices(input=0.3, output=1))
    data = report_of(Model(*answers), budget=prices, task={"limits": {"cost_usd": 0.5}})
    assert data.status == "stopped"
    assert "limit of its cost" in data.report
    assert data.steps_used == 1
    unknown = report_of(Model(*answers), task={"limits": {"cost_usd": 0.5}})
    assert unknown.status == "failed"
    assert "Leave cost_usd out" in unknown.report


def test_a_call_that_needs_an_approval_is_answered_inside_of_an_agent() -> None:
    """Nobody sees a state of the inner run, so it does not pause."""
    edited: list[str] = []
    model = Model(calls(("edit", GOOD)), says("I may not."))
    data = report_of(model, tools=editor(edited, policy=Policy("supervised")))
    assert (data.status, data.report, data.files, edited) == ("completed", "I may not.", [], [])


def test_an_agent_that_is_told_to_pause_says_that_calls_wait() -> None:
    model = Model(calls(("edit", GOOD)), says("I may not."))
    data = report_of(model, tools=editor(policy=Policy("supervised")), pause=True)
    assert data.status == "stopped"
    assert "wait for an approval" in data.report


def test_handlers_of_an_agent_get_the_programs_values() -> None:
    seen: list[Any] = []
    registry = ToolRegistry()

    async def edit(params: Any, context: ToolContext) -> EditResult:
        seen.append(context.extra)
        return EditResult(replacements=1)

    registry.register(EDIT, edit)
    agents = Agents(
        {"coder": ModelAgent(Model(calls(("edit", GOOD)), says("Done.")), registry, format="openai")}
    )
    context = ToolContext(extra={"user": "ada"})
    asyncio.run(registry_of(agents).execute("delegate", {"agent": "coder", "task": TASK}, context=context))
    assert seen == [{"user": "ada"}]


def test_the_parameters_of_a_final_tool_are_the_report() -> None:
    stored = {"content": "y stands for x now.", "tags": ["edits"]}
    data = report_of(Model(calls(("memory_store", stored))), final=MEMORY_STORE)
    assert data.status == "completed"
    assert json.loads(data.report) == stored


@in_loop
async def test_tools_that_are_disclosed_in_part_are_made_for_each_task() -> None:
    """Runs side by side: what one has seen in full is no business of the other."""
    rounds = {1: calls(("edit", {"file_path": "a.py"})), 3: calls(("edit", GOOD)), 5: says("Done.")}
    shown: list[bytes] = []

    async def model(messages: list[Any], definitions: bytes) -> Any:
        shown.append(definitions)
        await asyncio.sleep(0)
        return rounds[len(messages)]

    registry = editor()
    agent = ModelAgent(model, lambda: Disclosure(registry, "openai", level="brief"), format="openai")
    outer = registry_of(Agents({"coder": agent}))
    arguments = {"agent": "coder", "task": TASK}
    results = await asyncio.gather(*(outer.execute("delegate", arguments) for _ in range(2)))
    assert [(each.data.status, each.data.files) for each in results] == [("completed", ["a.py"])] * 2
    assert [shown.count(each) for each in shown] == [2, 2, 4, 4, 4, 4]  # in part, then in full


def test_a_long_report_is_cut() -> None:
    data = report_of(Model(says("x" * 100_000)))
    assert len(data.report) < 51_000
    assert "characters are left out" in data.report


def test_a_model_agent_needs_a_format() -> None:
    with pytest.raises(ValueError, match="format"):
        ModelAgent(Model(says("")), editor())


# --- in the background


def background(
    agent: Agent, main: Callable[[Agents, ToolRegistry], Any], **options: Any
) -> list[BackgroundReport]:
    received: list[BackgroundReport] = []

    async def run() -> None:
        agents = Agents({"coder": agent}, report=received.append, **options)
        await main(agents, registry_of(agents))
        await agents.aclose()
        await agents.aclose()

    asyncio.run(run())
    return received


async def all_ended(agents: Agents) -> None:
    assert agents._background is not None
    while agents._background.running:
        await asyncio.sleep(0.001)


BEHIND = {"agent": "coder", "task": TASK, "run_in_background": True}


def test_a_report_from_the_background_reaches_the_program() -> None:
    async def main(agents: Agents, registry: ToolRegistry) -> None:
        result = await registry.execute("delegate", BEHIND, context=ToolContext(call_id="c1"))
        assert result.data.status == "started"
        await all_ended(agents)

    [received] = background(answering(DONE), main)
    assert (received.report, received.call_id, received.task.agent) == (DONE, "c1", "coder")


def test_aclose_stops_the_background_and_says_so() -> None:
    async def main(agents: Agents, registry: ToolRegistry) -> None:
        for _ in range(3):
            await registry.execute("delegate", BEHIND)
        await asyncio.sleep(0)

    received = background(for_ever, main)
    assert [each.report.status for each in received] == ["stopped"] * 3
    assert "program ended" in received[0].report.report


def test_aclose_reports_an_agent_that_has_not_begun() -> None:
    async def close_at_once() -> list[BackgroundReport]:
        received: list[BackgroundReport] = []
        agents = Agents({"coder": for_ever}, report=received.append)
        assert agents._background is not None
        agents._background.start(AgentTask(agent="coder", task=TASK), "", never)
        await agents.aclose()
        return received

    async def never() -> AgentReport:
        await asyncio.Event().wait()
        return DONE

    assert [each.report.status for each in asyncio.run(close_at_once())] == ["stopped"]


def test_after_aclose_nothing_is_started() -> None:
    async def main(agents: Agents, registry: ToolRegistry) -> None:
        await agents.aclose()
        assert "ending" in (await registry.execute("delegate", BEHIND)).error

    assert background(for_ever, main) == []


def test_an_error_in_the_background_is_reported_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def broken(task: AgentTask, context: ToolContext) -> AgentReport:
        raise ZeroDivisionError("s3cret")

    async def main(agents: Agents, registry: ToolRegistry) -> None:
        await registry.execute("delegate", BEHIND)
        await all_ended(agents)

    [received] = background(broken, main)
    assert received.report.status == "failed"
    assert "ZeroDivisionError" in received.report.report
    assert "s3cret" not in received.report.report
    assert "Agent 'coder' failed" in caplog.text


@in_loop
async def test_a_report_that_is_not_received_is_logged_with_its_text(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def receive(report: BackgroundReport) -> None:
        raise OSError("no connection")

    agents = Agents({"coder": answering(DONE)}, report=receive)
    await registry_of(agents).execute("delegate", BEHIND)
    await all_ended(agents)
    await agents.aclose()
    assert "The report of agent 'coder' was not received: Done." in caplog.text


def test_the_background_is_bounded_in_time_and_number() -> None:
    async def main(agents: Agents, registry: ToolRegistry) -> None:
        first = await registry.execute("delegate", BEHIND)
        second = await registry.execute("delegate", BEHIND)
        assert first.success
        assert "1 agents run in the background" in second.error
        await all_ended(agents)

    [received] = background(for_ever, main, background_timeout=1, max_background=1)
    assert received.report.status == "stopped"
    assert "1 seconds" in received.report.report


def test_the_background_needs_a_receiver() -> None:
    assert "Nothing here receives" in call(Agents({"coder": for_ever}), run_in_background=True).error


@in_loop
async def test_an_agent_in_the_background_is_as_deep_as_its_call() -> None:
    depths: list[int] = []
    received: list[BackgroundReport] = []

    async def run(task: AgentTask, context: ToolContext) -> AgentReport:
        depths.append(depth())
        inner = await registry_of(agents).execute("delegate", BEHIND)
        return AgentReport(status="completed", report=inner.error or "started")

    agents = Agents({"coder": run}, report=received.append)
    await registry_of(agents).execute("delegate", BEHIND)
    await all_ended(agents)
    await agents.aclose()
    assert depths == [1, 2, 3]
    assert [each.report.report for each in received].count("started") == 2
    assert any("nested 3 deep" in each.report.report for each in received)


def test_aclose_from_another_event_loop_stops_the_background() -> None:
    """As `registry.close()` does: calls ran in the loop of `execute_sync`."""
    received: list[BackgroundReport] = []
    agents = Agents({"coder": for_ever}, report=received.append)
    with registry_of(agents) as registry:
        assert registry.execute_sync("delegate", BEHIND).success
        asyncio.run(agents.aclose())
    assert [each.report.status for each in received] == ["stopped"]


@in_loop
async def test_an_async_receiver_is_waited_for() -> None:
    received: list[BackgroundReport] = []

    async def receive(report: BackgroundReport) -> None:
        await asyncio.sleep(0.01)
        received.append(report)

    agents = Agents({"coder": for_ever}, report=receive)
    await registry_of(agents).execute("delegate", BEHIND)
    await asyncio.sleep(0)
    await agents.aclose()
    assert [each.report.status for each in received] == ["stopped"]
