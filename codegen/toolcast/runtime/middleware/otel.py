"""Traces and metrics of calls, as OpenTelemetry's conventions for generative AI name them.

    registry = ToolRegistry(hooks=instrument())

Needs `opentelemetry-api` (`pip install 'toolcast[otel]'`); without an SDK nothing is recorded. The names
are those of github.com/open-telemetry/semantic-conventions-genai in development, read in November 2026: the
span `execute_tool {gen_ai.tool.name}`, as in semantic-conventions 1.41, and the histogram
`gen_ai.execute_tool.duration`, which is newer.
"""

from collections.abc import Generator
from contextlib import contextmanager
from time import perf_counter, time_ns

import msgspec

try:
    from opentelemetry import metrics, trace
except ImportError as missing:
    raise ImportError("Traces need opentelemetry-api: pip install 'toolcast[otel]'.") from missing

from ...version import __version__
from ..binding import AnyBinding
from ..codec import with_defaults
from ..context import ToolContext
from .events import REFUSALS, CallHooks, Decoded, Event, Finished, Observer, Outcome, Refused

BUCKETS = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)
"""Seconds between the histogram's buckets, as the convention advises."""


def instrument(
    *,
    content: bool = False,
    tracer_provider: trace.TracerProvider | None = None,
    meter_provider: metrics.MeterProvider | None = None,
) -> CallHooks:
    """Make hooks, for `ToolRegistry(hooks=…)`, that record a span and a duration of every call.

    A span takes from the first step of a call to its last, with the wait for an approver. It is the current
    span in every step, in worker threads too. After a failure its status is an error, and `error.type` (span
    and histogram) one of those that `events.Outcome` lists.

    Args:
        content: whether to add what may be sensitive: `gen_ai.tool.call.arguments` and `.result`, and the
            text of errors. Arguments hold references in place of secrets, and values of secrets are redacted.
        tracer_provider: the global one by default.
        meter_provider: the global one by default.
    """
    tracer = trace.get_tracer("toolcast.runtime", __version__, tracer_provider)
    meter = metrics.get_meter("toolcast.runtime", __version__, meter_provider)
    return _Telemetry(tracer, meter, content)


class _Telemetry:
    """Hooks: one span and one measurement for each call."""

    def __init__(self, tracer: trace.Tracer, meter: metrics.Meter, content: bool) -> None:
        self._tracer = tracer
        self._content = content
        self._duration = meter.create_histogram(
            "gen_ai.execute_tool.duration",
            unit="s",
            description="The duration of a single tool execution.",
            explicit_bucket_boundaries_advisory=BUCKETS,
        )

    def on(self, event: Event) -> None:
        """Record a call that no tool takes: a span and no duration, since a model may write any name, and
        each would be a series of its own."""
        if isinstance(event, Refused):
            span = self._start(event.tool, event.call_id)
            span.set_attribute("error.type", REFUSALS[event.stage])
            span.set_status(trace.StatusCode.ERROR, event.error if self._content else None)
            span.end()

    @contextmanager
    def around(self, binding: AnyBinding, context: ToolContext) -> Generator[Observer]:
        outcome = Outcome()
        begun, started = perf_counter(), time_ns()
        span = self._start(binding.name, context.call_id, binding.description, started)

        def observe(event: Event) -> None:
            outcome.see(event)
            if self._content and span.is_recording():
                _show(span, event)

        with trace.use_span(span, record_exception=False, set_status_on_exception=False):
            try:
                yield observe
            finally:
                outcome.end()
                seconds = perf_counter() - begun
                self._close(span, binding.name, outcome, seconds)
                span.end(started + int(seconds * 1e9))

    def _start(
        self, tool: str, call_id: str, description: str = "", started: int | None = None
    ) -> trace.Span:
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": tool,
            "gen_ai.tool.type": "function",
        }
        if call_id:
            attributes["gen_ai.tool.call.id"] = call_id
        if description:
            attributes["gen_ai.tool.description"] = description
        return self._tracer.start_span(f"execute_tool {tool}", attributes=attributes, start_time=started)

    def _close(self, span: trace.Span, tool: str, outcome: Outcome, seconds: float) -> None:
        """Record the end inside of the span, so that a backend can lead from the measurement to it."""
        labels = {"gen_ai.tool.name": tool, "gen_ai.tool.type": "function"}
        if outcome.error_type is not None:
            labels["error.type"] = outcome.error_type
            span.set_attribute("error.type", outcome.error_type)
            span.set_status(trace.StatusCode.ERROR, self._why(outcome))
        self._duration.record(seconds, labels)

    def _why(self, outcome: Outcome) -> str | None:
        """Name the error. The number of a bug leads to the log; other errors quote arguments."""
        if outcome.finished is not None and self._content:
            return outcome.finished.result.error
        return None if outcome.error_id is None else f"error id {outcome.error_id}"


def _show(span: trace.Span, event: Event) -> None:
    """Return arguments and a good result, as JSON text and as the text for the model."""
    if isinstance(event, Decoded):
        text = msgspec.json.encode(with_defaults(event.params)).decode()
        span.set_attribute("gen_ai.tool.call.arguments", text)
    elif isinstance(event, Finished) and event.result.success:
        span.set_attribute("gen_ai.tool.call.result", event.result.output)
