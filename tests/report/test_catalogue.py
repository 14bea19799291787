"""The catalogue in Markdown, as a renderer of Markdown reads it: tables that hold, and inert texts."""

import re
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from toolcast.analysis.report.catalogue import catalogue
from toolcast.analysis.report.report_model import ComparedChange, Report, StateComparison

from tests.lint.projects import GOOD, spec, write
from tests.report.reports import report_of

OWN = re.compile(
    r"<!-- toolcast report -->|</details>"
    r"|<details><summary>What providers' definitions lack \([0-9]+\)</summary>"
)
MARKUP = {"html_inline", "html_block", "link_open", "image", "fence", "code_block", "hr"}


def _tokens(report: Report) -> list[Token]:
    found = MarkdownIt("commonmark").enable("table").parse("\n".join(catalogue(report)))
    return found + [below for each in found for below in each.children or ()]


def _rows(report: Report) -> list[list[str]]:
    rows: list[list[str]] = []
    for token, after in zip(tokens := _tokens(report), tokens[1:], strict=False):
        if token.type == "tr_open":
            rows.append([])
        elif token.type in ("td_open", "th_open"):
            rows[-1].append("".join(below.content for below in after.children or ()))
    return rows


def test_texts_of_specs_are_no_markup(hostile: Report) -> None:
    markup = [each.content for each in _tokens(hostile) if each.type in MARKUP]
    assert [each for each in markup if not OWN.fullmatch(each.strip())] == []


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


@given(st.text("=-:|#>`*_1.) +~<&[]\\ab \n\u2028", max_size=60))
def test_a_description_of_any_lines_is_one_paragraph(own: Report, text: str) -> None:
    row, shown = own.tools[0], msgspec.structs.replace(own.details[0], description=text)
    changed = msgspec.structs.replace(own, tools=(row,), details=(shown,))
    empty = msgspec.structs.replace(changed, details=(msgspec.structs.replace(shown, description="Text."),))
    assert _blocks(changed) == _blocks(empty) or not text.strip()


def _blocks(report: Report) -> list[str]:
    found = MarkdownIt("commonmark").enable("table").parse("\n".join(catalogue(report)))
    return [each.type for each in found]


def test_a_description_keeps_its_lines(tmp_path: Path) -> None:
    text = "Counts letters.\n\n- First of all.\n- Not of words."
    write(tmp_path, {"count": spec(description=text)}, 'providers = ["mcp"]\n')
    page = MarkdownIt("commonmark").render("\n".join(catalogue(report_of(tmp_path))))
    assert "Counts letters.<br />\n- First of all.<br />\n- Not of words.</p>" in page


def test_long_lists_of_losses_are_folded(own: Report) -> None:
    page = MarkdownIt("commonmark", {"html": True}).render("\n".join(catalogue(own)))
    folded = page.split("<details>")[1:]
    assert folded
    for each in folded:
        inside, _, _ = each.partition("</details>")
        assert inside.count("<li>") == int(inside.partition("lack (")[2].partition(")")[0]) > 5
    for part in page.split("definitions lack:</p>")[1:]:
        assert part.partition("</ul>")[0].count("<li>") <= 5


def _compared(report: Report, tools: tuple[str, ...]) -> Report:
    changes = tuple(
        ComparedChange(
            level="warning", audience="model", rule="description-read", tool=tool, message="Other words.",
            hint="", file="specs/a.yaml", line=1, old=False, providers=(), witness=None, undecided=False,
            suppressed=False,
        )
        for tool in tools
    )  # fmt: skip
    compared = StateComparison(old="a", new="b", compared=2, unchanged=0, changes=changes, diagnostics=())
    return msgspec.structs.replace(report, diff=compared)


def test_a_review_has_the_differences_first_and_the_tools_that_differ(own: Report) -> None:
    name, other = own.tools[0].name, own.tools[1].name
    lines = list(catalogue(_compared(own, (name, "gone")), ["", "### Differences"]))
    assert lines.index("### Differences") < lines.index("## Providers") < lines.index("## Tools that differ")
    assert f"### `{name}`" in lines
    assert f"### `{other}`" not in lines
    assert [line for line in lines if line.startswith(f"| `{other}` ")] == []


def test_a_review_fits_in_a_comment(own: Report) -> None:
    detail = msgspec.structs.replace(own.details[0], description="word " * 240)
    rows = [msgspec.structs.replace(own.tools[0], name=f"tool_{number}") for number in range(100)]
    many = msgspec.structs.replace(own, tools=tuple(rows), details=(detail,) * 100)
    text = "\n".join(catalogue(_compared(many, tuple(row.name for row in rows))))
    described = text.count("### `tool_")
    assert 0 < described < 100
    assert len(text) < 65_536
    assert f"{100 - described} more tools that differ are not described" in text


@pytest.mark.parametrize(
    ("hidden", "shown"),
    [("\u200b", "\\\\u200b"), ("\u202e", "\\\\u202e"), ("\U000e0041", "\\\\udb40\\\\udc41")],
)
def test_what_nobody_sees_is_shown(tmp_path: Path, hidden: str, shown: str) -> None:
    text = f"Counts{hidden} words."
    properties = {f"a{hidden}": {"type": "string", "description": text}}
    write(tmp_path, {"count": spec(description=text, properties=properties)}, 'providers = ["mcp"]\n')
    page = "\n".join(catalogue(report_of(tmp_path)))
    assert hidden not in page
    assert f"Counts{shown} words." in page
    assert f"`a{shown[1:].replace(chr(92) * 2, chr(92))}`" in page
