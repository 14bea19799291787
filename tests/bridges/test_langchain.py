"""A registry as LangChain tools: bound to chat models, called, interrupted."""

import asyncio
import json
import sys
import types
from collections.abc import Callable
from typing import Any

import pytest
from msgspec import structs
from toolcast.runtime import ToolRegistry, ToolResult
from toolcast.runtime.middleware.policy import Policy

from generated.files.edit import EDIT
from generated.shell.bash import BashParams
from tests.bridges.conftest import BASHED, EDITED, Handlers, make

Load = Callable[[str], Any]


class Library:
    def __init__(self, load: Load) -> None:
        self.bridge = load("toolcast.bridges.langchain")
        self.messages = load("langchain_core.messages")
        self.calling = load("langchain_core.utils.function_calling")
        self.base = load("langchain_core.tools")
        self.load = load

    def tool(self, registry: Any, name: str, **options: Any) -> Any:
        (found,) = [each for each in self.bridge.tools(registry, "openai", **options) if each.name == name]
        return found

    def call(self, registry: Any, name: str, arguments: Any, awaited: bool = False, **options: Any) -> Any:
        tool = self.tool(registry, name, **options)
        sent = {"type": "tool_call", "id": "c0", "name": name, "args": arguments}
        return asyncio.run(tool.ainvoke(sent)) if awaited else tool.invoke(sent)


@pytest.fixture
def lib(framework: Load) -> Library:
    return Library(framework)


def without_titles(schema: Any) -> Any:
    """A schema without what LangChain drops in some places: titles that are text."""
    if isinstance(schema, list):
        return [without_titles(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: without_titles(item) for name, item in value.items()}
        if key == "properties"
        else without_titles(value)
        for key, value in schema.items()
        if not (key == "title" and isinstance(value, str))
    }


def test_the_conversion_for_openai_keeps_all_but_titles(lib: Library, everything: ToolRegistry) -> None:
    tools = lib.bridge.tools(everything, "openai")
    references = 0
    for tool, wanted in zip(tools, everything.definition_objects("openai"), strict=True):
        got, wanted = lib.calling.convert_to_openai_tool(tool)["function"], wanted["function"]
        assert (got["name"], got["description"]) == (wanted["name"], wanted["description"])
        if "$ref" in json.dumps(wanted):  # LangChain inlines references
            references += 1
            assert got["parameters"].keys() == wanted["parameters"].keys() - {"$defs"}
        else:
            assert without_titles(got["parameters"]) == without_titles(wanted["parameters"])
    assert references < len(tools) / 2


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_bound_definition_objects_arrive_as_generated(
    provider: str, lib: Library, everything: ToolRegistry
) -> None:
    """What docs/reference/bridges.md names for schemas that must not change."""
    objects = everything.definition_objects(provider)
    if provider == "openai":
        assert [lib.calling.convert_to_openai_tool(each) for each in objects] == objects
    else:
        parameters = [lib.calling.convert_to_openai_tool(each)["function"]["parameters"] for each in objects]
        assert parameters == [each["input_schema"] for each in objects]


def test_a_chat_model_calls_a_tool(lib: Library, registry: ToolRegistry) -> None:
    """bind_tools, the model's calls, and the tools' messages, as an agent passes them on."""
    bound: list[Any] = []
    calls = [
        {"name": "edit", "args": EDITED, "id": "c0", "type": "tool_call"},
        {"name": "bash", "args": BASHED, "id": "c1", "type": "tool_call"},
    ]
    answer = lib.messages.AIMessage("", tool_calls=calls)
    fake = lib.load("langchain_core.language_models.fake_chat_models").GenericFakeChatModel
    convert = lib.calling.convert_to_openai_tool

    class Chat(fake):  # type: ignore[misc]
        def bind_tools(self, tools: Any, **_: Any) -> Any:
            bound.extend(convert(tool) for tool in tools)
            return self

    tools = lib.bridge.tools(registry, "openai")
    message = Chat(messages=iter([answer])).bind_tools(tools).invoke("go")
    assert [each["function"]["name"] for each in bound] == list(registry.names)
    by_name = {tool.name: tool for tool in tools}
    results = [by_name[call["name"]].invoke(call) for call in message.tool_calls]
    assert [result.tool_call_id for result in results] == ["c0", "c1"]
    assert results[0].artifact == {"replacements": 1, "snippet": "edited /a"}
    assert json.loads(results[1].content)["stdout"] == "out"


def test_a_checkpointer_stores_the_message_of_a_typed_result(lib: Library, registry: ToolRegistry) -> None:
    store = lib.load("langgraph.checkpoint.serde.jsonplus").JsonPlusSerializer()
    message = lib.call(registry, "edit", EDITED)
    assert message.artifact is not None
    assert store.loads_typed(store.dumps_typed(message)) == message


def test_a_value_without_a_json_form_is_for_the_program_alone(lib: Library) -> None:
    value = object()
    tools = ToolRegistry()
    tools.register(structs.replace(EDIT, result=None), lambda *_: ToolResult.ok("done", value))
    message = lib.call(tools, "edit", EDITED)
    assert (message.content, message.artifact) == ("done", value)


@pytest.mark.parametrize("awaited", [True, False])
def test_arguments_are_decoded_from_the_providers_form(
    awaited: bool, lib: Library, registry: ToolRegistry, handlers: Handlers
) -> None:
    edited = lib.call(registry, "edit", EDITED, awaited)
    lib.call(registry, "bash", BASHED, awaited)
    assert handlers.params[0] == EDIT.params(file_path="/a", old_string="x", new_string="y")
    assert handlers.params[1] == BashParams(command="make", env={"A": "1", "B": "2"})
    assert handlers.contexts[0].call_id == "c0"
    assert json.loads(edited.content) == {"replacements": 1, "snippet": "edited /a"}
    assert edited.status == "success"


@pytest.mark.parametrize("awaited", [True, False])
@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("edit", {**EDITED, "replace_all": "yes"}, "`replace_all` must be a boolean, got a string"),
        ("edit", {}, "missing required property `file_path`"),
        ("memory_store", {"content": "x"}, ""),
        ("file_read", {"file_path": "/a", "line_range": None, "encoding": None}, "no such file"),
    ],
)
def test_failures_are_messages_with_the_status_error(
    awaited: bool, name: str, arguments: Any, words: str, lib: Library, registry: ToolRegistry
) -> None:
    message = lib.call(registry, name, arguments, awaited)
    assert message.status == "error"
    assert words in message.content
    tool = lib.tool(registry, name)
    tool.handle_tool_error = False
    with pytest.raises(lib.base.ToolException, match=words or "."):
        tool.invoke(arguments)


def test_arguments_may_be_json_text(lib: Library, registry: ToolRegistry, handlers: Handlers) -> None:
    lib.tool(registry, "edit").invoke(json.dumps(EDITED))
    assert handlers.params[0].file_path == "/a"


def test_content_is_standard_blocks(lib: Library, registry: ToolRegistry) -> None:
    message = lib.call(registry, "bash", {**BASHED, "command": "pictures"})
    text, image, audio, file = message.content_blocks
    assert text["text"] == "pieces"
    assert (image["type"], image["mime_type"]) == ("image", "image/png")
    assert "audio/wav, 4 bytes: left out" in audio["text"]
    assert (file["type"], file["mime_type"]) == ("file", "application/pdf")


def test_an_interruption_of_langgraph_passes(
    lib: Library, handlers: Handlers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LangGraph is found where the program imported it; its interruptions are no failures."""

    class GraphBubbleUp(Exception):  # noqa: N818 - LangGraph's name
        pass

    module = types.ModuleType("langgraph.errors")
    module.GraphBubbleUp = GraphBubbleUp  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "langgraph.errors", module)

    async def ask(request: Any) -> Any:
        raise GraphBubbleUp(request.tool)

    registry = make(handlers, policy=Policy())
    with pytest.raises(GraphBubbleUp, match="edit"):
        lib.call(registry, "edit", EDITED, approver=ask)
    assert "nobody to ask" in lib.call(registry, "edit", EDITED).content

    async def agree(request: Any) -> Any:
        return "yes" if request.tool == "edit" else "no"

    assert lib.call(registry, "edit", EDITED, approver=agree).status == "success"
    assert lib.call(registry, "bash", BASHED, approver=agree).status == "error"


def test_external_tools_are_left_out(
    lib: Library, registry: ToolRegistry, caplog: pytest.LogCaptureFixture
) -> None:
    registry.replace(structs.replace(EDIT, external=True))
    made = lib.bridge.tools(registry)
    assert [tool.name for tool in made] == [name for name in registry.names if name != "edit"]
    assert "Tool 'edit' is not offered to LangChain: it is external" in caplog.text


def test_cancelling_cancels_the_handler(lib: Library, registry: ToolRegistry, handlers: Handlers) -> None:
    properties = json.loads(registry.get("grep").binding.definition("openai"))["function"]["parameters"]
    arguments = {**dict.fromkeys(properties["properties"]), "pattern": "x"}

    async def main() -> None:
        running = asyncio.create_task(lib.tool(registry, "grep").ainvoke(arguments))
        await asyncio.wait_for(handlers.started.wait(), 60)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        await asyncio.wait_for(handlers.cancelled.wait(), 60)

    asyncio.run(main())


def test_a_parameter_may_have_any_name(lib: Library, everything: ToolRegistry) -> None:
    """LangChain passes arguments by name, and its own beside them."""
    names = {name for tool in lib.bridge.tools(everything) for name in tool.args}
    assert names
    message = lib.call(everything, "memory_store", {"config": 1, "run_manager": 2, "self": 3})
    for name in ("config", "run_manager", "self"):
        assert name in message.content


def test_sync_calls_are_refused_in_an_event_loop(lib: Library, registry: ToolRegistry) -> None:
    async def main() -> None:
        with pytest.raises(RuntimeError, match="An event loop runs"):
            lib.tool(registry, "edit").invoke(EDITED)

    asyncio.run(main())
