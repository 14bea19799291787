"""Handlers that log, ask the user and ask the model of the official client: both eras of the protocol."""

# ruff: noqa: ARG001 - a handler's signature is fixed, whatever it uses

import asyncio
import base64
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Annotated, Any, Literal

import pytest
from msgspec import Meta, Struct
from toolcast.mcp import HttpOptions, http_app, mcp_server
from toolcast.mcp.serving.server import WaitingCalls
from toolcast.runtime import Content, Message, RefusalError, ToolContext, ToolRegistry
from toolcast.runtime.middleware.policy import Policy

from tests.mcp.conftest import MODERN, MODES, Sdk
from tests.mcp.over_http import HEADERS, MODERN_META, listening, message
from tests.mcp.scripted import connected
from tests.runtime.sample.files.edit import EDIT

pytestmark = pytest.mark.usefixtures("installed")

every_mode = pytest.mark.parametrize("mode", MODES)
ARGUMENTS = {"file_path": "/a", "old_string": "x", "new_string": "y"}


class Order(Struct, kw_only=True):
    name: Annotated[str, Meta(description="Who?")]
    count: int = 30
    size: Literal["large", "small"] = "small"


Handler = Callable[[ToolContext], Awaitable[Any]]


def registry_of(handler: Handler, **options: Any) -> ToolRegistry:
    async def handle(params: Any, context: ToolContext) -> Any:
        return await handler(context)

    registry = ToolRegistry(check_results=False, **options)
    registry.register(EDIT, handle)
    return registry


def call(sdk: Sdk, mode: str, handler: Handler, **options: Any) -> Any:
    server = mcp_server(registry_of(handler))
    return connected(sdk, server, lambda client: client.call_tool("edit", ARGUMENTS), mode, **options)


def answering(sdk: Sdk, *answers: Any) -> tuple[list[Any], Any]:
    """A client's user: what was asked, and the callback that answers in turn."""
    asked: list[Any] = []
    waiting = [*answers]

    async def answer(context: Any, params: Any) -> Any:
        asked.append(params)
        given = waiting.pop(0)
        if isinstance(given, dict):
            return sdk("mcp.types").ElicitResult(action="accept", content=given)
        return sdk("mcp.types").ElicitResult(action=given) if isinstance(given, str) else given

    return asked, answer


async def order(context: ToolContext) -> str:
    answer = await context.ask("What do you want?", Order)
    return f"{answer.action} {answer.data}"


@every_mode
def test_the_user_fills_in_a_form(mode: str, sdk: Sdk) -> None:
    asked, callback = answering(sdk, {"name": "bo", "count": 2})
    result = call(sdk, mode, order, elicitation_callback=callback)
    assert not result.is_error
    assert result.content[0].text == f"accept {Order(name='bo', count=2)}"
    assert asked[0].message == "What do you want?"
    assert asked[0].requested_schema == {
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "Who?"},
            "count": {"type": "integer", "default": 30},
            "size": {"type": "string", "enum": ["large", "small"], "default": "small"},
        },
        "required": ["name"],
    }


@every_mode
@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_the_user_says_no(mode: str, action: str, sdk: Sdk) -> None:
    result = call(sdk, mode, order, elicitation_callback=answering(sdk, action)[1])
    assert result.content[0].text == f"{action} None"


@every_mode
@pytest.mark.parametrize(("fields", "named"), [({}, "name"), ({"name": "bo", "size": "huge"}, "size")])
def test_an_answer_that_does_not_fit_is_a_failure(mode: str, fields: Any, named: str, sdk: Sdk) -> None:
    result = call(sdk, mode, order, elicitation_callback=answering(sdk, fields)[1])
    assert result.is_error
    assert named in result.content[0].text


@every_mode
def test_several_questions_side_by_side_and_in_turn(mode: str, sdk: Sdk) -> None:
    begun: list[str] = []

    async def ask_a_lot(context: ToolContext) -> str:
        begun.append("once")
        two = await asyncio.gather(context.ask("a", Order), context.ask("b", Order))
        last = await context.ask("c", Order)
        return ",".join(each.data.name for each in (*two, last) if each.data is not None)

    async def by_message(context: Any, params: Any) -> Any:
        return sdk("mcp.types").ElicitResult(action="accept", content={"name": f"for {params.message}"})

    result = call(sdk, mode, ask_a_lot, elicitation_callback=by_message)
    assert result.content[0].text == "for a,for b,for c"
    assert begun == ["once"]  # what had run does not run again


@every_mode
def test_a_page_is_visited(mode: str, sdk: Sdk) -> None:
    async def visit(context: ToolContext) -> str:
        return (await context.ask_to_visit("Log in there.", "https://acme.example/login")).action

    asked, callback = answering(sdk, "accept")
    assert call(sdk, mode, visit, elicitation_callback=callback).content[0].text == "accept"
    assert (asked[0].mode, asked[0].url, asked[0].message) == (
        "url", "https://acme.example/login", "Log in there.",
    )  # fmt: skip


@every_mode
def test_a_model_is_asked(mode: str, sdk: Sdk) -> None:
    asked: list[Any] = []
    types = sdk("mcp.types")

    async def sample(context: Any, params: Any) -> Any:
        asked.append(params)
        if len(asked) == 1:
            content = types.TextContent(type="text", text="short")
        else:
            data = base64.b64encode(b"PNG").decode()
            content = types.ImageContent(type="image", data=data, mime_type="image/png")
        return types.CreateMessageResult(role="assistant", content=content, model="m1", stop_reason="endTurn")

    async def draw(context: ToolContext) -> str:
        first = await context.sample(
            "Shorten.", max_tokens=9, system="Be brief.", temperature=0.5, stop=["."]
        )
        picture = Message("user", Content.image(b"x", "image/png"))
        second = await context.sample([picture, Message("assistant", first.text)], max_tokens=1, models=["m"])
        assert (first.model, first.stop_reason) == ("m1", "endTurn")
        return f"{first.text} {second.content}"

    result = call(sdk, mode, draw, sampling_callback=sample)
    assert result.content[0].text == f"short {Content.image(b'PNG', 'image/png')}"
    assert asked[0].system_prompt == "Be brief."
    assert (asked[0].max_tokens, asked[0].temperature, asked[0].stop_sequences) == (9, 0.5, ["."])
    assert [message.role for message in asked[1].messages] == ["user", "assistant"]
    assert asked[1].model_preferences.hints[0].name == "m"


@every_mode
def test_a_client_that_takes_no_questions_is_not_asked(mode: str, sdk: Sdk) -> None:
    async def either(context: ToolContext) -> str:
        assert not context.can_ask
        assert not context.can_sample
        try:
            await context.sample("x", max_tokens=1)
        except RefusalError:
            await context.ask("?", Order)
        return "never"

    async def use(client: Any) -> str:
        if mode == "legacy":
            result = await client.call_tool("edit", ARGUMENTS)
            assert result.is_error
            return str(result.content[0].text)
        with pytest.raises(sdk("mcp.shared.exceptions").MCPError) as caught:
            await client.call_tool("edit", ARGUMENTS)
        assert caught.value.code == -32021
        return str(caught.value.message)

    text = connected(sdk, mcp_server(registry_of(either)), use, mode)
    assert "'edit' has to ask the user, and whoever made the call takes no questions" in text


@pytest.mark.parametrize(
    ("capabilities", "ask", "needed"),
    [
        ({}, lambda context: context.sample("x", max_tokens=1), {"sampling": {}}),
        ({}, lambda context: context.roots(), {"roots": {}}),
        (
            {"elicitation": {"url": {}}},
            lambda context: context.ask("?", Order),
            {"elicitation": {"form": {}}},
        ),
        (
            {"elicitation": {}},
            lambda context: context.ask_to_visit("?", "https://acme.example"),
            {"elicitation": {"url": {}}},
        ),
    ],
)
def test_over_http_a_missing_capability_is_a_bad_request(
    capabilities: Any, ask: Any, needed: Any, sdk: Sdk
) -> None:
    async def handler(context: ToolContext) -> str:
        return f"{await ask(context)}"

    async def session() -> Any:
        headers = {
            **HEADERS, "mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": "edit",
        }  # fmt: skip
        meta = {**MODERN_META, "io.modelcontextprotocol/clientCapabilities": capabilities}
        body = message("tools/call", 1, name="edit", arguments=ARGUMENTS, _meta=meta)
        async with over_http(sdk, handler, HttpOptions()) as url, sdk("httpx").AsyncClient() as client:
            return await client.post(url, json=body, headers=headers)

    answer = asyncio.run(asyncio.wait_for(session(), 60))
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == -32021
    assert answer.json()["error"]["data"] == {"requiredCapabilities": needed}


@every_mode
def test_roots_are_asked_for(mode: str, sdk: Sdk) -> None:
    async def where(context: ToolContext) -> str:
        assert context.can_list_roots
        return f"{[(root.uri, root.name) for root in await context.roots()]}"

    async def roots(context: Any) -> Any:
        types = sdk("mcp.types")
        listed = [types.Root(uri="file:///work", name="Work"), types.Root(uri="file:///tmp")]
        return types.ListRootsResult(roots=listed)

    result = call(sdk, mode, where, list_roots_callback=roots)
    assert result.content[0].text == "[('file:///work', 'Work'), ('file:///tmp', '')]"


def test_what_a_client_refuses_is_a_failure_in_its_words(sdk: Sdk) -> None:
    async def refuse(context: Any, params: Any) -> Any:
        return sdk("mcp.types").ErrorData(code=-1, message="no\u202euser is here")

    result = call(sdk, "legacy", order, elicitation_callback=refuse)
    assert result.is_error
    assert result.content[0].text.endswith("nouser is here")


def log(sdk: Sdk, mode: str, handler: Handler, level: str | None) -> list[tuple[str, Any, str | None]]:
    """The messages that a client gets which wants them from `level` on."""
    heard: list[tuple[str, Any, str | None]] = []

    async def hear(params: Any) -> None:
        heard.append((params.level, params.data, params.logger))

    async def session() -> None:
        options = {"log_level": level} if mode == MODERN else {}
        async with (
            asyncio.timeout(60),
            sdk("mcp").Client(
                mcp_server(registry_of(handler)), mode=mode, logging_callback=hear, **options
            ) as client,
        ):
            if mode == "legacy" and level is not None:
                types = sdk("mcp.types")
                request = types.SetLevelRequest(params=types.SetLevelRequestParams(level=level))
                await client.session.send_request(request, types.EmptyResult)
            await client.call_tool("edit", ARGUMENTS)

    asyncio.run(session())
    return heard


async def talk(context: ToolContext) -> str:
    context.log("debug", "a")
    mutable = {"b": [1]}
    context.log("info", mutable, "part")
    mutable["b"].append(2)
    await asyncio.to_thread(context.log, "warning", Order(name="c"))
    context.log("error", "d\ud800")
    context.log("error", object())  # has no JSON form: the program's log says so
    return "done"


LOGGED = [
    ("debug", "a", None),
    ("info", {"b": [1]}, "part"),
    ("warning", {"name": "c", "count": 30, "size": "small"}, None),
    ("error", "d�", None),
]


@every_mode
@pytest.mark.parametrize(("level", "count"), [("debug", 4), ("info", 3), ("error", 1), ("emergency", 0)])
def test_messages_from_the_level_on_arrive_in_order(mode: str, level: str, count: int, sdk: Sdk) -> None:
    assert log(sdk, mode, talk, level) == LOGGED[len(LOGGED) - count :]


def test_who_states_no_level_gets_what_the_revision_has(sdk: Sdk) -> None:
    assert log(sdk, "legacy", talk, None) == LOGGED[1:]
    assert log(sdk, MODERN, talk, None) == []


@every_mode
def test_messages_around_a_question_arrive(mode: str, sdk: Sdk) -> None:
    """Also those of the time when no request of the client waits."""

    async def busy(context: ToolContext) -> str:
        async def count() -> None:
            for number in range(3):
                context.log("error", number)
                context.progress(number + 1)
                await asyncio.sleep(0.03)

        context.log("error", "before")
        answer, _ = await asyncio.gather(context.ask("?", Order), count())
        context.log("error", "after")
        return answer.action

    heard: list[Any] = []
    reported: list[float] = []

    async def hear(params: Any) -> None:
        heard.append(params.data)

    async def report(done: float, total: float | None, message: str | None) -> None:
        reported.append(done)

    async def later(context: Any, params: Any) -> Any:
        await asyncio.sleep(0.2)
        return sdk("mcp.types").ElicitResult(action="decline")

    async def session() -> None:
        client = sdk("mcp").Client(
            mcp_server(registry_of(busy)), mode=mode, logging_callback=hear, elicitation_callback=later,
            **({"log_level": "error"} if mode == MODERN else {}),
        )  # fmt: skip
        async with asyncio.timeout(60), client:
            result = await client.call_tool("edit", ARGUMENTS, progress_callback=report)
            assert result.content[0].text == "decline"

    asyncio.run(session())
    assert heard == ["before", 0, 1, 2, "after"]
    assert reported[-1] == 3


def test_nothing_is_sent_after_the_result(sdk: Sdk) -> None:
    async def flood(context: ToolContext) -> str:
        for number in range(5000):
            context.log("info", number)
        return "done"

    heard = [data for _, data, _ in log(sdk, "legacy", flood, "debug")]
    assert heard == [*range(len(heard))]
    assert 0 < len(heard) <= 5000


def modern(sdk: Sdk, handler: Handler, use: Callable[[Any, Any], Awaitable[Any]], **options: Any) -> Any:
    """What `use` makes of a session, and of a function that sends the call, with its state and answers."""

    async def session() -> Any:
        async with (
            asyncio.timeout(60),
            sdk("mcp").Client(
                mcp_server(registry_of(handler, **options)),
                mode=MODERN,
                elicitation_callback=answering(sdk)[1],
            ) as client,
        ):

            async def send(state: Any = None, answers: Any = None, **arguments: Any) -> Any:
                return await client.session.call_tool(
                    "edit", {**ARGUMENTS, **arguments}, allow_input_required=True,
                    request_state=state, input_responses=answers,
                )  # fmt: skip

            return await use(client, send)

    return asyncio.run(session())


def accepted(sdk: Sdk, asked: Any, name: str = "bo") -> dict[str, Any]:
    types = sdk("mcp.types")
    return {key: types.ElicitResult(action="accept", content={"name": name}) for key in asked.input_requests}


def test_only_the_same_call_goes_on_and_once(sdk: Sdk) -> None:
    async def use(client: Any, send: Any) -> None:
        asked = await send()
        answers = accepted(sdk, asked)
        error = sdk("mcp.shared.exceptions").MCPError
        for state, changed in ((asked.request_state, {"new_string": "z"}), ("made up", {}), ("", {})):
            with pytest.raises(error, match="requestState"):
                await send(state, answers, **changed)
        assert (await send(asked.request_state, answers)).content[0].text.startswith("accept")
        with pytest.raises(error, match="requestState"):
            await send(asked.request_state, answers)

    modern(sdk, order, use)


def test_the_program_names_its_questions(sdk: Sdk) -> None:
    """A client that knows a name sends the answer with its call; it is taken once."""

    async def twice(context: ToolContext) -> str:
        first = await context.ask("a", Order, key="who")
        second = await context.ask("b", Order, key="who")
        return f"{first.data and first.data.name},{second.data and second.data.name}"

    async def use(client: Any, send: Any) -> None:
        asked = await send()
        assert list(asked.input_requests) == ["who"]
        known = accepted(sdk, asked, "bo")
        again = await send(None, {**known, "unknown": known["who"]})
        assert list(again.input_requests) == ["who"]
        done = await send(again.request_state, accepted(sdk, again, "al"))
        assert done.content[0].text == "bo,al"

    modern(sdk, twice, use)


def test_questions_without_a_name_are_never_answered_before(sdk: Sdk) -> None:
    """As the question whether a tool may run is one."""

    async def use(client: Any, send: Any) -> None:
        answer = sdk("mcp.types").ElicitResult(action="accept", content={"name": "bo"})
        asked = await send(None, {"": answer, "question-1": answer})
        assert list(asked.input_requests) == ["question-1"]

    modern(sdk, order, use)


def test_two_open_questions_have_two_names(sdk: Sdk) -> None:
    async def both(context: ToolContext) -> str:
        await asyncio.gather(*[context.ask(text, Order, key="who") for text in "ab"])
        return "never"

    async def use(client: Any, send: Any) -> None:
        result = await send()
        assert result.is_error
        assert "ValueError" in result.content[0].text

    modern(sdk, both, use)


def test_questions_without_an_answer_are_asked_again(sdk: Sdk) -> None:
    async def two(context: ToolContext) -> str:
        answers = await asyncio.gather(context.ask("a", Order), context.ask("b", Order))
        return ",".join(each.data.name for each in answers if each.data is not None)

    async def use(client: Any, send: Any) -> None:
        asked = await send()
        first, second = asked.input_requests
        answers = accepted(sdk, asked)
        again = await send(asked.request_state, {first: answers[first], "question-99": answers[second]})
        assert list(again.input_requests) == [second]
        nothing = await send(again.request_state, None)
        assert list(nothing.input_requests) == [second]
        done = await send(nothing.request_state, accepted(sdk, nothing, "al"))
        assert done.content[0].text == "bo,al"

    modern(sdk, two, use)


def test_an_answer_to_another_kind_of_question_is_a_failure(sdk: Sdk) -> None:
    async def use(client: Any, send: Any) -> None:
        types = sdk("mcp.types")
        asked = await send()
        content = types.TextContent(type="text", text="x")
        sampled = types.CreateMessageResult(role="assistant", content=content, model="m")
        done = await send(asked.request_state, dict.fromkeys(asked.input_requests, sampled))
        assert done.is_error
        assert "is not one" in done.content[0].text

    modern(sdk, order, use)


def test_a_question_that_the_handler_gives_up_is_not_asked(sdk: Sdk) -> None:
    async def impatient(context: ToolContext) -> str:
        try:
            async with asyncio.timeout(0):
                await context.ask("a", Order)
        except TimeoutError:
            await asyncio.sleep(0.01)
        return "without"

    async def use(client: Any, send: Any) -> None:
        assert (await send()).content[0].text == "without"

    modern(sdk, impatient, use)


def test_calls_that_wait_are_bounded_and_end(sdk: Sdk, monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[str] = []

    async def noting(context: ToolContext) -> str:
        try:
            return await order(context)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    async def use(client: Any, send: Any) -> None:
        first, _second = await send(), await send()
        refused = await send()
        assert refused.is_error
        assert "Too many calls wait" in refused.content[0].text
        while len(ended) < 2:
            await asyncio.sleep(0.01)
        with pytest.raises(sdk("mcp.shared.exceptions").MCPError, match="requestState"):
            await send(first.request_state, accepted(sdk, first))
        await send()

    monkeypatch.setattr("toolcast.mcp.serving.server.WaitingCalls", lambda: WaitingCalls(most=2, seconds=1.5))
    modern(sdk, noting, use)
    assert ended == ["cancelled"] * 3  # the last when the server ended


@every_mode
def test_the_policy_asks_the_clients_user(mode: str, sdk: Sdk) -> None:
    ran: list[str] = []

    async def write(context: ToolContext) -> str:
        ran.append("ran")
        return "written"

    async def session(*answers: Any, ask_approvals: bool = True) -> tuple[Any, list[Any]]:
        registry = registry_of(write, policy=Policy())
        asked, callback = answering(sdk, *answers)
        server = mcp_server(registry, ask_approvals=ask_approvals)
        async with (
            asyncio.timeout(60),
            sdk("mcp").Client(server, mode=mode, elicitation_callback=callback) as client,
        ):
            return [await client.call_tool("edit", ARGUMENTS) for _ in answers or "x"], asked

    results, asked = asyncio.run(
        session({"approve": True}, {"approve": False, "reason": "not now"}, "decline", {})
    )
    assert [result.is_error for result in results] == [False, True, True, True]
    assert ran == ["ran"]  # a yes is for one call
    assert "not now" in results[1].content[0].text
    assert len(asked) == 4
    assert 'new_string: "y"' in asked[0].message
    assert "write" in asked[0].message
    assert asked[0].requested_schema["required"] == ["approve"]
    (refused,), asked = asyncio.run(session(ask_approvals=False))
    assert refused.is_error
    assert not asked
    assert ran == ["ran"]


def test_a_policy_that_forbids_asks_nobody(sdk: Sdk) -> None:
    async def write(context: ToolContext) -> str:
        return "written"

    async def session() -> Any:
        server = mcp_server(registry_of(write, policy=Policy(autonomy="read_only")), ask_approvals=True)
        asked, callback = answering(sdk)
        async with asyncio.timeout(60), sdk("mcp").Client(server, elicitation_callback=callback) as client:
            return await client.call_tool("edit", ARGUMENTS), asked

    result, asked = asyncio.run(session())
    assert result.is_error
    assert not asked


@asynccontextmanager
async def over_http(sdk: Sdk, handler: Handler, options: HttpOptions) -> AsyncGenerator[str]:
    """The address of a server on a port of its own."""
    async with listening(sdk, http_app(mcp_server(registry_of(handler)), options=options)) as url:
        yield f"{url}/mcp"


@every_mode
def test_questions_cross_a_real_connection(mode: str, sdk: Sdk) -> None:
    """Over HTTP the answer of a newer client comes with its next request, that of an older one by itself."""
    begun: list[str] = []

    async def twice(context: ToolContext) -> str:
        begun.append(context.call_id)
        context.log("error", "asking")
        first = await context.ask("first", Order)
        second = await context.ask("second", Order)
        context.progress(1, 1, "asked")
        return f"{first.data} {second.data}"

    heard: list[str | None] = []
    asked, callback = answering(sdk, {"name": "bo"}, {"name": "al", "count": 1})

    async def hear(done: float, total: float | None, message: str | None) -> None:
        heard.append(message)

    async def session() -> Any:
        async with (
            over_http(sdk, twice, HttpOptions()) as url,
            sdk("mcp").Client(url, mode=mode, elicitation_callback=callback) as client,
        ):
            return await client.call_tool("edit", ARGUMENTS, progress_callback=hear)

    result = asyncio.run(asyncio.wait_for(session(), 60))
    assert result.content[0].text == f"{Order(name='bo')} {Order(name='al', count=1)}"
    assert [params.message for params in asked] == ["first", "second"]
    assert len(begun) == 1
    assert heard == ["asked"]


def test_without_sessions_older_clients_are_not_asked(sdk: Sdk) -> None:
    """Nothing leads an answer of theirs back to the call."""
    callback = answering(sdk, {"name": "bo"})[1]

    async def session() -> Any:
        async with (
            over_http(sdk, order, HttpOptions(stateless=True)) as url,
            sdk("mcp").Client(url, mode="legacy", elicitation_callback=callback) as client,
        ):
            return await client.call_tool("edit", ARGUMENTS)

    result = asyncio.run(asyncio.wait_for(session(), 60))
    assert result.is_error
    assert "takes no questions" in result.content[0].text
