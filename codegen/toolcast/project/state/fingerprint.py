"""Digest everything that an output depends on: a unit is rebuilt when its fingerprint is another one.

Versions of libraries are found without importing them.
"""

import hashlib
import os
import re
import stat
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from ...config import Config, TargetChoice
from ...package_files import PACKAGE, target_folder, templates_dir
from ...version import __version__
from .index import Index

ALWAYS = ("msgspec", "jinja2", "black", "PyYAML")
MODEL_LIBRARY = "datamodel-code-generator"
PRINTERS = ("black", MODEL_LIBRARY)
"""The ones that decide how output looks; the manifest names them."""


class Library(Struct, frozen=True):
    """One installed library; an upgrade changes the state of the file `metadata`, if it was found."""

    name: str
    version: str
    metadata: Path | None


def libraries(*, models: bool) -> tuple[Library, ...]:
    """Return the libraries that a build uses, by name; `models`: other model families are configured."""
    wanted = {_plain(name): name for name in (*ALWAYS, *((MODEL_LIBRARY,) if models else ()))}
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


def _site_folders() -> tuple[Path, ...]:
    """Return the folders where installing something changes which library is found."""
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


class Sources:
    """Digests of input files; a file whose row is as recorded is not read again. Line endings do not count:
    no output depends on them, and machines differ in them.
    """

    def __init__(self, index: Index, recorded: Mapping[str, str]) -> None:
        """Take the digests that the last run `recorded`, by the path that the index writes."""
        self.index = index
        self._recorded = recorded
        self.digests: dict[str, str] = {}

    def digest(self, path: Path | str) -> str | None:
        """Return the digest of a regular file's text; None if there is none to read."""
        key = self._key(path)
        if key in self.digests:
            return self.digests[key]
        unchanged, found = self.index.input_unchanged(path), self._recorded.get(key)
        if not unchanged or found is None:
            found = read_source(Path(path))
        if found is not None:
            self.digests[key] = found
        return found

    def changed(self, path: Path | str) -> bool:
        """Return whether a file's row has changed since it was digested."""
        return self.index.input_changed(path)

    def _key(self, path: Path | str) -> str:
        return self.index.key(path).decode("utf-8", "backslashreplace")  # the cache holds text


def read_source(path: Path) -> str | None:
    """Digest one file with line endings made LF; None if it is no readable regular file."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe would never end
            return None
        content = path.read_bytes()
    except OSError:
        return None
    return digest(content.replace(b"\r\n", b"\n").replace(b"\r", b"\n"))


def digest(content: bytes) -> str:
    """Return the SHA-256 in hex."""
    return hashlib.sha256(content).hexdigest()


def combine(parts: Iterable[str]) -> str:
    """Return one digest of many strings; no two lists share one by how they are cut."""
    encoded = [part.encode("utf-8", "surrogateescape") for part in parts]
    return digest(b"".join([b"%d:%b" % (len(part), part) for part in encoded]))


def source_digest(documents: Mapping[str, object]) -> str:
    """Return the manifest's digest of a spec and its shared types, as plain data by path. Comments and the
    form of the text do not count, since no output depends on them.
    """
    return combine(word for name, data in documents.items() for word in (name, ascii(data)))[:16]


def setting(
    config: Config,
    providers: Sequence[str],
    used: tuple[Library, ...],
    sources: Sources,
) -> dict[str, str]:
    """Return a digest for each thing but specs that outputs depend on, by a name that people know. No part
    depends on this machine: no folder, no time.
    """
    index = sources.index
    parts = {
        "toolcast": __version__,
        "Python": f"{sys.implementation.name} {sys.version_info[0]}.{sys.version_info[1]}",
        "providers": " ".join(providers),
        "models": " ".join(config.models),
        "grammars": " ".join(map(":".join, config.grammars)),
        "targets": combine(word for each in config.targets for word in _choice(each)),
        "defaults": config.defaults or "",
        "examples": " ".join(config.examples),
        "project": combine(f"{key}={text}" for key, text in sorted(config.project.items()))
        if config.targets
        else "",
    }
    for library in used:
        parts[f"library {library.name}"] = library.version
        if library.metadata is not None:
            index.input_unchanged(library.metadata)
    for number, profile in enumerate(config.profiles):
        parts[f"profile {profile.name} ({number})"] = sources.digest(profile) or "-"
    # Built-in profiles are TOML files; the validator of the target "typescript" is JavaScript.
    own = _contents(PACKAGE, (".py", ".toml", ".js", ".ts"), sources)
    parts["generator"] = combine(word for pair in own for word in pair)
    folders = {"template": templates_dir(), "own template": config.templates}
    for label, folder in folders.items():
        if folder is not None:
            parts |= {f"{label} {name}": found for name, found in _contents(folder, ("",), sources)}
    for each in config.targets:
        folder = target_folder(each.id) if each.folder is None else each.folder
        parts |= {f"target {each.id} {name}": found for name, found in _contents(folder, ("",), sources)}
    for folder in _site_folders():
        index.input_unchanged(folder)
    if config.file is not None:
        index.input_unchanged(config.file)
    else:
        for folder in (config.base, *config.base.parents):  # a file that appears would configure the run
            index.input_unchanged(folder / "pyproject.toml")
    return parts


def _choice(target: TargetChoice) -> tuple[str, str]:
    return target.id, msgspec.json.encode(target.options, order="deterministic").decode()


def _contents(folder: Path, suffixes: tuple[str, ...], sources: Sources) -> list[tuple[str, str]]:
    """Return names below `folder` with digests, sorted alike on every machine."""
    start = len(os.path.join(folder, ""))  # noqa: PTH118 - as text: these are hundreds of paths
    without = "targets" if folder == templates_dir() else ""  # only those that the configuration names
    files = [path for path in walk(folder, sources.index, without=without) if path.endswith(suffixes)]
    found = ((_name(path[start:]), sources.digest(path)) for path in files)
    return sorted((name, known) for name, known in found if known is not None)


def _name(path: str) -> str:
    # A name may hold bytes that are no text.
    return os.fsencode(path.replace(os.sep, "/")).decode("utf-8", "backslashreplace")


def walk(folder: Path, index: Index, *, without: str = "") -> list[str]:
    """Return every file below `folder`, but below folders called `without`; the index gets its folders, so
    that a new file is noticed.
    """
    files: list[str] = []
    for here, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in ("__pycache__", ".git", without)]
        index.input_unchanged(here)
        below = os.path.join(here, "")  # noqa: PTH118
        files += [below + name for name in names if not name.endswith((".pyc", "~", ".swp"))]
    return files
