"""The reference toolset, read by PyYAML and checked by jsonschema-rs: none of our own code judges it."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import yaml

ROOT = Path(__file__).resolve().parents[2] / "specs"
BASE = "https://specs.invalid/"
DRAFT = "https://json-schema.org/draft/2020-12/schema"


def tool_files() -> list[Path]:
    return sorted(path for path in ROOT.rglob("*.yaml") if path.parent.name != "_types")


def type_files() -> list[Path]:
    return sorted((ROOT / "_types").glob("*.yaml"))


@cache
def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def address(path: Path) -> str:
    return BASE + path.relative_to(ROOT).as_posix()


@cache
def registry() -> jsonschema_rs.Registry:
    return jsonschema_rs.Registry(
        [(address(file), {"$schema": DRAFT, **read(file)}) for file in type_files()]
    )


def validator(path: Path, schema: Any) -> Any:
    """A validator for `schema` as it stands in the file at `path`, with references to shared types."""
    root = {"$schema": DRAFT, "$id": address(path), **schema}
    return jsonschema_rs.Draft202012Validator(root, registry=registry())


def nodes(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Every value inside `value`, with its path."""
    yield path, value
    if isinstance(value, dict):
        for key, child in value.items():
            yield from nodes(child, (*path, key))
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield from nodes(child, (*path, index))
