"""Calls that a program makes: answered in the forms of the protocol, and carried out like any other call."""

import asyncio
from typing import Any

import pytest
from toolcast.runtime import RefusalError, ToolContext, ToolRegistry, ToolResult, UnknownProviderError
from toolcast.runtime.code import CodeLimits, CodeServer
from toolcast.runtime.middleware.events import Event, Finished
from toolcast.runtime.middleware.policy import Policy
from toolcast.runtime.middleware.secrets import Secrets
from toolcast.runtime.result import Content

from tests.runtime.code.sandboxes import GOOD, Sandbox, note, registry, renamed, run_program, serving
from tests.runtime.sample.files.edit import EDIT, EditResult
from tests.runtime.sample.misc.note import NOTE


def note_registry(handler: Any, **changes: Any) -> ToolRegistry:
    made = ToolRegistry()
    made.register(renamed(NOTE, **changes), handler)
    return made


def only_answer(tools: ToolRegistry, request: dict[str, Any], **options: Any) -> Any:
    found = []

    async def program(sandbox: Sandbox) -> None:
        found.append(await sandbox.ask(request))

    run_program(program, tools, **options)
    return found[0]


def call(function: str, **arguments: Any) -> dict[str, Any]:
    return {"id": 1, "call": function, "arguments": arguments}


def test_a_typed_result_is_data_and_any_other_is_text() -> None:
    async def program(sandbox: Sandbox) -> None:
        assert await sandbox.ask({"id": 7, "call": "files.edit", "arguments": GOOD}) == {
            "id": 7,
            "result": {"replaced": 1},
        }
        assert await sandbox.ask(call("misc.note", text="x")) == {"id": 1, "result": "noted x"}
        assert await sandbox.ask(note(0)) == {"id": 0, "result": "noted x"}

    run = run_program(program)
    assert run.ended == "closed"
    assert run.requests == 3
    assert [(each.function, each.tool, each.error) for each in run.calls] == [
        ("files.edit", "edit", None),
        ("misc.note", "note", None),
        ("misc.note", "note", None),
    ]
    assert run.calls[0].arguments == GOOD
    assert run.calls[0].result.data == EditResult(replaced=1)
    assert all(each.seconds >= 0 for each in run.calls)
    assert len({each.id for each in run.calls}) == 3


def test_a_typed_result_is_whole_where_its_text_is_cut() -> None:
    tools = ToolRegistry(output_limit=20)
    tools.register(EDIT, lambda *_: EditResult(replaced=1, note="n" * 500))
    found = only_answer(tools, {"id": 1, "call": "files.edit", "arguments": GOOD})
    assert found["result"] == {"replaced": 1, "note": "n" * 500}


def test_a_text_in_the_place_of_a_typed_result_is_text() -> None:
    tools = ToolRegistry(check_results=False)
    tools.register(EDIT, lambda *_: ToolResult.ok("done"))
    assert only_answer(tools, {"id": 1, "call": "files.edit", "arguments": GOOD})["result"] == "done"


def test_what_code_cannot_hold_is_said_in_words() -> None:
    image, more = Content.image(b"123", "image/png"), Content.of("and more")
    tools = note_registry(lambda *_: ToolResult.ok("here", content=(image, more)))
    found = only_answer(tools, note(1))["result"]
    assert found == "here\n[image, image/png, 3 bytes: left out, code gets text]\nand more"


def test_each_failure_has_its_kind() -> None:
    def refuse(*_: Any) -> Any:
        raise RefusalError("not today")

    def break_down(*_: Any) -> Any:
        raise KeyError("secret detail")

    bad = only_answer(registry(), call("files.edit", file_path="/a"))["error"]
    assert bad["kind"] == "arguments"
    assert "old_string" in bad["message"]
    unknown = only_answer(registry(), call("file.edit"))["error"]
    assert unknown == {"kind": "unknown", "message": "There is no 'file.edit'. Did you mean files.edit?"}
    handler = only_answer(note_registry(refuse), note(1))["error"]
    assert handler == {"kind": "failed", "message": "not today"}
    bug = only_answer(note_registry(break_down), note(1))["error"]
    assert bug["kind"] == "failed"
    assert "secret detail" not in bug["message"]
    denied = only_answer(registry(policy=Policy(autonomy="read_only")), note(1))["error"]
    assert denied["kind"] == "refused"
    assert "only tools that read" in denied["message"]


def test_closed_tools_are_refused() -> None:
    tools = registry()
    asyncio.run(tools.aclose())
    assert only_answer(tools, note(1))["error"]["kind"] == "refused"


def test_a_tool_for_the_model_alone_is_refused_without_running() -> None:
    ran = []
    for_model = note_registry(lambda *_: ran.append(1), callers=("model",))
    refused = only_answer(for_model, note(1))["error"]
    assert refused["kind"] == "refused"
    assert "by the model only" in refused["message"]
    assert ran == []
    for callers in (("code",), ("model", "code"), None):
        allowed = note_registry(lambda *_: "ran", callers=callers)
        assert only_answer(allowed, note(1))["result"] == "ran"


def test_an_external_tool_is_for_the_model() -> None:
    """Its result comes later: no program waits for it."""
    tools = registry()
    tools.register(renamed(NOTE, name="later", external=True))

    async def program(sandbox: Sandbox) -> None:
        refused = await sandbox.ask(call("misc.later", text="x"))
        assert refused["error"]["kind"] == "refused"
        assert "let the model call the tool 'later'" in refused["error"]["message"]
        listed = await sandbox.ask({"id": 2, "list": "misc"})
        assert listed["result"]["functions"] == ["note"]

    run = run_program(program, tools)
    assert [each.error for each in run.calls] == ["refused"]


def test_the_programs_approver_is_asked_and_its_no_is_an_error() -> None:
    asked = []

    def approver(request: Any) -> str:
        asked.append((request.tool, request.params.text, request.call_id))
        return "yes" if request.params.text == "fine" else "no"

    tools = registry(policy=Policy(autonomy="supervised", approver=approver))

    async def program(sandbox: Sandbox) -> None:
        assert (await sandbox.ask(call("misc.note", text="fine")))["result"] == "noted fine"
        refused = (await sandbox.ask(call("misc.note", text="bad")))["error"]
        assert refused["kind"] == "refused"

    run = run_program(program, tools, context=ToolContext(call_id="c7"))
    assert asked == [("note", "fine", "c7.1"), ("note", "bad", "c7.2")]
    assert [each.error for each in run.calls] == [None, "refused"]


def test_handlers_get_the_context_of_whoever_runs_the_program() -> None:
    seen: list[ToolContext] = []

    def handler(_: Any, context: ToolContext) -> str:
        seen.append(context)
        return "ok"

    context = ToolContext(
        tool="run_code", call_id="c1", extra={"user": "u"}, approved=True, report=lambda *_: None
    )
    only_answer(note_registry(handler), note(1), context=context)
    assert (seen[0].tool, seen[0].call_id, seen[0].extra) == ("note", "c1.1", {"user": "u"})
    assert seen[0].report is not None
    assert not seen[0].approved  # somebody approved the program, not this call
    assert seen[0].framework is None


def test_the_provider_of_the_call_that_runs_the_program_is_not_that_of_its_calls() -> None:
    """With the provider's own form, the arguments of the contract would be refused, or read as others."""
    seen: list[ToolContext] = []
    tools = note_registry(lambda _, context: seen.append(context) or "done")
    answer = only_answer(tools, call("misc.note", text="x"), context=ToolContext(provider="openai"))
    assert answer == {"id": 1, "result": "done"}
    assert [each.provider for each in seen] == [None]


def test_hooks_and_secrets_work_as_for_any_call() -> None:
    events: list[Event] = []

    class Hook:
        def on(self, event: Event) -> None:
            events.append(event)

    tools = ToolRegistry(hooks=Hook(), secrets=Secrets({"KEY": "hunter2hunter2"}.get))
    tools.register(renamed(NOTE, secrets=("text",)), lambda params, _: f"sent {params.text}")

    async def program(sandbox: Sandbox) -> None:
        answer = await sandbox.ask(call("misc.note", text="<secret_ref:KEY>"))
        assert "hunter2" not in str(answer)
        await sandbox.ask(call("misc.note", text="hunter2hunter2"))
        await sandbox.ask(call("misc.hunter2hunter2"))
        for text in (b'"h\\u0075nter2hunter2"', b'"hunter2hunter2", "text": "x"'):
            await sandbox.ask(b'{"id": 1, "call": "misc.note", "arguments": {"text": %s}}\n' % text)

    run = run_program(program, tools)
    assert "hunter2" not in str(run)
    assert sum(isinstance(event, Finished) for event in events) == 4


def test_calls_run_side_by_side_and_an_alone_one_by_itself() -> None:
    running: list[str] = []
    together: list[tuple[str, ...]] = []
    first, second = asyncio.Barrier(2), asyncio.Barrier(2)
    meeting = {"0": first, "1": first, "3": second, "4": second}

    async def handler(params: Any, _: ToolContext) -> str:
        running.append(params.text)
        if params.text in meeting:
            await meeting[params.text].wait()
        else:
            await asyncio.sleep(0.01)
        together.append(tuple(sorted(running)))
        running.remove(params.text)
        return params.text

    tools = ToolRegistry()
    tools.register(NOTE, handler)
    tools.register(renamed(NOTE, name="alone", parallel=False), handler)

    async def program(sandbox: Sandbox) -> None:
        for i, function in enumerate(("note", "note", "alone", "note", "note")):
            sandbox.send({"id": i, "call": f"misc.{function}", "arguments": {"text": str(i)}})
        answers = [await sandbox.answer() for _ in range(5)]
        assert {each["id"]: each["result"] for each in answers} == {i: str(i) for i in range(5)}

    run_program(program, tools)
    assert ("0", "1") in together
    assert ("3", "4") in together
    assert [each for each in together if "2" in each] == [("2",)]


def test_calls_past_the_limit_wait() -> None:
    most = running = 0

    async def handler(*_: Any) -> str:
        nonlocal most, running
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1
        return "ok"

    async def program(sandbox: Sandbox) -> None:
        for i in range(50):
            sandbox.send(note(i))
        for _ in range(50):
            assert "result" in await sandbox.answer()

    run_program(program, note_registry(handler), CodeLimits(calls_at_once=3))
    assert most == 3


def test_names_and_their_namespaces_are_listed() -> None:
    tools = registry()
    tools.register(renamed(NOTE, name="top", group=""), lambda *_: "top")
    tools.register(renamed(NOTE, name="deep", group="files/more"), lambda *_: "deep")

    async def program(sandbox: Sandbox) -> None:
        listed = await sandbox.ask({"id": 1, "list": ""})
        assert listed["result"] == {"namespaces": ["files", "misc"], "functions": ["top"]}
        listed = await sandbox.ask({"id": 2, "list": "files"})
        assert listed["result"] == {"namespaces": ["more"], "functions": ["edit"]}
        assert (await sandbox.ask({"id": 3, "list": "file"}))["error"]["kind"] == "unknown"
        assert (await sandbox.ask({**note(4), "call": "files.more.deep"}))["result"] == "deep"
        assert (await sandbox.ask({**note(5), "call": "top"}))["result"] == "top"

    run_program(program, tools)


def test_tools_outside_of_the_view_cannot_be_reached() -> None:
    tools = registry()
    reached = []
    tools.register(renamed(NOTE, name="hidden", group="private"), lambda *_: reached.append(1))
    view = tools.select(groups=["files", "misc"])

    async def main() -> None:
        async with serving(CodeServer(view, None)) as (sandbox, _):
            assert (await sandbox.ask({"id": 1, "list": ""}))["result"]["namespaces"] == ["files", "misc"]
            for name in (
                "private.hidden", "hidden", "misc.hidden", "misc.note/../hidden", "functions.hidden", "note",
                "misc.note.hidden", "misc..note", "__class__", "", "misc", "misc.note\x00", "files.edit ",
            ):  # fmt: skip
                answer = await sandbox.ask({**note(1), "call": name})
                assert answer["error"]["kind"] == "unknown", name
                assert "hidden" not in answer["error"]["message"].replace(repr(name), "")

    asyncio.run(main())
    assert reached == []


def test_calls_are_cancelled_when_the_program_ends() -> None:
    cancelled = asyncio.Event()

    async def handler(*_: Any) -> str:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.set()
            raise
        return "never"

    async def program(sandbox: Sandbox) -> None:
        sandbox.send(call("misc.note", text="x"))
        await sandbox.ask({"id": 2, "list": ""})

    run = run_program(program, note_registry(handler))
    assert cancelled.is_set()
    assert run.ended == "closed"
    assert [(each.tool, each.error) for each in run.calls] == [("note", "ended")]
    assert not run.calls[0].result.success


def test_calls_that_were_not_begun_are_recorded() -> None:
    ran: list[str] = []

    async def handler(params: Any, _: ToolContext) -> str:
        ran.append(params.text)
        await asyncio.sleep(60)
        return "never"

    async def program(sandbox: Sandbox) -> None:
        for i in range(5):
            sandbox.send(note(i, str(i)))
        await sandbox.ask({"id": 9, "list": ""})

    run = run_program(program, note_registry(handler), CodeLimits(calls_at_once=2))
    assert ran == ["0", "1"]
    assert sorted(each.arguments["text"] for each in run.calls) == ["0", "1", "2", "3", "4"]
    assert [each.error for each in run.calls] == ["ended"] * 5
    assert ["not begun" in each.result.error for each in run.calls] == [False] * 2 + [True] * 3


def test_a_tool_without_declarations_that_comes_later_stops_no_program(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is missing is for the log of the host, which may have paths of the host."""
    tools = registry()
    answers: list[Any] = []
    monkeypatch.setattr(ToolRegistry, "definitions", lambda *_, **__: b"")
    server = CodeServer(tools, "python")

    async def main() -> None:
        async with serving(server) as (sandbox, run):
            for request in ({"id": 1, "describe": ""}, {"id": 2, "list": ""}):
                answers.append(await sandbox.ask(request))
            sandbox.writer.close()
            assert (await asyncio.wait_for(run, 60)).ended == "closed"

    asyncio.run(main())
    assert answers[0]["error"]["kind"] == "failed"
    assert "/" not in answers[0]["error"]["message"]
    assert answers[1]["result"]["namespaces"] == ["files", "misc"]
    assert "UnknownProviderError" in caplog.text


def test_the_time_of_a_program_ends_its_calls_and_says_why() -> None:
    async def handler(*_: Any) -> str:
        await asyncio.sleep(60)
        return "never"

    async def program(sandbox: Sandbox) -> None:
        last = await sandbox.ask(note(1))
        assert last["id"] is None
        assert last["error"]["kind"] == "ended"
        assert "0.5 seconds" in last["error"]["message"]
        assert await sandbox.answer() is None

    run = run_program(program, note_registry(handler), CodeLimits(seconds=0.5))
    assert run.ended == "seconds"
    assert [each.error for each in run.calls] == ["ended"]


def test_cancelling_the_server_cancels_the_calls_and_closes_the_connection() -> None:
    begun, cancelled = asyncio.Event(), []

    async def handler(*_: Any) -> str:
        begun.set()
        try:
            await asyncio.sleep(60)
        finally:
            cancelled.append(1)
        return "never"

    async def main() -> None:
        async with serving(CodeServer(note_registry(handler), None)) as (sandbox, run):
            sandbox.send(note(1))
            await begun.wait()
            run.cancel()
            await asyncio.wait([run])
            assert run.cancelled()
            assert await sandbox.answer() is None

    asyncio.run(main())
    assert cancelled == [1]


def test_a_cancellation_while_calls_end_is_not_lost() -> None:
    """Whoever waits for the server with a timeout would wait on, without one."""
    begun, ending, go = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def handler(*_: Any) -> str:
        begun.set()
        try:
            await asyncio.sleep(60)
        finally:
            ending.set()
            await go.wait()
        return "never"

    async def main() -> None:
        async with serving(CodeServer(note_registry(handler), None)) as (sandbox, run):
            sandbox.send(note(1))
            await begun.wait()
            sandbox.writer.close()
            await ending.wait()
            run.cancel()
            await asyncio.sleep(0)
            go.set()
            await asyncio.wait([run])
            assert run.cancelled()

    asyncio.run(main())


def test_a_language_without_declarations_is_refused_at_the_start() -> None:
    with pytest.raises(UnknownProviderError):
        CodeServer(registry(), "typescript")


@pytest.mark.parametrize("name", ["seconds", "requests", "calls_at_once", "line", "traffic"])
def test_limits_are_above_0(name: str) -> None:
    with pytest.raises(ValueError, match="above 0"):
        CodeLimits(**{name: 0})


def test_a_line_has_room_for_an_error() -> None:
    with pytest.raises(ValueError, match="at least 1000"):
        CodeLimits(line=999)
    assert CodeLimits(line=1_000).line == 1_000
