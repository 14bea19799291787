"""Resources and prompts of a program, and completion of their arguments, read by the official client."""

# ruff: noqa: ARG001, ARG005 - a function's signature is fixed, whatever it uses

import asyncio
import base64
import enum
import logging
import threading
from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, Literal

import pytest
from msgspec import Meta, Struct
from toolcast.cli.program import TargetError, load_target
from toolcast.mcp import McpMissingError, Prompts, Resources, mcp_server
from toolcast.runtime import Content, Message, RefusalError, ToolContext, ToolRegistry
from toolcast.runtime.middleware.secrets import Secrets

from tests.mcp.conftest import MODERN, MODES, Sdk
from tests.mcp.scripted import connected

pytestmark = [
    pytest.mark.usefixtures("installed"),
    pytest.mark.filterwarnings("ignore:resources/:UserWarning"),  # older clients subscribe so
]

every_mode = pytest.mark.parametrize("mode", MODES)
PNG = bytes.fromhex("89504e470d0a1a0a")


class Language(enum.Enum):
    PYTHON = "python"
    PERL = "perl"
    C = "c"


class Item(Struct):
    id: int
    part: Literal["head", "tail"] = "head"


class Review(Struct, kw_only=True):
    code: Annotated[str, Meta(title="Code", description="What to look at.")]
    language: Language = Language.C
    deep: bool = False
    path: str = ""


async def read_item(params: Item, context: ToolContext) -> str:
    context.log("warning", f"read {params.id}")
    return f'{{"id": {params.id}, "part": "{params.part}"}}'


def review(params: Review, context: ToolContext) -> list[str | Message | Content]:
    assert threading.current_thread() is not threading.main_thread()
    piece = Content.resource("notes://today", "remember")
    return [
        f"Review {params.code} in {params.language.value}, deep: {params.deep}", piece,
        Message("assistant", "Gladly."), Content.image(PNG, "image/png"), Content.of("and a text"),
    ]  # fmt: skip


async def paths(typed: str, known: Mapping[str, str]) -> list[str]:
    return [f"{known.get('language', '?')}/{typed}{number}" for number in range(150)]


def offered() -> tuple[Resources, Prompts]:
    resources, prompts = Resources(), Prompts()
    resources.add("notes://today", "remember", name="today", title="Today", description="What to remember.")
    resources.add("img://logo", PNG, media_type="image/png")
    resources.add("notes://now", lambda context: f"read by {context.tool}", media_type="text/markdown")
    resources.add_template("items://{id}/{part}", read_item, Item, media_type="application/json", name="item")
    prompts.add("hello", "Say hello.", description="A greeting.")
    prompts.add("review", review, Review, title="Review code", complete={"path": paths})
    return resources, prompts


def talk(
    sdk: Sdk, mode: str, use: Callable[[Any], Awaitable[Any]], server: Any = None, **options: Any
) -> Any:
    resources, prompts = offered()
    made = server or mcp_server(ToolRegistry(), resources=resources, prompts=prompts)
    return connected(sdk, made, use, mode, **options)


def plain(model: Any) -> Any:
    return model.model_dump(by_alias=True, exclude_none=True, mode="json")


def error_of(sdk: Sdk, mode: str, use: Callable[[Any], Awaitable[Any]], server: Any = None) -> Any:
    async def failing(client: Any) -> Any:
        with pytest.raises(sdk("mcp.shared.exceptions").MCPError) as caught:
            await use(client)
        return caught.value

    return talk(sdk, mode, failing, server)


@every_mode
def test_what_is_listed(mode: str, sdk: Sdk) -> None:
    async def use(client: Any) -> Any:
        return (
            await client.list_resources(),
            await client.list_resource_templates(),
            await client.list_prompts(),
        )

    resources, templates, prompts = talk(sdk, mode, use)
    assert [plain(each) for each in resources.resources] == [
        {"uri": "img://logo", "name": "img://logo", "mimeType": "image/png", "size": 8},
        {"uri": "notes://now", "name": "notes://now", "mimeType": "text/markdown"},
        {"uri": "notes://today", "name": "today", "title": "Today", "description": "What to remember.",
         "mimeType": "text/plain", "size": 8},
    ]  # fmt: skip
    assert [plain(each) for each in templates.resource_templates] == [
        {"uriTemplate": "items://{id}/{part}", "name": "item", "mimeType": "application/json"}
    ]
    assert [plain(each) for each in prompts.prompts] == [
        {"name": "hello", "description": "A greeting."},
        {"name": "review", "title": "Review code", "arguments": [
            {"name": "code", "title": "Code", "description": "What to look at.", "required": True},
            {"name": "language", "required": False}, {"name": "deep", "required": False},
            {"name": "path", "required": False},
        ]},
    ]  # fmt: skip


@every_mode
def test_what_is_read(mode: str, sdk: Sdk) -> None:
    async def use(client: Any) -> Any:
        uris = ("notes://today", "img://logo", "notes://now", "items://7/tail", "items://8/head")
        return [(await client.read_resource(uri)).contents[0] for uri in uris]

    today, logo, now, item, _ = talk(sdk, mode, use)
    assert plain(today) == {"uri": "notes://today", "mimeType": "text/plain", "text": "remember"}
    assert (base64.b64decode(logo.blob), logo.mime_type) == (PNG, "image/png")
    assert (now.text, now.mime_type) == ("read by notes://now", "text/markdown")
    assert plain(item) == {
        "uri": "items://7/tail", "mimeType": "application/json", "text": '{"id": 7, "part": "tail"}',
    }  # fmt: skip


@every_mode
def test_a_prompt_with_arguments_pieces_and_roles(mode: str, sdk: Sdk) -> None:
    async def use(client: Any) -> Any:
        arguments = {"code": "x = 1", "language": "perl", "deep": "true"}
        return await client.get_prompt("hello"), await client.get_prompt("review", arguments)

    hello, made = talk(sdk, mode, use)
    assert plain(hello)["description"] == "A greeting."
    assert [plain(each) for each in hello.messages] == [
        {"role": "user", "content": {"type": "text", "text": "Say hello."}}
    ]
    assert [(each.role, each.content.type) for each in made.messages] == [
        ("user", "text"), ("user", "resource"), ("assistant", "text"), ("user", "image"), ("user", "text"),
    ]  # fmt: skip
    assert made.messages[0].content.text == "Review x = 1 in perl, deep: True"
    assert plain(made.messages[1].content.resource) == {
        "uri": "notes://today", "mimeType": "text/plain", "text": "remember",
    }  # fmt: skip


@every_mode
@pytest.mark.parametrize(
    ("arguments", "named"),
    [({}, "code"), ({"code": "x", "language": "cobol"}, "language"),
     ({"code": "x", "deep": "perhaps"}, "deep"), ({"code": "x", "depth": "1"}, "depth")],
)  # fmt: skip
def test_arguments_that_do_not_fit_are_refused(mode: str, arguments: Any, named: str, sdk: Sdk) -> None:
    error = error_of(sdk, mode, lambda client: client.get_prompt("review", arguments))
    assert error.code == -32602
    assert named in error.message


@every_mode
def test_what_is_not_there_is_an_error_of_its_revision(mode: str, sdk: Sdk) -> None:
    for uri in ("notes://yesterday", "items://7", "x:", "items://7/tail/more"):
        error = error_of(sdk, mode, lambda client, uri=uri: client.read_resource(uri))  # type: ignore[misc]
        assert error.code == (-32602 if mode == MODERN else -32002)
        assert error.data == {"uri": uri}
    assert error_of(sdk, mode, lambda client: client.get_prompt("bye")).code == -32602
    error = error_of(sdk, mode, lambda client: client.read_resource("items://seven/tail"))
    assert error.code == -32602
    assert "id" in error.message


@pytest.mark.parametrize(
    "text", ["..%2F..%2Fetc%2Fpasswd", "..", "%2Fetc%2Fpasswd", "a%2F..%2F..%2Fb", "a%00b", "..%5Cb"]
)
def test_a_variable_leads_out_of_no_folder(text: str, sdk: Sdk) -> None:
    class File(Struct):
        path: str

    resources = Resources()
    resources.add_template("files:///{path}", lambda params, context: params.path, File)
    server = mcp_server(ToolRegistry(), resources=resources)
    error = error_of(sdk, MODERN, lambda client: client.read_resource(f"files:///{text}"), server)
    assert error.code == -32602
    assert "'path'" in error.message


@every_mode
def test_faults_and_refusals_of_functions(mode: str, sdk: Sdk, caplog: pytest.LogCaptureFixture) -> None:
    secrets = Secrets(lambda name: None)
    secrets.hide("KEY", "hunter2-hunter2")

    def broken(context: ToolContext) -> str:
        raise KeyError("hunter2-hunter2 in /home/somebody")

    def refusing(context: ToolContext) -> str:
        raise RefusalError("Not on Sundays, hunter2-hunter2.")

    resources, prompts = Resources(), Prompts()
    resources.add("x://broken", broken)
    resources.add("x://refusing", refusing)
    resources.add("x://number", lambda context: 5)  # type: ignore[arg-type,return-value]  # what a program may return
    resources.add("x://leak", lambda context: "it is hunter2-hunter2")
    prompts.add("number", lambda context: [5])  # type: ignore[list-item]  # what a program may return
    server = mcp_server(ToolRegistry(secrets=secrets), resources=resources, prompts=prompts)
    error = error_of(sdk, mode, lambda client: client.read_resource("x://broken"), server)
    assert (error.code, "KeyError" in error.message) == (-32603, True)
    assert "somebody" not in error.message
    assert "somebody" in caplog.text
    error = error_of(sdk, mode, lambda client: client.read_resource("x://refusing"), server)
    assert (error.code, error.message) == (-32602, "Not on Sundays, [redacted:KEY].")
    assert error_of(sdk, mode, lambda client: client.read_resource("x://number"), server).code == -32603
    assert error_of(sdk, mode, lambda client: client.get_prompt("number"), server).code == -32603
    leak = talk(sdk, mode, lambda client: client.read_resource("x://leak"), server)
    assert leak.contents[0].text == "it is [redacted:KEY]"
    assert "hunter2" not in caplog.text


class Topic(Struct):
    topic: str


async def ask_topic(context: ToolContext) -> str:
    context.log("error", "hunter2-hunter2")
    answer = await context.ask("hunter2-hunter2, which topic?", Topic)
    return f"About {answer.data.topic}." if answer.data is not None else answer.action


async def ask_for_item(params: Item, context: ToolContext) -> str:
    return f"{params.id}: {await ask_topic(context)}"


def asking() -> Any:
    """A server whose prompt and resource ask before they answer; the questions repeat a secret."""
    secrets = Secrets(lambda name: None)
    secrets.hide("KEY", "hunter2-hunter2")
    resources, prompts = Resources(), Prompts()
    resources.add_template("items://{id}", ask_for_item, Item)
    prompts.add("topic", ask_topic)
    prompts.add("several", ask_for_item, Item)
    return mcp_server(ToolRegistry(secrets=secrets), resources=resources, prompts=prompts)


@every_mode
def test_functions_ask_the_clients_user(mode: str, sdk: Sdk) -> None:
    asked: list[str] = []
    logged: list[Any] = []

    async def answer(context: Any, params: Any) -> Any:
        asked.append(params.message)
        return sdk("mcp.types").ElicitResult(action="accept", content={"topic": f"number {len(asked)}"})

    async def hear(params: Any) -> None:
        logged.append(params.data)

    async def use(client: Any) -> list[str]:
        prompts = [await client.get_prompt("topic"), await client.get_prompt("several", {"id": "7"})]
        read = await client.read_resource("items://8")
        return [*(prompt.messages[0].content.text for prompt in prompts), read.contents[0].text]

    options: dict[str, Any] = {"log_level": "error"} if mode == MODERN else {}
    texts = connected(sdk, asking(), use, mode, elicitation_callback=answer, logging_callback=hear, **options)
    assert texts == ["About number 1.", "7: About number 2.", "8: About number 3."]
    assert len(asked) == 3
    assert "hunter2" not in f"{asked} {logged}"
    assert len(logged) == 3


def test_only_the_same_request_goes_on(sdk: Sdk) -> None:
    """A state is of one method, name and arguments."""

    async def answer(context: Any, params: Any) -> Any:
        return sdk("mcp.types").ElicitResult(action="decline")

    async def use(client: Any) -> None:
        types, session = sdk("mcp.types"), client.session
        asked = await session.get_prompt("several", {"id": "7"}, allow_input_required=True)
        answers = {key: types.ElicitResult(action="decline") for key in asked.input_requests}
        given = {
            "input_responses": answers,
            "request_state": asked.request_state,
            "allow_input_required": True,
        }
        error = sdk("mcp.shared.exceptions").MCPError
        for name, arguments in (("several", {"id": "8"}), ("topic", {})):
            with pytest.raises(error, match="requestState"):
                await session.get_prompt(name, arguments, **given)
        with pytest.raises(error, match="requestState"):
            await session.read_resource("items://7", **given)
        done = await session.get_prompt("several", {"id": "7"}, **given)
        assert done.messages[0].content.text == "7: decline"

    connected(sdk, asking(), use, MODERN, elicitation_callback=answer)


@every_mode
def test_a_function_that_cannot_ask_says_so_and_is_no_tool(mode: str, sdk: Sdk) -> None:
    error = error_of(sdk, mode, lambda client: client.get_prompt("topic"), asking())
    assert error.code == (-32021 if mode == MODERN else -32602)
    assert "'topic' has to ask the user" in error.message
    assert "tool" not in error.message.casefold()


@every_mode
def test_completion_proposes_choices_and_what_the_program_says(mode: str, sdk: Sdk) -> None:
    types = sdk("mcp.types")
    prompt, template = (
        types.PromptReference(name="review"),
        types.ResourceTemplateReference(uri="items://{id}/{part}"),
    )

    async def use(client: Any) -> Any:
        asked = [
            (prompt, "language", "P", None), (prompt, "language", "", None), (prompt, "code", "x", None),
            (prompt, "nothing", "x", None), (template, "part", "t", None),
            (prompt, "path", "a", {"language": "c"}),
        ]  # fmt: skip
        return [
            (await client.complete(ref, {"name": name, "value": value}, context_arguments=known)).completion
            for ref, name, value, known in asked
        ]

    found = talk(sdk, mode, use)
    assert [each.values for each in found[:5]] == [
        ["python", "perl"],
        ["python", "perl", "c"],
        [],
        [],
        ["tail"],
    ]
    assert (found[0].total, found[0].has_more) == (2, False)
    assert found[5].values == [f"c/a{number}" for number in range(100)]
    assert (found[5].total, found[5].has_more) == (150, True)
    missing = types.PromptReference(name="bye")
    error = error_of(sdk, mode, lambda client: client.complete(missing, {"name": "x", "value": ""}))
    assert error.code == -32602


@every_mode
@pytest.mark.parametrize("page_size", [1, 2, 7])
def test_every_list_is_read_by_pages(mode: str, page_size: int, sdk: Sdk) -> None:
    resources, prompts = Resources(), Prompts()
    for number in range(5):
        resources.add(f"x://{number}", "text")
        resources.add_template(f"y://{number}/{{id}}", read_item, Item)
        prompts.add(f"p{number}", "text")

    async def pages(method: Any, items: str) -> list[str]:
        found, cursor = [], None
        while True:
            page = await method(cursor=cursor)
            listed = getattr(page, items)
            assert len(listed) <= page_size
            found += [each.name for each in listed]
            cursor = page.next_cursor
            if cursor is None:
                return found

    async def use(client: Any) -> Any:
        return (
            await pages(client.list_resources, "resources"),
            await pages(client.list_resource_templates, "resource_templates"),
            await pages(client.list_prompts, "prompts"),
        )

    server = mcp_server(ToolRegistry(), resources=resources, prompts=prompts, page_size=page_size)
    found = talk(sdk, mode, use, server)
    numbers = range(5)
    assert found == (
        [f"x://{n}" for n in numbers], [f"y://{n}/{{id}}" for n in numbers], [f"p{n}" for n in numbers],
    )  # fmt: skip


def test_subscribers_hear_of_updates_and_lists_of_changes(sdk: Sdk) -> None:
    resources, prompts = offered()
    heard: list[str] = []

    async def hear(message: Any) -> None:
        params = getattr(message, "params", None)
        heard.append(f"{message.method} {getattr(params, 'uri', '')}".strip())

    async def until(count: int) -> None:
        while len(heard) < count:
            await asyncio.sleep(0.01)

    async def use(client: Any) -> None:
        await client.list_resources()
        await client.subscribe_resource("notes://today")
        resources.updated("img://logo")  # to which nobody subscribed
        await asyncio.to_thread(resources.updated, "notes://today")
        await until(1)
        resources.remove("img://logo")
        prompts.add("new", "text")
        await until(3)
        await client.unsubscribe_resource("notes://today")
        resources.updated("notes://today")
        prompts.remove("new")
        await until(4)

    server = mcp_server(ToolRegistry(), resources=resources, prompts=prompts)
    talk(sdk, "legacy", use, server, message_handler=hear)
    assert heard == [
        "notifications/resources/updated notes://today", "notifications/resources/list_changed",
        "notifications/prompts/list_changed", "notifications/prompts/list_changed",
    ]  # fmt: skip
    resources.updated("notes://today")  # no server runs any more


def test_each_connection_hears_for_itself(sdk: Sdk) -> None:
    """Also where nothing but the connection tells them apart."""
    resources, _ = offered()
    server = mcp_server(ToolRegistry(), resources=resources)
    heard: dict[str, list[str]] = {"one": [], "two": []}

    def hearing(name: str) -> Callable[[Any], Awaitable[None]]:
        async def hear(message: Any) -> None:
            heard[name].append(message.method)

        return hear

    async def session() -> None:
        client = sdk("mcp").Client
        async with (
            asyncio.timeout(60),
            client(server, mode="legacy", message_handler=hearing("one")) as one,
            client(server, mode="legacy", message_handler=hearing("two")) as two,
        ):
            await one.subscribe_resource("notes://today")
            await two.list_resources()
            resources.updated("notes://today")
            while not heard["one"]:
                await asyncio.sleep(0.01)
            resources.remove("img://logo")
            while not heard["two"] or len(heard["one"]) < 2:
                await asyncio.sleep(0.01)

    asyncio.run(session())
    changed = "notifications/resources/list_changed"
    assert set(heard["one"]) == {"notifications/resources/updated", changed}
    assert set(heard["two"]) == {changed}


def test_the_newest_revision_listens(sdk: Sdk) -> None:
    resources, prompts = offered()

    async def use(client: Any) -> list[Any]:
        async with client.listen(
            resource_subscriptions=["notes://today"], prompts_list_changed=True
        ) as events:
            resources.updated("img://logo")
            resources.updated("notes://today")
            prompts.add("new", "text")
            found: list[Any] = []
            async for event in events:
                found.append(event)
                if len(found) == 2:
                    return found
        raise AssertionError("the stream ended")

    events = talk(sdk, MODERN, use, mcp_server(ToolRegistry(), resources=resources, prompts=prompts))
    shared = sdk("mcp.shared.subscriptions")
    assert events == [shared.ResourceUpdated(uri="notes://today"), shared.PromptsListChanged()]


def test_subscriptions_are_bounded_and_to_what_is_there(sdk: Sdk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolcast.mcp.serving.offered_requests.MAX_SUBSCRIPTIONS", 2)

    async def use(client: Any) -> None:
        for uri in ("items://1/head", "items://2/head", "items://1/head"):
            await client.subscribe_resource(uri)
        await client.subscribe_resource("items://3/head")

    assert "at most 2" in error_of(sdk, "legacy", use).message
    assert error_of(sdk, "legacy", lambda client: client.subscribe_resource("notes://gone")).code == -32002


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_what_is_not_offered_is_no_capability(mode: str, sdk: Sdk) -> None:
    async def capabilities(client: Any) -> Any:
        return plain(client.server_capabilities)

    resources, prompts = offered()
    nothing = talk(sdk, mode, capabilities, mcp_server(ToolRegistry()))
    assert not {"resources", "prompts", "completions"} & nothing.keys()
    both = talk(sdk, mode, capabilities, mcp_server(ToolRegistry(), resources=resources, prompts=prompts))
    assert both["resources"] == {"subscribe": True, "listChanged": True}
    assert both["prompts"] == {"listChanged": True}
    assert "completions" in both


class Named(Struct):
    name: str


class Listed(Struct):
    names: list[str]


def test_mistakes_of_the_program_are_refused_at_once() -> None:
    resources, prompts = offered()

    def read(params: Any, context: ToolContext) -> str:
        return ""

    for uri in ("notes://today", "no scheme", "nothing", "a: b"):
        with pytest.raises(ValueError, match=r"URI|already"):
            resources.add(uri, "x")
    with pytest.raises(ValueError, match="media_type"):
        resources.add("x://y", "x", media_type="no type")
    with pytest.raises(TypeError, match="content"):
        resources.add("x://y", 5)  # type: ignore[arg-type]  # what a program may give
    for template, params in (
        ("x://y", Named),
        ("x://{nam}", Named),
        ("x://{name}/{id}", Named),
        ("x://{name", Named),
    ):
        with pytest.raises(ValueError, match=r"variable|field|template|expression"):
            resources.add_template(template, read, params)
    with pytest.raises(TypeError, match="names"):
        resources.add_template("x://{names}", read, Listed)
    with pytest.raises(LookupError):
        resources.remove("x://gone")
    with pytest.raises(ValueError, match="already"):
        prompts.add("hello", "x")
    with pytest.raises(TypeError, match="function"):
        prompts.add("x", "text", Named)  # type: ignore[call-overload]  # what a program may give
    with pytest.raises(TypeError, match="made of"):
        prompts.add("x", 5)  # type: ignore[call-overload]  # what a program may give
    with pytest.raises(ValueError, match="'part'"):
        prompts.add("x", read, Named, complete={"part": paths})
    with pytest.raises(TypeError, match="Struct"):
        prompts.add("x", read, dict)
    with pytest.raises(LookupError):
        prompts.remove("x")


def test_functions_log_and_do_not_block_others(sdk: Sdk, caplog: pytest.LogCaptureFixture) -> None:
    heard: list[Any] = []

    async def hear(params: Any) -> None:
        heard.append(params.data)

    caplog.set_level(logging.WARNING)
    talk(sdk, "legacy", lambda client: client.read_resource("items://7/tail"), logging_callback=hear)
    assert heard == ["read 7"]


try:
    RESOURCES, PROMPTS = offered()
except McpMissingError:  # every test here is skipped, or fails in CI
    RESOURCES, PROMPTS = Resources(), Prompts()
NOT_OFFERED = 5


def test_the_command_offers_them(sdk: Sdk, served: Callable[..., Any]) -> None:
    async def use(client: Any) -> Any:
        assert len((await client.list_tools()).tools) == 8
        hello = await client.get_prompt("hello")
        return (await client.read_resource("items://7/tail")).contents[0].text, hello.messages[0].content.text

    here = "tests.mcp.test_resources_prompts"
    options = ("--resources", f"{here}:RESOURCES", "--prompts", f"{here}:offered_prompts")
    found = talk(sdk, "auto", use, served("tests.mcp.app:registry", *options))
    assert found == ('{"id": 7, "part": "tail"}', "Say hello.")


def offered_prompts() -> Prompts:
    return PROMPTS


@pytest.mark.parametrize(
    ("name", "wanted", "words"),
    [
        ("NOT_OFFERED", Resources, "is of type int, not a Resources"),
        ("RESOURCES", Prompts, "is of type Resources, not a Prompts"),
        ("offered", Prompts, "returned a value of type tuple, not a Prompts"),
        ("PROMPT", Prompts, "did you mean tests.mcp.test_resources_prompts:PROMPTS?"),
    ],
)
def test_what_is_no_such_object_is_told(name: str, wanted: type[Any], words: str) -> None:
    target = f"tests.mcp.test_resources_prompts:{name}"
    with pytest.raises(TargetError) as caught:
        asyncio.run(load_target(target, wanted, f"a {wanted.__name__}"))
    assert words in f"{caught.value} {caught.value.hint}"
    assert caught.value.target == target
