"""Every emitted tool is accepted by the types of its provider's official client."""

from pathlib import Path
from typing import Any

import pytest
from toolcast.providers import available, load_profile

from tests.clients.conftest import Client
from tests.clients.emitted import emitted, reference, sample
from tests.clients.judges import Judge, judges_of

EVERY = 4
MOST = 5
"""Findings shown; one cause makes many."""


def judges(provider: str, client: Client) -> list[Judge]:
    made = [make(client) for make in judges_of(provider, load_profile(provider).envelope)]
    assert made, f"no official client is known to read the tool objects of {provider}"
    return made


def findings(made: list[Judge], tools: Any, provider: str) -> list[str]:
    return [
        f"{each.tool}: {finding}"
        for each in emitted(tools, provider)
        for judge in made
        for finding in judge(each.definition)
    ]


@pytest.mark.parametrize("provider", available())
def test_the_reference_toolset(provider: str, client: Client) -> None:
    assert findings(judges(provider, client), reference(), provider)[:MOST] == []


@pytest.mark.corpora
@pytest.mark.parametrize("provider", available())
def test_real_tools(provider: str, client: Client, shared_dir: Path) -> None:
    assert findings(judges(provider, client), sample(shared_dir, EVERY), provider)[:MOST] == []


def spoilt(tool: Any) -> dict[str, Any]:
    """A tool object with a key that no provider knows, beside its own outermost keys."""
    return {**tool, "toolcast": 1}


@pytest.mark.parametrize("provider", available())
def test_the_judges_can_refuse(provider: str, client: Client) -> None:
    """Without this the tests above could pass for a judge that takes anything. Ollama's does take any key."""
    tool = next(iter(emitted(reference(), provider))).definition
    if provider != "ollama":
        assert any(judge(spoilt(tool)) for judge in judges(provider, client))
    assert any(judge(_renamed(tool)) for judge in judges(provider, client))


def _renamed(value: Any) -> Any:
    """The tool with a number for its name."""
    if not isinstance(value, dict):
        return value
    return {key: 5 if key == "name" else _renamed(child) for key, child in value.items()}
