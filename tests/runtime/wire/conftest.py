"""A tool compiled for a provider whose dialect sends nearly everything in another form."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from toolcast.project.core.compiled import Options
from toolcast.providers import load_profile_file
from toolcast.runtime import ToolBinding

from tests.python.compiled import compile_files, imported, package, spec

Binding = ToolBinding[Any, Any]
ACME = load_profile_file(Path(__file__).with_name("acme.toml"))
OPTIONS = Options(providers=("acme", "mcp"), profiles={"acme": ACME})
PLAIN = {
    "type": "object",
    "required": ["path"],
    "properties": {
        "path": {"type": "string", "minLength": 1},
        "count": {"type": "integer"},
        "dry": {"type": "boolean"},
        "note": {"type": ["string", "null"], "maxLength": 3},
        "tags": {"type": "array", "items": {"type": "integer"}},
        "range": {"type": "object", "properties": {"from": {"type": "number"}}, "required": ["from"]},
        "cursor": {"type": "string"},
    },
    "additionalProperties": False,
}
RICH = {
    "type": "object",
    "required": ["headers", "x-level"],
    "properties": {
        "headers": {"type": "object", "additionalProperties": {"type": "integer"}},
        "x-level": {"enum": [1, 2, True, "auto"]},
        "point": {
            "type": "array",
            "prefixItems": [{"type": "integer"}, {"type": "string"}],
            "items": False,
            "minItems": 1,
        },
        "body": {"description": "Anything."},
    },
    "additionalProperties": False,
}


@pytest.fixture(scope="session")
def files() -> dict[str, bytes]:
    tools = {"rich.json": spec(RICH), "plain.json": spec(PLAIN, empty_is_absent=["cursor", "note"])}
    return compile_files(tools, options=OPTIONS)[0]


@pytest.fixture(scope="session")
def bindings() -> Iterator[dict[str, Binding]]:
    tools = {
        "rich.json": spec(RICH),
        "plain.json": spec(PLAIN, empty_is_absent=["cursor"]),
        "strict.json": spec(PLAIN),
    }
    with package(tools, options=OPTIONS) as found:
        yield found


@pytest.fixture
def rich(bindings: dict[str, Binding]) -> Binding:
    return bindings["rich"]


@pytest.fixture
def plain(bindings: dict[str, Binding]) -> Binding:
    """Its `cursor` is left out where it is empty."""
    return bindings["plain"]


@pytest.fixture
def strict(bindings: dict[str, Binding]) -> Binding:
    """The same tool, without that."""
    return bindings["strict"]


__all__ = ["imported"]
