"""`toolcast serve` in a process of its own, judged by the official client and by the bytes it writes."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.mcp.conftest import MODERN, MODES, ROOT, Sdk
from tests.sampled import sampled

pytestmark = pytest.mark.usefixtures("installed")

GENERATED = ROOT / "generated" / "schemas" / "mcp"
APP = "tests.mcp.app:registry"
Served = Callable[..., Any]


def command(*arguments: str, **given: Any) -> "subprocess.CompletedProcess[str]":
    """A command line that ends by itself."""
    return subprocess.run(
        [sys.executable, "-m", "toolcast", "serve", *arguments],
        cwd=ROOT, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL, check=False, **given,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("mode", "target"),
    [
        pytest.param("legacy", APP, marks=pytest.mark.thorough),
        pytest.param(MODERN, "tests.mcp.app:make", marks=pytest.mark.thorough),
        ("auto", "tests.mcp.app:make_later"),
    ],
)
def test_one_client_on_stdio(mode: str, target: str, sdk: Sdk, served: Served, tmp_path: Path) -> None:
    """All kinds of targets; listing, calls, progress, failures, while module, factory and handlers print."""
    reported: list[float] = []

    async def hear(done: float, _total: float | None, _message: str | None) -> None:
        reported.append(done)

    async def session() -> None:
        parameters = served(target, TOOLCAST_TEST_NOTES=str(tmp_path / "notes"))
        async with asyncio.timeout(120), sdk("mcp").Client(parameters, mode=mode) as client:
            assert len((await client.list_tools()).tools) == 8
            result = await client.call_tool("glob", {"pattern": "x"}, progress_callback=hear)
            assert result.structured_content == {"paths": ["/x"], "total": 1}
            assert (await client.call_tool("file_read", {"file_path": "/a"})).is_error

    asyncio.run(session())
    assert reported[-1] == 3
    assert (tmp_path / "notes").read_text() == "closed\n"  # handlers are released when stdin ends


def test_stdout_is_the_protocol_alone_and_definitions_are_the_generated_bytes() -> None:
    """Without any client of ours or the SDK's: JSON-RPC lines in, JSON-RPC lines out."""
    import msgspec

    envelope = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    messages = [
        {"method": "tools/list", "params": {"_meta": envelope}},
        {
            "method": "tools/call",
            "params": {"name": "glob", "arguments": {"pattern": "x"}, "_meta": envelope},
        },
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "toolcast", "serve", APP],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    lines = []
    for number, message in enumerate(messages):
        process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, **message}).encode() + b"\n")
        process.stdin.flush()
        lines.append(process.stdout.readline())
    rest, errors = process.communicate(timeout=120)
    assert process.returncode == 0
    assert rest == b""
    assert [json.loads(line)["id"] for line in lines] == [0, 1]
    for name in ("bash", "glob", "web_search"):
        assert msgspec.json.format((GENERATED / f"{name}.json").read_bytes(), indent=-1) in lines[0]
    for printed in (b"a module prints", b"a handler prints", b"a child prints"):
        assert printed in errors


@pytest.mark.thorough
def test_cancellation_crosses_the_process(sdk: Sdk, served: Served, tmp_path: Path) -> None:
    notes = tmp_path / "notes"

    async def session() -> None:
        parameters = served(APP, TOOLCAST_TEST_NOTES=str(notes))
        async with asyncio.timeout(120), sdk("mcp").Client(parameters) as client:
            task = asyncio.create_task(client.call_tool("bash", {"command": "x"}))
            while not notes.exists():
                await asyncio.sleep(0.02)
            task.cancel()
            while "cancelled" not in notes.read_text():
                await asyncio.sleep(0.02)

    asyncio.run(session())


def test_a_choice_of_tools(sdk: Sdk, served: Served) -> None:
    async def names(*arguments: str) -> list[str]:
        async with asyncio.timeout(120), sdk("mcp").Client(served(APP, *arguments)) as client:
            return [tool.name for tool in (await client.list_tools()).tools]

    choice = ("--groups", "files,web", "--permission", "read", "--names", "glob,edit", "--names", "grep")
    assert asyncio.run(names(*choice)) == ["glob", "grep"]


@asynccontextmanager
async def http(*arguments: str, **env: str) -> AsyncGenerator[tuple[str, Any], None]:
    """A server on a port of its own: its address, and the process, ended if it has not."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "toolcast", "serve", *arguments,
        cwd=ROOT, env={**os.environ, **env}, stdin=subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stderr is not None
    try:
        async with asyncio.timeout(120):
            while True:
                line = (await process.stderr.readline()).decode()
                assert line, "the server ended"
                if "serving MCP at " in line:
                    break
        yield line.split()[-1], process
    finally:
        if process.returncode is None:
            process.terminate()
        async with asyncio.timeout(120):
            await process.wait()


@pytest.mark.thorough
def test_many_clients_over_http(sdk: Sdk, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    reported: list[float] = []

    async def hear(done: float, _total: float | None, _message: str | None) -> None:
        reported.append(done)

    async def one(url: str, mode: str) -> None:
        async with sdk("mcp").Client(url, mode=mode) as client:
            assert len((await client.list_tools()).tools) == 8
            result = await client.call_tool("glob", {"pattern": mode}, progress_callback=hear)
            assert result.structured_content == {"paths": [f"/{mode}"], "total": 1}
            assert (await client.call_tool("edit", {})).is_error
            task = asyncio.create_task(client.call_tool("bash", {"command": mode}))
            while not notes.exists():
                await asyncio.sleep(0.02)
            task.cancel()
            while "cancelled" not in notes.read_text():
                await asyncio.sleep(0.02)
        notes.unlink()

    async def session() -> int:
        async with asyncio.timeout(120), http(APP, "--http", "0", TOOLCAST_TEST_NOTES=str(notes)) as served:
            url, process = served
            assert url.startswith("http://127.0.0.1:")
            for mode in MODES:
                await one(url, mode)
            process.send_signal(signal.SIGTERM)
            status: int = await process.wait()
            return status

    assert asyncio.run(session()) == 128 + signal.SIGTERM
    assert reported[-1] == 3
    assert notes.read_text() == "closed\n"


@pytest.mark.parametrize("mode", sampled(MODES, (MODERN,)))
def test_new_tools_are_announced_over_http(mode: str, sdk: Sdk) -> None:
    async def session() -> list[str]:
        reported = asyncio.Event()

        async def hear(message: Any) -> None:
            if getattr(message, "method", "") == "notifications/tools/list_changed":
                reported.set()

        async with AsyncExitStack() as stack:
            url, _ = await stack.enter_async_context(http(APP, "--http", "0"))
            client = await stack.enter_async_context(sdk("mcp").Client(url, mode=mode, message_handler=hear))
            await client.list_tools()
            if mode == MODERN:
                await stack.enter_async_context(client.listen(tools_list_changed=True))
            result = await client.call_tool("web_search", {"query": "news of today"})
            assert result.content[0].text == "no network"
            await reported.wait()
            return [tool.name for tool in (await client.list_tools(cache_mode="bypass")).tools]

    assert "http_request" in asyncio.run(asyncio.wait_for(session(), 120))


def test_other_hosts_and_origins_are_refused_over_http(sdk: Sdk) -> None:
    """DNS rebinding: a page of another site whose name was made to lead here."""
    httpx = sdk("httpx")
    initialize = {"jsonrpc": "2.0", "id": 1, "method": "server/discover"}

    async def statuses() -> list[int]:
        arguments = (
            APP,
            "--http",
            "0",
            "--allow-host",
            "tools.example:80",
            "--allow-origin",
            "http://a.example",
        )
        async with http(*arguments) as (url, _), httpx.AsyncClient(timeout=60) as client:
            given: list[dict[str, str]] = [
                {"host": "evil.example"},
                {"origin": "http://evil.example"},
                {"host": "127.0.0.1.evil.example:80"},
                {},
                {"host": "tools.example:80", "origin": "http://a.example"},
            ]
            accept = {"accept": "application/json, text/event-stream"}
            answers = [await client.post(url, json=initialize, headers={**accept, **each}) for each in given]
            return [answer.status_code for answer in answers]

    refused = asyncio.run(statuses())
    assert refused[:3] == [421, 403, 421]
    assert not {421, 403} & set(refused[3:])


def test_a_token_and_no_sessions_over_http(sdk: Sdk) -> None:
    httpx2 = sdk("httpx2")
    streamable = sdk("mcp.client.streamable_http").streamable_http_client
    token = "0123456789-abcdefghij"

    async def session() -> tuple[int, str, Any]:
        arguments = (APP, "--http", "0", "--token-env", "SERVE_TOKEN", "--stateless")
        async with http(*arguments, SERVE_TOKEN=token) as (url, _):
            headers = {"authorization": f"Bearer {token}"}
            async with (
                httpx2.AsyncClient(timeout=60) as without,
                httpx2.AsyncClient(headers=headers, timeout=60) as client,
                sdk("mcp").Client(streamable(url, http_client=client), mode="legacy") as official,
            ):
                refused = await without.post(url, json={})
                result = await official.call_tool("glob", {"pattern": "x"})
                return refused.status_code, refused.headers["www-authenticate"], result.structured_content

    assert asyncio.run(asyncio.wait_for(session(), 120)) == (401, "Bearer", {"paths": ["/x"], "total": 1})


@pytest.mark.parametrize("number", sampled([signal.SIGINT, signal.SIGTERM], [signal.SIGTERM]))
def test_a_signal_ends_a_stdio_server_though_stdin_is_open(number: signal.Signals, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    process = subprocess.Popen(
        [sys.executable, "-m", "toolcast", "serve", APP],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "TOOLCAST_TEST_NOTES": str(notes)},
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        process.stdin.flush()
        process.stdout.readline()  # whatever the answer: it serves
        process.send_signal(number)
        assert process.wait(timeout=120) == 128 + number
    finally:
        process.kill()
        process.communicate()
    assert notes.read_text() == "closed\n"


WRONG: list[tuple[list[str], list[str]]] = [
    (["registry"], ["MODULE:ATTRIBUTE"]),
    (["tests.mcp.app:"], ["MODULE:ATTRIBUTE"]),
    (["no.such.module:registry"], ["no module 'no'", "PYTHONPATH"]),
    (["app:registry"], ["no module 'app'", "`toolcast stubs` writes app.py"]),
    (["tests.mcp.gone:registry"], ["no module 'tests.mcp.gone'"]),
    (["half:registry"], ["No module named 'missing_library_of_theirs'", "half.py", "install what it needs"]),
    (["half:registry"], ["if toolcast generates it, run: toolcast generate"]),
    (["tests.mcp.app:registri"], ["no attribute 'registri'", "did you mean tests.mcp.app:registry?"]),
    (["tests.mcp.app:NUMBER"], ["type int"]),
    (["tests.mcp.app:nothing"], ["NoneType"]),
    (["tests.mcp.app:broken"], ["OSError: the database is down", "Traceback"]),
    ([APP, "--names", "globb"], ["no tool 'globb'", "did you mean glob?"]),
    ([APP, "--groups", "nothing"], ["files", "shell"]),
    ([APP, "--permission", "all"], ["no permission 'all'"]),
    ([APP, "--http", "here"], ["HOST:PORT"]),
    ([APP, "--http", "0.0.0.0:0"], ["--allow-host"]),
    ([APP, "--http", "192.0.2.1:0", "--allow-host", "a:1"], ["192.0.2.1"]),
    ([APP, "--http", "0", "--token-env", "TOOLCAST_NO_SUCH"], ["TOOLCAST_NO_SUCH has no value"]),
    ([APP, "--http", "0", "--token-env", "LANG"], ["LANG: a token has 16 characters or more", "secrets"]),
    ([APP, "--token-env", "TOKEN"], ["--token-env is for HTTP", "--http PORT"]),
    ([APP, "--stateless"], ["--stateless is for HTTP"]),
    ([APP, "--http-api", "0", "--tasks", "t.sqlite"], ["--tasks is for MCP"]),
    ([APP, "--tasks", "no/such/folder/t.sqlite"], ["The store of tasks cannot be opened", "another file"]),
]


def test_what_is_wrong_is_reported_with_a_way_out(tmp_path: Path) -> None:
    """All of them in one process, for it takes half a second to start."""
    (tmp_path / "half.py").write_text("import missing_library_of_theirs\n")
    environment = {**os.environ, "LANG": "C", "PYTHONPATH": str(tmp_path)}
    code = (
        "import json, sys; from click.testing import CliRunner; from toolcast.cli.main import cli\n"
        "runs = [CliRunner().invoke(cli, ['serve', *each]) for each in json.loads(sys.argv[1])]\n"
        "print(json.dumps([[run.exit_code, run.stdout, run.stderr] for run in runs]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, json.dumps([arguments for arguments, _ in WRONG])],
        cwd=ROOT, capture_output=True, text=True, timeout=120, check=True, env=environment,
    )  # fmt: skip
    for (arguments, words), (status, output, errors) in zip(WRONG, json.loads(done.stdout), strict=True):
        assert (status, output) == (1, ""), (arguments, errors)
        assert [word for word in words if word not in errors] == [], errors


def test_without_the_sdk_the_command_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['mcp'] = None\n")
    done = command(APP, env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert done.returncode == 1
    assert "pip install 'toolcast[mcp]'" in done.stderr
