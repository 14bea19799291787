# ruff: noqa: E501  # a fixture is one line of YAML
"""Every refusal of the contract room: its code, and the very place, marked with `‸` in the spec."""

import pytest
from toolcast.diagnostics import Diagnostic

from tests.python.compiled import RefusedError, compile_files

HEAD = "description: A tool.\npermission: read\nsecrets: []\n"
GEO = """\
type: object
properties: {lat: {type: number}}
$defs:
  Point: {type: object, properties: {x: {type: number}}}
"""


def problems(text: str, types: dict[str, str] | None = None) -> tuple[list[Diagnostic], tuple[int, int]]:
    """What is said about a tool below HEAD, and the line and column of the mark in it."""
    text = HEAD + text
    before, mark, after = text.partition("‸")
    assert mark, "the fixture marks a place"
    place = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
    try:
        _, _, found = compile_files({"geo/tool.yaml": before + after}, types)
    except RefusedError as refused:
        found = list(refused.found)
    return list(dict.fromkeys(found)), place


CASES = {
    "remote-reference": "parameters: {type: object, properties: {a: {$ref: ‸'https://example.com/a.json'}}}",
    "reference-outside": "parameters: {type: object, properties: {a: {$ref: ‸../../secret.yaml}}}",
    "missing-reference": "parameters: {type: object, properties: {a: {$ref: ‸../_types/goe.yaml}}}",
    "missing-reference (definition)": """\
parameters:
  type: object
  $defs: {Point: {type: string}}
  properties:
    a: {$ref: ‸'#/$defs/Piont'}
""",
    "missing-reference (anchor)": "parameters: {type: object, properties: {a: {$ref: ‸'#nowhere'}}}",
    "circular-reference": """\
parameters:
  type: object
  properties: {a: {$ref: '#/$defs/A'}}
  $defs:
    A: ‸{$ref: '#/$defs/A'}
""",
    "malformed-schema": "parameters: {type: object, properties: {a: ‸[1]}}",
    "malformed-schema (list)": "parameters: {type: object, anyOf: ‸{}}",
    "malformed-schema (map)": "parameters: {type: object, properties: ‸[a]}",
    "malformed-schema (value)": "parameters: {type: object, properties: {a: {minLength: ‸-1}}}",
    "malformed-schema (pattern)": "parameters: {type: object, properties: {a: {type: string, pattern: ‸'('}}}",
    "malformed-schema (definition)": """\
parameters:
  type: object
  properties: {a: {$ref: '#/$defs/A'}, b: {type: string}}
  $defs:
    A: {type: array, items: {type: ‸strnig}}
""",
    "malformed-schema ($ref)": "parameters: {type: object, properties: {a: {$ref: ‸1}}}",
    "malformed-schema (bottomless)": """\
parameters:
  type: object
  properties: {a: {$ref: '#/$defs/A'}}
  $defs:
    A: {anyOf: [‸{$ref: '#/$defs/A'}, {type: string}]}
""",
    "unsatisfiable": "parameters: {type: object, required: [a], properties: {a: ‸{enum: [1], type: string}}}",
    **{
        f"unsatisfiable ({name})": f"parameters: {{type: object, properties: {{a: {schema}}}}}"
        for name, schema in {
            "enum of another type": "‸{enum: [1, 2], type: string}",
            "const beyond a bound": "‸{const: 7, maximum: 3}",
            "empty enum": "‸{enum: []}",
            "minimum": "‸{type: integer, minimum: 9, maximum: 3}",
            "exclusive bounds": "‸{type: number, exclusiveMinimum: 3, maximum: 3}",
            "no integer": "‸{type: integer, exclusiveMinimum: 3, exclusiveMaximum: 4}",
            "no multiple": "‸{type: number, minimum: 0.3, maximum: 0.4, multipleOf: 0.25}",
            "no common multiple": "‸{type: integer, minimum: 1, maximum: 9, allOf: [{multipleOf: 4}, {multipleOf: 6}]}",
            "lengths": "‸{type: string, minLength: 3, maxLength: 2}",
            "items": "‸{type: array, minItems: 3, maxItems: 2}",
            "contains": "‸{type: array, contains: {}, minContains: 3, maxContains: 2}",
            "properties": "‸{type: object, minProperties: 3, maxProperties: 2}",
            "more required than allowed": "‸{type: object, properties: {x: {}, y: {}}, required: [x, y], maxProperties: 1}",
            "required and not allowed": "{type: object, required: [‸x], additionalProperties: false}",
            "allOf of types": "‸{allOf: [{type: string}, {type: integer}]}",
            "allOf of values": "‸{allOf: [{enum: [true]}, {enum: [1]}]}",
            "allOf of bounds": "‸{type: integer, minimum: 5, allOf: [{maximum: 3}]}",
            "all branches": "{anyOf: [‸{type: string, maxLength: 0, minLength: 1}, {type: string, enum: []}]}",
            "branches beside a type": "‸{type: integer, anyOf: [{type: string}, {type: 'null'}]}",
            "item": "{type: array, items: ‸{type: string, enum: [1]}}",
            "value of a map": "{type: object, additionalProperties: ‸{type: string, enum: [1]}}",
            "branch": "{anyOf: [‸{type: string, enum: [1]}, {type: 'null'}]}",
            "deeper": "{type: object, required: [b], properties: {b: ‸{type: integer, minimum: 9, maximum: 3}}}",
        }.items()
    },
    "unsatisfiable (definition)": """\
parameters:
  type: object
  properties: {a: {$ref: '#/$defs/A'}}
  $defs:
    A: ‸{type: integer, minimum: 9, maximum: 3}
""",
    "unsatisfiable (parameters)": "parameters: ‸{type: object, minProperties: 2, maxProperties: 1}",
    "unsatisfiable (required and forbidden)": "parameters: {type: object, required: [a], properties: {a: ‸false}}",
    "default-mismatch": "parameters: {type: object, properties: {a: {type: integer, default: ‸x}}}",
    "default-mismatch (nested)": """\
parameters:
  type: object
  properties:
    a:
      type: object
      properties:
        b: {type: array, items: {type: integer}, default: ‸[1, x]}
""",
    "example-mismatch": "parameters: {type: object, properties: {a: {type: integer}}}\nexamples:\n  - {a: 1}\n  - ‸{a: x}\n",
    "unknown-keyword": "parameters: {type: object, properties: {a: {type: string, ‸minLenght: 3}}}",
    "slow-pattern": "parameters: {type: object, properties: {a: {type: string, pattern: ‸(a+)+$}}}",
    "slow-pattern (polynomial)": "parameters: {type: object, properties: {a: {type: string, pattern: ‸a*a*b}}}",
    "slow-pattern (of names)": "parameters: {type: object, properties: {a: {patternProperties: {‸(a+)+$: true}}}}",
    "openapi-keyword": "parameters: {type: object, properties: {a: {type: string, ‸nullable: true}}}",
    "unsupported-keyword": "parameters: {type: object, properties: {a: {‸$dynamicRef: '#x'}}}",
    **{
        f"mcp-header ({name})": f"parameters: {{type: object, properties: {{a: {schema}}}}}"
        for name, schema in {
            "empty": "{type: string, x-mcp-header: ‸''}",
            "no token": "{type: string, x-mcp-header: ‸'My Header'}",
            "line break": '{type: string, x-mcp-header: ‸"A\\r\\nB: c"}',
            "no string": "{type: string, x-mcp-header: ‸7}",
            "number": "{type: number, x-mcp-header: ‸A}",
            "nullable": "{type: [string, 'null'], x-mcp-header: ‸A}",
            "no type": "{enum: [a], x-mcp-header: ‸A}",
            "items": "{type: array, items: {type: string, x-mcp-header: ‸A}}",
            "branch": "{anyOf: [{type: string, x-mcp-header: ‸A}, {type: integer}]}",
            "further keys": "{type: object, additionalProperties: {type: string, x-mcp-header: ‸A}}",
            "twice": "{type: string, x-mcp-header: A}, b: {type: string, x-mcp-header: ‸a}",
        }.items()
    },
    "mcp-header (root)": "parameters: {type: object, x-mcp-header: ‸A, properties: {}}",
    "mcp-header (definition)": """\
parameters:
  type: object
  properties: {a: {$ref: '#/$defs/A'}}
  $defs:
    A: {type: string, x-mcp-header: ‸Region}
""",
    "embedded-id": "parameters: {type: object, properties: {a: {$id: 'https://example.com/a', ‸$schema: 'http://json-schema.org/draft-07/schema#'}}}",
    "ambiguous-reference": "parameters: {type: object, properties: {a: {$ref: ‸'#x'}, b: {$anchor: x, type: string}, c: {$anchor: x, type: integer}}}",
    "unknown-dialect": "parameters: {type: object, $schema: ‸'https://example.com/mine', properties: {a: {}}}",
}


@pytest.mark.parametrize("name", CASES)
def test_place(name: str) -> None:
    found, place = problems(CASES[name], {"_types/geo.yaml": GEO})
    code = name.partition(" ")[0]
    assert (found[0].code, found[0].line, found[0].column) == (code, *place), found
    assert len(found) == (2 if name.endswith("(all branches)") else 1), found
    assert found[0].file == "specs/geo/tool.yaml"
    assert found[0].severity == ("warning" if code in ("unknown-keyword", "slow-pattern") else "error")
    assert found[0].message
    assert found[0].hint


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("missing-reference", "../_types/geo.yaml"),
        ("missing-reference (definition)", "#/$defs/Point"),
        ("unknown-keyword", "minLength"),
        ("openapi-keyword", "null"),
    ],
)
def test_hint_says_what_to_write(name: str, hint: str) -> None:
    found, _ = problems(CASES[name], {"_types/geo.yaml": GEO})
    assert hint in found[0].hint


def test_a_problem_in_a_shared_file_names_that_file() -> None:
    broken = "type: object\nproperties:\n  a: {type: strnig}\n"
    with pytest.raises(RefusedError) as refused:
        compile_files(
            {"tool.yaml": HEAD + "parameters: {type: object, properties: {a: {$ref: _types/bad.yaml}}}"},
            {"_types/bad.yaml": broken},
        )
    assert {(d.file, d.line, d.column) for d in refused.value.found} == {("specs/_types/bad.yaml", 3, 13)}


def test_a_header_in_a_shared_type_is_reported_in_its_file() -> None:
    types = {"_types/geo.yaml": "type: object\nproperties:\n  a: {type: string, x-mcp-header: A}\n"}
    text = "parameters: {type: object, properties: {p: {$ref: ../_types/geo.yaml}}}\nresult: {type: object}‸"
    (found,) = problems(text, types)[0]
    assert (found.code, found.file, found.line, found.column) == (
        "mcp-header",
        "specs/_types/geo.yaml",
        3,
        35,
    )


@pytest.mark.parametrize(
    "parameters",
    [
        "{a: {type: string, x-mcp-header: A-b.c~1}, o: {type: object, properties: {a: {type: integer, x-mcp-header: N}}}}",
        "{x-mcp-header: {type: number, default: 1}, a: {type: boolean, default: false, x-mcp-header: B}}",
    ],
)
def test_a_header_that_clients_take_is_no_problem(parameters: str) -> None:
    assert problems(f"parameters: {{type: object, properties: {parameters}}}‸")[0] == []


def test_a_header_of_a_result_is_read_by_no_client() -> None:
    assert problems("result: {type: object, properties: {a: {type: number, x-mcp-header: ''}}}‸")[0] == []


def test_a_header_of_a_parameter_with_a_secret_is_warned_of() -> None:
    text = "parameters: {type: object, properties: {a: {type: string, x-mcp-header: ‸A}, b: {type: string, x-mcp-header: B}}}"
    before, _, after = text.partition("‸")
    head = HEAD.replace("[]", "[a]")
    _, _, found = compile_files({"geo/tool.yaml": head + before + after})
    assert [(d.code, d.severity, d.line, d.column) for d in found] == [
        ("secret-header", "warning", 4, len(before) + 1)
    ]


def test_every_problem_is_reported_at_once() -> None:
    text = """\
parameters:
  type: object
  properties:
    a: {$ref: '#/$defs/Nowhere'}
    b: {nullable: true}
    c: {$ref: 'https://example.com/‸'}
    d: [1]
"""
    found, _ = problems(text)
    assert [d.line for d in sorted(found)] == [7, 8, 9, 10]


def test_too_deep() -> None:
    inner = "{type: string}"
    for _ in range(70):
        inner = f"{{type: array, items: {inner}}}"
    found, _ = problems(f"parameters: {{type: object, properties: {{a: {inner}}}}}‸")
    assert [d.code for d in found] == ["too-deep"]


@pytest.mark.parametrize("levels", [10, 60])
def test_deep_but_allowed(levels: int) -> None:
    inner = "{type: string}"
    for _ in range(levels):
        inner = f"{{type: array, items: {inner}}}"
    assert problems(f"parameters: {{type: object, properties: {{a: {inner}}}}}‸")[0] == []
