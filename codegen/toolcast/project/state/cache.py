"""Facts about each spec that a build keeps apart from its files, as values and as JSON.

`.toolcast/cache.json` holds it for the next run: machine-local, deletable, never trusted by `--check`. A
compile step leaves the same as `units.json`, for the step that assembles.
"""

from pathlib import Path

import msgspec
from msgspec import Struct

from ...diagnostics import Diagnostic, has_errors
from ...spec.type_folders import is_outside
from ..core.compiled import Compiled, ToolEntry
from ..output.manifest import is_inside
from .files import read_plain, write_whole
from .fingerprint import digest

FORMAT = 6
_HEAD = b'{"format":%d,' % FORMAT


class Unit(Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """One compiled spec or shared type, or (under a name with `*`) files about the whole set; no outputs with
    an error.
    """

    outputs: dict[str, str] = {}  # posix path below the output root → SHA-256
    fingerprint: str = ""  # everything that the outputs depend on; not in a compile step
    source: str = ""  # digest of the spec and its types; of the package, of what it is without any tool
    uses: tuple[str, ...] = ()  # shared type files, transitively; sorted
    missing: tuple[str, ...] = ()  # files outside the specs root that it refers to, and that have errors
    entry: ToolEntry | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    named: tuple[int, int] = (0, 0)  # line and column of the tool's name; only in a compile step
    layer: int = 0  # among the specs of a compile step, where two have one output

    @property
    def failed(self) -> bool:
        """Return whether it does not compile."""
        return has_errors(self.diagnostics)


class Cache(Struct, frozen=True, kw_only=True):
    """Units by spec path; of a compile step, the digest of its `kit`. `sources`: path as the index writes it
    → digest of the text with line endings made LF.
    """

    format: int = FORMAT
    kit: str = ""
    sources: dict[str, str] = {}
    units: dict[str, Unit] = {}


class CacheError(Exception):
    """Bytes that hold no units; the message is the reason."""


def unit_of(compiled: Compiled, *, fingerprint: str = "") -> Unit:
    """Return what is known of a compiled file, apart from its outputs' bytes."""
    return Unit(
        fingerprint=fingerprint,
        source=compiled.source,
        outputs={path: digest(content) for path, content in compiled.files.items()},
        uses=compiled.uses,
        missing=compiled.missing,
        entry=compiled.entry,
        diagnostics=compiled.diagnostics,
    )


def encode_cache(cache: Cache) -> bytes:
    """Encode as JSON: the same bytes for the same units."""
    return msgspec.json.encode(cache)


def decode_cache(content: bytes) -> Cache:
    """Decode what `encode_cache` of this version wrote. Raises CacheError for anything else."""
    if not content.startswith(_HEAD):
        raise CacheError(f"does not hold records of format {FORMAT}, which this toolcast writes")
    try:
        return msgspec.json.decode(content, type=Cache)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as problem:
        raise CacheError(f"does not hold records: {problem}") from None


def load_cache(state: Path) -> Cache:
    """Load the cache; a missing, damaged or foreign one counts as empty."""
    try:
        cache = decode_cache(read_plain(state / "cache.json"))
    except (OSError, CacheError):
        return Cache()
    return cache if _stays_inside(cache) else Cache()


def save_cache(state: Path, cache: Cache) -> None:
    """Write the cache whole or not at all. Raises OSError."""
    write_whole(state / "cache.json", encode_cache(cache))


def prepare_state(state: Path) -> None:
    """Make `.toolcast/`, which hides itself from git. Raises OSError."""
    state.mkdir(parents=True, exist_ok=True)
    ignore = state / ".gitignore"
    if not ignore.exists():
        write_whole(ignore, b"*\n")


def _stays_inside(cache: Cache) -> bool:
    """Return whether no path leads out of its folder: the file may have come with a checkout. Types outside
    are read only in folders that the configuration names.
    """
    return all(
        all(map(is_inside, unit.outputs)) and all(is_inside(path) or is_outside(path) for path in unit.uses)
        for unit in cache.units.values()
    )
