"""Grammars and texts of specs: what is wrong is reported at its place in the file."""

import json
import sys

import pytest
from toolcast.contract.build import build_tool
from toolcast.diagnostics import Diagnostic
from toolcast.runtime import grammars
from toolcast.spec.read_file import SourceDocument, parse_document
from toolcast.spec.spec_reader import read_tool
from toolcast.spec.tool_spec import ToolSpec

HEAD = "description: Does it.\npermission: read\nsecrets: []\n"


def found_in(text: str, kind: str = "yaml") -> tuple[Diagnostic, ...]:
    document = parse_document(text.encode(), "specs/x.yaml", "json" if kind == "json" else "yaml")
    assert isinstance(document, SourceDocument)
    spec, problems, _ = read_tool(document, "x.yaml", frozenset())
    assert problems == ()
    assert isinstance(spec, ToolSpec)
    return build_tool(spec, {}).diagnostics


LARK = """input:
  grammar: lark
  definition: {sign}
{indent}start: a
{indent}a: "x" b
"""


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        (LARK.format(sign="|", indent="    "), 8, 8),
        (LARK.format(sign="|-  # a comment", indent="     "), 8, 9),
        (LARK.format(sign="|2", indent="    "), 8, 8),
        ("input: {grammar: regex, definition: 'a\\b'}\n", 4, 38),
        ('input: {grammar: regex, definition: "a(?=b)"}\n', 4, 39),
        ("input:\n  grammar: regex\n  definition: ab(c\n", 6, 17),
        # Escapes and folded lines: the place of the whole text.
        ('input: {grammar: regex, definition: "\\x61(?=b)"}\n', 4, 37),
        (LARK.format(sign=">", indent="    "), 6, 15),
    ],
)
def test_a_wrong_grammar_is_reported_where_it_is_wrong(text: str, line: int, column: int) -> None:
    found = [each for each in found_in(HEAD + text) if each.code == "bad-grammar"]
    assert [(each.line, each.column, bool(each.hint)) for each in found] == [(line, column, True)]


def test_without_the_engine_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "llguidance", None)
    grammars._engine.cache_clear()
    (found,) = found_in(HEAD + "input: {grammar: regex, definition: '[0-9]+'}\n")
    assert (found.code, found.severity, found.line, found.column) == ("missing-library", "error", 4, 37)
    assert found.message == "the grammar cannot be checked: llguidance is not installed"
    assert found.hint == "run: pip install 'toolcast[grammars]'"
    assert found_in(HEAD + "input: text\n") == ()


def test_a_spec_in_json() -> None:
    text = (
        '{"description": "Does it.", "permission": "read", "secrets": [],'
        ' "input": {"grammar": "regex", "definition": "a(?=b)"}}'
    )
    assert [(each.code, each.line, each.column) for each in found_in(text, "json")] == [
        ("bad-grammar", 1, text.index("(?=") + 1)
    ]


def test_examples_are_held_to_the_grammar() -> None:
    grammar = "input: {grammar: regex, definition: '[ab]+'}\nexamples:\n  - input: ab\n  - input: abc\n"
    found = found_in(HEAD + grammar)
    assert [(each.code, each.line) for each in found] == [("example-mismatch", 7)]
    assert "column 3" in found[0].message
    assert [each.code for each in found_in(HEAD + "input: text\nexamples: [{}, {input: 5}]\n")] == [
        "example-mismatch",
        "example-mismatch",
    ]


RESULT = """result:
  type: object
  properties:
    title: {type: string}
    by: {type: object, additionalProperties: {type: object, properties: {x: {}}}}
    kind: {enum: [a, b]}
    pair: {type: array, minItems: 2, prefixItems: [{properties: {l: {}}}, {type: integer}], items: false}
    any: {}
    rows: {type: array, items: {anyOf: [{$ref: '#/$defs/Row'}, {type: "null"}]}}
  $defs:
    Row:
      type: object
      properties: {id: {type: integer}, name: {}, under: {type: array, items: {$ref: '#/$defs/Row'}}}
"""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("['title', 'rows[].under[].under[].id', 'by.*.x', 'pair[].l', 'any.thing[].at']", None),
        ("['by.k.x']", None),
        ("['by.*.x', by.k.x]", (5, 8, "write `*` alone, or names")),
        ("['rows[].nmae']", (5, 8, "did you mean `rows[].name`?")),
        ("\n  - title\n  - rows.id", (7, 5, "`rows` is a list: write `rows[].id`")),
        ("['rows.*.id']", (5, 8, "`rows` is a list: write `rows[].id`")),
        ("['[].id']", (5, 8, "members of `result` are `any`, `by`, `kind`, `pair`, `rows` or `title`")),
        ("['title.x']", (5, 8, "`title` has no members")),
        ("['kind.x']", (5, 8, "`kind` has no members")),
        ("['rows[].under[].nope']", (5, 8, "members of `rows[].under[]` are `id`, `name` or `under`")),
        ("['by.*.y']", (5, 8, "members of `by.*` are `x`")),
        ("|\n  {title}\n  - {rows[].id} {rows[].nmae}", (7, 17, "did you mean `rows[].name`?")),
        ("|\n  {title}\n  - {rows[].id} {title}", (7, 17, "write a line for each")),
        ("|\n  {title} {", (6, 11, "write `{member}` for a place, and `{{` or `}}` for a brace of the text")),
        ("compact", (5, 7, "write `{member}` where a member is to stand, or list paths")),
    ],
)  # fmt: skip
def test_a_text_names_members_of_the_result(text: str, found: tuple[int, int, str] | None) -> None:
    problems = found_in(f"{HEAD}parameters: {{type: object}}\ntext: {text}\n{RESULT}")
    assert [(each.line, each.column, each.hint) for each in problems] == ([found] if found else [])
    assert {each.code for each in problems} <= {"unknown-member", "bad-text"}


def test_a_text_cannot_name_every_member() -> None:
    result = "result: {type: object, properties: {'@odata.count': {type: integer}, value: {type: string}}}"
    (problem,) = found_in(f"{HEAD}parameters: {{type: object}}\ntext: ['@odata.count']\n{result}\n")
    assert problem.hint == (
        "members of `result` are `value`; no path leads to a name with a dot, a star, brackets or braces"
    )


def test_a_text_needs_a_result() -> None:
    (problem,) = found_in(f"{HEAD}parameters: {{type: object}}\ntext: [a]\n")
    assert (problem.code, problem.line, problem.column) == ("no-result", 5, 1)


def test_a_text_leads_through_a_bounded_number_of_schemas() -> None:
    """Each of 60 paths would ask 400 branches about each of its steps."""
    branches = [{"properties": {"k": {"const": n}, "a": {"$ref": "#/$defs/u"}}} for n in range(400)]
    result = {"$ref": "#/$defs/u", "$defs": {"u": {"anyOf": branches}}}
    text = json.dumps([f"{'a.' * steps}k" for steps in range(60)])
    problems = found_in(f"{HEAD}parameters: {{type: object}}\ntext: {text}\nresult: {json.dumps(result)}\n")
    assert [each.message for each in problems] == ["the paths lead through too many schemas"]
