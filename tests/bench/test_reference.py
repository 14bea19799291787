"""Every public name is in the reference, with its arguments, its return value and its errors."""

from pathlib import Path

from bench.reference import MODULES, page, problems, public

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "names.md"


def test_public_docstrings_are_complete() -> None:
    assert list(problems()) == []


def test_the_page_is_up_to_date() -> None:
    """After a change: `python -m bench.reference --write docs/reference/names.md`."""
    assert PAGE.read_text("utf-8") == page()


def test_every_public_name_is_listed() -> None:
    names = {(module, name) for module, name, _ in public()}
    assert {module for module, _ in names} == set(MODULES)
    assert ("toolcast.runtime", "ToolRegistry") in names
    assert ("toolcast.mcp", "mcp_tools") in names
