"""The first sentence, and what only looks like its end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.spec.spec_reader import first_sentence


@pytest.mark.parametrize(
    ("description", "summary"),
    [
        ("Reads a file. Then stops.", "Reads a file."),
        ("Reads a file", "Reads a file"),
        ("  Reads a file.  ", "Reads a file."),
        ("Reads text, e.g. a log. Then stops.", "Reads text, e.g. a log."),
        ("Reads text (i.e. a log). More.", "Reads text (i.e. a log)."),
        ("Logs, tables, etc. are read. More.", "Logs, tables, etc. are read."),
        ("Reads logs, tables, etc. More follows.", "Reads logs, tables, etc."),
        ("Reads v1.2 of a.txt now. More.", "Reads v1.2 of a.txt now."),
        ("Is it there? Says so.", "Is it there?"),
        ('Says "no." Then stops.', 'Says "no."'),
        ("Reads one\nlong line. More.", "Reads one long line."),
        ("Reads a file\n\nMore. Text.", "Reads a file"),
        ("Reads:\n- one. Or\n- two.", "Reads:"),
        ("Reads:\n1. one\n2. two", "Reads:"),
        ("Reads a page\nError Responses:\n400: Bad. No.", "Reads a page"),
        ("Reads a\nfile without end", "Reads a"),
        ("ファイルを読む。次へ。", "ファイルを読む。"),
        ("Wait... what. More.", "Wait..."),
        ("Mr. J. Doe reads. More.", "Mr. J. Doe reads."),
        ("", ""),
    ],
)
def test_first_sentence(description: str, summary: str) -> None:
    assert first_sentence(description) == summary


@given(st.text(st.sampled_from("aB. \n-!?e.gtc1。\r\u2028"), max_size=40))
def test_summary_is_a_line_of_the_description(description: str) -> None:
    summary = first_sentence(description)
    assert len(summary.splitlines()) <= 1
    assert bool(summary) == bool(description.strip())
    assert " ".join(description.split()).startswith(summary)
