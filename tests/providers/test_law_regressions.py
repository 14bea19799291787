"""Contracts that once broke a law under some provider, held to all laws under every one."""

from __future__ import annotations

from typing import Any

import pytest
from toolcast.analysis.verify.tool_laws import Effort, check_laws
from toolcast.project.core.compiled import Options
from toolcast.providers import available

from bench.fuzz.judge import tool_of
from tests.providers.regressions import REGRESSIONS
from tests.providers.sampled import SAMPLE
from tests.providers.test_lock_out_regressions import LOCKED_OUT


def obj(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, **more}


CONTRACTS: dict[str, dict[str, Any]] = {
    **REGRESSIONS["laws"],
    "a union of many branches": obj(
        {
            "o": {"anyOf": [obj({"k": {"const": i}, f"v{i}": {"type": "string"}}) for i in range(12)]},
            "s": {"oneOf": [{"type": "string", "pattern": f"^{i}"} for i in range(11)] + [{"type": "null"}]},
            "r": {"anyOf": [{"$ref": "#/$defs/N"}, *({"type": "array", "minItems": i} for i in range(11))]},
        },
        **{"$defs": {"N": obj({"n": {"anyOf": [{"$ref": "#/$defs/N"}, {"type": "integer"}]}})}},
    ),
}


@pytest.mark.parametrize(
    ("providers", "examples"),
    [
        pytest.param(SAMPLE, 20, id="sample"),
        pytest.param(available(), 40, id="all", marks=pytest.mark.thorough),
    ],
)
@pytest.mark.parametrize("name", [*CONTRACTS, *LOCKED_OUT])
def test_every_law_holds(name: str, providers: tuple[str, ...], examples: int) -> None:
    contract = {**CONTRACTS, **LOCKED_OUT}[name]
    report = check_laws(
        tool_of(contract), {}, Options(providers=providers), Effort(examples=examples, seed=1)
    )
    assert [(each.law, each.provider, each.instance, each.actual) for each in report.counterexamples] == []
