"""Spans and durations of runs, as an in-memory exporter receives them."""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode
from toolcast.agents import delegate, run_tools, stream_tools
from toolcast.agents.otel import agent_spans
from toolcast.agents.text_calls import TextAnswer
from toolcast.runtime import ToolContext, ToolRegistry, ToolResult
from toolcast.runtime.middleware.otel import instrument

from tests.agents.dispatch.answers import ANSWERS, Asked, id_for
from tests.agents.dispatch.streaming import STREAMS
from tests.agents.test_streamed_runs import USER, asked, chunks, events_of, plain, streaming, whole
from tests.runtime.sample.files.edit import EDIT, EditParams

ROOT = Path(__file__).resolve().parents[2]


class Traced:
    """A registry whose calls are spans, telemetry for runs, and what both exported."""

    def __init__(self, **options: Any) -> None:
        self._exporter = InMemorySpanExporter()
        self._reader = InMemoryMetricReader()
        self.tracers = TracerProvider()
        self.tracers.add_span_processor(SimpleSpanProcessor(self._exporter))
        self.providers: Any = {
            "tracer_provider": self.tracers,
            "meter_provider": MeterProvider([self._reader]),
        }
        self.telemetry = agent_spans(**options, **self.providers)
        self.registry = ToolRegistry(hooks=instrument(**self.providers))
        self.registry.register(EDIT, self.edit)

    def edit(self, params: EditParams, _: ToolContext) -> ToolResult:
        """In a thread, as all plain functions."""
        with self.tracers.get_tracer("handler").start_as_current_span("inside"):
            return ToolResult.ok(f"edited {params.file_path}")

    def run(self, model: Any, format: str = "openai", **options: Any) -> Any:
        if format != "text":
            options.setdefault("provider", "openai")
        made = run_tools(model, self.registry, USER, format=format, telemetry=self.telemetry, **options)
        return asyncio.run(made)

    @property
    def spans(self) -> list[ReadableSpan]:
        return sorted(self._exporter.get_finished_spans(), key=lambda span: span.start_time or 0)

    def named(self, name: str) -> list[ReadableSpan]:
        return [span for span in self.spans if span.name == name]

    @property
    def points(self) -> dict[str, Any]:
        data = self._reader.get_metrics_data()
        assert data is not None
        scopes = data.resource_metrics[0].scope_metrics
        return {metric.name: metric.data.data_points for scope in scopes for metric in scope.metrics}


def parents(spans: list[ReadableSpan]) -> list[tuple[str, str | None]]:
    names = {span.context.span_id: span.name for span in spans if span.context is not None}
    return [(span.name, names[span.parent.span_id] if span.parent else None) for span in spans]


def attributes(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


def test_run_model_and_tools_are_one_trace() -> None:
    traced = Traced(name="editor", model="m-1", conversation="c-7")
    calls = [Asked(id_for("openai", i), "edit", asked("openai", "/a")[0].text) for i in range(2)]
    answer = {**ANSWERS["openai"](calls), "usage": {"prompt_tokens": 10, "completion_tokens": 2}}
    last = {**ANSWERS["openai"]([]), "usage": {"prompt_tokens": 20, "completion_tokens": 3}}
    traced.run(plain(answer, last))
    assert len({span.context.trace_id for span in traced.spans if span.context is not None}) == 1
    assert sorted(parents(traced.spans), key=str) == sorted(
        [
            ("invoke_agent editor", None),
            *[("chat m-1", "invoke_agent editor")] * 2,
            *[("execute_tool edit", "invoke_agent editor")] * 2,
            *[("inside", "execute_tool edit")] * 2,
        ],
        key=str,
    )
    [run] = traced.named("invoke_agent editor")
    assert (run.kind, run.status.status_code) == (SpanKind.INTERNAL, StatusCode.UNSET)
    assert attributes(run) == {
        "gen_ai.operation.name": "invoke_agent", "gen_ai.provider.name": "openai",
        "gen_ai.agent.name": "editor", "gen_ai.request.model": "m-1", "gen_ai.conversation.id": "c-7",
        "gen_ai.usage.input_tokens": 30, "gen_ai.usage.output_tokens": 5, "toolcast.run.stopped": "answer",
        "toolcast.run.rounds": 2,
    }  # fmt: skip
    call = traced.named("chat m-1")[0]
    assert (call.kind, call.status.status_code) == (SpanKind.CLIENT, StatusCode.UNSET)
    assert attributes(call) == {
        "gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "m-1",
        "gen_ai.conversation.id": "c-7", "gen_ai.response.id": "chatcmpl-1", "gen_ai.response.model": "m",
        "gen_ai.response.finish_reasons": ("tool_calls",), "gen_ai.usage.input_tokens": 10,
        "gen_ai.usage.output_tokens": 2,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("format", "provider", "operation"),
    [
        ("openai", "openai", "chat"),
        ("openai-responses", "openai", "chat"),
        ("azure-openai", "azure.ai.openai", "chat"),
        ("groq", "groq", "chat"),
        ("anthropic", "anthropic", "chat"),
        ("gemini", "gcp.gemini", "generate_content"),
        ("vertex", "gcp.vertex_ai", "generate_content"),
        ("bedrock", "aws.bedrock", "chat"),
        ("mistral", "mistral_ai", "chat"),
        ("cohere", "cohere", "chat"),
        ("ollama", "ollama", "chat"),
        ("text", None, "chat"),
    ],
)
def test_the_names_of_providers_and_operations(format: str, provider: str | None, operation: str) -> None:
    traced = Traced()
    base = {"azure-openai": "openai", "groq": "openai", "vertex": "gemini"}.get(format, format)
    traced.run(plain("Done." if format == "text" else ANSWERS[base]([])), format)
    assert parents(traced.spans) == [("invoke_agent", None), (operation, "invoke_agent")]
    assert {attributes(span).get("gen_ai.provider.name") for span in traced.spans} == {provider}


MODELS = {
    "openai": ("m", "tool_calls"), "openai-responses": (None, "completed"), "anthropic": (None, "tool_use"),
    "gemini": (None, "STOP"), "bedrock": (None, "tool_use"), "mistral": ("m", "tool_calls"),
    "cohere": (None, "TOOL_CALL"), "ollama": (None, "stop"),
}  # fmt: skip


@pytest.mark.parametrize("format", STREAMS)
def test_a_streamed_call_has_its_first_chunk_and_all_that_a_plain_one_has(format: str) -> None:
    events = events_of(format, [])
    streamed, whole_one = Traced(model="m-1"), Traced(model="m-1")
    streamed.run(streaming(events), format)
    whole_one.run(plain(whole(format, events)), format)
    name = "generate_content m-1" if format == "gemini" else "chat m-1"
    found, expected = (attributes(each.named(name)[0]) for each in (streamed, whole_one))
    first = found.pop("gen_ai.response.time_to_first_chunk")
    assert 0 < first < 60
    assert found.pop("gen_ai.request.stream") is True
    assert found == expected
    model, reason = MODELS[format]
    assert found.get("gen_ai.response.model") == model
    assert found["gen_ai.response.finish_reasons"] == (reason,)
    chunk = "gen_ai.client.inference.time_to_first_chunk"
    assert [point.sum for point in streamed.points[chunk]] == [first]
    assert chunk not in whole_one.points


def test_text_has_its_reason() -> None:
    traced = Traced()
    traced.run(streaming(["Do", TextAnswer("ne.", "end_turn")]), "text")
    [call] = traced.named("chat")
    assert attributes(call)["gen_ai.response.finish_reasons"] == ("end_turn",)


def test_usage_has_all_its_parts() -> None:
    traced = Traced()
    usage = {
        "prompt_tokens": 10,
        "completion_tokens": 7,
        "prompt_tokens_details": {"cached_tokens": 4},
        "completion_tokens_details": {"reasoning_tokens": 5},
    }
    traced.run(plain({**ANSWERS["openai"]([]), "usage": usage}))
    for name in ("chat", "invoke_agent"):
        found = attributes(traced.named(name)[0])
        assert {key: value for key, value in found.items() if "usage" in key} == {
            "gen_ai.usage.input_tokens": 10,
            "gen_ai.usage.output_tokens": 7,
            "gen_ai.usage.cache_read.input_tokens": 4,
            "gen_ai.usage.reasoning.output_tokens": 5,
        }


class OverloadedError(Exception):
    """As clients raise it."""


@pytest.mark.parametrize("late", [False, True])
def test_what_the_model_raises_is_an_error_of_both_and_quotes_nothing(late: bool) -> None:
    async def model(_messages: list[Any], _definitions: bytes) -> AsyncIterator[Any]:
        if late:
            yield events_of("openai", [])[0]
        raise OverloadedError("the words of the user")

    traced = Traced(model="m-1")
    with pytest.raises(OverloadedError):
        traced.run(model)
    kind = f"{__name__}.OverloadedError"
    assert len(traced.spans) == 2
    for span in traced.spans:
        assert (span.status.status_code, span.status.description) == (StatusCode.ERROR, None)
        assert attributes(span)["error.type"] == kind
        assert "words of the user" not in span.to_json()
    assert attributes(traced.named("invoke_agent")[0])["toolcast.run.stopped"] == "provider_error"
    assert attributes(traced.named("chat m-1")[0])["gen_ai.response.finish_reasons"] == ("error",)
    for name in ("gen_ai.invoke_agent.duration", "gen_ai.client.inference.duration"):
        [point] = traced.points[name]
        assert (point.attributes["error.type"], point.count) == (kind, 1)


def test_an_answer_that_says_that_the_provider_failed_is_an_error() -> None:
    failed = {"id": "r", "status": "failed", "error": {"code": "server_error", "message": "m"}, "output": []}
    traced = Traced()
    assert traced.run(plain(failed), "openai-responses").stopped == "provider_error"
    for span in traced.spans:
        assert span.status.status_code is StatusCode.ERROR
        assert attributes(span)["error.type"] == "provider_error"
    [point] = traced.points["gen_ai.client.inference.duration"]
    assert point.attributes["error.type"] == "provider_error"


def test_a_cancelled_run_is_told_as_cancelled() -> None:
    begun = asyncio.Event()

    async def slow(_messages: list[Any], _definitions: bytes) -> Any:
        begun.set()
        await asyncio.sleep(60)

    traced = Traced()

    async def main() -> None:
        made = run_tools(slow, traced.registry, USER, format="openai", telemetry=traced.telemetry)
        task = asyncio.create_task(made)
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert {attributes(span)["error.type"] for span in traced.spans} == {"cancelled"}


def test_durations_are_those_of_the_spans() -> None:
    traced = Traced(name="editor", model="m-1")
    traced.run(plain(ANSWERS["openai"]([])))
    [run] = traced.points["gen_ai.invoke_agent.duration"]
    assert dict(run.attributes) == {"gen_ai.agent.name": "editor", "gen_ai.request.model": "m-1"}
    [call] = traced.points["gen_ai.client.inference.duration"]
    assert dict(call.attributes) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "m-1",
        "gen_ai.response.model": "m",
    }
    for point, name in ((run, "invoke_agent editor"), (call, "chat m-1")):
        [span] = traced.named(name)
        assert point.sum == pytest.approx(((span.end_time or 0) - (span.start_time or 0)) / 1e9, abs=0.05)


def test_a_run_inside_of_a_handler_is_below_its_call_and_in_the_trace_of_the_program() -> None:
    traced = Traced(name="outer", model="m-1")
    inner = agent_spans("inner", **traced.providers)

    async def edit(_params: EditParams, _: ToolContext) -> str:
        work = plain(ANSWERS["openai"]([]))
        await delegate(
            lambda: run_tools(work, ToolRegistry(), USER, format="openai", telemetry=inner, provider="openai")
        )
        return "edited"

    registry = ToolRegistry(hooks=instrument(**traced.providers))
    registry.register(EDIT, edit)
    script = [chunks(events_of("openai", asked("openai", "/a"))), chunks(events_of("openai", []))]

    async def main() -> None:
        with traced.tracers.get_tracer("program").start_as_current_span("request"):
            events = stream_tools(
                lambda _m, _d: script.pop(0), registry, USER, format="openai", telemetry=traced.telemetry
            )
            async for _ in events:
                pass

    asyncio.run(main())
    assert parents(traced.spans) == [
        ("request", None),
        ("invoke_agent outer", "request"),
        ("chat m-1", "invoke_agent outer"),
        ("execute_tool edit", "invoke_agent outer"),
        ("invoke_agent inner", "execute_tool edit"),
        ("chat", "invoke_agent inner"),
        ("chat m-1", "invoke_agent outer"),
    ]


def test_spans_of_the_client_are_below_the_call_of_the_model_with_all_its_retries() -> None:
    traced = Traced()
    tries = [0]

    async def model(_messages: list[Any], _definitions: bytes) -> Any:
        with traced.tracers.get_tracer("client").start_as_current_span("POST"):
            tries.append(0)
            if len(tries) < 4:
                raise OverloadedError
            return ANSWERS["openai"]([])

    async def retry(request: Any, proceed: Any) -> Any:
        while True:
            try:
                return await proceed(request)
            except OverloadedError:
                continue

    traced.run(model, around_model=[retry])
    assert parents(traced.spans) == [
        ("invoke_agent", None),
        ("chat", "invoke_agent"),
        *[("POST", "chat")] * 3,
    ]


def test_it_needs_no_sdk_and_names_what_to_install() -> None:
    code = (
        "import sys\n"
        "sys.modules['opentelemetry'] = None\n"
        "from toolcast.agents import run_tools\n"
        "try:\n    import toolcast.agents.otel\n"
        "except ImportError as problem:\n    print(problem)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert "pip install 'toolcast[otel]'" in done.stdout
    agent_spans("x")  # the global providers, which record nothing


def test_spans_hold_no_text_of_the_conversation() -> None:
    traced = Traced()
    traced.run(plain(ANSWERS["openai"](asked("openai", "/secret")), ANSWERS["openai"]([])))
    exported = json.dumps([span.to_json() for span in traced.spans if not span.name.startswith("execute")])
    assert "/secret" not in exported
    assert "look that up" not in exported
