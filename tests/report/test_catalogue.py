"""The catalogue in Markdown, as a renderer of Markdown reads it: tables that hold, and inert texts."""

from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token
from toolcast.report.catalogue import catalogue
from toolcast.report.report_model import Report

from tests.lint.projects import GOOD, spec, write
from tests.report.reports import report_of

MARKUP = {"html_inline", "html_block", "link_open", "image", "fence", "code_block", "hr"}


def _tokens(report: Report) -> list[Token]:
    found = MarkdownIt("commonmark").enable("table").parse("\n".join(catalogue(report)))
    return found + [below for each in found for below in each.children or ()]


def _rows(report: Report) -> list[list[str]]:
    """The cells of each row of all tables, as text."""
    rows: list[list[str]] = []
    for token, after in zip(tokens := _tokens(report), tokens[1:], strict=False):
        if token.type == "tr_open":
            rows.append([])
        elif token.type in ("td_open", "th_open"):
            rows[-1].append("".join(below.content for below in after.children or ()))
    return rows


def test_texts_of_specs_are_no_markup(hostile: Report) -> None:
    assert [(each.type, each.content) for each in _tokens(hostile) if each.type in MARKUP] == []


def test_texts_of_specs_make_no_headings_and_no_cells(hostile: Report) -> None:
    headings = [each for each in _tokens(hostile) if each.type == "heading_open"]
    groups = {row.group for row in hostile.tools}
    assert len(headings) == 1 + 2 + len(groups) + len(hostile.tools)
    assert {len(row) for row in _rows(hostile)} == {4, 6, 7}


def test_every_tool_and_every_parameter_is_listed(own: Report) -> None:
    rows = _rows(own)
    for row, each in zip(own.tools, own.details, strict=True):
        assert [cells[0] for cells in rows if len(cells) == 6].count(row.name) == 1
        for name in each.contract["parameters"]["properties"]:
            assert name in [cells[0] for cells in rows if len(cells) == 4]


def test_types_are_in_words(tmp_path: Path) -> None:
    properties = {
        "a": {"enum": ["x", "y|z", 3]},
        "b": {"type": "array", "items": {"type": ["string", "null"]}},
        "c": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        "d": True,
        "e": {"type": "integer", "default": 3, "description": "How many."},
        "f": {"$ref": "#/$defs/f"},
    }
    parameters = {
        "type": "object",
        "required": ["a"],
        "properties": properties,
        "$defs": {"f": {"type": "array", "items": {"$ref": "#/$defs/f"}}},
    }
    write(tmp_path, {"count": {**GOOD, "parameters": parameters}}, 'providers = ["mcp"]\n')
    rows = {cells[0]: cells[1:] for cells in _rows(report_of(tmp_path)) if len(cells) == 4}
    assert rows["a"] == ['"x" | "y|z" | 3', "yes", ""]
    assert rows["b"][0] == "array of string or null"
    assert rows["c"][0] == "integer or string"
    assert rows["d"][0] == "any value"
    assert rows["e"] == ["integer", "", "How many. Default: 3."]
    assert rows["f"][0].startswith("array of array of")


def test_a_loss_is_named_once_with_its_providers(tmp_path: Path) -> None:
    write(tmp_path, {"count": spec(examples=[{"text": "a"}])}, 'providers = ["mistral", "ollama"]\n')
    lines = [line for line in catalogue(report_of(tmp_path)) if "`examples` is not sent" in line]
    assert len(lines) == 1
    assert lines[0].startswith("- `mistral`, `ollama`: ")


def test_errors_stand_above_the_tools(tmp_path: Path) -> None:
    write(tmp_path, {"count": GOOD, "wrong": spec(permission="fly")}, 'providers = ["mcp"]\n')
    lines = list(catalogue(report_of(tmp_path)))
    (number,) = [number for number, line in enumerate(lines) if line.startswith("❌ `specs/wrong.yaml:")]
    assert number < lines.index("## All tools")
