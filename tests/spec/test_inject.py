"""Parameters that the program fills in: which ones may be, and where a mistake is reported."""

import pytest
import toolcast
from toolcast.contract.build import Built, build_tool

from tests.spec.helper import places, tool

HEAD = "description: Does it.\npermission: read\nsecrets: [s]\n"
PARAMETERS = """\
parameters:
  type: object
  required: [a]
  properties:
    a: {type: string}
    b: {type: integer}
    e: {type: string}
    s: {type: string}
    w: {type: string}
runtime_enums: {e: agents}
described_by: w
"""


def test_parameters_and_their_paths() -> None:
    spec, found = tool(f"{HEAD}{PARAMETERS}inject: {{a: context.user.name, b: context.n}}\n")
    assert found == ()
    assert spec is not None
    assert spec.inject == {"a": "context.user.name", "b": "context.n"}
    assert build_tool(spec, {}).diagnostics == ()


@pytest.mark.parametrize(
    ("inject", "code", "words", "remedy"),
    [
        ("{x: context.x}", "unknown-parameter", "`x` is not a parameter", "the parameters are"),
        ("{a: user.id}", "bad-path", "`user.id` is not a path", "context.user_id"),
        ("{a: context}", "bad-path", "`context` is not a path", "context.user_id"),
        ("{a: context.__class__}", "bad-path", "is not a path", "context.user_id"),
        ("{a: context.a._b}", "bad-path", "is not a path", "context.user_id"),
        ("{a: 'context.a\\n'}", "bad-path", "is not a path", "context.user_id"),
        ("{a: ''}", "empty-text", "", ""),
        ("{a: 3}", "wrong-type", "must be a path", ""),
        ("[a]", "wrong-type", "must be a mapping", "user_id: context.user_id"),
        ("{s: context.s}", "injected-twice", "named by `secrets`, too", "take it out of `secrets`"),
        ("{e: context.e}", "injected-twice", "named by `runtime_enums`, too", "take it out"),
        ("{w: context.w}", "injected-twice", "named by `described_by`, too", "take it out"),
    ],
)
def test_anything_else_is_refused_where_it_is_written(
    inject: str, code: str, words: str, remedy: str
) -> None:
    spec, found = tool(f"{HEAD}{PARAMETERS}inject: {inject}\n")
    assert spec is None
    (problem,) = found
    assert problem.code == code
    assert problem.line == 15
    assert words in problem.message
    assert remedy in problem.hint


def test_an_empty_text_cannot_stand_for_its_absence() -> None:
    _, found = tool(f"{HEAD}{PARAMETERS}empty_is_absent: [b]\ninject: {{b: context.b}}\n")
    assert places(found) == [("injected-twice", 16, 10)]


ROOT = "parameters:\n  type: object\n  properties:\n    a: {type: string}\n    b: {type: integer}\n"


@pytest.mark.parametrize(
    ("more", "line", "words"),
    [
        ("  dependentRequired: {b: [a]}\n", 9, "`dependentRequired`"),
        ("  dependentRequired: {a: [b]}\n", 9, "`dependentRequired`"),
        ("  dependentSchemas: {b: {required: [a]}}\n", 9, "`dependentSchemas`"),
        ("  anyOf: [{required: [a]}, {required: [b]}]\n", 9, "`anyOf`"),
        ("  if: {properties: {a: {const: x}}}\n  then: {required: [b]}\n", 9, "`if`"),
        ("  not: {required: [a, b]}\n", 9, "`not`"),
        ("  allOf: [{minProperties: 1}]\n", 9, "`allOf`"),
        ("  oneOf: [{additionalProperties: {type: string}}]\n", 9, "`oneOf`"),
        ("  maxProperties: 3\n", 9, "`maxProperties`"),
        ("  minProperties: 1\n", 9, "`minProperties`"),
        ("  enum: [{a: x}]\n", 9, "`enum`"),
    ],
)
def test_what_judges_it_together_with_others_is_refused(more: str, line: int, words: str) -> None:
    spec, found = tool(f"{HEAD.replace('[s]', '[]')}{ROOT}{more}inject: {{a: context.a}}\n")
    assert found == ()
    assert spec is not None
    problems = [each for each in build_tool(spec, {}).diagnostics if each.code == "injected-parameter"]
    assert [each.line for each in problems] == [line]
    assert words in problems[0].message
    assert "`a`" in problems[0].message
    assert "below `properties`" in problems[0].hint


@pytest.mark.parametrize(
    "more",
    [
        "  dependentRequired: {b: [c]}\n",
        "  anyOf: [{required: [b]}, {required: [c]}]\n",
        "  if: {properties: {b: {const: 1}}}\n  then: {required: [c]}\n",
        "  additionalProperties: false\n",
        "  patternProperties: {'^x-': {type: string}}\n",
    ],
)
def test_what_is_about_others_is_allowed(more: str) -> None:
    root = ROOT + "    c: {type: integer}\n"
    spec, _ = tool(f"{HEAD.replace('[s]', '[]')}{root}{more}inject: {{a: context.a}}\n")
    assert spec is not None
    assert build_tool(spec, {}).diagnostics == ()


def referring(reference: str) -> Built:
    root = ROOT + f"    c: {{$ref: {reference}}}\n"
    spec, _ = tool(f"{HEAD.replace('[s]', '[]')}{root}inject: {{a: context.a}}\n")
    assert spec is not None
    return build_tool(spec, {})


def test_parameters_that_hold_parameters_are_refused() -> None:
    (problem,) = referring("'#'").diagnostics
    assert (problem.code, problem.line, problem.column) == ("injected-parameter", 10, 10)
    assert "a reference inside of `parameters` leads to it" in problem.message


def test_another_parameter_may_have_its_schema() -> None:
    built = referring("'#/properties/a'")
    assert built.diagnostics == ()
    offered = built.normal.offered(["a"])
    assert offered["properties"].keys() == {"b", "c"}
    assert offered["$defs"] == {"a": {"type": "string"}}


def test_an_example_is_what_a_model_sends() -> None:
    text = f"{HEAD.replace('[s]', '[]')}{ROOT}  required: [a]\ninject: {{a: context.a}}\n"
    spec, _ = tool(f"{text}examples: [{{b: 1}}, {{}}]\n")
    assert spec is not None
    assert build_tool(spec, {}).diagnostics == ()
    spec, _ = tool(f"{text}examples: [{{b: 1, a: x}}]\n")
    assert spec is not None
    (problem,) = build_tool(spec, {}).diagnostics
    assert (problem.code, problem.line, problem.column) == ("example-mismatch", 11, 19)
    assert "which the program fills in" in problem.message


@pytest.mark.parametrize("parameters", [b"", b"parameters: text\n", b"parameters: [a]\n", b"input: text\n"])
def test_without_an_object_of_parameters_there_is_nothing_to_fill_in(parameters: bytes) -> None:
    head = b"description: Does it.\npermission: read\nsecrets: []\ninject: {user_id: context.user.id}\n"
    codes = {each.code for each in toolcast.compile({"a.yaml": head + parameters}).diagnostics}
    assert codes
    assert "internal-error" not in codes
