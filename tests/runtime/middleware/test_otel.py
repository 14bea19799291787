"""Spans and durations of calls, as an in-memory exporter receives them."""

# ruff: noqa: ARG001, ARG002, ARG005 - a handler's signature is fixed, whatever it uses

import asyncio
import json
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode
from toolcast.runtime import Framework, RefusalError, ToolContext, ToolRegistry, ToolResult
from toolcast.runtime.middleware.otel import BUCKETS, instrument
from toolcast.runtime.middleware.policy import Policy

from generated.shell.bash import BASH
from tests.runtime.helpers import GOOD, Watch, python
from tests.runtime.sample.files.edit import EDIT


class Recorded:
    def __init__(self, handler: Any, *, content: bool = False, tool: Any = EDIT, **options: Any) -> None:
        self._exporter = InMemorySpanExporter()
        self._reader = InMemoryMetricReader()
        self.tracers = TracerProvider()
        self.tracers.add_span_processor(SimpleSpanProcessor(self._exporter))
        meters = MeterProvider([self._reader])
        hooks = instrument(content=content, tracer_provider=self.tracers, meter_provider=meters)
        self.registry = ToolRegistry(check_results=False, hooks=hooks, **options)
        self.registry.register(tool, handler)

    def run(self, arguments: Any = None, name: str = "edit", **options: Any) -> ToolResult:
        return asyncio.run(self.registry.execute(name, GOOD if arguments is None else arguments, **options))

    @property
    def spans(self) -> tuple[ReadableSpan, ...]:
        return self._exporter.get_finished_spans()

    @property
    def span(self) -> ReadableSpan:
        (span,) = self.spans
        return span

    @property
    def attributes(self) -> dict[str, Any]:
        return dict(self.span.attributes or {})

    @property
    def points(self) -> list[Any]:
        data = self._reader.get_metrics_data()
        if data is None:
            return []
        (metric,) = data.resource_metrics[0].scope_metrics[0].metrics
        assert (metric.name, metric.unit) == ("gen_ai.execute_tool.duration", "s")
        return list(metric.data.data_points)


async def fine(params: Any, context: ToolContext) -> str:
    return f"edited {params.file_path}"


def test_a_call_is_a_span_and_a_duration() -> None:
    recorded = Recorded(fine)
    recorded.run(context=ToolContext(call_id="call_7"))
    span = recorded.span
    assert (span.name, span.kind, span.status.status_code) == (
        "execute_tool edit",
        SpanKind.INTERNAL,
        StatusCode.UNSET,
    )
    assert recorded.attributes == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "edit",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": "call_7",
        "gen_ai.tool.description": EDIT.description,
    }
    (point,) = recorded.points
    assert dict(point.attributes) == {"gen_ai.tool.name": "edit", "gen_ai.tool.type": "function"}
    assert tuple(point.explicit_bounds) == BUCKETS
    assert span.end_time is not None
    assert span.start_time is not None
    # The convention: the measurement is the span's duration.
    assert point.sum == pytest.approx((span.end_time - span.start_time) / 1e9, abs=1e-8)


class Checked:
    def precheck(self, params: Any, context: Any) -> str:
        return "not in this folder"

    async def __call__(self, params: Any, context: Any) -> str:
        return ""


def crash(params: Any, context: Any) -> str:
    raise KeyError("inside")


def decline(params: Any, context: Any) -> str:
    raise RefusalError("the file is locked")


async def slow(params: Any, context: Any) -> str:
    await asyncio.sleep(60)
    return ""


@pytest.mark.parametrize(
    ("handler", "arguments", "options", "error"),
    [
        (fine, {}, {}, "invalid_arguments"),
        (fine, {**GOOD, "file_path": "<secret_ref:A>"}, {"secrets": lambda name: None}, "secret_refused"),
        (Checked(), GOOD, {}, "precheck_refused"),
        (fine, GOOD, {"policy": Policy("read_only")}, "denied"),
        (slow, GOOD, {"timeout": 0.01}, "timeout"),
        (crash, GOOD, {}, "KeyError"),
        (decline, GOOD, {}, "tool_error"),
        (lambda params, context: ToolResult.failed("no such file"), GOOD, {}, "tool_error"),
        (lambda params, context: object(), GOOD, {}, "TypeError"),
    ],
)
def test_a_failure_has_its_type_and_no_words(handler: Any, arguments: Any, options: Any, error: str) -> None:
    recorded = Recorded(handler, **options)
    result = recorded.run(arguments)
    assert not result.success
    assert recorded.span.status.status_code is StatusCode.ERROR
    assert recorded.attributes["error.type"] == error
    (point,) = recorded.points
    assert point.attributes["error.type"] == error
    # What an error says may quote arguments. The number of a bug leads to the log.
    number = result.error.partition("error id ")[2].partition(")")[0]
    assert recorded.span.status.description == (f"error id {number}" if number else None)
    assert "inside" not in str(recorded.span.to_json())


def test_the_error_is_reported_when_asked_for() -> None:
    recorded = Recorded(decline, content=True)
    recorded.run()
    assert recorded.span.status.description == "the file is locked"
    assert "gen_ai.tool.call.result" not in recorded.attributes


def test_an_unknown_tool_is_a_span_without_a_series_of_its_own() -> None:
    recorded = Recorded(fine)
    recorded.run(name="gone\x1b")
    assert recorded.attributes["error.type"] == "unknown_tool"
    assert recorded.attributes["gen_ai.tool.name"] == "gone\x1b"
    assert recorded.points == []


def test_a_cancelled_call_says_so() -> None:
    begun = asyncio.Event()

    async def waits(params: Any, context: Any) -> str:
        begun.set()
        return await slow(params, context)

    recorded = Recorded(waits)

    async def cancel() -> None:
        task = asyncio.create_task(recorded.registry.execute("edit", GOOD))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not trace.get_current_span().get_span_context().is_valid

    asyncio.run(cancel())
    assert recorded.attributes["error.type"] == "cancelled"
    assert recorded.points[0].attributes["error.type"] == "cancelled"


def test_a_deferred_call_is_no_error() -> None:
    class PutOffError(Exception):
        pass

    def put_off(params: Any, context: Any) -> str:
        raise PutOffError

    recorded = Recorded(put_off)
    with pytest.raises(PutOffError):
        recorded.run(context=ToolContext(framework=Framework(passes=(PutOffError,))))
    assert "error.type" not in recorded.attributes
    assert recorded.span.status.is_unset
    assert len(recorded.points) == 1


@pytest.mark.parametrize("plain", [False, True])
def test_the_span_is_current_in_every_step(plain: bool) -> None:
    """Spans that a precheck, a resolver, an approver and a handler begin are children of the call's."""

    def mark(name: str) -> None:
        recorded.tracers.get_tracer("test").start_span(name).end()

    class Marking:
        def precheck(self, params: Any, context: Any) -> None:
            mark("precheck")

        def __call__(self, params: Any, context: Any) -> str:
            mark("handler")
            return "done"

    class MarkingAsync(Marking):
        async def __call__(self, params: Any, context: Any) -> str:  # type: ignore[override]
            await asyncio.sleep(0)
            mark("handler")
            return "done"

    def resolve(name: str) -> str:
        mark("resolver")
        return "a long value"

    def approve(request: Any) -> str:
        mark("approver")
        return "yes"

    recorded = Recorded(
        Marking() if plain else MarkingAsync(),
        tool=BASH,
        secrets=resolve,
        policy=Policy(approver=approve),
        timeout=9,
    )
    with recorded.tracers.get_tracer("test").start_as_current_span("agent") as agent:
        assert recorded.run({"command": "echo <secret_ref:A>"}, name="bash").success
    spans = {span.name: span for span in recorded.spans}
    call = spans["execute_tool bash"]
    assert call.parent is not None
    assert call.parent.span_id == agent.get_span_context().span_id
    inner = {"resolver", "precheck", "approver", "handler"}
    assert spans.keys() == {"agent", "execute_tool bash", *inner}
    for name in inner:
        parent = spans[name].parent
        assert parent is not None
        assert parent.span_id == call.context.span_id


def test_calls_side_by_side_do_not_mix() -> None:
    async def echo(params: Any, context: ToolContext) -> str:
        await asyncio.sleep(0.001 * (int(context.call_id) % 3))
        span: Any = trace.get_current_span()
        return str(span.attributes["gen_ai.tool.call.id"])

    recorded = Recorded(echo)

    async def many() -> list[ToolResult]:
        calls = (
            recorded.registry.execute("edit", GOOD, context=ToolContext(call_id=str(number)))
            for number in range(50)
        )
        return await asyncio.gather(*calls)

    assert [result.output for result in asyncio.run(many())] == [str(number) for number in range(50)]
    assert len(recorded.spans) == 50
    assert recorded.points[0].count == 50


def test_content_only_when_asked_for() -> None:
    def holds(recorded: Recorded) -> bool:
        return "/a" in json.dumps(recorded.attributes)

    recorded = Recorded(fine)
    recorded.run()
    assert not holds(recorded)
    recorded = Recorded(fine, content=True)
    recorded.run()
    assert json.loads(recorded.attributes["gen_ai.tool.call.arguments"]) == {**GOOD, "replace_all": False}
    assert recorded.attributes["gen_ai.tool.call.result"] == "edited /a"


def test_no_secret_reaches_a_trace() -> None:
    value = "hunter2-hunter2"

    async def leak(params: Any, context: Any) -> str:
        if params.old_string == "crash":
            raise ValueError(value)
        return f"it is {value}, {value.encode().hex()}"

    recorded = Recorded(leak, content=True, secrets=lambda name: None)
    secrets = recorded.registry._executor.guard.secrets
    assert secrets is not None
    secrets.hide("A", value)
    for old in (value, "crash", "x"):
        recorded.run({**GOOD, "old_string": old}, context=ToolContext(call_id=f"id {value}"))
    recorded.run(name=value)
    assert len(recorded.spans) == 4
    for span in recorded.spans:
        text = span.to_json()
        assert value not in text
        assert value.encode().hex() not in text
    assert "[redacted:A]" in str(recorded.spans[0].attributes)


def test_beside_other_hooks() -> None:
    watch = Watch()
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    registry = ToolRegistry(hooks=[watch, instrument(tracer_provider=provider)])
    registry.register(EDIT, fine)
    asyncio.run(registry.execute("edit", GOOD))
    assert watch.kinds == ["Decoded", "Started", "Finished"]
    assert len(exporter.get_finished_spans()) == 1


def test_it_is_imported_when_asked_for_and_says_what_is_missing() -> None:
    code = (
        "import sys; import toolcast.runtime, toolcast.runtime.executor\n"
        "print([name for name in sys.modules if name.startswith('opentelemetry')])\n"
        "sys.modules['opentelemetry'] = None\n"
        "try: import toolcast.runtime.middleware.otel\n"
        "except ImportError as missing: print(missing)"
    )
    loaded, problem = python(code).splitlines()
    assert loaded == "[]"
    assert "toolcast[otel]" in problem
