"""Guesses at values: the one value that the contract accepts, or none where it accepts two."""

import json
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.providers import decode
from toolcast.runtime import ArgumentError, Guesses

EVERY = Guesses("all")


def read(value: Any, schema: dict[str, Any], guesses: Guesses = EVERY) -> Any:
    """What arguments are read as; None where they are refused."""
    try:
        return decode(json.dumps(value), "mcp", schema=json.dumps(schema), guesses=guesses)
    except ArgumentError:
        return None


def property_x(schema: Any, *, required: bool = True) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"x": schema},
        "required": ["x"] if required else [],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    ("schema", "sent", "one", "other"),
    [
        ({"type": ["integer", "boolean"]}, "1", '{"x":1}', '{"x":true}'),
        ({"type": ["number", "boolean"]}, "0", '{"x":0}', '{"x":false}'),
        ({"type": ["array", "integer"], "items": {"type": "string"}}, "7", '{"x":7}', '{"x":["7"]}'),
        ({"type": ["string", "boolean"]}, 1, '{"x":true}', '{"x":"1"}'),
        ({"enum": [True, "1"]}, 1, '{"x":true}', '{"x":"1"}'),
    ],
)
def test_a_value_with_two_meanings_is_refused_and_both_are_named(
    schema: Any, sent: Any, one: str, other: str
) -> None:
    guesses = Guesses("all")
    with pytest.raises(ArgumentError) as caught:
        decode({"x": sent}, "mcp", schema=json.dumps(property_x(schema)), guesses=guesses)
    assert "They can be read in two ways" in str(caught.value)
    assert one in str(caught.value)
    assert other in str(caught.value)
    assert not any(guesses.counts.values())


STRINGS = {"type": "array", "items": {"type": "string"}}
ITEMS = st.text(st.sampled_from("ab ,'\"[](){}:\\é\n#"), max_size=6)


@given(items=st.lists(ITEMS, max_size=4), pad=st.sampled_from(["", " ", "\n"]))
def test_a_text_that_reads_as_a_list_is_that_list(items: list[str], pad: str) -> None:
    """As Python and JSON write it; where something has two meanings it is refused, and never one item."""
    for schema in (STRINGS, {"type": ["array", "null"], "items": {"type": "string"}}):
        assert read({"x": pad + json.dumps(items) + pad}, property_x(schema)) == {"x": items}
        for text in (repr(items), json.dumps(items, ensure_ascii=False, indent=1)):
            assert read({"x": text}, property_x(schema)) in ({"x": items}, None)
    assert read({"x": json.dumps(items)}, property_x({"type": "string"})) == {"x": json.dumps(items)}
    both = {"anyOf": [{"type": "string"}, STRINGS]}
    assert read({"x": repr(items)}, property_x(both)) == {"x": repr(items)}


@pytest.mark.parametrize(
    ("items", "text", "meant"),
    [
        ("string", "['a','b']", ["a", "b"]),
        ("string", "('a', 'b')", ["a", "b"]),
        ("string", "('a',)", ["a"]),
        ("string", "['it\\'s', \"b\"]", ["it's", "b"]),
        ("string", "[1, 2]", ["1", "2"]),
        ("string", "[]", []),
        ("string", "[a, b]", ["a", "b"]),
        ("string", "['a', 'b'", None),
        ("string", '["a", "b', None),
        ("string", "[['a', 'b'], ['c']]", None),
        ("string", "[True]", None),
        ("string", "null", None),
        ("string", "None", None),
        ("string", "[draft] notes", ["[draft] notes"]),
        ("string", "(see 'a')", ["(see 'a')"]),
        ("string", "{'a': 1}", ["{'a': 1}"]),
        ("integer", "['1', '2']", [1, 2]),
        ("boolean", "[True, False]", [True, False]),
        ("array", "[['a'], ('b',)]", [["a"], ["b"]]),
        ("object", "[{'a': 1}, {\"a\": 2}]", [{"a": 1}, {"a": 2}]),
        ("object", "{'a': None}", [{"a": None}]),
        (["string", "null"], "[None, 'a']", [None, "a"]),
    ],
)
def test_lists_and_objects_in_texts(items: Any, text: str, meant: Any) -> None:
    schema = property_x({"type": "array", "items": {"type": items}})
    assert read({"x": text}, schema) == (None if meant is None else {"x": meant})
    assert read({"x": text}, schema, Guesses(["single-item"])) in (None, {"x": [text]})
    if meant != [text]:
        assert read({"x": text}, schema, Guesses(["single-item"])) is None


def test_an_object_that_python_wrote_is_that_object() -> None:
    guesses = Guesses("all").recorded()
    schema = property_x({"type": "object", "additionalProperties": {"type": "boolean"}})
    assert read({"x": "{'a': True}"}, schema, guesses) == {"x": {"a": True}}
    assert [str(each) for each in guesses.repairs()][:1] == [
        """json-text at $.x: "{'a': True}" -> {"a":true}"""
    ]
    assert {each.guess for each in guesses.repairs()} == {"json-text", "single-quotes", "python-literals"}
    for some in ({"json-text"}, {"json-text", "single-quotes"}, {"single-quotes", "python-literals"}):
        assert read({"x": "{'a': True}"}, schema, Guesses(some)) is None  # type: ignore[arg-type]


RANGE = {"type": "object", "properties": {"from": {"type": "integer"}}, "required": ["from"]}


@pytest.mark.parametrize(
    ("schema", "sent", "meant"),
    [
        (property_x({"type": "boolean"}), {"x": "YES"}, {"x": True}),
        (property_x({"type": "boolean"}), {"x": " off "}, {"x": False}),
        (property_x({"type": "boolean"}), {"x": 1}, {"x": True}),
        (property_x({"type": "boolean"}), {"x": "maybe"}, None),
        (property_x({"type": "boolean"}), {"x": 2}, None),
        (property_x({"type": "boolean"}), {"x": 1.5}, None),
        (property_x({"type": "integer"}), {"x": True}, None),
        (property_x({"type": "integer"}), {"x": " 12\n"}, {"x": 12}),
        (property_x({"type": "string"}), {"x": 12}, {"x": "12"}),
        (property_x({"type": "string"}), {"x": 10**30}, {"x": "1" + "0" * 30}),
        (property_x({"type": "string"}), {"x": 1.1}, None),  # 1.10, perhaps
        (property_x({"type": "string"}), {"x": True}, None),
        (property_x({"enum": ["a", "b"]}), {"x": " a"}, {"x": "a"}),
        (property_x({"enum": ["a", "b"]}), {"x": ["a"]}, {"x": "a"}),
        (property_x({"enum": ["a", "b"]}), {"x": ["a", "b"]}, None),
        (property_x({"type": "array", "items": {"type": "string"}}), {"x": "a"}, {"x": ["a"]}),
        (property_x({"type": "array", "items": {"type": "integer"}}), {"x": "5"}, {"x": [5]}),
        (property_x({"type": "array", "items": RANGE}), {"x": {"from": 1}}, {"x": [{"from": 1}]}),
        (property_x({"type": "array", "items": RANGE}), {"x": '{"from": "1"}'}, {"x": [{"from": 1}]}),
        (property_x(RANGE), {"x": {"x": {"from": 1}}}, {"x": {"from": 1}}),
        (property_x(RANGE), {"x": [{"from": 1}]}, {"x": {"from": 1}}),
        (property_x(RANGE), {"arguments": {"x": {"from": 1}}}, {"x": {"from": 1}}),
        (property_x(RANGE), {"arguments": '{"x": {"from": 1}}'}, {"x": {"from": 1}}),
        (property_x(RANGE), [{"x": {"from": 1}}], {"x": {"from": 1}}),
        (property_x(RANGE), {"from": 1}, {"x": {"from": 1}}),
        (property_x(RANGE), {"from": "1"}, {"x": {"from": 1}}),
        (property_x(RANGE), {"delete": {"x": {"from": 1}}}, None),  # a name that may mean something
        (property_x({"type": "integer"}, required=False), {"x": " "}, {}),
        (property_x({"type": "integer"}, required=False), {"x": " null "}, {}),
    ],
)
def test_what_is_meant(schema: dict[str, Any], sent: Any, meant: Any) -> None:
    found = read(sent, schema)
    assert found == meant
    assert json.dumps(found) == json.dumps(meant)  # True is not 1
    if meant is not None:
        assert read(sent, schema, Guesses()) is None
        assert jsonschema_rs.Draft202012Validator(schema).is_valid(found)


KINDS = ("integer", "number", "boolean", "string", "array", "null")
TYPES = st.lists(st.sampled_from(KINDS), min_size=1, max_size=3, unique=True)
SENT = st.sampled_from(["1", "0", "5", "true", "yes", "null", " a ", " 1", "", "x", "[1]"]) | st.sampled_from(
    [0, 1, 5, 1.5, True, False, None, ["1"], [], {"x": 1}, {"a": 1}]
)


def meanings(sent: Any) -> list[Any]:
    """What one value may mean, from docs/reference/arguments.md alone."""
    plain = sent.strip() if isinstance(sent, str) else sent
    found: list[Any] = []
    if isinstance(sent, str):
        found += [plain] if plain != sent else []
        found += [int(plain)] if plain.isdigit() else []
        found += [plain in ("1", "true", "yes")] if plain in ("1", "0", "true", "yes") else []
        found += [None] if plain == "null" else []
        found += [json.loads(plain)] if plain.startswith("[") else []
    elif isinstance(sent, int) and not isinstance(sent, bool):
        found += [str(sent), *([bool(sent)] if sent in (0, 1) else [])]
    elif isinstance(sent, list) and len(sent) == 1:
        found += sent
    elif isinstance(sent, dict) and "x" in sent:
        found.append(sent["x"])
    is_item = isinstance(sent, (str, int, float, dict)) and plain not in ("", "null", "[1]")
    return [*found, *([[sent]] if is_item else [])]


@given(types=TYPES, sent=SENT)
def test_of_several_meanings_that_fit_none_is_taken(types: list[str], sent: Any) -> None:
    schema = property_x({"type": types})
    judge = jsonschema_rs.Draft202012Validator(schema)
    found = read({"x": sent}, schema)
    if judge.is_valid({"x": sent}):
        assert json.dumps(found) == json.dumps({"x": sent})
        return
    fitting = {json.dumps({"x": each}) for each in meanings(sent) if judge.is_valid({"x": each})}
    if len(fitting) == 1:
        assert json.dumps(found) == fitting.pop()
    elif fitting:
        assert found is None
    elif found is not None:  # two guesses at one place
        assert judge.is_valid(found)


@pytest.mark.parametrize("schema", [{"type": "string"}, {"type": "array"}, {"type": "boolean"}])
def test_integers_that_cannot_be_written_are_refused(schema: Any) -> None:
    with pytest.raises(ArgumentError):
        decode({"x": 10**5000}, "mcp", schema=json.dumps(property_x(schema)), guesses=EVERY)


def test_members_that_belong_one_level_below_are_moved_there() -> None:
    flat = {
        "type": "object",
        "properties": {"path": {"type": "string"}, "range": {**RANGE, "additionalProperties": False}},
        "required": ["path", "range"],
        "additionalProperties": False,
    }
    meant = {"path": "a", "range": {"from": 1}}
    assert read({"path": "a", "from": 1}, flat) == meant
    assert read({"path": "a", "from": "1"}, flat) == meant
    assert read({"path": "a", "from": 1, "to": 2}, flat) is None
    assert read({"path": "a"}, flat) is None


def test_two_places_that_a_value_could_be_moved_to_are_two_readings() -> None:
    box = {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}
    either = {
        "type": "object",
        "anyOf": [
            {"required": ["a"], "properties": {"a": box}, "additionalProperties": False},
            {"required": ["b"], "properties": {"b": box}, "additionalProperties": False},
        ],
    }
    assert read({"n": 1}, either) is None


def test_json_text_in_a_json_string_is_corrected_inside() -> None:
    schema = json.dumps(property_x({"type": "integer"}))
    sent = json.dumps("{'x': 1,}")
    used = Guesses(["single-quotes", "trailing-comma"])
    assert decode(sent, "mcp", schema=schema, guesses=used) == {"x": 1}
    assert decode(sent.encode(), "mcp", schema=schema, guesses=used) == {"x": 1}
