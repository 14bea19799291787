"""The example with DBOS: processes are killed, and the workflow goes on."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
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


@contextmanager
def database(kind: str, folder: Path) -> Iterator[str]:
    if kind == "sqlite":
        yield f"sqlite:///{folder / 'durable.sqlite'}"
        return
    if not all(shutil.which(program) for program in ("initdb", "postgres", "pg_isready")):
        pytest.skip("PostgreSQL is not installed")
    home = Path(tempfile.mkdtemp(prefix="toolcast-durable-"))  # a socket's path must be short
    user = "nobody" if os.geteuid() == 0 else None  # which PostgreSQL refuses
    options: dict[str, Any] = {
        "user": user,
        "cwd": home,
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.DEVNULL,
    }
    try:
        if user is not None:
            shutil.chown(home, user)
        made = ["initdb", "-D", "data", "-U", "postgres", "--auth=trust", "--no-sync"]
        subprocess.run(made, check=True, timeout=60, **options)
        served = ["postgres", "-D", "data", "-k", str(home), "-F", "-c", "listen_addresses="]
        process = subprocess.Popen(served, **options)
        try:
            ready = ["pg_isready", "-q", "-h", str(home), "-t", "1"]
            for _ in range(60):
                if subprocess.run(ready, check=False, timeout=60).returncode == 0:
                    break
                time.sleep(0.5)
            yield f"postgresql+psycopg://postgres@/durable?host={home}"
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def start(folder: Path, stored: str, url: str, *words: str) -> subprocess.Popen[str]:
    environment = {
        **os.environ,
        "DURABLE_DATABASE": stored,
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
    out, errors = process.communicate(timeout=240)
    assert process.returncode == 0, errors
    return out


@pytest.mark.thorough  # four processes that import clients
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
def test_what_ran_before_a_crash_does_not_run_again(kind: str, client: Client, tmp_path: Path) -> None:
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

    with serving(received) as url, database(kind, tmp_path) as stored:
        client("dbos").run_dbos_database_migrations(stored)
        # Killed while it waits for an approval, which comes when no process runs.
        victims.append(start(tmp_path, stored, url, "What", "is", "the", "answer?"))
        workflows = client("dbos").DBOSClient(system_database_url=stored)
        shown = workflows.get_event("run-1", "waiting", 60)
        workflows.destroy()
        victims[0].send_signal(signal.SIGKILL)
        victims[0].communicate(timeout=240)
        [call] = json.loads(finish(start(tmp_path, stored, url)))
        assert [call] == shown
        assert (call["tool"], call["arguments"]) == ("read_file", {"path": "answer.txt"})
        # Killed while the model is asked for the second time.
        victims.append(start(tmp_path, stored, url, "What", "is", "the", "answer?"))
        victims[1].communicate(timeout=240)
        assert [each.returncode for each in victims] == [-signal.SIGKILL] * 2
        assert TEXT in finish(start(tmp_path, stored, url, "What", "is", "the", "answer?"))
    first, second, third = seen
    assert second == third
    assert second["messages"][: len(first["messages"])] == first["messages"]
    told = [message["content"] for message in third["messages"] if message["role"] == "tool"]
    assert told == ['{"names":["answer.txt"]}', "forty-two"]
