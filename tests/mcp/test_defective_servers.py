"""Real servers that list and answer what no SDK would send: a defect costs the tool, or call, that has it."""

import asyncio
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from toolcast.analysis.diff.lock import read_lock
from toolcast.cli.main import import_group
from toolcast.mcp import Limits, ListingError, McpTools, ToolChanges, mcp_tools
from toolcast.providers import available
from toolcast.runtime import ToolRegistry

from tests.diff.projects import toolcast
from tests.mcp.conftest import Sdk
from tests.mcp.raw_server import ANSWERS, GREETINGS, LISTINGS, TOOLS, Server, over_http
from tests.mcp.scripted import connected

pytestmark = pytest.mark.usefixtures("installed")
SERVER = str(Path(__file__).parent / "raw_server.py")
FORMS = ("stdio", "json", "sse")
LIMITS = Limits(seconds=60)
SILENT = Limits(seconds=1)
"""For servers that never answer."""


@contextmanager
def address(case: str, form: str, *more: str) -> Iterator[Any]:
    """A command as a list, or the address of a server over HTTP that runs."""
    if form == "stdio":
        yield [sys.executable, SERVER, case, *more]
        return
    with over_http(Server(case, bool(more)), form) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/mcp"
        server.shutdown()


def used(sdk: Sdk, case: str, form: str, use: Callable[[Any], Any], *more: str, **options: Any) -> Any:
    with address(case, form, *more) as target:
        if form == "stdio":
            target = sdk("mcp").StdioServerParameters(
                command=target[0], args=target[1:], encoding_error_handler="replace"
            )
        elif case != "endless line":
            target = sdk("mcp.client.streamable_http").streamable_http_client(target, max_sse_event_size=None)
        return connected(sdk, target, use, options.pop("mode", "legacy"), **options)


async def taken(client: Any, **options: Any) -> tuple[ToolRegistry, McpTools]:
    registry = ToolRegistry()
    return registry, await mcp_tools(client, registry, server="s", **{"limits": LIMITS, **options})


def check(case: str, registry: ToolRegistry, tools: McpTools) -> None:
    """The sound tools are there; the defective one is used without its defect, or named with the reason."""
    reason = TOOLS[case][1]
    bad = () if reason else ("s__bad",)
    assert registry.names == tuple(sorted(("s__first", "s__last", *bad)))
    assert len(tools.refused) == bool(reason)
    for refused in tools.refused:
        assert reason in refused.reason
        assert refused.tool in ("bad", "tools[1]")
    for provider in available() if bad else ("openai",):
        assert b"first" in registry.definitions(provider)


def every(cases: Iterable[str], *, client: bool = True, part: int = len(FORMS)) -> list[Any]:
    """Every case in every form; by default, one in `part`. Over HTTP the SDK's own client ends with an
    exception where the server exits; of an answer in a stream of events it does not read the id."""
    beside = {("wrong id", "sse"), ("call: wrong id", "sse")}
    beside |= {("exits", "json"), ("exits", "sse")} if client else set()
    pairs = [(case, form) for case in cases for form in FORMS if (case, form) not in beside]
    return [
        pytest.param(*pair, marks=pytest.mark.thorough if (place + place // 3) % part else [])
        for place, pair in enumerate(pairs)
    ]


@pytest.mark.parametrize(("case", "form"), every(TOOLS))
def test_a_defective_tool_costs_itself_alone(case: str, form: str, sdk: Sdk) -> None:
    async def use(client: Any) -> None:
        registry, tools = await taken(client)
        check(case, registry, tools)
        for name in registry.names:
            result = await registry.execute(name, {})
            assert result.output == "a" or (
                case.startswith("outputSchema") and "output schema" in result.error
            )

    used(sdk, case, form, use)


@pytest.mark.parametrize(("case", "form"), every(LISTINGS))
def test_a_list_that_cannot_be_read_is_an_error_in_words(case: str, form: str, sdk: Sdk) -> None:
    words = LISTINGS[case][1]

    async def use(client: Any) -> None:
        with pytest.raises(ListingError) as caught:
            await mcp_tools(client, ToolRegistry(), server="s", limits=LIMITS if words else SILENT)
        assert "MCP server 's'" in str(caught.value)
        assert words in str(caught.value)
        assert len(str(caught.value)) < 400
        assert "\n" not in str(caught.value)
        assert "\x1b" not in str(caught.value)

    used(sdk, case, form, use)


def imported(folder: Path, target: Any, *more: str) -> Result:
    arguments = [target] if isinstance(target, str) else ["--", *target]
    whole = [
        "mcp",
        "--into",
        str(folder / "specs"),
        "--permission",
        "read",
        "--secrets",
        "none",
        *more,
        *arguments,
    ]
    return CliRunner().invoke(import_group, whole)


@pytest.mark.parametrize(("case", "form"), every(TOOLS, part=12))
def test_an_import_writes_the_sound_tools_and_names_the_others(case: str, form: str, tmp_path: Path) -> None:
    with address(case, form) as target:
        done = imported(tmp_path, target)
    reason = TOOLS[case][1]
    written = {file.stem for file in (tmp_path / "specs").rglob("*.yaml")}
    assert {"first", "last"} <= written, done.output
    assert isinstance(done.exception, SystemExit | None), done.output
    assert "Traceback" not in done.output
    assert done.exit_code == ("bad" not in written)
    assert reason in done.output
    if reason:
        assert "error[import-shape]: tool '" in done.output
    elif "bad" not in written:
        assert "bad" in done.output


@pytest.mark.parametrize(("case", "form"), every(LISTINGS, client=False, part=6))
def test_an_import_of_a_list_that_cannot_be_read_is_one_error(case: str, form: str, tmp_path: Path) -> None:
    words = LISTINGS[case][1]
    with address(case, form) as target:
        done = imported(tmp_path, target, "--timeout", "60" if words else "2")
    assert done.exit_code == 1, done.output
    assert isinstance(done.exception, SystemExit), done.output
    assert "Traceback" not in done.output
    assert done.output.count("error[") == 1
    assert "error[import-server]: " in done.output
    assert words in done.output
    assert len(done.output) < 1200, done.output
    assert not (tmp_path / "specs").exists()


@pytest.mark.parametrize(("case", "form"), every(GREETINGS, part=2))
def test_an_import_says_what_is_wrong_with_the_first_answer(case: str, form: str, tmp_path: Path) -> None:
    with address(case, form) as target:
        done = imported(tmp_path, target, "--timeout", "60")
    assert (done.exit_code, done.output.count("error[")) == (1, 1), done.output
    assert isinstance(done.exception, SystemExit)
    assert "the server's answer to initialize cannot be used: " in done.output
    assert GREETINGS[case][1] in done.output


@pytest.mark.parametrize("form", FORMS)
def test_an_endless_answer_ends_an_import(form: str, tmp_path: Path) -> None:
    with address("endless line", form) as target:
        done = imported(tmp_path, target, "--timeout", "2" if form == "stdio" else "60")
    words = (
        "did not list its tools within 2 s" if form == "stdio" else "an answer has more than 67108864 bytes"
    )
    assert words in done.output
    assert (done.exit_code, done.output.count("error[")) == (1, 1)


@pytest.mark.parametrize(("case", "form"), every(ANSWERS))
def test_a_defective_answer_is_the_failure_of_its_call(case: str, form: str, sdk: Sdk) -> None:
    async def use(client: Any) -> None:
        registry, _ = await taken(client, timeout=60 if ANSWERS[case][1] else 1)
        result = await registry.execute("s__first", {"n": 1})
        assert result.success is ANSWERS[case][1], result
        assert result.success or "MCP server 's'" in result.error
        assert "not connected" not in result.error
        await client.session.send_ping()

    used(sdk, case, form, use)


@pytest.mark.parametrize(("case", "form"), every([*TOOLS, *LISTINGS], part=12))
def test_a_list_that_changes_into_a_defective_one(case: str, form: str, sdk: Sdk) -> None:
    """The server announces it over stdio; over HTTP the program looks again."""
    changes = ToolChanges()

    async def use(client: Any) -> None:
        silent = case in LISTINGS and not LISTINGS[case][1]
        registry, tools = await taken(client, changes=changes, limits=SILENT if silent else LIMITS)
        assert registry.names == ("s__first",)
        assert (await registry.execute("s__first", {"n": 1})).success
        if form == "stdio":
            while not changes.count:
                await asyncio.sleep(0.01)
        else:
            changes.count += 1
        result = await registry.execute("s__first", {"n": 1})
        if case in LISTINGS:
            assert LISTINGS[case][1] in result.error
            assert "cannot be called until it lists them again" in result.error
            return
        assert result.success
        reasons = {refused.tool: refused.reason for refused in tools.refused}
        assert reasons.pop("last") == "it is new: it was not approved yet"
        assert any((TOOLS[case][1] or "it is new") in reason for reason in reasons.values())

    used(sdk, case, form, use, "later", message_handler=changes)


@pytest.mark.parametrize(("case", "form"), every([*TOOLS, *LISTINGS, *GREETINGS], part=12))
def test_a_lock_holds_the_sound_tools(case: str, form: str, tmp_path: Path) -> None:
    file = tmp_path / "tools.lock"
    timeout = "60" if LISTINGS.get(case, ("", "-"))[1] else "2"
    with address(case, form) as target:
        words = [target] if isinstance(target, str) else ["--", *target]
        done = toolcast("lock", "--into", str(file), "--timeout", timeout, *words)
        assert isinstance(done.exception, SystemExit | None), done.output
        assert "Traceback" not in done.output
        if case not in TOOLS:
            return
        assert {"first", "last"} <= {each.name for each in read_lock(file, "").tools}
        done = toolcast("lock", "--check", "--into", str(file), "--timeout", timeout)
        assert done.exit_code == 0, done.output
