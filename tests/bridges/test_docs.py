"""The examples of docs/reference/bridges.md, against a loopback server where they ask a model."""

import asyncio
import inspect
import json
import re
from ast import PyCF_ALLOW_TOP_LEVEL_AWAIT
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from toolcast.runtime import ToolRegistry

from tests.agents.dispatch.answers import ANSWERS, TEXT, Asked, id_for
from tests.agents.dispatch.test_clients import serving
from tests.bridges.conftest import EDITED, Handlers

DOC = Path(__file__).resolve().parents[2] / "docs" / "reference" / "bridges.md"
FORMATS = {"pydantic-ai": "openai", "OpenAI Agents SDK": "openai-responses"}
MODULES = {
    "pydantic-ai": "pydantic_ai.models.openai",
    "OpenAI Agents SDK": "agents",
    "LangChain": "langchain_core.tools",
    "FastMCP": "fastmcp",
}


def example(title: str) -> str:
    section = DOC.read_text("utf-8").split(f"\n## {title}\n")[1].split("\n## ")[0]
    (block,) = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    return str(block)


def run(code: str, names: dict[str, Any]) -> None:
    result = eval(compile(code, str(DOC), "exec", flags=PyCF_ALLOW_TOP_LEVEL_AWAIT), names)
    if inspect.isawaitable(result):

        async def main() -> None:
            await result

        asyncio.run(main())


@pytest.mark.parametrize("title", MODULES)
def test_the_example_runs(
    title: str,
    framework: Callable[[str], Any],
    registry: ToolRegistry,
    handlers: Handlers,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    framework(MODULES[title])
    names: dict[str, Any] = {"registry": registry.select(names=["edit", "glob"])}
    format = FORMATS.get(title)
    if format is None:
        run(example(title), names)
        text = str(names.get("message") or names.get("result"))
    else:
        call = Asked(id_for(format, 0), "edit", json.dumps(EDITED))
        first, second = (json.dumps(ANSWERS[format](calls)).encode() for calls in ([call], []))
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        monkeypatch.setenv("OPENAI_AGENTS_DISABLE_TRACING", "1")
        with serving(second, "application/json") as served:
            served.later = [first]
            monkeypatch.setenv("OPENAI_BASE_URL", served.url)
            run(example(title), names)
        assert TEXT in names["answer"]
        assert len(served.requests[0]["tools"]) == 2
        text = json.dumps(served.requests[1])
    assert "edited /a" in text
    assert [params.file_path for params in handlers.params] == ["/a"]


def test_a_bridge_without_its_framework_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    from toolcast.bridges.frameworks import FrameworkMissingError, load

    with pytest.raises(FrameworkMissingError, match=r"pip install 'langchain-core>=1\.7'"):
        load("langchain_core_that_is_missing.tools", "langchain-core>=1.7")
    assert issubclass(FrameworkMissingError, ImportError)
    monkeypatch.setitem(__import__("sys").modules, "fastmcp", None)
    with pytest.raises(FrameworkMissingError, match="fastmcp"):
        load("fastmcp", "fastmcp>=4.1")
