"""Tools compiled from a spec with `http`, and httpx, or a reason to skip."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from toolcast.runtime import ToolBinding, ToolContext

from tests.optional import load
from tests.python.compiled import package, spec

Binding = ToolBinding[Any, Any]
Bind = Callable[..., Binding]
CONTEXT = ToolContext()


@pytest.fixture(scope="session")
def httpx() -> Any:
    """httpx; without it a test is skipped, in CI it fails."""
    return load("httpx")


@pytest.fixture(scope="session")
def bind() -> Iterator[Bind]:
    """Compile one tool, once: its `http`, and the schemas of its parameters. All of them are required, unless
    `required` names some."""
    made: dict[str, Binding] = {}
    with ExitStack() as stack:

        def make(http: dict[str, Any], required: list[str] | None = None, **properties: Any) -> Binding:
            more = {key: properties.pop(key) for key in ("result",) if key in properties}
            additional = properties.pop("additional", False)
            parameters = {
                "type": "object",
                "required": sorted(properties) if required is None else required,
                "properties": properties,
                "additionalProperties": additional,
            }
            tool = spec(parameters, http=http, **more)
            key = json.dumps(tool)
            if key not in made:
                made[key] = stack.enter_context(package({"tool.json": tool}))["tool"]
            return made[key]

        yield make
