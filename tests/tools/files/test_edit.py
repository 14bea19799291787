"""Exact replacements: unique or everywhere, and what an error shows of a text that is missing."""

import codecs
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.runtime import RefusalError
from toolcast_tools.files import Files
from toolcast_tools.files.text_edits import Replacement, describe_nearest, replace
from toolcast_tools.files.text_files import decode_text

from tests.tools.files.calls import edit

TEXTS = st.text("ab \n", max_size=30)


def test_one_occurrence_is_replaced(files: Files, box: Path) -> None:
    (box / "a.py").write_text("one\ntwo\nthree\n")
    (box / "a.py").chmod(0o700)
    result = edit(files, "a.py", "two\n", "2\n")
    assert (result.replacements, result.snippet) == (1, "1\tone\n2\t2\n3\tthree")
    assert (box / "a.py").read_text() == "one\n2\nthree\n"
    assert stat.S_IMODE((box / "a.py").stat().st_mode) == 0o700


def test_an_ambiguous_text_is_refused_with_its_lines(files: Files, box: Path) -> None:
    (box / "a").write_text("x\ny x\nz\nx\n")
    with pytest.raises(RefusalError, match=r"occurs 3 times, in lines 1, 2, 4\. Include more"):
        edit(files, "a", "x", "y")
    assert edit(files, "a", "x", "y", replace_all=True).replacements == 3
    assert (box / "a").read_text() == "y\ny y\nz\ny\n"


def test_many_occurrences_are_counted_to_ten(files: Files, box: Path) -> None:
    (box / "a").write_text("x\n" * 50)
    with pytest.raises(RefusalError, match=r"more than 10 times, in lines 1, 2, .*, 10 and more\."):
        edit(files, "a", "x", "y")


def test_occurrences_that_overlap_are_ambiguous(files: Files, box: Path) -> None:
    (box / "a").write_text("aaa")
    with pytest.raises(RefusalError, match="occurs 2 times, in lines 1, 1"):
        edit(files, "a", "aa", "b")


def test_the_same_text_is_refused(files: Files, box: Path) -> None:
    (box / "a").write_bytes(b"x\r\n")
    for old, new in (("x", "x"), ("x\n", "x\r\n")):
        with pytest.raises(RefusalError, match="old_string and new_string are the same"):
            edit(files, "a", old, new)


@pytest.mark.parametrize(
    ("old", "reason"),
    [
        ("2\tdef area(width):", "It has line numbers, which are no part of the file"),
        ("     2→def area(width):\n     3→    return width", "It has line numbers"),
        ("def area(width):\n  return  width * 2", "Only white space differs"),
        ("def Area(WIDTH)", "Only capital and small letters differ"),
        ("def area(width):\\n    return width", "Write line breaks, tabs and quotes as themselves"),
        ("def area(width):\r\n    return width", "Only carriage returns"),
        ("def area(height):\n    return height * 2", "Copy it from the file"),
    ],
)
def test_the_nearest_text_is_shown_with_its_lines(files: Files, box: Path, old: str, reason: str) -> None:
    (box / "a.py").write_text("import os\ndef area(width):\n    return width * 2\n\nprint(area(3))\n")
    with pytest.raises(RefusalError) as caught:
        edit(files, "a.py", old, "x")
    text = str(caught.value)
    assert text.startswith("old_string is not in the file. ")
    assert reason in text
    lines = "Line 2" if "\n" not in old.replace("\\n", "\n") else "Lines 2 to 3"
    assert f"{lines} of the file:\ndef area(width):" in text


def test_nothing_similar_is_told_as_well() -> None:
    assert describe_nearest("one\ntwo\n", "something else altogether").startswith("Nothing in the file")
    assert describe_nearest("\n", "x").startswith("The file is empty")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"one\r\ntwo\r\n", b"1\r\n2\r\ntwo\r\n"),
        (b"one\ntwo\r\n", b"1\n2\ntwo\r\n"),
        (codecs.BOM_UTF8 + b"one\r\ntwo", codecs.BOM_UTF8 + b"1\r\n2\r\ntwo"),
        (
            codecs.BOM_UTF16_LE + "one\n€".encode("utf-16-le"),
            codecs.BOM_UTF16_LE + "1\n2\n€".encode("utf-16-le"),
        ),
        (b"one\ncaf\xe9\n", b"1\n2\ncaf\xe9\n"),
    ],
)
def test_encoding_and_line_ends_are_kept(files: Files, box: Path, before: bytes, after: bytes) -> None:
    (box / "a").write_bytes(before)
    edit(files, "a", "one\n", "1\n2\n")
    assert (box / "a").read_bytes() == after


def test_a_character_that_the_encoding_lacks_is_refused(files: Files, box: Path) -> None:
    (box / "a").write_bytes(b"caf\xe9")
    edit(files, "a", "é", "è")
    with pytest.raises(RefusalError, match=r"'a' is in latin-1, which lacks the character '\\u20ac'"):
        edit(files, "a", "caf", "€")
    assert (box / "a").read_bytes() == b"caf\xe8"


def test_edits_at_the_same_time_lose_nothing(files: Files, box: Path) -> None:
    (box / "a").write_text("".join(f"<{number}>\n" for number in range(40)))
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: edit(files, "a", f"<{number}>", f"done {number}"), range(40)))
    assert (box / "a").read_text() == "".join(f"done {number}\n" for number in range(40))


def test_the_snippet_shows_several_places(files: Files, box: Path) -> None:
    (box / "a").write_text("".join(f"{number}\n" for number in range(1, 100)))
    edit(files, "a", "20\n", "x\n")
    edit(files, "a", "60\n", "x\n")
    result = edit(files, "a", "x\n", "y\nz\n", replace_all=True)
    assert result.snippet == (
        "17\t17\n18\t18\n19\t19\n20\ty\n21\tz\n22\t21\n23\t22\n24\t23\n…\n"
        "58\t57\n59\t58\n60\t59\n61\ty\n62\tz\n63\t61\n64\t62\n65\t63"
    )


@given(
    text=TEXTS,
    old=st.text("ab \n", min_size=1, max_size=3),
    new=st.text("ab\n", max_size=3),
    every=st.booleans(),
)
def test_a_replacement_is_that_of_a_simple_oracle(text: str, old: str, new: str, every: bool) -> None:
    places = [index for index in range(len(text)) if text.startswith(old, index)]
    allowed = old != new and bool(places) and (every or len(places) == 1)
    if not allowed:
        with pytest.raises(RefusalError):
            replace(text, Replacement(old, new, every), 1000)
        return
    edited = replace(text, Replacement(old, new, every), 1000)
    assert edited.text == new.join(text.split(old))
    assert len(edited.offsets) == len(text.split(old)) - 1
    assert all(text.startswith(old, offset) for offset in edited.offsets)


@given(text=st.text("ab \tAB\r\n1", max_size=60), old=st.text("ab \tAB\r\n1", min_size=1, max_size=20))
def test_every_error_names_lines_that_exist(text: str, old: str) -> None:
    said = describe_nearest(text, old)
    if " of the file:\n" in said:
        place, _, shown = said.partition(" of the file:\n")
        first = int(place.rpartition("Line")[2].removeprefix("s").split()[0])
        assert text.split("\n")[first - 1 : first + shown.count("\n")] == shown.split("\n")


@given(
    content=st.lists(
        st.sampled_from([b"a", b"\r", b"\n", b"\r\n", b"\xc3\xa4", b"\xe4", b"\xff\xfe", b"\xef\xbb\xbf"])
    )
)
def test_what_is_not_edited_keeps_its_bytes(content: list[bytes]) -> None:
    data = b"".join(content)
    try:
        file = decode_text(data, "a")
    except RefusalError:
        assert data.startswith(b"\xff\xfe")  # no UTF-16
    else:
        assert file.encode(file.text) == data
