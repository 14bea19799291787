"""A cache folder stays below its bound, keeps what is used, and deletes nothing that is not its own."""

import os
import time
from pathlib import Path

import pytest
from toolcast.project.artifacts import folder as folder_module
from toolcast.project.artifacts.folder import Folder
from toolcast.project.artifacts.store import StoreError
from toolcast.project.state.fingerprint import digest

from tests.project.fake import put, tree

KEYS = [digest(bytes([number])) for number in range(20)]


def filled(path: Path, bound: int, size: int = 100) -> Folder:
    """Twenty blobs, each used a minute after the one before."""
    folder = Folder(path, "shared", bound)
    start = time.time() - 10_000
    for number, key in enumerate(KEYS):
        folder.put("cas", key, b"x" * size)
        os.utime(path / "cas" / key[:2] / key, (start + 60 * number,) * 2)
    return folder


def left(path: Path) -> list[str]:
    return [key for key in KEYS if (path / "cas" / key[:2] / key).exists()]


def test_what_was_used_longest_ago_goes_first(tmp_path: Path) -> None:
    folder = filled(tmp_path / "shared", bound=1000)
    assert folder.get("cas", KEYS[0], 100) == b"x" * 100  # used now
    folder.stored(100)
    assert left(tmp_path / "shared") == [KEYS[0], *KEYS[12:]]
    assert folder.get("cas", KEYS[5], 100) is None


def test_below_the_bound_nothing_goes(tmp_path: Path) -> None:
    folder = filled(tmp_path / "shared", bound=2000)
    folder.stored(100)
    assert left(tmp_path / "shared") == KEYS


def test_files_are_counted_only_now_and_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = filled(tmp_path / "shared", bound=3000)
    folder.stored(2000)
    counted: list[int] = []
    real = folder_module.trim
    monkeypatch.setattr(folder_module, "trim", lambda *args: counted.append(1) or real(*args))
    folder.stored(900)
    assert not counted
    folder.stored(200)  # 3,100 on record, but 2,000 in truth
    assert len(counted) == 1
    folder.stored(900)
    assert len(counted) == 1
    (tmp_path / "shared/size").write_text("damaged")
    folder.stored(1)
    old = time.time() - 2 * folder_module._RECOUNT
    os.utime(tmp_path / "shared/size", (old, old))
    folder.stored(1)
    assert len(counted) == 3


def test_the_record_is_not_renewed_by_adding_to_it(tmp_path: Path) -> None:
    """Else a busy cache would never be counted again."""
    folder = filled(tmp_path / "shared", bound=10_000)
    folder.stored(1)
    old = time.time() - folder_module._RECOUNT + 60
    os.utime(tmp_path / "shared/size", (old, old))
    folder.stored(1)
    assert (tmp_path / "shared/size").stat().st_mtime == pytest.approx(old, abs=1)


def test_foreign_files_stay(tmp_path: Path) -> None:
    folder = filled(tmp_path / "shared", bound=100)
    put(tmp_path / "shared/notes.txt", "mine")
    put(tmp_path / "shared/cas/aa/notes.txt", "mine")
    (tmp_path / "shared/cas/bb").symlink_to(tmp_path)
    put(tmp_path / KEYS[3], "behind a link")
    folder.stored(100)
    assert left(tmp_path / "shared") == []
    folder_module.clear(tmp_path / "shared", dry_run=False)
    left_over = tree(tmp_path / "shared")
    assert left_over.pop(folder_module.TAG) == folder_module.TAG_TEXT
    assert left_over == {"cas/aa/notes.txt": b"mine", "notes.txt": b"mine"}
    assert (tmp_path / KEYS[3]).read_text() == "behind a link"


def test_temporary_files_of_killed_runs_go(tmp_path: Path) -> None:
    folder = filled(tmp_path / "shared", bound=10_000)
    for age, token in ((0, "0" * 8), (2 * folder_module._ABANDONED, "1" * 8)):
        path = tmp_path / "shared/cas/aa" / f".{KEYS[0]}.7.{token}.tmp"
        put(path, "half")
        os.utime(path, (time.time() - age,) * 2)
    folder.stored(1)
    assert [path.name[-12:] for path in tmp_path.rglob("*.tmp")] == ["00000000.tmp"]


def test_clearing_counts_and_can_be_tried(tmp_path: Path) -> None:
    filled(tmp_path / "shared", bound=10_000)
    assert folder_module.clear(tmp_path / "shared", dry_run=True) == (20, 2000)
    assert left(tmp_path / "shared") == KEYS
    assert folder_module.clear(tmp_path / "shared", dry_run=False) == (20, 2000)
    assert list(tree(tmp_path / "shared")) == [folder_module.TAG]
    assert list((tmp_path / "shared").iterdir()) == [tmp_path / "shared" / folder_module.TAG]


def test_a_folder_of_other_things_is_refused(tmp_path: Path) -> None:
    put(tmp_path / "photos/ac/aa/x", "precious")
    with pytest.raises(StoreError, match="other things"):
        Folder(tmp_path / "photos", "photos", 1).session()
    put(tmp_path / "foreign/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n# another tool's\n")
    with pytest.raises(StoreError, match="other things"):
        Folder(tmp_path / "foreign", "foreign", 1).session()
    (tmp_path / "empty").mkdir()
    Folder(tmp_path / "empty", "empty", 1).session()
    Folder(tmp_path / "nothing", "nothing", 1).session()
    assert not (tmp_path / "nothing").exists()
