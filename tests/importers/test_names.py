"""Cleaned names are allowed, unique in every respect, and depend on nothing but the input."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toolcast.importers.names import clean, fold, unique

ALLOWED = re.compile(r"^[A-Za-z_][A-Za-z0-9_-]{0,63}\Z")
NAMES = st.lists(
    st.text(max_size=80) | st.sampled_from(["a.b", "a_b", "a-b", "A_B", "a_b_2", "x" * 70, "x" * 71])
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("edit", "edit"),
        ("car_rental_pricing.get", "car_rental_pricing_get"),
        ("get /flights/delayed", "get_flights_delayed"),
        ("3d_render", "tool_3d_render"),
        ("-x", "x"),
        ("Größe ändern", "Groe_andern"),
        ("a::b", "a_b"),
    ],
)
def test_clean(name: str, expected: str) -> None:
    assert clean(name) == expected


def test_long_names_that_share_a_beginning_stay_apart() -> None:
    left, right = clean("a.b" * 40), clean("a.b" * 40 + "c")
    assert left != right
    assert len(left) == len(right) == 64


def test_names_without_a_letter_stay_apart() -> None:
    assert clean("获取") != clean("天气")
    assert clean("获取").startswith("tool_")


def test_a_name_that_was_fine_is_kept() -> None:
    """`get.user` comes first, but `get_user` needs no cleaning."""
    assert unique(["get.user", "get_user", "Get-User"]) == ["get_user_3", "get_user", "Get-User_2"]


@settings(deadline=None)
@given(NAMES)
def test_always_allowed_unique_and_repeatable(names: list[str]) -> None:
    chosen = unique(names)
    assert all(ALLOWED.match(name) for name in chosen)
    assert len({fold(name) for name in chosen}) == len(names)
    assert unique(names) == chosen
