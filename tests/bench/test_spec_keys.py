"""Every key of a spec is on its page, with an example that compiles."""

import re
from typing import Any

import pytest
import toolcast
import yaml

from bench.reference.spec_keys import schema, spec_keys

KEYS: dict[str, dict[str, Any]] = schema()["properties"]
SPEC: dict[str, Any] = schema()["examples"][0]
WITH_KEYS = ("annotations", "execution", "http", "icons", "deprecated", "source")


def problems(spec: dict[str, Any]) -> list[str]:
    """The problems of a spec, warnings included."""
    specs = {"orders/list_orders.yaml": yaml.safe_dump(spec, sort_keys=False).encode()}
    compiled = toolcast.compile(specs, providers=("openai", "mcp"))
    return [each.message for each in compiled.diagnostics]


@pytest.mark.parametrize("key", KEYS)
def test_the_examples_of_each_key_compile(key: str) -> None:
    base = {each: value for each, value in SPEC.items() if key != "input" or each != "parameters"}
    assert KEYS[key]["examples"]
    for example in KEYS[key]["examples"]:
        assert problems({**base, key: example}) == []


def test_an_example_that_does_not_fit_is_found() -> None:
    assert problems({**SPEC, "secrets": ["nobody"]}) != []


def test_every_key_has_a_section() -> None:
    assert set(re.findall(r"^## (\S+)$", spec_keys(), re.MULTILINE)) == KEYS.keys()


@pytest.mark.parametrize("key", WITH_KEYS)
def test_keys_inside_of_a_key_are_listed(key: str) -> None:
    section = re.split(rf"^## {key}$", spec_keys(), flags=re.MULTILINE)[1].partition("\n## ")[0]
    below = KEYS[key].get("items", KEYS[key])["properties"]
    assert [name for name in below if f".{name}`" not in section] == []


def test_examples_of_the_page_are_those_of_the_schema() -> None:
    shown = [yaml.safe_load(each) for each in re.findall(r"```yaml\n(.*?)```", spec_keys(), re.DOTALL)]
    assert shown[0] == SPEC
    assert shown[1:] == [
        {key: KEYS[key]["examples"][0]} for key in re.findall(r"^## (\S+)$", spec_keys(), re.M)
    ]
