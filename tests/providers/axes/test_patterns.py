"""Patterns, and keywords that a dialect knows under conditions only."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from toolcast.jsonschema.ecma import translate
from toolcast.jsonschema.validator_errors import UnsupportedPattern
from toolcast.providers.profiles.dialect import features

from tests.providers.axes.common import laws, output, profile

ANCHORED = {"patterns": "anchored"}


@pytest.mark.parametrize(
    ("pattern", "whole"),
    [
        ("^a+$", True),
        ("^(a|b)$", True),
        ("^[|$^]$", True),
        (r"^\$$", True),
        ("^$", True),
        ("^a", False),
        ("a$", False),
        ("a", False),
        ("^a|b$", False),
        (r"^a\$", False),
        ("^[a$]", False),
        ("^", False),
        ("", False),
    ],
)
def test_only_a_pattern_for_the_whole_text_is_kept(pattern: str, whole: bool) -> None:
    kept = output({"type": "string", "pattern": pattern}, **ANCHORED)
    words = f"Must match the regular expression `{pattern}`."
    reported = {"type": "string", "description": words}
    assert kept == ({"type": "string", "pattern": pattern} if whole else reported)


@pytest.mark.parametrize(
    ("axis", "uses", "looks_like_it"),
    [
        ("word_boundary", [r"\ba", r"a\B", r"\\\b"], [r"\\b", r"[\b]", r"\\\\B"]),
        ("backreferences", [r"(a)\1", r"(?<n>a)\k<n>"], [r"\\1", r"\0"]),
        ("unicode_classes", [r"\p{L}", r"[\P{Lu}]"], [r"\\p{L}", "p{2}"]),
        ("lookaround", ["(?=a)", "(?!a)b", "(?<=a)", "(?<!a)"], [r"\(?=a", "[(?=]", "(?:a)", "(?<n>a)"]),
    ],
)
def test_what_the_engine_lacks_is_described(axis: str, uses: list[str], looks_like_it: list[str]) -> None:
    for pattern in uses:
        node = output({"type": "string", "pattern": pattern}, **{axis: False})
        assert node == {"type": "string", "description": f"Must match the regular expression `{pattern}`."}
    for pattern in looks_like_it:
        node = {"type": "string", "pattern": pattern}
        assert output(node, **{axis: False}) == node


@example("^^", "^^")
@given(st.text(alphabet="^$|()[]\\ab", max_size=8), st.text(alphabet="ab^$|", max_size=4))
def test_a_whole_pattern_finds_what_it_matches(pattern: str, value: str) -> None:
    """What is kept as `^…$` means the same to an engine that matches the whole text."""
    if not features(pattern).whole or features(pattern).inner_anchors:
        return
    try:
        found = re.search(translate(pattern), value)
        matched = re.fullmatch(translate(pattern[1:-1]), value)
    except UnsupportedPattern:
        return
    assert (found is None) == (matched is None)


def test_patterns_of_keys_that_cannot_be_expressed_leave_the_object_open() -> None:
    node = {
        "type": "object",
        "patternProperties": {"^a": {"type": "string"}, "^b$": {"type": "integer"}},
        "additionalProperties": False,
    }
    expected = {
        "type": "object",
        "patternProperties": {"^b$": {"type": "integer"}},
        "additionalProperties": True,
    }
    assert output(node, **ANCHORED) == expected


LENGTHS = {"minLength": 1, "maxLength": 3}
WORDS = "Must have 1 to 3 characters."


@pytest.mark.parametrize(
    ("node", "axes", "expected"),
    [
        ({"pattern": "^a$", **LENGTHS}, {}, {"pattern": "^a$", "description": WORDS}),
        ({"format": "date", **LENGTHS}, {}, {"format": "date", "description": WORDS}),
        (LENGTHS, {}, LENGTHS),
        (
            {"format": "uri", **LENGTHS},
            {"formats": ("date",), "other_formats": "describe"},
            {**LENGTHS, "description": "Format: uri."},
        ),
        (
            {"pattern": "a", **LENGTHS},
            ANCHORED,
            {**LENGTHS, "description": "Must match the regular expression `a`."},
        ),
    ],
)
def test_lengths_give_way_to_a_pattern_or_format_that_is_kept(
    node: dict[str, Any], axes: dict[str, Any], expected: dict[str, Any]
) -> None:
    contract = {"type": "object", "properties": {"a": {"type": "string", **node}}}
    result = laws(contract, profile(**axes, pattern_alone=True))
    assert result.schema["properties"]["a"] == {"type": "string", **expected}


@pytest.mark.parametrize(
    ("kind", "kept"),
    [("integer", True), (["integer", "null"], True), ("number", False), (["integer", "string"], False)],
)
def test_keywords_for_integers_only(kind: Any, kept: bool) -> None:
    node = {"type": kind, "minimum": 1}
    result = output(node, integers_only=("minimum",))
    assert result == (node if kept else {"type": kind, "description": "Must be at least 1."})


def test_larger_values_are_described_in_words() -> None:
    axes = {"at_most": (("minItems", 1),)}
    assert output({"type": "array", "minItems": 1}, **axes) == {"type": "array", "minItems": 1}
    larger = {"type": "array", "description": "Must have at least 2 items."}
    assert output({"type": "array", "minItems": 2}, **axes) == larger
    named = {"type": "object", "properties": {"minItems": {"type": "string"}}, "default": {"minItems": 9}}
    assert output(named, **axes) == named
