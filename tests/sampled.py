"""Parts of large products: the default run has a fixed part, `make thorough` the rest."""

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings


def sampled(values: Iterable[Any], kept: Collection[Any]) -> list[Any]:
    """The values as parameters of a test, all but `kept` marked `thorough`."""
    return [value if value in kept else pytest.param(value, marks=pytest.mark.thorough) for value in values]


def fewer(divisor: int) -> settings:
    """A part of the examples of the profile, for a property of which each costs much."""
    return settings(max_examples=max(2, settings.default.max_examples // divisor))


def part_of_corpora(shared: Path, folder: Path, every: int) -> list[Path]:
    """The files of the corpora with one tool of `every`, written to `folder`; the files themselves for 1."""
    files = sorted((shared / "corpora").glob("*.jsonl"))
    if every == 1:
        return files
    found = [folder / path.name for path in files]
    for path, part in zip(files, found, strict=True):
        lines = path.read_bytes().splitlines(keepends=True)[::every]
        part.write_bytes(b"".join(lines))
    return found
