"""The how-to page for improving a set of tools is executed."""

from pathlib import Path

from .pages import DOCS, run_page


def test_the_page_does_what_it_says(tmp_path: Path) -> None:
    run_page(DOCS / "how-to" / "improve-a-tool-set.md", tmp_path / "project")
