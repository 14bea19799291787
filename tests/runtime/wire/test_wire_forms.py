"""Arguments in each provider's wire form: the Struct decides as the contract does, nulls and numbers too."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from toolcast.analysis.verify.verified_tool import subject
from toolcast.project.core.compiled import Options
from toolcast.runtime import ArgumentError

from bench.fuzz.judge import tool_of
from generated.registry import BINDINGS
from tests.python.compiled import package, spec
from tests.runtime.test_duplicates import Pairs, texts

ROOT = Path(__file__).resolve().parents[3]
CASES = [(tool, None) for tool in sorted(BINDINGS)] + [
    (tool, provider)
    for tool, binding in sorted(BINDINGS.items())
    for provider in ("gemini", "openai")
    if provider in binding.wire_forms
]

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 9) | st.floats(0, 9) | st.text("a1:\\é", max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(st.tuples(st.sampled_from(["key", "value", "item_1", "item_2", "a"]), inner)).map(Pairs)
    ),
    max_leaves=6,
)


def _outcome(decode: Callable[[], Any]) -> str:
    try:
        return repr(decode())
    except ArgumentError as problem:
        return str(problem)


def _examples(tool: str) -> list[dict[str, Any]]:
    (path,) = ROOT.glob(f"specs/*/{tool}.yaml")
    calls: list[dict[str, Any]] = yaml.safe_load(path.read_text("utf-8"))["examples"]
    return calls


@st.composite
def _calls(draw: st.DrawFn, tool: str, provider: str | None) -> str:
    """Text of an example, more or less: properties are changed, come twice, are null or missing."""
    binding = BINDINGS[tool]
    pairs: list[Any] = list(draw(st.sampled_from(_examples(tool))).items())
    names = [*binding.params.__struct_encode_fields__, "other"]
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(pairs)))
        name = draw(st.sampled_from(names))
        entry = (name, draw(st.none() | ANYTHING | st.sampled_from([item for _, item in pairs] or [None])))
        pairs[at : at + draw(st.integers(0, 1))] = [entry]
    pairs = [(name, _encoded(item, draw) if provider else item) for name, item in pairs]
    return draw(texts(Pairs(pairs)))


def _encoded(value: Any, draw: st.DrawFn) -> Any:
    """A value in one of the wire forms that there are."""
    if isinstance(value, dict):
        return [Pairs([("key", name), ("value", item)]) for name, item in value.items()]
    if isinstance(value, list) and draw(st.booleans()):
        return Pairs([(f"item_{index + 1}", item) for index, item in enumerate(value)])
    return json.dumps(value) if draw(st.integers(0, 4)) == 0 and not isinstance(value, Pairs) else value


@given(st.sampled_from(CASES), st.booleans(), st.data())
def test_the_struct_decides_as_the_contract(
    case: tuple[str, str | None], as_bytes: bool, data: st.DataObject
) -> None:
    tool, provider = case
    binding = BINDINGS[tool]
    by_contract = msgspec.structs.replace(binding, exact=False)
    text = data.draw(_calls(tool, provider))
    arguments = text.encode() if as_bytes else text
    found = _outcome(lambda: binding.decode(arguments, provider))
    assert found == _outcome(lambda: by_contract.decode(arguments, provider))


INTEGER = {"type": "integer"}
TUPLE = {"type": "array", "prefixItems": [INTEGER, {"type": "array", "prefixItems": [INTEGER]}]}


@pytest.mark.parametrize(
    ("schema", "written", "intended"),
    [
        (TUPLE, "[5.0, [6e0]]", [5, [6]]),
        ({"type": ["array", "null"], "prefixItems": [{"type": "object", "properties": {"n": INTEGER}}]},
         '[{"n": 7.0}]', [{"n": 7}]),
        ({"enum": [0.5, 3]}, "3.0", 3),
        ({"enum": [0.5, 3]}, "0.5", 0.5),
        ({"type": "number"}, "3.0", 3.0),
        ({"type": "number"}, "-0.0", -0.0),
        ({"prefixItems": [{"type": "number"}, INTEGER]}, "[5.0, 5.0]", [5.0, 5]),
        ({"enum": [[1.0], 2]}, "2.0", 2),
    ],
)  # fmt: skip
def test_a_whole_float_is_the_integer_that_is_asked_for(schema: Any, written: str, intended: Any) -> None:
    """Also where the type would take any value, so that only the contract asks for an integer."""
    parameters = {"type": "object", "properties": {"v": schema}}
    with subject(tool_of(parameters), {}, Options(providers=())) as found:
        text = f'{{"v": {written}}}'
        for arguments in (text, text.encode(), json.loads(text)):
            value = msgspec.to_builtins(found.binding.decode(arguments).v)
            assert repr(value).replace("(", "[").replace(")", "]") == repr(intended)
            if isinstance(intended, float):
                assert math.copysign(1, value) == math.copysign(1, intended)


def test_a_literal_that_the_contract_refuses_is_refused() -> None:
    """It is one of an enum that another alternative excludes, and the contract alone can tell."""
    value = {"oneOf": [{"type": "number"}, {"enum": [0, 10]}]}
    parameters = {"type": "object", "required": ["value"], "properties": {"value": value}}
    with package({"t.json": spec(parameters)}, options=Options(providers=("gemini",))) as found:
        binding = found["t"]
        for text in ("0", "10"):
            for arguments in ({"value": text}, json.dumps({"value": text})):
                with pytest.raises(ArgumentError, match="matches more than one"):
                    binding.decode(arguments, provider="gemini")


def test_a_null_that_the_contract_takes_is_kept() -> None:
    """Only the contract knows that such a value may be null."""
    odd = {"enum": [[1], 2]}
    inner = {"a": {"anyOf": [odd, {"type": "null"}]}, "c": {"type": "array", "items": {"type": "string"}}}
    outer = {"type": "object", "properties": inner, "required": ["c"], "additionalProperties": False}
    parameters: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "array", "items": odd}}}
    parameters["properties"]["c"] = outer
    parameters["additionalProperties"] = False
    with package({"t.json": spec(parameters)}, options=Options(providers=("gemini",))) as found:
        for text in ('{"a": [], "c": {"a": null, "c": []}}', '{"c": {"c": []}}'):
            params = found["t"].decode(text, "gemini")
            assert (params.c.a is None) == ("null" in text)
