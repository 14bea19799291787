"""The terminal agent's command: what it refuses, recordings, traces, and control sequences."""

import io
import json
import socket
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from toolcast.agents import RunState

from examples.agent import __main__ as agent
from examples.agent.models import PROVIDERS
from examples.agent.terminal import RED, Screen
from tests.agents.dispatch.answers import TEXT
from tests.clients.conftest import Client, client
from tests.examples.agent.conftest import RunHere
from tests.examples.agent.scenarios import SCENARIOS, SECRET
from tests.examples.agent.scripted_server import CLIENTS, ENVIRONMENT, Call, serving
from tests.examples.agent.terminal import COMMAND, environment, piped
from tests.sampled import sampled

__all__ = ["client"]

SHOW = [Call("bash", {"command": "echo shown"})]


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """What the command says where it cannot begin."""
    assert agent.main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("agent: ")
    return captured.err


def test_help_has_examples(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        agent.main(["--help"])
    shown = capsys.readouterr().out
    assert all(name in shown for name in PROVIDERS)
    assert shown.count("python -m examples.agent") >= 5


@pytest.mark.parametrize("arguments", [["--rounds", "0"], ["--provider", "nobody"]])
def test_a_wrong_setting(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        agent.main(arguments)
    assert ended.value.code == 2
    assert f"argument {arguments[0]}: invalid" in capsys.readouterr().err


@pytest.mark.parametrize("provider", [name for name, each in PROVIDERS.items() if each.keys])
def test_a_missing_key(
    provider: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in PROVIDERS[provider].keys:
        monkeypatch.delenv(name, raising=False)
    assert PROVIDERS[provider].keys[0] in refused(["--provider", provider], capsys)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_missing_client(
    provider: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setitem(sys.modules, CLIENTS[provider], None)
    if provider == "gemini":
        monkeypatch.setitem(sys.modules, "google", None)
    assert f"pip install {PROVIDERS[provider].package}" in refused(["--provider", provider], capsys)


@pytest.mark.parametrize("provider", sampled(PROVIDERS, ("ollama",)))
def test_an_unreachable_server(provider: str, client: Client, run_here: RunHere, tmp_path: Path) -> None:
    client(CLIENTS[provider])
    with socket.socket() as taken:  # bound, and not listening
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        done = run_here(["--provider", provider, "--base-url", url, str(tmp_path)], AWS_MAX_ATTEMPTS="1")
    assert done.returncode == 1
    assert "The run ended: provider_error" in done.stdout
    assert "onnect" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.parametrize("provider", sampled(CLIENTS, ("ollama",)))
def test_a_recording_plays_without_a_model(
    provider: str, client: Client, run_here: RunHere, tmp_path: Path
) -> None:
    client(CLIENTS[provider])
    recording = str(tmp_path / "recording.jsonl")
    folder = str(tmp_path)
    with serving(provider, [SHOW]) as served:
        arguments = ["--provider", provider, "--base-url", served.url, "--autonomy", "full"]
        recorded = run_here([*arguments, "--record", recording, folder])
    replayed = run_here(["--replay", recording, "--autonomy", "full", folder], OPENAI_API_KEY="")
    assert (recorded.returncode, replayed.returncode) == (0, 0)
    assert replayed.stdout == f"? Do it.\n{recorded.stdout}"
    assert TEXT in recorded.stdout
    assert "shown" in recorded.stdout
    assert "\x1b" not in recorded.stdout


def written(path: Path, *lines: object) -> str:
    path.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    return str(path)


def test_a_recording_that_ends_early(run_here: RunHere, tmp_path: Path) -> None:
    call = '<tool_call>{"name": "bash", "arguments": {"command": "echo"}}</tool_call>'
    lines = [{"question": "Go."}, {"provider": "text", "answer": [{"text": call}]}]
    done = run_here(["--replay", written(tmp_path / "r.jsonl", *lines), str(tmp_path)])
    assert done.returncode == 1
    assert "the recording has no further answer" in done.stdout


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([{"question": "Go."}], "must have answers"),
        ([{"provider": "text", "answer": []}, {"provider": "openai", "answer": []}], "all of one provider"),
        (["no object"], "is no recording"),
        ([{"other": 1}], "is no recording"),
        ([{"provider": "nobody", "answer": []}], "nobody"),
    ],
)
def test_a_file_that_is_no_recording(
    lines: list[object], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert words in refused(["--replay", written(tmp_path / "r.jsonl", *lines)], capsys)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "no state of a run"),
        (RunState(messages=(), format="gemini").encode(), "--provider gemini"),
        (RunState(messages=(), format="text").encode()[:-1], "damaged"),
    ],
)
def test_a_file_that_holds_no_conversation(
    data: bytes, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = tmp_path / "state"
    state.write_bytes(data)
    recording = written(tmp_path / "r.jsonl", {"provider": "text", "answer": []})
    assert words in refused(["--replay", recording, "--state", str(state)], capsys)


class Device(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("out", "variables", "coloured"),
    [
        (Device(), {}, True),
        (Device(), {"NO_COLOR": ""}, True),
        (Device(), {"NO_COLOR": "1"}, False),
        (Device(), {"TERM": "dumb"}, False),
        (io.StringIO(), {}, False),
    ],
)
def test_colours(
    out: io.StringIO, variables: dict[str, str], coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"NO_COLOR": "", "TERM": "xterm", **variables}.items():
        monkeypatch.setenv(name, value)
    Screen(out).line("words", RED)
    assert out.getvalue() == ("\x1b[31mwords\x1b[0m\n" if coloured else "words\n")


def test_a_model_cannot_write_control_sequences(run_here: RunHere, tmp_path: Path) -> None:
    hostile = "\x1b]0;title\x07\x1b[2J\r\u202eeveryone\x9b31m"
    (tmp_path / "hostile").write_text(hostile)
    call = (
        f"<tool_call>{json.dumps({'name': 'file_read', 'arguments': {'file_path': 'hostile'}})}</tool_call>"
    )
    unknown = f"<tool_call>{json.dumps({'name': hostile, 'arguments': {}})}</tool_call>"
    lines = [
        {"question": "Go."},
        {"provider": "text", "answer": [{"text": hostile}, {"text": call}, {"text": unknown}]},
        {"provider": "text", "answer": [{"text": hostile}]},
    ]
    recording = written(tmp_path / "r.jsonl", *lines)
    done = run_here(["--replay", recording, str(tmp_path)])
    assert done.returncode == 0
    shown = done.stdout
    assert not {"\x1b", "\x07", "\r", "\u202e", "\x9b"} & set(shown)
    assert r"\x1b]0;title" in shown


def test_traces_have_runs_and_calls_and_no_secret(client: Client, tmp_path: Path) -> None:
    client("ollama")
    scenario = SCENARIOS["a secret"]
    with serving("ollama", scenario.turns) as served:
        done = piped(
            ["--provider", "ollama", "--base-url", served.url, "--autonomy", "full", str(tmp_path)],
            OTEL_TRACES_EXPORTER="console",
            AGENT_SECRET_TOKEN=SECRET,
        )
    assert done.returncode == 0, done.stderr
    assert '"name": "invoke_agent agent"' in done.stdout
    assert '"name": "execute_tool bash"' in done.stdout
    assert SECRET in (tmp_path / "used").read_text()
    assert SECRET not in done.stdout + done.stderr + served.bytes.decode()


def test_a_folder_that_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recording = written(tmp_path / "r.jsonl", {"provider": "text", "answer": []})
    missing = str(tmp_path / "missing")
    assert missing in refused(["--replay", recording, missing], capsys)


def test_a_file_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recording = written(tmp_path / "r.jsonl", {"provider": "text", "answer": []})
    missing = str(tmp_path / "missing" / "file")
    assert missing in refused(["--replay", recording, "--record", missing], capsys)


def test_an_exporter_that_is_not_installed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "nowhere")
    assert "opentelemetry-exporter-otlp" in refused([], capsys)


def test_a_reader_that_has_enough(tmp_path: Path) -> None:
    lines = [{"question": "Go."}, {"provider": "text", "answer": [{"text": "x" * 1000} for _ in range(1000)]}]
    process = subprocess.Popen(
        [*COMMAND, "--replay", written(tmp_path / "r.jsonl", *lines), str(tmp_path)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        start_new_session=True,
    )
    assert process.stdout is not None
    process.stdout.read(10)
    process.stdout.close()
    _, problems = process.communicate(timeout=60)
    assert (process.returncode, problems) == (1, b"")
