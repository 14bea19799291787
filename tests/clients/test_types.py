"""Every emitted tool is accepted by the types of its provider's official client."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import toolcast
from toolcast.providers import load_profile

from tests.clients.conftest import Client
from tests.clients.emitted import emitted, reference, sample
from tests.clients.judges import Judge, judges_of
from tests.languages import SENT_AS_JSON

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


@pytest.mark.parametrize("provider", SENT_AS_JSON)
def test_the_reference_toolset(provider: str, client: Client) -> None:
    assert findings(judges(provider, client), reference(), provider)[:MOST] == []


@pytest.mark.corpora
@pytest.mark.parametrize("provider", SENT_AS_JSON)
def test_real_tools(provider: str, client: Client, shared_dir: Path) -> None:
    assert findings(judges(provider, client), sample(shared_dir, EVERY), provider)[:MOST] == []


EVERY_KEY = {
    "description": "Looks a word up.",
    "permission": "read",
    "secrets": [],
    "parameters": {"type": "object", "required": ["word"], "properties": {"word": {"type": "string"}}},
    "result": {"type": "object", "required": ["text"], "properties": {"text": {"$ref": "#/$defs/Text"}},
               "$defs": {"Text": {"type": "string", "minLength": 1}}},
    "callers": ["model", "code"],
    "defer": True,
    "stream_arguments": True,
    "blocking": False,
    "execution": {"task_support": "optional"},
    "icons": [{"src": "https://a.example/i.png", "mimeType": "image/png", "sizes": ["48x48"]}],
    "meta": {"example.com/team": "words"},
    "annotations": {"title": "Look up", "destructive": False, "idempotent": True, "open_world": False},
}  # fmt: skip
"""A spec that states whatever a tool object may have beside its parameters."""


@cache
def compiled(*callers: str) -> Mapping[str, bytes]:
    """The files of that spec, for all providers."""
    spec = json.dumps({**EVERY_KEY, "callers": callers}).encode()
    return toolcast.compile({"look.json": spec}, providers=SENT_AS_JSON).files


@pytest.mark.parametrize("callers", [["model"], ["code"], ["model", "code"]])
@pytest.mark.parametrize("provider", SENT_AS_JSON)
def test_every_key_of_a_spec(provider: str, callers: list[str], client: Client) -> None:
    tool = json.loads(compiled(*callers)[f"schemas/{provider}/look.json"])
    assert [finding for judge in judges(provider, client) for finding in judge(tool)] == []


def spoilt(tool: Any) -> dict[str, Any]:
    """A tool object with a key that no provider knows, beside its own outermost keys."""
    return {**tool, "toolcast": 1}


@pytest.mark.parametrize("provider", SENT_AS_JSON)
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
