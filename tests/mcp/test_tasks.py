"""Calls as tasks, judged by the official client: status, questions, restarts, bounds, strangers."""

# ruff: noqa: ARG001, ARG002 - a handler's signature is fixed, whatever it uses

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import pytest
from msgspec import Struct
from toolcast.mcp import BearerAuth, HttpOptions, Principal, Tasks, http_app, mcp_server, mcp_tools
from toolcast.mcp import task_extension as tasks_of_server
from toolcast.runtime import ToolContext, ToolRegistry, ToolResult, database

from generated.agents.delegate import DELEGATE, DelegateResult
from tests.mcp.conftest import MODERN, Sdk
from tests.mcp.over_http import HEADERS, MODERN_META, listening, message, result_of
from tests.mcp.scripted import Scripted, connected
from tests.mcp.test_client_requests import ARGUMENTS
from tests.mcp.test_serve_command import http
from tests.runtime.sample.files.edit import EDIT

pytestmark = pytest.mark.usefixtures("installed")
TASKS = "io.modelcontextprotocol/tasks"
APP = "tests.mcp.app:tasking"
Handler = Callable[[ToolContext], Awaitable[Any]]


async def done(context: ToolContext) -> str:
    return "done"


def server_of(handler: Handler, tasks: Tasks | None, support: Any = "optional", **options: Any) -> Any:
    async def handle(params: Any, context: ToolContext) -> Any:
        return await handler(context)

    registry = ToolRegistry(check_results=False)
    registry.register(msgspec.structs.replace(EDIT, task_support=support), handle)
    return mcp_server(registry, tasks=tasks, **options)


async def asked(sdk: Sdk, client: Any, method: str, task: str, **params: Any) -> dict[str, Any]:
    """The answer to a request for a task, sent by the SDK with the header that belongs to it."""
    types = sdk("mcp.types")

    class TaskRequest(types.Request[dict[str, Any], str]):  # type: ignore[misc,name-defined]
        name_param: ClassVar[str | None] = "taskId"

    request = TaskRequest(method=method, params={"taskId": task, **params})
    adapter = sdk("pydantic").TypeAdapter(dict[str, Any])
    answer: dict[str, Any] = await client.session.send_request(request, adapter)
    return answer


async def created(client: Any, command: str = "") -> Any:
    """The answer to a call: of the program in app.py with a command, else of `server_of`."""
    call = ("bash", {"command": command}) if command else ("edit", ARGUMENTS)
    return await client.session.call_tool(*call, allow_claimed=True)


async def begin(client: Any, command: str = "") -> str:
    """The id of a new task."""
    task: str = (await created(client, command)).task_id
    return task


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.01)


async def ended(sdk: Sdk, client: Any, task: str) -> dict[str, Any]:
    async with asyncio.timeout(60):
        while (state := await asked(sdk, client, "tasks/get", task))["status"] in (
            "working", "input_required",
        ):  # fmt: skip
            await asyncio.sleep(0.01)
    return state


def error_of(sdk: Sdk, problem: BaseException) -> int:
    assert isinstance(problem, sdk("mcp.shared.exceptions").MCPError)
    code: int = problem.code
    return code


def test_a_call_is_a_task_until_it_ends(sdk: Sdk) -> None:
    go = asyncio.Event()

    async def work(context: ToolContext) -> ToolResult:
        context.progress(1, 3, "a third\u200b")
        await go.wait()
        return ToolResult.failed("it was too much")

    async def use(client: Any) -> tuple[Any, ...]:
        made = await created(client)
        working = await asked(sdk, client, "tasks/get", made.task_id)
        while "statusMessage" not in working:
            working = await asked(sdk, client, "tasks/get", made.task_id)
        go.set()
        return made.model_dump(by_alias=True), working, await ended(sdk, client, made.task_id)

    server = server_of(work, Tasks(None, seconds=60))
    assert server.get_capabilities().extensions == {TASKS: {}}
    made, working, over = connected(sdk, server, use, extensions=[tasks_of_server()])
    assert made["resultType"] == "task"
    assert (working["status"], working["statusMessage"]) == ("working", "1 of 3: a third")
    assert working["ttlMs"] == 60_000
    assert working["resultType"] == over["resultType"] == "complete"
    # A failure is the tool's result; `failed` is for what JSON-RPC has errors for.
    assert (over["status"], over["result"]["isError"]) == ("completed", True)
    assert over["result"]["content"][0]["text"] == "it was too much"


@pytest.mark.parametrize(
    ("support", "mode", "extension", "outcome"),
    [
        ("optional", MODERN, True, "task"),
        ("optional", MODERN, False, "complete"),
        ("optional", "legacy", True, "complete"),
        ("required", MODERN, False, -32021),
        ("required", "legacy", False, "complete"),
        ("forbidden", MODERN, True, "complete"),
    ],
)
def test_who_gets_a_task(support: str, mode: str, extension: bool, outcome: Any, sdk: Sdk) -> None:
    async def use(client: Any) -> Any:
        if outcome != -32021:
            return (await created(client)).result_type
        with pytest.raises(sdk("mcp.shared.exceptions").MCPError) as refused:
            await created(client)
        assert refused.value.data == {"requiredCapabilities": {"extensions": {TASKS: {}}}}
        return refused.value.code

    options: dict[str, Any] = {"extensions": [tasks_of_server()]} if extension else {}
    made = connected(sdk, server_of(done, Tasks(None), support), use, mode, **options)
    assert made == outcome
    # A server that keeps no tasks answers when the handler has ended.
    if outcome == "task":
        assert connected(sdk, server_of(done, None, support), use, mode, **options) == "complete"


def test_older_revisions_have_no_requests_for_tasks(sdk: Sdk) -> None:
    async def use(client: Any) -> None:
        with pytest.raises(Exception, match="since the revision 2026-07-28") as refused:
            await asked(sdk, client, "tasks/get", "x")
        assert error_of(sdk, refused.value) == -32601

    connected(sdk, server_of(done, Tasks(None)), use, "legacy")


def test_cancelling_ends_the_handler_and_stays(sdk: Sdk) -> None:
    seen: list[str] = []

    async def work(context: ToolContext) -> None:
        seen.append("began")
        try:
            await asyncio.Event().wait()
        finally:
            seen.append("cancelled")

    async def use(client: Any) -> tuple[Any, ...]:
        task = await begin(client)
        await until(lambda: seen)
        first = await asked(sdk, client, "tasks/cancel", task)
        await until(lambda: len(seen) == 2)
        again = await asked(sdk, client, "tasks/cancel", task)
        return first, again, await asked(sdk, client, "tasks/get", task)

    first, again, state = connected(sdk, server_of(work, Tasks(None)), use, extensions=[tasks_of_server()])
    assert {*first, *again} == {"_meta", "resultType"}
    assert state["status"] == "cancelled"
    assert "may have taken effect" in state["statusMessage"]
    assert seen == ["began", "cancelled"]


class Order(Struct):
    name: str


def test_a_client_answers_the_questions_of_a_task(sdk: Sdk) -> None:
    async def order(context: ToolContext) -> str:
        first = await context.ask("Who?", Order, key="who")
        second = await context.ask("And then?", Order, key="who")  # answered once more
        third = await context.ask("At last?", Order)
        return f"{first.data.name} {second.data.name} {third.data.name}"

    answered: list[str] = []

    async def answer(context: Any, params: Any) -> Any:
        answered.append(params.message)
        return sdk("mcp.types").ElicitResult(action="accept", content={"name": f"bo{len(answered)}"})

    async def use(client: Any) -> Any:
        return await client.call_tool("edit", ARGUMENTS)

    result = connected(
        sdk, server_of(order, Tasks(None)), use,
        extensions=[tasks_of_server()], elicitation_callback=answer,
    )  # fmt: skip
    assert result.content[0].text == "bo1 bo2 bo3"
    assert answered == ["Who?", "And then?", "At last?"]


def test_what_a_client_cannot_do_fails_the_task(sdk: Sdk) -> None:
    async def sample(context: ToolContext) -> str:
        return (await context.sample("hello", max_tokens=5)).text

    async def use(client: Any) -> Any:
        return await ended(sdk, client, await begin(client))

    state = connected(sdk, server_of(sample, Tasks(None)), use, extensions=[tasks_of_server()])
    assert (state["status"], state["error"]["code"]) == ("failed", -32021)
    assert state["error"]["data"] == {"requiredCapabilities": {"sampling": {}}}


def test_answers_that_nothing_asked_for_change_nothing(sdk: Sdk) -> None:
    async def order(context: ToolContext) -> str:
        return str((await context.ask("Who?", Order)).data)

    async def answer(context: Any, params: Any) -> Any:
        raise AssertionError("the test answers")

    async def use(client: Any) -> Any:
        task = await begin(client)
        state = await asked(sdk, client, "tasks/get", task)
        while state["status"] == "working":
            state = await asked(sdk, client, "tasks/get", task)
        (key,) = state["inputRequests"]
        good = {"action": "accept", "content": {"name": "bo"}}
        await asked(sdk, client, "tasks/update", task, inputResponses={"other": good})
        with pytest.raises(Exception, match="is not one") as refused:
            await asked(sdk, client, "tasks/update", task, inputResponses={key: {"action": 5}})
        assert error_of(sdk, refused.value) == -32602
        assert (await asked(sdk, client, "tasks/get", task))["inputRequests"].keys() == {key}
        await asked(sdk, client, "tasks/update", task, inputResponses={key: good})
        over = await ended(sdk, client, task)
        await asked(sdk, client, "tasks/update", task, inputResponses={key: good})
        return over

    over = connected(
        sdk, server_of(order, Tasks(None)), use,
        extensions=[tasks_of_server()], elicitation_callback=answer,
    )  # fmt: skip
    assert over["result"]["content"][0]["text"] == "Order(name='bo')"


def test_a_killed_server_tells_what_it_knows_and_runs_nothing_again(sdk: Sdk, tmp_path: Path) -> None:
    notes, file = tmp_path / "notes", str(tmp_path / "tasks.sqlite")

    @asynccontextmanager
    async def client_of(process_too: bool) -> AsyncGenerator[Any]:
        served = http(APP, "--http", "0", "--tasks", file, TOOLCAST_TEST_NOTES=str(notes))
        async with served as (url, process), sdk("mcp").Client(url, extensions=[tasks_of_server()]) as client:
            yield client
            if process_too:
                process.kill()
                await process.wait()

    async def use() -> tuple[Any, ...]:
        async with client_of(True) as client:
            finished = await begin(client, "pictures")
            before = await ended(sdk, client, finished)
            running = await begin(client, "wait")
            await until(notes.exists)
            assert (await asked(sdk, client, "tasks/get", running))["status"] == "working"
        async with client_of(False) as client:
            after = await asked(sdk, client, "tasks/get", finished)
            lost = await asked(sdk, client, "tasks/get", running)
            await asked(sdk, client, "tasks/cancel", running)
            return before, after, lost, await asked(sdk, client, "tasks/get", running)

    before, after, lost, still = asyncio.run(asyncio.wait_for(use(), 120))
    assert after == before
    assert after["result"]["structuredContent"]["process_id"] == "p1"
    assert (lost["status"], lost["error"]["code"]) == ("failed", -32603)
    assert "look before you call it again" in lost["error"]["message"]
    assert still == lost
    assert notes.read_text() == "started\n"
    assert Path(file).stat().st_mode & 0o077 == 0


def test_a_server_that_stops_ends_its_tasks(sdk: Sdk, tmp_path: Path) -> None:
    seen: list[str] = []

    async def work(context: ToolContext) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            seen.append("ended")

    tasks = Tasks(tmp_path / "tasks.sqlite")
    server = server_of(work, tasks)
    extensions = [tasks_of_server()]
    task = connected(sdk, server, begin, extensions=extensions)
    state = connected(
        sdk, server, lambda client: asked(sdk, client, "tasks/get", task), extensions=extensions
    )
    assert state["status"] == "failed"
    tasks.close()

    async def use(client: Any) -> Any:
        with pytest.raises(Exception, match="The store of tasks is closed") as refused:
            await asked(sdk, client, "tasks/get", task)
        return error_of(sdk, refused.value), await created(client)

    code, call = connected(sdk, server, use, extensions=extensions)
    assert (code, call.is_error) == (-32603, True)


def test_one_process_has_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_BUSY_SECONDS", 0.01)
    first = Tasks(tmp_path / "tasks.sqlite")
    with pytest.raises(database.StorageError, match="in use by another program"):
        Tasks(tmp_path / "tasks.sqlite")
    first.close()
    Tasks(tmp_path / "tasks.sqlite").close()
    (tmp_path / "other").write_text("x" * 5000)
    with pytest.raises(database.StorageError, match="no SQLite database"):
        Tasks(tmp_path / "other")
    with pytest.raises(database.StorageError, match="cannot be opened"):
        Tasks("")  # SQLite would keep them in a file that ends with the process
    for bounds in ({"most": 0}, {"seconds": float("inf")}, {"seconds": float("nan")}):
        with pytest.raises(ValueError, match="positive"):
            Tasks(None, **bounds)


def test_a_file_may_have_any_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that means a database in memory to SQLite."""
    monkeypatch.chdir(tmp_path)
    Tasks(":memory:").close()
    assert Path(":memory:").stat().st_size > 0


@pytest.mark.parametrize("support", ["optional", "required"])
def test_tasks_and_their_results_are_bounded(support: str, sdk: Sdk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Past the bound a call that may do without a task is answered when it ends."""

    async def large(context: ToolContext) -> str:
        return "x" * 5000

    async def use(client: Any) -> tuple[Any, ...]:
        task = await begin(client)
        state = await ended(sdk, client, task)
        await begin(client)
        full = await created(client)
        now = time.time()
        monkeypatch.setattr(time, "time", lambda: now + 61)
        with pytest.raises(Exception, match="expired") as gone:
            await asked(sdk, client, "tasks/get", task)
        return state, full, error_of(sdk, gone.value), await begin(client)

    tasks = Tasks(None, seconds=60, most=2, result_size=4000)
    state, full, code, new = connected(
        sdk, server_of(large, tasks, support), use, extensions=[tasks_of_server()]
    )
    assert state["status"] == "failed"
    assert "longer than 4000" in state["error"]["message"]
    assert "result" not in state
    assert full.is_error is (support == "required")
    assert ("did not run" in full.content[0].text) is full.is_error
    assert (code, bool(new)) == (-32602, True)


def test_what_runs_longer_than_it_is_kept_is_cancelled(sdk: Sdk) -> None:
    seen: list[str] = []

    async def work(context: ToolContext) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            seen.append("ended")

    async def use(client: Any) -> None:
        await begin(client)
        await until(lambda: seen)

    connected(sdk, server_of(work, Tasks(None, seconds=0.5)), use, extensions=[tasks_of_server()])


PEOPLE = {f"token-of-{name}": Principal(id=name) for name in ("ada", "bob")}


async def verify(token: str) -> Principal | None:
    return PEOPLE.get(token)


def test_a_task_is_its_principals_alone(sdk: Sdk) -> None:
    """For another one it does not exist; nor without the header, with another's id in it, or undeclared."""
    seen: list[str] = []

    async def work(context: ToolContext) -> str:
        await context.ask("Who?", Order)
        seen.append("answered")
        return "done"

    capabilities = {"extensions": {TASKS: {}}, "elicitation": {}}
    declared = {**MODERN_META, "io.modelcontextprotocol/clientCapabilities": capabilities}

    async def use() -> dict[str, Any]:
        tasks = Tasks(None, most_of_client=1)
        app = http_app(
            server_of(work, tasks, "required"),
            options=HttpOptions(auth=BearerAuth(verify=verify), stateless=True),
        )
        httpx = sdk("httpx")
        async with listening(sdk, app) as url, httpx.AsyncClient(base_url=url, headers=HEADERS) as client:

            async def sent(who: str, method: str, header: str, meta: Any = declared, **params: Any) -> Any:
                headers = {
                    "authorization": f"Bearer token-of-{who}", "mcp-protocol-version": MODERN,
                    "mcp-method": method, **({"mcp-name": header} if header else {}),
                }  # fmt: skip
                body = message(method, 1, **params, _meta=meta)
                answer = await client.post("/mcp", json=body, headers=headers)
                return result_of(answer.text)

            call = {"name": "edit", "arguments": ARGUMENTS}
            task = (await sent("ada", "tools/call", "edit", **call))["result"]["taskId"]
            good = {"question-1": {"action": "accept", "content": {"name": "eve"}}}
            found: dict[str, Any] = {
                "get": await sent("bob", "tasks/get", task, taskId=task),
                "update": await sent("bob", "tasks/update", task, taskId=task, inputResponses=good),
                "cancel": await sent("bob", "tasks/cancel", task, taskId=task),
                "unknown": await sent("ada", "tasks/get", "t", taskId="t"),
                "no text": await sent("ada", "tasks/get", "5", taskId=5),
                "long": await sent("ada", "tasks/get", "t" * 500, taskId="t" * 500),
                "header": await sent("ada", "tasks/get", "edit", taskId=task),
                "no header": await sent("ada", "tasks/get", "", taskId=task),
                "undeclared": await sent("ada", "tasks/get", task, MODERN_META, taskId=task),
                "hears": await sent(
                    "ada", "subscriptions/listen", "", MODERN_META, notifications={"taskIds": [task]}
                ),
            }
            state = await sent("ada", "tasks/get", task, taskId=task)
            more = await sent("ada", "tools/call", "edit", **call)
            others = await sent("bob", "tools/call", "edit", **call)
            kinds = more["result"]["isError"], others["result"]["resultType"], state["result"]["status"]
            assert kinds == (True, "task", "input_required")
        return {name: each["error"]["code"] for name, each in found.items()}

    codes = asyncio.run(asyncio.wait_for(use(), 120))
    assert codes == {
        "get": -32602, "update": -32602, "cancel": -32602, "unknown": -32602, "no text": -32602,
        "long": -32602, "header": -32020, "no header": -32020, "undeclared": -32021,
        "hears": -32021,
    }  # fmt: skip
    assert seen == []


class Tasking(Scripted):
    """A server whose calls are tasks, which are told as a test says."""

    def __init__(self, sdk: Sdk, *states: dict[str, Any]) -> None:
        super().__init__(sdk, {"name": "work", "inputSchema": {"type": "object"}}, answer=self._begin)
        self.states = [*states]
        self.begun = self.cancelled = 0
        self.server.extensions[TASKS] = {}
        for method, handler in (("get", self._get), ("cancel", self._cancel), ("update", self._cancel)):
            params = sdk("mcp.types").RequestParams
            self.server.add_request_handler(f"tasks/{method}", params, handler)
        self.server.middleware.append(self._as_sent)

    async def _begin(self, context: Any, params: Any) -> Any:
        return {"content": []}

    async def _as_sent(self, context: Any, call_next: Any) -> Any:
        if context.method == "tools/call":
            self.begun += 1
            return {"resultType": "task", "taskId": "t1", "status": "working", "pollIntervalMs": -5}
        return await call_next(context)

    async def _get(self, context: Any, params: Any) -> Any:
        return self.states.pop(0) if len(self.states) > 1 else self.states[0]

    async def _cancel(self, context: Any, params: Any) -> Any:
        self.cancelled += context.method == "tasks/cancel"
        return {}


WORKING = {"status": "working", "pollIntervalMs": 0}
RESULT = {"content": [{"type": "text", "text": "it is done"}]}


@pytest.mark.parametrize(
    ("states", "text", "cancelled"),
    [
        ([WORKING, {"status": "completed", "result": RESULT}], "it is done", 0),
        ([{"status": "completed", "result": 5}], "no result of a tool", 0),
        ([{"status": "completed"}], "no result of a tool", 0),
        ([{"status": "failed", "error": {"code": -5, "message": "lost"}}], "was failed: lost", 0),
        ([{"status": "failed", "error": 5}], "does not say why", 0),
        ([{"status": "cancelled", "statusMessage": "by hand"}], "was cancelled: by hand", 0),
        ([{"status": "paused"}], "no status of the protocol", 1),
        ([{"status": "input_required", "inputRequests": 5}], "no result of a tool", 1),
        ([WORKING], "did not answer within 0.3 s", 1),
    ],
    ids=lambda value: value[0]["status"] if isinstance(value, list) else "",
)
def test_tools_of_a_server_wait_for_their_tasks(
    states: list[dict[str, Any]], text: str, cancelled: int, sdk: Sdk
) -> None:
    server = Tasking(sdk, *states)

    async def use(client: Any) -> ToolResult:
        registry = ToolRegistry()
        await mcp_tools(client, registry, server="s", timeout=0.3 if states == [WORKING] else 60)
        return await registry.execute("s__work", {})

    result = connected(sdk, server, use, extensions=[tasks_of_server()])
    assert text in (result.output or result.error)
    assert server.cancelled == cancelled


def test_a_cancelled_call_cancels_its_task(sdk: Sdk) -> None:
    server = Tasking(sdk, WORKING)

    async def use(client: Any) -> None:
        registry = ToolRegistry()
        await mcp_tools(client, registry, server="s")
        call = asyncio.create_task(registry.execute("s__work", {}))
        await until(lambda: server.begun)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)

    connected(sdk, server, use, extensions=[tasks_of_server()])
    assert server.cancelled == 1


def test_lists_have_hints_for_caches(sdk: Sdk) -> None:
    async def use(client: Any) -> tuple[int, str]:
        listed = await client.list_tools()
        return listed.ttl_ms, listed.cache_scope

    assert connected(sdk, server_of(done, None, list_seconds=1.5), use) == (1500, "private")
    assert connected(sdk, server_of(done, None), use) == (0, "private")
    for seconds in (-1, float("inf"), float("nan")):
        with pytest.raises(ValueError, match="list_seconds"):
            server_of(done, None, list_seconds=seconds)


def test_deprecated_uses_are_said_once(sdk: Sdk, caplog: pytest.LogCaptureFixture) -> None:
    async def use_both(params: Any, context: ToolContext) -> DelegateResult:
        context.log("info", "one")
        context.log("info", "two")
        await context.roots()
        said = await context.sample("hello", max_tokens=5)
        return DelegateResult(status="completed", report=said.text)

    types = sdk("mcp.types")

    async def sample(context: Any, params: Any) -> Any:
        content = types.TextContent(type="text", text="hi")
        return types.CreateMessageResult(role="assistant", content=content, model="m")

    async def roots(context: Any) -> Any:
        return types.ListRootsResult(roots=[])

    async def use(client: Any) -> None:
        work = {"agent": "reviewer", "task": "Review the change."}
        for _ in range(2):
            meta = {types.LOG_LEVEL_META_KEY: "info"}
            assert not (await client.call_tool("delegate", work, meta=meta)).is_error

    registry = ToolRegistry(check_results=False)  # of a tool of which no other test hears
    registry.register(DELEGATE, use_both)
    with caplog.at_level(logging.WARNING, "toolcast.mcp"):
        server = mcp_server(registry)
        connected(sdk, server, use, sampling_callback=sample, list_roots_callback=roots)
    said = [record.getMessage() for record in caplog.records if "SEP-2577" in record.getMessage()]
    assert [text.split(",")[0] for text in said] == [
        "'delegate' logs to its client",
        "'delegate' asks for its client's roots",
        "'delegate' asks its client's model",
    ]
