"""Field checks agree with an independent JSON Schema validator."""

import json
from contextlib import nullcontext
from decimal import Decimal, localcontext
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.jsonschema.ecma import translate
from toolcast.runtime.support import (
    check_bounds,
    check_member,
    check_multiple_of,
    check_pattern,
    check_properties,
    check_unique,
)

SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from([0.0, 1.0, 1.5]), st.text("ab")
)


def passes(check: Any, *arguments: Any, **bounds: Any) -> bool:
    try:
        check("it", *arguments, **bounds)
    except ValueError as problem:
        return not str(problem).startswith("it must")
    return True


def valid(schema: dict[str, Any], value: Any) -> bool:
    return jsonschema_rs.is_valid(schema, value)


@given(st.lists(SCALARS, max_size=5))
def test_unique_is_json_unique(items: list[Any]) -> None:
    assert passes(check_unique, items) == valid({"uniqueItems": True}, items)


@given(SCALARS, st.lists(SCALARS, min_size=1, max_size=4))
def test_member_is_json_enum(value: Any, allowed: list[Any]) -> None:
    assert passes(check_member, value, tuple(allowed)) == valid({"enum": allowed}, value)


_VALUES = st.one_of(st.text("ab-\n\u2028 ", max_size=4), SCALARS, st.just(msgspec.UNSET))


@given(st.sampled_from(["^a+$", r"^\S*$", "b", "^(a|-)?b", r"^[a-z]{2}(\s|$)"]), _VALUES)
def test_pattern_is_json_pattern(pattern: str, value: Any) -> None:
    absent = value is msgspec.UNSET
    for _ in range(2):  # the first call of a pattern goes another way
        assert passes(check_pattern, value, translate(pattern)) == (
            absent or valid({"pattern": pattern}, value)
        )


def test_a_pattern_is_reported() -> None:
    with pytest.raises(ValueError, match='name must match \\^a, got "b"'):
        check_pattern("name", "b", "^a")


def test_true_is_not_one() -> None:
    assert passes(check_unique, [True, 1, False, 0])
    assert not passes(check_unique, [1, 1.0])
    assert not passes(check_member, True, (1,))
    assert passes(check_member, 1, (1.0,))


@pytest.mark.parametrize(
    ("value", "divisor", "expected"),
    [
        (0.3, 0.1, True),
        (0.35, 0.1, False),
        (1e300, 1e-5, True),
        (2**70, 2**60, True),
        (2**70 + 1, 2**60, False),
        (4.5, 1.5, True),
        (0, 7, True),
    ],
)
def test_multiples_are_exact(value: float, divisor: float, expected: bool) -> None:
    for _ in range(2):  # the first call of a divisor goes another way
        assert passes(check_multiple_of, value, divisor) == expected


@given(
    st.sampled_from([0.1, 0.01, 1e-9, 0.25, 1, 3, 1e-10]),
    st.integers(-(10**12), 10**12) | SCALARS,
    st.integers(0, 11),
)
def test_multiples_are_those_of_decimals(divisor: float, value: Any, shift: int) -> None:
    if type(value) is int:
        value = value / 10**shift  # many are multiples, and many are not by their last digit
    number = type(value) in (int, float)
    expected = not number or Decimal(repr(value)) % Decimal(repr(divisor)) == 0
    for _ in range(2):
        assert passes(check_multiple_of, value, divisor) == expected


@given(st.integers(-(2**80), 2**80), st.integers(-(2**80), 2**80))
def test_bounds_are_exact_past_64_bits(value: int, bound: int) -> None:
    assert passes(check_bounds, value, minimum=bound) == (value >= bound)
    assert passes(check_bounds, value, exclusive_maximum=bound) == (value < bound)
    assert passes(check_bounds, value, maximum=bound, exclusive_minimum=bound) is False


def test_absent_values_pass() -> None:
    for absent in (None, msgspec.UNSET):
        assert passes(check_multiple_of, absent, 2)
        assert passes(check_unique, absent)
        assert passes(check_bounds, absent, minimum=1)
    assert passes(check_member, msgspec.UNSET, ("a",))
    assert not passes(check_member, None, ("a",))


def test_the_text_names_the_members_as_json() -> None:
    with pytest.raises(ValueError, match=r'it must be one of "a", true, null') as caught:
        check_member("it", 5, ("a", True, None))
    assert json.dumps(5) not in str(caught.value)


@given(st.floats(allow_nan=False, allow_infinity=False) | st.decimals(-200_000, 200_000, places=3).map(float))
def test_multiples_of_steps_in_tenths_are_exact(value: float) -> None:
    for digits in (1, 2, 3, 9):
        with localcontext() as context:
            context.prec = 2000
            expected = Decimal(repr(value)) * 10**digits
            whole = expected == expected.to_integral_value()
        assert passes(check_multiple_of, value, 10.0**-digits) == whole


class Some(msgspec.Struct):
    a: int | None = None
    b: int | msgspec.UnsetType = msgspec.UNSET
    c: int | None = None


@given(st.integers(0, 7), st.integers(0, 3), st.none() | st.integers(0, 3))
def test_properties_are_counted(given_ones: int, minimum: int, maximum: int | None) -> None:
    value = Some(**{name: 1 for bit, name in enumerate("abc") if given_ones >> bit & 1})
    count = given_ones.bit_count()
    allowed = minimum <= count <= (3 if maximum is None else maximum)
    with nullcontext() if allowed else pytest.raises(ValueError, match=f"got {count}"):
        check_properties(value, minimum, maximum)
