"""The parameter with words for the person who approves a call: plain text, and no secret."""

import pytest

from tests.spec.helper import tool

HEAD = "description: Does it.\npermission: execute\nsecrets: [c]\n"
PARAMETERS = """\
parameters:
  type: object
  required: [a]
  properties:
    a: {type: string}
    b: {type: [string, "null"]}
    c: {type: string}
    d: {type: integer}
    e: {type: string, enum: [x, y]}
    f: true
"""


@pytest.mark.parametrize("name", ["a", "b"])
def test_a_parameter_of_plain_text(name: str) -> None:
    spec, found = tool(f"{HEAD}{PARAMETERS}described_by: {name}\n")
    assert found == ()
    assert spec is not None
    assert spec.described_by == name


def test_no_tool_has_one_by_itself() -> None:
    spec, _ = tool(f"{HEAD}{PARAMETERS}")
    assert spec is not None
    assert spec.described_by is None


@pytest.mark.parametrize(
    ("parameters", "name", "code", "words"),
    [
        (PARAMETERS, "bb", "unknown-parameter", "`bb` is not a parameter"),
        (PARAMETERS, "d", "not-text", "`d` is not plain text"),
        (PARAMETERS, "e", "not-text", "`e` is not plain text"),
        (PARAMETERS, "f", "not-text", "`f` is not plain text"),
        (PARAMETERS, "c", "secret-words", "`c` may carry secrets"),
        (PARAMETERS, "[a]", "wrong-type", "must be"),
        (PARAMETERS, "''", "empty-text", ""),
        ("parameters: {type: object}\n", "a", "unknown-parameter", "no plain `properties`"),
        (
            "parameters: {allOf: [{type: object, properties: {a: {}}}]}\n",
            "a",
            "unknown-parameter",
            "no plain `properties`",
        ),
    ],
)
def test_anything_else_is_refused_where_it_is_written(
    parameters: str, name: str, code: str, words: str
) -> None:
    spec, found = tool(f"{HEAD}{parameters}described_by: {name}\n")
    assert spec is None
    (problem,) = found
    assert (problem.code, problem.line, problem.column) == (
        code,
        HEAD.count("\n") + parameters.count("\n") + 1,
        15,
    )
    assert words in problem.message
    assert problem.hint


def test_a_mistyped_key_of_the_parameters_is_the_only_problem() -> None:
    spec, found = tool(f"{HEAD}{PARAMETERS.replace('parameters', 'parameter')}described_by: a\n")
    assert spec is None
    assert [each.code for each in found] == ["unknown-key"]
