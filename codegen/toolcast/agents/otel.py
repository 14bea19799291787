"""Traces and metrics of runs, as OpenTelemetry's conventions for generative AI name them.

    await run_tools(…, telemetry=agent_spans("editor", model="gpt-5.4"))

Needs `opentelemetry-api` (`pip install 'toolcast[otel]'`); without an SDK nothing is recorded. The names are
those of github.com/open-telemetry/semantic-conventions-genai in development, read in November 2026. The spans
of tool calls are made by `toolcast.runtime.middleware.otel`.
"""

from asyncio import CancelledError
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from time import perf_counter

try:
    from opentelemetry import metrics, trace
except ImportError as missing:
    raise ImportError("Traces need opentelemetry-api: pip install 'toolcast[otel]'.") from missing

from ..jsonschema.json_values import JsonObject
from ..version import __version__
from .dispatch.answer_facts import AnswerFacts
from .events import Telemetry
from .record import Record
from .usage import Usage

_PROVIDERS = {
    "azure-openai": "azure.ai.openai",
    "bedrock": "aws.bedrock",
    "bedrock-strict": "aws.bedrock",
    "anthropic-strict": "anthropic",
    "gemini": "gcp.gemini",
    "gemini-json-schema": "gcp.gemini",
    "mistral": "mistral_ai",
    "moonshot": "moonshot_ai",
    "openai-nonstrict": "openai",
    "openai-responses": "openai",
    "vertex": "gcp.vertex_ai",
    "xai": "x_ai",
}
"""The convention's names of providers, by ours; those that are not here have the same name."""
_GENERATES_CONTENT = ("gcp.gemini", "gcp.vertex_ai")
_USAGE = {
    "input": "gen_ai.usage.input_tokens",
    "output": "gen_ai.usage.output_tokens",
    "cached": "gen_ai.usage.cache_read.input_tokens",
    "cache_write": "gen_ai.usage.cache_write.input_tokens",
    "reasoning": "gen_ai.usage.reasoning.output_tokens",
}
_CALL_SECONDS = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)
_RUN_SECONDS = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6)


def agent_spans(
    name: str = "",
    *,
    model: str = "",
    provider: str = "",
    conversation: str = "",
    tracer_provider: trace.TracerProvider | None = None,
    meter_provider: metrics.MeterProvider | None = None,
) -> Telemetry:
    """Make telemetry of runs: a span of the run, and below it one of each call of the model.

    Calls of tools are spans below the run, too, where the registry has the hooks of
    `toolcast.runtime.middleware.otel.instrument`; a run inside of a handler is below its call. All of them
    are in one trace, also where handlers run in threads. No text of a conversation is recorded.

    Args:
        name: name of the agent.
        model: the model that is asked for.
        provider: the convention's name of the provider; by default that of the run's `provider` or `format`.
        conversation: id of the conversation, where the program has one.
        tracer_provider: the global one by default.
        meter_provider: the global one by default.

    Returns:
        Telemetry for `run_tools(telemetry=…)`; it serves any number of runs.
    """
    own = {
        "gen_ai.agent.name": name,
        "gen_ai.request.model": model,
        "gen_ai.provider.name": provider,
        "gen_ai.conversation.id": conversation,
    }
    tracer = trace.get_tracer("toolcast.agents", __version__, tracer_provider)
    meter = metrics.get_meter("toolcast.agents", __version__, meter_provider)
    return _Spans(tracer, _Durations(meter), {key: value for key, value in own.items() if value})


class _Durations:
    def __init__(self, meter: metrics.Meter) -> None:
        def seconds(name: str, description: str, buckets: tuple[float, ...]) -> metrics.Histogram:
            return meter.create_histogram(
                name, unit="s", description=description, explicit_bucket_boundaries_advisory=buckets
            )

        self.run = seconds("gen_ai.invoke_agent.duration", "The duration of a run of an agent.", _RUN_SECONDS)
        self.call = seconds(
            "gen_ai.client.inference.duration", "The duration of a call of the model.", _CALL_SECONDS
        )
        self.first_chunk = seconds(
            "gen_ai.client.inference.time_to_first_chunk",
            "Time to the first chunk of a stream.",
            _CALL_SECONDS,
        )


class _Spans:
    def __init__(self, tracer: trace.Tracer, durations: _Durations, own: Mapping[str, str]) -> None:
        self._tracer = tracer
        self._durations = durations
        self._own = own

    @contextmanager
    def run(self, provider: str) -> "Generator[_Run]":
        named = {"gen_ai.provider.name": _PROVIDERS.get(provider, provider)} if provider else {}
        common = {**named, **self._own}
        agent = common.get("gen_ai.agent.name", "")
        span = self._tracer.start_span(
            f"invoke_agent {agent}".rstrip(), attributes={"gen_ai.operation.name": "invoke_agent", **common}
        )
        labels = _some(common, "gen_ai.agent.name", "gen_ai.request.model")
        with _current(span, self._durations.run, labels):
            yield _Run(self._tracer, self._durations, span, common)


class _Run:
    def __init__(
        self, tracer: trace.Tracer, durations: _Durations, span: trace.Span, common: Mapping[str, str]
    ) -> None:
        self._tracer = tracer
        self._durations = durations
        self._span = span
        self._common = common
        self._used: Usage | None = None

    @contextmanager
    def model_call(self) -> "Generator[_Call]":
        provider = self._common.get("gen_ai.provider.name", "")
        operation = "generate_content" if provider in _GENERATES_CONTENT else "chat"
        kept = ("gen_ai.provider.name", "gen_ai.request.model", "gen_ai.conversation.id")
        attributes = {"gen_ai.operation.name": operation, **_some(self._common, *kept)}
        span = self._tracer.start_span(
            f"{operation} {self._common.get('gen_ai.request.model', '')}".rstrip(),
            kind=trace.SpanKind.CLIENT,
            attributes=attributes,
        )
        labels: JsonObject = _some(attributes, "gen_ai.operation.name", *kept[:2])
        call = _Call(span, labels)
        with _current(span, self._durations.call, labels):
            try:
                yield call
            except BaseException:  # the model function's
                span.set_attribute("gen_ai.response.finish_reasons", ["error"])
                raise
            if call.used is not None:
                self._used = call.used if self._used is None else self._used + call.used
            if call.seconds is not None:
                self._durations.first_chunk.record(call.seconds, labels)

    def ended(self, record: Record) -> None:
        self._span.set_attribute("toolcast.run.stopped", record.stopped)
        self._span.set_attribute("toolcast.run.rounds", len(record.rounds))
        if record.stopped == "provider_error":
            _fail(self._span, record.stopped)
        _count(self._span, self._used)


class _Call:
    def __init__(self, span: trace.Span, labels: JsonObject) -> None:
        self.seconds: float | None = None  # to the first chunk
        self.used: Usage | None = None
        self._span = span
        self._labels = labels
        self._begun = perf_counter()

    def chunk(self) -> None:
        if self.seconds is None:
            self.seconds = perf_counter() - self._begun
            self._span.set_attribute("gen_ai.request.stream", True)
            self._span.set_attribute("gen_ai.response.time_to_first_chunk", self.seconds)

    def answered(self, facts: AnswerFacts) -> None:
        if facts.id:
            self._span.set_attribute("gen_ai.response.id", facts.id)
        if facts.model:
            self._span.set_attribute("gen_ai.response.model", facts.model)
            self._labels["gen_ai.response.model"] = facts.model
        if facts.stop:
            self._span.set_attribute("gen_ai.response.finish_reasons", [facts.stop])
        if facts.failed:
            self._labels["error.type"] = "provider_error"
            _fail(self._span, "provider_error")
        self.used = facts.usage
        _count(self._span, facts.usage)


@contextmanager
def _current(span: trace.Span, histogram: metrics.Histogram, labels: JsonObject) -> Generator[None]:
    """Make a span the current one; end and measure it whatever happens."""
    begun = perf_counter()
    with trace.use_span(span, end_on_exit=True, record_exception=False, set_status_on_exception=False):
        try:
            yield
        except BaseException as problem:  # the model function's
            # Its text may quote the conversation.
            labels["error.type"] = _kind(problem)
            _fail(span, labels["error.type"])
            raise
        finally:
            histogram.record(perf_counter() - begun, labels)


def _fail(span: trace.Span, kind: str) -> None:
    span.set_attribute("error.type", kind)
    span.set_status(trace.StatusCode.ERROR)


def _kind(problem: BaseException) -> str:
    if isinstance(problem, (CancelledError, GeneratorExit)):
        return "cancelled"
    kind = type(problem)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _count(span: trace.Span, usage: Usage | None) -> None:
    if usage is None:
        return
    for field, attribute in _USAGE.items():
        tokens = getattr(usage, field)
        if tokens or field in ("input", "output"):
            span.set_attribute(attribute, tokens)


def _some(attributes: Mapping[str, str], *names: str) -> dict[str, str]:
    return {name: attributes[name] for name in names if name in attributes}
