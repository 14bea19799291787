"""parse → execute → render: in order, at once, within the limit, and nothing is left behind."""

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from toolcast.agents.dispatch import Assembler, Dispatcher, DispatchError
from toolcast.runtime import ToolContext, ToolRegistry, ToolResult, UnknownProviderError

from generated.registry import BINDINGS
from tests.agents.dispatch.answers import ANSWERS, Asked, answered, id_for, mcp
from tests.agents.dispatch.streaming import STREAMS
from tests.runtime.sample.files.edit import EDIT, EditParams, EditResult
from tests.runtime.sample.misc.note import NOTE

OWN = ("openai", "anthropic", "bedrock")
"""Formats for which the sample's `edit` has a definition."""


def edit_call(format: str, i: int, path: str = "/a") -> Asked:
    text = json.dumps({"file_path": path, "old_string": str(i), "new_string": "y"})
    return Asked(id_for(format, i), "edit", text)


def registry(handler: Callable[..., Any], **options: Any) -> ToolRegistry:
    made = ToolRegistry(check_results=False, **options)
    made.register(EDIT, handler)
    return made


def run(work: Coroutine[Any, Any, Any]) -> Any:
    """Run, and hold that no task is left."""

    async def whole() -> Any:
        before = asyncio.all_tasks()
        try:
            return await work
        finally:
            await asyncio.sleep(0)
            assert asyncio.all_tasks() == before

    return asyncio.run(whole())


async def echo(params: EditParams, _: ToolContext) -> str:
    return f"{params.file_path} {params.old_string}"


@pytest.mark.parametrize("format", OWN)
def test_calls_are_answered_in_their_order(format: str) -> None:
    async def slower_first(params: EditParams, _: ToolContext) -> str:
        await asyncio.sleep(0.03 - 0.01 * int(params.old_string))
        return params.old_string

    calls = [edit_call(format, i) for i in range(3)]
    messages = run(Dispatcher(registry(slower_first), format).run(ANSWERS[format](calls)))
    found = answered(format, messages)
    assert [id for id, _ in found] == [call.id for call in calls]
    assert [str(i) in json.dumps(result) for i, (_, result) in enumerate(found)] == [True] * 3


@pytest.mark.parametrize("arguments", ["null", " null ", "", "{}"])
@pytest.mark.parametrize("tool", ["cron_list", "edit"])
def test_the_text_null_is_no_arguments(tool: str, arguments: str) -> None:
    tools = ToolRegistry(check_results=False)
    tools.register(BINDINGS[tool], lambda params, _: ToolResult.ok(f"called with {params}"))
    function = {"name": tool, "arguments": arguments}
    calls = [{"id": "1", "type": "function", "function": function}]
    answer = {"choices": [{"finish_reason": "tool_calls", "message": {"tool_calls": calls}}]}
    [message] = run(Dispatcher(tools, "openai").run(answer))
    if tool == "cron_list":
        assert message["content"].startswith("called with CronListParams(")
    else:
        for name in BINDINGS[tool].schema()["required"]:
            assert f"missing required property `{name}`" in message["content"]


@pytest.mark.parametrize("format", OWN)
def test_streams_and_no_calls(format: str) -> None:
    dispatcher = Dispatcher(registry(echo), format)
    assert run(dispatcher.run(ANSWERS[format]([]))) == []
    calls = [edit_call(format, 0)]
    stream = Assembler(format)
    for event in STREAMS[format](calls, [list(calls[0].text)], lambda _: 0):
        stream.feed(event)
    assert run(dispatcher.run(stream.response())) == run(dispatcher.run(ANSWERS[format](calls)))


def test_mcp() -> None:
    def replace(params: EditParams, _: ToolContext) -> EditResult:
        return EditResult(replaced=len(params.file_path))

    (answer,) = run(Dispatcher(registry(replace), "mcp").run(mcp(edit_call("mcp", 0))))
    assert answer["structuredContent"] == {"replaced": 2}
    assert answer["isError"] is False


def test_what_is_wrong_with_a_call_is_its_result() -> None:
    calls = [
        Asked("a", "edti", "{}"),
        Asked("b", "edit", "not json"),
        Asked("c", "edit", '{"file_path": 5}'),
        edit_call("openai", 3),
    ]
    messages = run(Dispatcher(registry(echo), "openai").run(ANSWERS["openai"](calls)))
    texts = [message["content"] for message in messages]
    assert texts[0].startswith("Error: There is no tool 'edti'. Did you mean edit?")
    assert "not valid JSON" in texts[1]
    assert "file_path" in texts[2]
    assert texts[3] == "/a 3"


def test_at_most_so_many_at_once() -> None:
    running, most = 0, 0

    async def count(_: EditParams, __: ToolContext) -> str:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.002)
        running -= 1
        return "done"

    calls = [edit_call("openai", i) for i in range(40)]
    messages = run(Dispatcher(registry(count), "openai", limit=5).run(ANSWERS["openai"](calls)))
    assert len(messages) == 40
    assert most == 5
    with pytest.raises(ValueError, match="limit must be at least 1"):
        Dispatcher(registry(count), "openai", limit=0)


@pytest.mark.parametrize("n", [1, 3])
def test_a_timeout_is_a_result_and_reaches_the_handler(n: int) -> None:
    stopped: list[str] = []

    async def slow(params: EditParams, _: ToolContext) -> str:
        if params.old_string == "0":
            try:
                await asyncio.sleep(30)
            except asyncio.CancelledError:
                stopped.append(params.old_string)
                raise
        return "done"

    calls = [edit_call("openai", i) for i in range(n)]
    messages = run(Dispatcher(registry(slow, timeout=0.02), "openai").run(ANSWERS["openai"](calls)))
    assert "did not finish within 0.02 s" in messages[0]["content"]
    assert [message["content"] for message in messages[1:]] == ["done"] * (n - 1)
    assert stopped == ["0"]


@pytest.mark.parametrize("n", [1, 4])
def test_cancelling_reaches_every_handler(n: int) -> None:
    began, stopped = 0, 0

    async def wait(_: EditParams, __: ToolContext) -> str:
        nonlocal began, stopped
        began += 1
        try:
            await asyncio.sleep(30)
        finally:
            await asyncio.sleep(0)  # cleaning up takes a moment, and is waited for
            stopped += 1
        return "never"

    async def whole() -> None:
        calls = [edit_call("openai", i) for i in range(n)]
        task = asyncio.create_task(Dispatcher(registry(wait), "openai").run(ANSWERS["openai"](calls)))
        while began < n:
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert stopped == n

    run(whole())


def test_a_handler_that_is_cancelled_from_inside_spoils_no_other() -> None:
    async def odd(params: EditParams, _: ToolContext) -> str:
        if params.old_string == "1":
            raise asyncio.CancelledError
        await asyncio.sleep(0.005)
        return "done"

    calls = [edit_call("openai", i) for i in range(3)]
    messages = run(Dispatcher(registry(odd), "openai").run(ANSWERS["openai"](calls)))
    assert [message["content"] == "done" for message in messages] == [True, False, True]
    assert "internal error CancelledError" in messages[1]["content"]


def test_a_crash_is_a_result() -> None:
    def crash(params: EditParams, _: ToolContext) -> str:
        if params.old_string == "1":
            raise SystemExit
        raise TimeoutError("the password is hunter2")

    calls = [edit_call("openai", i) for i in range(2)]
    messages = run(Dispatcher(registry(crash, timeout=5), "openai").run(ANSWERS["openai"](calls)))
    assert all("internal error" in message["content"] for message in messages)
    assert "hunter2" not in json.dumps(messages)


def test_handlers_know_their_call() -> None:
    seen: list[ToolContext] = []

    async def look(_: EditParams, context: ToolContext) -> str:
        seen.append(context)
        return ""

    calls = [edit_call("anthropic", i) for i in range(2)]
    given = ToolContext(tool="left over", call_id="left over", extra={"user": "u"})
    run(Dispatcher(registry(look), "anthropic").run(ANSWERS["anthropic"](calls), given))
    assert [(each.tool, each.call_id, each.provider, each.extra) for each in seen] == [
        ("edit", call.id, "anthropic", {"user": "u"}) for call in calls
    ]


def test_a_dialect_that_was_not_generated_is_the_programs_fault() -> None:
    with pytest.raises(UnknownProviderError):
        run(Dispatcher(registry(echo), "cohere").run(ANSWERS["cohere"]([edit_call("cohere", 0)])))
    # Its format may carry the dialect of another.
    messages = run(
        Dispatcher(registry(echo), "cohere", provider="openai").run(
            ANSWERS["cohere"]([edit_call("cohere", 0)])
        )
    )
    assert messages[0]["content"][0]["document"]["data"] == {"output": "/a 0"}


def test_a_cut_call_is_not_carried_out() -> None:
    done: list[int] = []

    def wipe(_: Any, __: ToolContext) -> str:
        done.append(1)
        return "wiped"

    made = ToolRegistry()
    made.register(NOTE, wipe)
    block = {"type": "tool_use", "id": "x", "name": "note", "input": {}}
    answer = {"stop_reason": "max_tokens", "content": [block]}
    (message,) = run(Dispatcher(made, "anthropic").run(answer))
    assert message["content"][0]["is_error"] is True
    assert "length limit" in message["content"][0]["content"]
    assert done == []


def test_no_answer_is_an_error() -> None:
    with pytest.raises(DispatchError, match="no answer of openai"):
        run(Dispatcher(registry(echo), "openai").run({"error": "no"}))


def test_one_dispatcher_serves_many_loops_and_threads() -> None:
    dispatcher = Dispatcher(registry(echo), "openai", limit=2)
    failures: list[Any] = []

    def work(number: int) -> None:
        calls = [edit_call("openai", i, f"/{number}") for i in range(20)]
        messages = asyncio.run(dispatcher.run(ANSWERS["openai"](calls)))
        if [message["content"] for message in messages] != [f"/{number} {i}" for i in range(20)]:
            failures.append(messages)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_nothing_is_imported_before_it_is_asked_for() -> None:
    root = Path(__file__).resolve().parents[3]
    code = (
        "import sys, toolcast.runtime; print(any('dispatch' in m for m in sys.modules));"
        "before = set(sys.modules); import toolcast.agents.dispatch;"
        "print(*{m.partition('.')[0] for m in set(sys.modules) - before} - set(sys.stdlib_module_names))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "toolcast"]
