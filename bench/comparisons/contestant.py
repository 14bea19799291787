"""What is asked of everyone who decodes arguments, and what came out."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Sequence
from time import process_time_ns
from typing import Any

from msgspec import Struct

from .values import Tool

Decode = Callable[[str], Any]
"""Decodes JSON text; whatever it raises is a refusal."""
_LAPS = 5


class Answer(Struct, frozen=True):
    """One contestant on one tool.

    `refusals` has, for each value of the tool, None where it was taken, else what a model would read.
    `nanoseconds` is for the accepted values that were not bent, of the processor; None where one was refused.
    `schema` is what the contestant publishes as its own, `sent` what a model reads; None where there is none.
    """

    refusals: tuple[str | None, ...]
    nanoseconds: float | None = None
    schema: Any = None
    sent: str | None = None


class Made(Struct, frozen=True):
    """What a contestant made of a tool, before anything is decoded."""

    decode: Decode
    refusal_text: Callable[[Exception], str] = str
    schema: Any = None
    sent: str | None = None


class Contestant(Struct, frozen=True):
    """By the name of a tool what was answered, or None where nothing can be called."""

    name: str
    answers: dict[str, Answer | None]


def contest(name: str, tools: Iterable[Tool], make: Callable[[Tool], Made]) -> Contestant:
    """Ask `make` for each tool, and what it made about each value. What `make` raises leaves the tool out."""
    answers: dict[str, Answer | None] = {}
    for tool in tools:
        try:
            made = make(tool)
        except Exception:  # whatever a generator raises: it makes nothing of this tool
            answers[tool.name] = None
            continue
        answers[tool.name] = _answer(tool, made)
    return Contestant(name, answers)


def _answer(tool: Tool, made: Made) -> Answer:
    refusals = tuple(_refusal(made, value.text) for value in tool.values)
    valid = [
        (v.text, refusal)
        for v, refusal in zip(tool.values, refusals, strict=True)
        if v.accepted and not v.bent
    ]
    timed = bool(valid) and all(refusal is None for _, refusal in valid)
    time = _fastest(made.decode, [text for text, _ in valid]) if timed else None
    return Answer(refusals, time, made.schema, made.sent)


def _refusal(made: Made, text: str) -> str | None:
    try:
        made.decode(text)
    except Exception as refused:  # each library has errors of its own
        return made.refusal_text(refused)
    return None


def _fastest(decode: Decode, texts: Sequence[str]) -> float:
    gc.disable()
    try:
        laps = []
        for _ in range(_LAPS):
            before = process_time_ns()
            for text in texts:
                decode(text)
            laps.append(process_time_ns() - before)
    finally:
        gc.enable()
    return float(min(laps))
