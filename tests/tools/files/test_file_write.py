"""Writing files: modes, permissions, encodings."""

import codecs
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from toolcast.runtime import RefusalError
from toolcast_tools.files import Files

from tests.tools.files.calls import read, write


def test_a_file_is_made_with_its_folders(files: Files, box: Path) -> None:
    result = write(files, "a/b/c.txt", "ä\r\n")
    assert (result.bytes_written, result.created) == (4, True)
    assert (box / "a/b/c.txt").read_bytes() == "ä\r\n".encode()


def test_overwriting_replaces_all_and_keeps_permissions(files: Files, box: Path) -> None:
    (box / "run.sh").write_text("long content")
    (box / "run.sh").chmod(0o750)
    result = write(files, "run.sh", "x", permissions="644")
    assert (result.bytes_written, result.created) == (1, False)
    assert (box / "run.sh").read_text() == "x"
    assert stat.S_IMODE((box / "run.sh").stat().st_mode) == 0o750
    assert os.listdir(box) == ["run.sh"]  # noqa: PTH208 - hidden ones, too


@pytest.mark.parametrize("mode", ["overwrite", "append", "create"])
def test_a_new_file_gets_its_permissions(files: Files, box: Path, mode: str) -> None:
    write(files, "a", "x", mode=mode, permissions="0700")
    assert stat.S_IMODE((box / "a").stat().st_mode) == 0o700


def test_append_adds_to_the_end(files: Files, box: Path) -> None:
    assert write(files, "log", "a\n", mode="append").created
    assert not write(files, "log", "b\n", mode="append").created
    assert (box / "log").read_bytes() == b"a\nb\n"


def test_append_keeps_the_encoding(files: Files, box: Path) -> None:
    (box / "a.txt").write_bytes(codecs.BOM_UTF16_BE + "ä".encode("utf-16-be"))
    write(files, "a.txt", "ö", mode="append")
    assert read(files, "a.txt").content == "1\täö"


def test_create_refuses_what_exists(files: Files, box: Path) -> None:
    write(files, "a", "x", mode="create")
    with pytest.raises(RefusalError, match="'a' exists already"):
        write(files, "a", "y", mode="create")
    assert (box / "a").read_text() == "x"


def test_calls_at_the_same_time_lose_nothing(files: Files, box: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: write(files, "log", f"{number}\n", mode="append"), range(40)))
    assert sorted(map(int, (box / "log").read_text().split())) == list(range(40))


def test_half_a_character_is_refused(files: Files, box: Path) -> None:
    with pytest.raises(RefusalError, match=r"utf-8, which lacks the character '\\ud800'"):
        write(files, "a", "\ud800")
    assert not (box / "a").exists()


def test_too_much_is_refused(box: Path) -> None:
    files = Files(box, largest=10)
    with pytest.raises(RefusalError, match="would have 11 bytes"):
        write(files, "a", "x" * 11)
    assert not (box / "a").exists()


def test_folders_and_closed_paths_are_refused(files: Files, box: Path) -> None:
    (box / "folder").mkdir()
    for path in ("folder", ".", "../a", "folder/../../a"):
        with pytest.raises(RefusalError):
            write(files, path, "x")
    assert os.listdir(box.parent) == ["box"]  # noqa: PTH208
