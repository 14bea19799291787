"""The folder that one compile step leaves: `units.json` with a record for each spec, and `files/`.

The folder belongs to the step: what an earlier run left in it and this one does not make is deleted. Files
are written only where their bytes differ, so that engines that compare times notice what changed.
`units.json` is written last.

The outputs of two specs that have an output in common are in two layers, `files/` and `files.1/`: this step
cannot decide which of them belongs to the whole set.
"""

import contextlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec.structs import replace

from ..core.pure import Kit, Made
from ..output.output_tree import glob_safe
from ..state.cache import Cache, CacheError, Unit, decode_cache, encode_cache
from ..state.files import write_whole

UNITS = "units.json"
FILES = "files"


def layer_name(layer: int) -> str:
    """The folder of a layer."""
    return f"{FILES}.{layer}" if layer else FILES


class ForeignFolderError(Exception):
    """A folder that is not empty, and that no compile step left."""


def write_shard(out: Path, outcomes: Iterable[Made], kit: Kit) -> dict[str, Unit]:
    """Write each outcome as it comes, in the order of paths. Raises ForeignFolderError and OSError."""
    _claim(out, kit)
    records: dict[str, Unit] = {}
    layers: list[set[str]] = [set()]
    for made in outcomes:
        claims = {path.casefold() for path in made.files}
        layer = next((n for n, taken in enumerate(layers) if not taken & claims), len(layers))
        if layer == len(layers):
            layers.append(set())
        layers[layer] |= claims
        for path, content in made.files.items():
            write(out / layer_name(layer) / path, content)
        records[made.path] = replace(made.record, layer=layer)
    _remove_others(
        out, {f"{layer_name(unit.layer)}/{path}" for unit in records.values() for path in unit.outputs}
    )
    write(out / UNITS, _encoded(kit, records))
    return records


def output_files(units: Mapping[str, Unit], shards: Mapping[Path, Cache]) -> dict[str, Path]:
    """The file of each output of `units` (by spec path), below the folder of the step that compiled it."""
    folders = {path: folder for folder, shard in shards.items() for path in shard.units}
    return {
        output: folders[path] / layer_name(unit.layer) / output
        for path, unit in units.items()
        for output in unit.outputs
    }


def read_shard(folder: Path) -> Cache:
    """The records of a folder. Raises CacheError, also where there are none."""
    try:
        return decode_cache((folder / UNITS).read_bytes())
    except OSError as error:
        raise CacheError(f"cannot be read: {error.strerror}") from None


def write(path: Path, content: bytes) -> bool:
    """Write a file whole, unless it holds these bytes already; whether it was written."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        if path.read_bytes() == content:
            return False
    write_whole(path, content)
    return True


def write_alone(path: Path, content: bytes) -> bool:
    """`write` for a file in a folder with others; removes what a killed step left of the same one."""
    _sweep(path)
    return write(path, content)


def _sweep(path: Path) -> None:
    for leftover in path.parent.glob(f".{glob_safe(path.name)}.*.tmp"):
        leftover.unlink(missing_ok=True)


def _encoded(kit: Kit, records: Mapping[str, Unit]) -> bytes:
    return encode_cache(Cache(kit=kit.digest, units=dict(records))) + b"\n"


def _claim(out: Path, kit: Kit) -> None:
    """See that the folder is ours to write and delete in, and mark it so before anything else is done."""
    mark = out / UNITS
    _sweep(mark)
    if mark.is_file():
        if not mark.read_bytes().startswith(b'{"format":'):
            raise ForeignFolderError(f"{UNITS} in it is not what a compile step writes")
        return
    if any(not path.is_dir() or path.is_symlink() for path in out.rglob("*")):  # engines make folders
        raise ForeignFolderError("it is not empty, and no compile step left it")
    write_whole(mark, _encoded(kit, {}))


def _remove_others(out: Path, kept: set[str]) -> None:
    """Delete what is below the layers of `out` and not in `kept`, and the folders that this leaves empty."""
    for files in sorted(out.glob(f"{FILES}*")):
        for here, folders, names in os.walk(files, topdown=False):
            below = Path(here).relative_to(out)
            for name in (*names, *(folder for folder in folders if Path(here, folder).is_symlink())):
                if (below / name).as_posix() not in kept:
                    Path(here, name).unlink()
            with contextlib.suppress(OSError):  # not empty
                Path(here).rmdir()
