"""Files that are replaced at once."""

import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from toolcast.replace_file import replace_file

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="permissions and links of POSIX")


def temporary(path: Path) -> Path:
    """The file that this thread writes first."""
    return path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}.tmp")


def test_a_file_is_made_and_replaced_with_nothing_beside(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    for content in (b"one", b"", b"two" * 100_000):
        replace_file(path, content)
        assert path.read_bytes() == content
        assert list(tmp_path.iterdir()) == [path]


@POSIX
def test_a_link_stays_one_and_a_file_keeps_its_permissions(tmp_path: Path) -> None:
    path, link = tmp_path / "real", tmp_path / "link"
    path.write_bytes(b"one")
    path.chmod(0o600)
    link.symlink_to(path)
    replace_file(link, b"two")
    assert link.is_symlink()
    assert path.read_bytes() == b"two"
    assert path.stat().st_mode & 0o777 == 0o600


@POSIX
def test_a_link_is_replaced_where_it_is_not_followed(tmp_path: Path) -> None:
    path, link = tmp_path / "real", tmp_path / "link"
    path.write_bytes(b"one")
    link.symlink_to(path)
    replace_file(link, b"two", follow=False)
    assert (path.read_bytes(), link.read_bytes()) == (b"one", b"two")
    assert not link.is_symlink()


@POSIX
def test_a_link_at_the_place_of_the_temporary_file_is_not_followed(tmp_path: Path) -> None:
    """A stranger's checkout may hold one for every process id."""
    other = tmp_path / "other"
    other.write_bytes(b"kept")
    temporary(tmp_path / "pins.json").symlink_to(other)
    replace_file(tmp_path / "pins.json", b"two")
    assert other.read_bytes() == b"kept"
    assert not (tmp_path / "pins.json").is_symlink()
    assert (tmp_path / "pins.json").read_bytes() == b"two"


def test_what_cannot_be_written_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_bytes(b"one")
    temporary(path).mkdir()
    with pytest.raises(OSError):  # noqa: PT011 - each system has a message of its own
        replace_file(path, b"two")
    assert path.read_bytes() == b"one"


@POSIX
def test_a_device_is_written_to_as_it_is() -> None:
    replace_file(Path(os.devnull), b"two")
    assert not Path(os.devnull).is_file()


def test_threads_replace_a_file_at_once(tmp_path: Path) -> None:
    """Each writes a file of its own first: none removes or renames that of another."""
    path = tmp_path / "pins.json"
    contents = [bytes([number]) * 100_000 for number in range(4)]
    met = threading.Barrier(len(contents), timeout=60)

    def write(content: bytes) -> None:
        met.wait()
        for _ in range(50):
            replace_file(path, content)
            assert path.read_bytes() in contents

    with ThreadPoolExecutor(len(contents)) as threads:
        list(threads.map(write, contents))
    assert list(tmp_path.iterdir()) == [path]


@POSIX
def test_links_in_a_circle_are_an_error_of_the_system(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.symlink_to(other)
    other.symlink_to(one)
    with pytest.raises(OSError, match="symbolic links"):
        replace_file(one, b"two")
    assert one.is_symlink()
