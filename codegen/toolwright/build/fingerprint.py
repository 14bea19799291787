"""What an output depends on, as digests. A unit is rebuilt when its fingerprint is another one."""

import hashlib
import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path

from .. import __version__
from ..config import Config
from ..paths import PACKAGE, templates_dir
from .cache import FORMAT, Source
from .compile import Options
from .index import Index
from .libraries import Library, site_folders


class Sources:
    """Digests of input files; a file that looks as the last run left it is not read again."""

    def __init__(self, index: Index, known: Mapping[str, Source]) -> None:
        self._index = index
        self._known = known
        self.seen: dict[str, Source] = {}

    def digest(self, path: Path | str) -> Source | None:
        """The digests of a regular file; None if there is none to read."""
        key = os.fsdecode(self._index.key(path))
        if key in self.seen:
            return self.seen[key]
        known = self._known.get(key)
        if not self._index.witness(path) or known is None:
            known = read_source(Path(path))
        if known is not None:
            self.seen[key] = known
        return known


def read_source(path: Path) -> Source | None:
    """Read and digest one file; None if it is no readable regular file."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe would never end
            return None
        content = path.read_bytes()
    except OSError:
        return None
    raw = digest(content)
    if b"\r" not in content:
        return Source(raw, raw)
    return Source(raw, digest(content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")))


def digest(content: bytes) -> str:
    """SHA-256 in hex."""
    return hashlib.sha256(content).hexdigest()


def combine(parts: Iterable[str]) -> str:
    """One digest of many strings; no two lists share one by how they are cut."""
    total = hashlib.sha256()
    for part in parts:
        encoded = part.encode("utf-8", "surrogateescape")
        total.update(b"%d:" % len(encoded))
        total.update(encoded)
    return total.hexdigest()


def setting(
    config: Config, options: Options, used: tuple[Library, ...], sources: Sources, index: Index
) -> str:
    """The digest of everything but specs: configuration, templates, profiles, generator, libraries."""
    parts = [str(FORMAT), __version__, "providers", *options.providers, "models", *options.models]
    for library in used:
        parts += [library.name, library.version]
        if library.metadata is not None:
            index.witness(library.metadata)
    for profile in map(Path, options.profiles):  # with those of installed packages
        found = sources.digest(profile)
        parts += [profile.name, found.raw if found else "-"]
    folders: list[tuple[str, Path, tuple[str, ...]]] = [
        ("templates", templates_dir(), ("",)),
        ("generator", PACKAGE, (".py", ".toml")),  # the built-in profiles are TOML files in the package
    ]
    if config.templates is not None:
        folders.append(("overrides", config.templates, ("",)))
    for label, folder, suffixes in folders:
        for path in walk(folder, index):
            if path.name.endswith(suffixes) and (found := sources.digest(path)):
                parts += [label, path.relative_to(folder).as_posix(), found.raw]
    for folder in site_folders():
        index.witness(folder)
    _watch_configuration(config, index)
    return combine(parts)


def walk(folder: Path, index: Index) -> list[Path]:
    """Every file below `folder`, sorted; its folders are witnessed, so that a new file is noticed."""
    files: list[Path] = []
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in ("__pycache__", ".git"))
        index.witness(here)
        files += [Path(here, name) for name in names if not name.endswith((".pyc", "~", ".swp"))]
    return sorted(files)


def _watch_configuration(config: Config, index: Index) -> None:
    if config.file is not None:
        index.witness(config.file)
        return
    for folder in (config.base, *config.base.parents):  # one that appears would configure the run
        index.witness(folder / "pyproject.toml")
