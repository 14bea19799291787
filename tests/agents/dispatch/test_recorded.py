"""Recorded traffic: every call that a provider once made parses, and its client takes the result."""

import json
from pathlib import Path
from typing import Any

import pytest
from toolcast.agents.dispatch import Assembler, assistant_messages, parse, render
from toolcast.runtime import ToolResult

from tests.agents.dispatch.answers import ANSWERS, Asked, answered, id_for
from tests.agents.dispatch.judges import as_object, judge_of
from tests.agents.dispatch.streaming import STREAMS
from tests.clients.conftest import Client

RECORDED = {
    "anthropic": "anthropic", "bedrock": "bedrock", "google_jsonschema": "gemini", "google_openapi": "gemini",
    "openai_chat": "openai", "openai_responses": "openai-responses",
}  # fmt: skip

pytestmark = pytest.mark.corpora


def recorded(shared_dir: Path) -> list[tuple[str, list[Asked]]]:
    """(our format, the calls of one recording), those included that their schema refuses."""
    lines = (shared_dir / "suites/provider-cassettes/tools.jsonl").read_text("utf-8").splitlines()
    out: list[tuple[str, list[Asked]]] = []
    for line in lines:
        tool = json.loads(line)
        format = RECORDED[tool["provider_format"]]
        values = tool["calls"] + [bad["arguments"] for bad in tool["bad_calls"]]
        values += tool.get("unchecked_calls", [])
        texts = [json.dumps(value, ensure_ascii=False) for value in values]
        out.append((format, [Asked(id_for(format, i), tool["name"], text) for i, text in enumerate(texts)]))
    return out


def value(arguments: Any) -> Any:
    return arguments if isinstance(arguments, dict) else json.loads(arguments)


def test_every_recorded_call(shared_dir: Path, client: Client) -> None:
    seen = 0
    for format, asked in recorded(shared_dir):
        answer = ANSWERS[format](asked)
        judge = judge_of(format, client)
        for given in (answer, as_object(format, answer, client)):
            calls = parse(given, format)
            assert [(c.id, c.name, value(c.arguments)) for c in calls] == [
                (a.id, a.name, a.value) for a in asked
            ]
            results = [ToolResult.ok(a.text, a.value) if a.value else ToolResult.failed("no") for a in asked]
            messages = render(calls, results, format)
            for message in assistant_messages(given, format) + messages:
                judge(message)
            assert [id for id, _ in answered(format, messages)] == [a.id for a in asked]
        seen += len(asked)
    assert seen > 100


def test_every_recorded_call_as_a_stream(shared_dir: Path) -> None:
    for format, asked in recorded(shared_dir):
        stream = Assembler(format)
        pieces = [[call.text[i : i + 7] for i in range(0, len(call.text), 7)] for call in asked]
        for event in STREAMS[format](asked, pieces, lambda n: n // 2):
            stream.feed(event)
        found = stream.calls()
        assert [(c.id, c.name, value(c.arguments)) for c in found] == [(a.id, a.name, a.value) for a in asked]
