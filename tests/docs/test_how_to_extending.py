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


@pytest.fixture(scope="module")
def source() -> str:
    """Where codes are written: the package, and the hooks."""
    files = [*sorted((ROOT / "codegen").rglob("*.py")), ROOT / ".pre-commit-hooks.yaml"]
    return "\n".join(file.read_text("utf-8") for file in files)


@pytest.mark.parametrize("page", sorted(HOW_TO.glob("*.md")), ids=lambda page: page.stem)
def test_codes_that_pages_explain_are_those_that_the_source_has(page: Path, source: str) -> None:
    text = re.sub(r"^ *```.*?^ *```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    explained = [line.split(" | ")[0] for line in text.splitlines() if line.startswith(("| `", "**`"))]
    codes = {code for line in explained for code in re.findall(r"`([a-z]+(?:-[a-z]+)+)`", line)}
    assert {code for code in codes if not re.search(rf"\b{code}\b", source)} == set()
