"""OpenAI's own makers of strict schemas find nothing to change in what is sent as strict."""

import copy
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from toolcast.providers import available, load_profile

from tests.clients.conftest import Client
from tests.clients.emitted import Emitted, SourceTool, emitted, reference, sample

EVERY = 4


def is_openai_strict(provider: str) -> bool:
    """Whether a profile has a strict mode in which every property is required, as OpenAI defined it."""
    profile = load_profile(provider)
    return profile.strict is not None and profile.strict.optional == "nullable" and profile.strict.closed


STRICT = [provider for provider in available() if is_openai_strict(provider)]


def strict_ones(tools: tuple[SourceTool, ...], provider: str) -> list[Emitted]:
    return [each for each in emitted(tools, provider) if each.strict]


def changed(each: Emitted, made: dict[str, Any]) -> list[str]:
    """The order of `required` means nothing: ours is as written, theirs that of `properties`."""
    return [] if ordered(made) == ordered(each.schema) else [f"{each.tool}: {made}"]


def ordered(value: Any) -> Any:
    if isinstance(value, list):
        return [ordered(item) for item in value]
    if not isinstance(value, dict):
        return value
    out = {key: ordered(child) for key, child in value.items()}
    if isinstance(out.get("required"), list):
        out["required"] = sorted(out["required"])
    return out


def by_openai(client: Client, tools: list[Emitted]) -> list[str]:
    """What `openai.lib` would send instead; it changes in place."""
    strict = client("openai.lib._pydantic")._ensure_strict_json_schema
    found: list[str] = []
    for each in tools:
        schema = copy.deepcopy(each.schema)
        found += changed(each, strict(schema, path=(), root=schema))
    return found


def by_agents(client: Client, tools: list[Emitted]) -> list[str]:
    """What the agents SDK would send; it raises for what strict cannot be."""
    strict = client("agents.strict_schema").ensure_strict_json_schema
    found: list[str] = []
    for each in tools:
        try:
            found += changed(each, strict(copy.deepcopy(each.schema)))
        except Exception as refusal:
            found.append(f"{each.tool}: {type(refusal).__name__}: {refusal}")
    return found


@pytest.mark.parametrize("provider", STRICT)
@pytest.mark.parametrize("judge", [by_openai, by_agents])
def test_the_reference_toolset(provider: str, judge: Any, client: Client) -> None:
    tools = strict_ones(reference(), provider)
    assert tools, "no tool of the reference toolset is strict"
    assert judge(client, tools) == []


@pytest.mark.corpora
@pytest.mark.parametrize("provider", STRICT)
@pytest.mark.parametrize("judge", [by_openai, by_agents])
def test_real_tools(provider: str, judge: Any, client: Client, shared_dir: Path) -> None:
    tools = strict_ones(sample(shared_dir, EVERY), provider)
    assert len(tools) > 30
    assert judge(client, tools) == []


def test_the_judges_can_refuse(client: Client) -> None:
    """An object left open, and a property left optional."""
    tools = strict_ones(reference(), "openai")[:1]
    for key in ("additionalProperties", "required"):
        schema = {name: value for name, value in tools[0].schema.items() if name != key}
        spoilt = [replace(tools[0], schema=schema)]
        assert by_openai(client, spoilt)
        assert by_agents(client, spoilt)
