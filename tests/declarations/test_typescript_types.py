"""JSON Schema as TypeScript types: each construct, and texts that must not change the structure."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.languages.typescript.type_texts import Filled, definition_names
from toolcast.runtime.declaration_text import declaration
from toolcast.runtime.declaration_text.names import OPEN_ALIAS
from toolcast.runtime.declaration_text.printer import TypeScript, joined, typescript_key, typescript_literal
from toolcast.runtime.declaration_text.schema_types import MAX_DEPTH, read_type

from tests.typescript.tools import tsc

TYPES: list[tuple[Any, str]] = [
    (True, "unknown"),
    ({}, "unknown"),
    (False, "never"),
    ({"type": "string"}, "string"),
    ({"type": "integer"}, "number"),
    ({"type": ["integer", "number"]}, "number"),
    ({"type": ["string", "null"]}, "string | null"),
    ({"enum": ["a", 1, 1.0, None, True]}, '"a" | 1 | null | true'),
    ({"type": "string", "enum": ["a", 1]}, '"a"'),
    ({"const": {"a": [1]}}, "{ a: [1] }"),
    ({"const": 1, "enum": [2]}, "never"),
    ({"type": "array"}, "unknown[]"),
    ({"type": "array", "items": {"type": ["string", "null"]}}, "(string | null)[]"),
    ({"type": "array", "maxItems": 0}, "[]"),
    ({"prefixItems": [{"type": "string"}], "items": False}, "[string?]"),
    ({"prefixItems": [{"type": "string"}, True], "minItems": 1}, "[string, unknown?, ...unknown[]]"),
    ({"prefixItems": [{"enum": [1, 2]}], "maxItems": 1}, "[(1 | 2)?]"),
    ({"type": "object"}, "Record<string, unknown>"),
    ({"type": "object", "additionalProperties": False}, "Record<string, never>"),
    ({"type": "object", "additionalProperties": {"type": "number"}}, "Record<string, number>"),
    ({"properties": {"a": {"type": "string"}}}, "{ a?: string }"),
    ({"properties": {"a": False}, "required": ["b"]}, "{ a?: never; b: unknown }"),
    ({"required": ["b"], "additionalProperties": False}, "{ b: never }"),
    (
        {"properties": {"a": True}, "additionalProperties": {"type": "number"}},
        "{\n  a?: unknown;\n  /** Other keys: number. */\n  [key: string]: unknown;\n}",
    ),
    ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "string | null"),
    ({"anyOf": [{"type": "string"}, True]}, "unknown"),
    ({"oneOf": [{"type": "string"}, False]}, "string"),
    ({"allOf": [{"$ref": "#/$defs/a"}, {"type": ["string", "null"]}]}, "A & (string | null)"),
    ({"$ref": "#/$defs/unknown"}, "unknown"),
    (
        {
            "anyOf": [
                {"type": "null"},
                {
                    "anyOf": [
                        {"type": "string", "description": "S."},
                        {"type": "boolean", "description": "B."},
                    ]
                },
            ]
        },
        "null | (\n  /** S. */\n  | string\n  /** B. */\n  | boolean\n)",
    ),
    (
        {"anyOf": [{"type": "string", "description": "S."}, {"type": "integer"}]},
        "\n  /** S. */\n  | string\n  /** Integer. */\n  | number",
    ),
]


@pytest.mark.parametrize(("schema", "expected"), TYPES, ids=[json.dumps(schema) for schema, _ in TYPES])
def test_types(schema: Any, expected: str) -> None:
    assert TypeScript(names={"#/$defs/a": "A"}).type(read_type(schema)).text == expected


OPEN: list[tuple[Any, str]] = [
    ({"properties": {"a": {"type": "string"}}}, "Open & { a?: string }"),
    ({"properties": {"a": True}, "additionalProperties": True}, "Open & { a?: unknown }"),
    ({"properties": {"a": True}, "additionalProperties": False}, "{ a?: unknown }"),
    (
        {"type": ["array", "object"], "items": {"required": ["b"]}, "maxItems": 2},
        "(Open & { b: unknown })[] | Record<string, unknown>",
    ),
    ({"prefixItems": [{"required": ["b"]}], "items": False}, "[(Open & { b: unknown })?]"),
    ({"anyOf": [{"required": ["b"]}, {"type": "null"}]}, "Open & { b: unknown } | null"),
    ({"properties": {"a": {"description": "A."}}}, "Open & {\n  /** A. */\n  a?: unknown;\n}"),
    ({"properties": {}}, "Record<string, unknown>"),
]


@pytest.mark.parametrize(("schema", "expected"), OPEN, ids=[json.dumps(schema) for schema, _ in OPEN])
def test_objects_that_may_have_any_further_keys_say_so(schema: Any, expected: str) -> None:
    assert TypeScript().type(read_type(schema, is_open=True)).text == expected


NOTES: list[tuple[Any, str]] = [
    ({"type": "integer", "description": "Page"}, "Page. Integer."),
    ({"type": ["integer", "string"]}, "Numbers are integers."),
    ({"type": "array", "minItems": 1, "maxItems": 3}, "Must have 1 to 3 items."),
    ({"type": "array", "items": {"type": "integer"}}, "Each item: Integer."),
    ({"prefixItems": [{"description": "Name"}], "minItems": 1}, "Item 1: Name"),
    (
        {"prefixItems": [True], "minItems": 2, "items": {"type": "integer"}},
        "Must have at least 2 items. Each further item: Integer.",
    ),
    ({"type": "object", "additionalProperties": {"description": "Count"}}, "Each value: Count"),
    (
        {"type": "object", "patternProperties": {"^x-": {"type": "string"}}, "additionalProperties": False},
        "Each value: For keys that match `^x-`, string. No other keys.",
    ),
    ({"$ref": "#/$defs/a", "minProperties": 1}, 'Must also match: {"minProperties":1}.'),
    ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "Integer."),
]


@pytest.mark.parametrize(("schema", "expected"), NOTES, ids=[json.dumps(schema) for schema, _ in NOTES])
def test_what_a_type_cannot_express_is_in_the_comment(schema: Any, expected: str) -> None:
    printer = TypeScript(names={"#/$defs/a": "A"}, comments="line")
    assert printer.comment(printer.type(read_type(schema)).notes) == f"// {expected}\n"


@pytest.mark.parametrize(
    ("parameters", "start"),
    [
        ({"properties": {"a": True}}, "args?: Open"),
        ({"properties": {"a": True}, "required": ["a"]}, "args: Open"),
        ({"anyOf": [{"type": "null"}, {"required": ["a"]}]}, "args: null | Open"),
        ({"anyOf": [{"properties": {"b": True}}, {"required": ["a"]}]}, "args?: Open"),
        ({"type": "object", "additionalProperties": False}, "): "),
    ],
)
def test_arguments_may_be_left_out_where_an_empty_object_fits(parameters: Any, start: str) -> None:
    text = declaration({"name": "run", "parameters": parameters}, "typescript")
    assert text.startswith(f"declare function run({start}")


def test_comments_have_one_star_line_for_each_line() -> None:
    assert TypeScript().comment(["One.\r\nTwo", "Three."]) == "/**\n * One.\n * Two.\n * Three.\n */\n"
    assert TypeScript(comments="line").comment(["One.\n\nTwo"]) == "// One.\n//\n// Two\n"
    assert TypeScript().comment(["", ""]) == ""


def test_no_text_ends_a_comment_or_directs_the_compiler() -> None:
    assert TypeScript().comment(["*/ evil()"]) == "/** *\\/ evil() */\n"
    assert TypeScript(comments="line").comment(["a\u2028evil()"]) == "// a\n// evil()\n"
    assert TypeScript(comments="line").comment(["@ts-ignore"]) == "// \\@ts-ignore\n"


def test_names_of_types_are_distinct_identifiers() -> None:
    names = definition_names(["a-b", "aB", "é", "1", "record"], {}, Filled(), taken=["AB"])
    assert [name.filled for name in names.values()] == ["AB2", "AB3", "Value", "T1", "Record2"]


def test_depth_is_bounded() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(MAX_DEPTH + 1):
        schema = {"type": "array", "items": schema}
    made = TypeScript().type(read_type(schema))
    assert made.text.startswith("unknown[][]")
    assert joined(made.notes).endswith("Nested too deeply to be declared.")


HOSTILE = [
    *("*/", "`${x}`", '"', "'", "\\", "\n", "\r", "\u2028", "\u2029", "\0", "//", "/**", "@ts-ignore"),
    *(
        "__proto__",
        "constructor",
        "await",
        "new",
        "get",
        "readonly",
        "é",
        "1",
        "",
        "a-b",
        "[key: string]",
        "}",
        ";",
    ),
]
TEXTS = st.lists(st.sampled_from(HOSTILE) | st.characters(codec="utf-8"), max_size=4).map("".join)
SCHEMAS = st.recursive(
    st.sampled_from([True, False, {"type": "integer"}, {"type": ["string", "null"]}, {"$ref": "#/$defs/x"}])
    | TEXTS.map(lambda text: {"const": text})
    | st.lists(
        TEXTS | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.none(), max_size=3
    ).map(lambda values: {"enum": values}),
    lambda below: (
        st.fixed_dictionaries(
            {"type": st.just("object"), "properties": st.dictionaries(TEXTS, below, max_size=3)},
            optional={
                "description": TEXTS,
                "required": st.lists(TEXTS, max_size=2, unique=True),
                "additionalProperties": below,
                "patternProperties": st.dictionaries(TEXTS, below, max_size=2),
            },
        )
        | st.fixed_dictionaries(
            {"type": st.just("array"), "items": below, "description": TEXTS},
            optional={
                "prefixItems": st.lists(below, max_size=2),
                "minItems": st.integers(0, 3),
                "maxItems": st.integers(0, 3),
            },
        )
        | st.fixed_dictionaries(
            {"anyOf": st.lists(below, min_size=1, max_size=3)}, optional={"description": TEXTS}
        )
    ),
    max_leaves=8,
)


def test_the_compiler_accepts_every_type(tmp_path: Path) -> None:
    """One run for all examples, each in a module of its own."""
    files: list[Path] = []

    @given(
        schemas=st.lists(SCHEMAS, min_size=20, max_size=20),
        comments=st.sampled_from(["doc", "line"]),
        open_objects=st.booleans(),
    )
    def write(schemas: list[Any], comments: Any, open_objects: bool) -> None:
        printer = TypeScript(names={"#/$defs/x": "X"}, comments=comments)
        types = [read_type(schema, is_open=open_objects) for schema in schemas]
        written = [printer.declaration(f"T{i}", of) for i, of in enumerate(types)]
        text = "\n".join(["type X = string;", OPEN_ALIAS, *written, "export {};", ""])
        files.append(tmp_path / f"types_{len(files)}.d.ts")
        files[-1].write_text(text, encoding="utf-8")

    write()
    assert tsc(*files, options=("--strict", "--lib", "es2022")) == []


@given(name=TEXTS)
def test_names_of_properties_and_literals_are_read_back(name: str) -> None:
    assert json.loads(typescript_literal(name)) == name
    written = typescript_key(name)
    assert written == name or json.loads(written.strip("[]")) == name
