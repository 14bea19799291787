"""Several replacements as one change: all or nothing, in order, and the diff that tells of them."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.runtime import RefusalError
from toolcast_tools.files import Files
from toolcast_tools.files.text_edits import Replacement, replace, touch, unified_diff, untouched

from tests.tools.files.calls import multi_edit
from tests.tools.files.patches import apply_patch

EDITS = st.lists(
    st.builds(
        Replacement, st.text("ab\n", min_size=1, max_size=3), st.text("abc\n", max_size=4), st.booleans()
    ),
    min_size=1,
    max_size=4,
)


def test_edits_see_those_before_them(files: Files, box: Path) -> None:
    (box / "a").write_text("one\ntwo\nthree\n")
    result = multi_edit(files, "a", ("one", "two", False), ("two\ntwo", "2", False), ("e", "E", True))
    assert (box / "a").read_text() == "2\nthrEE\n"
    assert result.applied == 3
    assert result.diff == "--- a\n+++ a\n@@ -1,3 +1,2 @@\n-one\n-two\n-three\n+2\n+thrEE"


def test_one_failure_leaves_all_as_it_was(files: Files, box: Path) -> None:
    (box / "a").write_text("one\ntwo\n")
    with pytest.raises(
        RefusalError, match=r"Edit 2 of 3 fails, so nothing was written\. old_string is not in"
    ):
        multi_edit(files, "a", ("one", "1", False), ("zzz", "z", False), ("two", "2", False))
    assert (box / "a").read_text() == "one\ntwo\n"


def test_a_dry_run_writes_nothing(files: Files, box: Path) -> None:
    (box / "a").write_text("one\ntwo")
    before = (box / "a").stat()
    result = multi_edit(files, "a", ("two", "2", False), dry_run=True)
    assert result.applied == 0
    assert result.diff == (
        "--- a\n+++ a\n@@ -1,2 +1,2 @@\n one\n-two\n\\ No newline at end of file\n"
        "+2\n\\ No newline at end of file"
    )
    after = (box / "a").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_edits_that_undo_each_other_are_no_change(files: Files, box: Path) -> None:
    (box / "a").write_text("one\n")
    before = (box / "a").stat().st_ino
    result = multi_edit(files, "a", ("one", "two", False), ("two", "one", False))
    assert (result.applied, result.diff) == (2, "")
    assert (box / "a").stat().st_ino == before


def test_line_ends_are_kept(files: Files, box: Path) -> None:
    (box / "a").write_bytes(b"one\r\ntwo\r\n")
    multi_edit(files, "a", ("one\n", "1\n\n", False), ("\r\n\r\n", "\r\n", False))
    assert (box / "a").read_bytes() == b"1\r\ntwo\r\n"


def test_far_changes_are_hunks_of_their_own(files: Files, box: Path) -> None:
    (box / "a").write_text("".join(f"{number}\n" for number in range(100, 200)))
    diff = multi_edit(files, "a", ("150\n", "", False), ("110\n", "x\ny\n", False)).diff
    assert [line for line in diff.split("\n") if line.startswith("@@")] == [
        "@@ -8,7 +8,8 @@",
        "@@ -48,7 +49,6 @@",
    ]


def test_lines_that_both_sides_share_are_context(files: Files, box: Path) -> None:
    body = "".join(f"    line {number}\n" for number in range(20))
    (box / "a").write_text(f"def f():\n{body}")
    diff = multi_edit(files, "a", (body, body.replace("line 10", "other"), False)).diff
    assert [line for line in diff.split("\n")[2:] if line[0] in "-+"] == ["-    line 10", "+    other"]


def test_a_long_diff_is_cut(files: Files, box: Path) -> None:
    (box / "a").write_text("x\n" * 20_000)
    diff = multi_edit(files, "a", ("x", "y", True)).diff
    assert len(diff) < 21_000
    assert diff.endswith(" more lines")


@given(text=st.text("ab\n", max_size=40), edits=EDITS)
def test_the_result_and_its_diff_are_those_of_simple_oracles(text: str, edits: list[Replacement]) -> None:
    expected, current, lines = text, text, untouched(text)
    for each in edits:
        places = [index for index in range(len(expected)) if expected.startswith(each.old, index)]
        if each.old == each.new or not places or (len(places) > 1 and not each.everywhere):
            with pytest.raises(RefusalError):
                replace(current, each, 10_000)
            continue
        expected = each.new.join(expected.split(each.old))
        edited = replace(current, each, 10_000)
        lines = touch(lines, current, edited.offsets, each.old, each.new)
        current = edited.text
    assert current == expected
    # Lines that are said to be untouched are those of the text before, in their order.
    before, after = text.split("\n"), current.split("\n")
    assert len(lines) == len(after)
    kept = [origin for origin in lines if origin is not None]
    assert kept == sorted(set(kept))
    assert all(before[origin] == after[index] for index, origin in enumerate(lines) if origin is not None)
    diff = unified_diff(text, current, lines, path="a", longest=100_000)
    assert apply_patch(text, diff) == expected
    assert (diff == "") == (text == expected)


@given(text=st.text("ab\n", max_size=40), edits=EDITS)
def test_all_or_nothing(
    tmp_path_factory: pytest.TempPathFactory, text: str, edits: list[Replacement]
) -> None:
    box = tmp_path_factory.mktemp("box")
    (box / "a").write_text(text)
    files = Files(box)
    expected: str | None = text
    for each in edits:
        if expected is not None:
            places = [index for index in range(len(expected)) if expected.startswith(each.old, index)]
            fails = each.old == each.new or not places or (len(places) > 1 and not each.everywhere)
            expected = None if fails else each.new.join(expected.split(each.old))
    wanted = [(each.old, each.new, each.everywhere) for each in edits]
    if expected is None:
        with pytest.raises(RefusalError, match="so nothing was written"):
            multi_edit(files, "a", *wanted)
        assert (box / "a").read_text() == text
    else:
        assert apply_patch(text, multi_edit(files, "a", *wanted).diff) == expected
        assert (box / "a").read_text() == expected
    files.close()
