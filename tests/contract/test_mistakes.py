# ruff: noqa: E501  # a fixture is one line of YAML
"""Mistakes of people who write a schema: the place (`‸`), and what the diagnostic must tell them."""

from typing import Any, NamedTuple

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.diagnostics import Diagnostic

from tests.contract.test_diagnostics import problems
from tests.python.compiled import RefusedError, compile_files, spec


class Case(NamedTuple):
    schema: str  # of the property `a`
    code: str
    says: tuple[str, ...]  # parts of message and hint, in this order
    severity: str = "error"


TYPES = {
    "str": "`string`", "int": "`integer`", "float": "`number`", "bool": "`boolean`", "list": "`array`",
    "dict": "`object`", "None": '`"null"`', "String": "`string`", "text": "`string`", "strnig": "`string`",
    **dict.fromkeys(("enum", "date", "bytes", "'list[str]'", "'string or null'", "xyzzy"),
                    "array, boolean, integer, null, number, object, string"),
}  # fmt: skip
PATTERNS = {
    "'['": ("unclosed character class at character 1", "close it with `]`"),
    "'(?P<x>a)'": ("at character 2", "(?<name>…)"),
    "'ab*+'": ("nothing to repeat at character 4", "ECMA-262"),
    "'a{2,1}'": ("out of order at character 2", "ECMA-262"),
    "'(?i)abc'": ("at character 2", "no flags"),
    r"'abc\Z'": ("at character 4", "`$`"),
    "'abc)'": ("at character 4", "open it with `(`"),
    "'x(abc'": ("at character 2", "close it with `)`"),
    "'[0-9z-a]'": ("range out of order at character 5", "ECMA-262"),
    r"'a\'": ("at the end at character 2", "ECMA-262"),
    r"'(a)\2'": ("group 2", "at character 4", "ECMA-262"),
    r"'^\p{Foo}'": ("at character 2", "ECMA-262"),
    "'(?<=a+)b'": ("look-behind", "another way"),
    "'(?<n>a)(?<n>b)'": ("two groups", "another way"),
    "5": ("not 5", "correct it"),
}
CASES = {
    **{f"type: {name}": Case(f"{{type: ‸{name}}}", "malformed-schema", (hint,)) for name, hint in TYPES.items()},
    **{
        f"pattern: {pattern}": Case(f"{{type: string, pattern: ‸{pattern}}}", "malformed-schema", says)
        for pattern, says in PATTERNS.items()
    },
    "pattern of names": Case("{type: object, patternProperties: {‸'(': true}}", "malformed-schema", ("unclosed group",)),
    "empty type": Case("{type: ‸}", "malformed-schema", ("empty", '"null"')),
    "null in a list": Case("{type: ‸[string, null]}", "malformed-schema", ("null without quotes", '[string, "null"]')),
    "str in a list": Case("{type: ‸[str, int]}", "malformed-schema", ("`str`", "[string, integer]")),
    "a type twice": Case("{type: ‸[string, string]}", "malformed-schema", ("twice",)),
    "no types": Case("{type: ‸[]}", "malformed-schema", ("empty list", "array, boolean")),
    "required: true": Case("{type: string, required: ‸true}", "malformed-schema", ("not true", "`required: [a]`", "`properties`")),
    "required: 'true'": Case("{type: string, required: ‸'true'}", "malformed-schema", ("text `true`", "`required: [a]`")),
    "required: false": Case("{type: string, required: ‸false}", "malformed-schema", ("not false", "take it out")),
    "required: b": Case("{type: object, required: ‸b, properties: {b: {}}}", "malformed-schema", ("`required: [b]`",)),
    "required: [b, b]": Case("{type: object, required: ‸[b, b], properties: {b: {}}}", "malformed-schema", ("`b` twice",)),
    "required: [1]": Case("{type: object, required: ‸[1]}", "malformed-schema", ("1 is no name", "names only")),
    "optional": Case("{type: string, ‸optional: true}", "unknown-keyword", ("no effect", "`required`"), "warning"),
    "enum as text": Case("{type: string, enum: ‸'a,b'}", "malformed-schema", ("`a,b`", "`enum: [a, b]`")),
    "enum as mapping": Case("{enum: ‸{a: 1}}", "malformed-schema", ("a mapping", "correct it")),
    "quoted number": Case("{type: integer, minimum: ‸'10'}", "malformed-schema", ("text `10`", "`minimum: 10`")),
    "negative length": Case("{type: string, minLength: ‸-1}", "malformed-schema", ("0 or more, not -1",)),
    "half a length": Case("{type: string, maxLength: ‸2.5}", "malformed-schema", ("a whole number",)),
    "multiple of 0": Case("{type: number, multipleOf: ‸0}", "malformed-schema", ("above 0",)),
    "quoted boolean": Case("{type: array, uniqueItems: ‸'true'}", "malformed-schema", ("a boolean, not the text `true`",)),
    "no instead of false": Case("{type: object, additionalProperties: ‸no}", "malformed-schema", ("`no`", "write `false`")),
    "items: string": Case("{type: array, items: ‸string}", "malformed-schema", ("`string`", "write {type: string}")),
    "schema as types": Case("‸[string, null]", "malformed-schema", ("a list",)),
    "schema as text": Case("‸The path.", "malformed-schema", ("The path.", "{type: string}")),
    "no schema": Case("‸", "malformed-schema", ("null", "indent")),
    "properties without names": Case("{type: object, properties: ‸}", "malformed-schema", ("null", "indent")),
    "properties as a list": Case("{type: object, properties: ‸[{name: b}]}", "malformed-schema", ("a list", "without `- `")),
    "description of another type": Case("{description: ‸{type: string}}", "malformed-schema", ("a mapping", "`properties`")),
    "quoted default": Case("{type: integer, default: ‸'5'}", "default-mismatch", ("without quotes", "`default: 5`")),
    "unquoted default": Case("{type: string, default: ‸5}", "default-mismatch", ("in quotes", "`default: '5'`")),
    "quoted boolean as default": Case("{type: boolean, default: ‸'true'}", "default-mismatch", ("`default: true`",)),
    "another default": Case("{type: boolean, default: ‸'5'}", "default-mismatch", ("correct the default",)),
    "format of another type": Case("{type: string, format: ‸5}", "malformed-schema", ("not 5", "correct it")),
    "format: datetime": Case("{type: string, format: ‸datetime}", "unknown-format", ("not checked", "`date-time`"), "warning"),
    "regex": Case("{type: string, ‸regex: a}", "unknown-keyword", ("`pattern`",), "warning"),
    "min of a string": Case("{type: string, ‸min: 1}", "unknown-keyword", ("`minLength`",), "warning"),
    "max of a number": Case("{type: number, ‸max: 1}", "unknown-keyword", ("`maximum`",), "warning"),
    "text cut at its comma": Case("{type: string, description: A name, ‸or a number}", "unknown-keyword", ("the rest of a text", "in quotes"), "warning"),
    "choices": Case("{type: string, ‸choices: [a]}", "unknown-keyword", ("`enum`",), "warning"),
    "property beside type": Case("{type: object, ‸depth: {type: integer}}", "misplaced-property", ("`depth`", "below `properties:` (add that line)")),
    "property beside properties": Case("{type: object, properties: {b: {}}, ‸depth: {type: integer}}", "misplaced-property", ("below `properties:`",), "warning"),
    "parameter of OpenAPI": Case("{in: query, name: a, ‸schema: {type: string}}", "openapi-keyword", ("OpenAPI", "its `schema`")),
    "definition that is near": Case("{$ref: ‸'#/$defs/Piont'}", "missing-reference", ("did you mean `#/$defs/Point`",)),
    "definition that is not": Case("{$ref: ‸'#/$defs/Other'}", "missing-reference", ("points at nothing", "there are `#/$defs/Line` or `#/$defs/Point`")),
    "definition of OpenAPI": Case("{$ref: ‸'#/components/schemas/Pet'}", "missing-reference", ("there are",)),
    "type in a nested folder": Case("{$ref: ‸_types/geo.yaml}", "missing-reference", ("`geo/_types/geo.yaml`", "at its top: move it there")),
    "definition without #": Case("{$ref: ‸Point}", "missing-reference", ("starts with `#`", "`#/$defs/Point`")),
    "path without #": Case("{$ref: ‸/$defs/Point}", "missing-reference", ("starts with `#`", "`#/$defs/Point`")),
}  # fmt: skip
DEFINITIONS = "  $defs: {Point: {type: string}, Line: {type: string}}\n"


@pytest.mark.parametrize("name", CASES)
def test_message_and_remedy(name: str) -> None:
    case = CASES[name]
    uses = (
        "" if case.code == "missing-reference" else ", p: {$ref: '#/$defs/Point'}, l: {$ref: '#/$defs/Line'}"
    )
    text = f"parameters:\n  type: object\n  properties: {{a: {case.schema}{uses}}}\n{DEFINITIONS}"
    found, place = problems(text)
    assert [(d.code, d.severity, d.line, d.column) for d in found] == [(case.code, case.severity, *place)], (
        found
    )
    told = f"{found[0].message} — {found[0].hint}"
    at = 0
    for part in case.says:
        assert part in told[at:], told
        at = told.index(part, at) + len(part)


def test_hint_names_a_definition_where_it_is() -> None:
    text = "parameters: {type: object, definitions: {Point: {}}, properties: {a: {$ref: ‸'#/$defs/Point'}}}"
    found, _ = problems(text)
    assert "`#/definitions/Point`" in found[0].hint


def test_hint_where_nothing_is_defined() -> None:
    found, _ = problems("parameters: {type: object, properties: {a: {$ref: ‸'#/$defs/Point'}}}")
    assert "below `$defs`, beside `properties`" in found[0].hint


def test_a_malformed_value_hides_no_other_problem() -> None:
    text = """\
parameters:
  type: object
  properties:
    a: {type: str, default: 5}
    b: {type: string, pattern: '['}
    c: {type: integer, minimum: 3, maximum: 1}
    d: {type: integer, default: x}
    e: {$ref: '#/$defs/Q'}
    f: {type: string, required: true}
    g: {type: string, minlength: 3}
    h: {type: array, items: {type: int}, maxItems: many}
    i: {$ref: '#/$defs/Loop'}
    ‸j: {type: integer}
  $defs:
    Loop: {$ref: '#/$defs/Loop'}
examples: [{j: x}]
"""
    found, _ = problems(text)
    lines = text.splitlines()
    told = sorted((each.code, lines[each.line - 4].strip()[0]) for each in found)
    assert told == [
        ("circular-reference", "L"), ("default-mismatch", "a"), ("default-mismatch", "d"), ("example-mismatch", "e"),
        ("malformed-schema", "a"), ("malformed-schema", "b"), ("malformed-schema", "f"), ("malformed-schema", "h"),
        ("malformed-schema", "h"), ("missing-reference", "e"), ("unknown-keyword", "g"), ("unsatisfiable", "c"),
    ]  # fmt: skip


def test_a_definition_that_a_wrong_reference_may_mean_is_checked() -> None:
    text = """\
parameters:
  type: object
  properties: {a: {$ref: '#/$defs/Piont'}}
  $defs: {Point: {type: ‸str}, Other: {type: string}}
"""
    found, place = problems(text)
    assert sorted(each.code for each in found) == ["malformed-schema", "missing-reference"]
    assert place in [(each.line, each.column) for each in found]


@pytest.mark.parametrize(
    "schema",
    [
        "{not: {type: ‸str}}",
        "{oneOf: [{type: ‸str}, {type: string}], default: x}",
        "{if: {type: ‸str}, then: false, default: x}",
        "{type: array, contains: {type: ‸int}, maxContains: 1, default: [1, 2]}",
        "{type: object, required: [b], properties: ‸[b], additionalProperties: false}",
        "{type: object, required: [b], patternProperties: {‸'(': true}, additionalProperties: false}",
        "{type: array, prefixItems: ‸string, items: false, default: [x]}",
        "{not: {$ref: '#/$defs/D'}}\n  $defs: {D: {type: ‸str}}",
    ],
)
def test_what_is_left_out_causes_no_false_diagnostic(schema: str) -> None:
    flow, _, definitions = schema.partition("\n")
    text = f"parameters:\n  type: object\n  properties:\n    a: {flow}\n{definitions}\n"
    found, place = problems(text)
    assert [(d.code, d.line, d.column) for d in found] == [("malformed-schema", *place)], found


VALUES = st.recursive(
    st.sampled_from([None, True, False, 0, 1, -1, 2.5, "", "a", "str", "string", "null", "[", "object", "1", "#/$defs/D"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "type", "[", "$ref"]), inner, max_size=2),
    max_leaves=5,
)  # fmt: skip
KEYWORDS = (
    "type", "enum", "const", "required", "minimum", "maxLength", "multipleOf", "uniqueItems", "pattern", "format",
    "properties", "patternProperties", "additionalProperties", "items", "prefixItems", "allOf", "anyOf", "oneOf", "not",
    "if", "then", "contains", "maxContains", "dependentRequired", "$ref", "title", "default", "unknown",
)  # fmt: skip
SCHEMAS = st.recursive(
    VALUES,
    lambda inner: st.dictionaries(st.sampled_from(KEYWORDS), inner | VALUES, max_size=4),
    max_leaves=8,
)


def found_in(parameters: Any) -> list[Diagnostic]:
    tool = spec({"type": "object", "properties": {"a": parameters}, "$defs": {"D": parameters}})
    try:
        return compile_files({"tool.json": tool})[2]
    except RefusedError as refused:
        return list(refused.found)


@given(SCHEMAS)
def test_what_the_meta_schema_refuses_is_refused_in_words(schema: Any) -> None:
    found = found_in(schema)
    assert all(each.message and each.line for each in found)
    if not jsonschema_rs.meta.is_valid(
        {"$schema": "https://json-schema.org/draft/2020-12/schema", "properties": {"a": schema}}
    ):
        changed = any(each.code in ("any-type", "snake-case-keyword") for each in found)
        older = isinstance(schema, dict) and "items" in str(schema)  # a list of items is read as draft 7's
        assert changed or older or any(each.severity == "error" for each in found), schema


DOUBTFUL = {
    "undeclared": ("{type: object, required: [‸paht], properties: {path: {}}}", "undeclared-required", "did you mean `path`"),
    "undeclared, nothing near": ("{type: object, required: [‸x], properties: {path: {}}}", "undeclared-required", "`additionalProperties: true`"),
    "undeclared in items": ("{type: array, items: {type: object, required: [‸c], properties: {b: {}}}}", "undeclared-required", "`c`"),
    "minimum of a string": ("{type: string, ‸minimum: 9}", "no-effect", "numbers only"),
    "maxLength of an integer": ("{type: integer, ‸maxLength: 9}", "no-effect", "strings only"),
    "properties of a string": ("{type: string, ‸properties: {b: {}}}", "no-effect", "correct `type`"),
    "pattern of an integer": ("{type: integer, ‸pattern: a}", "no-effect", "strings only"),
    "types in an enum": ("{enum: [a, b, null, ‸1]}", "mixed-enum", "`type: [string, number]`"),
    "booleans and texts in an enum": ("{enum: [false, ‸yes, 1]}", "mixed-enum", "lists booleans, and here the text `yes`"),
    "null in an enum": ("{type: string, enum: [a, ‸null]}", "refused-value", "add its type"),
    "number in an enum": ("{type: string, enum: [a, ‸1]}", "refused-value", "quotes"),
}  # fmt: skip


@pytest.mark.parametrize("name", DOUBTFUL)
def test_what_hardly_means_what_it_says_is_a_warning(name: str) -> None:
    schema, code, says = DOUBTFUL[name]
    text = f"parameters:\n  type: object\n  properties: {{a: {schema}}}\n  $defs: {{D: {{properties: {{b: {{}}}}}}}}\n"
    found, place = problems(text)
    assert [(d.code, d.severity, d.line, d.column) for d in found] == [(code, "warning", *place)], found
    assert says in f"{found[0].message} — {found[0].hint}"


@pytest.mark.parametrize(
    "schema",
    [
        "{type: object, required: [x]‸, additionalProperties: true}",
        "{type: object, required: [x]‸, additionalProperties: {type: string}}",
        "{type: object, required: [x_a]‸, patternProperties: {^x_: true}}",
        "{type: object, properties: {b: {}}, allOf: [{required: [b]}]‸}",
        "{allOf: [{required: [b]}, {properties: {b: {}}}]‸}",
        "{$ref: '#/$defs/D', required: [b]‸}",
        "{allOf: [{$ref: '#/$defs/D'}, {required: [b]}]‸}",
        "{properties: {b: {}}, not: {required: [c]}‸}",
        "{properties: {b: {}, c: {}}, if: {required: [b]}, then: {required: [c]}‸}",
        "{type: [integer, string], minimum: 1, maxLength: 3‸}",
        "{type: [string, 'null'], enum: [a, null]‸}",
        "{type: integer, enum: [1, 2.0]‸}",
        "{enum: [1, 2.5, null]‸}",
        "{enum: [null, a]‸}",
        "{type: [integer, string], enum: [1, a]‸}",
        "{type: number, enum: [1, 2.5]‸}",
    ],
)
def test_what_is_meant_is_not_doubted(schema: str) -> None:
    text = f"parameters:\n  type: object\n  properties: {{a: {schema}}}\n  $defs: {{D: {{properties: {{b: {{}}}}}}}}\n"
    assert problems(text)[0] == []


def test_an_undeclared_name_that_is_forbidden_is_an_error() -> None:
    schema = "{type: object, required: [‸paht, other], properties: {path: {}}, additionalProperties: false}"
    found, place = problems(f"parameters: {{type: object, properties: {{a: {schema}}}}}")
    places = [(d.code, d.severity, d.line, d.column) for d in found]
    line, column = place
    assert places == [("unsatisfiable", "error", line, each) for each in (column, column + len("paht, "))], (
        found
    )
    assert "did you mean `path`" in found[0].hint


def test_a_required_property_that_is_declared_as_false_is_shown_where_it_is_declared() -> None:
    schema = "{type: object, required: [path], properties: {path: ‸false}}"
    found, place = problems(f"parameters: {{type: object, properties: {{a: {schema}}}}}")
    assert [(d.code, d.line, d.column) for d in found] == [("unsatisfiable", *place)]


def test_parts_that_forbid_what_others_require_are_told() -> None:
    one, two = (
        f"{{properties: {{{name}: {{}}}}, required: [{name}], additionalProperties: false}}" for name in "xy"
    )
    found, _ = problems(
        f"parameters: {{type: object, properties: {{a: ‸{{type: object, allOf: [{one}, {two}]}}}}}}"
    )
    assert [each.code for each in found] == ["unsatisfiable"]
    assert "'x' is required, and another part of it forbids it" in found[0].message


def test_a_circle_of_references_is_named() -> None:
    definitions = "‸A: {$ref: '#/$defs/B'}, B: {$ref: '#/$defs/A'}, C: {$ref: '#/$defs/C'}"
    uses = ", ".join(f"{name}: {{$ref: '#/$defs/{name}'}}" for name in "AC")
    found, (line, _) = problems(
        f"parameters: {{type: object, properties: {{{uses}}}, $defs: {{{definitions}}}}}"
    )
    assert {(each.code, each.line) for each in found} == {("circular-reference", line)}
    assert sorted(each.message for each in found) == [
        "`A` refers only to itself, through `B`",
        "`B` refers only to itself, through `A`",
        "`C` refers only to itself",
    ]


def test_a_circle_through_branches_names_its_references() -> None:
    definitions = "A: {allOf: [{$ref: '#/$defs/B'}]}, B: {anyOf: [‸{$ref: '#/$defs/A'}]}"
    found, place = problems(
        f"parameters: {{type: object, properties: {{a: {{$ref: '#/$defs/A'}}}}, $defs: {{{definitions}}}}}"
    )
    assert [(d.code, d.line, d.column) for d in found] == [("malformed-schema", *place)]
    assert "#/$defs/A/allOf/0 → #/$defs/B/anyOf/0" in found[0].message
