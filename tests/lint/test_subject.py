"""What each provider would get is made once for each dialect, however many providers share it."""

from pathlib import Path
from typing import Any

import pytest
import toolcast.lint.linted_tool as module
from toolcast.providers import Normalized, Profile, load_profile
from toolcast.providers import normalize as real

from tests.lint.projects import run, spec, write

TEXT = {"type": "string", "description": "Some text that is needed."}


def test_schemas_are_made_once_for_each_dialect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def counting(schema: Any, provider: Profile, *, strict: bool | None = None) -> Normalized:
        made.append(provider.id)
        return real(schema, provider, strict=strict)

    monkeypatch.setattr(module, "normalize", counting)
    providers = ("openai", "openai-nonstrict", "mistral", "anthropic-strict", "bedrock-strict", "mcp")
    distinct = {(each.dialect, each.strict) for each in map(load_profile, providers)}
    write(tmp_path, {f"t{index}": spec(properties={"a": TEXT}) for index in range(5)})
    assert run(tmp_path, providers=providers).tools == 5
    assert len(made) == 5 * len(distinct)
    assert len(distinct) < len(providers)


def test_a_stated_mode_is_another_schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stated: list[bool | None] = []

    def counting(schema: Any, provider: Profile, *, strict: bool | None = None) -> Normalized:
        stated.append(strict)
        return real(schema, provider, strict=strict)

    monkeypatch.setattr(module, "normalize", counting)
    loose = {"openai": {"strict": False}}
    write(tmp_path, {"t": spec(properties={"a": TEXT}, providers=loose)})
    run(tmp_path, providers=("openai", "azure-openai"))
    assert sorted(stated, key=str) == [False, None]
