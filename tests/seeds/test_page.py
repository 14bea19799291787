"""The page of statements is what the tests say, and no sentence of the list goes untested."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.seeds import PAGES, ROOT, TESTS, page, statements


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """The sentences of the list's sections 1 to 7, with their sections."""
    parts = re.split(r"^## (\d+)\. .*$", text, flags=re.MULTILINE)
    for section, body in zip(parts[1::2], parts[2::2], strict=True):
        if int(section) > 7:
            continue
        for paragraph in re.split(r"\n\s*\n|\n(?=[-|])", body.strip()):
            line = " ".join(paragraph.split())
            if line.startswith("|"):
                if line.strip("|- ") and not line.startswith("| system"):
                    yield int(section), line
            else:
                for sentence in re.split(r"(?<=[.:;])\s+(?=[A-Z*`0-9])|; ", line):
                    yield int(section), sentence


def test_the_page_is_what_the_tests_say() -> None:
    assert (ROOT / "docs" / "reports" / "seeds.md").read_text("utf-8") == page()


def test_every_module_of_statements_is_on_the_page() -> None:
    modules = {file.name for file in TESTS.glob("test_*.py")} - {Path(__file__).name}
    assert modules == {name for _, name in PAGES}


@pytest.mark.corpora
def test_every_sentence_has_its_test(shared_dir: Path) -> None:
    listed = (shared_dir / "reference" / "seed-systems.md").read_text("utf-8")
    found = [source for _, name in PAGES for each in statements(TESTS / name) for source in each.sources]
    everything = list(sentences(listed))
    untested = [
        (section, sentence)
        for section, sentence in everything
        if not any(source.section == section and source.words in sentence for source in found)
    ]
    unknown = [
        source
        for source in found
        if not any(source.section == section and source.words in sentence for section, sentence in everything)
    ]
    assert (untested, unknown) == ([], [])
