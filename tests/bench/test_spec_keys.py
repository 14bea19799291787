"""Every key of a spec is on its page, with an example that compiles."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import jsonschema_rs
import pytest
import toolcast
import yaml

from bench.reference.spec_keys import schema, spec_keys

page = cache(spec_keys)
KEYS: dict[str, dict[str, Any]] = schema()["properties"]
SPEC: dict[str, Any] = schema()["examples"][0]
DEFINITIONS = schema()["$defs"]
SCHEMAS = DEFINITIONS["schema"]
WITH_KEYS = ("annotations", "execution", "http", "icons", "deprecated", "source")


def problems(spec: dict[str, Any]) -> list[str]:
    """The problems of a spec, warnings included."""
    specs = {"orders/list_orders.yaml": yaml.safe_dump(spec, sort_keys=False).encode()}
    compiled = toolcast.compile(specs, providers=("openai", "mcp"))
    return [each.message for each in compiled.diagnostics]


@pytest.mark.parametrize("key", KEYS)
def test_the_examples_of_each_key_compile(key: str) -> None:
    base = {each: value for each, value in SPEC.items() if key != "input" or each != "parameters"}
    if key == "text":
        base["result"] = KEYS["result"]["examples"][0]
    assert KEYS[key]["examples"]
    for example in KEYS[key]["examples"]:
        assert problems({**base, key: example}) == []


def test_an_example_that_does_not_fit_is_found() -> None:
    assert problems({**SPEC, "secrets": ["nobody"]}) != []


def test_every_key_has_a_section() -> None:
    assert set(re.findall(r"^## (\S+)$", page(), re.MULTILINE)) == KEYS.keys()


@pytest.mark.parametrize("key", WITH_KEYS)
def test_keys_inside_of_a_key_are_listed(key: str) -> None:
    section = re.split(rf"^## {key}$", page(), flags=re.MULTILINE)[1].partition("\n## ")[0]
    below = KEYS[key].get("items", KEYS[key])["properties"]
    assert [name for name in below if f".{name}`" not in section] == []


def test_examples_of_the_page_are_those_of_the_schema() -> None:
    shown = [yaml.safe_load(each) for each in re.findall(r"```yaml\n(.*?)```", page(), re.DOTALL)]
    assert shown[0] == SPEC
    assert shown[1:] == [
        {key: example} for key in re.findall(r"^## (\S+)$", page(), re.M) for example in KEYS[key]["examples"]
    ]


def names(value: Any) -> set[str]:
    """The keys of mappings in a value, at any depth."""
    if isinstance(value, dict):
        return {*value}.union(*map(names, value.values()))
    return set().union(*map(names, value)) if isinstance(value, list) else set()


def inner_keys(found: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The keys that mappings below a schema may have, with their schemas; free names are left out."""
    entries = {} if "$ref" in found else found.get("properties", {})
    free = len({id(each) for each in entries.values()}) == 1 < len(entries)
    if not free:
        yield from entries.items()
    below = [
        *entries.values(),
        found.get("additionalProperties"),
        found.get("items"),
        *found.get("anyOf", ()),
    ]
    for each in below:
        if isinstance(each, dict):
            yield from inner_keys(each)


@pytest.mark.parametrize("key", KEYS)
def test_each_key_inside_of_a_key_is_described_and_in_an_example(key: str) -> None:
    section = re.split(rf"^## {re.escape(key)}$", page(), flags=re.MULTILINE)[1].partition("\n## ")[0]
    for name, found in inner_keys(KEYS[key]):
        assert found.get("description"), name
        assert f".{name}`" in section or f"[].{name}`" in section
        assert name in names(KEYS[key]["examples"])


@pytest.mark.parametrize("word", SCHEMAS["properties"])
def test_the_example_of_a_keyword_is_valid_and_on_the_page(word: str) -> None:
    (example,) = SCHEMAS["properties"][word]["examples"]
    jsonschema_rs.meta.validate({"$schema": "https://json-schema.org/draft/2020-12/schema", word: example})
    assert jsonschema_rs.Draft202012Validator(SCHEMAS | {"$defs": DEFINITIONS}).is_valid({word: example})
    row = next(line for line in page().splitlines() if line.startswith(f"| `{word}` |"))
    shown = row.replace("\\|", "|").rsplit(" | ", 1)[1].removesuffix(" |").strip("`")
    assert yaml.safe_load(shown) == {word: example}
