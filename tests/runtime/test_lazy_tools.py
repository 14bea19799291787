"""Tools whose modules are imported when they are first needed."""

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from toolcast.agents import Disclosure
from toolcast.agents.dispatch import Dispatcher
from toolcast.agents.text_calls import TextDispatcher
from toolcast.runtime import ToolContext, ToolRegistry, UnknownProviderError

from generated.registry import BINDINGS

PROVIDERS = ("openai", "gemini", "mcp")


async def handler(_params: Any, context: ToolContext) -> str:
    return context.tool


@pytest.fixture(autouse=True)
def unloaded() -> Iterator[None]:
    """No tool's module is imported; afterwards all are as they were."""
    names = [name for name in sys.modules if name.startswith("generated.") and name != "generated.registry"]
    kept = {name: sys.modules.pop(name) for name in names}
    yield
    for name in loaded():
        del sys.modules[name]
    sys.modules.update(kept)


def register(registry: ToolRegistry, *names: str) -> None:
    for name in names:
        registry.register_later(BINDINGS, name, handler)


def loaded() -> list[str]:
    return [
        name
        for name in sys.modules
        if name.startswith("generated.") and name != "generated.registry" and name.count(".") == 2
    ]


def test_registering_and_defining_import_no_tool() -> None:
    registry = ToolRegistry()
    register(registry, "edit", "glob")
    assert registry.names == ("edit", "glob")
    assert len(registry.select(names="edit")) == 1
    texts = {provider: registry.definitions(provider) for provider in PROVIDERS}
    assert not loaded()
    for provider, text in texts.items():
        listed = [BINDINGS[name].definition(provider) for name in ("edit", "glob")]
        assert text == b"[" + b",".join(listed) + b"]"


def test_a_call_imports_its_own_tool() -> None:
    registry = ToolRegistry()
    register(registry, "edit", "glob")
    result = asyncio.run(registry.execute("glob", '{"pattern": "*.py"}'))
    assert result.output == "glob"
    assert loaded() == ["generated.files.glob"]
    assert registry.get("glob") == (BINDINGS["glob"], handler)


def test_what_needs_more_than_names_imports() -> None:
    registry = ToolRegistry()
    register(registry, "edit", "glob")
    assert registry.select(permission="read").names == ("glob",)
    assert registry.definitions("openai", "brief") != registry.definitions("openai")


def test_an_unknown_provider_is_reported_as_ever() -> None:
    registry = ToolRegistry()
    register(registry, "edit")
    with pytest.raises(UnknownProviderError, match=r"edit.*nobody.*Generated: .*openai"):
        registry.definitions("nobody")


def test_a_duplicate_is_refused_without_an_import() -> None:
    registry = ToolRegistry()
    register(registry, "edit")
    assert registry.register_later(BINDINGS, "edit", handler) is False
    (refused,) = registry.refused
    assert (
        refused.refused == refused.kept == "generated.files.edit with tests.runtime.test_lazy_tools.handler"
    )
    assert not loaded()


def test_all_tools_want_a_handler_or_none() -> None:
    from toolcast.runtime.support import LazyBindings

    table = {"a": ".a:A", "get-b": ".b:B", "out": ".c:C"}
    bindings = LazyBindings("some_tools", table, external=("out",), keywords={"get-b": "get_b"})
    registry = ToolRegistry()
    with pytest.raises(TypeError, match=r"neither a handler nor None for get_b$"):
        bindings.register_all(registry.register_later, {"a": handler})
    with pytest.raises(TypeError, match="no tool is called get-b; the tools are a, get_b, out"):
        bindings.register_all(registry.register_later, {"a": handler, "get_b": handler, "get-b": handler})
    with pytest.raises(TypeError, match="'out' takes no handler"):
        bindings.register_all(registry.register_later, {"a": None, "get_b": None, "out": handler})
    assert not registry.names
    bindings.register_all(registry.register_later, {"a": None, "get_b": handler})
    assert registry.names == ("get-b", "out")


def test_other_mappings_and_unknown_names() -> None:
    registry = ToolRegistry()
    assert registry.register_later({"edit": BINDINGS["edit"]}, "edit", handler)
    with pytest.raises(KeyError):
        registry.register_later(BINDINGS, "nothing", handler)
    with pytest.raises(TypeError, match="not callable"):
        registry.register_later(BINDINGS, "glob", "no function")  # type: ignore[arg-type]


@pytest.mark.parametrize("guarded", [False, True])
def test_a_module_that_cannot_be_imported_is_a_failed_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, guarded: bool
) -> None:
    from toolcast.runtime.support import LazyBindings

    (tmp_path / "broken_tools").mkdir()
    (tmp_path / "broken_tools" / "__init__.py").touch()
    (tmp_path / "broken_tools" / "one.py").write_text("raise RuntimeError('planted')\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    registry = ToolRegistry(timeout=5) if guarded else ToolRegistry()
    registry.register_later(LazyBindings("broken_tools", {"one": ".one:ONE"}), "one", handler)
    result = asyncio.run(registry.execute("one", "{}"))
    assert not result.success
    assert "loading its module" in result.error
    assert "planted" not in result.error
    assert "planted" in caplog.text
    for way in (TextDispatcher(registry), TextDispatcher(Disclosure(registry, "text").tools)):
        [failed] = asyncio.run(way.run("<tool_call>one>a value</tool_call>")).results
        assert "loading its module" in failed.error
    function = {"name": "one", "arguments": "{}"}
    calls = [{"id": "1", "type": "function", "function": function}]
    answer = {"choices": [{"finish_reason": "tool_calls", "message": {"tool_calls": calls}}]}
    [message] = asyncio.run(Dispatcher(registry, "openai").run(answer))
    assert "loading its module" in message["content"]
