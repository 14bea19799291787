"""The laws of tools whose program fills in parameters."""

from typing import Any

import pytest
from toolcast.analysis.verify.tool_laws import Effort, check_laws
from toolcast.project.core.compiled import Options
from toolcast.providers import available
from toolcast.runtime.tool import Tool

from tests.providers.sampled import SAMPLE
from tests.sampled import sampled
from tests.verify.conftest import tool

SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["user_id", "folder"],
    "properties": {
        "user_id": {"type": "integer", "minimum": 1},
        "region": {"type": ["string", "null"], "maxLength": 3},
        "when": {"$ref": "#/$defs/When"},
        "folder": {"type": "string", "minLength": 1},
        "limits": {"type": "array", "items": {"type": "integer"}, "maxItems": 3},
        "tags": {"type": "object", "additionalProperties": {"type": "string"}},
    },
    "$defs": {"When": {"type": "object", "required": ["day"], "properties": {"day": {"type": "integer"}}}},
}
INJECT = {"user_id": "context.user_id", "region": "context.region", "when": "context.when"}


def laws(parameters: Any, providers: tuple[str, ...] = SAMPLE) -> Any:
    spec = tool(parameters, inject=INJECT)
    return check_laws(spec, {}, Options(providers=providers), Effort(examples=60, seed=3))


@pytest.mark.parametrize("providers", sampled([SAMPLE, tuple(available())], [SAMPLE]), ids=len)
@pytest.mark.parametrize(
    "closed", [{}, {"additionalProperties": False}, {"additionalProperties": {"type": "integer"}}]
)
def test_every_law_holds(closed: Any, providers: tuple[str, ...]) -> None:
    report = laws({**SCHEMA, **closed}, providers)
    assert report.counterexamples == ()
    assert report.valid > 5
    assert report.invalid > 5


def test_a_hidden_parameter_that_is_required_of_models_breaks_a_law(monkeypatch: pytest.MonkeyPatch) -> None:
    """The laws see both: what models are offered, and what decoding asks of them."""
    monkeypatch.setattr(Tool, "_offered", Tool._parameters)
    report = laws({**SCHEMA, "additionalProperties": False})
    assert {each.law for each in report.counterexamples} >= {"L2", "L3"}
