"""Parameters whose empty string means that they were left out: named one by one, and optional."""

import pytest
from toolcast.analysis.verify.tool_laws import Effort, check_laws
from toolcast.project.core.compiled import Options

from tests.spec.helper import tool

HEAD = "description: Does it.\npermission: read\nsecrets: []\n"
PARAMETERS = """\
parameters:
  type: object
  required: [a]
  properties: {a: {type: string}, b: {type: string, minLength: 1}}
"""


def test_names_of_optional_parameters() -> None:
    spec, found = tool(f"{HEAD}{PARAMETERS}empty_is_absent: [b]\n")
    assert found == ()
    assert spec is not None
    assert spec.empty_is_absent == ("b",)


@pytest.mark.parametrize(
    ("parameters", "names", "code"),
    [
        (PARAMETERS, "[c]", "unknown-parameter"),
        (PARAMETERS, "[a]", "required-parameter"),
        (PARAMETERS, "[b, b]", "repeated"),
        (PARAMETERS, "[1]", "wrong-type"),
        (PARAMETERS, "true", "wrong-type"),
        ("", "[b]", "unknown-parameter"),
        ("parameters: {allOf: [{type: object, properties: {b: {}}}]}\n", "[b]", "unknown-parameter"),
    ],
)
def test_anything_else_is_refused(parameters: str, names: str, code: str) -> None:
    spec, found = tool(f"{HEAD}{parameters}empty_is_absent: {names}\n")
    assert spec is None
    assert [each.code for each in found] == [code]


def test_such_a_tool_keeps_the_laws() -> None:
    spec, _ = tool(f"{HEAD}{PARAMETERS}empty_is_absent: [b]\n")
    assert spec is not None
    report = check_laws(spec, {}, Options(providers=("openai", "gemini")), Effort(examples=60, seed=3))
    assert report.valid
    assert report.counterexamples == ()
