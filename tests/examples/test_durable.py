"""The example with DBOS: processes are killed, and the workflow goes on."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.agents.dispatch.answers import ANSWERS, TEXT, Asked
from tests.clients.conftest import Client, client

__all__ = ["client"]

ROOT = Path(__file__).resolve().parents[2]
CALLS = [Asked("c0", "list_folder", "{}"), Asked("c1", "read_file", '{"path": "answer.txt", "lines": null}')]


@contextmanager
def serving(received: Callable[[list[Any]], None]) -> Iterator[str]:
    """A server that asks for both calls, and is content with their results; `received` gets all requests."""
    requests: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            requests.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            received(requests)
            told = requests[-1]["messages"][-1]["role"] == "tool"
            body = json.dumps(ANSWERS["openai"]([] if told else CALLS)).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None: ...

        def handle(self) -> None:
            with suppress(ConnectionError):  # the client was killed
                super().handle()

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def url_of(folder: Path) -> str:
    return f"sqlite:///{folder / 'durable.sqlite'}"


def start(folder: Path, url: str, *words: str) -> subprocess.Popen[str]:
    environment = {
        **os.environ,
        "DURABLE_DATABASE": url_of(folder),
        "OPENAI_BASE_URL": url,
        "OPENAI_API_KEY": "k",
        "NO_PROXY": "127.0.0.1",
        "PYTHONPATH": str(ROOT),
    }
    return subprocess.Popen(
        [sys.executable, "-m", "examples.durable", "run-1", *words],
        cwd=folder / "files",
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str]) -> str:
    out, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    return out


@pytest.mark.thorough  # four processes that import clients
@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
def test_what_ran_before_a_crash_does_not_run_again(client: Client, tmp_path: Path) -> None:
    client("dbos")
    client("openai")
    (tmp_path / "files").mkdir()
    file = tmp_path / "files" / "answer.txt"
    file.write_text("forty-two", "utf-8")
    seen: list[Any] = []
    victims: list[subprocess.Popen[str]] = []

    def received(requests: list[Any]) -> None:
        seen[:] = requests
        if len(requests) == 2:  # both calls ran; this answer is lost
            file.write_text("something else", "utf-8")
            victims[-1].send_signal(signal.SIGKILL)

    with serving(received) as url:
        # Killed while it waits for an approval, which comes when no process runs.
        victims.append(start(tmp_path, url, "What", "is", "the", "answer?"))
        database = client("dbos").DBOSClient(system_database_url=url_of(tmp_path))
        shown = database.get_event("run-1", "waiting", 60)
        database.destroy()
        victims[0].send_signal(signal.SIGKILL)
        victims[0].communicate(timeout=60)
        [call] = json.loads(finish(start(tmp_path, url)))
        assert [call] == shown
        assert (call["tool"], call["arguments"]) == ("read_file", {"path": "answer.txt"})
        # Killed while the model is asked for the second time.
        victims.append(start(tmp_path, url, "What", "is", "the", "answer?"))
        victims[1].communicate(timeout=60)
        assert [each.returncode for each in victims] == [-signal.SIGKILL] * 2
        assert TEXT in finish(start(tmp_path, url, "What", "is", "the", "answer?"))
    first, second, third = seen
    assert second == third
    assert second["messages"][: len(first["messages"])] == first["messages"]
    told = [message["content"] for message in third["messages"] if message["role"] == "tool"]
    assert told == ['{"names":["answer.txt"]}', "forty-two"]
