"""`toolcast diff --calls`: recorded calls, decoded under both contracts."""

import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from toolcast.analysis.diff.audiences.contracts import calls as calls_of
from toolcast.analysis.diff.recorded import with_recorded
from toolcast.analysis.diff.rules import Recorded
from toolcast.analysis.instances.oracle import Oracle, asserted_formats
from toolcast.analysis.recorded_calls import RecordedCall, RecordedCalls, read_files
from toolcast.project.profiles import Profiles
from toolcast.runtime import ToolRegistry
from toolcast.runtime.middleware.otel import instrument

from tests.diff.audience_pairs import context, pair, spec
from tests.diff.projects import EDIT, Repository, changed, diff, toolcast, with_properties
from tests.optional import load
from tests.runtime.helpers import GOOD
from tests.runtime.sample.files.edit import EDIT as SAMPLE_EDIT

FINE, BROKEN, BAD = {"path": "a", "mode": "a"}, {"path": "a", "mode": "b"}, {"mode": "b"}
NARROWER = with_properties(EDIT, mode={"enum": ["a"], "description": "How."})


def line(arguments: object, tool: str = "edit", **more: Any) -> dict[str, Any]:
    return {"time": "", "tool": tool, "arguments": arguments, "verdict": "accepted", **more}


def write(path: Path, *documents: object) -> Path:
    path.write_text("".join(f"{json.dumps(each)}\n" for each in documents), encoding="utf-8")
    return path


def recorded(answer: dict[str, Any]) -> dict[str, tuple[int, int]]:
    """(broken, all) recorded calls, by rule."""
    return {
        each["rule"]: (each["recorded"]["broken"], each["recorded"]["calls"])
        for each in answer["changes"]
        if each["recorded"] is not None
    }


@pytest.fixture
def calls(repository: Repository) -> Path:
    repository.commit({"edit": EDIT})
    repository.write({"edit": NARROWER})
    return repository.folder / "calls.jsonl"


def test_a_change_says_how_many_calls_break_and_shows_one(calls: Path) -> None:
    write(calls, *[line(FINE)] * 5, *[line(json.dumps(BROKEN))] * 2, line({**BROKEN, "path": "b"}), line(BAD))
    result = toolcast("diff", "--calls", str(calls))
    assert result.exit_code == 1
    assert result.stdout.splitlines()[1:11] == [
        "  error[breaks-recorded] (calls): recorded calls are refused that were accepted",
        "    at: specs/edit.json:1:1",
        '    call: {"path":"b","mode":"b"}',
        '    refused: $.mode: `mode` must be one of "a", got "b"',
        "    recorded: breaks 3 of 9 calls",
        "  error[values-narrowed] (calls): `mode`: accepted before, refused now: 'b'",
        "    at: specs/edit.json:16:4",
        '    call: {"path":"b","mode":"b"}',
        '    refused: $.mode: `mode` must be one of "a", got "b"',
        "    recorded: breaks 3 of 9 calls",
    ]
    for form in ("github", "markdown", "sarif"):
        assert "breaks" in toolcast("diff", "--calls", str(calls), "--format", form).stdout


def test_levels_tell_what_breaks_from_what_could(repository: Repository, calls: Path) -> None:
    levels = 'diff.levels = {calls = "warning", breaks-recorded = "error"}'
    repository.write({"edit": NARROWER}, levels)
    write(calls, line(FINE))
    assert recorded(diff("--calls", str(calls))) == {"values-narrowed": (0, 1)}
    assert toolcast("diff", "--calls", str(calls)).exit_code == 0
    write(calls, line(BROKEN))
    assert toolcast("diff", "--calls", str(calls)).exit_code == 1


def test_each_change_counts_its_own_calls(repository: Repository, calls: Path) -> None:
    required = with_properties(NARROWER, why={"type": "string", "description": "Why."})
    required["parameters"]["required"] = ["path", "why"]
    repository.write({"edit": required})
    write(calls, line(FINE), line(BROKEN), line({"path": "a", "why": "x"}))
    assert recorded(diff("--calls", str(calls))) == {
        "breaks-recorded": (2, 3), "parameter-required": (2, 3), "values-narrowed": (1, 3),
    }  # fmt: skip


@pytest.mark.parametrize("rest", [{}, {"replace": EDIT}])
def test_calls_of_a_tool_that_is_gone(repository: Repository, calls: Path, rest: dict[str, Any]) -> None:
    repository.write(rest)
    write(calls, line(FINE), line(BAD), line(FINE, "replace"))
    found = recorded(diff("--calls", str(calls)))
    assert found.pop("breaks-recorded") == (1, 2)
    assert set(found.values()) == {(1, 2)}
    assert all(rule.startswith(("tool-removed", "tool-renamed")) for rule in found)
    answer = diff("--calls", str(calls))
    (refusal,) = {each["witness"]["refusal"] for each in answer["changes"] if each["recorded"]}
    assert refusal == "there is no tool called `edit`"


def test_arguments_are_decoded_from_the_providers_form(repository: Repository) -> None:
    sizes = {"type": "object", "additionalProperties": {"type": "integer"}, "description": "Sizes by name."}
    repository.commit({"edit": with_properties(EDIT, mode=sizes)})
    narrower = {**sizes, "additionalProperties": {"type": "integer", "maximum": 5}}
    repository.write({"edit": with_properties(EDIT, mode=narrower)})
    sent = [json.dumps({"path": "a", "mode": [{"key": "x", "value": size}]}) for size in (1, 9)]
    calls = write(repository.folder / "calls.jsonl", *(line(each, provider="openai") for each in sent))
    assert recorded(diff("--calls", str(calls)))["breaks-recorded"] == (1, 2)


CONTRACTS = st.fixed_dictionaries(
    {
        "type": st.just("object"),
        "additionalProperties": st.sampled_from([False, True, {"type": "integer"}]),
        "required": st.lists(st.sampled_from("abc"), unique=True),
        "properties": st.dictionaries(
            st.sampled_from("abc"),
            st.sampled_from(
                [
                    {"type": "string"},
                    {"type": "string", "maxLength": 1},
                    {"type": ["string", "null"]},
                    {"type": "integer", "minimum": 2},
                    {"enum": ["x", 2]},
                    {"type": "array", "items": {"type": "integer"}, "maxItems": 1},
                    {"anyOf": [{"type": "string"}, {"type": "object", "required": ["d"]}]},
                    {
                        "type": "object",
                        "properties": {"d": {"type": "number"}},
                        "additionalProperties": False,
                    },
                ]
            ).map(lambda schema: {**schema, "description": "A value."}),
        ),
    }
)
VALUES = st.sampled_from(["x", "xy", "", 1, 2, 2.0, 2.5, None, True, [], [1], [1, 2], ["x"], {}, {"d": 1}])


@settings(max_examples=25)
@given(CONTRACTS, CONTRACTS, st.lists(st.dictionaries(st.sampled_from("abcd"), VALUES), max_size=30))
def test_verdicts_are_those_of_jsonschema_rs(old: Any, new: Any, sent: list[dict[str, Any]]) -> None:
    assume(
        all(
            each["additionalProperties"] or set(each["required"]) <= {*each["properties"]}
            for each in (old, new)
        )
    )
    compared = pair(spec(parameters=old), spec(parameters=new))
    before, after = (Oracle(schema, formats=asserted_formats()) for schema in (old, new))
    breaking = {True: 0, False: 0}
    kept = Counter[RecordedCall]()
    for call in sent:
        verdicts = before.verdict(call), after.verdict(call)
        if None not in verdicts:
            kept[RecordedCall(None, json.dumps(call))] += 1
            breaking[verdicts == (True, False)] += 1
    changes = calls_of(compared, context([compared]))
    profiles = Profiles(own={}, known=(), chosen=())
    found = list(with_recorded([compared], changes, RecordedCalls(by_tool={compared.name: kept}), profiles))
    counts = [(each.rule, each.recorded) for each in found if each.recorded is not None]
    totals = [each for rule, each in counts if rule == "breaks-recorded"]
    total = totals[0] if totals else Recorded(calls=kept.total(), broken=0)
    single = [each.broken for rule, each in counts if rule != "breaks-recorded"]
    assert total == Recorded(calls=kept.total(), broken=breaking[True])
    assert max(single, default=0) <= total.broken <= sum(single)


def test_calls_break_by_a_key_of_the_spec(repository: Repository) -> None:
    repository.commit({"edit": changed(EDIT, empty_is_absent=["mode"])})
    repository.write({"edit": EDIT})
    calls = write(repository.folder / "calls.jsonl", line(FINE), line({"path": "a", "mode": ""}))
    assert recorded(diff("--calls", str(calls)))["breaks-recorded"] == (1, 2)


# -- Readers ---------------------------------------------------------------------------------------

TEXT = json.dumps(BROKEN)
CHAT = {
    "role": "assistant",
    "tool_calls": [{"id": "1", "type": "function", "function": {"name": "edit", "arguments": TEXT}}],
}
RESPONSES = {"type": "function_call", "call_id": "2", "name": "edit", "arguments": TEXT}
ANTHROPIC = {
    "role": "assistant",
    "content": [
        {"type": "text", "text": "x"},
        {"type": "tool_use", "id": "3", "name": "edit", "input": BROKEN},
    ],
}
GEMINI = {"role": "model", "parts": [{"text": "x"}, {"functionCall": {"name": "edit", "args": BROKEN}}]}
OTLP_MESSAGES = [
    {"role": "assistant", "parts": [{"type": "tool_call", "id": "4", "name": "edit", "arguments": BROKEN}]}
]


def _span(**attributes: object) -> dict[str, Any]:
    named = [{"key": f"gen_ai.{key.replace('__', '.')}", "value": value} for key, value in attributes.items()]
    return {
        "resourceSpans": [{"resource": {}, "scopeSpans": [{"spans": [{"name": "s", "attributes": named}]}]}]
    }


LOGS = {
    "chat answer": {"choices": [{"message": CHAT, "finish_reason": "tool_calls"}]},
    "chat request": {"model": "m", "messages": [{"role": "user", "content": "x"}, CHAT]},
    "request and answer": [{"request": {"messages": [CHAT]}, "response": {"choices": [{"message": CHAT}]}}],
    "responses answer": {"output": [{"type": "reasoning"}, RESPONSES]},
    "responses request": {"input": [{"role": "user", "content": "x"}, RESPONSES]},
    "anthropic answer": {**ANTHROPIC, "stop_reason": "tool_use"},
    "anthropic request": {"messages": [{"role": "user", "content": "x"}, ANTHROPIC]},
    "gemini answer": {"candidates": [{"content": GEMINI}]},
    "gemini request": {"contents": [GEMINI]},
    "otlp span": _span(tool__name={"stringValue": "edit"}, tool__call__arguments={"stringValue": TEXT}),
    "otlp object": _span(
        tool__name={"stringValue": "edit"},
        tool__call__arguments={
            "kvlistValue": {"values": [{"key": key, "value": {"stringValue": BROKEN[key]}} for key in BROKEN]}
        },
    ),
    "otlp numbers": _span(
        tool__name={"stringValue": "edit"},
        tool__call__arguments={"stringValue": TEXT},
        usage={"arrayValue": {"values": [{"intValue": "7"}, {"doubleValue": 0.5}]}},
    ),
    "otlp messages": _span(output__messages={"stringValue": json.dumps(OTLP_MESSAGES)}),
}


@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize("indent", [None, 1])
def test_logs_of_others(tmp_path: Path, log: str, indent: int | None) -> None:
    calls = tmp_path / "calls.json"
    calls.write_text(json.dumps(LOGS[log], indent=indent))
    found = read_files([calls])
    assert not found.problems
    (made,) = found.by_tool["edit"].items()
    provider = log.split()[0].replace("responses", "openai-responses").replace("chat", "openai")
    provider = "openai" if provider == "request" else provider
    assert (json.loads(made[0].text), made[0].provider) == (BROKEN, None if provider == "otlp" else provider)
    assert (made[1], len(found.by_tool)) == (1, 1)


EXPORTERS: dict[str, tuple[str, str, Any]] = {
    "console": (
        "opentelemetry.sdk.trace.export",
        "ConsoleSpanExporter",
        lambda file: {"out": file, "formatter": lambda span: span.to_json(indent=None) + "\n"},
    ),
    "otlp": (
        "opentelemetry.exporter.otlp.json.file.trace_exporter",
        "FileSpanExporter",
        lambda file: {"stream": file},
    ),
}


@pytest.mark.parametrize("name", EXPORTERS)
def test_spans_of_the_real_sdk_are_read_back(calls: Path, name: str) -> None:
    """Those that a program sets, a list of messages, and those of `instrument`, by the official exporters."""
    module, exporter, options = EXPORTERS[name]
    trace = load("opentelemetry.sdk.trace")
    simple = load("opentelemetry.sdk.trace.export").SimpleSpanProcessor
    parts = [{"type": "tool_call", "id": "2", "name": "edit", "arguments": BROKEN}]
    with calls.open("w", encoding="utf-8") as file:
        provider = trace.TracerProvider()
        provider.add_span_processor(simple(getattr(load(module), exporter)(**options(file))))
        tracer = provider.get_tracer("t")
        with tracer.start_as_current_span("execute_tool edit") as span:
            span.set_attributes({"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "edit"})
            span.set_attributes({"gen_ai.tool.call.id": "1", "gen_ai.tool.call.arguments": TEXT})
            with tracer.start_as_current_span("chat") as inner:
                messages = json.dumps([{"role": "assistant", "parts": parts}])
                inner.set_attributes({"gen_ai.output.messages": messages, "gen_ai.usage.input_tokens": 7})
        hooks = instrument(content=True, tracer_provider=provider)
        registry = ToolRegistry(check_results=False, hooks=hooks)
        registry.register(SAMPLE_EDIT, lambda params, context: "done")  # noqa: ARG005
        assert asyncio.run(registry.execute("edit", GOOD)).success
    assert recorded(diff("--calls", str(calls)))["breaks-recorded"] == (2, 3)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no call of a tool was found"),
        ("{}\n[1, 2]", "no call of a tool was found"),
        ("no JSON\n{}", "cannot be read: 1; the first is line 1: it is not valid JSON"),
        ("\x00\xff", "cannot be read: 1; the first is line 1: it is not valid"),
        ("[" * 100_000, "cannot be read: 1; the first is line 1: it is nested too deeply"),
        (
            '{"tool_calls": [{"function": 1}, {"function": {}}, 1, {"function": {"name": "x"}}]}',
            "be read: 2",
        ),
        ('{"tool": 1, "arguments": {}, "verdict": []}', "be read: 1"),
        ('{"attributes": {"gen_ai.output.messages": "["}}', "be read: 1"),
        (
            '{"attributes": [1, {"key": 1}, {"key": "gen_ai.tool.name", "value": {"kvlistValue": 1}}]}',
            "no call",
        ),
        ('{"attributes": [{"key": "gen_ai.tool.name", "value": {"arrayValue": {"values": 1}}}]}', "no call"),
        ('{"attributes": [{"key": "gen_ai.x", "value": {"intValue": "x"}}]}', "be read: 1"),
        (json.dumps(line("{", cut=99)), "cut or redacted: 1"),
        (json.dumps(line({}, redacted=True)), "cut or redacted: 1"),
    ],
)
def test_what_cannot_be_read_is_counted(tmp_path: Path, text: str, told: str) -> None:
    calls = tmp_path / "calls.jsonl"
    calls.write_bytes(text.encode("latin-1"))
    (problem,) = read_files([calls]).problems
    assert told in problem.message


def test_what_cannot_be_read_is_told_and_the_rest_is_used(calls: Path) -> None:
    calls.write_text(f"no JSON\n{json.dumps(line(BROKEN))}\n")
    result = toolcast("diff", "--calls", str(calls))
    assert result.exit_code == 1
    assert "warning[recorded-calls]: lines or calls that cannot be read: 1" in result.stderr
    assert "recorded: breaks 1 of 1 call" in result.stdout


def test_a_file_that_is_missing_ends_the_command(calls: Path) -> None:
    result = toolcast("diff", "--calls", str(calls))
    assert result.exit_code == 2
    assert "cannot be read: No such file" in result.stderr
