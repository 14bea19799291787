"""What stands around a call: order, hooks, timeouts, cancellation, cut results, nothing left behind."""

# ruff: noqa: ARG001, ARG002, ARG005 - a handler's signature is fixed, whatever it uses

import asyncio
import json
import logging
import re
import threading
import time
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from toolcast.runtime import (
    Content,
    RefusalError,
    RetryError,
    ToolContext,
    ToolRegistry,
    ToolResult,
    Workers,
    abandoned,
)
from toolcast.runtime.middleware.events import Event, Finished, TimedOut
from toolcast.runtime.middleware.policy import Policy
from toolcast.runtime.middleware.truncate import cut, cut_result

from tests.runtime.helpers import GOOD, Watch, cancel_a_call, wait_for
from tests.runtime.sample.files.edit import EDIT
from tests.runtime.sample.misc.note import NOTE
from tests.runtime.sample.misc.shapes import SHAPES


def one(handler: Any, **options: Any) -> ToolRegistry:
    registry = ToolRegistry(check_results=False, **options)
    registry.register(EDIT, handler)
    return registry


def run(registry: ToolRegistry, arguments: Any = None, **options: Any) -> ToolResult:
    return asyncio.run(registry.execute("edit", GOOD if arguments is None else arguments, **options))


class Steps:
    """A handler with a precheck; both write down that they were called."""

    def __init__(self, refusal: str | None = None) -> None:
        self.refusal = refusal
        self.called: list[str] = []

    def precheck(self, params: Any, context: Any) -> str | None:
        self.called.append("precheck")
        return self.refusal

    async def __call__(self, params: Any, context: Any) -> str:
        self.called.append("handler")
        return "done"


def test_the_steps_come_in_order() -> None:
    watch, handler, order = Watch(), Steps(), []

    def approve(request: Any) -> str:
        order.extend([*handler.called, "approver"])
        return "yes"

    result = run(one(handler, hooks=watch, policy=Policy(approver=approve)))
    assert result == ToolResult.ok("done")
    assert order == ["precheck", "approver"]
    assert handler.called == ["precheck", "handler"]
    assert watch.kinds == ["Decoded", "Approved", "Started", "Finished"]
    assert all(event.tool == "edit" for event in watch.events)


@pytest.mark.parametrize(
    ("arguments", "refusal", "policy", "stage"),
    [
        ({}, None, None, "arguments"),
        ({**GOOD, "file_path": "<secret_ref:A>"}, None, None, "secrets"),
        (GOOD, "no", None, "precheck"),
        (GOOD, None, Policy("read_only"), "policy"),
    ],
)
def test_a_refusal_says_where(arguments: Any, refusal: Any, policy: Any, stage: str) -> None:
    watch, handler = Watch(), Steps(refusal)
    result = run(one(handler, hooks=watch, policy=policy, secrets=lambda name: None), arguments)
    assert not result.success
    assert "handler" not in handler.called
    refused, finished = watch.events[-2:]
    assert (type(refused).__name__, type(finished).__name__) == ("Refused", "Finished")
    assert (refused.stage, refused.error) == (stage, result.error)  # type: ignore[union-attr]


def test_an_unknown_tool_is_reported_to_the_hooks() -> None:
    watch = Watch()
    result = asyncio.run(one(Steps(), hooks=watch).execute("gone", {}, context=ToolContext(call_id="7")))
    assert watch.kinds == ["Refused", "Finished"]
    assert "no tool 'gone'" in result.error
    assert [event.call_id for event in watch.events] == ["7", "7"]


@pytest.mark.parametrize("hooks", [None, Watch()])
def test_a_raised_refusal_is_a_result(hooks: Any, caplog: pytest.LogCaptureFixture) -> None:
    def refuse(params: Any, context: Any) -> str:
        raise RefusalError("the file is locked")

    assert run(one(refuse, hooks=hooks)) == ToolResult.failed("the file is locked")
    assert not caplog.records


def test_a_hook_that_raises_breaks_nothing(caplog: pytest.LogCaptureFixture) -> None:
    class Broken:
        def on(self, event: Event) -> None:
            raise ZeroDivisionError

    assert run(one(Steps(), hooks=Broken())) == ToolResult.ok("done")
    assert len(caplog.records) == 3
    assert "ZeroDivisionError" in caplog.text


@pytest.mark.parametrize(
    "options",
    [{"timeout": 0}, {"timeout": {"edit": -1}}, {"timeout": float("nan")}, {"output_limit": 0}],
)
def test_limits_out_of_range_are_refused(options: Any) -> None:
    with pytest.raises(ValueError, match=r"timeout|output_limit"):
        ToolRegistry(**options)


def test_hooks_must_have_a_method() -> None:
    with pytest.raises(TypeError, match="on"):
        ToolRegistry(hooks=print)  # type: ignore[arg-type]


def test_a_bug_is_an_event_with_its_number(caplog: pytest.LogCaptureFixture) -> None:
    def fail(params: Any, context: Any) -> str:
        raise KeyError("inside")

    watch = Watch()
    result = run(one(fail, hooks=watch))
    failed: Any = watch.events[-2]
    assert (failed.kind, failed.stage) == ("KeyError", "handler")
    assert failed.number in result.error
    assert failed.number in caplog.text
    assert "inside" in caplog.text
    assert "inside" not in result.error


# --- timeouts and cancellation


def test_a_timeout_reaches_an_async_handler() -> None:
    stopped = []

    async def slow(params: Any, context: Any) -> str:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            stopped.append(True)
            raise
        return "late"

    watch = Watch()
    result = run(one(slow, timeout=0.01, hooks=watch))
    assert stopped == [True]
    assert "did not finish within 0.01 s. It was stopped" in result.error
    assert watch.kinds[-2:] == ["TimedOut", "Finished"]


def test_a_timeout_of_a_plain_handler_says_that_it_runs_on(caplog: pytest.LogCaptureFixture) -> None:
    workers = Workers()

    def slow(params: Any, context: Any) -> str:
        while not abandoned():
            time.sleep(0.002)
        raise KeyError("nobody sees it")

    watch = Watch()
    with caplog.at_level(logging.WARNING, "toolcast.runtime"):
        result = run(one(slow, timeout={"edit": 0.02, "other": 9.0}, hooks=watch, workers=workers))
        assert wait_for(lambda: "ended with" in caplog.text)
    assert not workers.running
    assert "could not be stopped and may still take effect" in result.error
    (late,) = [event for event in watch.events if isinstance(event, TimedOut)]
    assert (late.runs_on, late.seconds) == (True, 0.02)
    assert "runs on" in caplog.text
    assert "ended with KeyError" in caplog.text


def test_a_plain_handler_that_never_began_is_stopped() -> None:
    """All threads are taken: the call that waits for one is cancelled, and its handler never called."""
    called = []
    free = threading.Event()

    def busy(params: Any, context: Any) -> str:
        if context.call_id == "waiting":
            called.append(True)
        free.wait(10)
        return "busy"

    async def both() -> ToolResult:
        workers = Workers(1)
        registry = one(busy, workers=workers)
        first = asyncio.create_task(registry.execute("edit", GOOD))
        await asyncio.sleep(0.01)
        limited = one(busy, timeout=0.02, workers=workers)
        result = await limited.execute("edit", GOOD, context=ToolContext(call_id="waiting"))
        free.set()
        await first
        return result

    assert "It was stopped" in asyncio.run(both()).error
    assert not called


def test_a_timer_is_set_only_where_a_step_waits() -> None:
    timers: list[float] = []

    class Loop(asyncio.SelectorEventLoop):
        def call_at(self, when: float, *args: Any, **kwargs: Any) -> asyncio.TimerHandle:
            timers.append(when - self.time())
            return super().call_at(when, *args, **kwargs)

    async def at_once(params: Any, context: Any) -> str:
        return "done"

    async def waiting(params: Any, context: Any) -> str:
        began = time.monotonic()
        while time.monotonic() < began + 0.01:
            pass  # this counts, too
        await asyncio.sleep(0)
        return "done"

    with asyncio.Runner(loop_factory=Loop) as runner:
        for handler in (at_once, waiting):
            assert runner.run(one(handler, timeout=50).execute("edit", GOOD)).output == "done"
            assert len(timers) == (handler is waiting)
    assert 40 < timers[0] < 50 - 0.01


def test_a_handlers_own_timeout_is_a_bug_of_its_own() -> None:
    async def own(params: Any, context: Any) -> str:
        raise TimeoutError("mine")

    assert "internal error TimeoutError" in run(one(own, timeout=5)).error


def test_a_precheck_has_a_timeout_too() -> None:
    class Slow(Steps):
        async def precheck(self, params: Any, context: Any) -> str | None:  # type: ignore[override]
            await asyncio.sleep(60)
            return None

    handler = Slow()
    result = run(one(handler, timeout=0.01))
    assert "was not called: a check before it took more than 0.01 s. Nothing was done." in result.error
    assert not handler.called


def test_cancellation_passes_through_and_is_reported() -> None:
    watch = Watch()
    cancel_a_call(lambda handler: one(handler, hooks=watch, timeout=50))
    assert watch.kinds == ["Decoded", "Started", "Cancelled"]


# --- cut results


def test_long_results_are_cut_and_say_so() -> None:
    text = "".join(str(number % 10) for number in range(1000))
    result = run(one(lambda params, context: text, output_limit=100))
    assert result.output == (f"{text[:70]}\n[… 900 of 1000 characters are left out here …]\n{text[-30:]}")
    failed = run(one(lambda params, context: ToolResult.failed(text), output_limit=100))
    assert failed.error == result.output
    data = run(one(lambda params, context: {"text": text}, output_limit=100))
    assert data.data == {"text": text}
    assert len(data.output) < 160
    assert run(one(lambda params, context: text, output_limit=1000)).output == text


IMAGE = Content.image(b"\x89PNG", "image/png")
MISSING = re.compile(r"\n\[… (\d+) of (\d+) characters are left out here …\]\n")


def test_text_in_content_counts_too() -> None:
    content = (Content.of("b" * 50), IMAGE, Content.of("c" * 300), Content.of("d" * 20))
    result = run(one(lambda params, context: ToolResult.ok("a" * 40, content=content), output_limit=100))
    assert result.output == "a" * 40
    assert result.content == (
        Content.of("b" * 30 + "\n[… 310 of 410 characters are left out here …]\n"),
        IMAGE,
        Content.of("c" * 10),
        Content.of("d" * 20),
    )
    only = ToolResult.ok(content=(Content.of("b" * 300), IMAGE, Content.of("c" * 300), Content.of("d" * 31)))
    result = run(one(lambda params, context: only, output_limit=100))
    assert [piece.kind for piece in result.content] == ["text", "image", "text"]
    short = ToolResult.ok("a" * 50, content=(Content.of("b" * 50), IMAGE))
    assert run(one(lambda params, context: short, output_limit=100)) is short


@given(
    st.lists(st.text("ab\r\n", max_size=30) | st.just(IMAGE), max_size=5), st.text("cd"), st.integers(1, 60)
)
def test_what_is_left_is_the_beginning_and_the_end(given_pieces: list[Any], output: str, limit: int) -> None:
    pieces = tuple(piece if piece is IMAGE else Content.of(piece) for piece in given_pieces)
    result = cut_result(ToolResult.ok(output, content=pieces), limit)
    assert [piece for piece in result.content if piece.kind == "image"] == [IMAGE] * given_pieces.count(IMAGE)
    before = output + "".join(piece.text for piece in pieces)
    after = result.output + "".join(piece.text for piece in result.content)
    if len(before) <= limit:
        assert after == before
        return
    head, missing, whole, tail = MISSING.split(after)
    assert before.startswith(head)
    assert before.endswith(tail)
    assert len(head) + len(tail) <= limit
    assert int(whole) == len(before) == len(head) + len(tail) + int(missing)


@pytest.mark.parametrize("refused", [RefusalError("x" * 500), RetryError("x" * 500), None])
def test_the_error_of_a_refused_call_is_cut_as_any_text(refused: Exception | None) -> None:
    def refuse(*_: Any) -> str:
        assert refused is not None
        raise refused

    registry = ToolRegistry(output_limit=200)
    registry.register(EDIT, refuse)
    arguments = {f"unknown_{number}": 1 for number in range(20)} if refused is None else GOOD
    result = asyncio.run(registry.execute("edit", arguments))
    assert "characters are left out here" in result.error
    assert len(result.error) < 280


CLUSTERS = ["a", "é", "e\u0301", "👩‍👩‍👧", "🇩🇪", "👍🏽", "\r\n", "한", "ᄒ\u1161\u11ab", "❤\ufe0f"]


@given(st.lists(st.sampled_from(CLUSTERS), max_size=60), st.integers(1, 60))
def test_a_cut_spares_what_a_reader_sees_as_one(parts: list[str], limit: int) -> None:
    text = "".join(parts)
    result = cut(text, limit)
    if len(text) <= limit:
        assert result == text
        return
    head, line, tail = result.partition("\n[… ")
    count, _, rest = tail.partition(" of ")
    tail = rest.partition("…]\n")[2]
    assert line
    assert text.startswith(head)
    assert text.endswith(tail)
    assert len(head) + len(tail) + int(count) == len(text)
    assert len(head) + len(tail) <= limit
    ends, place = {0}, 0
    for part in parts:
        place += len(part)
        ends.add(place)
    assert len(head) in ends
    assert len(text) - len(tail) in ends


# --- whatever comes


def everything(**options: Any) -> tuple[ToolRegistry, list[tuple[str, Any]]]:
    registry = ToolRegistry(check_results=False, **options)
    called: list[tuple[str, Any]] = []

    async def keep(params: Any, context: ToolContext) -> str:
        called.append((context.tool, params))
        return "ok"

    for binding in (EDIT, NOTE, SHAPES):
        registry.register(binding, keep)  # type: ignore[arg-type]
    return registry, called


GUARDED, CALLED = everything(
    secrets=lambda name: f"secret of {name}",
    policy=Policy("full"),
    hooks=Watch(),
    timeout=9,
    output_limit=50,
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["tags", "pet", "name", "limits", "tree", "children", "x"]), inner)
    ),
    max_leaves=8,
)
HOSTILE = st.one_of(
    st.binary(max_size=40),
    st.text(max_size=40),
    JSON.map(json.dumps),
    st.builds(lambda text, cut: text[:cut], JSON.map(json.dumps), st.integers(0, 40)),
    JSON,
    st.integers(1, 3000).map(lambda depth: '{"tree":' * depth),
    st.integers(1, 3000).map(lambda depth: '{"tags":[],"x":' + "[" * depth + "]" * depth + "}"),
)
DEEP_TREE = '{"tags":[],"tree":' + '{"label":"l","children":[' * 900 + "]}" * 900 + "}"
FRAGMENTS = st.sampled_from(
    ["<secret_ref:A>", "<secret_ref:", "<tool_call>", "\x1b[2J", "<secret_ref:1>", "‮"]
)
LIKELY = st.fixed_dictionaries(
    {
        "file_path": st.text(max_size=5) | FRAGMENTS,
        "old_string": FRAGMENTS | st.text(max_size=5) | st.none() | st.integers(),
    },
    optional={
        "new_string": FRAGMENTS | st.text(max_size=5),
        "line": st.integers() | st.none(),
        "x": FRAGMENTS,
    },
).map(json.dumps)


@given(arguments=HOSTILE | LIKELY | LIKELY.map(str.encode), name=st.sampled_from(["edit", "note", "shapes"]))
@example(arguments=DEEP_TREE, name="shapes")
@example(arguments=b"\xff\xfe", name="edit")
@example(arguments='{"x":' + "9" * 5000 + "}", name="note")
@example(arguments='"' + '\\"' * 100 + '"', name="note")
def test_execute_never_raises_and_no_handler_gets_what_the_spec_refuses(
    arguments: Any, name: str, oracle: Any
) -> None:
    CALLED.clear()
    result = asyncio.run(GUARDED.execute(name, arguments))
    assert isinstance(result, ToolResult)
    assert result.success == (result.error == "")
    assert "internal error" not in result.error
    assert result.success == bool(CALLED)
    for tool, params in CALLED:
        binding = {"edit": EDIT, "note": NOTE, "shapes": SHAPES}[tool]
        assert oracle(tool).is_valid(json.loads(binding.encode(params)))  # type: ignore[attr-defined]


def test_finished_holds_the_result_and_the_time() -> None:
    watch = Watch()
    result = run(one(Steps(), hooks=watch))
    finished = watch.events[-1]
    assert isinstance(finished, Finished)
    assert finished.result is result
    assert 0 < finished.seconds < 5
