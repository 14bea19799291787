"""What an output depends on, as digests. A unit is rebuilt when its fingerprint is another one."""

import hashlib
import os
import stat
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec import Struct

from ... import __version__
from ...config import Config
from ...paths import PACKAGE, templates_dir
from ..core.compile import Options
from .cache import FORMAT
from .index import Index
from .libraries import Library, site_folders


class Sources:
    """Digests of input files; a file that looks as the last run left it is not read again.

    Line endings do not count: no output depends on them, and machines differ in them.
    """

    def __init__(self, index: Index, known: Mapping[str, str]) -> None:
        self._index = index
        self._known = known
        self.seen: dict[str, str] = {}
        self._asked: dict[Path | str, str] = {}  # the same by path as given: most are asked for thrice

    def digest(self, path: Path | str) -> str | None:
        """The digest of a regular file's text; None if there is none to read."""
        found = self._asked.get(path)
        if found is None and (found := self._digest(path)) is not None:
            self._asked[path] = found
        return found

    def _digest(self, path: Path | str) -> str | None:
        key = self._key(path)
        if key in self.seen:
            return self.seen[key]
        known = self._known.get(key)
        if not self._index.witness(path) or known is None:
            known = read_source(Path(path))
        if known is not None:
            self.seen[key] = known
        return known

    def keep_below(self, folder: Path) -> None:
        """Take over what the last run saw below `folder`, where all looks as then."""
        below = self._key(f"{folder}{os.sep}")
        self.seen.update({key: known for key, known in self._known.items() if key.startswith(below)})

    def same_below(self, folder: Path) -> frozenset[str]:
        """Paths below `folder` that have been asked for, and are what they were in the last run."""
        below = self._key(f"{folder}{os.sep}")
        known = self._known
        same = [key for key, found in self.seen.items() if key.startswith(below) and known.get(key) == found]
        return frozenset(key[len(below) :] for key in same)

    @property
    def sound(self) -> bool:
        """Whether all was well with the last run."""
        return self._index.sound

    def former(self, path: Path | str) -> str | None:
        """What `digest` said in the last run."""
        return self._known.get(self._key(path))

    def _key(self, path: Path | str) -> str:
        return self._index.key(path).decode("utf-8", "backslashreplace")  # the cache holds text


def read_source(path: Path) -> str | None:
    """Read and digest one file, with line endings made LF; None if it is no readable regular file."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe would never end
            return None
        content = path.read_bytes()
    except OSError:
        return None
    if b"\r" in content:
        content = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return digest(content)


def digest(content: bytes) -> str:
    """SHA-256 in hex."""
    return hashlib.sha256(content).hexdigest()


def combine(parts: Iterable[str]) -> str:
    """One digest of many strings; no two lists share one by how they are cut."""
    encoded = [part.encode("utf-8", "surrogateescape") for part in parts]
    return digest(b"".join([b"%d:%b" % (len(part), part) for part in encoded]))


class Setting(Struct, frozen=True):
    """Everything but specs that outputs depend on: a digest for each part, by a name that people know.

    Nothing in `parts` speaks of this machine: no folder, no time. `folders` are the ones that were walked.
    """

    parts: dict[str, str]
    folders: dict[str, str] = {}

    @property
    def digest(self) -> str:
        """The digest of all parts."""
        return combine(word for name in sorted(self.parts) for word in (name, self.parts[name]))


def setting(
    config: Config,
    options: Options,
    used: tuple[Library, ...],
    sources: Sources,
    index: Index,
    former: Setting | None = None,
) -> Setting:
    """Configuration, templates, profiles, generator, Python and libraries, as they are now.

    `former` is what the last run made of them.
    """
    parts = {
        "format": str(FORMAT),
        "toolcast": __version__,
        "Python": f"{sys.implementation.name} {sys.version_info[0]}.{sys.version_info[1]}",
        "providers": " ".join(options.providers),
        "models": " ".join(options.models),
    }
    for library in used:
        parts[f"library {library.name}"] = library.version
        if library.metadata is not None:
            index.witness(library.metadata)
    for number, profile in enumerate(map(Path, options.profiles)):  # with those of installed packages
        parts[f"profile {profile.name} ({number})"] = sources.digest(profile) or "-"
    walked = {"generator": PACKAGE, "template": templates_dir()}
    if config.templates is not None:
        walked["own template"] = config.templates
    folders = {label: _name(str(folder)) for label, folder in walked.items()}  # the cache holds text
    for label, folder in walked.items():
        if former is not None and former.folders.get(label) == folders[label] and index.same_below(folder):
            sources.keep_below(folder)
            parts |= {name: found for name, found in former.parts.items() if _is_of(label, name)}
        elif label == "generator":
            own = _contents(folder, (".py", ".toml"), sources, index)  # built-in profiles are TOML files
            parts[label] = combine(word for pair in own for word in pair)
        else:
            parts |= {f"{label} {name}": found for name, found in _contents(folder, ("",), sources, index)}
    for folder in site_folders():
        index.witness(folder)
    _watch_configuration(config, index)
    return Setting(parts, folders)


def _is_of(label: str, part: str) -> bool:
    return part == label or part.startswith(f"{label} ")


def _contents(
    folder: Path, suffixes: tuple[str, ...], sources: Sources, index: Index
) -> list[tuple[str, str]]:
    """Names below `folder` with digests, sorted alike on every machine."""
    start = len(os.path.join(folder, ""))  # noqa: PTH118 - as text: these are hundreds of paths
    files = [path for path in walk(folder, index) if path.endswith(suffixes)]
    found = ((_name(path[start:]), sources.digest(path)) for path in files)
    return sorted((name, known) for name, known in found if known is not None)


def _name(path: str) -> str:
    # A name may hold bytes that are no text.
    return os.fsencode(path.replace(os.sep, "/")).decode("utf-8", "backslashreplace")


def walk(folder: Path, index: Index) -> list[str]:
    """Every file below `folder`; its folders are witnessed, so that a new file is noticed."""
    files: list[str] = []
    for here, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in ("__pycache__", ".git")]
        index.witness(here)
        below = os.path.join(here, "")  # noqa: PTH118
        files += [below + name for name in names if not name.endswith((".pyc", "~", ".swp"))]
    return files


def _watch_configuration(config: Config, index: Index) -> None:
    if config.file is not None:
        index.witness(config.file)
        return
    for folder in (config.base, *config.base.parents):  # one that appears would configure the run
        index.witness(folder / "pyproject.toml")
