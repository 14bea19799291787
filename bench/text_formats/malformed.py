"""Malformed arguments inside the marks of a call: told as a problem, never read as anything else."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from toolcast.agents.text_calls import Parsed, parse

MARKS = {
    "hermes": '<tool_call>\n{{"name": "f", "arguments": {}}}\n</tool_call>',
    "mistral": "[TOOL_CALLS]f[ARGS]{}",
    "kimi-k2": "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{}"
    "<|tool_call_end|><|tool_calls_section_end|>",
    "deepseek-v31": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{}"
    "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
}
"""Formats whose arguments are JSON, and a call with a place for the arguments."""


def malformed(shared: Path) -> str:
    """Write the part of the report.

    Args:
        shared: the folder of shared suites and corpora.

    Returns:
        Markdown.
    """
    lines = (shared / "suites/malformed-arguments/cases.jsonl").read_text("utf-8").splitlines()
    inputs = list(dict.fromkeys(json.loads(line)["input"] for line in lines))
    rows = [
        "## Malformed arguments",
        "",
        f"{len(inputs)} texts of json_repair's own tests are the arguments of a call: what is an object is",
        "to be read, all else told as a problem. Nothing, and an empty string, may count for no arguments.",
        "How many of them guesses correct: [malformed arguments](../reference/arguments.md#guesses).",
        "",
        "| format | objects | read | no objects | problem | no arguments | silent | wrong |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for format, template in MARKS.items():
        counts = Counter(_verdict(each, parse(template.format(each), format)) for each in inputs)
        objects = sum(_object(each) is not None for each in inputs)
        cells = (objects, counts["read"], len(inputs) - objects, *(counts[each] for each in _OTHERS))
        rows.append(f"| {format} | " + " | ".join(f"{cell:,}" if cell else "" for cell in cells) + " |")
    return "\n".join(rows)


_OTHERS = ("problem", "empty", "silent", "wrong")


def _verdict(text: str, parsed: Parsed) -> str:
    asked = _object(text)
    found = [(call.name, _object(str(call.arguments))) for call in parsed.calls]
    if asked is not None and found == [("f", asked)]:
        return "read"
    if text.strip() in ("", '""') and found == [("f", {})]:
        return "empty"
    if any(arguments is not None for _, arguments in found):
        return "wrong"
    return "problem" if parsed.problems or found else "silent"


def _object(text: str) -> Any:
    """The object that a text is; None for any other text."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
