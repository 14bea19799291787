"""The toolset as a program gets it: which tools, under which policy and limits, served and called."""

# ruff: noqa: ARG001, ARG002 - a handler's signature is fixed, whatever it uses

import asyncio
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from ast import PyCF_ALLOW_TOP_LEVEL_AWAIT
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from toolcast.runtime import Framework, RefusalError, ToolContext, ToolRegistry, ToolResult
from toolcast.runtime.middleware.policy import Policy, RateLimit
from toolcast_tools import OUTPUT_LIMIT, SHAPES, TIMEOUTS, supervision, toolset
from toolcast_tools.files import Files
from toolcast_tools.generated.files.edit import EditParams
from toolcast_tools.generated.registry import BINDINGS

from tests.held import descriptors

DOCS = (Path(__file__).resolve().parents[2] / "docs/reference/toolset.md").read_text("utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", DOCS, re.DOTALL)
FILES = {"file_read", "file_write", "edit", "multi_edit", "glob", "grep"}
ALWAYS = FILES | {"bash", "bash_process", "http_request", "web_fetch", "data_analysis"}


def execute(registry: ToolRegistry, *calls: tuple[str, dict[str, Any]]) -> list[ToolResult]:
    """The results of calls one after the other; the registry is closed then."""

    async def run() -> list[ToolResult]:
        async with registry:
            return [await registry.execute(name, arguments) for name, arguments in calls]

    return asyncio.run(run())


class Engine:
    """A search engine that finds nothing."""

    async def search(self, query: Any, /) -> list[Any]:
        return []


async def coder(task: Any, context: Any) -> Any:
    """What an agent does."""


async def scheduled(run: Any) -> None:
    """What a task does."""


def test_the_tools_that_need_nothing_but_a_folder(tmp_path: Path) -> None:
    registry = toolset(tmp_path)
    assert set(registry.names) == ALWAYS
    asyncio.run(registry.aclose())


def test_a_group_is_there_where_the_program_provides_for_it(tmp_path: Path) -> None:
    from toolcast_tools.agents import Agents
    from toolcast_tools.schedule import Schedule
    from toolcast_tools.web import Web

    folder = tmp_path / "documents"
    folder.mkdir()
    registry = toolset(
        tmp_path,
        agents=Agents({"coder": coder}),
        web=Web(search=Engine()),
        memory=tmp_path / "memory.db",
        knowledge={"documents": folder},
        schedule=Schedule(None, scheduled),
    )
    assert set(registry.names) == {*BINDINGS}
    assert b'"enum":["coder"]' in registry.definitions("openai")
    asyncio.run(registry.aclose())
    files = toolset(tmp_path, shell=False, web=False, data=False)
    assert set(files.names) == FILES
    asyncio.run(files.aclose())


def test_every_tool_has_a_limit_of_time_that_is_longer_than_what_a_call_may_ask_for() -> None:
    assert {*TIMEOUTS} == {*BINDINGS}
    for name, seconds in TIMEOUTS.items():
        asked = BINDINGS[name].schema()["properties"].get("timeout", {})
        assert asked.get("maximum", 0) < seconds


def test_a_limit_of_time_may_be_another_one(tmp_path: Path) -> None:
    command = {"command": "sleep 30"}
    (result,) = execute(toolset(tmp_path, policy=Policy("full"), timeouts={"bash": 0.2}), ("bash", command))
    assert "did not finish within 0.2 s" in result.error


def test_what_is_free_under_an_always_is_a_parameter() -> None:
    for name, freedoms in SHAPES.items():
        properties = BINDINGS[name].schema()["properties"]
        assert {*freedoms} <= {*properties}
        assert not {*freedoms} & {*BINDINGS[name].schema().get("required", ())}


def test_without_an_approver_tools_that_read_run_and_no_other(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    read, *others = execute(
        toolset(tmp_path, memory=tmp_path / "memory.db"),
        ("file_read", {"file_path": "a.txt"}),
        ("edit", {"file_path": "a.txt", "old_string": "one", "new_string": "two"}),
        ("bash", {"command": "touch b.txt"}),
        ("http_request", {"url": "https://example.com/"}),
        ("memory_store", {"content": "The sky is blue."}),
    )
    assert read.success
    assert "one" in read.output
    assert [("nobody to ask" in each.error, each.success) for each in others] == [(True, False)] * 4
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix == ".txt") == ["a.txt"]
    assert (tmp_path / "a.txt").read_text() == "one\n"


def test_a_command_is_asked_for_once_whatever_its_words_and_its_limit(tmp_path: Path) -> None:
    asked: list[str] = []

    def approve(request: Any) -> str:
        asked.append(request.words)
        return "always"

    command = {"command": "echo run >> runs.txt"}
    results = execute(
        toolset(tmp_path, policy=supervision(approve)),
        ("bash", {**command, "description": "Note a run"}),
        ("bash", {**command, "timeout": 50}),
        ("bash", {**command, "description": "Note another run", "timeout": 70.5}),
    )
    assert [each.success for each in results] == [True] * 3
    assert asked == ["Note a run"]
    assert (tmp_path / "runs.txt").read_text() == "run\n" * 3


def test_the_limit_of_all_tools() -> None:
    policy = supervision(total_limit=RateLimit(1, 3600))
    binding = BINDINGS["file_read"]
    params = binding.decode({"file_path": "a"})
    first, second = (policy.rule(binding, params, Framework()) for _ in range(2))
    assert first is not None
    assert second is not None
    assert (first.allowed, second.by) == (True, "rate_limit")


def test_long_output_is_cut_to_its_beginning_and_its_end(tmp_path: Path) -> None:
    command = "seq 100000"
    (result,) = execute(
        toolset(tmp_path, policy=Policy("full")), ("bash", {"command": command, "description": "Count"})
    )
    assert result.success
    text = result.output
    assert OUTPUT_LIMIT - 100 < len(text) < OUTPUT_LIMIT + 200
    head, _, tail = text.partition("characters are left out here")
    assert abs(len(head) / OUTPUT_LIMIT - 0.7) < 0.02
    assert abs(len(tail) / OUTPUT_LIMIT - 0.3) < 0.02


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="the system does not list open descriptors")
def test_closing_leaves_no_descriptor_and_no_process(tmp_path: Path) -> None:
    def once() -> None:
        execute(
            toolset(tmp_path, policy=Policy("full"), memory=tmp_path / "memory.db"),
            ("bash", {"command": "sleep 600", "run_in_background": True}),
            ("file_write", {"file_path": "a.txt", "content": "a"}),
            ("memory_store", {"content": "The sky is blue."}),
            ("data_analysis", {"source": {"kind": "inline", "columns": ["a"], "rows": [[1]]}}),
        )

    once()  # what is loaded and kept at first use
    before = open_paths()
    once()
    after = open_paths()
    assert len(after) <= len(before)
    assert not [path for path in after if path.startswith(str(tmp_path))]
    children = subprocess.run(
        ["pgrep", "-f", "sleep 600", "-P", str(os.getpid())], capture_output=True, check=False
    )
    assert children.stdout == b""


def open_paths() -> list[str]:
    """What this process has open."""
    found: list[str] = []
    for fd in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # that of the listing itself
            found.append(str(fd.readlink()))
    return found


def test_a_group_that_cannot_be_made_leaves_nothing_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[Files] = []
    monkeypatch.setattr(Files, "close", lambda files: closed.append(files))
    with pytest.raises(RefusalError, match="memory cannot be opened"):
        toolset(tmp_path, memory=tmp_path)
    assert len(closed) == 1


CALL = [sys.executable, "-m", "toolcast", "call", "--app", "toolcast_tools:toolset"]


def test_toolcast_call_calls_a_tool_of_the_toolset(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    (tmp_path / "pyproject.toml").write_text("[tool.toolcast]\n")
    done = subprocess.run(
        [*CALL, "--json", "file_read", json.dumps({"file_path": "a.txt"})],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "one" in json.loads(done.stdout)["data"]["content"]


def test_toolcast_serve_offers_the_toolset_on_stdio(tmp_path: Path) -> None:
    """With the official client; its user approves what the policy asks for."""
    mcp = pytest.importorskip("mcp", reason="the MCP SDK is not installed")
    types = pytest.importorskip("mcp.types")
    (tmp_path / "a.txt").write_text("one\n")
    asked: list[str] = []

    async def answer(context: Any, params: Any) -> Any:
        asked.append(params.message)
        return types.ElicitResult(action="accept", content={"approve": True})

    async def session() -> None:
        parameters = mcp.StdioServerParameters(
            command=sys.executable,
            args=["-m", "toolcast", "serve", "toolcast_tools:toolset", "--ask-approvals"],
            env={name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ},
            cwd=tmp_path,
        )
        async with (
            asyncio.timeout(120),
            mcp.Client(parameters, mode="auto", elicitation_callback=answer) as client,
        ):
            assert {tool.name for tool in (await client.list_tools()).tools} == ALWAYS
            read = await client.call_tool("file_read", {"file_path": "a.txt"})
            assert "one" in json.dumps(read.structured_content)
            assert asked == []
            edited = await client.call_tool(
                "edit", {"file_path": "a.txt", "old_string": "one", "new_string": "two"}
            )
            assert not edited.is_error

    asyncio.run(session())
    assert len(asked) == 1
    assert (tmp_path / "a.txt").read_text() == "two\n"


def test_the_documented_table_is_true() -> None:
    rows = [
        line.split("|")[1:4] for line in DOCS.partition("\n## ")[0].splitlines() if line.startswith("| `")
    ]
    stated: dict[str, str] = {}
    for tool, _, permission in rows:
        stated[tool.strip(" `")] = permission.strip(" `")
    assert stated == {name: binding.permission for name, binding in BINDINGS.items()}


def test_a_toolset_that_cannot_be_made_leaves_nothing_open(tmp_path: Path) -> None:
    before = descriptors()
    with pytest.raises(ValueError, match="is no folder") as problem:
        toolset(tmp_path, memory=tmp_path / "memory.db", knowledge={"documents": tmp_path / "none"})
    # The traceback holds all that was made.
    assert problem.tb is not None
    assert descriptors() <= before


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap (bwrap) is not installed")
def test_every_documented_example_runs_in_its_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("docs", "incidents"):
        (tmp_path / folder).mkdir()
    examples = EXAMPLES[1:]
    assert len(examples) == 12

    async def run() -> None:
        names: dict[str, Any] = {"toolset": toolset, "model": coder}
        opened: list[Any] = []
        for example in examples:
            made = eval(
                compile(example, "docs/reference/toolset.md", "exec", PyCF_ALLOW_TOP_LEVEL_AWAIT), names
            )
            if inspect.isawaitable(made):
                await made
            opened += [value for value in names.values() if hasattr(value, "aclose")]
        edited = EditParams(file_path="vendor/a.py", old_string="a", new_string="b")
        with pytest.raises(RefusalError, match="Change the original"):
            names["edit"](edited, ToolContext())
        for each in {id(each): each for each in opened if not isinstance(each, type)}.values():
            await each.aclose()

    asyncio.run(run())


def test_the_documented_program_runs(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("What it is about.\n")
    done = subprocess.run(
        [sys.executable, "-c", EXAMPLES[0]],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert "What it is about." in done.stdout, done.stderr
