"""Cleaned names are allowed, unique in every respect, and depend on nothing but the input."""

import re
from itertools import permutations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.importers.imported_names import clean, fold, unique

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
    assert unique(["get.user", "get_user"])[1] == "get_user"


@pytest.mark.parametrize(
    "names",
    [
        ["查询天气", "搜索文档", "创建任务"],
        ["get_x", "get.x", "get x"],
        ["Get-User", "get_user", "GET_USER"],
        ["class", "class_", "_class"],
        ["True", "true_"],
        ["_", "__", "tool"],
    ],
)
def test_every_name_is_the_same_in_whatever_order_they_come(names: list[str]) -> None:
    expected = dict(zip(names, unique(names), strict=True))
    assert len({fold(name) for name in expected.values()}) == len(names)
    for order in permutations(names):
        assert dict(zip(order, unique(order), strict=True)) == expected


@pytest.mark.parametrize("name", ["查询天气", "get.x", "3d", "-x", "x" * 65])
def test_a_changed_name_does_not_depend_on_the_other_tools(name: str) -> None:
    (alone,) = unique([name])
    assert ALLOWED.match(alone)
    assert unique([name, "get_x", "x", "tool_3d", "搜索文档", "get:x"])[0] == alone


def test_a_list_that_holds_the_name_made_for_another_tool() -> None:
    (made,) = unique(["get.x"])
    first, second = unique(["get.x", made])
    assert second == made
    assert first != made
    assert first.startswith(made)


@given(NAMES)
def test_always_allowed_unique_and_repeatable(names: list[str]) -> None:
    chosen = unique(names)
    assert all(ALLOWED.match(name) for name in chosen)
    assert len({fold(name) for name in chosen}) == len(names)
    assert unique(names) == chosen


@given(NAMES, st.randoms(use_true_random=False))
def test_different_names_do_not_depend_on_the_order(names: list[str], random: Random) -> None:
    different = list(dict.fromkeys(names))
    expected = dict(zip(different, unique(different), strict=True))
    random.shuffle(different)
    assert dict(zip(different, unique(different), strict=True)) == expected
