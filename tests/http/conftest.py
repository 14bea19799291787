"""Tools compiled from a spec with `http`, and httpx, or a reason to skip."""

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


@pytest.fixture
def bind() -> Iterator[Bind]:
    """Compile one tool: its `http`, and the schemas of its parameters. All of them are required, unless
    `required` names some."""
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
            tools = {"tool.json": spec(parameters, http=http, **more)}
            return stack.enter_context(package(tools))["tool"]

        yield make
