"""The pages of docs/explanation: what they show is what happens, and the tests that they name exist."""

import json
import re
from pathlib import Path

import pytest
from toolcast.analysis.containment.compare import compare
from toolcast.contract.build import Built, build_tool
from toolcast.spec.read_file import SourceDocument, parse_document
from toolcast.spec.spec_reader import read_tool

from tests.docs.pages import DOCS, ROOT, run_page

PAGES = ("laws", "dialects", "ledger", "decoding")
COMPARED = ("datamodel-code-generator", "fastmcp", "pydantic-ai", "baml", "oh-my-pi")
_NAMED = re.compile(r"`(tests/[\w/.]+)`")
_ROW = re.compile(r"^\| (toolcast[^|]*?) *\|(.*)\|$", re.MULTILINE)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_shows_what_happens(page: str, tmp_path: Path) -> None:
    run_page(DOCS / f"explanation/{page}.md", tmp_path / "home")


def test_the_changes_of_the_page_of_containment_have_the_verdicts_that_it_states() -> None:
    text = (DOCS / "explanation/containment.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\{.*\})` \| `(\{.*\})` \| (\w+) \| (.*) \|$", text, re.MULTILINE)
    assert {verdict for _, _, verdict, _ in rows} == {"contained", "escapes", "undecided"}
    for before, after, verdict, why in rows:
        found = compare(_built(before), _built(after), "parameters")
        assert found.verdict == verdict, before
        if found.escapes:
            assert f"`{json.dumps(found.escapes[0].value)}`" in why


def _built(limit: str) -> Built:
    text = f"""\
description: Reads the newest entries of a log.
permission: read
secrets: []
parameters: {{type: object, properties: {{limit: {limit}}}}}
"""
    document = parse_document(text.encode(), "tool.yaml", "yaml")
    assert isinstance(document, SourceDocument)
    spec = read_tool(document, "tool.yaml", frozenset())[0]
    assert spec is not None
    return build_tool(spec, {})


def test_every_law_names_tests_that_exist() -> None:
    laws = (DOCS / "explanation/laws.md").read_text("utf-8").split("\n## ")[1:]
    assert [law.partition(":")[0] for law in laws] == [f"L{number}" for number in range(1, 11)]
    for law in laws:
        named = _NAMED.findall(law)
        assert named, law
        assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("name", COMPARED)
def test_a_comparison_has_measured_rows(name: str) -> None:
    page = (DOCS / f"explanation/comparisons/{name}.md").read_text("utf-8")
    measured = page.partition("<!-- measured:begin -->")[2].partition("<!-- measured:end -->")[0]
    assert _ROW.search(measured), "run `make comparisons`"
    assert f"({name}.md)" in (DOCS / "explanation/comparisons/index.md").read_text("utf-8")


@pytest.mark.parametrize("name", COMPARED[:-1])
def test_a_page_of_a_decoder_has_toolcasts_own_row(name: str) -> None:
    """The page's sentences stand on that row: no valid value is refused, no invalid one taken."""
    page = (DOCS / f"explanation/comparisons/{name}.md").read_text("utf-8")
    head = next(line for line in page.splitlines() if line.startswith("|") and "valid refused" in line)
    row = next(line for line in page.splitlines() if line.startswith("| toolcast "))
    cells = dict(zip(*([cell.strip() for cell in line.split("|")] for line in (head, row)), strict=True))
    assert cells["valid refused"].startswith("0 of ")
    assert cells["invalid taken"].startswith("0 of ")
    assert cells["own schema differs"] == "0"
