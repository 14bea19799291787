"""Properties that are counted without writing a value anew: never more than its text had."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, Struct, UnsetType
from toolwright.runtime.given import counters


class Line(Struct, forbid_unknown_fields=True):
    sku: str
    quantity: int


class Card(Struct, tag_field="kind", tag="card"):
    number: str


class Cash(Struct, tag_field="kind", tag="cash"):
    paid: bool


class Sender(Struct):
    id: str
    lines: list[Line]


class Order(Struct, omit_defaults=True):
    sender: Sender
    pay: Card | Cash
    labels: dict[str, str]
    sizes: tuple[int, Line]
    note: str | None = None
    code: str | UnsetType | None = UNSET
    tags: list[str] = []


class Tree(Struct):
    name: str
    below: "list[Tree]"


class Loose(Struct):
    note: str = ""


class Around(Struct):
    inner: Loose


class Listed(Struct):
    items: list[Loose]


TEXT = st.text('ab:\\"', max_size=3)


def _object(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[list[tuple[str, Any]]]:
    """An object as the pairs that are written: each field once, some of them twice."""
    names = list(fields)

    def twice(doubled: list[str]) -> st.SearchStrategy[list[tuple[str, Any]]]:
        return st.tuples(
            *(fields[name].map(lambda item, name=name: (name, item)) for name in names + doubled)
        ).map(list)

    return st.lists(st.sampled_from(names), max_size=1).flatmap(twice)


LINE = _object(sku=TEXT, quantity=st.integers(0, 9))
PAY = _object(kind=st.just("card"), number=TEXT) | _object(kind=st.just("cash"), paid=st.booleans())
LABELS = st.lists(st.tuples(TEXT, TEXT), max_size=3)
REQUIRED = {
    "sender": _object(id=TEXT, lines=st.lists(LINE, max_size=2).map(tuple)),
    "pay": PAY,
    "labels": LABELS,
    "sizes": st.tuples(st.integers(0, 9), LINE),
}
OPTIONAL = {
    "note": st.none() | TEXT,
    "code": st.none() | TEXT,
    "tags": st.lists(TEXT, max_size=2).map(tuple),
}
ORDERS = st.lists(st.sampled_from(list(OPTIONAL)), unique=True).flatmap(
    lambda chosen: _object(**REQUIRED, **{name: OPTIONAL[name] for name in chosen})
)


def _write(value: Any) -> str:
    """JSON text; a list is an object as pairs, a tuple is an array."""
    if isinstance(value, list):
        return "{" + ",".join(f"{json.dumps(name)}:{_write(item)}" for name, item in value) + "}"
    if isinstance(value, tuple):
        return "[" + ",".join(map(_write, value)) + "]"
    return json.dumps(value)


def _keys(value: Any) -> tuple[int, bool]:
    """How many keys were written, and whether one came twice."""
    if isinstance(value, list):
        inner = [_keys(item) for _, item in value]
        names = [name for name, _ in value]
        return len(names) + sum(n for n, _ in inner), len({*names}) < len(names) or any(b for _, b in inner)
    if isinstance(value, tuple):
        inner = [_keys(item) for item in value]
        return sum(n for n, _ in inner), any(b for _, b in inner)
    return 0, False


@given(ORDERS)
def test_never_counts_more_than_was_sent_once(pairs: list[tuple[str, Any]]) -> None:
    text = _write(pairs)
    order = msgspec.json.decode(text, type=Order)
    found = counters(msgspec.inspect.type_info(Order), faithful=True)
    assert found is not None
    count, inside = found
    written, repeated = _keys(pairs)
    assert count(order) <= written
    if repeated:
        assert count(order) < written
        assert "\\" in text or count(order) + inside(order) < text.count(":")
    elif all(value not in (None, ()) for _, value in pairs):
        # Nothing that was sent stands for its absence: everything is seen.
        assert count(order) == written


def test_counts_what_every_item_has() -> None:
    count, inside = counters(msgspec.inspect.type_info(Sender), faithful=True) or (None, None)
    assert count is not None
    assert inside is not None
    sender = Sender("a:b", [Line("x:", 1), Line("y", 2)])
    assert count(sender) == 2 + 2 * 2
    assert inside(sender) == 1  # those in items are left to other ways


@pytest.mark.parametrize("shape", [Tree, Around, Listed, Line])
def test_leaves_alone_what_varies_and_what_the_required_keys_settle(shape: type) -> None:
    assert counters(msgspec.inspect.type_info(shape), faithful=True) is None
