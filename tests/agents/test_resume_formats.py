"""A run that pauses and goes on, in every format: it ends as one that never paused."""

# ruff: noqa: ARG001, ARG002 - a handler has its signature, whatever it uses

import asyncio
import copy
import json
from typing import Any

import msgspec
import pytest
from toolcast.agents import Record, RunState, resume, run_tools
from toolcast.agents.dispatch import Content
from toolcast.agents.dispatch.answer_fields import plain
from toolcast.agents.text_calls import TextAnswer, parse
from toolcast.runtime import ToolContext, ToolRegistry, ToolResult
from toolcast.runtime.middleware.policy import Answer, Policy

from generated.files.edit import EDIT
from generated.files.glob import GLOB
from generated.web.web_fetch import WEB_FETCH
from tests.agents.dispatch.answers import ANSWERS, Asked, id_for

from .test_loop import GOOD

EXTERNAL = msgspec.structs.replace(WEB_FETCH, external=True)
PNG = Content.image(b"\x89PNG\r\n\x1a\n\xff", "image/png")
USER: dict[str, Any] = {"role": "user", "content": [b"\x00\xff", "Edit it."]}
CALLS = [
    ("glob", {"pattern": "*"}),
    ("edit", GOOD),
    ("edit", {**GOOD, "file_path": "/b"}),
    ("web_fetch", {"url": "https://example.org/"}),
]


class Script:
    """A model that asks for all calls, and then for nothing."""

    def __init__(self, *answers: Any) -> None:
        self.answers = [*answers]
        self.seen: list[Any] = []

    async def __call__(self, messages: list[Any], definitions: bytes) -> Any:
        self.seen.append(plain(messages))
        return self.answers.pop(0)


def registry(approver: Any = None, *, external: bool) -> ToolRegistry:
    async def edit(params: Any, context: ToolContext) -> ToolResult:
        return ToolResult.ok(f"edited {params.file_path}")

    async def glob(params: Any, context: ToolContext) -> ToolResult:
        return ToolResult.ok("an image", content=(PNG,))

    async def fetch(params: Any, context: ToolContext) -> str:
        return "a page"

    made = ToolRegistry(
        check_results=False, policy=Policy(auto_approve=["glob", "web_fetch"], approver=approver)
    )
    made.register(EDIT, edit)
    made.register(GLOB, glob)  # type: ignore[arg-type]
    if external:
        made.register(EXTERNAL)
    else:
        made.register(WEB_FETCH, fetch)  # type: ignore[arg-type]
    return made


async def approver(request: Any) -> Any:
    return "yes" if request.params.file_path == "/a" else Answer("no", "Not that one.")


def ends_alike(first: Any, last: Any, **options: Any) -> Record:
    """The record of a run that pauses after `first`, and goes on from bytes, twice; it ends as another one
    that has an approver and the page at once."""
    if options["format"] in ("bedrock", "mistral", "cohere", "ollama"):
        options["provider"] = "mcp"  # nothing is generated for them here
    at_once = Script(copy.deepcopy(first), last)
    expected = asyncio.run(run_tools(at_once, registry(approver, external=False), [USER], **options))
    paused = asyncio.run(run_tools(Script(first), registry(external=True), [USER], **options))
    one, two, page = paused.waiting
    assert len({call.key for call in paused.waiting}) == 3
    assert [call.arguments for call in paused.waiting] == [arguments for _, arguments in CALLS[1:]]
    state = RunState.decode(paused.state.encode())
    decisions = {one.key: "yes", two.key: Answer("no", "Not that one.")}
    later = asyncio.run(resume(Script(), registry(external=True), state, decisions=decisions, **options))
    assert (later.stopped, later.waiting) == ("paused", (page,))
    state = RunState.decode(later.state.encode())
    model = Script(last)
    record = asyncio.run(
        resume(model, registry(external=True), state, results={page.key: "a page"}, **options)
    )
    assert (record.stopped, expected.stopped) == ("answer", "answer")
    assert plain(record.messages) == plain(expected.messages)
    assert model.seen[-1] == at_once.seen[-1]
    assert record.messages[0] == USER
    return record


def asked(format: str, ids: bool = True) -> list[Asked]:
    return [
        Asked(id_for(format, i) if ids else "", name, json.dumps(arguments))
        for i, (name, arguments) in enumerate(CALLS)
    ]


def last(format: str) -> Any:
    return ANSWERS[format]([])


@pytest.mark.parametrize("format", ANSWERS)
def test_every_wire_format(format: str) -> None:
    ends_alike(ANSWERS[format](asked(format)), last(format), format=format)


@pytest.mark.parametrize("format", ["gemini", "ollama", "openai"])
def test_calls_without_ids(format: str) -> None:
    ends_alike(ANSWERS[format](asked(format, ids=False)), last(format), format=format)


@pytest.mark.parametrize("format", ANSWERS)
def test_json_text(format: str) -> None:
    ends_alike(json.dumps(ANSWERS[format](asked(format))).encode(), last(format), format=format)


def written(family: str | None) -> str:
    if family != "glm4":
        calls = [{"name": name, "arguments": arguments} for name, arguments in CALLS]
        return "I will.\n" + "\n".join(f"<tool_call>{json.dumps(call)}</tool_call>" for call in calls)
    pairs = (
        "".join(f"<arg_key>{key}</arg_key><arg_value>{value}</arg_value>" for key, value in arguments.items())
        for _, arguments in CALLS
    )
    return "\n".join(
        f"<tool_call>{name}{each}</tool_call>" for (name, _), each in zip(CALLS, pairs, strict=True)
    )


@pytest.mark.parametrize("family", [None, "glm4"])
@pytest.mark.parametrize("kind", [str, TextAnswer])
def test_text(family: str | None, kind: Any) -> None:
    assert len(parse(written(family), family or "auto").calls) == 4
    ends_alike(kind(written(family)), kind("Done."), format="text", text_format=family)
