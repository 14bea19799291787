"""The check that nothing changed, and what a racy file does to it."""

import os
import time
from pathlib import Path

import pytest
from toolcast.project.state.index import Index, up_to_date

from tests.project.fake import put


@pytest.fixture
def base(tmp_path: Path) -> Path:
    put(tmp_path / "pyproject.toml", "[tool.toolcast]\n")
    put(tmp_path / "in", "1")
    put(tmp_path / "out", "1")
    return tmp_path


def run(base: Path) -> tuple[bool, bool]:
    """What a build does to the index; whether input and output looked as recorded."""
    index = Index(base)
    same = index.input_unchanged(base / "in"), index.output_unchanged(base / "out")
    index.input_unchanged(base / "absent")
    index.save([str(base / "out")], configured=True, tools=3)
    return same


def test_what_was_recorded_is_unchanged(base: Path) -> None:
    assert up_to_date(str(base)) is None
    assert run(base) == (False, False)
    assert up_to_date(str(base)) == (3, "")
    assert run(base) == (True, True)
    assert up_to_date(str(base)) == (3, "")


@pytest.mark.parametrize("name", ["in", "out", "absent"])
def test_a_change_is_noticed(base: Path, name: str) -> None:
    run(base)
    put(base / name, "2")
    assert up_to_date(str(base)) is None
    assert run(base) == (name != "in", name != "out")
    assert up_to_date(str(base)) == (3, "")


def test_a_file_from_the_future_is_racy(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As after a change of the clock: an edit from now on may leave its time as it is."""
    real = os.stat

    def later(path: str, **options: bool) -> os.stat_result:
        found = real(path, **options)
        if not str(path).endswith("in"):
            return found
        state = {name: getattr(found, name) for name in dir(found) if name.startswith("st_")}
        state["st_ctime_ns"] = state["st_mtime_ns"] = time.time_ns() + 10**12
        return os.stat_result(found[:10], state)

    with monkeypatch.context() as patch:
        patch.setattr(os, "stat", later)
        run(base)
    assert up_to_date(str(base)) is None
    assert run(base) == (False, True)


def test_an_index_with_problems_to_report_is_never_up_to_date(base: Path) -> None:
    index = Index(base)
    index.input_unchanged(base / "in")
    index.save([], configured=True, tools=None)
    assert up_to_date(str(base)) is None
    assert Index(base).input_unchanged(base / "in")


def test_warnings_are_known_where_they_were_printed(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They name files as seen from the working directory."""
    monkeypatch.chdir(base)
    index = Index(base)
    index.input_unchanged(base / "in")
    index.save([], configured=True, tools=3, warnings="in:1: warning: é\n")
    assert up_to_date(str(base)) == (3, "in:1: warning: é\n")
    (base / "below").mkdir()
    assert up_to_date(str(base / "below")) is None
    put(base / "in", "2")
    assert up_to_date(str(base)) is None


def test_a_damaged_index_counts_as_none(base: Path) -> None:
    run(base)
    file = base / ".toolcast/index"
    content = file.read_bytes()
    for size in range(0, len(content), 7):
        file.write_bytes(content[:size])
        assert up_to_date(str(base)) is None
        assert run(base) == (False, False)
