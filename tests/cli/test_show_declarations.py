"""`toolcast show` and `toolcast lint --tokens` for a language: the declaration, and what it costs."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.project.fake import put

SPEC = """
name: look
description: Looks something up.
permission: read
secrets: []
parameters:
  type: object
  additionalProperties: false
  properties:
    limit: {type: integer, minimum: 1, default: 3}
"""


@pytest.fixture
def printed(run: Command, empty: Path) -> Callable[..., str]:
    put(empty / "specs/find/look.yaml", SPEC)
    put(empty / "pyproject.toml", '[tool.toolcast]\nproviders = ["openai", "python"]\n')

    def call(*arguments: str) -> str:
        done = run(*arguments)
        assert done.exit_code == 0, done.stderr
        return done.stdout

    return call


def test_show_prints_the_declaration(printed: Callable[..., str]) -> None:
    assert printed("show", "look", "--provider", "typescript") == (
        "// Looks something up.\n"
        "declare function look(args?: {\n"
        "  limit?: integer; // Must be at least 1. Default: 3.\n"
        "}): Promise<string>;\n"
    )
    assert printed("show", "look", "--provider", "python") == (
        "async def look(\n"
        " *,\n"
        " limit: int = 3, # Must be at least 1.\n"
        ") -> str:\n"
        ' """Looks something up."""\n'
    )


def test_show_prints_the_definition_as_json(printed: Callable[..., str]) -> None:
    shown = json.loads(printed("show", "look", "--provider", "python", "--format", "json"))
    assert shown["parameters"]["properties"]["limit"]["description"] == "Must be at least 1."


def test_lint_counts_the_tokens_of_the_declaration(printed: Callable[..., str]) -> None:
    counted = json.loads(printed("lint", "--tokens", "--format", "json"))
    full = {one["provider"]: one["full"] for one in counted["tokens"]["totals"]}
    assert full["python"] < full["openai"]


@pytest.mark.parametrize(
    ("text", "examples", "words"),
    [
        (
            "[id]",
            "[{id: 1, words: a b c d e f g}]",
            "saves 10 of 15 tokens on 1 example of results: 5 are left",
        ),
        ("'{id}'", "[{id: 1}, {id: 2}]", "saves 8 of 10 tokens on 2 examples of results: 2 are left"),
        ("'The number of it is {id}'", "[{id: 1}]", "saves no tokens on 1 example of results: 7 are left"),
        ("[id]", "[]", "is not known: `result` has no `examples`"),
    ],
)
def test_show_prints_the_tokens_that_a_text_saves(
    text: str, examples: str, words: str, run: Command, empty: Path
) -> None:
    """A reference at the root is followed to the examples."""
    found = f"{{type: object, properties: {{id: {{}}, words: {{}}}}, examples: {examples}}}"
    result = f"result: {{$ref: '#/$defs/R', $defs: {{R: {found}}}}}"
    put(empty / "specs/look.yaml", f"{SPEC}text: {text}\n{result}\n")
    put(empty / "pyproject.toml", '[tool.toolcast]\nproviders = ["openai"]\n')
    shown = run("show", "look")
    assert shown.exit_code == 0, shown.stderr
    assert words in shown.stderr


def test_show_prints_the_request_of_a_tool_with_http(run: Command, empty: Path) -> None:
    http = """
http:
  method: post
  path: /v1/look/{id}
  server: https://api.example.com
  in: {id: path, q: query, expand: {in: query, style: deepObject}, items: body}
  body: application/x-www-form-urlencoded
  encoding: {items: {style: deepObject}}
  arrays: indexed
"""
    parameters = """
  required: [id]
  properties:
    id: {type: string}
    q: {type: integer}
    expand: {type: array, items: {type: string}}
    items: {type: array, items: {anyOf: [{properties: {price: {type: string}}}, {type: string}]}}
"""
    put(empty / "specs/look.yaml", SPEC[: SPEC.index("\n  properties")] + parameters + http)
    put(empty / "pyproject.toml", '[tool.toolcast]\nproviders = ["openai"]\n')
    shown = run("show", "look")
    assert json.loads(shown.stdout)
    assert shown.stderr.splitlines() == [
        "POST https://api.example.com/v1/look/{id}, application/x-www-form-urlencoded",
        "  ?q=…",
        "  ?expand[0]=…",
        "  ?expand[1]=…",
        "  items[0][price]=…",
    ]
