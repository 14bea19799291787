"""Execution: whatever happens is a ToolResult."""

# ruff: noqa: ARG001, ARG002, ARG005 - a handler's signature is fixed, whatever it uses

import asyncio
import functools
import logging
import threading
from collections.abc import Callable
from functools import partial, wraps
from typing import Any

import pytest
from toolcast.runtime import ToolContext, ToolRegistry, ToolResult, adapt

from tests.runtime.helpers import GOOD
from tests.runtime.sample.files.edit import EDIT, EditParams, EditResult
from tests.runtime.sample.registry import BINDINGS

SECRET = "hunter2, the password"


def execute(handler: Callable[..., Any], arguments: Any = None, **options: Any) -> ToolResult:
    registry = ToolRegistry(check_results=False)
    registry.register(EDIT, handler)
    return asyncio.run(registry.execute("edit", GOOD if arguments is None else arguments, **options))


def echo(params: EditParams, context: ToolContext) -> str:
    return params.file_path


async def echo_async(params: EditParams, context: ToolContext) -> str:
    await asyncio.sleep(0)
    return params.file_path


class Echo:
    def __call__(self, params: EditParams, context: ToolContext) -> str:
        return params.file_path


class EchoAsync:
    async def __call__(self, params: EditParams, context: ToolContext) -> str:
        return params.file_path

    async def method(self, params: EditParams, context: ToolContext) -> str:
        return params.file_path


@pytest.mark.parametrize(
    "handler",
    [
        echo,
        echo_async,
        Echo(),
        EchoAsync(),
        EchoAsync().method,
        functools.partial(echo_async),
        lambda params, context: echo_async(params, context),
    ],
)
def test_every_kind_of_handler(handler: Any) -> None:
    assert execute(handler) == ToolResult.ok("/a")


@pytest.mark.parametrize(
    ("returned", "expected"),
    [
        ("text", ToolResult(True, "text")),
        (None, ToolResult(True)),
        (ToolResult.failed("no such file"), ToolResult(False, error="no such file")),
        (EditResult(replaced=2), ToolResult(True, '{"replaced":2}', EditResult(replaced=2))),
        (
            {"replaced": 1, "note": "n"},
            ToolResult(True, '{"replaced":1,"note":"n"}', {"replaced": 1, "note": "n"}),
        ),
        ([1, "a"], ToolResult(True, '[1,"a"]', [1, "a"])),
        (0, ToolResult(True, "0", 0)),
    ],
)
def test_every_kind_of_return_value(returned: Any, expected: ToolResult) -> None:
    assert execute(lambda params, context: returned) == expected


def test_plain_handlers_leave_the_loop_free() -> None:
    """Two blocking handlers meet at a barrier: they must run in two threads, and neither in the loop's."""
    meeting = threading.Barrier(2, timeout=60)
    loop_thread = threading.get_ident()

    def meet(params: Any, context: Any) -> str:
        meeting.wait()
        return str(threading.get_ident() != loop_thread)

    registry = ToolRegistry()
    registry.register(EDIT, meet)

    async def both() -> list[ToolResult]:
        return list(await asyncio.gather(*[registry.execute("edit", GOOD) for _ in range(2)]))

    assert [result.output for result in asyncio.run(both())] == ["True", "True"]


def test_the_context_is_completed_and_handed_on() -> None:
    seen: list[ToolContext] = []
    execute(lambda params, context: seen.append(context), provider="openai")
    given_context = ToolContext(call_id="c1", provider="mcp", extra={"user": 7})
    execute(lambda params, context: seen.append(context), context=given_context)
    assert seen == [
        ToolContext(tool="edit", provider="openai"),
        ToolContext(tool="edit", call_id="c1", provider="mcp", extra={"user": 7}),
    ]


def test_an_unknown_tool_is_a_result_with_the_nearest_names() -> None:
    registry = ToolRegistry()
    registry.register(EDIT, echo)
    for name, word in [
        ("edi", "Did you mean edit?"),
        ("zzz", "Tools: edit"),
        ("x" * 10**6, "Tools"),
        (None, "Tools"),
    ]:
        result = asyncio.run(registry.execute(name, {}))  # type: ignore[arg-type]
        assert not result.success
        assert word in result.error
        assert len(result.error) < 300
    assert "No tool is registered" in asyncio.run(ToolRegistry().execute("edit", {})).error


def test_missing_arguments_are_all_named_and_come_with_the_full_schema_as_data() -> None:
    result = execute(echo, {"file_path": "", "line": 0})
    assert not result.success
    for word in ("$.file_path", "$.line", "old_string", "new_string"):
        assert word in result.error
    assert result.data.schema == EDIT.schema()


def test_other_violations_come_without_it() -> None:
    result = execute(echo, {**GOOD, "line": 0})
    assert "$.line" in result.error
    assert "full schema" not in result.error


class Precheck:
    def __init__(self, precheck: Any) -> None:
        self.precheck = precheck
        self.called = False

    def __call__(self, params: Any, context: Any) -> str:
        self.called = True
        return "done"


async def refuse_async(params: Any, context: Any) -> str:
    return "not now"


@pytest.mark.parametrize(
    ("precheck", "error"),
    [
        (lambda params, context: f"no {params.file_path}", "no /a"),
        (refuse_async, "not now"),
        (lambda params, context: "", "The call of 'edit' was refused."),
    ],
)
def test_a_precheck_refuses(precheck: Any, error: str) -> None:
    handler = Precheck(precheck)
    assert execute(handler) == ToolResult.failed(error)
    assert not handler.called


def test_a_precheck_lets_pass() -> None:
    assert execute(Precheck(lambda params, context: None)).output == "done"


class Files:
    """An object whose methods are handlers."""

    closed = False

    def edit(self, params: Any, context: Any) -> str:
        return "done"

    async def refuse(self, params: Any, context: Any) -> str | None:
        return None if self.closed else f"no {params.file_path}"

    def close(self) -> None:
        self.closed = True


def plain_handler(params: Any, context: Any) -> str:
    return "done"


def refuse(params: Any, context: Any) -> str:
    return "no /a"


def attributed(*_: Any) -> str:
    return "done"


attributed.precheck = refuse  # type: ignore[attr-defined]


def decorated(handler: Any) -> Any:
    @wraps(handler)
    def wrapper(*arguments: Any) -> Any:
        return handler(*arguments)

    return wrapper


@pytest.mark.parametrize(
    "handler",
    [
        attributed,
        partial(attributed, "bound"),
        partial(partial(attributed, "bound"), "again"),
        partial(Precheck(refuse)),
        Precheck(refuse),
        Precheck(refuse).__call__,
        decorated(attributed),
        decorated(Precheck(refuse)),
        decorated(decorated(partial(Precheck(refuse)))),
        partial(decorated(Precheck(refuse).__call__)),
    ],
)
def test_no_wrapper_drops_a_precheck(handler: Any) -> None:
    """Of a partial, a decorated handler, a bound `__call__`, whichever way the tool is registered."""
    assert execute(handler) == ToolResult.failed("no /a")
    for bindings in (BINDINGS, dict(BINDINGS)):
        registry = ToolRegistry()
        registry.register_later(bindings, "edit", handler)
        for tools in (registry, registry.select(names="edit")):
            assert asyncio.run(tools.execute("edit", GOOD)).error == "no /a"
    registry = ToolRegistry()
    registry.register(EDIT, plain_handler)
    registry.replace(EDIT, handler)
    assert asyncio.run(registry.execute("edit", GOOD)).error == "no /a"


def existing(params: EditParams) -> EditResult:
    return EditResult(replaced=1)


existing.precheck = refuse  # type: ignore[attr-defined]


def test_an_adapted_function_keeps_its_precheck() -> None:
    assert execute(adapt(existing, EDIT)).error == "no /a"


@pytest.mark.parametrize(
    "handler", [plain_handler, Files().edit, partial(plain_handler), decorated(plain_handler)]
)
@pytest.mark.parametrize("precheck", [refuse, refuse_async, Files().refuse, partial(refuse)])
def test_a_precheck_is_registered_beside_any_handler(handler: Any, precheck: Any) -> None:
    calls = []

    def count(params: Any, context: Any) -> Any:
        calls.append(params)
        return handler(params, context)

    error = "not now" if precheck is refuse_async else "no /a"
    for add in (
        lambda registry: registry.register(EDIT, count, precheck=precheck),
        lambda registry: registry.register_later(BINDINGS, "edit", count, precheck=precheck),
        lambda registry: (registry.register(EDIT, count), registry.replace(EDIT, count, precheck=precheck)),
    ):
        registry = ToolRegistry()
        add(registry)
        assert asyncio.run(registry.execute("edit", GOOD)).error == error
    assert calls == []


def test_a_precheck_that_cannot_be_called_or_is_a_second_one_is_refused() -> None:
    registry = ToolRegistry()
    with pytest.raises(TypeError, match="'edit' is not callable: str"):
        registry.register(EDIT, plain_handler, precheck="no")  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="a precheck of its own"):
        registry.register(EDIT, Precheck(refuse), precheck=refuse)
    assert len(registry) == 0


@pytest.mark.parametrize("answer", [True, False, 0, ValueError("x")])
def test_a_precheck_that_answers_anything_else_fails_closed(answer: Any) -> None:
    handler = Precheck(lambda params, context: answer)
    result = execute(handler)
    assert not result.success
    assert "precheck" in result.error
    assert not handler.called


@pytest.mark.parametrize(
    "kind",
    [ValueError, KeyError, StopIteration, StopAsyncIteration, SystemExit, RecursionError, ExceptionGroup],
)
@pytest.mark.parametrize("as_async", [False, True])
def test_a_bug_is_logged_and_shows_only_its_kind(
    kind: type[BaseException], as_async: bool, caplog: pytest.LogCaptureFixture
) -> None:
    problem = kind(SECRET, [ValueError(SECRET)]) if kind is ExceptionGroup else kind(SECRET)

    def fail(params: Any, context: Any) -> Any:
        raise problem

    async def fail_async(params: Any, context: Any) -> Any:
        raise problem

    with caplog.at_level(logging.ERROR, "toolcast.runtime"):
        result = execute(fail_async if as_async else fail)
    assert not result.success
    assert SECRET not in result.error
    assert kind.__name__ in result.error
    (record,) = caplog.records
    assert SECRET in caplog.text
    number = result.error.partition("error id ")[2].partition(")")[0]
    assert len(number) == 12
    assert number in record.getMessage()


def test_a_result_that_is_no_json_is_a_bug(caplog: pytest.LogCaptureFixture) -> None:
    result = execute(lambda params, context: object())
    assert not result.success
    assert "encoding the result" in result.error
    assert caplog.records


def test_a_provider_that_was_not_generated_is_a_result() -> None:
    result = execute(echo, provider="nobody")
    assert not result.success
    assert "UnknownProviderError" in result.error
