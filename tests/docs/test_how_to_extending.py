"""The how-to pages about providers, templates, findings and text formats of one's own, and about problems."""

import re
from pathlib import Path

import pytest

from .pages import DOCS, ROOT, run_page

PAGES = (
    "add-a-provider",
    "change-a-template",
    "write-a-lint-suppression",
    "own-text-format",
    "troubleshooting",
)
HOW_TO = DOCS / "how-to"


@pytest.mark.parametrize("name", PAGES)
def test_the_page_does_what_it_says(name: str, tmp_path: Path) -> None:
    run_page(HOW_TO / f"{name}.md", tmp_path / "project")


def test_templates_that_the_reference_names_are_those_that_there_are() -> None:
    page = (DOCS / "reference/configuration.md").read_text("utf-8")
    named = set(re.findall(r"\w+\.py\.jinja", page))
    assert named == {path.name for path in (ROOT / "templates").glob("*.py.jinja")}


def test_codes_that_pages_explain_are_those_that_the_source_has() -> None:
    """The source is the package, and the hooks."""
    files = [*(ROOT / "codegen").rglob("*.py"), ROOT / ".pre-commit-hooks.yaml"]
    known = {
        code for file in files for code in re.findall(r"\b[a-z]+(?:-[a-z]+)+\b", file.read_text("utf-8"))
    }
    unknown = set()
    for page in HOW_TO.glob("*.md"):
        text = re.sub(r"^ *```.*?^ *```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
        explained = [line.split(" | ")[0] for line in text.splitlines() if line.startswith(("| `", "**`"))]
        codes = {code for line in explained for code in re.findall(r"`([a-z]+(?:-[a-z]+)+)`", line)}
        unknown |= {f"{page.stem}: {code}" for code in codes - known}
    assert unknown == set()
