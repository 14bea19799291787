"""A sandbox is a stranger: whatever it sends is answered or cut with a reason, within bounds."""

import asyncio
import json
import tracemalloc
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toolcast.runtime import ToolContext, ToolRegistry, ToolResult
from toolcast.runtime.code import CodeLimits, CodeServer
from toolcast.runtime.result import Content

from tests.injected import CALL, USER, compiled, registered
from tests.runtime.code.sandboxes import Sandbox, note, registry, run_program, serving
from tests.runtime.sample.misc.note import NOTE

DEEP = 10_000
NO_REQUESTS = {
    "empty": b"",
    "blank": b"  ",
    "carriage return": b"\r",
    "no JSON": b"hello",
    "half": b'{"id": 1, "call": "misc.no',
    "number": b"1",
    "list": b"[]",
    "null": b"null",
    "invalid UTF-8": b'{"id": 1, "call": "\xff\xfe"}',
    "NUL": b"\x00",
    "NUL within": b'{"id": 1, \x00"call": "misc.note"}',
    "deep": b"[" * DEEP + b"]" * DEEP,
    "deeper": b'{"id":1,"x":' * 100_000,
    "no id": b'{"call": "misc.note"}',
    "negative id": b'{"id": -1, "call": "misc.note"}',
    "large id": b'{"id": 9007199254740993, "call": "misc.note"}',
    "huge id": b'{"id": 1' + b"0" * 5_000 + b', "call": "misc.note"}',
    "id is text": b'{"id": "1", "call": "misc.note"}',
    "id is true": b'{"id": true, "call": "misc.note"}',
    "id is null": b'{"id": null, "call": "misc.note"}',
    "nothing wanted": b'{"id": 1}',
    "two wanted": b'{"id": 1, "call": "misc.note", "list": ""}',
    "arguments of list": b'{"id": 1, "list": "", "arguments": {}}',
    "another key": b'{"id": 1, "call": "misc.note", "approved": true}',
    "call is a list": b'{"id": 1, "call": ["misc.note"]}',
    "two values": b'{"id": 1, "call": "misc.note"} {"id": 2, "call": "misc.note"}',
    "byte order mark": b'\xef\xbb\xbf{"id": 1, "call": "misc.note"}',
    "NaN": b'{"id": 1, "call": "misc.note", "arguments": NaN}',
}


@pytest.mark.parametrize("line", NO_REQUESTS.values(), ids=NO_REQUESTS)
def test_a_line_that_is_no_request_is_answered_and_the_next_one_works(line: bytes) -> None:
    async def program(sandbox: Sandbox) -> None:
        answer = await sandbox.ask(line + b"\n")
        assert answer["error"]["kind"] == "request", answer
        assert answer["id"] in (None, 1)
        assert (await sandbox.ask(note(5)))["result"] == "noted x"

    run = run_program(program)
    assert [each.tool for each in run.calls] == ["note"]


WRONG_ARGUMENTS = {
    "deep": b"[" * DEEP + b"]" * DEEP,
    "deep object": b'{"text":' * DEEP + b"1" + b"}" * DEEP,
    "list": b"[1]",
    "number": b"3",
    "text": b'"x"',
    "duplicate keys": b'{"text": "a", "text": "b"}',
    "half a surrogate pair": b'{"text": "\\ud800"}',
    "huge number": b'{"text": 1e999}',
    "invalid UTF-8": b'{"text": "\xff"}',
}


@pytest.mark.parametrize("text", WRONG_ARGUMENTS.values(), ids=WRONG_ARGUMENTS)
def test_arguments_that_do_not_fit_are_answered(text: bytes) -> None:
    async def program(sandbox: Sandbox) -> None:
        answer = await sandbox.ask(b'{"id": 3, "call": "misc.note", "arguments": %s}\n' % text)
        # Depth past what the reader of lines takes makes the whole line unreadable.
        assert answer["error"]["kind"] in ("arguments", "request"), answer
        assert "internal" not in answer["error"]["message"]
        assert "result" in await sandbox.ask(note(5))

    run_program(program)


@given(st.lists(st.binary(max_size=60), max_size=8))
def test_no_bytes_break_the_server(pieces: list[bytes]) -> None:
    """Random bytes, split anywhere: the last request is answered, unless a half line before it ate it."""

    async def program(sandbox: Sandbox) -> None:
        for piece in pieces:
            sandbox.send(piece)
            await asyncio.sleep(0)
        sandbox.send(b"\n")
        sandbox.send(note(77))
        while (answer := await sandbox.answer())["id"] != 77:
            assert "error" in answer
        assert answer["result"] == "noted x"

    assert run_program(program).ended == "closed"


@settings(deadline=None)
@given(st.data())
def test_lines_are_read_alike_however_they_are_split(data: st.DataObject) -> None:
    lines = b"".join(
        json.dumps({"id": i, "call": "misc.note", "arguments": {"text": "é" * i}}).encode() + b"\n"
        for i in range(6)
    )
    cuts = sorted(data.draw(st.lists(st.integers(0, len(lines)), max_size=10)))

    async def program(sandbox: Sandbox) -> None:
        for begin, end in zip([0, *cuts], [*cuts, len(lines)], strict=True):
            sandbox.send(lines[begin:end])
            await asyncio.sleep(0)
        answers = [await sandbox.answer() for _ in range(6)]
        assert {each["id"]: each["result"] for each in answers} == {i: f"noted {'é' * i}" for i in range(6)}

    run_program(program)


def test_a_line_without_an_end_is_cut() -> None:
    sent = 0

    async def program(sandbox: Sandbox) -> None:
        nonlocal sent
        try:
            while sent < 2**30:
                sandbox.send(b"x" * 65536)
                sent += 65536
                await sandbox.writer.drain()
        except ConnectionError:
            pass

    run = run_program(program, limits=CodeLimits(line=100_000))
    assert run.ended == "line"
    assert sent < 2**24


def test_the_reason_of_a_cut_is_said() -> None:
    async def program(sandbox: Sandbox) -> None:
        answer = await sandbox.ask(b"x" * 2_000)
        assert answer == {
            "id": None,
            "error": {
                "kind": "ended",
                "message": "A line had more than 1000 bytes, the most it may have. Send less at once.",
            },
        }
        assert await sandbox.answer() is None

    run_program(program, limits=CodeLimits(line=1_000))


@pytest.mark.parametrize("line", [b"x\n", b'{"id": 1, "list": ""}\n', b'{"id": 1, "call": "x"}\n', b"\n"])
def test_a_flood_ends_after_as_many_requests_as_there_may_be(line: bytes) -> None:
    async def program(sandbox: Sandbox) -> None:
        sandbox.send(line * 5_000)
        last = None
        while (answer := await sandbox.answer()) is not None:
            last = answer
        assert last is not None
        assert last["error"]["kind"] == "ended"

    run = run_program(program, limits=CodeLimits(requests=100))
    assert run.ended == "requests"
    assert run.requests == 101
    assert len(run.calls) <= 100


def test_calls_before_the_last_request_are_still_answered() -> None:
    async def program(sandbox: Sandbox) -> None:
        for i in range(4):
            sandbox.send(note(i))
        answers = [await sandbox.answer() for _ in range(4)]
        assert [each["id"] for each in answers] == [0, 1, 2, None]

    run_program(program, limits=CodeLimits(requests=3))


def test_the_traffic_of_a_program_is_bounded_both_ways() -> None:
    tools = ToolRegistry()
    tools.register(NOTE, lambda *_: ToolResult.ok("y" * 10_000))

    async def receive(sandbox: Sandbox) -> None:
        for i in range(100):
            sandbox.send(note(i))
        count = 0
        while (answer := await sandbox.answer()) is not None and answer["id"] is not None:
            count += 1
        assert count < 10

    async def send(sandbox: Sandbox) -> None:
        for i in range(100):
            sandbox.send({"id": i, "call": "misc.note", "arguments": {"text": "x" * 10_000}})
        while await sandbox.answer() is not None:
            pass

    limits = CodeLimits(traffic=50_000)
    assert run_program(receive, tools, limits).ended == "traffic"
    assert run_program(send, None, limits).ended == "traffic"


def test_a_result_that_is_larger_than_a_line_is_a_failure() -> None:
    tools = ToolRegistry()
    tools.register(NOTE, lambda *_: "y" * 10_000)

    async def program(sandbox: Sandbox) -> None:
        error = (await sandbox.ask(note(1)))["error"]
        assert error["kind"] == "failed"
        assert "10021 bytes" in error["message"]

    run = run_program(program, tools, CodeLimits(line=1_000))
    assert [each.error for each in run.calls] == ["failed"]


@pytest.mark.parametrize("text", ["e" * 5_000, "\x01" * 5_000, "\U0001f600" * 5_000, '"' * 200])
def test_the_line_of_an_error_is_no_longer_than_lines_may_be(text: str) -> None:
    tools = ToolRegistry()
    tools.register(NOTE, lambda *_: ToolResult.failed(text))

    async def program(sandbox: Sandbox) -> None:
        sandbox.send(note(2**53 - 1))
        line = await sandbox.reader.readline()
        assert len(line) <= 1_000
        error = json.loads(line)["error"]
        assert error["kind"] == "failed"
        assert error["message"].startswith(text[:80])
        sandbox.send(b'{"id": 1, "call": "x", "%s": 1}\n' % (b"\\u0001" * 150))
        assert len(await sandbox.reader.readline()) <= 1_000

    run_program(program, tools, CodeLimits(line=1_000))


@pytest.mark.parametrize("succeeds", [True, False])
def test_what_a_run_keeps_is_no_larger_than_its_traffic(succeeds: bool) -> None:
    """Results that are too large for a line, and texts of errors, would stay until the run ends."""
    tools = ToolRegistry()
    make = ToolResult.ok if succeeds else ToolResult.failed
    tools.register(NOTE, lambda *_: make("y" * 1_000_000))

    async def program(sandbox: Sandbox) -> None:
        for i in range(200):
            sandbox.send(note(i))
            if await sandbox.answer() is None:
                return

    run = run_program(program, tools, CodeLimits(line=10_000, traffic=100_000))
    assert sum(len(each.result.output) + len(each.result.error) for each in run.calls) <= 120_000


def test_images_count_as_traffic() -> None:
    tools = ToolRegistry()
    image = Content.image(b"y" * 10_000, "image/png")
    tools.register(NOTE, lambda *_: ToolResult.ok("seen", content=(image,)))

    async def program(sandbox: Sandbox) -> None:
        for i in range(200):
            sandbox.send(note(i))
        while await sandbox.answer() is not None:
            pass

    run = run_program(program, tools, CodeLimits(traffic=60_000, calls_at_once=1))
    assert run.ended == "traffic"
    assert len([each for each in run.calls if each.error is None]) <= 6


def test_arguments_take_no_more_memory_than_their_lines() -> None:
    """As Python's lists these would take some twenty times as much, until the run ends."""
    before = after = 0
    line = b'{"id": 1, "call": "x", "arguments": [%s]}\n' % b",".join([b"[]"] * 100_000)

    async def program(sandbox: Sandbox) -> None:
        nonlocal before, after
        await sandbox.ask(line)
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(4):
            await sandbox.ask(line)
        after = tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        run = run_program(program)
    finally:
        tracemalloc.stop()
    assert after - before < 6 * len(line)
    assert [each.arguments for each in run.calls] == [[[]] * 100_000] * 5


MALFORMED = {
    "deep": b'{"id":7,"call":"misc.note","arguments":' + b"[" * DEEP + b"]" * DEEP + b"}",
    "half a surrogate pair": b'{"id": 7, "call": "misc.note", "arguments": {"text": "\\ud83d"}}',
    "half a surrogate pair in the name": b'{"id": 7, "call": "\\ud83d"}',
    "broken off": b'{ "id" : 7 , "call',
    "invalid UTF-8": b'{"id":7,"call":"\xff"}',
    "NaN": b'{"id":7,"call":"misc.note","arguments":{"text":NaN}}',
}


@pytest.mark.parametrize("line", MALFORMED.values(), ids=MALFORMED)
def test_a_line_that_is_no_json_is_answered_with_the_id_that_it_begins_with(line: bytes) -> None:
    """Without it the program would wait for an answer that never comes."""

    async def program(sandbox: Sandbox) -> None:
        answer = await sandbox.ask(line + b"\n")
        assert answer["id"] == 7
        assert "error" in answer

    run_program(program)


@pytest.mark.parametrize(
    "id", [b"-7", b"07", b"7.0", b"7e1", b'"7"', b"9007199254740993", b"7" * 5_000, b"true"]
)
def test_an_id_that_is_none_is_not_repeated(id: bytes) -> None:
    async def program(sandbox: Sandbox) -> None:
        for end in (b', "call": "misc.note", \xff', b"}", b""):
            answer = await sandbox.ask(b'{"id": ' + id + end + b"\n")
            assert answer["id"] is None
            assert answer["error"]["kind"] == "request"

    run_program(program)


def test_an_id_is_free_as_soon_as_its_answer_is_written() -> None:
    """A program has an answer before the server is done with sending it."""
    lines: list[Any] = []

    class Slow:
        def __init__(self) -> None:
            self.reader = asyncio.StreamReader()
            self.go = asyncio.Event()

        def write(self, data: bytes) -> None:
            lines.append(json.loads(data))
            if len(lines) == 1:
                self.reader.feed_data(json.dumps(note(1, "second")).encode() + b"\n")
                asyncio.get_running_loop().call_later(0.05, self.go.set)

        async def drain(self) -> None:
            await self.go.wait()
            if len(lines) == 2:
                self.reader.feed_eof()

        def close(self) -> None:
            pass

    async def main() -> None:
        slow = Slow()
        slow.reader.feed_data(json.dumps(note(1, "first")).encode() + b"\n")
        await asyncio.wait_for(CodeServer(registry(), None).serve(slow.reader, slow), 60)

    asyncio.run(main())
    assert lines == [{"id": 1, "result": "noted first"}, {"id": 1, "result": "noted second"}]


def test_an_id_in_use_is_refused_and_its_call_is_answered_once() -> None:
    go = asyncio.Event()

    async def handler(*_: Any) -> str:
        await go.wait()
        return "done"

    tools = ToolRegistry()
    tools.register(NOTE, handler)

    async def program(sandbox: Sandbox) -> None:
        sandbox.send(note(1))
        for line in (note(1), {"id": 1, "list": ""}, {"id": 1}):
            answer = await sandbox.ask(line)
            assert answer["id"] is None
            assert answer["error"]["kind"] == "request"
        go.set()
        assert await sandbox.answer() == {"id": 1, "result": "done"}
        assert (await sandbox.ask(note(1)))["result"] == "done"  # free again

    run_program(program, tools)


def test_a_program_that_reads_no_results_is_not_read_any_more() -> None:
    ran = 0

    async def handler(*_: Any) -> str:
        nonlocal ran
        ran += 1
        return "y" * 100_000

    tools = ToolRegistry()
    tools.register(NOTE, handler)

    async def main() -> None:
        server = CodeServer(tools, None, limits=CodeLimits(seconds=0.5, calls_at_once=4))
        async with serving(server) as (sandbox, run):
            transport: Any = sandbox.reader._transport  # type: ignore[attr-defined]
            transport.pause_reading()
            for i in range(900):
                sandbox.send(note(i))
            done = await asyncio.wait_for(run, 60)
            assert done.ended == "seconds"
            assert sum(each.error is None for each in done.calls) < 50

    asyncio.run(main())
    assert ran < 50  # what the buffers of the socket hold, and the calls at once


def test_a_program_that_closes_early_ends_the_run() -> None:
    async def program(sandbox: Sandbox) -> None:
        for i in range(100):
            sandbox.send(note(i))
        sandbox.writer.transport.abort()

    assert run_program(program).ended == "closed"


def test_a_half_line_at_the_end_is_no_request() -> None:
    ran = []
    tools = ToolRegistry()
    tools.register(NOTE, lambda *_: ran.append(1))

    async def program(sandbox: Sandbox) -> None:
        sandbox.send(b'{"id": 1, "call": "misc.note"}')
        sandbox.writer.write_eof()
        assert await sandbox.answer() is None

    assert run_program(program, tools).requests == 0
    assert ran == []


def test_the_registry_is_as_before_after_all_of_it() -> None:
    tools = registry()
    for line in NO_REQUESTS.values():

        async def program(sandbox: Sandbox, line: bytes = line) -> None:
            await sandbox.ask(line + b"\n")

        run_program(program, tools)
    assert tools.execute_sync("note", {"text": "x"}).output == "noted x"


@pytest.mark.parametrize("language", [None, "typescript", "python"])
def test_a_program_cannot_set_what_the_host_fills_in(language: Any) -> None:
    with compiled() as binding:
        tools, seen = registered(binding)
        context = ToolContext(extra=USER)
        answers: list[Any] = []

        async def program(sandbox: Sandbox) -> None:
            for more in ({}, {"user_id": 8}, {"USER_ID": 8}, {"region": None}):
                request = {"id": 1, "call": "inbox", "arguments": {**CALL, **more}}
                answers.append(await sandbox.ask(request))
            if language is not None:
                answers.append(await sandbox.ask({"id": 2, "describe": ""}))

        async def main() -> None:
            async with serving(CodeServer(tools, language), context) as (sandbox, run):
                await program(sandbox)
                sandbox.writer.close()
                await asyncio.wait_for(run, 60)

        asyncio.run(main())
        assert answers[0] == {"id": 1, "result": "done"}
        assert [each["error"]["kind"] for each in answers[1:4]] == ["arguments"] * 3
        assert [each.user_id for each in seen.params] == [7]
        for shown in answers[4:]:
            assert "inbox" in shown["result"]
            for word in ("user_id", "region", "zebra"):
                assert word not in shown["result"]
