"""Contracts of which a value once could not be sent to some provider, or came back as another one."""

from __future__ import annotations

from typing import Any

import pytest
from toolwright.build.core.compile import Options
from toolwright.providers import available
from toolwright.verify.hold import Settings, hold

from bench.fuzz.judge import tool_of


def obj(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, **more}


CLOSED = {"type": "object", "additionalProperties": False}
CONTRACTS: dict[str, dict[str, Any]] = {
    "alternatives of the root that take more than objects": obj(
        {}, oneOf=[{"additionalProperties": False}, {"type": ["number", "object"]}]
    ),
    "alternatives of the root that count, beside one that takes lists, too": obj(
        {}, anyOf=[{"type": ["array", "object"]}, {"maxProperties": 3}]
    ),
}


@pytest.mark.parametrize("contract", CONTRACTS.values(), ids=CONTRACTS)
def test_every_law_holds_under_every_provider(contract: dict[str, Any]) -> None:
    report = hold(tool_of(contract), {}, Options(providers=available()), Settings(examples=40, seed=1))
    assert [(each.law, each.provider, each.instance, each.actual) for each in report.counterexamples] == []
