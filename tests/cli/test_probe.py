"""`toolcast probe` with a server on a real socket: what it tells, asks, keeps, writes and refuses."""

import http.server
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from toolcast.analysis.probe import questions_of, target_of
from toolcast.providers import load_profile
from toolcast.providers.rule_vectors import vectors_of

from tests.optional import load

Command = Callable[..., Result]
KEY = "sk-probe-0123456789abcdef"
TAKEN = {"choices": [{"message": {"content": "a"}}]}
ERROR = {
    "error": {"message": "Invalid schema for function 'look': not permitted.", "param": "tools[0].function"}
}


@pytest.fixture(autouse=True)
def _settings(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load("httpx")
    assert not [*empty.iterdir()]
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


class Server:
    """Answers as `answer` says; keeps what it was sent."""

    def __init__(self, answer: Callable[[bytes], tuple[int, Any]]) -> None:
        self.answer = answer
        self.bodies: list[bytes] = []
        self.url = ""


@contextmanager
def serving(answer: Callable[[bytes], tuple[int, Any]]) -> Iterator[Server]:
    state = Server(answer)

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            assert self.headers["Authorization"] == f"Bearer {KEY}"
            assert self.path == "/v1/chat/completions"
            state.bodies.append(body)
            status, data = state.answer(body)
            content = json.dumps(data).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def as_stated(id: str = "openai") -> Callable[[bytes], tuple[int, Any]]:
    target = target_of(load_profile(id), "", "", {}, built_in=True)
    wanted = questions_of(target, vectors_of(target.profile))
    refused = {each.body for each in wanted if each.expected == "refused"}
    return lambda body: (400, ERROR) if body in refused else (200, TAKEN)


def test_rules_that_hold_are_told_in_numbers_and_asked_once_a_day(run: Command, empty: Path) -> None:
    with serving(as_stated()) as server:
        arguments = ("probe", "openai", "--base-url", server.url, "--rule", "strict.*Items", "--yes")
        first = run(*arguments)
        assert first.exit_code == 0, first.output
        assert " 0 contradicted, 0 undecided" in first.stdout
        assert f"to {server.url} with the key of $OPENAI_API_KEY; model gpt-5.4-nano" in first.stderr
        assert "at most $0.0" in first.stderr
        sent = len(server.bodies)
        assert sent == len({*server.bodies})
        again = run(*arguments, "--format", "json")
        assert len(server.bodies) == sent
        report = json.loads(again.stdout)
        assert report["totals"]["agreed"] >= 5
        assert report["vectors"][0]["requests"][0]["outcome"] == "accepted"
        assert KEY not in first.output + again.output + (empty / ".toolcast/probe/openai.json").read_text()


def test_a_rule_that_does_not_hold_is_told_with_its_line(run: Command) -> None:
    with serving(lambda _: (200, TAKEN)) as server:
        told = run("probe", "openai", "--base-url", server.url, "--rule", "strict.uniqueItems", "--yes")
    assert told.exit_code == 1
    path, line = told.stdout.partition(": contradicted: strict.uniqueItems")[0].rsplit(":", 1)
    assert '"uniqueItems"' in Path(path).read_text("utf-8").splitlines()[int(line) - 1]
    assert "accepted, not refused" in told.stdout
    assert '"uniqueItems":true' in told.stdout


def test_nothing_is_sent_that_nobody_agreed_to(run: Command, empty: Path) -> None:
    with serving(as_stated()) as server:
        arguments = ("probe", "openai", "--base-url", server.url, "--rule", "strict.pattern")
        told = run(*arguments)
        assert told.exit_code == 2
        assert "run it with --yes" in told.stderr
        leader, follower = os.openpty()
        os.write(leader, b"n\n")
        command = [sys.executable, "-m", "toolcast", *arguments]
        asked = subprocess.run(command, stdin=follower, capture_output=True, text=True, cwd=empty, timeout=60)
        os.close(leader)
        os.close(follower)
        assert asked.returncode == 130
        assert "Send them?" in asked.stderr
        assert server.bodies == []


@pytest.mark.parametrize(
    ("arguments", "status", "text"),
    [
        (("mcp",), 1, "'mcp' has no HTTP API that takes tool objects"),
        (("python",), 1, "probe one that has: anthropic,"),
        (("nobody",), 2, "There is no provider 'nobody'"),
        (("openai", "--rule", "strict.nothing"), 2, "there are: dialect."),
        (("azure-openai", "--model", "m"), 1, "$AZURE_OPENAI_ENDPOINT is not set"),
        (("ollama", "--yes"), 1, "name one with --model"),
        (("anthropic", "--yes"), 1, "set ANTHROPIC_API_KEY, or name a file with --key-file"),
        (("bedrock", "--model", "m", "--base-url", "https://[::1]"), 1, "requests are not signed (SigV4)"),
        (("openai", "--base-url", "http://example.com"), 1, "no address of https"),
        (("openai", "--base-url", "https://127.0.0.1@example.com"), 1, "no address of https"),
        (("openai", "--base-url", "http://127.0.0.1.example.com"), 1, "no address of https"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_a_remedy(
    run: Command, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], status: int, text: str
) -> None:
    for name in ("ANTHROPIC_API_KEY", "AZURE_OPENAI_ENDPOINT", "AWS_BEARER_TOKEN_BEDROCK"):
        monkeypatch.delenv(name, raising=False)
    told = run("probe", *arguments)
    assert told.exit_code == status, told.output
    assert text in " ".join(told.output.split())


def test_dates_are_written_to_a_profile_of_the_project(run: Command, empty: Path) -> None:
    (empty / "pyproject.toml").write_text('[tool.toolcast]\nprofiles = ["acme.toml"]\n', "utf-8")
    text = (
        '# Ours.\nbase = "openai"\nid = "acme"\ndated = "2026-01-01"  # when\n[probe]\nkey = "ACME_KEY"\n'
        '[[rules]]\nnames = ["strict.uniqueItems"]\nsource = "x"\nconfidence = "documented"\n'
    )
    (empty / "acme.toml").write_text(text, "utf-8")
    (empty / "key").write_text(f"{KEY}\n", "utf-8")
    with serving(as_stated()) as server:
        told = run(
            "probe", "acme", "--base-url", server.url, "--key-file", "key", "--yes", "--write",
            "--rule", "strict.uniqueItems",
        )  # fmt: skip
    assert told.exit_code == 0, told.output
    assert (empty / "acme.toml").read_text("utf-8") == text.replace("documented", "probed")
    assert "acme.toml: dates are set" in told.stderr


def test_what_costs_too_much_or_has_no_bound_is_not_sent(run: Command, empty: Path) -> None:
    (empty / "pyproject.toml").write_text('[tool.toolcast]\nprofiles = ["acme.toml"]\n', "utf-8")
    text = 'base = "openai"\nid = "acme"\ndated = "2026-01-01"\n[probe]\nkey = "ACME_KEY"\n'
    (empty / "key").write_text(KEY, "utf-8")
    for more, words in (
        ("price = [900.0, 900.0]", "a run makes at most 1,000 requests, for $1, or with 400,000 tokens"),
        ("[limits]\ndescription-length = 300000\n[probe.body]\nmax_tokens = 1\ntools = ['$tool']", "400,000"),
        ("[probe.body]\ntools = ['$tool']", "requests would not bound what a model writes"),
    ):
        (empty / "acme.toml").write_text(f"{text}{more}\n", "utf-8")
        with serving(as_stated()) as server:
            model = () if "price" in more else ("--model", "m")
            told = run("probe", "acme", *model, "--base-url", server.url, "--key-file", "key", "--yes")
            assert server.bodies == []
        assert told.exit_code == 1
        assert words in " ".join(told.output.split())
