"""Log records: fields for machines, nothing that acts on a terminal, and no secret."""

# ruff: noqa: ARG001, ARG002, ARG005 - a handler's signature is fixed, whatever it uses

import asyncio
import io
import logging
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.runtime import Framework, ToolContext, ToolRegistry, ToolResult, abandoned, log_records
from toolcast.runtime.middleware.logs import FIELDS, LOGGER, CallLog
from toolcast.runtime.middleware.policy import Policy
from toolcast.runtime.middleware.secrets import Secrets
from toolcast.runtime.support import LazyBindings
from toolcast.runtime.unicode_text import escape_control

from tests.runtime.helpers import GOOD, wait_for
from tests.runtime.sample.files.edit import EDIT

VALUE = "hunter2-hunter2"
ESCAPES = "\x1b[2J\x9b31m\r\u202eevil\x00\x07"


class Lines(logging.Handler):
    """Everything that is logged: the records, their texts, and their attributes that are set."""

    def __init__(self, form: str | None = None) -> None:
        super().__init__()
        self.formatter = logging.Formatter(form)
        self.records: list[logging.LogRecord] = []
        self.text: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)
        self.text.append(self.format(record))

    @property
    def lines(self) -> list[Any]:
        return [
            {"level": each.levelname, "message": each.getMessage(), "exception": each.exc_text}
            | {name: value for name in FIELDS if (value := getattr(each, name)) is not None}
            for each in self.records
        ]


@pytest.fixture
def lines() -> Iterator[Lines]:
    handler = Lines()
    logger = logging.getLogger(LOGGER)
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    yield handler
    logger.removeHandler(handler)
    logger.setLevel(before)


def run(handler: Any, arguments: Any = None, **options: Any) -> ToolResult:
    registry = ToolRegistry(check_results=False, **options)
    registry.register(EDIT, handler)
    given_context = ToolContext(call_id="call_7")
    return asyncio.run(registry.execute("edit", arguments or GOOD, context=given_context))


def crash(params: Any, context: Any) -> str:
    raise KeyError("inside")


@pytest.mark.parametrize("options", [{}, {"timeout": 9}, {"secrets": lambda name: None}])
def test_a_bug_has_its_call_and_its_number(options: Any, lines: Lines) -> None:
    result = run(crash, **options)
    (line,) = lines.lines
    assert (line["event"], line["tool"], line["call_id"], line["error_type"], line["level"]) == (
        "failed",
        "edit",
        "call_7",
        "KeyError",
        "ERROR",
    )
    assert line["error_id"] in result.error
    assert "KeyError: 'inside'" in line["exception"]
    assert line["seconds"] >= 0
    # A traceback's frames hold variables, and those may be secrets.
    assert (lines.records[0].exc_info is None) == ("secrets" in options)
    assert lines.records[0].filename != "log_records.py"


def test_every_record_has_every_field(lines: Lines) -> None:
    """So that `%(call_id)s` may stand in any format."""

    class Broken:
        def on(self, event: Any) -> None:
            raise ZeroDivisionError

        def around(self, binding: Any, context: Any) -> Any:
            raise ZeroDivisionError

    class Unclosable:
        def __call__(self, params: Any, context: Any) -> str:
            return "ok"

        def close(self) -> None:
            raise OSError("busy")

    ended = threading.Event()

    def slow(params: Any, context: Any) -> str:
        while not abandoned():
            ended.wait(0.002)
        ended.set()
        return "late"

    run(slow, timeout=0.02, hooks=[Broken(), CallLog()])

    async def release() -> None:
        registry = ToolRegistry()
        registry.register(EDIT, Unclosable())
        registry.register(EDIT, crash)
        with pytest.raises(ExceptionGroup):
            await registry.aclose()

    asyncio.run(release())
    # The thread of `slow` logs after it has ended.
    wait_for(lambda: "ran_on" in [line["event"] for line in lines.lines])
    assert {line["event"] for line in lines.lines} == {
        "hook_failed", "runs_on", "ran_on", "execute_start", "call", "duplicate", "release_failed",
    }  # fmt: skip
    for record in lines.records:
        assert all(hasattr(record, name) for name in FIELDS)
        assert record.event  # type: ignore[attr-defined]
    for line in lines.lines:
        assert line["tool"] == "edit"
        if line["event"] in ("hook_failed", "runs_on", "ran_on", "execute_start", "call"):
            assert line["call_id"] == "call_7"
        if line["event"] in ("runs_on", "ran_on", "call"):
            assert line["seconds"] > 0


@pytest.mark.parametrize(
    ("handler", "arguments", "options", "level", "error"),
    [
        (lambda params, context: "ok", GOOD, {}, "INFO", None),
        (lambda params, context: "ok", {"x": 1}, {}, "WARNING", "invalid_arguments"),
        (lambda params, context: ToolResult.failed("no"), GOOD, {}, "WARNING", "tool_error"),
        (lambda params, context: "ok", GOOD, {"policy": Policy("read_only")}, "WARNING", "denied"),
    ],
)
def test_a_record_for_the_end_of_each_call_and_for_the_start_of_its_handler(
    handler: Any, arguments: Any, options: Any, level: str, error: Any, lines: Lines
) -> None:
    run(handler, arguments, hooks=CallLog(), **options)
    *starts, line = lines.lines
    assert len(starts) == (error in (None, "tool_error"))
    for start in starts:
        known = {key: start[key] for key in ("event", "level", "tool", "call_id", "message")}
        assert known == {
            "event": "execute_start",
            "level": "INFO",
            "tool": "edit",
            "call_id": "call_7",
            "message": "Tool 'edit': started",
        }
        assert "seconds" not in start
    assert (line["event"], line["tool"], line["call_id"]) == ("call", "edit", "call_7")
    assert (line["level"], line.get("error_type")) == (level, error)
    assert 0 < line["seconds"] < 9


def test_calls_that_no_tool_takes(lines: Lines) -> None:
    async def call() -> None:
        registry = ToolRegistry(hooks=CallLog())
        registry.register(EDIT, crash)
        await registry.execute("gone", {})
        await registry.aclose()
        await registry.execute("edit", {})

    asyncio.run(call())
    assert [line["error_type"] for line in lines.lines] == ["unknown_tool", "closing"]


def test_one_module_writes_all_records() -> None:
    """So that none lacks its fields."""
    files = Path(log_records.__file__).parent.rglob("*.py")
    assert [file.name for file in files if "getLogger" in file.read_text("utf-8")] == ["log_records.py"]


def test_the_call_and_its_bug_share_a_number(lines: Lines) -> None:
    run(crash, hooks=CallLog())
    _, bug, call = lines.lines
    assert bug["error_id"] == call["error_id"]


# --- nothing acts on a terminal


def hostile(params: Any, context: Any) -> str:
    raise ValueError(params.old_string)


@pytest.mark.parametrize("options", [{}, {"timeout": 9}, {"secrets": lambda name: None}])
def test_a_models_words_in_a_traceback_are_inert(options: Any, lines: Lines) -> None:
    stream = io.StringIO()
    plain = logging.StreamHandler(stream)
    logger = logging.getLogger(LOGGER)
    logger.addHandler(plain)
    try:
        run(hostile, {**GOOD, "old_string": ESCAPES}, **options)
    finally:
        logger.removeHandler(plain)
    assert "evil" in stream.getvalue()
    assert all(letter.isprintable() or letter == "\n" for letter in stream.getvalue())
    assert stream.getvalue().isascii()


def test_a_name_that_a_model_made_up_is_inert(lines: Lines) -> None:
    registry = ToolRegistry(hooks=CallLog())
    context = ToolContext(call_id=ESCAPES)
    asyncio.run(registry.execute(f"gone{ESCAPES}", {}, context=context))
    assert lines.records[0].getMessage().isprintable()
    assert lines.lines[0]["call_id"] == ESCAPES


@given(st.text())
def test_what_is_escaped_is_one_printable_line(text: str) -> None:
    assert escape_control(text).isprintable()
    assert escape_control(text, keep="\n").replace("\n", "").isprintable()


# --- no secret


def test_no_secret_reaches_a_record() -> None:
    secrets = Secrets(lambda name: None)
    secrets.hide("A", VALUE)
    handler = Lines("%(message)s %(call_id)s %(tool)s %(error_type)s")
    logger = logging.getLogger(LOGGER)
    logger.addHandler(handler)
    level = logger.level
    logger.setLevel(logging.INFO)

    async def leak(params: Any, context: Any) -> str:
        raise ValueError(f"{VALUE} {VALUE.encode().hex()}")

    def slow(params: Any, context: Any) -> str:
        while not abandoned():
            time.sleep(0.002)
        return VALUE

    try:
        run_on = ToolRegistry(secrets=secrets, timeout=0.01)
        run_on.register(EDIT, slow)
        asyncio.run(run_on.execute("edit", GOOD, context=ToolContext(call_id=VALUE)))
        wait_for(lambda: len(handler.records) >= 2)  # that the thread runs on, and that it ended
        registry = ToolRegistry(secrets=secrets, hooks=CallLog())
        registry.register(EDIT, leak)
        context = ToolContext(call_id=f"id {VALUE}")
        asyncio.run(registry.execute("edit", {**GOOD, "old_string": VALUE}, context=context))
        for name in (f"gone {VALUE}", "x" * (64 - len(VALUE) // 2) + VALUE):  # the second is cut within it
            result = asyncio.run(registry.execute(name, {}, context=context))
            assert VALUE[:5] not in result.error
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
    assert len(handler.records) == 7
    for record, text in zip(handler.records, handler.text, strict=True):
        whole = f"{text} {vars(record)}"
        assert VALUE[:5] not in whole
        assert VALUE.encode().hex() not in whole


def test_a_tool_that_cannot_be_loaded_is_no_unknown_one(lines: Lines) -> None:
    registry = ToolRegistry(hooks=CallLog())
    registry.register_later(LazyBindings("tests.runtime.sample", {"gone": ".gone:GONE"}), "gone", crash)
    asyncio.run(registry.execute("gone", {}))
    assert [(line["event"], line["error_type"]) for line in lines.lines] == [
        ("failed", "ModuleNotFoundError"),
        ("call", "not_loaded"),
    ]


def test_a_deferred_call_is_logged_as_such(lines: Lines) -> None:
    class PutOffError(Exception):
        pass

    def put_off(params: Any, context: Any) -> str:
        raise PutOffError

    registry = ToolRegistry(hooks=CallLog())
    registry.register(EDIT, put_off)
    context = ToolContext(framework=Framework(passes=(PutOffError,)))
    with pytest.raises(PutOffError):
        asyncio.run(registry.execute("edit", GOOD, context=context))
    start, line = lines.lines
    assert (start["event"], line["event"]) == ("execute_start", "call")
    assert line["level"] == "INFO"
    assert "'edit': deferred after" in line["message"]
    assert "error_type" not in line
