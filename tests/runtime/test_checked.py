"""Checked types decode what the contract accepts, and nothing else."""

import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.runtime import ArgumentError, MissingDataError, ToolBinding
from toolcast.runtime.support import checked, decode_hook

from tests.counting import grows_linearly
from tests.runtime.sample.misc.shapes import SHAPES, Cat, Dog, LimitsBody, TreeBody

Binding = ToolBinding[Any, Any]
MODULE = SHAPES.module


def test_the_fast_path_takes_markers(shapes: Binding) -> None:
    """The decoder itself, without the validator behind it."""
    text = b"""{"tags": ["a"], "pet": {"name": "Tom", "lives": 9}, "pets": [{"name": "Rex"}],
        "limits": {"unit-name": "m", "x": 1, "y": 2}, "tree": {"label": "r", "children": [{"label": "c"}]}}"""
    params = msgspec.json.Decoder(shapes.params, dec_hook=decode_hook).decode(text)
    assert params.tags == ["a"]
    assert params.pet == Cat(name="Tom", lives=9)
    assert params.pets == [Dog(name="Rex")]
    assert params.limits == LimitsBody(unit="m", additional_properties={"x": 1, "y": 2})
    assert params.tree == TreeBody(label="r", children=[TreeBody(label="c")])
    assert params.either is msgspec.UNSET
    assert shapes.decode(text) == params


def test_a_violation_is_a_validation_error_with_a_path(shapes: Binding) -> None:
    decoder = msgspec.json.Decoder(shapes.params, dec_hook=decode_hook)
    with pytest.raises(msgspec.ValidationError, match=r"at `\$\.tags`"):
        decoder.decode(b'{"tags": ["a", "a"]}')
    with pytest.raises(msgspec.ValidationError, match=r"at `\$\.pets\[1\]`"):
        decoder.decode(b'{"tags": [], "pets": [{"name": "x"}, {"name": 5}]}')
    with pytest.raises(msgspec.ValidationError, match=r"\.children\[0\]\.label.*at `\$\.tree`"):
        decoder.decode(b'{"tags": [], "tree": {"label": "r", "children": [{"label": 1}]}}')


def test_null_and_absent_are_distinguished(shapes: Binding) -> None:
    assert shapes.decode(b'{"tags": [], "either": null}').either is None
    assert shapes.decode(b'{"tags": [], "either": ["a"]}').either == ["a"]
    assert shapes.decode(b'{"tags": [], "pet": null}').pet is None


def test_allowances_hold_inside_markers(shapes: Binding) -> None:
    params = shapes.decode(
        b'{"tags": [], "pet": {"name": "T", "lives": 9.0}, "limits": {"unit-name": "m", "a": 2.0}}'
    )
    assert params.pet == Cat(name="T", lives=9)
    assert type(params.pet.lives) is int
    assert params.limits.additional_properties == {"a": 2}
    assert shapes.decode(b'{"tags": [], "pet": {"name": "R", "good": null}}').pet == Dog(name="R")
    params = shapes.decode(b'{"tags": [], "limits": {"unit-name": "m", "note": null}}')
    assert params.limits == LimitsBody(unit="m")


def test_a_further_property_may_have_the_fields_own_name(shapes: Binding) -> None:
    params = shapes.decode(b'{"tags": [], "limits": {"unit-name": "m", "additional_properties": 3}}')
    assert params.limits.additional_properties == {"additional_properties": 3}
    assert json.loads(shapes.encode(params))["limits"] == {"unit-name": "m", "additional_properties": 3}


def test_further_properties_are_not_shared(shapes: Binding) -> None:
    first = shapes.decode(b'{"tags": [], "limits": {"unit-name": "m", "a": 1}}')
    second = shapes.decode(b'{"tags": [], "limits": {"unit-name": "m"}}')
    assert (first.limits.additional_properties, second.limits.additional_properties) == ({"a": 1}, {})


def test_recursive_values_are_validated_once(shapes: Binding) -> None:
    """They would cost their depth squared if every level were validated with all below it."""

    def work(size: int) -> Callable[[], Any]:
        tree: dict[str, Any] = {"label": "leaf"}
        for depth in range(12 * size):
            tree = {"label": str(depth), "children": [tree]}
        text = json.dumps({"tags": ["a"], "tree": tree, "pets": [{"name": "Rex"}] * 2, "step": None})
        return lambda: shapes.decode(text)

    assert work(1)().tree.label == "11"
    assert grows_linearly(work)


def test_nothing_is_read_before_the_first_value() -> None:
    marker = checked(MODULE, "../contracts/gone.json#/parameters", int)
    decoder = msgspec.json.Decoder(list[marker], dec_hook=decode_hook)  # type: ignore[valid-type]
    assert decoder.decode(b"[]") == []
    with pytest.raises(MissingDataError, match="toolcast generate"):
        decoder.decode(b"[1]")


def test_a_pointer_to_nothing_is_named() -> None:
    marker = checked(MODULE, "../contracts/shapes.json#/parameters/nowhere", int)
    with pytest.raises(LookupError, match="/parameters/nowhere"):
        msgspec.json.Decoder(marker, dec_hook=decode_hook).decode(b"1")


def test_a_foreign_type_is_refused() -> None:
    with pytest.raises(NotImplementedError, match="complex"):
        decode_hook(complex, 1)


SCALAR = st.sampled_from(["a", "b", 0, 1, 2.5, 3.0, True, 0.3, 0.35])
PET = st.fixed_dictionaries({}, optional={"name": SCALAR, "lives": SCALAR, "good": SCALAR, "odd": SCALAR})
LIMITS = st.dictionaries(
    st.sampled_from(["unit-name", "note", "x", "additional_properties", "q" * 30]), SCALAR
)
TREE = st.recursive(
    st.fixed_dictionaries({"label": SCALAR}),
    lambda inner: st.fixed_dictionaries({"label": st.just("l"), "children": st.lists(inner, max_size=2)}),
    max_leaves=4,
)
VALUE = st.fixed_dictionaries(
    {"tags": st.lists(st.sampled_from(["a", "b", "c"]) | SCALAR, max_size=3)},
    optional={
        "pet": PET,
        "pets": st.lists(PET, max_size=2),
        "limits": LIMITS,
        "tree": TREE,
        "either": st.none() | st.lists(st.sampled_from(["a", "b", "c"]), max_size=2),
        "step": SCALAR,
        "odd": SCALAR,
    },
)


@pytest.fixture(scope="module")
def contract(oracle: Any) -> Any:
    return oracle("shapes")


@given(value=VALUE)
def test_accepts_what_the_schema_accepts(contract: Any, value: dict[str, Any]) -> None:
    """L1 through every marker; what is accepted says the same when encoded again."""
    refused: ArgumentError | None
    try:
        params = SHAPES.decode(json.dumps(value))
    except ArgumentError as problem:
        refused = problem
    else:
        refused = None
    if refused is not None:
        assert not contract.is_valid(value)
        assert refused.violations  # the contract's own refusal, never a disagreement with the Struct
        return
    assert contract.is_valid(value)
    encoded = SHAPES.encode(params)
    assert contract.is_valid(json.loads(encoded))
    assert SHAPES.decode(encoded) == params
