"""Runs that pause for an approval or a result from outside, and go on from their state."""

# ruff: noqa: ARG001, ARG002, ARG005 - a handler has its signature, whatever it uses

import asyncio
from typing import Any

import msgspec
import pytest
from toolcast.agents import Budget, Disclosure, Record, RunState, delegate, resume, run_tools
from toolcast.agents.answers import ReadAnswer
from toolcast.agents.events import Called, Calling, LoopEvent, RoundEnded, RoundStarted, Stopped
from toolcast.runtime import CallDeferred, Framework, RetryError, ToolContext, ToolRegistry, ToolResult
from toolcast.runtime.middleware.policy import Answer, Policy, RateLimit

from generated.files.edit import EDIT, EditResult
from generated.files.glob import GLOB
from generated.memory.memory_store import MEMORY_STORE
from generated.web.web_fetch import WEB_FETCH
from tests.agents.dispatch.answers import Asked

from .test_loop import GOOD, USER, Own, Scripted, answered, asks, record_in, tool_texts

EXTERNAL = msgspec.structs.replace(WEB_FETCH, external=True)
PAGE = {"url": "https://example.org/"}
B = {**GOOD, "file_path": "/b"}


class Tools:
    """Edits that need approval, searches that do not, and pages that somebody else fetches; what ran is in
    `ran`."""

    def __init__(self, policy: Policy | None = None) -> None:
        self.ran: list[str] = []
        self.registry = ToolRegistry(
            check_results=False, policy=policy or Policy(auto_approve=["glob", "web_fetch"])
        )
        self.registry.register(EDIT, self.edit)
        self.registry.register(GLOB, self.glob)  # type: ignore[arg-type]
        self.registry.register(EXTERNAL)

    async def edit(self, params: Any, context: ToolContext) -> ToolResult:
        self.ran.append(params.file_path)
        return ToolResult.ok(f"edited {params.file_path}")

    async def glob(self, params: Any, context: ToolContext) -> str:
        self.ran.append(params.pattern)
        return "nothing"


def start(tools: Any, *answers: Any, **options: Any) -> Record:
    return asyncio.run(run_tools(Scripted(*answers), tools, USER, format="openai", **options))


def again(tools: Any, state: RunState, *answers: Any, **options: Any) -> Record:
    """Goes on from the bytes of a state."""
    given = {"decisions": options.pop("decisions", None), "results": options.pop("results", None)}
    state = RunState.decode(state.encode())
    return asyncio.run(resume(Scripted(*answers), tools, state, format="openai", **given, **options))


def cancelled(answer: Any, tools: Any, begun: list[str], count: int, limit: int) -> Record:
    """The record of a run that is cancelled once so many calls began."""

    async def main() -> Record:
        run = run_tools(Scripted(answer), tools, USER, format="openai", limit=limit)
        task = asyncio.create_task(run)
        while len(begun) < count:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError) as raised:
            await task
        return record_in(raised)

    return asyncio.run(main())


def test_a_call_that_needs_approval_pauses_and_its_siblings_run() -> None:
    first, second = Tools(), Tools()
    record = start(first.registry, asks(("glob", {"pattern": "*"}), ("edit", GOOD)))
    assert (record.stopped, first.ran, record.messages) == ("paused", ["*"], tuple(USER))
    [call] = record.waiting
    assert (call.name, call.arguments, call.kind, call.id, call.index) == ("edit", GOOD, "approval", "c1", 1)
    assert [each.name for each in record.calls] == ["glob"]
    assert call.text.startswith("edit with file_path")

    after = again(second.registry, record.state, asks(), decisions={call.key: "yes"})
    assert (after.stopped, second.ran, after.waiting) == ("answer", ["/a"], ())
    assert tool_texts(after) == [
        "nothing",
        "edited /a",
    ]
    assert [(each.number, [call.name for call in each.calls]) for each in after.rounds] == [
        (1, ["edit"]),
        (2, []),
    ]
    answered(after)


@pytest.mark.parametrize("decision", ["no", Answer("no", "Not on a Friday.")])
def test_a_refusal_is_told_as_the_policy_tells_it(decision: Any) -> None:
    record = start(Tools().registry, asks(("edit", GOOD)))
    tools = Tools()
    after = again(tools.registry, record.state, asks(), decisions={record.waiting[0].key: decision})
    reason = ": Not on a Friday." if isinstance(decision, Answer) else "."
    [call] = after.calls
    assert f"The call of 'edit' was not approved{reason}" in call.result.error
    assert (call.executed, tools.ran, after.stopped) == (False, [], "answer")

    async def no(request: Any) -> Any:
        return decision

    asked = start(Tools(Policy(approver=no)).registry, asks(("edit", GOOD)), asks())
    assert asked.calls[0].result == call.result


@pytest.mark.parametrize(
    ("policy", "outcome"),
    [(None, ("answer", ["/a", "/a"])), (Policy(always_ask=["edit"]), ("paused", ["/a"]))],
)
def test_always_is_remembered_unless_the_policy_always_asks(policy: Policy | None, outcome: Any) -> None:
    record = start(Tools().registry, asks(("edit", GOOD)))
    tools = Tools(policy)
    decisions = {record.waiting[0].key: "always"}
    after = again(tools.registry, record.state, asks(("edit", GOOD)), asks(), decisions=decisions)
    assert (after.stopped, tools.ran) == outcome


def test_an_approved_call_that_a_crash_interrupted_does_not_run_again() -> None:
    stored: list[bytes] = []
    tools = Tools()
    record = start(tools.registry, asks(("edit", GOOD), ("edit", B)))
    one, two = record.waiting
    again(
        tools.registry,
        record.state,
        decisions={one.key: "yes"},
        checkpoint=lambda state: stored.append(state.encode()),
    )
    during = RunState.decode(stored[1])  # stored[0] has nothing that began yet
    assert RunState.decode(stored[0]).waiting == (one, two)
    assert during.pending is not None
    assert (during.pending.begun, during.waiting) == ((0,), (two,))
    tools.ran.clear()
    after = again(tools.registry, during, asks(), decisions={two.key: "yes"})
    told = tool_texts(after)
    assert "It may have taken effect" in told[0]
    assert (told[1], tools.ran) == ("edited /b", ["/b"])


def test_a_decision_lifts_no_rule() -> None:
    record = start(Tools().registry, asks(("edit", GOOD)))
    tools = Tools(Policy("read_only"))
    after = again(tools.registry, record.state, asks(), decisions={record.waiting[0].key: "yes"})
    assert tools.ran == []
    assert "only tools that read are allowed" in after.calls[0].result.error


def test_an_approved_call_counts_towards_the_rate_limit() -> None:
    record = start(Tools().registry, asks(("edit", GOOD), ("edit", B)))
    tools = Tools(Policy(rate_limits={"edit": RateLimit(1, 3600)}))
    keys = [call.key for call in record.waiting]
    after = again(tools.registry, record.state, asks(), decisions=dict.fromkeys(keys, "yes"))
    assert tools.ran == ["/a"]
    assert "called too often" in after.calls[1].result.error


def test_what_waits_on_pauses_again_and_keeps_what_is_known() -> None:
    record = start(Tools().registry, asks(("edit", GOOD), ("edit", B), ("web_fetch", PAGE)))
    one, two, page = record.waiting
    assert [call.kind for call in record.waiting] == ["approval", "approval", "external"]
    tools = Tools()
    nothing = again(tools.registry, record.state)
    assert (nothing.stopped, nothing.waiting, tools.ran) == ("paused", record.waiting, [])
    part = again(tools.registry, nothing.state, decisions={two.key: "yes"}, results={page.key: "a page"})
    assert (part.stopped, part.waiting, tools.ran) == ("paused", (one,), ["/b"])
    after = again(tools.registry, part.state, asks(), decisions={one.key: "yes"})
    assert tools.ran == ["/b", "/a"]
    assert tool_texts(after) == [
        "edited /a",
        "edited /b",
        "a page",
    ]
    answered(after)


def test_a_key_is_for_one_call_and_its_kind() -> None:
    tools = Tools().registry
    record = start(tools, asks(("edit", GOOD), ("web_fetch", PAGE)))
    edit, page = (call.key for call in record.waiting)
    for given, words in (
        (
            {"decisions": {"c0": "yes"}},
            f"no call waits under the key 'c0'; waiting: '{edit}' (edit, approval)",
        ),
        ({"decisions": {page: "yes"}}, "waits for a result, not a decision"),
        ({"results": {edit: "done"}}, "waits for a decision, not a result"),
    ):
        with pytest.raises(ValueError) as raised:  # noqa: PT011 - the text is asserted
            again(tools, record.state, **given)
        assert words in str(raised.value)
    with pytest.raises(TypeError, match="must answer"):
        again(tools, record.state, decisions={edit: True})
    # Another round, and the same id: what was decided of the first call does not count for the second.
    later = again(tools, record.state, asks(("edit", B)), decisions={edit: "yes"}, results={page: "a page"})
    with pytest.raises(ValueError, match="no call waits"):
        again(tools, later.state, decisions={edit: "yes"})


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (EditResult(replacements=3), ""),
        ({"replacements": 3}, ""),
        (ToolResult.ok("three", {"replacements": 3}), ""),
        (ToolResult.failed("no such file"), ""),
        ({"replacements": 0}, "is not what its contract says"),
        ({}, "is not what its contract says"),
        (ToolResult.ok("three", {"replaced": 3}), "is not what its contract says"),
        ("three", "has none of the data that its contract promises"),
        (ToolResult.ok("three"), "has none of the data that its contract promises"),
        (None, "has none of the data that its contract promises"),
    ],
)
def test_results_from_outside_are_held_to_the_contract(value: Any, problem: str) -> None:
    registry = ToolRegistry(check_results=None)
    registry.register(msgspec.structs.replace(EDIT, external=True))
    record = start(registry, asks(("edit", GOOD)))
    results = {record.waiting[0].key: value}
    if problem:
        with pytest.raises(ValueError, match=f"The result of tool 'edit' {problem}"):
            again(registry, record.state, asks(), results=results)
        return
    after = again(registry, record.state, asks(), results=results)
    [call] = after.calls
    assert call.result.output == getattr(value, "output", '{"replacements":3}')
    assert call.result.success == getattr(value, "success", True)


def test_results_from_outside_are_cut_and_hold_no_secret() -> None:
    registry = ToolRegistry(check_results=False, output_limit=40, secrets=lambda name: "correct-horse")
    registry.register(msgspec.structs.replace(EDIT, external=True, secrets=("new_string",)))
    referring = {**GOOD, "new_string": "<secret_ref:PASSWORD>"}
    record = start(registry, asks(("edit", referring)))
    text = f"It was correct-horse, {'and so on, ' * 20}"
    after = again(registry, record.state, asks(), results={record.waiting[0].key: text})
    output = after.calls[0].result.output
    assert "correct-horse" not in output
    assert output.startswith("It was [redacted:PASSWORD]")
    assert len(output) < 100


def test_a_tool_that_changed_meanwhile_does_not_run_on_an_old_approval() -> None:
    record = start(Tools().registry, asks(("edit", GOOD)))
    decisions = {record.waiting[0].key: "yes"}
    gone = ToolRegistry()
    gone.register(GLOB, lambda params, context: "nothing")  # type: ignore[arg-type]
    after = again(gone, record.state, asks(), decisions=decisions)
    assert "'edit' is no longer there" in after.calls[0].result.error
    changed = Tools()
    changed.registry.replace(msgspec.structs.replace(EDIT, permission="execute"), changed.edit)
    after = again(changed.registry, record.state, asks(), decisions=decisions)
    assert "has changed since this call was made" in after.calls[0].result.error
    assert changed.ran == []
    answered(after)


def test_a_result_of_a_tool_that_is_gone_is_told() -> None:
    record = start(Tools().registry, asks(("web_fetch", PAGE)))
    key = record.waiting[0].key
    empty = ToolRegistry()
    assert again(empty, record.state, asks(), results={key: "a page"}).calls[0].result.output == "a page"
    with pytest.raises(ValueError, match="cannot be checked"):
        again(empty, record.state, asks(), results={key: {"title": "a page"}})


def test_text_that_is_no_unicode_is_replaced_in_decisions_and_results() -> None:
    record = start(Tools().registry, asks(("web_fetch", PAGE), ("edit", GOOD), ("edit", B)))
    page, edit, _ = record.waiting
    given: Any = {
        "results": {page.key: ToolResult.ok("a \udcffpage")},
        "decisions": {edit.key: Answer("no", "no \udcff")},
    }
    after = again(ToolRegistry(), record.state, **given)
    assert after.stopped == "paused"
    assert again(ToolRegistry(), after.state).stopped == "paused"
    assert [call.result.output for call in after.calls[:1]] == ["a \ufffdpage"]


def test_a_handler_may_defer_its_call() -> None:
    async def job(params: Any, context: ToolContext) -> str:
        raise CallDeferred("job 7")

    registry = ToolRegistry(check_results=False)
    registry.register(EDIT, job)  # type: ignore[arg-type]
    record = start(registry, asks(("edit", GOOD)))
    assert [(call.kind, call.text) for call in record.waiting] == [("external", "job 7")]
    after = again(registry, record.state, asks(), results={record.waiting[0].key: "it is done"})
    assert after.messages[2]["content"] == "it is done"


def test_a_handler_may_ask_for_two_approvals() -> None:
    asked: list[bool] = []

    async def two(params: Any, context: ToolContext) -> str:
        asked.append(context.approved)
        if len(asked) < 3:
            raise CallDeferred(f"person {len(asked)}", kind="approval")
        return "done"

    registry = ToolRegistry(check_results=False)
    registry.register(EDIT, two)  # type: ignore[arg-type]
    record = start(registry, asks(("edit", GOOD)))
    first = {record.waiting[0].key: "yes"}
    record = again(registry, record.state, decisions=first)
    assert [(call.kind, call.text) for call in record.waiting] == [("approval", "person 2")]
    with pytest.raises(ValueError, match="no call waits"):  # what the first one said counts once
        again(registry, record.state, decisions=first)
    after = again(registry, record.state, asks(), decisions={record.waiting[0].key: "yes"})
    assert (after.messages[2]["content"], asked) == ("done", [False, True, True])


def test_an_approved_call_may_wait_for_its_result() -> None:
    tools = Tools(Policy()).registry
    record = start(tools, asks(("web_fetch", PAGE)))
    assert record.waiting[0].kind == "approval"
    approved = again(tools, record.state, decisions={record.waiting[0].key: "yes"})
    assert (approved.stopped, approved.waiting[0].kind) == ("paused", "external")
    assert approved.waiting[0].key != record.waiting[0].key
    after = again(tools, approved.state, asks(), results={approved.waiting[0].key: "a page"})
    assert (after.stopped, after.messages[2]["content"]) == ("answer", "a page")


def test_limits_count_over_the_whole_run() -> None:
    tools = Tools()
    script = asks(("glob", {"pattern": "*"})), asks(("edit", GOOD))
    record = start(tools.registry, *script, budget=Budget(calls=2), max_rounds=3)
    assert (record.stopped, record.state.rounds, record.state.calls) == ("paused", 2, 2)
    decisions = {record.waiting[0].key: "yes"}
    options: dict[str, Any] = {"decisions": decisions, "max_rounds": 3}
    after = again(tools.registry, record.state, script[0], budget=Budget(calls=2), **options)
    assert (after.stopped, after.exceeded, tools.ran) == ("budget", "calls", ["*", "/a"])
    after = again(tools.registry, record.state, script[0], **options)
    assert (after.stopped, [each.number for each in after.rounds]) == ("rounds", [2, 3])
    more = again(tools.registry, after.state, asks(), max_rounds=4)
    assert (more.stopped, [each.number for each in more.rounds]) == ("answer", [4])
    spent = again(tools.registry, record.state, budget=Budget(seconds=record.state.seconds / 2), **options)
    assert (spent.stopped, spent.exceeded) == ("budget", "seconds")


def test_failures_before_the_pause_count() -> None:
    async def fails(params: Any, context: ToolContext) -> ToolResult:
        return ToolResult.failed("no such folder")

    def tools() -> ToolRegistry:
        registry = Tools().registry
        registry.replace(GLOB, fails)
        return registry

    search = ("glob", {"pattern": "*"})
    record = start(tools(), asks(search), asks(search, ("edit", GOOD)))
    after = again(tools(), record.state, asks(search), decisions={record.waiting[0].key: "no"})
    assert (after.stopped, len(after.rounds)) == ("repeated", 2)
    assert again(tools(), after.state).rounds == ()


def test_calls_that_their_handlers_defer() -> None:
    """One runs once it is approved, since it is told; the other one's work goes on elsewhere."""

    async def careful(params: Any, context: ToolContext) -> str:
        if not context.approved:
            raise CallDeferred("for Ann", kind="approval")
        return "edited with care"

    async def later(params: Any, context: ToolContext) -> str:
        raise CallDeferred("job 7")

    tools = ToolRegistry(check_results=False)
    tools.register(EDIT, careful)  # type: ignore[arg-type]
    tools.register(WEB_FETCH, later)  # type: ignore[arg-type]
    script = asks(("edit", GOOD), ("web_fetch", PAGE))
    record = start(tools, script)
    edited, fetched = record.waiting
    assert [(call.kind, call.text) for call in record.waiting] == [
        ("approval", "for Ann"),
        ("external", "job 7"),
    ]
    results = {fetched.key: "a page"}
    after = again(tools, record.state, asks(), decisions={edited.key: "yes"}, results=results)
    told = tool_texts(after)
    assert (after.stopped, told) == ("answer", ["edited with care", "a page"])
    alone = start(tools, script, asks(), pause=False)
    told = tool_texts(alone)
    assert "nobody to ask" in told[0]
    assert "nothing here waits for it" in told[1]
    assert "job 7" not in "".join(told)


def test_what_handlers_asked_for_again_before_the_pause_counts() -> None:
    async def asks_again(params: Any, context: ToolContext) -> ToolResult:
        raise RetryError("another pattern")

    tools = Tools().registry
    tools.replace(GLOB, asks_again)
    record = start(tools, asks(("glob", {"pattern": "*"}), ("edit", GOOD)))
    assert record.state.attempts == {"glob": 1}
    search = asks(("glob", {"pattern": "?"}))
    after = again(tools, record.state, search, asks(), decisions={record.waiting[0].key: "no"})
    told = tool_texts(after)
    assert "attempt 1 of 3" in told[0]
    assert "attempt 2 of 3" in told[2]
    assert after.state.attempts == {"glob": 2}


def test_calls_after_one_that_runs_alone_wait_for_it() -> None:
    """In every process: what comes after is begun when its result is there."""

    def made() -> Tools:
        tools = Tools()
        tools.registry.replace(msgspec.structs.replace(EDIT, parallel=False), tools.edit)
        return tools

    first, second, third = made(), made(), made()
    answer = asks(("glob", {"pattern": "1"}), ("edit", GOOD), ("glob", {"pattern": "2"}), ("edit", B))
    record = start(first.registry, answer)
    assert (first.ran, [call.index for call in record.waiting]) == (["1"], [1])
    later = again(second.registry, record.state, decisions={record.waiting[0].key: "yes"})
    assert (later.stopped, second.ran) == ("paused", ["/a", "2"])
    [call] = later.waiting
    assert (call.index, call.arguments) == (3, B)
    after = again(third.registry, later.state, asks(), decisions={call.key: "yes"})
    assert (after.stopped, third.ran) == ("answer", ["/b"])
    answered(after)
    told = tool_texts(after)
    assert told == ["nothing", "edited /a", "nothing", "edited /b"]


def test_one_that_runs_alone_waits_for_the_calls_before_it() -> None:
    def made() -> Tools:
        tools = Tools()
        tools.registry.replace(msgspec.structs.replace(GLOB, parallel=False), tools.glob)
        return tools

    first, second = made(), made()
    record = start(first.registry, asks(("web_fetch", PAGE), ("edit", GOOD), ("glob", {"pattern": "*"})))
    assert (first.ran, [call.kind for call in record.waiting]) == ([], ["external", "approval"])
    fetched, edited = record.waiting
    later = again(second.registry, record.state, decisions={edited.key: "yes"})
    assert (later.stopped, second.ran) == ("paused", ["/a"])
    after = again(second.registry, later.state, asks(), results={fetched.key: "a page"})
    assert (after.stopped, second.ran) == ("answer", ["/a", "*"])


def test_an_answer_is_the_same_answer_again_without_asking() -> None:
    tools = Tools().registry
    record = start(tools, asks(("glob", {"pattern": "*"})), asks())
    after = again(tools, record.state, AssertionError("the model was asked"))
    assert (after.stopped, after.response, after.messages) == ("answer", record.response, record.messages)


def test_a_run_goes_on_from_the_record_of_an_exception() -> None:
    tools = Tools()
    with pytest.raises(ConnectionError) as raised:
        start(tools.registry, asks(("glob", {"pattern": "*"})), ConnectionError("no route"))
    record = record_in(raised)
    after = again(tools.registry, record.state, asks())
    assert (after.stopped, tools.ran, [each.number for each in after.rounds]) == ("answer", ["*"], [2])
    answered(after)


def test_a_cancelled_round_keeps_calls_unbegun_after_one_that_ran_alone() -> None:
    """What is known of the calls before them says nothing about these."""
    started: list[str] = []

    async def slow(params: Any, context: ToolContext) -> str:
        started.append(context.call_id)
        if len(started) == 1:
            await asyncio.sleep(60)
        return "edited"

    registry = ToolRegistry(check_results=False)
    registry.register(EDIT, slow)  # type: ignore[arg-type]
    alone = msgspec.structs.replace(GLOB, parallel=False)
    registry.register(alone, lambda params, context: "nothing")  # type: ignore[arg-type]
    script = asks(("glob", {"pattern": "*"}), ("edit", GOOD), ("edit", B))

    record = cancelled(script, registry, started, 1, limit=1)
    assert record.state.pending is not None
    assert record.state.pending.begun == (1,)
    after = again(registry, record.state, asks())
    told = tool_texts(after)
    assert (told[0], told[2], started) == ("nothing", "edited", ["c1", "c2"])
    assert "look before you call it again" in told[1]


def test_a_cancelled_round_keeps_the_results_of_calls_that_ended() -> None:
    started: list[str] = []

    async def slow(params: Any, context: ToolContext) -> str:
        started.append(context.call_id)
        if params.new_string != "quick":
            await asyncio.sleep(60)
        return params.new_string

    registry = ToolRegistry(check_results=False)
    registry.register(EDIT, slow)  # type: ignore[arg-type]
    registry.register(GLOB, lambda params, context: "nothing")  # type: ignore[arg-type]
    script = asks(
        ("functions.edit", {**GOOD, "new_string": "quick"}),
        ("edit", GOOD),
        ("functions.edit", B),
        ("glob", {"pattern": "*"}),
    )

    record = cancelled(script, registry, started, 3, limit=2)
    assert started == ["c0", "c1", "c2"]
    after = again(registry, record.state, asks())
    told = tool_texts(after)
    assert told[0] == "quick"
    assert all("It may have taken effect" in text for text in told[1:3])
    assert told[3] == "nothing"
    assert started == ["c0", "c1", "c2"]


def test_a_cancelled_round_keeps_calls_that_wait() -> None:
    jobs: list[str] = []

    async def job(params: Any, context: ToolContext) -> str:
        jobs.append(params.file_path)
        if params.file_path == "/b":
            await asyncio.sleep(60)
        raise CallDeferred(f"job {params.file_path}")

    registry = ToolRegistry(check_results=False)
    registry.register(EDIT, job)  # type: ignore[arg-type]

    record = cancelled(asks(("edit", GOOD), ("edit", B)), registry, jobs, 2, limit=8)
    [call] = record.waiting
    assert call.text == "job /a"
    after = again(registry, record.state, asks(), results={call.key: "it is done"})
    told = tool_texts(after)
    assert told[0] == "it is done"
    assert "It may have taken effect" in told[1]
    assert jobs == ["/a", "/b"]


def test_with_an_approver_nothing_pauses() -> None:
    async def yes(request: Any) -> Any:
        return "yes"

    tools = Tools(Policy(approver=yes))
    assert start(tools.registry, asks(("edit", GOOD)), asks()).stopped == "answer"
    assert tools.ran == ["/a"]


def test_a_run_that_must_not_pause_is_answered() -> None:
    tools = Tools()
    record = start(tools.registry, asks(("edit", GOOD), ("web_fetch", PAGE)), asks(), pause=False)
    assert record.stopped == "answer"
    assert "there is nobody to ask" in record.calls[0].result.error
    assert "nothing waits for results" in record.calls[1].result.error


def test_a_framework_of_the_programs_own_stays() -> None:
    class InterruptError(Exception):
        pass

    async def interrupt(request: Any) -> Any:
        raise InterruptError

    framework = Framework(approver=interrupt, passes=(InterruptError,))
    with pytest.raises(ExceptionGroup) as raised:
        start(
            Tools().registry,
            asks(("edit", GOOD), ("edit", B)),
            context=ToolContext(framework=framework),
        )
    assert raised.group_contains(InterruptError)


def test_inside_of_a_delegation_a_run_does_not_pause_unless_it_is_told_to() -> None:
    inner = Tools()

    async def team(pause: bool | None) -> Record:
        model = Scripted(asks(("edit", GOOD)), asks())
        return await delegate(lambda: run_tools(model, inner.registry, USER, format="openai", pause=pause))

    assert asyncio.run(team(None)).stopped == "answer"
    assert asyncio.run(team(True)).stopped == "paused"


def test_a_run_inside_of_a_paused_run_goes_on_with_it() -> None:
    """The outer call waits for the inner run, as it would for any job."""
    inner = Tools()
    kept: dict[str, bytes] = {}

    async def start_agent(params: Any, context: ToolContext) -> str:
        model = Scripted(asks(("edit", GOOD)))
        record = await delegate(lambda: run_tools(model, inner.registry, USER, format="openai", pause=True))
        if record.stopped == "paused":
            kept[context.call_id] = record.state.encode()
            raise CallDeferred(context.call_id)
        return "done"

    outer = ToolRegistry(check_results=False)
    outer.register(GLOB, start_agent)  # type: ignore[arg-type]
    record = start(outer, asks(("glob", {"pattern": "*"})))
    [waiting] = record.waiting
    state = RunState.decode(kept[waiting.text])
    result = again(inner.registry, state, asks(), decisions={state.waiting[0].key: "yes"})
    after = again(outer, record.state, asks(), results={waiting.key: result.calls[0].result.output})
    assert after.messages[2]["content"] == "edited /a"
    assert inner.ran == ["/a"]


def test_events_of_a_paused_and_a_resumed_run() -> None:
    seen: list[LoopEvent] = []
    tools = Tools().registry
    record = start(tools, asks(("glob", {"pattern": "*"}), ("edit", GOOD)), on_event=seen.append)
    assert [type(event) for event in seen] == [RoundStarted, Calling, Called, Calling, Stopped]
    seen.clear()
    again(tools, record.state, asks(), decisions={record.waiting[0].key: "no"}, on_event=seen.append)
    assert [type(event) for event in seen] == [Called, RoundEnded, RoundStarted, RoundEnded, Stopped]


def test_a_disclosure_goes_on_in_its_turn() -> None:
    first, second = Disclosure(Tools().registry, "openai"), Disclosure(Tools().registry, "openai")
    first.disclose("web_fetch")
    record = start(first, asks(("glob", {})), asks(("edit", GOOD)))
    assert record.stopped == "paused"
    model = Scripted(asks())
    state = RunState.decode(record.state.encode())
    asyncio.run(resume(model, second, state, decisions={record.waiting[0].key: "yes"}, format="openai"))
    assert model.seen[0][1] == first.definitions()
    assert (second.names, second.level_of("glob"), second.level_of("edit")) == (first.names, "full", "brief")


def test_a_state_of_another_format_is_refused() -> None:
    tools = Tools().registry
    record = start(tools, asks(("edit", GOOD)))
    with pytest.raises(ValueError, match="a run in the format 'openai': it cannot go on in 'anthropic'"):
        asyncio.run(resume(Scripted(asks()), tools, record.state, format="anthropic"))


def test_references_to_secrets_stay_references() -> None:
    registry = ToolRegistry(policy=Policy(), secrets=lambda name: "correct-horse")
    seen: list[str] = []

    async def note(params: Any, context: ToolContext) -> ToolResult:
        seen.append(params.new_string)
        return ToolResult.ok(params.new_string)

    registry.register(msgspec.structs.replace(EDIT, secrets=("new_string",)), note)
    record = start(registry, asks(("edit", {**GOOD, "new_string": "<secret_ref:PASSWORD>"})))
    assert record.waiting[0].arguments["new_string"] == "<secret_ref:PASSWORD>"
    after = again(registry, record.state, asks(), decisions={record.waiting[0].key: "yes"})
    assert seen == ["correct-horse"]
    assert b"correct-horse" not in record.state.encode() + after.state.encode()


def test_the_model_is_asked_once_for_its_final_output() -> None:
    tools = Tools().registry
    answer = asks()
    with pytest.raises(ConnectionError) as raised:
        start(tools, answer, ConnectionError("no route"), final=MEMORY_STORE)
    record = record_in(raised)
    after = again(tools, record.state, answer, final=MEMORY_STORE)
    assert (after.stopped, after.output, len(after.rounds)) == ("answer", None, 1)


def test_the_final_output_is_the_same_again_without_asking() -> None:
    tools = Tools().registry
    output = {"content": "It is so.", "tags": ["a"]}
    script = asks(("glob", {"pattern": "*"}), ("memory_store", output))
    record = start(tools, script, final=MEMORY_STORE)
    after = again(tools, record.state, AssertionError("the model was asked"), final=MEMORY_STORE)
    assert (after.stopped, after.output) == ("answer", record.output)
    assert record.output == MEMORY_STORE.decode(output)


def test_an_adapter_of_ones_own_pauses_and_goes_on() -> None:
    options: dict[str, Any] = {"dispatcher": Own, "provider": "mcp"}
    script = [("glob", {"pattern": "*"}), ("edit", GOOD), ("web_fetch", PAGE)]
    record = asyncio.run(run_tools(Scripted(script), Tools().registry, [], **options))
    edit, page = record.waiting
    state = RunState.decode(record.state.encode())
    tools = Tools()
    after = asyncio.run(
        resume(
            Scripted([]),
            tools.registry,
            state,
            decisions={edit.key: "yes"},
            results={page.key: "a page"},
            **options,
        )
    )
    assert (after.stopped, tools.ran) == ("answer", ["/a"])
    assert [each.output for each in after.messages[1:4]] == ["nothing", "edited /a", "a page"]
    with pytest.raises(ValueError, match="a run in the format '': it cannot go on in 'openai'"):
        again(tools.registry, record.state)


def test_an_answer_that_is_read_in_another_way_is_refused() -> None:
    class Fewer(Own):
        def read(self, response: Any) -> ReadAnswer:
            return super().read(response[:1])

    class Others(Own):
        def read(self, response: Any) -> ReadAnswer:
            return ReadAnswer(messages=[], calls=[Asked("", "glob", "{}") for _ in response])

    script = [("edit", GOOD), ("edit", B)]
    record = asyncio.run(run_tools(Scripted(script), Tools().registry, [], dispatcher=Own, provider="mcp"))
    for other, words in ((Fewer, "had 2 calls, not 1, when it was stored"), (Others, "had other calls when")):
        work = resume(Scripted([]), Tools().registry, record.state, dispatcher=other, provider="mcp")
        with pytest.raises(ValueError, match=words):
            asyncio.run(work)
