"""The two steps that engines run, killed at any point: old or new, and the next run repairs."""

import contextlib
import errno
import functools
import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from toolcast.config import Config, load_config
from toolcast.diagnostics import Diagnostic
from toolcast.project.core.pure import Made, compile_specs
from toolcast.project.generate import build
from toolcast.project.output.output_tree import TEMPORARY
from toolcast.project.state.files import locked
from toolcast.project.steps.assemble import Assembled, assemble, publish_set
from toolcast.project.steps.shard import (
    UNITS,
    Folders,
    Setting,
    output_files,
    read_setting,
    read_shard,
    write_alone,
    write_shard,
)
from toolcast.project.worker import FRONTEND

from tests.project.fake import put, tree
from tests.project.fault_injection import (
    EVERY,
    At,
    Refusing,
    die_beside_a_journal,
    die_really,
    run_in_fork,
    seams,
)

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked processes")

HEAD = "description: Does it.\npermission: read\nsecrets: []\n"
OLD = {"files/edit.yaml": HEAD, "gone/old.yaml": HEAD, "top.yaml": HEAD}
NEW = {"files/edit.yaml": HEAD.replace("Does", "Did"), "far/new.yaml": HEAD, "top.yaml": HEAD}


def _config(base: Path) -> Config:
    put(base / "pyproject.toml", '[tool.toolcast]\nproviders = ["mcp"]\n')
    config, _ = load_config(base)
    assert config is not None
    return config


@functools.cache
def _setting(base: Path) -> Setting:
    setting, problems = read_setting(_config(base))
    assert setting is not None, problems
    return setting


@functools.cache
def _made(base: Path, new: bool) -> tuple[Made, ...]:
    specs = NEW if new else OLD
    folder = base / ("new" if new else "old")
    for path, text in specs.items():
        put(folder / path, text)
    return tuple(compile_specs(sorted(specs), Folders((folder,)), _setting(base).kit))


def _shard(base: Path, out: Path, *, new: bool) -> None:
    write_shard(out, _made(base, new), _setting(base).kit)


def _steps(number: int) -> Iterator[int]:
    yield from range(number) if EVERY else sorted({*range(0, number, 29), 1, number - 1})


@pytest.mark.parametrize("first", [True, False])
def test_compile_killed_at_any_step(memory: Path, first: bool) -> None:
    """Its folder is its own: a killed run never keeps the next one out, or leaves anything in it."""
    for new in (False, True):
        _shard(memory, memory / f"whole {new}", new=new)
    old, whole = tree(memory / "whole False"), tree(memory / "whole True")
    at = At(-1, die_really)
    if not first:
        _shard(memory, memory / "count", new=False)
    with seams(at):
        _shard(memory, memory / "count", new=True)
    assert at.count > 10
    out = memory / "out"
    for step in _steps(at.count):
        shutil.rmtree(out, ignore_errors=True)
        if not first:
            _shard(memory, out, new=False)

        def killed() -> None:
            with seams(At(step, die_really)):  # noqa: B023 - called in this turn
                _shard(memory, out, new=True)

        assert run_in_fork(killed) == 9
        for path, content in tree(out).items():
            empty = path == UNITS and not read_shard(out).units
            assert path.endswith(".tmp") or content in (old.get(path), whole.get(path)) or empty, (step, path)
        _shard(memory, out, new=True)
        assert tree(out) == whole, step
        assert {path for path in out.rglob("*") if path.is_dir() and not any(path.iterdir())} == set()


@functools.cache
def _assembled(base: Path, new: bool) -> Assembled:
    _shard(base, base / f"shard {new}", new=new)
    return assemble({"shard": read_shard(base / f"shard {new}")}, _setting(base).kit)


def _place(base: Path, out: Path, *, new: bool, config: Config | None = None) -> tuple[Diagnostic, ...]:
    assembled, folder = _assembled(base, new), base / f"shard {new}"
    compiled = output_files(assembled.units, {folder: read_shard(folder)})
    return publish_set(assembled, compiled, out, config=config)


FOREIGN = {"notes.txt": "mine", "schemas/own.json": "{}", "gone/own.md": "mine"}


def _prepare(memory: Path, out: Path, first: bool, config: Config | None) -> None:
    shutil.rmtree(out.parent / ".toolcast", ignore_errors=True)
    shutil.rmtree(out, ignore_errors=True)
    if not first:
        _place(memory, out, new=False, config=config)
    for path, content in FOREIGN.items():
        put(out / path, content)


def _entries(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (True, "assemble"),
        (False, "the other set"),
        (False, "generate"),
        *(
            pytest.param(first, then, marks=pytest.mark.thorough)
            for first, then in ((True, "the other set"), (True, "generate"), (False, "assemble"))
        ),
    ],
)
def test_assemble_killed_at_any_step(memory: Path, first: bool, then: str) -> None:
    """In the project's own output, where `generate` repairs it as well, and in any other folder."""
    project = memory / "project"
    for path, text in NEW.items():
        put(project / "specs" / path, text)
    config = _config(project) if then == "generate" else None
    out = project / "generated"
    undisturbed: dict[bool, dict[str, bytes]] = {}
    for new in (False, True):
        _prepare(memory, out, False, config)
        _place(memory, out, new=new, config=config)
        undisturbed[new] = tree(out)
    last = then != "the other set"
    expected, entries = undisturbed[last], set[str]()
    if last:
        entries = _entries(out)
    else:
        _place(memory, out, new=False)
        entries = _entries(out)
    _prepare(memory, out, first, config)
    at = At(-1, die_really)
    with seams(at):
        _place(memory, out, new=True, config=config)
    assert at.count > 20
    for step in _steps(at.count):
        _prepare(memory, out, first, config)
        before = tree(out)

        def killed() -> None:
            with seams(At(step, die_really)):  # noqa: B023 - called in this turn
                _place(memory, out, new=True, config=config)

        assert run_in_fork(killed) == 9
        for path, content in tree(out).items():
            whole = content in (before.get(path), undisturbed[True].get(path))
            assert whole or path.startswith(".toolcast/") or path.endswith(TEMPORARY), (step, path)
        if then == "generate":
            assert not build(_config(project), FRONTEND, jobs=1).failed
            assert not list(config.state.glob("journal-*")) if config else None
        else:
            assert not _place(memory, out, new=last)
        assert tree(out) == expected, step
        assert _entries(out) == entries, step


def test_a_disk_that_refuses_is_reported_and_the_next_run_does_the_rest(memory: Path) -> None:
    out = memory / "generated"
    _prepare(memory, out, False, None)
    at = Refusing(-1, errno.ENOSPC)
    with seams(at):
        _place(memory, out, new=True)
    expected = tree(out)
    reported = 0
    for step in _steps(at.count):
        _prepare(memory, out, False, None)
        before = tree(out)
        found_problems: tuple[Diagnostic, ...] = ()
        with contextlib.suppress(OSError), seams(Refusing(step, errno.ENOSPC)):  # of lock and journal
            found_problems = _place(memory, out, new=True)
        problems = [f"{each.message} ({each.hint})" for each in found_problems]
        for problem in problems:
            reported += 1
            assert "No space left" in problem
            assert "files were dealt with" in problem
            assert "make room" in problem
        found = tree(out)
        for path, content in found.items():
            assert content in (before.get(path), expected.get(path)) or path.startswith(".toolcast/"), path
        assert not _place(memory, out, new=True)
        assert tree(out) == expected, step
    assert reported


def test_what_somebody_put_where_a_killed_run_would_have_written_stays(memory: Path) -> None:
    out = memory / "generated"
    _prepare(memory, out, True, None)

    def killed() -> None:
        with seams(die_beside_a_journal(out / ".toolcast")):
            _place(memory, out, new=True)

    assert run_in_fork(killed) == 9
    put(out / "contracts/new.json", "{}")
    assert [each.code for each in _place(memory, out, new=True)] == ["foreign-file"]
    assert (out / "contracts/new.json").read_text() == "{}"
    (out / "contracts/new.json").unlink()
    assert not _place(memory, out, new=True)
    assert not (out / ".toolcast").exists()


def test_a_file_beside_others_is_written_without_a_trace_of_killed_runs(memory: Path) -> None:
    at = At(-1, die_really)
    with seams(at):
        write_alone(memory / "count" / "a[b].stamp", b"new\n")
    for step in range(at.count):
        put(memory / "p" / ".other.stamp.1.tmp", "another step's")
        put(memory / "p" / "a[b].stamp", "old\n")

        def killed() -> None:
            with seams(At(step, die_really)):  # noqa: B023 - called in this turn
                write_alone(memory / "p" / "a[b].stamp", b"new\n")

        run_in_fork(killed)
        assert (memory / "p" / "a[b].stamp").read_text() in ("old\n", "new\n")
        write_alone(memory / "p" / "a[b].stamp", b"new\n")
        assert tree(memory / "p") == {"a[b].stamp": b"new\n", ".other.stamp.1.tmp": b"another step's"}


def test_it_waits_for_a_run_in_the_project(memory: Path) -> None:
    config = _config(memory / "project")
    _assembled(memory, True)
    with locked(config.state, lambda _message: None):
        options = {"new": True, "config": config}
        other = threading.Thread(target=_place, args=(memory, config.output), kwargs=options)
        other.start()
        other.join(0.3)
        assert other.is_alive()
        assert not config.output.exists()
    other.join(60)
    assert (config.output / "far/new.py").exists()
