"""docs/reports/index.md says what the reports say."""

import re

import pytest

from tests.docs.pages import DOCS, ROOT

REPORTS = DOCS / "reports"
_TEXT = (REPORTS / "index.md").read_text("utf-8")
_ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in _TEXT.splitlines()
    if line.startswith("| ") and not line.startswith("| claim")
]
_TARGETS = re.compile(r"^([a-z-]+):", re.MULTILINE)


@pytest.mark.parametrize("row", _ROWS, ids=[row[0] for row in _ROWS])
def test_each_number_of_a_claim_stands_in_its_report(row: list[str]) -> None:
    _, number, _, link = row
    named = re.search(r"\((?P<page>[\w-]+\.md)", link)
    assert named, link
    report = (REPORTS / named["page"]).read_text("utf-8")
    figures = re.findall(r"`([^`]*\d[^`]*)`", number)
    assert figures, number
    assert [
        each for each in figures if not re.search(rf"(?<![\w.,]){re.escape(each)}(?!\w|[.,]\d)", report)
    ] == []


@pytest.mark.parametrize("row", _ROWS, ids=[row[0] for row in _ROWS])
def test_each_command_exists(row: list[str]) -> None:
    command = row[2].strip("`").split()
    if command[0] == "make":
        assert command[1] in _TARGETS.findall((ROOT / "Makefile").read_text("utf-8"))
    elif command[:2] == ["python", "-m"]:
        assert (ROOT / f"{command[2].replace('.', '/')}.py").is_file()
    else:
        assert command[0] == "pytest"
        assert (ROOT / command[1]).is_dir()


def test_each_report_is_summarised_and_begins_with_its_claim() -> None:
    pages = sorted(page.name for page in REPORTS.glob("*.md") if page.name != "index.md")
    assert [page for page in pages if f"({page}" not in _TEXT] == []
    for page in pages:
        _, _, first = (REPORTS / page).read_text("utf-8").split("\n", 3)[:3]
        assert re.fullmatch(r"\*\*[^*]+\.\*\*", first), page


def test_the_summary_is_a_screen() -> None:
    assert len(_TEXT.splitlines()) <= 40


def test_each_figure_of_the_goals_of_performance_stands_in_a_table() -> None:
    goals, _, measured = (REPORTS / "performance.md").read_text("utf-8").partition("\n## ")
    measured += (REPORTS / "scale.md").read_text("utf-8")
    figures = re.findall(r"`(\d[\d.]*)`", goals)
    assert len(figures) == 13
    assert [
        each for each in figures if not re.search(rf"(?<![\w.,]){re.escape(each)}(?!\w|[.,]\d)", measured)
    ] == []
