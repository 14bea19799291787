"""Reading text files: ranges, encodings, and what is no text."""

import codecs
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.runtime import RefusalError
from toolcast_tools.files import Files
from toolcast_tools.files.text_files import read_lines

from tests.tools.files.calls import read


def test_lines_are_numbered(files: Files, box: Path) -> None:
    (box / "a.txt").write_bytes(b"one\ntwo\n\nfour")
    result = read(files, "a.txt")
    assert result.content == "1\tone\n2\ttwo\n3\t\n4\tfour"
    assert (result.first_line, result.last_line, result.total_lines, result.truncated) == (1, 4, 4, False)


def test_an_empty_file_has_no_lines(files: Files, box: Path) -> None:
    (box / "a.txt").write_bytes(b"")
    result = read(files, "a.txt")
    assert (result.content, result.first_line, result.last_line, result.total_lines) == ("", 0, 0, 0)
    with pytest.raises(RefusalError, match=r"'a\.txt' has no lines; line 1 is beyond its end"):
        read(files, "a.txt", line_range=(1, 2))


def test_a_range_ends_with_the_file(files: Files, box: Path) -> None:
    (box / "a.txt").write_text("1\n2\n3\n")
    result = read(files, "a.txt", line_range=(2, 99))
    assert (result.content, result.first_line, result.last_line) == ("2\t2\n3\t3", 2, 3)
    assert not result.truncated


def test_a_range_beyond_the_end_is_told_how_many_lines_there_are(files: Files, box: Path) -> None:
    (box / "a.txt").write_text("1\n2\n3\n")
    with pytest.raises(RefusalError, match="has 3 lines; line 4 is beyond its end"):
        read(files, "a.txt", line_range=(4, 9))


def test_a_range_in_the_wrong_order_is_refused(files: Files, box: Path) -> None:
    (box / "a.txt").write_text("1\n2\n")
    with pytest.raises(RefusalError, match="ends before it begins"):
        read(files, "a.txt", line_range=(2, 1))


@pytest.mark.parametrize("line_range", [None, (1, 2001)])
def test_at_most_2000_lines_are_returned(files: Files, box: Path, line_range: tuple[int, int] | None) -> None:
    (box / "a.txt").write_text("x\n" * 2001)
    result = read(files, "a.txt", line_range=line_range)
    assert (result.last_line, result.total_lines, result.truncated) == (2000, 2001, True)
    assert read(files, "a.txt", line_range=(2, 2001)).truncated is False


def test_a_long_line_is_cut(files: Files, box: Path) -> None:
    (box / "a.txt").write_text("x" * 2001 + "\ny\n")
    result = read(files, "a.txt")
    assert result.content == f"1\t{'x' * 2000}\n2\ty"
    assert result.truncated
    assert not read(files, "a.txt", line_range=(2, 2)).truncated


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        ("ä\nb".encode(), "utf-8"),
        (codecs.BOM_UTF8 + "ä\nb".encode(), "utf-8"),
        ("ä\nb".encode("latin-1"), "latin-1"),
        ("ä\nb".encode("utf-16-le"), "utf-16"),
        (codecs.BOM_UTF16_LE + "ä\nb".encode("utf-16-le"), "utf-16"),
        (codecs.BOM_UTF16_BE + "ä\nb".encode("utf-16-be"), "utf-16"),
        (codecs.BOM_UTF16_BE + "ä\nb".encode("utf-16-be"), "utf-8"),
        ("ä\r\nb\r\n".encode(), "utf-8"),
        ("ä\r\nb\n".encode(), "utf-8"),
    ],
)
def test_encodings_and_line_ends(files: Files, box: Path, content: bytes, encoding: str) -> None:
    (box / "a.txt").write_bytes(content)
    assert read(files, "a.txt", encoding=encoding).content == "1\tä\n2\tb"


def test_what_is_no_utf_8_is_told_where(files: Files, box: Path) -> None:
    (box / "a.txt").write_bytes(b"one\ntw\xf6\n")
    with pytest.raises(RefusalError, match=r"byte 7, in line 2, does not fit.*utf-16 or latin-1"):
        read(files, "a.txt")


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0", "a PNG image"),
        (b"\x7fELF\0\0", "a program or library"),
        (b"SQLite format 3\0", "an SQLite database"),
        (b"text\0text", "of an unknown format"),
        (b"x" * 100_000 + b"\0", "of an unknown format"),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_binary_files_are_refused_by_kind(
    files: Files, box: Path, content: bytes, kind: str, encoding: str
) -> None:
    (box / "a").write_bytes(content)
    with pytest.raises(RefusalError, match=re.escape(f"'a' is binary ({kind}")):
        read(files, "a", encoding=encoding)


def test_binary_files_without_a_zero_byte_are_named_too(files: Files, box: Path) -> None:
    (box / "a").write_bytes(b"%PDF-1.7\n\xe2\xe3\xcf\xd3\n")
    with pytest.raises(RefusalError, match="It is a PDF document"):
        read(files, "a")


def test_a_large_file_is_refused(box: Path) -> None:
    files = Files(box, largest=10)
    (box / "a.txt").write_bytes(b"x" * 10)
    assert read(files, "a.txt").total_lines == 1
    (box / "a.txt").write_bytes(b"x" * 11)
    with pytest.raises(RefusalError, match=r"'a\.txt' is larger than 10 bytes. Search it with grep"):
        read(files, "a.txt")


@pytest.mark.parametrize("path", ["no.txt", "folder", "folder/no.txt", "a.txt/b", "", "x\0y", "../a.txt"])
def test_paths_that_cannot_be_read_are_refused_in_words(files: Files, box: Path, path: str) -> None:
    (box / "folder").mkdir()
    (box / "a.txt").touch()
    with pytest.raises(RefusalError):
        read(files, path)


@given(
    lines=st.lists(st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), max_size=5)),
    ends=st.booleans(),
    line_range=st.none() | st.tuples(st.integers(1, 8), st.integers(1, 8)).map(sorted),
)
def test_the_lines_of_a_range_are_those_of_the_file(
    lines: list[str], ends: bool, line_range: list[int] | None
) -> None:
    if not ends:
        lines = [*lines, "last"]
    text = "".join(f"{line}\n" for line in lines)
    text = text if ends else text[:-1]
    first, last = line_range or (1, 2000)
    wanted = lines[first - 1 : last]
    if not wanted and line_range is not None:
        with pytest.raises(RefusalError):
            read_lines(text, "a", line_range)
        return
    result = read_lines(text, "a", line_range)
    assert result.total_lines == len(lines)
    numbered = [f"{number}\t{line}" for number, line in enumerate(wanted, first)]
    assert result.content == "\n".join(numbered)
