"""A registry as a server, judged by the official client in one process: both eras of the protocol."""

# ruff: noqa: ARG001, ARG002, ARG005 - a handler's signature is fixed, whatever it uses

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from toolcast.mcp import mcp_server
from toolcast.mcp.serving.listed import Listed
from toolcast.project.core.compiled import Options
from toolcast.runtime import ToolBinding, ToolRegistry, ToolResult, UnknownProviderError

from generated.files.edit import EDIT
from generated.registry import BINDINGS
from tests.mcp import app
from tests.mcp.conftest import MODERN, MODES, ROOT, Sdk
from tests.mcp.scripted import connected
from tests.python.compiled import package, spec

pytestmark = pytest.mark.usefixtures("installed")

every_mode = pytest.mark.parametrize("mode", MODES)
FIELDS: dict[str, Any] = {name: getattr(EDIT, name) for name in EDIT.__struct_fields__}
GENERATED = ROOT / "generated" / "schemas" / "mcp"


def talk(sdk: Sdk, server: Any, mode: str, use: Callable[[Any], Awaitable[Any]], **options: Any) -> Any:
    return connected(sdk, server, use, mode, **options)


def call(sdk: Sdk, mode: str, name: str, arguments: dict[str, Any], **options: Any) -> Any:
    return talk(
        sdk, mcp_server(app.make()), mode, lambda client: client.call_tool(name, arguments, **options)
    )


async def every_page(client: Any) -> list[Any]:
    """As an inspector lists: page by page, until there is no cursor."""
    tools, cursor = [], None
    for _ in range(100):
        page = await client.list_tools(cursor=cursor)
        tools += page.tools
        cursor = page.next_cursor
        if cursor is None:
            return tools
    raise AssertionError("the listing never ends")


def plain(tool: Any) -> Any:
    return tool.model_dump(mode="json", by_alias=True, exclude_unset=True)


@every_mode
@pytest.mark.parametrize("page_size", [None, 1, 3, 8])
def test_an_inspector_reads_every_page(mode: str, page_size: int | None, sdk: Sdk) -> None:
    server = mcp_server(app.make(), page_size=page_size)
    listed = talk(sdk, server, mode, every_page)
    assert [tool.name for tool in listed] == sorted(app.make().names)
    for tool in listed:
        expected = json.loads((GENERATED / f"{tool.name}.json").read_bytes())
        output = expected.get("outputSchema", {})
        if mode == "legacy" and "$ref" in output:  # to an object, in this toolset: that is said at the root
            expected["outputSchema"] = {"type": "object", **output}
        elif mode == "legacy" and output.get("type") != "object":
            expected.pop("outputSchema", None)
        assert plain(tool) == expected
        for schema in (tool.input_schema, tool.output_schema):
            if schema is not None:
                jsonschema_rs.Draft202012Validator(schema)  # raises for what is no schema
        assert tool.annotations.title == tool.title


def test_older_definitions_are_listed_where_they_were_generated() -> None:
    class Both(ToolBinding[Any, Any], frozen=True, kw_only=True, eq=False):
        """A binding that was generated for older revisions, too."""

        def definition(self, provider: str, level: str = "full", *, strict: bool | None = None) -> bytes:
            name = "new" if provider == "mcp" else "older"
            return json.dumps({"name": name, "inputSchema": {"type": "object"}}).encode()

    registry = ToolRegistry()
    registry.register(Both(**FIELDS), app.edit)
    listed = Listed(registry, "mcp", None)
    tools = {version: listed.tools(version)["edit"] for version in ("2025-06-18", "2025-11-25", MODERN)}
    assert [json.loads(tool.definition)["name"] for tool in tools.values()] == ["older", "older", "new"]
    assert [tool.provider for tool in tools.values()] == ["mcp-2025-06-18", "mcp-2025-11-25", "mcp"]


def test_tasks_are_not_announced_by_a_server_that_has_none() -> None:
    stated = {"name": "edit", "inputSchema": {"type": "object"}}

    class AsTask(ToolBinding[Any, Any], frozen=True, kw_only=True, eq=False):
        """A binding whose spec states `execution`."""

        def definition(self, provider: str, level: str = "full", *, strict: bool | None = None) -> bytes:
            return json.dumps({**stated, "execution": {"taskSupport": "required"}}).encode()

    registry = ToolRegistry()
    registry.register(AsTask(**FIELDS), app.edit)
    tool = Listed(registry, "mcp-2025-11-25", None).tools("2025-11-25")["edit"]
    assert json.loads(tool.definition) == stated


def test_a_later_tool_that_was_not_generated_takes_no_other_down(
    sdk: Sdk, caplog: pytest.LogCaptureFixture
) -> None:
    registry = app.make()
    server = mcp_server(registry)
    registry.register(ToolBinding(**{**FIELDS, "name": "never_generated"}), app.edit)
    listed = talk(sdk, server, MODERN, every_page)
    assert [tool.name for tool in listed] == sorted(app.make().names)
    assert "'never_generated' is not offered" in caplog.text


@every_mode
def test_a_typed_result_comes_with_data_and_progress(mode: str, sdk: Sdk) -> None:
    reported: list[tuple[float, float | None, str | None]] = []

    async def hear(done: float, total: float | None, message: str | None) -> None:
        reported.append((done, total, message))

    result = call(sdk, mode, "glob", {"pattern": "a*"}, progress_callback=hear)
    assert not result.is_error
    assert result.structured_content == {"paths": ["/a*"], "total": 1}
    assert json.loads(result.content[0].text) == result.structured_content
    assert reported[-1] == (3, 3, "done")
    assert [done for done, _, _ in reported] == sorted({done for done, _, _ in reported})


@every_mode
def test_failures_are_results(mode: str, sdk: Sdk) -> None:
    refused = call(sdk, mode, "edit", {"file_path": "/a", "old_string": "x", "new_string": "y"})
    assert refused.is_error
    assert refused.content[0].text == "old_string does not occur; read the file first."
    wrong = call(sdk, mode, "edit", {"file_path": "", "replace_all": "yes"})
    assert wrong.is_error
    assert all(word in wrong.content[0].text for word in ("file_path", "old_string", "replace_all"))
    assert wrong.structured_content is None  # `data` of the failure is for the program
    bug = call(sdk, mode, "file_read", {"file_path": "/a"})
    assert bug.is_error
    assert "KeyError" in bug.content[0].text
    assert "somebody" not in bug.content[0].text


@every_mode
def test_an_unknown_tool_is_a_protocol_error_that_names_the_nearest(mode: str, sdk: Sdk) -> None:
    with pytest.raises(BaseException) as caught:  # noqa: PT011 - a group of one, or the error itself
        call(sdk, mode, "globb", {})
    problem: Any = caught.value
    while isinstance(problem, BaseExceptionGroup):
        problem = problem.exceptions[0]
    assert problem.code == -32602
    assert "Did you mean glob?" in problem.message


@every_mode
def test_pictures_sounds_and_files_arrive(mode: str, sdk: Sdk) -> None:
    import base64

    result = call(sdk, mode, "bash", {"command": "pictures"})
    assert not result.is_error
    assert [piece.type for piece in result.content] == ["text", "image", "audio", "resource", "text"]
    text, image, audio, file, more = result.content
    assert (text.text, more.text) == ("three pieces", "and a text")
    assert (image.mime_type, base64.b64decode(image.data)) == ("image/png", app.PNG)
    assert base64.b64decode(audio.data) == b"RIFF"
    assert base64.b64decode(file.resource.blob) == b"%PDF"
    assert str(file.resource.uri).endswith("a_report.pdf")
    # A result behind a reference has no root type, so only the newest revision knows of its data.
    assert (result.structured_content is not None) == (
        mode == MODERN or result.structured_content is not None
    )


@every_mode
@pytest.mark.parametrize(
    ("tool", "arguments", "last"),
    [("bash", {"command": "x"}, "cancelled"), ("web_fetch", {"url": "http://a"}, "abandoned in True")],
)
def test_cancelling_reaches_the_handler(
    mode: str, tool: str, arguments: Any, last: str, sdk: Sdk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = tmp_path / "notes"
    notes.touch()
    monkeypatch.setattr(app, "NOTES", notes)

    async def until(text: str) -> None:
        while text not in notes.read_text().splitlines():
            await asyncio.sleep(0.01)

    async def use(client: Any) -> None:
        task = asyncio.create_task(client.call_tool(tool, arguments))
        await until("started")
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert task.cancelled()
        await until(last)
        # The session is as good as before.
        assert (await client.call_tool("memory_store", {"content": "a", "kind": "fact"})).is_error

    talk(sdk, mcp_server(app.make()), mode, use)


def test_a_hundred_calls_at_once_get_their_own_answers(sdk: Sdk) -> None:
    async def use(client: Any) -> list[Any]:
        return await asyncio.gather(*(client.call_tool("glob", {"pattern": f"p{i}"}) for i in range(100)))

    for mode in MODES:
        results = talk(sdk, mcp_server(app.make()), mode, use)
        assert [result.structured_content["paths"] for result in results] == [[f"/p{i}"] for i in range(100)]


def test_new_tools_are_announced_to_those_who_listen(sdk: Sdk) -> None:
    def growing() -> ToolRegistry:
        registry = ToolRegistry()

        async def grow(params: Any, context: Any) -> dict[str, Any]:
            registry.register(BINDINGS["edit"], app.edit)
            return {"paths": [], "total": 0}

        registry.register(BINDINGS["glob"], grow)
        return registry

    async def modern(client: Any) -> list[str]:
        async with client.listen(tools_list_changed=True) as changes:
            before = await client.list_tools()
            await client.call_tool("glob", {"pattern": "*"})
            await anext(changes)
            return [tool.name for tool in [*before.tools, *(await client.list_tools()).tools]]

    assert talk(sdk, mcp_server(growing()), MODERN, modern) == ["glob", "edit", "glob"]

    reported = asyncio.Event()

    async def hear(message: Any) -> None:
        if getattr(message, "method", "") == "notifications/tools/list_changed":
            reported.set()

    async def legacy(client: Any) -> list[str]:
        assert client.server_capabilities.tools.list_changed
        await client.list_tools()
        await client.call_tool("glob", {"pattern": "*"})
        await reported.wait()
        return [tool.name for tool in (await client.list_tools()).tools]

    assert talk(sdk, mcp_server(growing()), "legacy", legacy, message_handler=hear) == ["edit", "glob"]


def test_a_registration_between_calls_is_noticed(sdk: Sdk) -> None:
    registry = app.make()

    async def use(client: Any) -> list[str]:
        async with client.listen(tools_list_changed=True) as changes:
            registry.register(BINDINGS["http_request"], app.edit)
            await anext(changes)
            return [tool.name for tool in (await client.list_tools()).tools]

    assert "http_request" in talk(sdk, mcp_server(registry), MODERN, use)


def test_a_selection_offers_what_it_selects(sdk: Sdk) -> None:
    server = mcp_server(app.make().select(groups="files", permission="read"))
    listed = talk(sdk, server, MODERN, every_page)
    assert [tool.name for tool in listed] == ["file_read", "glob", "grep"]
    assert talk(sdk, mcp_server(ToolRegistry()), MODERN, every_page) == []


def test_what_was_never_generated_is_reported_before_anyone_connects() -> None:
    with pytest.raises(UnknownProviderError, match=r"tool\.toolcast"):
        mcp_server(app.make(), provider="mcp-2025-11-25")
    with pytest.raises(ValueError, match="page_size"):
        mcp_server(app.make(), page_size=0)


@every_mode
def test_clients_that_see_no_schema_of_results_get_defaults(mode: str, sdk: Sdk) -> None:
    """Older revisions have no schema for results that are no objects."""
    row = {"type": "object", "properties": {"n": {"type": "integer", "default": 0}, "s": {"type": "string"}}}
    listing = spec({"type": "object"}, result={"type": "array", "items": row})
    with package({"rows.json": listing}, options=Options(providers=("mcp",))) as tools:
        binding = tools["rows"]
        value = msgspec.convert([{"s": "a"}, {"n": 1}], binding.result)
        registry = ToolRegistry()
        registry.register(binding, lambda params, context: value)
        result = talk(sdk, mcp_server(registry), mode, lambda client: client.call_tool("rows", {}))
    content = json.loads(result.content[0].text)
    if mode == "legacy":
        assert content == [{"n": 0, "s": "a"}, {"n": 1}]
    else:
        assert content == result.structured_content == [{"s": "a"}, {"n": 1}]


@every_mode
@pytest.mark.parametrize(
    ("text", "written"),
    [
        (["rows[].n"], ['{"rows":[{"n":1},{"n":2}]}']),
        ("{title}\n- {rows[].n}\n", ["A\n- 1\n- 2"]),
        ("{gone}", []),
    ],
)
def test_structured_content_is_whole_whatever_text_models_read(
    text: Any, written: list[str], mode: str, sdk: Sdk
) -> None:
    row = {"type": "object", "properties": {"n": {"type": "integer"}, "m": {"type": "integer", "default": 0}}}
    schema = {
        "type": "object",
        "required": ["title", "rows"],
        "properties": {
            "title": {"type": "string"},
            "gone": {"type": "string"},
            "rows": {"type": "array", "items": row},
        },
    }
    results = []
    for more in ({}, {"text": text}):
        source = spec({"type": "object"}, result=schema, **more)
        with package({"rows.json": source}, options=Options(providers=("mcp",))) as tools:
            binding = tools["rows"]
            value = msgspec.convert({"title": "A", "rows": [{"n": 1}, {"n": 2, "m": 0}]}, binding.result)
            registry = ToolRegistry()
            registry.register(binding, lambda params, context, value=value: value)
            results.append(talk(sdk, mcp_server(registry), mode, lambda client: client.call_tool("rows", {})))
    plain, own = results
    assert plain.structured_content == own.structured_content
    assert own.structured_content["rows"][1]["n"] == 2
    assert [piece.text for piece in own.content] == written
    assert not own.is_error


@pytest.mark.parametrize(("defaults", "expected"), [("include", {"n": 0, "m": 1}), ("omit", {"m": 1})])
def test_structured_content_beside_other_text_has_the_defaults_of_the_spec(
    defaults: str, expected: Any, sdk: Sdk
) -> None:
    schema = {
        "type": "object",
        "properties": {"n": {"type": "integer", "default": 0}, "m": {"type": "integer"}},
    }
    source = spec({"type": "object"}, result=schema, defaults=defaults)
    with package({"count.json": source}, options=Options(providers=("mcp",))) as tools:
        binding = tools["count"]
        value = ToolResult.ok("one of them", msgspec.convert({"m": 1}, binding.result))
        registry = ToolRegistry()
        registry.register(binding, lambda params, context: value)
        result = talk(sdk, mcp_server(registry), MODERN, lambda client: client.call_tool("count", {}))
    assert result.content[0].text == "one of them"
    assert result.structured_content == expected
