"""What handlers return, held to what a message can carry and to the contracts of results."""

# ruff: noqa: ARG001, ARG005 - a handler's signature is fixed, whatever it uses

import asyncio
import json
import logging
import os
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.agents.dispatch import Call, render
from toolcast.agents.dispatch.wire_formats import FORMATS
from toolcast.runtime import Content, RefusalError, ToolBinding, ToolContext, ToolRegistry, ToolResult

from generated.files.glob import GLOB, GlobResult
from tests.runtime.helpers import GOOD
from tests.runtime.sample.files.edit import EDIT, EditResult

LONE = "caf\udce9.txt"
SEEN = "caf\ufffd.txt"


def execute(
    returned: Any,
    context: ToolContext | None = None,
    check_results: bool | None = False,
    **options: Any,
) -> ToolResult:
    registry = ToolRegistry(check_results=check_results, **options)

    def handler(params: Any, context: Any) -> Any:
        if isinstance(returned, BaseException):
            raise returned
        return returned

    registry.register(EDIT, handler)
    return asyncio.run(registry.execute("edit", GOOD, context=context))


class Named(msgspec.Struct):
    name: str
    more: dict[str, Any] = {}


RETURNED = {
    "text": LONE,
    "list": [LONE, {"a": LONE}],
    "key": {LONE: 1},
    "struct": Named(LONE, {"deep": [LONE]}),
    "output": ToolResult.ok(LONE),
    "data": ToolResult.ok("fine", {"names": [LONE]}),
    "struct in data": ToolResult.ok("fine", Named(LONE)),
    "content": ToolResult.ok("fine", content=(Content.of(LONE), Content.file(b"x", "text/plain", LONE))),
    "error": ToolResult.failed(LONE),
    "refusal": RefusalError(LONE),
    "bug": ValueError(LONE),
}
OPTIONS: list[dict[str, Any]] = [{}, {"timeout": 5, "secrets": lambda name: None, "output_limit": 1000}]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("kind", RETURNED)
def test_every_result_can_be_sent(
    kind: str, options: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    """As JSON in UTF-8, in each format; and the loss is logged."""
    with caplog.at_level(logging.WARNING, "toolcast.runtime"):
        result = execute(RETURNED[kind], **options)
    call = Call(id="call_1", name="edit", arguments={}, index=0)
    for format in FORMATS:
        for message in render([call], [result], format):
            assert json.dumps(message, ensure_ascii=False, default=repr).encode()
            assert msgspec.json.encode(message)
    assert "internal error Unicode" not in result.error
    if kind != "bug":
        assert SEEN in f"{result.output}{result.error}{result.data}{result.content}"
        events = [getattr(record, "event", None) for record in caplog.records]
        assert events == ["replaced_text"]


def test_what_can_be_sent_is_not_touched() -> None:
    for returned in (
        ToolResult.ok("é漢😀", {"a": "é"}),
        ToolResult.ok("a", data=object()),
        ToolResult.failed("é"),
    ):
        assert execute(returned) is returned


@given(st.text(st.characters() | st.characters(categories=["Cs"]), max_size=20))
def test_only_what_is_lost_changes(text: str) -> None:
    result = execute(ToolResult.ok(text, {"t": text}))
    result.output.encode()
    assert result.data == {"t": result.output}
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert result.output == whole


def test_names_of_files_that_are_no_utf8(tmp_path: Path) -> None:
    try:
        (tmp_path / os.fsdecode(b"caf\xe9.txt")).write_text("x")
    except OSError:
        pytest.skip("this file system takes no such name")
    result = execute({"names": os.listdir(tmp_path)})  # noqa: PTH208 - what handlers write
    assert result.output == f'{{"names":["{SEEN}"]}}'


def test_progress_can_be_sent() -> None:
    heard: list[str] = []
    registry = ToolRegistry(check_results=False)

    def handler(params: Any, context: ToolContext) -> str:
        context.progress(1, 2, LONE)
        return "done"

    registry.register(EDIT, handler)
    context = ToolContext(report=lambda done, total, message: heard.append(message))
    assert asyncio.run(registry.execute("edit", GOOD, context=context)).success
    assert heard == [SEEN]


def test_errors_about_arguments_can_be_sent() -> None:
    registry = ToolRegistry()
    registry.register(EDIT, lambda params, context: "done")
    for name, arguments in (("edit", {LONE: 1}), ("edit", {**GOOD, "line": LONE}), (LONE, {})):
        result = asyncio.run(registry.execute(name, arguments))
        assert not result.success
        result.error.encode()


@pytest.mark.parametrize("output", [{"days": []}, 5, None, b"x", ["a"]])
def test_output_that_is_no_text_is_refused_where_it_is_made(output: Any) -> None:
    for make in (ToolResult.ok, ToolResult.failed, lambda given: ToolResult(True, given)):
        with pytest.raises(TypeError, match="must be text"):
            make(output)


# --- contracts of results

FITS = [
    EditResult(replaced=1),
    {"replaced": 1},
    {"replaced": 2.0, "note": None},
    ToolResult.ok("words", EditResult(replaced=1)),
    ToolResult.ok("words", {"replaced": 1}),
    ToolResult.failed("it was not there"),
]
DOES_NOT = [
    (5, "must be an object"),
    (None, "has none of the data"),
    ("three", "has none of the data"),
    (ToolResult.ok("three"), "has none of the data"),
    ({"replaced": "1"}, "$.replaced"),
    ({"days": []}, "`replaced`"),
    (ToolResult.ok("words", {"replaced": 1, "note": 5}), "$.note"),
    (ToolResult.ok("words", object()), "has no JSON form"),
    (EditResult(replaced="many"), "$.replaced"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("returned", FITS)
def test_a_result_that_fits_its_contract_passes(returned: Any, options: dict[str, Any]) -> None:
    assert execute(returned, check_results=True, **options) == execute(returned, **options)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize(("returned", "words"), DOES_NOT)
def test_a_result_that_does_not_is_a_fault_of_the_tool(
    returned: Any, words: str, options: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    result = execute(returned, check_results=True, context=ToolContext(call_id="c"), **options)
    assert not result.success
    assert words in result.error
    assert "This is a fault of the tool, not of the arguments" in result.error
    (record,) = caplog.records
    assert (record.event, record.tool, record.call_id) == ("result_mismatch", "edit", "c")  # type: ignore[attr-defined]
    assert "ToolResult.ok(text, data)" in record.message  # what the author of the handler can do about it
    assert "ToolResult" not in result.error


@pytest.mark.parametrize("returned", ["three", ToolResult.ok("three"), None, ToolResult.ok()])
def test_text_in_the_place_of_data_is_a_fault_unless_it_is_allowed(returned: Any) -> None:
    """By default the data must be there; whether it fits is for a type checker to say."""
    result = execute(returned, check_results=None)
    assert not result.success
    assert "has none of the data that its contract promises" in result.error
    assert result.output == ("three" if returned in ("three", ToolResult.ok("three")) else "")
    assert execute(returned, check_results=True) == result
    assert execute(returned, check_results=False).success
    assert execute({"replaced": "1"}, check_results=None).success
    assert execute(ToolResult.failed("no"), check_results=None) == ToolResult.failed("no")


@pytest.fixture
def either(tmp_path: Path) -> Iterator[ToolBinding[Any, Any]]:
    """A tool whose result may be text."""
    result = {"anyOf": [{"type": "string", "maxLength": 5}, {"type": "object", "required": ["days"]}]}
    (tmp_path / "either.json").write_text(json.dumps({"parameters": {"type": "object"}, "result": result}))
    module = types.ModuleType("either_probe")
    module.__file__ = str(tmp_path / "either.py")
    sys.modules[module.__name__] = module
    yield ToolBinding(
        module=module.__name__, name="either", group="", params=dict[str, Any], permission="read", secrets=(),
        summary="", description="", contract="either.json", schemas="schemas", result=str | dict[str, Any],
    )  # fmt: skip
    del sys.modules[module.__name__]


@pytest.mark.parametrize("check", [None, True, False])
def test_text_is_data_where_the_contract_accepts_it(
    either: ToolBinding[Any, Any], check: bool | None
) -> None:
    def answer(returned: Any) -> ToolResult:
        registry = ToolRegistry(check_results=check)
        registry.register(either, lambda params, context: returned)
        return asyncio.run(registry.execute("either", {}))

    short = answer("rain")
    assert short == ToolResult.ok("rain", "rain")
    [message] = render([Call(id="", name="either", arguments={}, index=0)], [short], "mcp")
    assert message["structuredContent"] == "rain"
    assert answer({"days": []}).success
    assert answer("too long for it").success is (check is False)


def test_it_is_checked_when_the_registry_is_asked_to_and_in_its_selections() -> None:
    registry = ToolRegistry()
    registry.register(GLOB, lambda params, context: {"paths": 5})  # type: ignore[arg-type, return-value]
    selection = registry.select(names="glob")
    assert not registry.check_results
    assert asyncio.run(selection.execute("glob", {"pattern": "*"})).success
    registry.freeze()
    registry.check_results = True
    assert "$.paths" in asyncio.run(selection.execute("glob", {"pattern": "*"})).error


def test_no_secret_is_in_the_words_about_a_result() -> None:
    """The value is judged as the handler returned it, and the words are redacted."""
    from toolcast.runtime.middleware.secrets import Secrets

    secrets = Secrets(lambda name: None)
    secrets.hide("PIN", "hunter2222")
    secrets.hide("NUMBER", "42424242")
    fits = execute({"replaced": 42424242}, secrets=secrets, check_results=True)
    assert fits.success
    assert "42424242" not in fits.output
    wrong = execute(
        {"replaced": 1, "note": ["hunter2222"], "hunter2222": 1}, secrets=secrets, check_results=True
    )
    assert not wrong.success
    assert "hunter2222" not in f"{wrong}"


def test_a_tool_without_a_result_may_return_anything() -> None:
    from tests.runtime.sample.misc.note import NOTE

    registry = ToolRegistry(check_results=True)
    registry.register(NOTE, lambda params, context: {"any": 1})
    assert asyncio.run(registry.execute("note", {"a": 1})).success


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_over_mcp_it_is_the_same(mode: str) -> None:
    mcp = pytest.importorskip("mcp")
    from toolcast.mcp import mcp_server

    def call(returned: Any, check: bool | None) -> Any:
        registry = ToolRegistry(check_results=check)
        registry.register(GLOB, lambda params, context: returned)
        alone = asyncio.run(registry.execute("glob", {"pattern": "*"}))

        async def use() -> Any:
            async with mcp.Client(mcp_server(registry), mode=mode) as client:
                return await client.call_tool("glob", {"pattern": "*"})

        return alone, asyncio.run(asyncio.wait_for(use(), 60))

    for text in ("three files", ToolResult.ok("three files"), None):  # in the place of data
        alone, served = call(text, None)
        assert not alone.success
        assert served.is_error
        assert served.structured_content is None
        assert served.content[0].text.startswith(alone.error)
        assert ("three files" in served.content[0].text) is (text is not None)
    alone, served = call(ToolResult.ok("three files", GlobResult(paths=["/a"], total=1)), None)
    assert alone.success
    assert (served.content[0].text, served.structured_content) == (
        "three files",
        {"paths": ["/a"], "total": 1},
    )
    for check in (True, False):
        alone, served = call(GlobResult(paths=["/a"], total=1), check)
        assert alone.success
        assert served.structured_content == {"paths": ["/a"], "total": 1}
        for wrong in ({"paths": 5, "total": 1}, 5, None):
            alone, served = call(wrong, check)
            assert alone.success is not check
            assert served.is_error
            assert "ran, and its result" in served.content[0].text
            assert not check or served.content[0].text.startswith(alone.error)


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_a_session_of_mcp_goes_on(mode: str) -> None:
    """After names that are no UTF-8, and after whatever a handler raises."""
    mcp = pytest.importorskip("mcp")
    from toolcast.mcp import mcp_server

    outcomes: list[Any] = [
        {"paths": [LONE], "total": 1},
        LONE,
        ToolResult.ok(LONE, {"paths": [LONE], "total": 1}),
        asyncio.CancelledError(),
        KeyboardInterrupt(),
        SystemExit(),
        BaseException(),
    ]

    async def later(params: Any, context: ToolContext) -> Any:
        context.progress(1, 2, LONE)
        outcome = outcomes[int(params.pattern)]
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    def plain(params: Any, context: ToolContext) -> Any:
        outcome = outcomes[int(params.pattern)]
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    async def use(registry: ToolRegistry) -> list[bool]:
        async with mcp.Client(mcp_server(registry), mode=mode) as client:
            results = []
            for number in range(len(outcomes)):
                results.append(
                    await client.call_tool("glob", {"pattern": str(number)}, progress_callback=progressed)
                )
            return [bool(result.is_error) for result in results]

    async def progressed(*_: Any) -> None:
        pass

    for handler in (later, plain):
        registry = ToolRegistry()
        registry.register(GLOB, handler)
        errors = asyncio.run(asyncio.wait_for(use(registry), 60))
        assert errors == [False, True, False, True, True, True, True]
