"""The pages that are made from the source are up to date, and every public docstring is complete."""

import re
from collections import Counter
from pathlib import Path

from bench.reference.all_pages import FOLDER, all_pages, differing, write
from bench.reference.public_names import MODULES, pages, problems, public


def test_public_docstrings_are_complete() -> None:
    assert list(problems()) == []


def test_the_pages_are_up_to_date() -> None:
    """After a change: `make reference`."""
    assert differing(FOLDER) == []


def test_only_pages_that_differ_are_written(tmp_path: Path) -> None:
    assert write(tmp_path) == sorted(all_pages())
    assert write(tmp_path) == []
    (tmp_path / "names" / "runtime.md").write_text("other")
    (tmp_path / "names" / "former.md").touch()
    assert differing(tmp_path) == write(tmp_path) == ["names/former.md", "names/runtime.md"]
    assert differing(tmp_path) == []


def test_every_public_name_is_listed_once() -> None:
    names = {(module, name) for module, name, _ in public()}
    assert {module for module, _ in names} == set(MODULES)
    assert ("toolcast.runtime", "ToolRegistry") in names
    assert ("toolcast.mcp", "mcp_tools") in names
    linked = re.findall(r"^\[(\w+)\]\(|: \[(\w+)\]\(", pages()["index.md"], re.MULTILINE)
    assert len(linked) == len(names)


def test_the_anchors_of_names_are_unique() -> None:
    for file, text in pages().items():
        headings = Counter(heading.lower() for heading in re.findall(r"^### (.+)$", text, re.MULTILINE))
        assert [each for each, count in headings.items() if count > 1] == [], file
