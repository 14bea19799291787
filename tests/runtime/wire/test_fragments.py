"""Streams are put together to what was sent, wherever they were cut."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.runtime.arguments import parse_arguments
from toolcast.runtime.wire.fragments import FragmentError, Fragments, PartialArguments

from tests.runtime.wire.wire_values import ANY

OBJECTS = st.dictionaries(
    st.text(max_size=5),
    ANY | st.text(max_size=8) | st.floats(allow_nan=False, allow_infinity=False),
    max_size=4,
)


def cut(data: st.DataObject, text: Any) -> list[Any]:
    places = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    return [text[a:b] for a, b in zip([0, *places], [*places, len(text)], strict=True)]


@given(st.lists(OBJECTS, min_size=1, max_size=3), st.booleans(), st.data())
def test_any_cut_brings_the_same_value(values: list[Any], ascii_only: bool, data: st.DataObject) -> None:
    texts = [json.dumps(value, ensure_ascii=ascii_only) for value in values]
    waiting = {i: cut(data, text) for i, text in enumerate(texts)}
    stream = Fragments()
    while waiting:
        call = data.draw(st.sampled_from(sorted(waiting)))
        stream.add(waiting[call].pop(0), call)
        assert texts[call].startswith(stream.text(call))
        if not waiting[call]:
            del waiting[call]
            assert stream.text(call) == texts[call]
    assert sorted(stream.calls, key=str) == list(range(len(values)))
    for call, value in enumerate(values):
        assert parse_arguments("t", stream.done(call)) == json.loads(texts[call]) == value
    assert stream.calls == ()
    assert stream._size == 0


def test_halves_of_a_character_meet_again() -> None:
    stream = Fragments()
    whole = '{"a": "😀"}'
    for unit in whole.encode("utf-16-le").decode("utf-16-le"):
        stream.add(unit)
    other = Fragments()
    for fragment in ('{"a": "', "\ud83d", "\ude00", '"}'):
        other.add(fragment)
    assert other.done() == stream.done() == whole


def test_empty_fragments_and_empty_calls() -> None:
    stream = Fragments()
    stream.add("")
    stream.add(None, "other")
    stream.add("{}")
    assert stream.calls == (0, "other")
    assert stream.done() == "{}"
    assert parse_arguments("t", stream.done("other")) == {}
    assert stream.done("gone") == stream.text("gone") == ""


def test_streams_are_bounded() -> None:
    stream = Fragments(limit=10)
    stream.add("12345678", 1)
    with pytest.raises(FragmentError, match="too large"):
        stream.add("123", 2)
    many = Fragments()
    for call in range(1024):
        many.add("", call)
    with pytest.raises(FragmentError, match="calls"):
        many.add("", "one more")


def test_what_is_no_text_is_refused() -> None:
    stream = Fragments()
    with pytest.raises(TypeError, match="dict"):
        stream.add({"a": 1})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="bytes"):
        stream.add(b"a")  # type: ignore[arg-type]


def parts_of(value: Any, path: str, data: st.DataObject, out: list[dict[str, Any]]) -> None:
    """`value` as Vertex would stream it; empty arrays and objects have no form there."""
    if isinstance(value, dict):
        for name, item in value.items():
            quoted = json.dumps(name, ensure_ascii=data.draw(st.booleans()))
            plain = f".{name}" if name.isidentifier() else f"[{quoted}]"
            parts_of(item, path + plain, data, out)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            parts_of(item, f"{path}[{index}]", data, out)
    elif isinstance(value, str):
        pieces = cut(data, value)
        for piece in pieces[:-1]:
            out.append({"jsonPath": path, "stringValue": piece, "willContinue": True})
        out.append(
            {"json_path": path, "string_value": pieces[-1], "number_value": None, "will_continue": None}
        )
    elif value is None:
        out.append({"jsonPath": path, "nullValue": data.draw(st.sampled_from([None, "NULL_VALUE", 0]))})
    else:
        out.append({"jsonPath": path, "boolValue" if isinstance(value, bool) else "numberValue": value})


def full(value: Any) -> bool:
    if isinstance(value, (dict, list)):
        return bool(value) and all(map(full, value.values() if isinstance(value, dict) else value))
    return True


@given(st.dictionaries(st.text(max_size=4), ANY.filter(full), max_size=4), st.data())
def test_partial_arguments_come_together(value: dict[str, Any], data: st.DataObject) -> None:
    parts: list[dict[str, Any]] = []
    parts_of(value, "$", data, parts)
    stream = PartialArguments()
    for group in cut(data, parts):
        stream.add(group)
    assert json.dumps(stream.done()) == json.dumps(value)


def test_fields_that_a_client_leaves_at_none() -> None:
    unset = dict.fromkeys(["stringValue", "numberValue", "boolValue", "nullValue", "willContinue"])
    stream = PartialArguments()
    stream.add([{**unset, "jsonPath": "$.a", "numberValue": 5}, {**unset, "jsonPath": "$.b"}])
    stream.add([{**unset, "jsonPath": "$.c", "stringValue": "x", "willContinue": True}])
    stream.add([{**unset, "jsonPath": "$.c"}])
    assert stream.done() == {"a": 5, "b": None, "c": "x"}


def part(path: str, value: Any = "x", **more: Any) -> dict[str, Any]:
    return {"jsonPath": path, "stringValue": value, **more}


def test_single_quotes_and_a_last_part_without_a_value() -> None:
    stream = PartialArguments()
    stream.add([part("$['a b']['it\\'s']", willContinue=True), {"jsonPath": "$['a b']['it\\'s']"}])
    assert stream.done() == {"a b": {"it's": "x"}}


@pytest.mark.parametrize(
    ("parts", "stated"),
    [
        ([part("$.a"), part("$.a")], "second value"),
        ([part("$.a[0]"), part("$.a[0]")], "second value"),
        ([part("$.a[1]")], "missing"),
        ([part("$.a"), part("$.a.b")], "no array or object"),
        ([part("$.a.b"), part("$.a[0]")], "no array or object"),
        ([part("$.a", willContinue=True), {"jsonPath": "$.a", "boolValue": True}], "something else"),
        ([part("$.a", willContinue=True)], "inside of the string at"),
        ([part("$")], "not the path"),
        ([part("$..a")], "not the path"),
        ([part("$.a[*]")], "not the path"),
        ([part("$[0]")], "begin with the name"),
        ([part("$" + ".a" * 300)], "not the path"),
        ([part("$.a", 5)], "is a int"),
        ([{"jsonPath": "$.a", "numberValue": True}], "is a bool"),
        ([{"jsonPath": "$.a"}], "without a value"),
        ([part("$.a", boolValue=True)], "at once"),
        ([part(f"$.a{i}", "x" * 100_000) for i in range(60)], "too large"),
        ([{}], "not the path"),
    ],
)
def test_what_does_not_fit_together(parts: list[dict[str, Any]], stated: str) -> None:
    def put_together() -> None:
        stream = PartialArguments()
        stream.add(parts)
        stream.done()

    with pytest.raises(FragmentError, match=stated):
        put_together()
