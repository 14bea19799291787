"""Versions of the libraries that have a part in the output, found without importing them."""

import os
import re
import sys
from pathlib import Path

from msgspec import Struct

ALWAYS = ("msgspec", "jinja2", "black", "PyYAML")
MODELS = "datamodel-code-generator"
PRINTERS = ("black", MODELS)
"""The ones that decide how output looks; the manifest names them."""


class Library(Struct, frozen=True):
    """One installed library. `metadata` is a file whose state changes with an upgrade, if it was found."""

    name: str
    version: str
    metadata: Path | None


def libraries(*, models: bool) -> tuple[Library, ...]:
    """The libraries a build uses, by name. `models`: other model families are configured."""
    wanted = {_plain(name): name for name in (*ALWAYS, *((MODELS,) if models else ()))}
    found: dict[str, Library] = {}
    for folder in sys.path:
        for entry in _entries(folder):
            stem = entry.removesuffix(".dist-info")
            name, _, version = stem.partition("-")
            plain = _plain(name)
            if stem != entry and plain in wanted and plain not in found:
                found[plain] = Library(wanted[plain], version, Path(folder, entry, "METADATA"))
    for plain, name in wanted.items():
        if plain not in found:
            found[plain] = Library(name, _ask(name), None)
    return tuple(sorted(found.values(), key=lambda library: library.name.lower()))


def site_folders() -> tuple[Path, ...]:
    """Folders where installing something changes which library is found."""
    named = ("site-packages", "dist-packages")
    return tuple(Path(folder) for folder in sys.path if Path(folder).name in named and Path(folder).is_dir())


def _entries(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder or "."))  # noqa: PTH208 - names only, and thousands of them
    except OSError:
        return []


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "_", name).lower()


def _ask(name: str) -> str:
    import importlib.metadata  # slow to import, and seldom needed

    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "absent"
