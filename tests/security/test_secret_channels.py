"""Values of secrets, planted in each form in each channel by which something leaves a registry."""

import asyncio
import base64
import json
import logging
import urllib.parse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from toolcast.agents import RunState, stream_tools
from toolcast.agents.events import Stopped
from toolcast.agents.text_calls import TextAnswer
from toolcast.mcp import mcp_server
from toolcast.runtime import (
    CallDeferred,
    Content,
    Elicited,
    RefusalError,
    RetryError,
    Sampled,
    ToolContext,
    ToolRegistry,
    ToolResult,
)
from toolcast.runtime.middleware.logs import CallLog
from toolcast.runtime.middleware.policy import Policy
from toolcast.runtime.middleware.policy.approval import question
from toolcast_tools import toolset

from generated.web.http_request import HTTP_REQUEST
from tests.mcp.conftest import MODES, Sdk, sdk

__all__ = ["sdk"]
VALUE = "s3cr3t/Value+of-a-t0ken"
CALL = {"url": "https://example.org/", "headers": {"A": "<secret_ref:KEY>"}}
FORMS: Mapping[str, Callable[[str], str]] = {
    "plain": str,
    "base64": lambda value: base64.b64encode(value.encode()).decode(),
    "base64 within other bytes": lambda value: base64.b64encode(b"u:" + value.encode() + b"!").decode(),
    "URL-encoded": lambda value: urllib.parse.quote(value, safe=""),
    "JSON-escaped": lambda value: "".join(f"\\u{ord(letter):04x}" for letter in value),
    "JSON in JSON": lambda value: json.dumps(json.dumps(value.replace("/", "\\/"))),
    "hex": lambda value: value.encode().hex(),
    "hex in upper case": lambda value: value.encode().hex().upper(),
    "coloured": "\x1b[1m".join,
}
every_form = pytest.mark.parametrize("form", FORMS)


class Form(msgspec.Struct):
    """What a question asks for."""

    name: str


class Outlet:
    """Collects what leaves a registry by any channel of a call."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def on(self, event: Any) -> None:
        self.seen.append(event)

    def report(self, *progress: Any) -> None:
        self.seen.append(progress)

    def receive_log(self, *message: Any) -> None:
        self.seen.append(message)

    async def ask(self, request: Any) -> Elicited[Any]:
        self.seen.append(request)
        return Elicited("accept", {"name": "bo"})

    async def sample(self, request: Any) -> Sampled:
        self.seen.append(request)
        return Sampled("a text", model="small")

    @property
    def context(self) -> ToolContext:
        return ToolContext(
            report=self.report, receive_log=self.receive_log, asker=self.ask, sampler=self.sample
        )


async def in_every_channel(secret: str, context: ToolContext) -> None:
    """Tell a text by each channel that a handler has beside its result."""
    context.progress(1, 2, f"sent {secret}")
    context.log("info", f"sent {secret}")
    context.log("info", {"deep": [{secret: secret.encode()}]}, f"logger.{secret}")
    await context.ask(f"Is it {secret}?", Form)
    await context.ask_to_visit("Look.", f"https://example.org/?{urllib.parse.urlencode({'k': secret})}")
    await context.sample(f"Is it {secret}?", max_tokens=5, system=secret, stop=[secret])


def results(secret: str) -> dict[str, Callable[[], Any]]:
    def raises(problem: Exception) -> Callable[[], Any]:
        def end() -> Any:
            raise problem

        return end

    return {
        "output": lambda: f"sent {secret}",
        "typed data": lambda: {"status": 200, "headers": {secret: secret}, "body": secret},
        "content": lambda: ToolResult(True, "sent", content=(Content.of(secret),)),
        "file": lambda: ToolResult(True, "sent", content=(Content.file(secret.encode(), "a/b", secret),)),
        "error": lambda: ToolResult.failed(f"401 for {secret}"),
        "refusal": raises(RefusalError(f"no {secret}")),
        "retry": raises(RetryError(f"no {secret}")),
        "bug": raises(ValueError(secret)),
        "bug whose class a server named": raises(type(secret, (Exception,), {})(secret)),
        "deferred": raises(CallDeferred(f"ask {secret}")),
    }


ENDS = [*results("")]


def everything(handler: Any, caplog: pytest.LogCaptureFixture) -> str:
    outlet = Outlet()
    registry = ToolRegistry(check_results=False, secrets=lambda _: VALUE, hooks=[outlet, CallLog()])
    registry.register(HTTP_REQUEST, handler)
    with caplog.at_level(logging.DEBUG):
        outlet.seen.append(asyncio.run(registry.execute("http_request", CALL, context=outlet.context)))
    lines = [f"{logging.Formatter().format(record)} {vars(record)}" for record in caplog.records]
    # Not as JSON, whose escapes would hide a form.
    return "\n".join([*map(str, map(msgspec.to_builtins, _plain(outlet.seen))), *lines])


def _plain(seen: list[Any]) -> list[Any]:
    return [repr(each) for each in seen] + [
        (each.output, each.error, [(piece.text, piece.name, piece.data.decode()) for piece in each.content])
        for each in seen
        if isinstance(each, ToolResult)
    ]


@every_form
@pytest.mark.parametrize("end", ENDS)
def test_a_secret_leaves_by_no_result_event_or_log(
    form: str, end: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A secret in a result, an error, a hook's event, a log with its traceback."""
    hidden = FORMS[form](VALUE)

    async def handler(*_: Any) -> Any:
        return results(hidden)[end]()

    seen = everything(handler, caplog)
    assert hidden not in seen
    assert repr(hidden)[1:-1] not in seen
    assert end in ("bug", "deferred") or "[redacted:KEY]" in seen


@every_form
def test_a_secret_leaves_by_no_message_of_a_running_handler(
    form: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A secret in progress, a log message or its logger's name, a question to a person or a model."""
    hidden = FORMS[form](VALUE)

    async def handler(_: Any, context: ToolContext) -> str:
        await in_every_channel(hidden, context)
        return "done"

    seen = everything(handler, caplog)
    assert hidden not in seen
    assert repr(hidden)[1:-1] not in seen
    assert seen.count("[redacted:KEY]") >= 8


@pytest.mark.parametrize("parts", [2, 3, 5])
@pytest.mark.parametrize("form", ["plain", "base64", "URL-encoded", "JSON-escaped", "hex"])
def test_a_secret_that_is_split_over_the_parts_of_a_result_is_found(parts: int, form: str) -> None:
    """A secret whose beginning is the end of the output, and the rest of it the texts that follow."""
    hidden = FORMS[form](VALUE).rstrip("=")
    size = -(-len(hidden) // parts)
    pieces = [hidden[at : at + size] for at in range(0, len(hidden), size)]

    async def handler(*_: Any) -> ToolResult:
        picture = Content.image(b"1234", "image/png")
        texts = [Content.of(f"{piece}") for piece in pieces[1:]]
        return ToolResult(True, f"It is {pieces[0]}", content=(texts[0], picture, *texts[1:]))

    registry = ToolRegistry(secrets=lambda _: VALUE)
    registry.register(HTTP_REQUEST, handler)
    result = asyncio.run(registry.execute("http_request", CALL))
    assert result.output == "It is [redacted:KEY]"
    assert [piece.kind for piece in result.content] == ["text", "image", *["text"] * (parts - 2)]
    assert {piece.text for piece in result.content if piece.kind == "text"} == {"[redacted:KEY]"}


def test_a_secret_that_is_split_over_error_and_output_is_found() -> None:
    """A secret that begins in the error of a failed call and ends in its output, which a model reads next."""

    async def handler(*_: Any) -> ToolResult:
        return ToolResult(False, VALUE[9:] + " is wrong", None, f"No access: {VALUE[:9]}")

    registry = ToolRegistry(secrets=lambda _: VALUE)
    registry.register(HTTP_REQUEST, handler)
    result = asyncio.run(registry.execute("http_request", CALL))
    assert (result.error, result.output) == ("No access: [redacted:KEY]", "[redacted:KEY] is wrong")


async def echo(params: Any, context: ToolContext) -> str:
    context.progress(1, 1, params.headers["A"])
    return " ".join(encode(params.headers["A"]) for encode in FORMS.values())


def hidden_everywhere(text: str) -> None:
    for form in FORMS.values():
        assert form(VALUE) not in text


def test_a_secret_is_in_no_event_message_or_state_of_a_streamed_run() -> None:
    """A secret in the events of a streamed run, in what the model is sent next, and in the stored state."""
    registry = ToolRegistry(secrets=lambda _: VALUE)
    registry.register(HTTP_REQUEST, echo)
    call = json.dumps({"name": "http_request", "arguments": CALL})
    answers = iter([f"<tool_call>{call}</tool_call>", "Done."])
    stored: list[bytes] = []

    async def model(_: list[Any], __: bytes) -> Any:
        yield TextAnswer(text=next(answers), stop="stop")

    async def run() -> list[Any]:
        user = [{"role": "user", "content": "Go."}]
        stream = stream_tools(
            model, registry, user, format="text", checkpoint=lambda state: stored.append(state.encode())
        )
        return [event async for event in stream]

    events = asyncio.run(run())
    record = events[-1].record
    assert isinstance(events[-1], Stopped)
    assert "[redacted:KEY]" in repr(record.messages)
    assert stored
    for text in (repr(events), repr(record), *(repr(RunState.decode(state)) for state in stored)):
        hidden_everywhere(text)


def test_a_secret_is_not_in_the_state_of_a_run_that_waits() -> None:
    """A secret in the question and the stored call of a run that waits for an approval."""
    registry = ToolRegistry(secrets=lambda _: VALUE, policy=Policy())
    registry.register(HTTP_REQUEST, echo)
    call = json.dumps({"name": "http_request", "arguments": CALL})

    async def model(_: list[Any], __: bytes) -> Any:
        yield TextAnswer(text=f"<tool_call>{call}</tool_call>", stop="stop")

    async def run() -> Any:
        user = [{"role": "user", "content": "Go."}]
        stream = stream_tools(model, registry, user, format="text", pause=True)
        return [event async for event in stream][-1].record

    record = asyncio.run(run())
    (waiting,) = record.waiting
    assert waiting.arguments["headers"] == {"A": "<secret_ref:KEY>"}
    hidden_everywhere(repr(waiting))
    hidden_everywhere(record.state.encode().decode("latin-1"))


def test_a_secret_is_not_in_the_question_of_an_approval() -> None:
    """A secret on the terminal, in the question whether a call that refers to it may run."""
    asked: list[str] = []

    def approve(request: Any) -> str:
        asked.append(question(request))
        return "always"

    policy = Policy(approver=approve)
    registry = ToolRegistry(check_results=False, secrets=lambda _: VALUE, policy=policy)
    registry.register(HTTP_REQUEST, echo)
    for _ in range(2):  # the value is known to the registry at the second
        policy.forget()
        assert asyncio.run(registry.execute("http_request", CALL)).success
    assert all("<secret_ref:KEY>" in text for text in asked)
    assert len(asked) == 2
    hidden_everywhere("\n".join([*asked, repr(policy.remembered)]))


@pytest.mark.parametrize("mode", MODES)
def test_a_secret_reaches_no_client_of_a_served_registry(mode: str, sdk: Sdk) -> None:
    """A secret in an MCP result, log message, progress notification or question of a served registry."""
    seen: list[Any] = []

    async def handler(params: Any, context: ToolContext) -> Any:
        for form in FORMS.values():
            secret = form(params.headers["A"])
            context.progress(1, 2, secret)
            context.log("error", [secret], f"logger.{secret}")
        await context.ask(params.headers["A"], Form)
        return await echo(params, context)

    async def note(*received: Any) -> None:
        seen.append(received)

    async def answer(_: Any, asked: Any) -> Any:
        seen.append(asked)
        return sdk("mcp.types").ElicitResult(action="accept", content={"name": "bo"})

    async def session() -> Any:
        registry = ToolRegistry(secrets=lambda _: VALUE)
        registry.register(HTTP_REQUEST, handler)
        client = sdk("mcp").Client(
            mcp_server(registry), mode=mode, elicitation_callback=answer, logging_callback=note
        )
        async with asyncio.timeout(60), client:
            return await client.call_tool("http_request", CALL, progress_callback=note)

    seen.append(asyncio.run(session()))
    text = "\n".join(map(repr, seen))
    assert text.count("[redacted:KEY]") > len(FORMS)
    hidden_everywhere(text)


COMMANDS = (
    'echo "$T"',
    'printf %s "$T" | base64',
    'printf %s "$T" | od -An -tx1',
    'echo "$T" >&2; exit 3',
    "env",
    'echo "$T" > left.txt; cat left.txt',
    "set -x; true $T",
)


def test_a_secret_that_a_command_prints_is_hidden(tmp_path: Path) -> None:
    """A secret in the environment of a command: printed, encoded, traced, left in a file."""
    with toolset(tmp_path, policy=Policy("full"), secrets=lambda _: VALUE, web=False, data=False) as registry:

        def call(tool: str, **arguments: Any) -> ToolResult:
            result = registry.execute_sync(tool, arguments)
            hidden_everywhere(repr(result))
            return result

        for command in COMMANDS:
            result = call("bash", command=command, env={"T": "<secret_ref:KEY>"})
            assert "[redacted:KEY]" in result.output, command
        assert (tmp_path / "left.txt").read_text() == f"{VALUE}\n"
        assert "[redacted:KEY]" in call("file_read", file_path="left.txt").output
        assert "[redacted:KEY]" in call("grep", pattern="s3cr3t.*", output="lines").output
        started = call(
            "bash", command='sleep 0.1; echo "$T"', env={"T": "<secret_ref:KEY>"}, run_in_background=True
        )
        waited = call("bash_process", process_id=json.loads(started.output)["process_id"], block=True)
        assert "[redacted:KEY]" in waited.output
