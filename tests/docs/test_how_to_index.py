"""The list of tasks has every page of its folder, grouped as the site's navigation is."""

import re
from collections.abc import Iterator
from typing import Any

import yaml

from .links import DOCS, ROOT, links

HOW_TO = DOCS / "how-to"
INDEX = (HOW_TO / "index.md").read_text("utf-8")
ITEM = re.compile(r"\* \[([^\]]+)\]\(([\w-]+\.md)\): ([^.]+(?:\.[^.\s][^.]*)*\.)")


def groups() -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """The groups of the part in `nav` of mkdocs.yml, each with the titles and files of its pages."""
    navigation = (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:\n")[2]
    [entries] = [part["How-to"] for part in yaml.safe_load(navigation) if "How-to" in part]
    for entry in entries:
        [(title, below)] = entry.items()
        if isinstance(below, list):
            yield title, [pair for each in below for pair in each.items()]


def sections(text: str) -> dict[str, list[Any]]:
    """By heading: the title and file of each item of its list."""
    parts = re.split(r"^## (.+)\n", text, flags=re.MULTILINE)
    return {
        title: [(found[1], f"how-to/{found[2]}") for found in ITEM.finditer(body)]
        for title, body in zip(parts[1::2], parts[2::2], strict=True)
    }


def test_every_page_is_listed() -> None:
    listed = [target for _, target in links(INDEX) if "/" not in target]
    assert sorted(listed) == sorted(page.name for page in HOW_TO.glob("*.md") if page.name != "index.md")


def test_groups_are_those_of_the_navigation() -> None:
    listed = sections(INDEX)
    assert {title: listed.get(title) for title, _ in groups()} == dict(groups())


def test_each_page_has_one_sentence() -> None:
    items = [line for line in INDEX.splitlines() if line.startswith("* ")]
    assert [line for line in items if not ITEM.fullmatch(line)] == []
