"""The registry: first registration wins, nothing is silent, bytes are stable."""

# ruff: noqa: ARG001 - a handler's signature is fixed, whatever it uses

import json
import logging
import pickle
import threading
from typing import Any

import msgspec
import pytest
from toolcast.runtime import (
    DuplicateToolError,
    FrozenRegistryError,
    ToolBinding,
    ToolRegistry,
    UnknownProviderError,
    UnknownToolError,
)

Binding = ToolBinding[Any, Any]


def first(params: Any, context: Any) -> str:
    return "first"


def second(params: Any, context: Any) -> str:
    return "second"


def renamed(binding: Binding, name: str) -> Binding:
    return msgspec.structs.replace(binding, name=name)


def test_first_registration_wins(edit: Binding, caplog: pytest.LogCaptureFixture) -> None:
    registry = ToolRegistry()
    assert registry.register(edit, first) is True
    with caplog.at_level(logging.WARNING, "toolcast.runtime"):
        assert registry.register(edit, second) is False
    assert registry.get("edit").handler is first
    (refused,) = registry.refused
    assert refused.name == "edit"
    assert refused.kept.endswith("first")
    assert refused.refused.endswith("second")
    assert refused.kept in caplog.text
    assert refused.refused in caplog.text


def test_duplicates_can_raise(edit: Binding) -> None:
    registry = ToolRegistry(on_duplicate="raise")
    registry.register(edit, first)
    with pytest.raises(DuplicateToolError, match=r"first.*another name"):
        registry.register(edit, second)
    assert registry.get("edit").handler is first
    with pytest.raises(ValueError, match="on_duplicate"):
        ToolRegistry(on_duplicate="ignore")  # type: ignore[arg-type]


def test_frozen_takes_nothing(edit: Binding, note: Binding) -> None:
    registry = ToolRegistry()
    registry.register(edit, first)
    registry.freeze()
    assert registry.frozen
    with pytest.raises(FrozenRegistryError, match="'note'"):
        registry.register(note, first)
    assert registry.names == ("edit",)


def test_a_tool_can_be_replaced_until_the_registry_is_frozen(edit: Binding, note: Binding) -> None:
    registry = ToolRegistry()
    registry.register(edit, first)
    selection = registry.select(permission="read")
    assert selection.names == ()
    before = registry.definitions("anthropic")
    registry.replace(msgspec.structs.replace(edit, permission="read"), second)
    assert registry.get("edit").handler is second
    assert selection.names == ("edit",)
    assert registry.definitions("anthropic") == before
    assert registry.refused == ()
    with pytest.raises(UnknownToolError):
        registry.replace(note, first)
    with pytest.raises(TypeError, match="not callable"):
        registry.replace(edit, "handler")
    registry.freeze()
    with pytest.raises(FrozenRegistryError, match="'edit'"):
        registry.replace(edit, first)


def test_it_is_a_sorted_collection_of_names(edit: Binding, note: Binding, shapes: Binding) -> None:
    registry = ToolRegistry()
    for binding in (shapes, edit, note):
        registry.register(binding, first)
    assert registry.names == tuple(registry) == ("edit", "note", "shapes")
    assert len(registry) == 3
    assert "note" in registry
    assert "gone" not in registry
    assert [] not in registry
    with pytest.raises(UnknownToolError, match="Did you mean edit"):
        registry.get("edits")


def test_definitions_are_sorted_and_the_same_bytes(edit: Binding, note: Binding, shapes: Binding) -> None:
    registry, other = ToolRegistry(), ToolRegistry()
    assert registry.definitions("anthropic") == b"[]"
    for binding in (shapes, edit, note):
        registry.register(binding, first)
    for binding in (note, edit, shapes):
        other.register(binding, first)
    ready = registry.definitions("anthropic")
    assert [tool["name"] for tool in json.loads(ready)] == ["edit", "note", "shapes"]
    assert ready == other.definitions("anthropic")
    assert registry.definitions("anthropic") is ready
    brief = registry.definitions("anthropic", "brief")
    assert len(brief) < len(ready)
    assert json.loads(brief)[0]["description"] == edit.summary


def test_definitions_follow_registrations(edit: Binding, note: Binding) -> None:
    registry = ToolRegistry()
    registry.register(edit, first)
    before = registry.definitions("anthropic")
    registry.register(note, first)
    assert registry.definitions("anthropic") != before
    with pytest.raises(UnknownProviderError):
        registry.definitions("nobody")


def test_threads_register_each_name_once(edit: Binding) -> None:
    """Every thread offers every tool while others read; each name is won exactly once."""
    registry = ToolRegistry()
    names = [f"tool_{number:02}" for number in range(40)]
    bindings = [renamed(edit, name) for name in names]
    wins: list[str] = []
    torn: list[BaseException] = []
    start = threading.Barrier(8)

    def offer(order: int) -> None:
        start.wait()
        for binding in bindings[order:] + bindings[:order]:
            if registry.register(binding, first):
                wins.append(binding.name)

    def read() -> None:
        start.wait()
        try:
            for _ in range(300):
                listed = registry.names
                assert list(listed) == sorted(set(listed))
                assert all(name in registry for name in listed)
        except BaseException as problem:
            torn.append(problem)

    logging.getLogger("toolcast.runtime").disabled = True
    try:
        threads = [threading.Thread(target=offer, args=(order * 7,)) for order in range(6)]
        threads += [threading.Thread(target=read) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    finally:
        logging.getLogger("toolcast.runtime").disabled = False
    assert not torn
    assert sorted(wins) == names == list(registry)
    assert len(registry.refused) == 5 * len(names)


def test_definitions_are_bytes_that_no_client_takes_for_a_list(edit: Binding) -> None:
    registry = ToolRegistry()
    registry.register(edit, first)
    definitions = registry.definitions("openai")
    with pytest.raises(TypeError, match=r"definition_objects\(\)"):
        list(definitions)
    assert isinstance(definitions, bytes)
    assert json.loads(definitions) == registry.definition_objects("openai")
    assert msgspec.json.decode(definitions) == registry.definition_objects("openai")
    assert msgspec.json.encode(msgspec.Raw(definitions)) == definitions
    assert pickle.loads(pickle.dumps(definitions)) == definitions
    assert hash(definitions) == hash(bytes(definitions))
