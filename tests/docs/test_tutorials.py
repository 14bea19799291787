"""The tutorials, executed as a reader does."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import tree_sitter_go
from toolcast.targets.model import TargetError, ToolModel
from toolcast.targets.render import tool_outputs
from tree_sitter import Language, Node, Parser

from tests.clients.conftest import Client
from tests.docs.pages import DOCS, blocks, run_page, served, terminal
from tests.docs.scripted_models import scripted_models
from tests.targets.surfaces import HOSTILE, corpus_model, model, own_model, target

EXISTING = DOCS / "tutorial/existing-server.md"
QUIET = {"FASTMCP_SHOW_SERVER_BANNER": "false", "FASTMCP_CHECK_FOR_UPDATES": "off"}
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("list_notes", {}),
    ("write_note", {"title": "plan", "text": "Buy milk.\nWrite home."}),
    ("write_note", {"title": "plan", "text": "\nSleep.", "mode": "append"}),
    ("search", {"text": "write"}),
    ("search", {"text": "WRITE", "limit": 1}),
    ("delete_note", {"title": "plan"}),
    ("list_notes", {}),
]
ASKED = ("search_notes", {"text": "milk", "limit": None})
WRONG = ("search_notes", {"text": "", "limits": 5})


def function(tool: dict[str, Any]) -> dict[str, Any]:
    """A tool object without OpenAI's envelope."""
    return tool.get("function", tool)


def test_two_models_call_the_first_tool(client: Client, tmp_path: Path) -> None:
    client("openai")
    client("anthropic")
    page = DOCS / "tutorial/first-tool.md"
    with scripted_models([ASKED, WRONG], [], text="Two notes mention milk: it is to be bought.") as models:
        run_page(page, tmp_path / "home", environment=models.environment)
    printed = page.read_text("utf-8").partition(f"'{json.dumps(WRONG[1])}' --app app:registry\n")[2]
    refusal = printed.partition("\n$ echo")[0]
    assert refusal.startswith("Invalid arguments")
    told = {
        "openai": models.requests["openai"][1]["messages"][-1]["content"],
        "anthropic": models.requests["anthropic"][1]["messages"][-1]["content"][-1],
    }
    assert told["openai"] == f"Error: {refusal}"
    assert (told["anthropic"]["content"], told["anthropic"]["is_error"]) == (refusal, True)
    assert sorted(models.requests) == ["anthropic", "openai"]
    for first, second in models.requests.values():
        sent = json.dumps(second["messages"])
        assert "Milk the cow at six" in sent
        assert "Buy milk" in sent
        assert len(first["messages"]) == 1
        assert [tool["name"] for tool in map(function, first["tools"])] == ["search_notes"]


async def answers(client: Client, folder: Path, server: dict[str, Any]) -> tuple[dict[str, Any], list[Any]]:
    """The tools that a server on stdio lists, started in a folder, and what it answers to `CALLS`."""
    environment = {**os.environ, **QUIET, **server.get("env", {})}
    transport = client("fastmcp.client.transports").StdioTransport(
        server["command"], server["args"], cwd=str(folder), env=environment
    )
    async with asyncio.timeout(90), client("fastmcp").Client(transport) as session:
        tools = {tool.name: tool for tool in await session.list_tools()}
        results = [await session.call_tool(name, values, raise_on_error=False) for name, values in CALLS]
        texts = [[getattr(block, "text", None) for block in result.content] for result in results]
        return tools, [
            (result.is_error, result.structured_content, text)
            for result, text in zip(results, texts, strict=True)
        ]


def test_an_existing_server_is_checked_and_answers_as_before(client: Client, tmp_path: Path) -> None:
    client("fastmcp")
    client("mcp_server_time")
    run_page(EXISTING, tmp_path)
    for spec in (tmp_path / "clock/specs/time").glob("*.yaml"):
        assert "permission: read" in spec.read_text("utf-8")
    [configuration] = [block for block in blocks(EXISTING) if block.language == "json"]
    folder = tmp_path / "notes-server"

    async def both() -> tuple[Any, Any]:
        old = answers(client, folder, {"command": sys.executable, "args": ["server.py"]})
        # A client starts the server in a folder of its own choice.
        new = answers(client, tmp_path, served(configuration.text, folder))
        return await asyncio.gather(old, new)

    (tools, expected), (offered, found) = asyncio.run(both())
    assert offered.keys() == tools.keys()
    assert len(offered) == 4
    for name, tool in tools.items():
        assert offered[name].description == tool.description
        assert set(offered[name].input_schema["properties"]) == set(tool.input_schema["properties"])
    assert found == expected
    assert not any(failed for failed, *_ in expected)


ARGUMENTS: dict[str, list[dict[str, Any]]] = {
    "maybe": [{}, {"found": True}],
    "given": [{"value": {"name": "x"}}, {"value": {"name": "x", "dimensions": {}, "tags": ["a"]}}],
    "pet": [{}, {"which": "dog"}],
    "tagged": [{}, {"which": "cat"}],
    "event": [{}, {"naive": True}],
    "options": [{}, {"full": True}],
    "when": [{}, {"at": "2021-01-01T00:00:00Z"}],
    "text": [{}, {"value": "hi"}, {"value": '{"result": 1}'}],
    "maybe_text": [{}, {"value": "a"}],
    "texts": [{}, {"count": 2}],
    "document": [{}, {"text": True}],
    "whole": [{}, {"fails": True}],
    "kind": [{"id": 3}, {"id": "a"}, {"id": "00000000-0000-0000-0000-000000000005"}],
    "report": [{"a": 3}],
    "remember": [{}, {}],
    "depends": [{"a": 3}],
}
"""Arguments of the calls of a tool; of others, none."""


SCHEMAS = ("inputSchema", "outputSchema")


def compared(answer: Any) -> Any:
    """An answer as JSON, its texts too where they are, without FastMCP's own `_meta`."""
    made = answer.model_dump(mode="json", by_alias=True, exclude_none=True)
    for block in made.get("content", ()):
        with suppress(KeyError, ValueError):
            block["text"] = json.loads(block["text"])
    return {key: value for key, value in made.items() if key != "_meta"}


async def everything(client: Client, folder: Path, command: list[str], mode: str) -> tuple[Any, Any]:
    """The tools that a server lists, and its answers to all calls with what the client was sent meanwhile."""
    elicited = client("fastmcp.client.elicitation").ElicitResult
    sent: list[Any] = []

    async def progress(*report: object) -> None:
        sent.append(["progress", *report])

    async def log(message: Any) -> None:
        sent.append(["log", message.level, message.data])

    async def elicit(message: str, _form: object, params: Any, _context: object) -> Any:
        sent.append(["asked", message, params.requested_schema])
        fields = params.requested_schema["properties"]
        return elicited(
            action="accept",
            content={
                name: each.get("enum", ["z"])[0] for name, each in fields.items() if "default" not in each
            },
        )

    transport = client("fastmcp.client.transports").StdioTransport(
        command[0], command[1:], cwd=str(folder), env={**os.environ, **QUIET}, keep_alive=False
    )
    handlers = {"progress_handler": progress, "log_handler": log, "elicitation_handler": elicit}
    answered: list[Any] = []
    async with asyncio.timeout(120), client("fastmcp").Client(transport, mode=mode, **handlers) as session:
        tools = {tool.name: compared(tool) for tool in await session.list_tools()}
        for name in sorted(tools):
            for values in ARGUMENTS.get(name, [{}]):
                sent.clear()
                answer = compared(await session.call_tool_mcp(name, values))
                await session.ping()  # what was sent before has arrived by now
                answered.append((name, values, answer, sorted(map(str, sent))))
    return tools, answered


@pytest.mark.parametrize(
    "module", ["contents_server", pytest.param("results_server", marks=pytest.mark.thorough)]
)
def test_what_a_server_answers_survives_five_commands(module: str, client: Client, tmp_path: Path) -> None:
    """No line is written by hand, and answers are equal as JSON: data, texts, images, and what was asked."""
    client("fastmcp")
    shutil.copy(Path(__file__).with_name(f"{module}.py"), tmp_path / "server.py")
    (tmp_path / "pyproject.toml").write_text('[tool.toolcast]\nproviders = ["mcp"]\n', "utf-8")
    with terminal(tmp_path, QUIET, frozenset(("toolcast",))) as reader:
        reader.run("toolcast import python server:mcp --into specs --permission '*=read' --secrets none", "…")
        reader.run("toolcast generate", "…")
        reader.run("toolcast stubs", "…")
    server = "from server import mcp; mcp.run(show_banner=False)"
    original = [sys.executable, "-c", server]
    ours = [sys.executable, "-m", "toolcast", "serve", "app:registry"]

    async def both(mode: str) -> list[tuple[Any, Any]]:
        made = (everything(client, tmp_path, command, mode) for command in (original, ours))
        return await asyncio.gather(*made)

    (tools, expected), (offered, found) = asyncio.run(both("legacy"))
    assert offered.keys() == tools.keys()
    for name, tool in tools.items():
        assert [offered[name].get(key) for key in SCHEMAS] == [tool.get(key) for key in SCHEMAS]
    for made, theirs in zip(found, expected, strict=True):
        assert made == theirs


@pytest.fixture(scope="module")
def go_target(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that a reader of the tutorial has in the end."""
    folder = tmp_path_factory.mktemp("own") / "shop"
    run_page(DOCS / "tutorial/own-target.md", folder)
    return folder / "targets/go"


def go_structs(folder: Path, tool: ToolModel) -> tuple[bytes, Node]:
    """The file of a tool, and how a grammar of Go reads it, without an error."""
    (content,) = tool_outputs(target("go", folder), tool).values()
    root = Parser(Language(tree_sitter_go.language())).parse(content).root_node
    assert not root.has_error, content.decode()
    return content, root


def test_a_target_of_ones_own_has_fewer_than_60_lines(go_target: Path) -> None:
    assert sum(len(file.read_text("utf-8").splitlines()) for file in go_target.iterdir()) < 60
    for tool in own_model().tools:
        go_structs(go_target, tool)


@pytest.mark.corpora
def test_go_structs_of_tools_of_the_corpora(go_target: Path, shared_dir: Path, tmp_path: Path) -> None:
    tools = corpus_model(shared_dir).tools
    assert len(tools) > 200
    (tmp_path / "go.mod").write_text("module acme\n\ngo 1.21\n", "utf-8")
    for tool in tools:
        file = tmp_path / tool.names.snake / "types.go"
        file.parent.mkdir()
        file.write_bytes(go_structs(go_target, tool)[0])
    for command in (["gofmt", "-l", "."], ["go", "vet", "./..."]):
        if shutil.which(command[0]):
            done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
            assert (done.returncode, done.stdout) == (0, ""), done.stderr


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_leaves_its_place_in_go_structs(go_target: Path, text: str) -> None:
    named = {"description": text, "type": "string"}

    def made(properties: dict[str, Any]) -> ToolModel:
        parameters = {"type": "object", "description": text, "properties": properties}
        spec = {"description": text, "permission": "read", "secrets": [], "parameters": parameters}
        found = model("odd.json", spec)
        assert found is not None
        return found

    enum, inner = {"enum": [text, "x"]}, {"type": "object", "properties": {"b": named}}
    content, root = go_structs(go_target, made({"a_12": named, "a_1_2": enum, "A12": inner}))
    declared = [each.type.partition("_")[0] for each in root.named_children if each.type != "comment"]
    assert declared == ["package", "type", "const", "const", "type", "type"]
    assert [f"\t{name} " in content.decode() for name in ("A12", "A122", "A123")] == [True] * 3
    with pytest.raises(TargetError, match="not written as a name"):
        go_structs(go_target, made({"a`, b": named}))
