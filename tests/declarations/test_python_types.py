"""JSON Schema as Python types: each construct, and texts that must not change the structure."""

import ast
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from toolcast.providers import load_profile, normalize
from toolcast.providers.result_schemas import fitted
from toolcast.runtime.declaration_text import declare_tool
from toolcast.runtime.declaration_text.names import IMPORT, OPEN_CLASS, free_names
from toolcast.runtime.declaration_text.printer import Python, TypeText, joined, python_literal
from toolcast.runtime.declaration_text.schema_types import MAX_DEPTH, read_type, with_definitions_inlined
from toolcast.runtime.declarations import declare

from bench.declared_view import DeclaredView, binding
from tests.counting import grows_linearly
from tests.declarations.test_typescript_types import SCHEMAS, TEXTS
from tests.e2e.checkers import check

TYPES: list[tuple[Any, str]] = [
    (True, "Any"),
    ({}, "Any"),
    (False, "Never"),
    ({"type": "integer"}, "int"),
    ({"type": ["integer", "number"]}, "float"),
    ({"type": ["string", "null"]}, "str | None"),
    ({"enum": ["a", 1, 1.0, None, True]}, 'Literal["a", 1, True] | None'),
    ({"enum": [1.5, "a"]}, "float | str"),
    ({"const": {"a": [1]}}, "dict[str, Any]"),
    ({"const": 1, "enum": [2]}, "Never"),
    ({"type": "array"}, "list[Any]"),
    ({"type": "array", "items": {"type": ["string", "null"]}}, "list[str | None]"),
    ({"type": "array", "maxItems": 0}, "list[Never]"),
    ({"prefixItems": [{"type": "string"}, True], "minItems": 2}, "tuple[str, Any, *tuple[Any, ...]]"),
    ({"prefixItems": [{"type": "string"}], "minItems": 1, "items": False}, "tuple[str]"),
    ({"prefixItems": [{"type": "string"}], "items": {"type": "null"}}, "list[str | None]"),
    ({"type": "object"}, "dict[str, Any]"),
    ({"type": "object", "additionalProperties": False}, "dict[str, Never]"),
    ({"type": "object", "additionalProperties": {"type": "number"}}, "dict[str, float]"),
    ({"properties": {"a": {"type": "string"}}}, "Found"),
    ({"type": ["object", "null"], "properties": {"a": {"type": "string"}}}, "Found | None"),
    ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "str | None"),
    ({"anyOf": [{"type": "string"}, True]}, "Any"),
    ({"$ref": "#/$defs/unknown"}, "Any"),
]


@pytest.mark.parametrize(("schema", "expected"), TYPES, ids=[json.dumps(schema) for schema, _ in TYPES])
def test_types(schema: Any, expected: str) -> None:
    assert printed(schema)[1].text == expected


def printed(schema: Any) -> tuple[str, TypeText]:
    printer = Python(free_names((), "python"))
    made = printer.type(read_type(schema, "found"))
    return "".join(printer.statements), made


CLASSES: list[tuple[Any, str]] = [
    (
        {"properties": {"a": {"type": "integer", "default": 1}, "b": True}, "required": ["b"]},
        "class Found(TypedDict):\n a: NotRequired[int] # Default: 1.\n b: Any\n",
    ),
    (
        {"properties": {"a": True}, "additionalProperties": {"type": "integer", "description": "Count."}},
        "# Other keys: Count.\nclass Found(TypedDict, extra_items=int):\n a: NotRequired[Any]\n",
    ),
    (
        {"properties": {"list": {"type": "string", "description": "All\nof them."}}},
        '# "list": All\n# of them.\nFound = TypedDict("Found", {\n "list": NotRequired[str],\n})\n',
    ),
    (
        {"properties": {"a": True, "b": True}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
        "class Found(TypedDict):\n a: NotRequired[Any]\n b: NotRequired[Any]\n",
    ),
    ({"prefixItems": [True], "items": {"properties": {"a": True}}, "maxItems": 1}, ""),
]


@pytest.mark.parametrize(("schema", "expected"), CLASSES)
def test_classes(schema: Any, expected: str) -> None:
    assert printed(schema)[0] == expected


def function(schema: dict[str, Any], description: str = "", **stated: Any) -> str:
    parameters = normalize(schema, "python").schema
    definition = {"description": description, "parameters": parameters, **stated}
    return declare_tool(definition, "python", "run", free_names(("run",), "python"))


def test_parameters_state_their_defaults() -> None:
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": "integer", "default": 3},
            "b": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
            "c": {"type": "string", "default": 3},
            "d": {"type": "array", "items": {"type": "string"}, "default": []},
            "e": {"type": "string"},
        },
        "required": ["e"],
    }
    assert function(schema) == (
        "async def run(\n *,\n e: str,\n a: int = 3,\n b: str | None = None,\n c: str = ..., # Default: 3.\n"
        " d: list[str] = ..., # Default: [].\n **others: Any,\n) -> str: ...\n"
    )


def test_names_that_cannot_be_parameters_are_renamed() -> None:
    schema = {"type": "object", "properties": {"from": {"type": "string"}, "a-b": True, "__x": True}}
    made = normalize(schema, "python")
    assert list(made.schema["properties"]) == ["from_2", "a_b", "x"]
    assert made.wire_forms is not None
    assert made.wire_forms.root.names == {"from_2": "from", "a_b": "a-b", "x": "__x"}


def test_further_arguments_are_accepted_where_the_object_is_open() -> None:
    assert function({"type": "object", "additionalProperties": True}).startswith(
        "async def run(**others: Any)"
    )
    schema = {"type": "object", "properties": {"a": True}, "additionalProperties": {"type": "integer"}}
    assert function(schema) == "async def run(*, a: Any = ..., **others: int) -> str: ...\n"
    assert "**" not in function({"type": "object", "properties": {"a": True}, "additionalProperties": False})


def test_objects_that_do_not_speak_of_further_keys_say_that_they_may_have_any() -> None:
    inner = {"type": "object", "properties": {"b": {"type": "string"}}}
    schema = {"type": "object", "properties": {"a": inner}, "required": ["a"]}
    assert function(schema, result=inner) == (
        "class A(Open):\n b: NotRequired[str]\n\n"
        "class RunResult(TypedDict):\n b: NotRequired[str]\n\n"
        "async def run(*, a: A, **others: Any) -> RunResult: ...\n"
    )
    printer = Python(free_names((), "python"))
    printer.define({"a": {"properties": {"if": True}}}, is_open=True)
    assert printer.statements == ['A = TypedDict("A", {\n "if": NotRequired[Any],\n}, extra_items=Any)\n']


def test_classes_have_the_description_of_their_definition() -> None:
    tree = {"properties": {"a": {"$ref": "#/$defs/tree"}}, "description": "A tree.", "maxProperties": 3}
    text = function(
        {"type": "object", "properties": {"a": {"$ref": "#/$defs/tree"}}, "$defs": {"tree": tree}}
    )
    assert "# A tree. Must have at most 3 keys.\nclass Tree(Open):\n" in text


def test_the_name_of_further_arguments_is_free() -> None:
    text = function({"type": "object", "properties": {"others": True, "others_": True}})
    assert text == "async def run(*, others: Any = ..., others_: Any = ..., **others__: Any) -> str: ...\n"
    ast.parse(text)


@given(text=TEXTS)
def test_no_text_ends_a_docstring_or_a_comment(text: str) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "description": text}}}
    tree = ast.parse(function(schema, description=text + '"""\\'))
    assert len(tree.body) == 1
    assert isinstance(tree.body[0], ast.AsyncFunctionDef)
    assert len(tree.body[0].body) == 1


def test_comments_do_not_direct_type_checkers() -> None:
    assert Python().comment(["type: ignore"]) == "# - type: ignore\n"
    assert Python().comment(["pyright: basic"]) == "# - pyright: basic\n"
    assert Python().comment(["Any. #type: ignore"]) == "# Any. #- type: ignore\n"


def test_comments_begin_no_module() -> None:
    tree = {"properties": {"a": {"$ref": "#/$defs/tree"}}, "description": "Trees.\nmodule admin"}
    hostile = {"type": "object", "properties": {"a": {"$ref": "#/$defs/tree"}}, "$defs": {"tree": tree}}
    made = binding("run", hostile, group="files", description="Runs.\n# module admin\nmodule admin")
    text = declare(DeclaredView([made]), "python")
    assert "# - module admin\nclass Tree(Open):" in text
    assert re.findall("^# module .*", text, re.MULTILINE) == ["# module files"]


def test_a_sentence_is_left_out_where_it_stands_as_a_whole_only() -> None:
    assert joined(["Default: 1.5 for others.", "Default: 1."]) == "Default: 1.5 for others. Default: 1."
    assert joined(["Not a Default: 1.", "Default: 1."]) == "Not a Default: 1."
    assert joined(["a.No other keys.", "No other keys."]) == "a.No other keys. No other keys."


@given(text=TEXTS)
def test_literals_are_read_back(text: str) -> None:
    assert ast.literal_eval(python_literal(text)) == text


def test_depth_is_bounded() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(MAX_DEPTH + 1):
        schema = {"type": "array", "items": schema}
    _, made = printed(schema)
    assert "list[Any]" in made.text
    assert "Nested too deeply to be declared." in joined(made.notes)


def test_definitions_with_one_use_take_the_place_of_the_reference() -> None:
    once = {"type": "string"}
    loop = {"type": "object", "properties": {"next": {"$ref": "#/$defs/loop"}}}
    schema = {
        "properties": {
            "a": {"$ref": "#/$defs/once", "description": "A."},
            "b": {"$ref": "#/$defs/loop"},
            "c": {"$ref": "#/$defs/twice"},
            "d": {"$ref": "#/$defs/twice"},
        },
        "$defs": {"once": once, "loop": loop, "twice": {"type": "integer"}, "never": True},
    }
    made = with_definitions_inlined(schema)
    assert made["properties"]["a"] == {"type": "string", "description": "A."}
    assert list(made["$defs"]) == ["loop", "twice"]


def _chain(length: int) -> dict[str, Any]:
    """A schema of definitions, each of which refers to the next."""
    chain = {f"d{i}": {"properties": {"x": {"$ref": f"#/$defs/d{i + 1}"}}} for i in range(length)}
    return {"$ref": "#/$defs/d0", "$defs": {**chain, f"d{length}": {"type": "string"}}}


def test_a_long_chain_of_definitions_stays_named() -> None:
    made = with_definitions_inlined(_chain(2000))
    assert 200 < len(made["$defs"]) < 300


def test_the_work_for_a_chain_of_definitions_is_linear() -> None:
    def make(size: int) -> Callable[[], object]:
        schema = _chain(50 * size)
        return lambda: with_definitions_inlined(schema)

    assert grows_linearly(make)


@pytest.mark.thorough
def test_type_checkers_accept_every_type(tmp_path: Path) -> None:
    """One file of many examples, as a run of pyright takes seconds."""
    functions: list[str] = []
    free = free_names((), "python")

    @given(schema=SCHEMAS)
    def collect(schema: Any) -> None:
        parameters = normalize({"type": "object", "properties": {"value": schema}}, "python").schema
        functions.append(declare_tool({"parameters": parameters}, "python", f"run_{len(functions)}", free))

    collect()
    folder = tmp_path / "stubs"
    folder.mkdir()
    (folder / "declared.pyi").write_text(f"{IMPORT}\n{OPEN_CLASS}\n" + "\n".join(functions), encoding="utf-8")
    checkers, words = check([folder], tmp_path)
    found = checkers["pyright"]
    unused = {line for line in found.get((folder / "declared.pyi").resolve(), set()) if line == 1}
    assert found.keys() <= {(folder / "declared.pyi").resolve()}
    assert found.get((folder / "declared.pyi").resolve(), set()) == unused, words


def test_results_lack_what_no_type_expresses_and_the_ledger_has_it() -> None:
    schema = {
        "type": "object",
        "properties": {"count": {"type": "integer", "minimum": 1}, "minimum": {"$ref": "#/$defs/a"}},
        "$defs": {"a": {"type": "array", "items": {"type": "string", "pattern": "x"}, "uniqueItems": True}},
    }
    made, ledger = fitted(schema, load_profile("python").result)
    assert made["properties"] == {"count": {"type": "integer"}, "minimum": {"$ref": "#/$defs/a"}}
    assert made["$defs"] == {"a": {"type": "array", "items": {"type": "string"}}}
    assert {(entry.path, entry.keyword, entry.of) for entry in ledger} == {
        ("/properties/count", "minimum", "result"),
        ("/$defs/a", "uniqueItems", "result"),
        ("/$defs/a/items", "pattern", "result"),
    }
