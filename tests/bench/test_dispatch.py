"""The benchmark of calls measures what it says: the same tools and arguments for everyone, and its tables."""

import ast
import json
from typing import Any

import jsonschema_rs
import pytest
from toolcast.providers import decode, normalize

from bench.dispatch.calls import Calls
from bench.dispatch.fresh import NAMES, Cost
from bench.dispatch.names import AROUND, BARE, FULL, GEMINI, OPENAI, PYDANTIC, RAW
from bench.dispatch.ours import TYPES
from bench.dispatch.page import page
from bench.dispatch.thousand import COUNT, module, spec, tools
from bench.dispatch.tools import CALLS, SENT, SPECS


@pytest.mark.parametrize("tool", [str(each["name"]) for each in SPECS])
def test_every_text_is_the_same_call(tool: str) -> None:
    (parameters,) = (each["parameters"] for each in SPECS if each["name"] == tool)
    assert isinstance(parameters, dict)
    arguments = json.loads(CALLS[tool])
    assert jsonschema_rs.is_valid(parameters, arguments)
    for provider in ("openai", "gemini"):
        sent = json.loads(SENT[provider, tool])
        assert jsonschema_rs.is_valid(normalize(parameters, provider).schema, sent)
        undone: Any = decode(SENT[provider, tool], provider, schema=parameters)
        assert {name: value for name, value in undone.items() if value is not None} == arguments
    assert tool in TYPES


def test_the_functions_have_the_parameters_of_the_specs() -> None:
    listed = [*tools()]
    functions = {
        node.name: node for node in ast.parse(module()).body if isinstance(node, ast.AsyncFunctionDef)
    }
    assert len(listed) == len(functions) == COUNT
    for tool in listed:
        arguments = functions[tool.name].args
        parameters = spec(tool)["parameters"]
        names = [each.arg for each in arguments.args]
        assert names == list(parameters["properties"])
        assert names[: len(names) - len(arguments.defaults)] == parameters["required"]


def test_the_page_says_what_was_met() -> None:
    everyone = (RAW, BARE, AROUND, OPENAI, GEMINI, PYDANTIC, *FULL)
    times = dict.fromkeys(everyone, 20000.0) | {RAW: 200.0, BARE: 900.0, AROUND: 2_000.0, OPENAI: 8_000.0}
    costs = {name: Cost(1.0, 4.0, 40.0, 60.0) for name in NAMES} | {"toolcast": Cost(0.1, 0.1, 5.0, 30.0)}
    text = page(Calls({"forecast": times, "order": times}, 0.5, {"msgspec": "1"}), costs, 5, 2, "0.1")
    lines = {
        line.split(" | ")[0].strip("| ").strip(): line for line in text.splitlines() if line.startswith("|")
    }
    around, openai = lines[f"two scalars: {AROUND}"], lines[f"two scalars: {OPENAI}"]
    assert "1.80, met" in around
    assert "10.0, met" in around
    assert "7.80, **not met**" in openai
    assert "2.5, **not met**" in openai
    assert "| 25.0 | 0.35 |" in " ".join(lines["both"].split())
    assert "| 0.50 |" in " ".join(lines["tools alone"].split())
