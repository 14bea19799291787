"""Edits of YAML in place: the data changes as asked, every comment stays, and so does every other byte."""

import re
from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec import UNSET
from toolcast.importers.edit_yaml import EditError, edited_yaml
from toolcast.importers.merge import Edit, applied
from toolcast.importers.spec_text import dump

SPEC = """\
# The first line.
name: look   # ours
description: |-  # a block
  Looks a word up.

  # no comment, text
permission: read

parameters:
  type: object
  properties:
    # before word
    word: {type: string, description: "a # b"}  # behind word
    count:
      type: integer # how many
      # in count
      minimum: 1
      description: >-
        Folded
        text.
    # before the end
  required: [word]
# The last line.
"""


@pytest.mark.parametrize(
    ("edits", "old", "new"),
    [
        ([Edit(("name",), "see")], "name: look   # ours", "name: see   # ours"),
        (
            [Edit(("description",), "Other.")],
            "description: |-  # a block\n  Looks a word up.\n\n  # no comment, text\n",
            "# a block\ndescription: Other.\n",
        ),
        (
            [Edit(("name",), "a\nb")],
            "name: look   # ours\n",
            "# ours\nname: |-\n  a\n  b\n",
        ),
        (
            [Edit(("parameters", "properties", "word", "type"), UNSET)],
            '{type: string, description: "a # b"}',
            '{description: "a # b"}',
        ),
        (
            [Edit(("parameters", "properties", "word", "description"), UNSET)],
            '{type: string, description: "a # b"}',
            "{type: string}",
        ),
        (
            [Edit(("parameters", "properties", "word", "maxLength"), 3, "type")],
            '{type: string, description: "a # b"}',
            '{type: string, maxLength: 3, description: "a # b"}',
        ),
        (
            [Edit(("parameters", "properties", "count"), UNSET)],
            "    count:\n      type: integer # how many\n      # in count\n      minimum: 1\n"
            "      description: >-\n        Folded\n        text.\n",
            "    # how many\n    # in count\n",
        ),
        (
            [Edit(("parameters", "properties", "count", "maximum"), 9, "minimum")],
            "      minimum: 1\n",
            "      minimum: 1\n      maximum: 9\n",
        ),
        (
            [Edit(("parameters", "properties", "more"), {"type": "array", "items": {"type": "string"}})],
            "        text.\n",
            "        text.\n    more:\n      type: array\n      items:\n        type: string\n",
        ),
        ([Edit(("parameters", "required"), ["word", "count"])], "[word]", "[word, count]"),
        ([Edit(("secrets",), [], "permission")], "permission: read\n", "permission: read\nsecrets: []\n"),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_the_rest_stays_byte_for_byte(edits: list[Edit], old: str, new: str, newline: str) -> None:
    assert SPEC.count(old) == 1
    expected = SPEC.replace(old, new).replace("\n", newline)
    assert edited_yaml(SPEC.replace("\n", newline), tuple(edits)) == expected


def test_the_last_entry_of_a_mapping_leaves_an_empty_one() -> None:
    edits = (Edit(("mcp", "meta", "a"), UNSET),)
    assert edited_yaml("mcp:\n  meta:\n    a: 1  # why\nname: x", edits) == (
        "mcp:\n  meta: {}  # why\nname: x"
    )
    assert edited_yaml("mcp: {meta: {a: 1}}  # why", edits) == "mcp: {meta: {}}  # why"
    assert (
        edited_yaml("mcp: {meta: {}}", (Edit(("mcp", "meta", "a"), [1, {}]),)) == "mcp: {meta: {a: [1, {}]}}"
    )


def test_comments_between_braces_stay() -> None:
    text = "a: {\n  b: 1, # one\n  c: 2, # two\n}\nd: 1\n"
    for key in "bc":
        made = edited_yaml(text, (Edit(("a", key), UNSET),))
        assert sorted(re.findall(r"# \w+", made)) == ["# one", "# two"]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("a: &x {b: 1}\nc: *x\n", ("a", "b")),  # the alias would change, too
        ("a: &x {b: 1}\nc: *x\n", ("c", "b")),
        ("? a\n: {b: 1}\n", ("a",)),
        ("a: 1\n", ("b", "c")),
        ("a: 1\n", ("a", "c")),
    ],
)
def test_what_cannot_be_edited_in_place_is_refused(text: str, path: tuple[str, ...]) -> None:
    with pytest.raises((EditError, KeyError)):
        edited_yaml(text, (Edit(path, 2),))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab #:'\"\n-é", max_size=8),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.text("abc", min_size=1, max_size=2), inner, max_size=3)
    ),
    max_leaves=8,
)
DOCUMENTS = st.dictionaries(st.text("abcd", min_size=1, max_size=2), VALUES, min_size=2, max_size=5)


def paths(data: Any, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    found = [path] if isinstance(data, dict) else []
    for key, item in data.items() if isinstance(data, dict) else ():
        found += paths(item, (*path, key))
    return found


@st.composite
def documents(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """A text with comments in it, and its data. Some mappings are in braces."""
    data = draw(DOCUMENTS)
    flow = draw(st.sampled_from([False, None]))
    text = (
        dump(data)
        if flow is False
        else yaml.safe_dump(data, sort_keys=False, default_flow_style=flow, width=1 << 20)
    )
    lines: list[str] = []
    for number, line in enumerate(text.splitlines()):
        if re.fullmatch(r"\s*[a-d]+:( [-0-9a-z{}\[\], :]+)?", line) and draw(st.booleans()):
            margin = re.match(r"\s*", line)
            assert margin is not None
            lines.append(f"{margin[0]}# above {number}")
            line = f"{line}  # behind {number}"
        lines.append(line)
    return "\n".join(lines) + draw(st.sampled_from(["", "\n", "\n# end\n"])), data


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, tuple[Edit, ...]]:
    text, data = draw(documents())
    edits: list[Edit] = []
    for _ in range(draw(st.integers(1, 4))):
        path = draw(st.sampled_from(paths(data)))
        below: Any = data
        for key in path:
            below = below[key]
        removable = [key for key in below if path or len(below) > 1]
        if removable and draw(st.booleans()):
            key, value = draw(st.sampled_from(removable)), draw(st.just(UNSET) | VALUES)
        else:
            key, value = draw(st.text("abcd", min_size=1, max_size=2)), draw(VALUES)
        edit = Edit((*path, key), value, draw(st.none() | st.sampled_from([*below, "z"])))
        data = applied(data, (edit,))
        edits.append(edit)
    return text, tuple(edits)


AT_THE_END = (
    "b:\n  bc: null",
    (Edit(("b", "a"), ":\n\n", None), Edit(("b", "c"), "x\n\n\n", None), Edit(("b", "bc"), ":\n\n", None)),
)


@settings(max_examples=2 * settings.default.max_examples)
@given(edited())
@example(AT_THE_END)
@example(("b:\n  a: null", (Edit(("b", "a"), ":\n\n", None), Edit(("a",), 1, None))))
def test_data_changes_as_asked_and_comments_stay(case: tuple[str, tuple[Edit, ...]]) -> None:
    text, edits = case
    made = edited_yaml(text, edits)
    before = yaml.load(text, yaml.CSafeLoader)
    assert yaml.load(made, yaml.CSafeLoader) == applied(before, edits)
    for comment in re.findall(r"# (?:above|behind) \d+|# end", text):
        assert made.count(comment) == text.count(comment)
