"""Links between pages lead somewhere: in the site, and in the pages that GitHub and package indexes show."""

import re
from collections import Counter

import pytest

from . import links
from .links import DOCS, REPOSITORY, ROOT, SITE, broken

OUTSIDE = ("README.md", "AGENTS.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "examples/README.md")
PAGES = [*(ROOT / page for page in OUTSIDE), *sorted(DOCS.rglob("*.md"))]


def test_links_lead_somewhere() -> None:
    wrong = [
        f"{page.relative_to(ROOT)}:{line}: {target}: {reason}"
        for page in PAGES
        for line, target in links.links(page.read_text("utf-8"))
        if (reason := broken(page, target))
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("nowhere.md", "docs/nowhere.md"),
        ("reference/specs.md#nothing", "#nothing"),
        ("#nothing", "#nothing"),
        ("../README.md", "leads out of docs/"),
        ("/reference/specs.md", "neither relative"),
        ("ftp://example.com/", "neither relative"),
        (f"{REPOSITORY}/blob/main/nowhere.py", "nowhere.py"),
        (f"{REPOSITORY}/blob/main/CONTRIBUTING.md#nothing", "#nothing"),
        (f"{SITE}nowhere/", "nowhere"),
        (f"{SITE}reference/specs/#nothing", "#nothing"),
    ],
)
def test_a_broken_link_is_found(target: str, reason: str) -> None:
    assert reason in (broken(DOCS / "index.md", target) or "")


@pytest.mark.parametrize(
    "target",
    [
        "reference/specs.md#parameters",
        f"{REPOSITORY}/blob/main/CONTRIBUTING.md#how-we-write",
        f"{REPOSITORY}/tree/main/examples",
        SITE,
        f"{SITE}reference/specs/#parameters",
        "https://example.com/anything",
    ],
)
def test_a_link_that_leads_somewhere_is_not_reported(target: str) -> None:
    assert broken(DOCS / "index.md", target) is None


def test_the_site_has_every_page() -> None:
    """`mkdocs build --strict` says so, too; this runs where mkdocs is not installed."""
    listed = re.findall(r"[\w./-]+\.md", (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:")[2])
    assert sorted(listed) == sorted(page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md"))


def test_the_site_shows_what_github_shows() -> None:
    """Python-Markdown, which builds the site, wants empty lines before lists, and deeper indents in them."""
    markdown = pytest.importorskip("markdown")
    extensions = [
        "admonition",
        "attr_list",
        "md_in_html",
        "tables",
        "pymdownx.superfences",
        "pymdownx.tabbed",
    ]
    wrong = {}
    for page in sorted(DOCS.rglob("*.md")):
        text = page.read_text("utf-8")
        shown = [links.rendered(text), markdown.markdown(text, extensions=extensions)]
        github, site = (
            Counter(re.findall(r"<(li|td|h[1-6]|pre|ul|ol|blockquote)\b", html)) for html in shown
        )
        if github != site:
            wrong[page.name] = {
                tag: (github[tag], site[tag]) for tag in github | site if github[tag] != site[tag]
            }
    assert wrong == {}


def test_blocks_of_lists_are_indented_by_four() -> None:
    """With less, the site ends the list there and numbers the next step 1; GitHub does not."""
    texts = {page.relative_to(DOCS).as_posix(): page.read_text("utf-8") for page in DOCS.rglob("*.md")}
    wrong = {name: re.findall(r"^ {1,3}```.*", text, re.MULTILINE) for name, text in texts.items()}
    assert {name: blocks for name, blocks in wrong.items() if blocks} == {}
