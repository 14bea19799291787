"""The two steps that engines run, killed at any point: old or new, and the next run repairs."""

import functools
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from toolwright.build.core.pure import Made, compile_specs
from toolwright.build.steps.inputs import Folders, Setting, read_setting
from toolwright.build.steps.shard import UNITS, read_shard, write_shard
from toolwright.config import load_config

from tests.build.fake import put, tree
from tests.build.seams import EVERY, At, die_really, run_in_fork, seams

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked processes")

HEAD = "description: Does it.\npermission: read\nsecrets: []\n"
OLD = {"files/edit.yaml": HEAD, "gone/old.yaml": HEAD, "top.yaml": HEAD}
NEW = {"files/edit.yaml": HEAD.replace("Does", "Did"), "far/new.yaml": HEAD, "top.yaml": HEAD}


@functools.cache
def _setting(base: Path) -> Setting:
    put(base / "pyproject.toml", '[tool.toolwright]\nproviders = ["mcp"]\n')
    config, _ = load_config(base)
    assert config is not None
    setting, problems = read_setting(config)
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
    yield from range(number) if EVERY else sorted({*range(0, number, 5), 1, number - 1})


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
