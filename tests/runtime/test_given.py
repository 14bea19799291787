"""Properties that are counted without writing a value anew: never more than its text had."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, Struct, UnsetType
from toolcast.runtime.given import Count, counting


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


def _counters(shape: type) -> tuple[Count, Count]:
    found = counting(msgspec.inspect.type_info(shape))
    assert found is not None
    return found.functions()


@given(ORDERS)
def test_never_counts_more_than_was_sent_once(pairs: list[tuple[str, Any]]) -> None:
    text = _write(pairs)
    order = msgspec.json.decode(text, type=Order)
    count, inside = _counters(Order)
    written, repeated = _keys(pairs)
    assert count(order) <= written
    if repeated:
        assert count(order) < written
        assert "\\" in text or count(order) + inside(order) < text.count(":")
    elif all(value not in (None, ()) for _, value in pairs):
        # Nothing that was sent stands for its absence: everything is seen.
        assert count(order) == written


class Step(Struct, omit_defaults=True):
    do: str
    note: str | None = None
    size: int = 0


class Deep(Struct, omit_defaults=True):
    name: str
    origin: str = "a:b"
    first: Step | None = None
    last: Step | UnsetType | None = UNSET
    steps: list[Step] = []
    named: dict[str, Step] = {}
    pay: Card | Cash | None = None
    either: str | list[Line] = ":"
    pair: tuple[int, Step] | None = None
    spare: list[Step] = msgspec.field(default_factory=lambda: [Step("a")])
    nested: list[dict[str, list[Step]]] = []


STEP = st.lists(st.sampled_from(["note", "size"]), unique=True).flatmap(
    lambda chosen: _object(
        do=TEXT, **{name: st.none() | TEXT if name == "note" else st.integers(0, 2) for name in chosen}
    )
)
STEPS = st.lists(STEP, max_size=2).map(tuple)
DEEP = {
    "origin": st.just("a:b") | TEXT,
    "first": st.none() | STEP,
    "last": st.none() | STEP,
    "steps": STEPS,
    "named": st.lists(st.tuples(TEXT, STEP), max_size=2),
    "pay": st.none() | PAY,
    "either": TEXT | st.lists(LINE, max_size=2).map(tuple),
    "pair": st.none() | st.tuples(st.integers(0, 9), STEP),
    "spare": STEPS,
    "nested": st.lists(st.lists(st.tuples(TEXT, STEPS), max_size=2), max_size=2).map(tuple),
}
DEEPS = st.lists(st.sampled_from(list(DEEP)), unique=True).flatmap(
    lambda chosen: _object(name=TEXT, **{name: DEEP[name] for name in chosen})
)


@given(DEEPS)
def test_never_counts_more_further_down(pairs: list[tuple[str, Any]]) -> None:
    text = _write(pairs)
    value = msgspec.json.decode(text, type=Deep)
    count, inside = _counters(Deep)
    written, repeated = _keys(pairs)
    assert count(value) <= written - repeated
    if "\\" not in text:
        assert count(value) + inside(value) <= text.count(":") - repeated
    # What holds no default is seen: what is written anew has no other properties.
    anew = msgspec.json.encode(value)
    if "\\" not in text and not repeated:
        assert count(value) == _members(json.loads(anew)) - _hidden(value)


def _members(value: Any) -> int:
    """The properties of plain data, further down too."""
    if isinstance(value, dict):
        return len(value) + sum(map(_members, value.values()))
    return sum(map(_members, value)) if isinstance(value, list) else 0


def _hidden(value: Deep) -> int:
    """Properties that msgspec writes though they hold their default."""
    return (value.spare == [Step("a")]) * 2


def test_counts_what_every_item_has() -> None:
    count, inside = _counters(Sender)
    sender = Sender("a:b", [Line("x:", 1), Line("y", 2)])
    assert count(sender) == 2 + 2 * 2
    assert inside(sender) == 1  # those in items are left to other ways


@pytest.mark.parametrize("shape", [Tree, Line, list[Line], Card])
def test_leaves_alone_what_it_cannot_count_and_what_the_required_keys_settle(shape: type) -> None:
    assert counting(msgspec.inspect.type_info(shape)) is None
