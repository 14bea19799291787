"""Descriptions lose their markup, and nothing else."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.importers.openapi.document import MAX_LENGTH, MORE, plain_text, shortened

from .documents import only


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("See [the docs](https://x.y/a_(b)?c=d) now.", "See the docs now."),
        ("![logo](https://x.y/l.png) [![badge](a)](b)", "logo badge"),
        ("[text][ref] and [plain] and a[0](x)", "text and [plain] and a0".replace("a0", "a0")),
        ("# Title #\n\nText\n\n\n\n## Second\n", "Title\n\nText\n\nSecond"),
        ("**Bold**, __init__ and *.py, 2 ** 3 ** 4", "Bold, __init__ and *.py, 2 ** 3 ** 4"),
        ("<p>One<br/>two</p> &amp; <b class='x'>three</b>", "One\ntwo\n & three"),
        ("<ul><li>a</li><li>b</li></ul>", "- a\n- b"),
        ("**`a`** and **b `c` d**, **`e`**f", "`a` and b `c` d, `e`f"),
        ("[the `a` of b](https://x.y) \ue0007\ue001", "the `a` of b 7"),
        ("Use <code>a &lt; b</code>", "Use `a < b`"),
        ("Use `<b>[x](y)</b> &amp; **z**` here", "Use `<b>[x](y)</b> &amp; **z**` here"),
        ('```json\n{"a": "<b>"}\n# no title\n```\n**x**', '```json\n{"a": "<b>"}\n# no title\n```\nx'),
        ("The <owner> of {repo}, a < b > c, List<String>", "The <owner> of {repo}, a < b > c, List<String>"),
        ("<!-- hidden --><script>alert(1)</script>Shown", "Shown"),
        ("<https://x.y/z>", "https://x.y/z"),
        ("> [!NOTE]\n> Take care.\n> [!WARNING] Now.", "Note: Take care.\nWarning: Now."),
        ("a   \r\nb", "a\nb"),
    ],
)
def test_markup_goes_and_text_stays(text: str, plain: str) -> None:
    assert plain_text(text) == plain


@given(st.text(alphabet="ab `<>[]()*#&!\n-", max_size=80))
def test_text_never_grows_and_code_stays(text: str) -> None:
    plain = plain_text(text)
    assert len(plain) <= len(text) + text.count("&") * 8
    for code in re.findall(r"(?<![`])`([^`\n]+)`(?!`)", text) if text.count("`") == 2 else ():
        assert code.rstrip() in plain or code in plain


@pytest.mark.parametrize(
    "text", ["**a" * 20_000, "[" * 50_000, "<a " * 20_000, "`" * 49_999, "![a](" * 10_000, "<!--" * 3_000]
)
def test_hostile_text_is_read(text: str) -> None:
    assert len(plain_text(text)) <= len(text)


@given(st.text(max_size=200), st.integers(20, 60))
def test_long_text_is_cut_between_words_and_marked(text: str, limit: int) -> None:
    short = shortened(text, limit)
    assert len(short) <= limit
    assert short == text or short.endswith(MORE)


def test_a_text_is_cut_after_a_sentence() -> None:
    assert shortened("One thing. Two things. Three things.", 30) == "One thing. Two things." + MORE
    assert shortened("word " * 20, 30) == "word word word word word" + MORE


def test_what_is_cut_is_stated() -> None:
    tool = only({"summary": "Long", "description": "word. " * 400})
    assert len(tool.description) <= MAX_LENGTH
    assert tool.description.endswith(MORE)
    assert tool.left_out == (f"description beyond {MAX_LENGTH} characters",)


@pytest.mark.parametrize(
    ("operation", "description"),
    [
        ({"summary": "List pets"}, "List pets."),
        ({"summary": "List pets", "description": "List pets of a shop."}, "List pets of a shop."),
        ({"summary": "List **pets**", "description": "All of them."}, "List pets.\n\nAll of them."),
        ({"description": "All of them."}, "All of them."),
        ({"summary": "List pets", "deprecated": True}, "List pets."),
        ({}, ""),
    ],
)
def test_descriptions_of_tools(operation: object, description: str) -> None:
    assert isinstance(operation, dict)
    assert only(operation).description == description
