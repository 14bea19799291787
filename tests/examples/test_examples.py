"""Every example, with its official client: a server on loopback asks for a file, and gets its text."""

import asyncio
import importlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.agents.dispatch.answers import ANSWERS, TEXT, Asked, id_for
from tests.agents.dispatch.streaming import STREAMS
from tests.agents.dispatch.test_clients import serving
from tests.clients.conftest import Client, client
from tests.sampled import sampled

__all__ = ["client"]

ROOT = Path(__file__).resolve().parents[2]
SECRET = "The answer is forty-two."


Make = Callable[[Client, str], Any]


def bedrock(load: Client, url: str) -> Any:
    session = load("botocore.session").get_session()
    keys = {"aws_access_key_id": "k", "aws_secret_access_key": "k"}
    return session.create_client("bedrock-runtime", region_name="us-east-1", endpoint_url=url, **keys)


CLIENTS: dict[str, tuple[str, Make]] = {
    "openai_chat": ("openai", lambda load, url: load("openai").AsyncOpenAI(base_url=url, api_key="k")),
    "openai_responses": (
        "openai-responses",
        lambda load, url: load("openai").AsyncOpenAI(base_url=url, api_key="k"),
    ),
    "claude": ("anthropic", lambda load, url: load("anthropic").AsyncAnthropic(base_url=url, api_key="k")),
    "gemini": (
        "gemini",
        lambda load, url: load("google.genai").Client(api_key="k", http_options={"base_url": url}),
    ),
    "bedrock": ("bedrock", bedrock),
    "mistral": ("mistral", lambda load, url: load("mistralai.client").Mistral(api_key="k", server_url=url)),
    "command": ("cohere", lambda load, url: load("cohere").AsyncClientV2(api_key="k", base_url=url)),
    "local": ("ollama", lambda load, url: load("ollama").AsyncClient(host=url)),
    "text_only": ("openai", lambda load, url: load("openai").AsyncOpenAI(base_url=url, api_key="k")),
}


def answers(name: str, format: str) -> tuple[bytes, bytes, str]:
    """What the server says first and then, and of which type that is."""
    call = Asked(id_for(format, 0), "read_file", '{"path": "answer.txt", "lines": null}')
    if name == "text_only":
        reported = ANSWERS[format]([])
        called = json.loads(json.dumps(reported))
        asked = {"name": call.name, "arguments": {"path": "answer.txt"}}
        called["choices"][0]["message"]["content"] = f"<tool_call>{json.dumps(asked)}</tool_call>"
        return json.dumps(called).encode(), json.dumps(reported).encode(), "application/json"
    if name == "claude":
        bodies = []
        for listed in ([call], []):
            events = STREAMS[format](listed, [[each.text] for each in listed], lambda n: n - 1)
            bodies.append("".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events).encode())
        return bodies[0], bodies[1], "text/event-stream"
    first, second = (ANSWERS[format](listed) for listed in ([call], []))
    if name == "command":  # what it says beside calls is a plan
        second["message"]["content"] = [{"type": "text", "text": TEXT}]
    return json.dumps(first).encode(), json.dumps(second).encode(), "application/json"


@pytest.mark.parametrize("name", sampled(sorted(CLIENTS), ("claude", "openai_chat", "text_only")))
def test_the_model_gets_the_file(
    name: str, client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    format, make = CLIENTS[name]
    if name == "bedrock":
        client("boto3")
    (tmp_path / "answer.txt").write_text(SECRET, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    first, second, kind = answers(name, format)
    with serving(second, kind) as served:
        served.later = [first]
        made = make(client, served.url)
        example = importlib.import_module(f"examples.{name}")
        stated = asyncio.run(example.main("What is the answer?", made))
    assert TEXT in stated
    asked, told = map(json.dumps, served.requests)
    assert SECRET not in asked
    assert SECRET in told
    assert "list_folder" in asked


def test_every_example_is_run() -> None:
    scripts = {path.stem for path in (ROOT / "examples").glob("*.py")} - {"__init__", "toolbox"}
    assert scripts == {*CLIENTS, "durable", "code_mode"}  # which have test modules of their own
    listed = (ROOT / "examples" / "README.md").read_text("utf-8")
    assert all(f"`{name}.py`" in listed for name in scripts)


def test_the_toolbox_stays_in_its_folder(tmp_path: Path) -> None:
    from examples.toolbox import toolbox

    (tmp_path / "in").mkdir()
    (tmp_path / "out.txt").write_text(SECRET, "utf-8")
    (tmp_path / "in" / "link").symlink_to(tmp_path / "out.txt")
    registry = toolbox(tmp_path / "in")
    for tool, path in (("read_file", "../out.txt"), ("read_file", "link"), ("list_folder", "..")):
        result = asyncio.run(registry.execute(tool, {"path": path}))
        assert not result.success
        assert SECRET not in f"{result.output}{result.error}"
    assert asyncio.run(registry.execute("list_folder", {})).output == '{"names":["link"]}'
