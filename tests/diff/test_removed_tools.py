"""Tools that end: `deprecated` of the old state decides whether a removal is in time."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from toolcast.analysis.diff.audiences.code import deprecation
from toolcast.analysis.diff.compare_tools import stated_version
from toolcast.analysis.diff.rules import RULES

from tests.diff.audience_pairs import DAY, context, pair, spec

PASSED, LAST, COMING = ((DAY + timedelta(days)).isoformat() for days in (-1, 0, 1))


def rules(old: Any, new: Any, version: str | None = None) -> list[str]:
    compared = pair(*(None if each is None else spec(deprecated=each or None) for each in (old, new)))
    found = deprecation(compared, context([compared], version=version))
    assert all(each.audience == RULES[each.rule].audience and each.tool == "find" for each in found)
    return [each.rule for each in found]


@pytest.mark.parametrize(
    ("deprecated", "version", "rule"),
    [
        (False, None, "tool-removed"),
        (False, "3.0", "tool-removed"),
        ({"since": "1"}, None, "tool-removed-unchecked"),
        ({"remove_after": PASSED}, None, "tool-removed-in-time"),
        ({"remove_after": LAST}, None, "tool-removed-early"),
        ({"remove_after": COMING}, None, "tool-removed-early"),
        ({"remove_after": "3.0"}, None, "tool-removed-unchecked"),
        ({"remove_after": "3.0"}, "2.9", "tool-removed-early"),
        ({"remove_after": "3.0"}, "3.0.0", "tool-removed-early"),
        ({"remove_after": "3.0"}, "3.0rc1", "tool-removed-early"),
        ({"remove_after": "3.0"}, "3.0.1", "tool-removed-in-time"),
        ({"remove_after": "3.9"}, "3.10", "tool-removed-in-time"),
        ({"remove_after": "3.0-next-big-thing"}, "4", "tool-removed-unchecked"),
        ({"remove_after": "3.0"}, "main", "tool-removed-unchecked"),
    ],
)
def test_a_removal(deprecated: Any, version: str | None, rule: str) -> None:
    assert rules(deprecated, None, version) == [rule]


def test_levels() -> None:
    levels = {rule: RULES[rule].level for rule in RULES if rule.startswith("tool-removed")}
    assert levels == {
        "tool-removed": "error",
        "tool-removed-early": "error",
        "tool-removed-unchecked": "warning",
        "tool-removed-in-time": "note",
    }


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        (False, {"use": "other"}, ["deprecated"]),
        ({"use": "other"}, False, ["deprecation-changed"]),
        ({"use": "other"}, {"use": "third"}, ["deprecation-changed"]),
        ({"remove_after": COMING}, {"remove_after": PASSED}, ["removal-sooner", "deprecation-changed"]),
        ({"remove_after": PASSED}, {"remove_after": COMING}, ["deprecation-changed"]),
        ({"remove_after": COMING}, {}, ["deprecation-changed"]),
        ({"since": "1"}, {"since": "1", "remove_after": COMING}, ["deprecation-changed"]),
        ({"remove_after": "3.0"}, {"remove_after": "2.10"}, ["removal-sooner", "deprecation-changed"]),
        ({"remove_after": "2.9"}, {"remove_after": "2.10"}, ["deprecation-changed"]),
        ({"remove_after": COMING}, {"remove_after": "3.0"}, ["removal-sooner", "deprecation-changed"]),
        ({"use": "other"}, {"use": "other"}, []),
    ],
)
def test_a_notice(old: Any, new: Any, found: list[str]) -> None:
    assert rules(old, new) == found


def test_a_new_tool_may_be_deprecated() -> None:
    assert rules(None, {"use": "other"}) == []


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ('[project]\nversion = "1.2"\n', "1.2"),
        ('[project]\ndynamic = ["version"]\n', None),
        ("[project]\nversion = 1\n", None),
        ("project = 1\n", None),
        ("[project", None),
        ("\xff", None),
    ],
)
def test_the_version_of_a_project_is_the_stated_one(tmp_path: Path, text: str, version: str | None) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_bytes(text.encode("latin-1"))
    assert stated_version(file) == version
    assert stated_version(tmp_path / "none") is None
    assert stated_version(None) is None
