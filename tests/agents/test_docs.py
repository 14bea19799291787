"""The examples of docs/agents.md, with the official clients and a server of our own on loopback."""

import asyncio
import inspect
import json
import re
import threading
from ast import PyCF_ALLOW_TOP_LEVEL_AWAIT
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

DOC = Path(__file__).resolve().parents[2] / "docs/agents.md"
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
    """OpenAI's answer as a stream of two chunks."""
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
    """Anthropic's."""
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


@pytest.fixture
def loopback(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    for name, value in {"OPENAI": f"{url}/v1", "ANTHROPIC": url}.items():
        monkeypatch.setenv(f"{name}_BASE_URL", value)
        monkeypatch.setenv(f"{name}_API_KEY", "none")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    yield
    server.shutdown()
    server.server_close()


@pytest.mark.usefixtures("loopback")
def test_every_example_runs_in_its_order() -> None:
    pytest.importorskip("openai")
    pytest.importorskip("anthropic")
    blocks = re.findall(r"```python\n(.*?)```", DOC.read_text("utf-8"), re.DOTALL)
    assert len(blocks) == 12

    async def main() -> None:
        names: dict[str, Any] = {}
        for block in blocks:
            code = compile(block, str(DOC), "exec", flags=PyCF_ALLOW_TOP_LEVEL_AWAIT)
            result = eval(code, names)
            if inspect.isawaitable(result):
                await result
        await names["client"].close()
        await names["claude"].close()

    asyncio.run(main())
