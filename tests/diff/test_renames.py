"""Which tools are the same one under another name."""

from typing import Any

import pytest

from tests.diff.projects import EDIT, Repository, changed, diff, rules, toolcast

TAKEN = {**EDIT["parameters"], "properties": {**EDIT["parameters"]["properties"], "more": {"type": "string"}}}
FROM = {"kind": "mcp", "name": "edit", "from": "files"}


@pytest.mark.parametrize(
    ("old", "new", "is_renamed"),
    [
        ({"a/edit": EDIT}, {"a/replace": EDIT}, True),  # nothing but the name differs
        ({"edit": EDIT}, {"replace": changed(EDIT, parameters=TAKEN)}, False),
        ({"edit": EDIT}, {"replace": changed(EDIT, description="Delete the oldest folder of all.")}, False),
        ({"edit": changed(EDIT, name="edit")}, {"edit": changed(EDIT, name="replace")}, True),  # one file
        ({"editFile": EDIT}, {"edit_file": changed(EDIT, description="Other words entirely.")}, True),
        ({"edit_file": EDIT}, {"files_edit_file": changed(EDIT, description="Other words.")}, True),
        (
            {"edit": changed(EDIT, source=FROM)},
            {"other": changed(EDIT, source=FROM, description="X y.")},
            True,
        ),
        ({"edit": EDIT}, {"edit": EDIT, "copy": EDIT}, False),  # the first one is still there
    ],
)
def test_a_renaming_is_told_from_another_tool(
    repository: Repository, old: Any, new: Any, is_renamed: bool
) -> None:
    repository.commit(old)
    repository.write(new)
    found = [rule for _, rule in rules(diff())]
    assert ("tool-renamed" in found) == is_renamed, found
    assert ("tool-added" in found) != is_renamed, found
    if is_renamed:
        assert "tool-removed" not in found


def test_a_renaming_has_a_call_by_the_old_name(repository: Repository) -> None:
    repository.commit({"edit": EDIT})
    repository.write({"replace": EDIT})
    (change,) = [each for each in diff()["changes"] if each["rule"] == "tool-renamed"]
    assert change["tool"] == "replace"
    assert change["message"] == "the tool was called `edit`"
    assert change["witness"]["refusal"] == "there is no tool called `edit`"


def test_of_two_candidates_the_nearer_one_is_taken(repository: Repository) -> None:
    repository.commit({"edit_file": EDIT, "edit_text": changed(EDIT, description="Edit a text.")})
    repository.write({"editText": changed(EDIT, description="Edit a text."), "editFile": EDIT})
    messages = {each["tool"]: each["message"] for each in diff()["changes"] if each["rule"] == "tool-renamed"}
    assert messages == {
        "editFile": "the tool was called `edit_file`", "editText": "the tool was called `edit_text`",
    }  # fmt: skip


def test_the_changelog_is_for_people(repository: Repository) -> None:
    repository.commit(
        {
            "edit": EDIT,
            "old": changed(EDIT, description="Do it as before."),
            "kept": changed(EDIT, description="Keep it."),
            "going": changed(EDIT, description="Go away."),
        }
    )
    narrower = {**EDIT["parameters"], "properties": {"path": {"type": "string", "maxLength": 9}}}
    repository.write(
        {
            "replace": EDIT,
            "fresh": changed(EDIT, description="Count the words of a text."),
            "kept": changed(EDIT, description="Keep it.", parameters=narrower),
            "going": changed(EDIT, description="Go away.", deprecated={"use": "fresh"}),
        }
    )
    result = toolcast("diff", "--format", "changelog")
    assert result.exit_code == 0
    text = result.stdout
    order = [text.index(f"### {each}") for each in ("Removed", "Renamed", "Breaking", "Deprecated", "Added")]
    assert order == sorted(order)
    assert "### Removed\n\n- `old`: Do it as before.\n" in text
    assert "### Renamed\n\n- `replace`: called `edit` before; calls by that name fail\n" in text
    assert "### Deprecated\n\n- `going`: use `fresh` instead\n" in text
    assert "### Added\n\n- `fresh`: Count the words of a text." in text
    assert "`path`: any number of characters before, at most 9 characters now" in text
    assert "- `kept`\n  - " in text
