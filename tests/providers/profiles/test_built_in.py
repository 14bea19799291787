"""Every built-in profile is complete, and code knows none of them by name."""

from __future__ import annotations

import re
import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import toolcast.providers
from toolcast.providers import (
    Profile,
    TextInput,
    ToolInfo,
    available,
    load_profile,
    normalize,
    pointer_to,
    tool_object,
)
from toolcast.providers.profiles.envelope import PLACEHOLDERS
from toolcast.providers.profiles.profile import CallerNames, ExampleRules

ROOM = Path(toolcast.providers.__file__).parent
WANTED = {
    *("openai", "openai-responses", "openai-nonstrict", "azure-openai", "anthropic", "anthropic-strict"),
    *("gemini", "gemini-json-schema", "vertex", "cloud-code-assist", "mcp", "mcp-2025-06-18"),
    *("mcp-2025-11-25", "bedrock", "bedrock-strict", "mistral", "cohere", "xai", "deepseek", "groq"),
    *("moonshot", "ollama", "llama-cpp", "vllm-xgrammar", "conservative"),
    *("typescript", "python"),
}


def source(id: str) -> str:
    return (ROOM / "profiles" / f"{id}.toml").read_text("utf-8")


def test_all_are_there() -> None:
    assert set(available()) == WANTED


@pytest.mark.parametrize("id", available())
def test_a_profile_is_complete(id: str) -> None:
    profile = load_profile(id)
    own = tomllib.loads(source(id))
    assert profile.id == id
    assert profile.title
    assert own["sources"], "each profile states its own sources"
    assert date.fromisoformat(own["dated"]) <= date(2026, 12, 31)
    assert pointer_to("$name", profile)
    assert pointer_to("$parameters", profile)
    assert (pointer_to("$strict", profile) is not None) == (profile.strict is not None)
    assert source(id).startswith("# "), "the first line says what it is"


@pytest.mark.parametrize(
    ("glob", "wanted"),
    [
        ("gpt-*", {"openai", "openai-responses", "openai-nonstrict", "azure-openai"}),
        ("claude-*", {"anthropic", "anthropic-strict", "cloud-code-assist"}),
        ("anthropic.claude-*", {"bedrock", "bedrock-strict"}),
        ("gemini-*", {"gemini", "gemini-json-schema", "vertex"}),
    ],
)
def test_models_are_inherited_by_profiles_of_the_same_service_only(glob: str, wanted: set[str]) -> None:
    assert {id for id in available() if glob in load_profile(id).models} == wanted


@pytest.mark.parametrize("id", available())
def test_titles_are_distinguished(id: str) -> None:
    assert [other for other in available() if load_profile(other).title == load_profile(id).title] == [id]


@pytest.mark.parametrize("id", available())
def test_each_rule_has_its_source_beside_it(id: str) -> None:
    """Every list and limit of a file stands below a comment, of its own or of the rule above it."""
    lines = source(id).splitlines()
    heads = [number for number, line in enumerate(lines) if line.startswith("[")]
    for start, end in zip(heads, [*heads, len(lines)][1:], strict=True):
        if lines[start] in ("[dialect]", "[strict]", "[limits]"):
            reported = [lines[start - 1], *lines[start + 1 : end]]
            assert any(line.startswith("#") for line in reported), f"{id}: {lines[start]} without a source"


def test_placeholders_are_those_that_envelopes_fill() -> None:
    """What the check allows, and what `tool_object` knows, is the same."""
    values: dict[str, Any] = {name.removeprefix("$"): name for name in PLACEHOLDERS}
    callers = CallerNames(model="model", code="code")
    profile = Profile(id="all", dated="2026-01-01", envelope=values, callers=callers,
                      examples=ExampleRules())  # fmt: skip
    info = ToolInfo(
        name="n", description="d", title="t", read_only=True, destructive=True, idempotent=True,
        open_world=True, result_schema={"type": "object"}, keys={
            "icons": ({"src": "data:,"},), "meta": {"k": 1}, "callers": ("model", "code"), "defer": True,
            "stream_arguments": True, "blocking": False, "execution": "optional",
        },
        examples=({},), shows_examples={"all": True},
        input=TextInput(grammar="lark", definition="g"),
    )  # fmt: skip
    made = tool_object(info, profile, normalize({"type": "object"}, profile, strict=False))
    assert set(made) == set(values) - {"strict"}


def test_code_names_no_provider() -> None:
    """The walk is driven by data alone: no module of the room has a provider's name outside its comments."""
    names = re.compile(
        r"(?i)\b(openai|azure|anthropic|claude|gemini|vertex|bedrock|mistral|cohere|xai|grok|deepseek|groq|"
        r"moonshot|kimi|ollama|llama|vllm|xgrammar)\b"
    )
    found: list[str] = []
    for file in sorted(ROOM.rglob("*.py")):
        code = re.sub(r'""".*?"""|#[^\n]*', "", file.read_text("utf-8"), flags=re.DOTALL)
        found += [f"{file.name}: {name}" for name in names.findall(code)]
    assert found == []
