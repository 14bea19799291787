"""The examples of docs/reference/agents.md, with the official clients and a server of our own on loopback."""

import asyncio
import inspect
import json
import re
import threading
from ast import PyCF_ALLOW_TOP_LEVEL_AWAIT
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

DOC = Path(__file__).resolve().parents[2] / "docs/reference/agents.md"
ARGUMENTS = {"file_path": "/a", "old_string": "x", "new_string": "y"}
EDITS = {"name": "edit", "arguments": json.dumps(ARGUMENTS)}
FACT = {"content": "y stands for x now.", "tags": ["edits"]}


def chat(body: dict[str, Any]) -> dict[str, Any]:
    """OpenAI's answer: a call first; once that has its result a text, or the call that is to end the run."""
    ended = body["messages"][-1]["role"] == "tool"
    final = ended and any(tool["function"]["name"] == "memory_store" for tool in body["tools"])
    done = ended and not final
    function = {"name": "memory_store", "arguments": json.dumps(FACT)} if final else EDITS
    message: dict[str, Any] = {"role": "assistant", "content": "Done." if done else None}
    if not done:
        message["tool_calls"] = [{"id": "call_1", "type": "function", "function": function}]
    choice = {"index": 0, "finish_reason": "stop" if done else "tool_calls", "message": message}
    usage = {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}
    answer = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    return {**answer, "usage": usage}


def streamed(answer: dict[str, Any]) -> bytes:
    (choice,) = answer["choices"]
    calls = [{"index": at, **call} for at, call in enumerate(choice["message"].pop("tool_calls", ()))]
    delta = {**choice.pop("message"), **({"tool_calls": calls} if calls else {})}
    reason = choice.pop("finish_reason")
    chunks = [
        {**answer, "object": "chat.completion.chunk", "choices": [{**choice, **rest}]}
        for rest in ({"delta": delta, "finish_reason": None}, {"delta": {}, "finish_reason": reason})
    ]
    return b"".join(b"data: %b\n\n" % json.dumps(chunk).encode() for chunk in chunks) + b"data: [DONE]\n\n"


def claude(body: dict[str, Any]) -> dict[str, Any]:
    last = body["messages"][-1]["content"]
    done = isinstance(last, list) and last[0]["type"] == "tool_result"
    call = {"type": "tool_use", "id": "toolu_1", "name": "edit", "input": ARGUMENTS}
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [{"type": "text", "text": "Done."} if done else call],
        "stop_reason": "end_turn" if done else "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


class Server(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert body["tools"]
        made = (claude if self.path.endswith("/messages") else chat)(body)
        streams = body.get("stream", False)
        answer = streamed(made) if streams else json.dumps(made).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream" if streams else "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: Any) -> None: ...


def blocks() -> list[str]:
    return re.findall(r"```python\n(.*?)```", DOC.read_text("utf-8"), re.DOTALL)


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler], monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    for name, value in {"OPENAI": f"{url}/v1", "ANTHROPIC": url}.items():
        monkeypatch.setenv(f"{name}_BASE_URL", value)
        monkeypatch.setenv(f"{name}_API_KEY", "none")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    yield
    server.shutdown()
    server.server_close()


@pytest.fixture
def loopback(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with serving(Server, monkeypatch):
        yield


class Everything(BaseHTTPRequestHandler):
    """The server of the program that uses all of the loop: busy at first, then one answer after the other."""

    script: ClassVar[list[dict[str, Any]]] = []
    bodies: ClassVar[list[dict[str, Any]]] = []
    busy: ClassVar[list[int]] = []

    def do_POST(self) -> None:
        self.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        busy = bool(self.busy)
        answer = b'{"error": {"message": "slow down"}}' if busy else streamed(self.script.pop(0))
        self.send_response(self.busy.pop() if busy else 200)
        self.send_header("Content-Type", "application/json" if busy else "text/event-stream")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: Any) -> None: ...


def asking(*asked: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """OpenAI's answer with a text and calls, and what it used."""
    calls = [
        {
            "id": f"call_{at}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for at, (name, arguments) in enumerate(asked)
    ]
    message = {"role": "assistant", "content": "I look.", "tool_calls": calls}
    choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
    usage = {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100}
    return {"id": "1", "created": 1, "model": "m", "choices": [choice], "usage": usage}


def test_one_program_uses_all_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("openai")
    [code] = [block for block in blocks() if "async def main(" in block]
    assert len(code.splitlines()) < 80
    file = tmp_path / "a.py"
    file.write_text("x = 1\nprint(x)\n")
    path = {"file_path": str(file)}
    monkeypatch.setattr(Everything, "busy", [429])
    monkeypatch.setattr(Everything, "bodies", [])
    script = [
        asking(("file_read", path), ("edit", {**path, "old_string": "x", "new_string": "y"})),
        asking(("edit", {**path, "old_string": "x = 1", "new_string": "y = 1"})),
        asking(("memory_store", FACT)),
    ]
    monkeypatch.setattr(Everything, "script", script)
    answers = ["yes", "yes"]
    monkeypatch.setattr("builtins.input", lambda _: answers.pop(0))
    exporter = InMemorySpanExporter()
    tracers = TracerProvider()
    tracers.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr("opentelemetry.trace.get_tracer_provider", lambda: tracers)
    with serving(Everything, monkeypatch):
        names: dict[str, Any] = {}
        exec(compile(code, str(DOC), "exec"), names)

        async def main() -> Any:
            record = await names["main"]("Rename x to y.", tmp_path / "run.state")
            await names["client"].close()
            return record

        record = asyncio.run(main())
    assert (record.stopped, record.output.content, answers) == ("answer", FACT["content"], [])
    assert file.read_text() == "y = 1\nprint(x)\n"
    assert (record.usage.total, round(record.cost, 6)) == (3300, 0.00675)
    assert "This was attempt 1 of 3" in json.dumps(Everything.bodies[-1]["messages"])
    assert "promises" not in json.dumps(Everything.bodies)  # no result lacks its data
    printed = capsys.readouterr().out
    assert printed.count("I look.") == 3
    assert 'edit: {"replacements":1}' in printed
    spans = [span.name for span in exporter.get_finished_spans()]
    tools = ("execute_tool edit", "execute_tool file_read", "execute_tool memory_store")
    assert sorted({*spans}) == ["chat gpt-5.4", *tools, "invoke_agent editor"]
    assert spans.count("invoke_agent editor") == 3  # it was resumed twice


@pytest.mark.usefixtures("loopback")
def test_every_example_runs_in_its_order() -> None:
    pytest.importorskip("openai")
    pytest.importorskip("anthropic")
    examples = [block for block in blocks() if "async def main(" not in block]
    assert len(examples) == 13

    async def main() -> None:
        names: dict[str, Any] = {}
        for block in examples:
            code = compile(block, str(DOC), "exec", flags=PyCF_ALLOW_TOP_LEVEL_AWAIT)
            result = eval(code, names)
            if inspect.isawaitable(result):
                await result
        await names["client"].close()
        await names["claude"].close()

    asyncio.run(main())
