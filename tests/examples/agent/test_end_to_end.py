"""The terminal agent with every official client, over sockets, against a server that plays a script."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from toolcast.runtime.view import ToolView

from tests.clients.conftest import Client, client
from tests.examples.agent.conftest import RunHere
from tests.examples.agent.scenarios import SCENARIOS, SECRET, Outcome, Scenario
from tests.examples.agent.scripted_server import CLIENTS, PROVIDERS, Served, serving

__all__ = ["client"]

Run = Callable[[Served, Sequence[str]], Outcome]
FIRST = "fix a failing test"
# Each scenario with one client and each client with one scenario; the whole product is thorough.
PAIRS = [
    pytest.param(
        name, provider, marks=() if name == FIRST or provider == "openai" else (pytest.mark.thorough,)
    )
    for name in SCENARIOS
    for provider in PROVIDERS
]


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_here: RunHere, caplog: pytest.LogCaptureFixture
) -> Run:
    folder = tmp_path / "folder"
    folder.mkdir()
    monkeypatch.chdir(folder)
    caplog.set_level("DEBUG", "toolcast")

    def run(served: Served, arguments: Sequence[str]) -> Outcome:
        recording = tmp_path / "recording.jsonl"
        done = run_here(
            ["--base-url", served.url, "--record", str(recording), *arguments], AGENT_SECRET_TOKEN=SECRET
        )
        kept = [path.read_bytes() for path in (recording, tmp_path / "state") if path.exists()]
        return Outcome(
            folder=folder,
            served=served,
            shown=done.stdout + done.stderr,
            written=caplog.text + b"\n".join(kept).decode("utf-8", "replace"),
            code=done.returncode,
        )

    return run


def prepared(scenario: Scenario, folder: Path) -> None:
    for name, text in scenario.files.items():
        (folder / name).write_text(text, "utf-8")


@pytest.mark.parametrize(("name", "provider"), PAIRS)
def test_scenario(name: str, provider: str, run: Run, client: Client) -> None:
    client(CLIENTS[provider])
    scenario = SCENARIOS[name]
    prepared(scenario, Path())
    with serving(provider, scenario.turns) as served:
        outcome = run(served, ["--provider", provider, *scenario.arguments])
    assert outcome.code == scenario.code, outcome.shown
    scenario.check(outcome)


@pytest.mark.parametrize(
    ("provider", "members"),
    [
        ("gemini", {"toolConfig": {"functionCallingConfig": {"mode": "VALIDATED"}}}),
        ("cohere", {"strict_tools": True}),
    ],
)
def test_members_of_requests(
    provider: str, members: dict[str, Any], run: Run, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What concerns all tools of a request goes into it, as far as the specs of the tools ask for it."""
    client(CLIENTS[provider])
    scenario = SCENARIOS[FIRST]
    sent: list[dict[str, Any]] = []
    for asked in ({}, members):
        prepared(scenario, Path())
        monkeypatch.setattr(ToolView, "request_members", Mock(return_value=asked))
        with serving(provider, scenario.turns) as served:
            assert run(served, ["--provider", provider, *scenario.arguments]).code == scenario.code
        sent.append({key: each for key, each in json.loads(served.bodies[0]).items() if key in members})
    assert sent == [{}, members]
