"""A spec written in a test, held to the laws."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from toolcast.analysis.verify.tool_laws import Effort, check_laws
from toolcast.analysis.verify.verified_tool import ToolReport
from toolcast.project.core.compiled import Options
from toolcast.spec.read_file import SourceDocument, parse_document
from toolcast.spec.spec_reader import read_tool
from toolcast.spec.tool_spec import ToolSpec

PROVIDERS = ("openai", "openai-responses", "anthropic", "gemini", "mcp")

Hold = Callable[..., ToolReport]


def tool(parameters: Any, **more: Any) -> ToolSpec:
    content = {
        "description": "A tool.",
        "permission": "read",
        "secrets": [],
        "parameters": parameters,
        **more,
    }
    document = parse_document(json.dumps(content, indent=1).encode(), "specs/tool.json", "json")
    assert isinstance(document, SourceDocument), document
    spec, problems, _ = read_tool(document, "tool.json", frozenset(PROVIDERS))
    assert spec is not None, problems
    return spec


@pytest.fixture
def held() -> Hold:
    def call(parameters: Any, providers: tuple[str, ...] = PROVIDERS, **settings: Any) -> ToolReport:
        chosen: dict[str, Any] = {"seed": 1, **settings}
        return check_laws(tool(parameters), {}, Options(providers=providers), Effort(**chosen))

    return call
