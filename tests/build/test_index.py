"""Signatures as they are packed, and looks that were taken before the run."""

import os
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.build.generate import build
from toolcast.build.state.clock import doubtful, wait_past
from toolcast.build.state.rows import GONE, Rows, packed, rows_of
from toolcast.build.state.unchanged import look

from .fake import FAKE, config_of, put

PATHS = st.sampled_from([b"a", b"b", b"c/d", b"e"])
SIGNATURES = st.tuples(*[st.integers(-1, 1)] * 4).map(packed)
TABLES = st.dictionaries(PATHS, SIGNATURES)


def told(rows: Rows) -> dict[bytes, bytes | None]:
    return {path: rows.get(path) for path in rows.paths}


@given(TABLES, TABLES)
def test_rows_are_overlaid_like_a_mapping(one: Mapping[bytes, bytes], two: Mapping[bytes, bytes]) -> None:
    assert told(rows_of(one).overlaid(rows_of(two))) == {**one, **two}


@given(TABLES, st.sets(PATHS))
def test_rows_are_taken_out(table: Mapping[bytes, bytes], gone: set[bytes]) -> None:
    left = rows_of(table).without(gone)
    assert told(left) == {path: row for path, row in table.items() if path not in gone}
    assert len(left.packed) == 32 * len(left.paths)


@given(TABLES, st.data())
def test_what_is_there_and_the_same_is_common(table: Mapping[bytes, bytes], data: st.DataObject) -> None:
    other = {
        path: data.draw(st.sampled_from([row, GONE, packed((0, 0, 0, 0))])) for path, row in table.items()
    }
    kept = rows_of(table).common(rows_of(other))
    assert told(kept) == {path: row for path, row in table.items() if row == other[path] != GONE}


@pytest.fixture
def base(tmp_path: Path) -> Path:
    put(tmp_path / "pyproject.toml", "[tool.toolcast]\n")
    put(tmp_path / "specs/a.yaml", "1")
    put(tmp_path / "specs/b.yaml", "1")
    assert not build(config_of(tmp_path), FAKE).failed
    return tmp_path


def test_looks_that_were_taken_before_are_good(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(base / "specs/a.yaml", "22")
    looked = look(str(base))
    assert looked is not None
    assert not looked.same
    monkeypatch.setattr("toolcast.build.state.index.look_at", None)  # nothing is looked at again
    report = build(config_of(base), FAKE, looked=looked)
    assert [write.path for write in report.plan.writes if write.path.endswith(".py")] == ["a.py"]
    after = look(str(base))
    assert after is not None
    assert after.same


def test_looks_are_taken_again_after_another_run(base: Path) -> None:
    """They speak of the index of before; what the other run wrote would pass for an edit, or be passed by."""
    put(base / "specs/a.yaml", "22")
    looked = look(str(base))
    put(base / "specs/b.yaml", "22")
    build(config_of(base), FAKE)
    put(base / "specs/a.yaml", "333")
    report = build(config_of(base), FAKE, looked=looked)
    assert report.rebuilt == 1
    after = look(str(base))
    assert after is not None
    assert after.same
    assert build(config_of(base), FAKE).rebuilt == 0


def test_an_edit_after_the_looks_is_noticed_by_the_next_run(base: Path) -> None:
    looked = look(str(base))
    put(base / "specs/a.yaml", "22")
    put(base / "generated/b.py", "edited")
    build(config_of(base), FAKE, looked=looked)
    report = build(config_of(base), FAKE)
    assert report.rebuilt == 2
    assert build(config_of(base), FAKE).plan.empty


def test_the_clock_goes_on(tmp_path: Path) -> None:
    """What is doubtful at first is so no more: an edit from now on shows."""
    probe, file = tmp_path / "probe", tmp_path / "file"
    for path in (probe, file):
        path.write_bytes(b"")
    at = file.stat().st_ctime_ns
    assert wait_past(at, probe) > at
    assert doubtful([(b"file", at)], probe, lambda key: os.fsencode(tmp_path / os.fsdecode(key))) == set()
    file.write_bytes(b"")
    assert file.stat().st_ctime_ns > at


def test_a_time_to_come_stays_doubtful(tmp_path: Path) -> None:
    probe = tmp_path / "probe"
    probe.write_bytes(b"")
    times = {b"later": time.time_ns() + 10**12, b"long ago": time.time_ns() - 10**12}
    assert doubtful(times.items(), probe, lambda _key: os.fsencode(probe)) == {b"later"}
