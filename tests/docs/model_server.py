"""A model on loopback in the form of any provider: asks for one call, and answers once it has the result.

Programs of the documentation reach it through the variables that the official clients read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.docs.scripted_models import Turn, serving_models

PLAN = "I look it up."
ANSWER = "Yes: 4 mm of rain are expected in Oslo."
CALLS: dict[str, tuple[dict[str, Any], str]] = {
    "run_code": ({}, "[4.0"),
    "forecast": ({"city": "Oslo"}, "[4.0"),
    "get_weather": ({"city": "Oslo"}, "18 degrees"),
    "convert": ({"amount": 5}, "6.00 EUR"),
}
"""The arguments for each tool that is called where it is offered, and what its result has."""
RESULT = CALLS["forecast"][1]
PROGRAM = """
import asyncio

cities = ["Oslo", "Bergen"]
answers = await asyncio.gather(*(weather.forecast(city=city, days=2) for city in cities))
for city, answer in zip(cities, answers):
    print(f"{city}: {answer['rain']}")
"""

MISTRAL = """
import sys
from importlib import abc, util


class Finder(abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name != "mistralai.client.sdkconfiguration":
            return None
        sys.meta_path.remove(self)
        spec = util.find_spec(name)
        load = spec.loader.exec_module

        def execute(module):
            load(module)
            module.SERVERS["global"] = "{url}/mistral"

        spec.loader.exec_module = execute
        return spec


sys.meta_path.insert(0, Finder())
"""
"""A `sitecustomize` that names our server to the client of Mistral, which reads no variable."""


class ModelServer:
    """Variables that lead clients to the server, and format and body of each request."""

    def __init__(self, environment: dict[str, str]) -> None:
        self.environment = environment
        self.requests: list[tuple[str, Mapping[str, Any]]] = []


def called_first(body: Mapping[str, Any]) -> Turn:
    """One call of a tool that the request offers, unless the request has its result."""
    sent = json.dumps(body)
    name = next((each for each in CALLS if f'"name": "{each}"' in sent), "forecast")
    arguments, result = CALLS[name]
    if result in sent:
        return []
    if name == "run_code":
        arguments = {"program": PROGRAM}
    if '"days"' in sent and '"strict": true' in sent:  # strict mode: what is optional is null
        arguments = {**arguments, "days": None}
    return [(name, arguments)]


def decide(format: str, body: Mapping[str, Any]) -> tuple[Turn, str]:
    """The calls and the text of an answer."""
    turn = called_first(body)
    if turn and format == "openai" and "tools" not in body:  # told in its prompt how to call
        [(name, arguments)] = turn
        called = json.dumps({"name": name, "arguments": arguments})
        return [], f"{PLAN} <tool_call>{called}</tool_call>"
    return turn, PLAN if turn else ANSWER


@contextmanager
def serving(site: Path) -> Iterator[ModelServer]:
    """Serve until the block ends; `site` is a folder for a module that Python imports first."""
    served = ModelServer({})

    def recorded(format: str, body: Mapping[str, Any]) -> tuple[Turn, str]:
        served.requests.append((format, body))
        return decide(format, body)

    with serving_models(recorded) as models:
        (site / "sitecustomize.py").write_text(MISTRAL.replace("{url}", models.url), "utf-8")
        served.environment |= {**models.environment, "PYTHONPATH": str(site)}
        yield served


@pytest.fixture
def model_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModelServer]:
    """A server that the official clients of programs ask which have its `environment`."""
    with serving(tmp_path_factory.mktemp("site")) as served:
        yield served
