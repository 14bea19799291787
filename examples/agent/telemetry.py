"""OpenTelemetry, where its environment variables ask for it."""

import os
from importlib.metadata import entry_points

from toolcast.agents.events import Telemetry
from toolcast.runtime.middleware.events import Hooks

from .models import AgentError


def tracing(model: str) -> tuple[Telemetry | None, list[Hooks]]:
    """What makes spans of runs, and of calls of tools. Raises AgentError where a package is missing."""
    default = "otlp" if os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT") else "none"
    name = os.environ.get("OTEL_TRACES_EXPORTER", default)
    if name == "none" or os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return None, []
    if name == "otlp":
        name = "otlp_proto_" + os.environ.get("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc").partition("/")[0]
    try:
        from opentelemetry import trace
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
        from toolcast.agents.otel import agent_spans
        from toolcast.runtime.middleware.otel import instrument
    except ImportError as missing:
        raise AgentError("Traces need OpenTelemetry: pip install opentelemetry-sdk") from missing
    found = list(entry_points(group="opentelemetry_traces_exporter", name=name))
    if not found:
        raise AgentError(f"There is no exporter {name!r}: pip install opentelemetry-exporter-otlp")
    if isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):  # nobody has set another one
        provider = TracerProvider()
        provider.add_span_processor(BatchSpanProcessor(found[0].load()()))
        trace.set_tracer_provider(provider)
    return agent_spans("agent", model=model), [instrument()]
