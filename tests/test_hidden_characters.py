"""Which characters a reader does not see, and which single ones writing needs."""

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.hidden_characters import (
    describe_character,
    escape_hidden,
    hidden_offsets,
    is_deceptive,
    without_hidden,
)

HIDDEN = [
    "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u202e", "\u2066", "\u200f",
    "\U000e0041", "\x1b", "\x00",
    "\u034f", "\u115f", "\u1160", "\u3164", "\uffa0", "\u2800", "\u2028", "\u2029", "\ufe0f", "\ufe00",
    "\U000e0100", "\u180b", "\ue000", "\u17b4",
]  # fmt: skip


@pytest.mark.parametrize("letter", HIDDEN, ids=lambda letter: f"U+{ord(letter):04X}")
def test_a_hidden_character_between_letters_is_found_and_left_out(letter: str) -> None:
    assert hidden_offsets(f"ab{letter}cd") == (2,)
    assert without_hidden(f"ab{letter}cd") in ("abcd", "ab\ncd")
    assert hidden_offsets(letter + "a") == (0,)
    assert hidden_offsets("a" + letter) == (1,)


@pytest.mark.parametrize(
    "text",
    [
        "plain", "Ünïcödé\n\tline", "👩\u200d👩\u200d👧 ❤\ufe0f 1\ufe0f⃣ ☺\ufe0e",
        "👩\u200d❤\ufe0f\u200d👨", "🙂\u200d↔\ufe0f", "🏳\ufe0f\u200d🌈", "نص عربي", "می\u200cخواهم",
        "क्ष", "क्\u200dष", "र्\u200d", "ක්\u200dර", "ᠮᠣᠩᠭᠤᠯ ᠠ\u180b", "∩\ufe00", "侮\ufe00", "한국어",
        "日本語", "⠓⠊", "٠٣\u0600١",
    ],
)  # fmt: skip
def test_what_writing_needs_stays(text: str) -> None:
    assert without_hidden(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "❤\ufe0f\ufe0f",
        "م\u200c\u200cن",
        "م\u200c\u200dن",
        "👩\u200d\u200d👧",
        "侮\ufe00\ufe01",
        "ᠠ\u180b\u180c",
    ],
)
def test_runs_of_joiners_and_selectors_do_not(text: str) -> None:
    assert without_hidden(text) == "".join(c for c in text if unicodedata.category(c) not in ("Cf", "Mn"))


@given(st.text())
def test_what_is_visible_hides_nothing_more_and_escapes_keep_the_value(text: str) -> None:
    assert not any(is_deceptive(letter) for letter in without_hidden(text))
    assert hidden_offsets(escape_hidden(text)) == ()
    quoted = escape_hidden(json.dumps(text, ensure_ascii=False))
    assert json.loads(quoted) == text


def test_a_character_is_named_by_its_code_point() -> None:
    assert describe_character("\u202e") == "U+202E RIGHT-TO-LEFT OVERRIDE"
    assert describe_character("\x1b") == "U+001B control character"
