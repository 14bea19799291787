"""Awkward names, defaults, unions, recursion and scalars: what they decode to, and their types."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from toolcast.runtime import ArgumentError

from tests.python.compiled import Binding, binding, compile_files, imported, package, refusal, source, spec
from tests.python.equivalence_cases import ODD_NAMES, TOOLS, TYPES

SPECS = {path: spec(parameters) for path, parameters in TOOLS.items()}


@pytest.fixture(scope="module")
def tools() -> Iterator[dict[str, Binding]]:
    with package(SPECS, TYPES) as found:
        yield found


def accepts(tool: Binding, value: Any) -> bool:
    try:
        tool.decode(msgspec.json.encode(value))
    except ArgumentError:
        return False
    return True


@pytest.mark.parametrize("name", ODD_NAMES)
def test_every_name_keeps_its_wire_name(tools: dict[str, Binding], name: str) -> None:
    value = tools["names"].decode({name: "x"})
    assert msgspec.json.decode(tools["names"].encode(value)) == {name: "x"}
    if set(name) & set('"\\\n\0'):  # msgspec has no such field names
        assert value.additional_properties_2 == {name: "x"}
        return
    attributes = [field for field in value.__struct_fields__ if getattr(value, field) == "x"]
    assert len(attributes) == 1
    assert attributes[0].isidentifier()
    assert not attributes[0].startswith("_")


def test_defaults(tools: dict[str, Binding]) -> None:
    value = tools["defaults"].decode(b"{}")
    assert (value.text, value.whole, value.real, value.flag) == ('it\'s "x"', 5, 1, False)
    assert isinstance(value.whole, int)
    assert (value.empty, value.some, value.map) == ([], ["a"], {"a": 1})
    assert (value.nested.a, value.pair, value.objects[0].a) == (1, (1, "a"), 1)
    assert (value.choice, value.mixed, value.unique) == ("a", None, [1, 2])
    assert value.nullable is msgspec.UNSET
    assert (value.nullable_default, value.null_default) == ("x", None)
    assert tools["defaults"].decode({"nullable": None}).nullable is None
    assert tools["defaults"].decode(b"{}").some is not value.some


def test_recursion(tools: dict[str, Binding]) -> None:
    tool = tools["recursive"]
    value = tool.decode({"children": [{"children": [{"tree": {"value": 1, "left": {"value": 2}}}]}]})
    assert type(value.children[0].children[0]) is type(value)
    assert value.children[0].children[0].tree.left.value == 2
    assert (
        tool.decode({"loop": {"right": {"lefts": [{"many": [{}]}]}}}).loop.right.lefts[0].many[0].right
        is None
    )
    assert tool.decode({"json": [{"a": [None, 1.5, "x", True]}]}).json == [{"a": [None, 1.5, "x", True]}]
    assert accepts(tool, {"even": [[[[]]]]})
    assert not accepts(tool, {"even": [[[], []]]})
    assert not accepts(tool, {"children": [{"tree": {"left": {"value": 1}}}]})
    assert not accepts(tool, {"loop": {"right": {"lefts": [{"x": 1}]}}})


def test_tagged_unions(tools: dict[str, Binding]) -> None:
    tool = tools["tagged"]
    value = tool.decode({"many": [{"kind": "cat"}, {"kind": "dog", "name": "x"}], "by_name": {"a": None}})
    assert [type(item).__name__ for item in value.many] == ["Cat", "Dog"]
    assert value.many[0].kind == "cat"
    assert tool.decode({"numbered": {"v": 2.0, "b": "x"}}).numbered.b == "x"
    for good in [{"alone": {"kind": "cat"}}, {"untagged": {"b": "x"}}, {"lists": []}, {"exclusive": 10.5}]:
        assert accepts(tool, good), good
    for bad in [
        {"alone": {}}, {"alone": {"kind": "dog"}}, {"one": {"name": "x"}}, {"many": [{"kind": "cow"}]},
        {"untagged": {"a": 1, "b": "x"}}, {"lists": [1, "a"]}, {"exclusive": 10}, {"exclusive": 1.5},
        {"numbered": {"v": 1, "b": "x"}},
    ]:  # fmt: skip
        assert not accepts(tool, bad), bad


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("huge", [2**70, -(2**70), 2**64], [2**70 + 1, -(2**70) - 1]),
        ("edge", [2**63 - 1, -(2**63)], [2**63, -(2**63) - 1]),
        ("fraction", [1, 9, 9.0], [0, 10, 9.5]),
        ("tenth", [0.3, 0.7, 1, 1.1, 1e20], [0.35, 0.01]),
        ("precise", [2**53 + 1, 2**60, 1e300], [2**53, float(2**53), -1]),
        ("mixed", [1, 1.0, "a", 1.5, True, {"a": [1]}, {"a": [1.0]}, None], [0, False, "b", {"a": [True]}]),
        ("numbers", [1, 1.0, 2.5], [True, 2, "1"]),
        (
            "unique",
            [[1, True, "1"], [{"a": 1}, {"a": True}]],
            [[1, 1.0], [True, True], [{"a": 1}, {"a": 1.0}]],
        ),
        ("pair", [[1, "a"], [1.0, "a"]], [[1], [1, "a", 2], ["a", 1], []]),
        ("none", [None], [0, "null"]),
        ("sizes", [["a", "abc"]], [[], ["b"], ["abcd"]]),
        ("keys", [{}, {"k": 1}], [{"a": 1}, {"k": "x"}]),
        ("extra", [{"a": 1, "b": "x"}, {"additional_properties": "x"}], [{"b": 1}, {"a": "x"}]),
        ("open", [{"a": 1, "b": 2}], [{"a": "x"}]),
        ("patterns", [{"n1": 1, "x": "y"}], [{"n1": "x"}, {"x": 1}]),
        ("hostile", ['"""', "'; import os", "\u2028"], ["x"]),
    ],
)
def test_scalars(tools: dict[str, Binding], name: str, good: list[Any], bad: list[Any]) -> None:
    tool = tools["scalars"]
    assert [value for value in good if not accepts(tool, {name: value})] == []
    assert [value for value in bad if accepts(tool, {name: value})] == []


def test_further_properties_are_kept(tools: dict[str, Binding]) -> None:
    value = tools["scalars"].decode({"extra": {"a": 1, "b": "x"}})
    assert (value.extra.a, value.extra.additional_properties) == (1, {"b": "x"})
    assert msgspec.json.decode(tools["scalars"].encode(value)) == {"extra": {"a": 1, "b": "x"}}


@pytest.mark.parametrize(
    "schema",
    [
        {"allOf": [{"type": "string", "enum": ["a", "b"]}, {"enum": ["b", "c"]}]},
        {"allOf": [{"enum": [True, 0]}, {"enum": [1, 0]}]},
        {
            "type": "object",
            "allOf": [{"properties": {"a": False}}, {"properties": {"a": {}}}],
            "required": ["b"],
        },
        {"allOf": [{"$ref": "#/$defs/Self"}, {"description": "again"}]},
        {"type": "string", "allOf": [{"anyOf": [{"maxLength": 1}, {"pattern": "^a"}]}]},
    ],
)
def test_merged_schemas_stay_exact(schema: Any) -> None:
    import jsonschema_rs

    again = {"allOf": [{"$ref": "#/$defs/Self"}, {"description": "again"}]}
    defs = {
        "Self": {"type": "object", "properties": {"next": again, "n": WHOLE}, "additionalProperties": False}
    }
    judge = jsonschema_rs.Draft202012Validator({**schema, "$defs": defs})
    values = [
        "a",
        "b",
        "c",
        "ab",
        "bc",
        1,
        True,
        {},
        {"b": 1},
        {"a": 1, "b": 1},
        {"next": {"n": 1}},
        {"n": "x"},
    ]
    with binding({"type": "object", "properties": {"v": schema}, "$defs": defs}) as tool:
        assert [accepts(tool, {"v": v}) for v in values] == [judge.is_valid(v) for v in values]


WHOLE = {"type": "integer"}


def test_a_definition_may_have_any_name() -> None:
    names = ["none", "str", "Any", "class", "2fa", "", "a b", "a-b", "Struct", "ToolParams", "IsNone", "日本"]
    parameters = {
        "type": "object",
        "properties": {f"p{i}": {"$ref": f"#/$defs/{name}"} for i, name in enumerate(names)},
        "$defs": {name: {"type": ["object", "null"], "properties": {"x": WHOLE}} for name in names},
    }
    with binding(parameters) as tool:
        for i in range(len(names)):
            assert getattr(tool.decode({f"p{i}": {"x": 1}}), f"p{i}").x == 1
            assert getattr(tool.decode({f"p{i}": None}), f"p{i}") is None


def test_a_result_may_refer_to_itself() -> None:
    result = {"anyOf": [{"type": "array", "items": {"$ref": "#"}}, WHOLE]}
    files, _, _ = compile_files({"tool.json": spec({"type": "object"}, result=result)})
    with imported(files) as name:
        assert __import__(f"{name}.tool").tool.TOOL.encode_result([1, [2]]) == b"[1,[2]]"


def test_the_same_text_every_time() -> None:
    assert source(TOOLS["odd/tagged.json"]) == source(TOOLS["odd/tagged.json"])


def test_a_default_that_does_not_fit_is_refused() -> None:
    assert refusal({"type": "object", "properties": {"a": {"type": "integer", "default": "x"}}}).codes == [
        "default-mismatch"
    ]


PATTERNED = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "types": {"type": ["string", "array"], "pattern": "^a"},
        "branches": {
            "anyOf": [
                {"type": "string", "pattern": "^a"},
                {"type": "array", "items": {"type": "integer"}},
                {"type": "object", "additionalProperties": {"type": "integer"}},
            ]
        },
        "named": {"anyOf": [{"$ref": "#/$defs/text"}, {"type": "array"}]},
        "definition": {"$ref": "#/$defs/union"},
    },
    "$defs": {
        "text": {"type": "string", "pattern": "^a"},
        "union": {"type": ["string", "object"], "pattern": "^a"},
    },
}


def test_no_pattern_stands_beside_an_array_or_a_map() -> None:
    """msgspec 0.22 frees memory that is not its own in such a union; later decodes then judge by chance."""
    with package({"tool.json": spec(PATTERNED)}, {}) as bindings:
        decode = bindings["tool"].decode
        for name, good, bad in [
            ("types", ["ab", [1]], ["b", 1]),
            ("branches", ["ab", [1], {"x": 1}], ["b", ["1"], {"x": "1"}]),
            ("named", ["ab", [1]], ["b", {}]),
            ("definition", ["ab", {"x": 1}], ["b", []]),
        ]:
            for value in good:
                assert getattr(decode({name: value}), name) == value
            for value in bad:
                with pytest.raises(ArgumentError):
                    decode({name: value})
    for line in source(PATTERNED).splitlines():
        runs = "lambda" in line or line.lstrip().startswith(("types", "branches", "named", "definition"))
        assert not (runs and "pattern=" in line and ("list[" in line or "dict[" in line)), line


@pytest.mark.parametrize(
    "schema",
    [
        {
            "required": ["x"],
            "additionalProperties": {"pattern": "a", "type": "string"},
            "type": ["object", "null"],
        },
        {
            "properties": {"x": {}},
            "additionalProperties": {"maximum": 0, "type": "number"},
            "type": ["object", "number"],
        },
    ],
)
def test_further_properties_keep_their_constraints_in_a_list_of_types(schema: dict[str, Any]) -> None:
    whole = {"type": "object", "required": ["value"], "properties": {"value": schema}}
    with package({"tool.json": spec(whole)}, {}) as bindings:
        decode = bindings["tool"].decode
        decode(
            {
                "value": {
                    "x": -1 if "maximum" in str(schema) else "a",
                    "y": -1 if "maximum" in str(schema) else "ba",
                }
            }
        )
        with pytest.raises(ArgumentError, match="y"):
            decode({"value": {"x": "a", "y": "b" if "pattern" in str(schema) else 1}})


def test_a_union_names_each_branch_once() -> None:
    branches = [
        {"type": "object", "properties": {"op": {"const": name, "default": name}, "x": {"type": "integer"}}}
        for name in "ab"
    ]
    schema = {"type": "object", "required": ["v"], "properties": {"v": {"oneOf": branches}}}
    text = source(schema)
    assert [line for line in text.splitlines() if line.startswith("class ToolV")] == [
        line for line in text.splitlines() if line.startswith(("class ToolVOption1(", "class ToolVOption2("))
    ]
    with package({"tool.json": spec(schema)}, {}) as bindings:
        tool = bindings["tool"]
        for value in ({"v": {"op": "b", "x": 1}}, {"v": {"op": "a", "x": 2}}):
            # the default must be written out: without it both branches accept, and oneOf refuses
            assert msgspec.json.decode(tool.encode(tool.decode(value))) == value


def test_a_null_that_one_branch_takes_is_kept() -> None:
    schema = {"type": "object", "properties": {"v": {"oneOf": [{"properties": {"b": {"const": ""}}}, {}]}}}
    with package({"tool.json": spec(schema)}, {}) as bindings:
        tool = bindings["tool"]
        assert msgspec.json.decode(tool.encode(tool.decode({"v": {"b": None}}))) == {"v": {"b": None}}


CLOSED_OR_OPEN = [
    {"anyOf": [{"type": "object", "unevaluatedProperties": False}]},
    {"properties": {"kind": {}}, "type": ["object", "null"]},
]


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        # A default that may not be written, of a kind that msgspec writes.
        ({"properties": {"p": {"default": [1]}}, "propertyNames": {"enum": []}}, {}),
        ({"properties": {"p": {"default": {"a": 1}}}, "patternProperties": {".": {"type": "null"}}}, {}),
        ({"properties": {"p": {"default": [1]}, "q": {}}, "maxProperties": 1}, {"q": 2}),
        # Further properties beside `allOf`.
        (
            {"properties": {"p": {}}, "additionalProperties": {"minItems": 3}, "allOf": [{"maximum": 1}]},
            {"b": 1},
        ),
        (
            {"additionalProperties": {"minItems": 1}, "allOf": [{"properties": {"p": {}}}]},
            {"b": None, "p": 1},
        ),
        # Undeclared ones, which are why a branch refuses.
        ({"properties": {"v": {"oneOf": CLOSED_OR_OPEN}}}, {"v": {"x": ""}}),
        (
            {
                "properties": {
                    "v": {
                        "oneOf": [
                            {"allOf": [{"type": "object", "properties": {"a": {}}}]},
                            {"additionalProperties": False},
                        ]
                    }
                }
            },
            {"v": {"x": 1}},
        ),
    ],
)
def test_nothing_is_lost_or_added_on_the_way_back(schema: Any, value: Any) -> None:
    with package({"tool.json": spec({"type": "object", **schema})}, {}) as bindings:
        tool = bindings["tool"]
        assert msgspec.json.decode(tool.encode(tool.decode(value))) == value


def test_a_closed_object_beside_all_of_needs_no_validator() -> None:
    closed = {"properties": {"a": WHOLE}, "additionalProperties": False, "allOf": [{"required": ["a"]}]}
    with package({"tool.json": spec({"type": "object", **closed})}, {}) as bindings:
        tool = bindings["tool"]
        assert tool.exact
        with pytest.raises(ArgumentError):
            tool.decode({"a": 1, "b": 2})


def test_values_of_branches_are_held_to_a_list_of_types() -> None:
    listed = {"type": ["number"], "oneOf": [{"enum": ["1"]}, {"const": 0}]}
    with package({"tool.json": spec({"type": "object", "properties": {"v": listed}})}, {}) as bindings:
        tool = bindings["tool"]
        assert tool.decode({"v": 0}).v == 0
        with pytest.raises(ArgumentError):
            tool.decode({"v": "1"})
