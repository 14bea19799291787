"""What the last run made of each spec: machine-local, deletable at any time, never trusted by `--check`."""

from pathlib import Path

import msgspec
from msgspec import Struct, field

from ...diagnostics import Diagnostic
from ..core.compiled import ToolEntry
from ..output.manifest import is_inside
from .files import read_plain, replace

FORMAT = 4


class Unit(Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """One compiled spec, shared type, or (under the name `*`) the files about the whole set.

    `fetched`: a shared cache provided it. `why`: the reasons for which it was made (`staleness`).
    """

    fingerprint: str
    outputs: dict[str, str]  # posix path below the output root → digest of its bytes
    uses: tuple[str, ...] = ()
    entry: ToolEntry | None = None
    warnings: tuple[Diagnostic, ...] = ()
    fetched: bool = False
    why: tuple[str, ...] = ()


class Cache(Struct, frozen=True, kw_only=True):
    """`units` by spec path below the specs root. `sources`: path as the index writes it → digest of the text
    with line endings made LF. `setting`: what else they were made from, part by part."""

    format: int = FORMAT
    units: dict[str, Unit] = field(default_factory=dict[str, Unit])
    sources: dict[str, str] = field(default_factory=dict[str, str])
    setting: dict[str, str] = field(default_factory=dict[str, str])


def load_cache(state: Path) -> Cache:
    """The cache below `.toolcast/`; a missing, damaged or foreign one counts as empty."""
    try:
        cache = msgspec.json.decode(read_plain(state / "cache.json"), type=Cache)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return Cache()
    return cache if cache.format == FORMAT and _stays_inside(cache) else Cache()


_SUSPECT = ("..", "\\", ":", "\0", "//", "/./", "\n/", "/\n", "\n\n", "\n./", "/.\n", "\n.\n")


def _stays_inside(cache: Cache) -> bool:
    """Whether no path of units leads out of its folder: the file may have come with a checkout.

    All paths are searched at once for what such a path has; only where that is found, each is looked at.
    """
    paths = [path for unit in cache.units.values() for path in (*unit.outputs, *unit.uses)]
    text = "\n".join(("", *paths, ""))
    if not paths or not any(sign in text for sign in _SUSPECT):
        return True
    return all(map(is_inside, paths))


def save_cache(state: Path, cache: Cache) -> None:
    """Write the cache whole or not at all. Raises OSError."""
    replace(state / "cache.json", msgspec.json.encode(cache))


def prepare_state(state: Path) -> None:
    """Make `.toolcast/`, which hides itself from git. Raises OSError."""
    state.mkdir(parents=True, exist_ok=True)
    ignore = state / ".gitignore"
    if not ignore.exists():
        replace(ignore, b"*\n")
