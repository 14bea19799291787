"""What the YAML writer writes, every reader reads back as the same data."""

import json
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st
from toolcast.importers.spec_text import UnwritableError, dump
from toolcast.spec.read_file import SourceDocument, parse_document

TRICKY = [
    *("no", "No", "off", "y", "1:30", "2024-01-01", "0o17", "0x1F", "1e3", "1_000", ".5", ".inf", ".NaN"),
    *("", " ", "null", "=", "<<", "- a", "a: b", "a #b", "#a", "? a", "&a", "*a", "!a", "%a", "@a", "`a"),
    *("a ", " a", "a\t", "\ta", "a\n", "\na", "a\n\n", " a\nb", "a\n b", "a \nb", "a\r\nb", "a\rb", "\x00"),
    *("\x1b", "\x7f", "\x85", "\xa0", "\u2028", "\u2029", "\ufeff", "\ufffe", "\U0001f600", "é", "日本"),
    *("'", '"', "\\", "\\d+\\.", 'say "hi"', "it's", "a,b", "a:", ":a", "a]", "|", ">", "x" * 300),
    *("true", "True", "1", "-1", "+1", "1.0", "12e03", "NULL", "\ud7ff", "a\tb", "a\n\tb", "\n", "\n\n"),
    *("word " * 60, "a\n---\nb", "a\n...\nb", "---", "...", "~", "[a", "{a", "\x07", "a\n\n\n  b\n\nc"),
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
TEXT = st.text(st.sampled_from(" \n\t\r:#-?,[]{}&*!|>'\"%@`\\ab01.~=éy\x85\u2028\ufeff"), max_size=12)


def ours(text: str) -> Any:
    document = parse_document(text.encode(), "x.yaml", "yaml")
    assert isinstance(document, SourceDocument), document
    return document.data


def same(left: Any, right: Any) -> bool:
    """Equal in value and type: 1 is not 1.0, and -0.0 is not 0.0."""
    return json.dumps(left) == json.dumps(right)


@pytest.mark.parametrize("text", TRICKY, ids=ascii)
def test_tricky_strings_come_back(text: str) -> None:
    data = {text: text, "list": [text, text], "nested": {"key": [{"deep": text}]}}
    assert same(yaml.safe_load(dump(data)), data)
    assert same(yaml.load(dump(data), yaml.CSafeLoader), data)
    assert same(ours(dump(data)), data)


@given(JSON)
def test_any_json_comes_back(data: Any) -> None:
    text = dump({"data": data})
    assert same(yaml.safe_load(text), {"data": data})
    assert same(ours(text), {"data": data})


@given(st.dictionaries(TEXT, st.lists(TEXT, max_size=3), max_size=3))
@example({"a\n b": ["|"]})
def test_text_made_of_structure_comes_back(data: dict[str, list[str]]) -> None:
    text = dump(data)
    assert same(yaml.safe_load(text), data)
    assert same(yaml.load(text, yaml.CSafeLoader), data)
    assert same(ours(text), data)


@given(st.text("a:. \n", max_size=6))
@example("x\n\n")
def test_what_follows_belongs_to_the_same_document(text: str) -> None:
    assert yaml.safe_load(dump({"a": text}) + dump({"b": [text]}) + dump({"c": 1})) == {
        "a": text,
        "b": [text],
        "c": 1,
    }


@given(TEXT)
def test_a_base_loader_sees_strings_too(text: str) -> None:
    """Without any scalar rules the text is the same: nothing hangs on YAML 1.1's idea of a boolean."""
    assert yaml.load(dump({"k": text}), yaml.BaseLoader) == {"k": text}


def test_one_and_two_agree_on_plain_words() -> None:
    """YAML 1.2 and 1.1 disagree on these; they must be quoted."""
    for word in ("0o17", "1e3", "yes", "on", "1:30", "2024-01-01", "0777", "y"):
        assert dump({"k": word}).strip() in (f'k: "{word}"', f"k: '{word}'")


def test_readable_layout() -> None:
    data = {
        "description": "First.\n\n- Second.",
        "required": ["a", "b"],
        "pattern": "^\\d+$",
        "title": "Two words",
    }
    assert dump(data) == (
        "description: |-\n  First.\n\n  - Second.\nrequired: [a, b]\npattern: '^\\d+$'\ntitle: Two words\n"
    )


@pytest.mark.parametrize("data", ["\ud800", {"\udfff": 1}, float("nan"), float("inf"), {1: 2}, {"a": {3}}])
def test_what_yaml_cannot_hold_is_refused(data: Any) -> None:
    with pytest.raises(UnwritableError):
        dump(data)


def test_depth_is_bounded() -> None:
    deep: Any = "x"
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(UnwritableError, match="deeper"):
        dump(deep)
    while isinstance(deep, list):  # unwound by hand, so that freeing it does not recurse
        deep = deep.pop()
