"""Selections, definitions in every form, closing; many threads and tasks at once."""

# ruff: noqa: ARG001, ARG002, ARG003 - a handler's signature is fixed, whatever it uses

import asyncio
import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from toolcast.runtime import (
    FrozenRegistryError,
    Guesses,
    ToolBinding,
    ToolRegistry,
    UnknownToolError,
)

from tests.runtime.helpers import GOOD
from tests.runtime.sample.files.edit import EDIT

Binding = ToolBinding[Any, Any]


def answer(params: Any, context: Any) -> str:
    return "done"


def like(name: str, group: str = "files", permission: str = "write") -> Binding:
    return msgspec.structs.replace(EDIT, name=name, group=group, permission=permission)


def registry_of(*bindings: Binding) -> ToolRegistry:
    registry = ToolRegistry(check_results=False)
    for binding in bindings:
        registry.register(binding, answer)
    return registry


FIVE = (
    like("a", "files", "read"),
    like("b", "files", "write"),
    like("c", "files/deep", "read"),
    like("d", "filesystem", "execute"),
    like("e", "", "network"),
)


@pytest.mark.parametrize(
    ("chosen", "names"),
    [
        ({}, "abcde"),
        ({"groups": "files"}, "abc"),
        ({"groups": ["files/deep", "filesystem"]}, "cd"),
        ({"groups": ""}, "e"),
        ({"groups": []}, ""),
        ({"names": "b"}, "b"),
        ({"names": ["d", "a", "gone"]}, "ad"),
        ({"permission": "read"}, "ac"),
        ({"permission": {"read", "network"}}, "ace"),
        ({"permission": "read", "groups": "files", "names": ["b", "c"]}, "c"),
    ],
)
def test_a_selection_has_what_fits_all(chosen: dict[str, Any], names: str) -> None:
    view = registry_of(*FIVE).select(**chosen)
    assert "".join(view.names) == names
    assert len(view) == len(names)
    assert list(view) == list(names)
    for name in "abcde":
        assert (name in view) == (name in names)
        assert asyncio.run(view.execute(name, GOOD)).success == (name in names)
        if name not in names:
            with pytest.raises(UnknownToolError):
                view.get(name)


def test_a_selection_refuses_what_is_no_permission() -> None:
    with pytest.raises(ValueError, match="no permission 'admin'"):
        ToolRegistry().select(permission=["read", "admin"])  # type: ignore[list-item]


def test_a_selection_follows_registrations_and_can_be_reduced() -> None:
    registry = registry_of(FIVE[0])
    view = registry.select(groups="files")
    narrow = view.select(permission="write")
    assert (view.names, narrow.names) == (("a",), ())
    registry.register(FIVE[1], answer)
    assert (view.names, narrow.names) == (("a", "b"), ("b",))


def renamed_definitions(binding: Binding) -> Binding:
    binding._lazy.definitions["anthropic", "full"] = msgspec.json.encode({"name": binding.name})
    return binding


def test_definitions_of_every_form_agree() -> None:
    registry = registry_of(*map(renamed_definitions, FIVE))
    for view in (registry, registry.select(groups="files")):
        ready = view.definitions("anthropic")
        objects = view.definition_objects("anthropic")
        assert [tool["name"] for tool in objects] == list(view.names)
        assert json.loads(ready) == objects
        objects[0]["name"] = "changed"
        objects.clear()
        assert [tool["name"] for tool in view.definition_objects("anthropic")] == list(view.names)
    assert ToolRegistry().definition_objects("anthropic") == []


class Resource:
    """A handler that holds something; `log` gets what happens."""

    def __init__(self, name: str, log: list[str], problem: BaseException | None = None) -> None:
        self.name, self.log, self.problem = name, log, problem

    def __call__(self, params: Any, context: Any) -> str:
        return self.name

    def close(self) -> None:
        self.log.append(self.name)
        if self.problem is not None:
            raise self.problem


class AsyncResource(Resource):
    async def aclose(self) -> None:
        await asyncio.sleep(0)
        Resource.close(self)

    def close(self) -> None:
        raise AssertionError("aclose comes first")


def test_handlers_are_released_once_and_backwards() -> None:
    log: list[str] = []
    registry = ToolRegistry()
    shared = AsyncResource("shared", log)
    handlers: list[Callable[..., Any]] = [shared, Resource("2", log), answer, shared, AsyncResource("5", log)]
    for binding, handler in zip(FIVE, handlers, strict=True):
        registry.register(binding, handler)
    registry.register(FIVE[0], Resource("refused", log))
    asyncio.run(registry.aclose())
    assert log == ["5", "shared", "2"]
    asyncio.run(registry.aclose())
    assert len(log) == 3
    with pytest.raises(FrozenRegistryError, match="aclose"):
        registry.register(like("f"), answer)
    for view in (registry, registry.select()):
        result = asyncio.run(view.execute("a", GOOD))
        assert not result.success
        assert "closing" in result.error


class Group:
    """Handlers of several tools, which share what one `close` releases."""

    def __init__(self, log: list[str]) -> None:
        self.log = log

    def edit(self, params: Any, context: Any) -> str:
        return "done"

    async def other(self, params: Any, context: Any) -> str:
        return "done"

    @classmethod
    def third(cls, params: Any, context: Any) -> str:
        return "done"

    def close(self) -> None:
        self.log.append("group")


def test_the_object_behind_bound_methods_is_released_once() -> None:
    log: list[str] = []
    group, registry = Group(log), ToolRegistry()

    class Marked:
        """Its method says itself how it is released."""

        def run(self, params: Any, context: Any) -> str:
            return "done"

        run.close = lambda: log.append("its own")  # type: ignore[attr-defined]

        def close(self) -> None:
            raise AssertionError("the method's comes first")

    for binding, handler in zip(
        FIVE, [group.edit, Resource("2", log), group.other, Group.third, Marked().run], strict=True
    ):
        registry.register(binding, handler)
    asyncio.run(registry.aclose())
    assert log == ["its own", "group", "2"]


def test_a_method_in_a_function_releases_nothing() -> None:
    log: list[str] = []
    group, registry = Group(log), ToolRegistry()
    registry.register(FIVE[0], lambda params, context: group.edit(params, context))
    asyncio.run(registry.aclose())
    assert log == []


def test_every_failure_to_release_is_reported_and_the_rest_released(
    caplog: pytest.LogCaptureFixture,
) -> None:
    log: list[str] = []
    registry = ToolRegistry()
    problems = [None, ValueError("v"), SystemExit(3), None, OSError("o")]
    for binding, problem in zip(FIVE, problems, strict=True):
        registry.register(binding, Resource(binding.name, log, problem))

    async def leave() -> None:
        async with registry:
            pass

    with pytest.raises(ExceptionGroup) as caught:
        asyncio.run(leave())
    assert log == ["e", "d", "c", "b", "a"]
    assert [type(one) for one in caught.value.exceptions] == [OSError, RuntimeError, ValueError]
    assert ["'e'" in one.__notes__[0] for one in caught.value.exceptions] == [True, False, False]
    assert len(caplog.records) == 3


def test_a_cancelled_aclose_releases_the_rest() -> None:
    log: list[str] = []
    registry = ToolRegistry()

    class Slow(Resource):
        async def aclose(self) -> None:
            log.append("slow")
            await asyncio.sleep(60)

    registry.register(FIVE[0], Resource("last", log))
    registry.register(FIVE[1], Slow("slow", log))

    async def cancel() -> None:
        task = asyncio.create_task(registry.aclose())
        while not log:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    assert log == ["slow", "last"]


def test_two_closers_release_once() -> None:
    log: list[str] = []
    registry = ToolRegistry()
    for binding in FIVE:
        registry.register(binding, AsyncResource(binding.name, log))

    async def both() -> None:
        await asyncio.gather(*[registry.aclose() for _ in range(10)])

    asyncio.run(both())
    assert log == ["e", "d", "c", "b", "a"]


def test_a_registry_says_what_it_guesses_at() -> None:
    guesses = Guesses(("number",))
    registry = ToolRegistry(guesses=guesses)
    assert registry.guesses is registry.select(names="edit").guesses is guesses
    assert ToolRegistry().guesses is None
