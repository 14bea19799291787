"""The terminal agent at a terminal: approvals, interrupts, and runs that another process goes on with."""

import json
from pathlib import Path

import pytest

from tests.agents.dispatch.answers import TEXT
from tests.clients.conftest import Client, client
from tests.examples.agent.conftest import RunHere
from tests.examples.agent.scripted_server import Call, Served, serving
from tests.examples.agent.terminal import PATIENCE, at_terminal, piped

__all__ = ["client"]


@pytest.fixture(autouse=True)
def _client(client: Client) -> None:
    client("ollama")


def ollama(served: Served) -> list[str]:
    """Its client is the quickest to import."""
    return ["--provider", "ollama", "--base-url", served.url]


def touch(name: str) -> list[Call]:
    return [Call("bash", {"command": f"echo {name} >> {name}"})]


def test_yes_no_and_always(tmp_path: Path) -> None:
    with (
        serving("ollama", [touch("one"), touch("two"), touch("three"), touch("three")]) as served,
        at_terminal([*ollama(served), str(tmp_path)]) as terminal,
    ):
        terminal.expect("? ")
        terminal.type("Go.\n")
        for key in "yna":
            terminal.expect("Run it?")
            terminal.type(f"{key}\n")
        terminal.expect("? ")  # the same command is not asked for again
        terminal.type("\x04")
        assert terminal.end() == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "three"]
    assert (tmp_path / "three").read_text() == "three\nthree\n"
    assert "was not approved" in served.text(2)
    assert terminal.shown.count("Run it?") == 3


def test_ctrl_c_cancels_the_turn_and_keeps_the_conversation(tmp_path: Path) -> None:
    with (
        serving("ollama", [touch("one")], hold=[1]) as served,
        at_terminal([*ollama(served), "--autonomy", "full", str(tmp_path)]) as terminal,
    ):
        terminal.expect("? ")
        terminal.type("The first question.\n")
        assert served.arrived.wait(PATIENCE)
        terminal.type("\x03")
        terminal.expect("The run ended: cancelled")
        terminal.expect("? ")
        terminal.type("The second question.\n")
        terminal.expect(TEXT)
        terminal.expect("? ")
        terminal.type("\x03")
        assert terminal.end() == 0
    roles = [message["role"] for message in json.loads(served.bodies[2])["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "user"]
    assert served.text(2).index("first question") < served.text(2).index("second question")


def test_a_pause_is_resumed_by_another_process(run_here: RunHere, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    state = tmp_path / "run.state"
    with serving("ollama", [touch("one")]) as served:
        arguments = [*ollama(served), "--state", str(state), str(folder)]
        paused = piped(arguments)
        assert (paused.returncode, len(served.bodies)) == (3, 1)
        assert state.stat().st_mode & 0o777 == 0o600
        assert run_here(arguments).returncode == 3  # nobody can be asked here, either
        assert not (folder / "one").exists()
        with at_terminal(arguments) as terminal:
            terminal.expect("Run it?")
            terminal.type("y\n")
            terminal.expect(TEXT)
            terminal.expect("? ")
            terminal.type("And now?\n")
            terminal.expect(TEXT)
            terminal.expect("? ")
            terminal.type("\x04")
            assert terminal.end() == 0
    assert (folder / "one").read_text() == "one\n"
    assert [json.loads(body)["messages"][-1]["role"] for body in served.bodies] == ["user", "tool", "user"]


def test_a_killed_run_goes_on_in_another_process(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    with serving("ollama", [touch("one")], hold=[1]) as served:
        arguments = [*ollama(served), "--state", str(tmp_path / "run.state"), "--autonomy", "full"]
        with at_terminal([*arguments, str(folder)]) as terminal:
            terminal.expect("? ")
            terminal.type("Go.\n")
            assert served.arrived.wait(PATIENCE)
            terminal.process.kill()
        with at_terminal([*arguments, str(folder)]) as terminal:
            terminal.expect(TEXT)
            terminal.expect("? ")
            terminal.type("\x04")
            assert terminal.end() == 0
    assert (folder / "one").read_text() == "one\n"
    assert served.bodies[1] == served.bodies[2]
