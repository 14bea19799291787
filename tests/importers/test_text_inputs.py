"""Custom tools of OpenAI's become specs whose argument is one text."""

from pathlib import Path
from typing import Any

import pytest

from tests.importers.test_import_tools import only, run

GRAMMAR = {"syntax": "regex", "definition": "[a-z]+"}
FORMATS: list[tuple[Any, Any]] = [
    (None, "text"),
    ({"type": "text"}, "text"),
    ({"type": "grammar", "grammar": GRAMMAR}, {"grammar": "regex", "definition": "[a-z]+"}),
    ({"type": "grammar", **GRAMMAR}, {"grammar": "regex", "definition": "[a-z]+"}),
]


@pytest.mark.parametrize("nested", [True, False], ids=["chat", "responses"])
@pytest.mark.parametrize(("format", "expected"), FORMATS)
def test_the_format_becomes_the_input(tmp_path: Path, format: Any, expected: Any, nested: bool) -> None:
    body = {"name": "find", "description": "Finds.", **({} if format is None else {"format": format})}
    element = {"type": "custom", "custom": body} if nested else {"type": "custom", **body}
    spec = only(run(tmp_path, [element], permission="read", secrets=[]))
    assert (spec["name"], spec["input"]) == ("find", expected)
    assert "parameters" not in spec
    assert spec["secrets"] == []


def test_whether_the_text_may_carry_secrets_is_for_a_person(tmp_path: Path) -> None:
    element = {"type": "custom", "name": "find", "description": "Finds."}
    assert only(run(tmp_path, [element]))["secrets"] == "TODO"
    assert only(run(tmp_path, [element], secrets=["input"]))["secrets"] == ["input"]


@pytest.mark.parametrize(
    "format",
    [
        {"type": "grammar", "syntax": "regex", "definition": "a(?=b)"},
        {"type": "grammar", "syntax": "gbnf", "definition": "root ::= x"},
        {"type": "grammar"},
        {"type": "other"},
        "text",
    ],
)
def test_a_format_that_no_spec_can_have_is_left_out(tmp_path: Path, format: Any) -> None:
    element = {"type": "custom", "name": "find", "description": "Finds.", "format": format}
    imported = run(tmp_path, [element])
    assert only(imported)["input"] == "text"
    assert '# Left out: ["format"]' in imported.specs["find.yaml"]
