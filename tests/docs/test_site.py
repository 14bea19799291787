"""The built site: every page is there, and nothing is loaded from other hosts."""

import re
from html.parser import HTMLParser
from pathlib import Path

from .links import DOCS, SITE

LOADS = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
PAGES = ("canonical", "alternate", "next", "prev")  # of <link>: addresses that nothing is loaded from


class Resources(HTMLParser):
    """Collects what a browser loads for a page, and the component that would ask an API for a repository."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        address = values.get(LOADS.get(tag, ""))
        if address is not None and values.get("rel") not in PAGES:
            self.found.append(address)
        if values.get("data-md-component") == "source":
            self.found.append("https://api.github.com/")


def test_every_page_is_built(site: Path) -> None:
    expected = {
        page.relative_to(DOCS).with_suffix("") if page.name != "index.md" else page.parent.relative_to(DOCS)
        for page in DOCS.rglob("*.md")
    }
    assert {page.parent.relative_to(site) for page in site.rglob("index.html")} == expected


def test_nothing_is_loaded_from_other_hosts(site: Path) -> None:
    for page in site.rglob("*.html"):
        loaded = Resources(page.read_text("utf-8")).found
        assert loaded
        assert [
            each for each in loaded if re.match(r"(?:https?:)?//", each) and not each.startswith(SITE)
        ] == []
    for sheet in (site / "assets").rglob("*.css"):
        assert re.findall(r"url\([\"']?(?:https?:)?//[^)]*", sheet.read_text("utf-8")) == []


def test_pipes_in_cells_are_shown_as_they_are(site: Path) -> None:
    html = (site / "reference" / "specs" / "index.html").read_text("utf-8")
    assert "T | None = None" in html
    assert r"T \| None" not in html


def test_the_search_has_a_name(site: Path) -> None:
    html = (site / "index.html").read_text("utf-8")
    assert len(re.findall(r'role="dialog" aria-label="Search"', html)) == 1


def test_the_search_ranks_by_headings(site: Path) -> None:
    for page in ("", "how-to/images"):
        html = (site / page / "index.html").read_text("utf-8")
        assert len(re.findall(r'"search": "[./]*assets/search\.js\?javascripts/workers/search\.', html)) == 1
    assert (site / "assets" / "search.js").is_file()
