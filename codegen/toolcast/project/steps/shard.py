"""One compile step: the files that it reads, and the folder that it leaves.

The folder has `units.json` with a record for each spec, and `files/`. It belongs to the step: what an earlier
run left in it and this one does not make is deleted. Files are written only where their bytes differ, so that
engines that compare times notice what changed. `units.json` is written last.

The outputs of two specs that have an output in common are in two layers, `files/` and `files.1/`: this step
cannot decide which of them belongs to the whole set.
"""

import contextlib
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType

from msgspec import Struct
from msgspec.structs import replace

from ...config import Config, show
from ...diagnostics import Diagnostic
from ...package_files import PACKAGE, templates_dir
from ...spec.spec_checker import MAX_BYTES
from ...spec.type_folders import TypeFolder, is_outside, is_packaged, type_place
from ..core.pure import Kit, Made, make_kit
from ..output.output_tree import glob_safe
from ..profiles import profiles_of, targets_of, unknown_providers
from ..state.cache import Cache, CacheError, Unit, decode_cache, encode_cache
from ..state.files import write_whole
from ..state.fingerprint import libraries

UNITS = "units.json"
FILES = "files"


def _layer_name(layer: int) -> str:
    return f"{FILES}.{layer}" if layer else FILES


class ForeignFolderError(Exception):
    """A folder that is not empty, and that no compile step left."""


def write_shard(out: Path, outcomes: Iterable[Made], kit: Kit) -> dict[str, Unit]:
    """Write each outcome as it comes. Raises ForeignFolderError and OSError."""
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
            write(out / _layer_name(layer) / path, content)
        records[made.path] = replace(made.record, layer=layer)
    _remove_others(
        out, {f"{_layer_name(unit.layer)}/{path}" for unit in records.values() for path in unit.outputs}
    )
    write(out / UNITS, _encoded(kit, records))
    return records


def output_files(units: Mapping[str, Unit], shards: Mapping[Path, Cache]) -> dict[str, Path]:
    """Return the file of each output of `units` in the folder of the step that compiled it."""
    folders = {path: folder for folder, shard in shards.items() for path in shard.units}
    return {
        output: folders[path] / _layer_name(unit.layer) / output
        for path, unit in units.items()
        for output in unit.outputs
    }


def read_shard(folder: Path) -> Cache:
    """Read the records of a folder. Raises CacheError, also where there are none."""
    try:
        return decode_cache((folder / UNITS).read_bytes())
    except OSError as error:
        raise CacheError(f"cannot be read: {error.strerror}") from None


def write(path: Path, content: bytes) -> bool:
    """Write a file whole, and return whether its bytes differed."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        if path.read_bytes() == content:
            return False
    write_whole(path, content)
    return True


def write_alone(path: Path, content: bytes) -> bool:
    """Write a file in a folder with others, and remove what a killed step left of it."""
    _sweep(path)
    return write(path, content)


def _sweep(path: Path) -> None:
    for leftover in path.parent.glob(f".{glob_safe(path.name)}.*.tmp"):
        leftover.unlink(missing_ok=True)


def _encoded(kit: Kit, records: Mapping[str, Unit]) -> bytes:
    return encode_cache(Cache(kit=kit.digest, units=dict(records))) + b"\n"


def _claim(out: Path, kit: Kit) -> None:
    """Mark the folder as ours to write and delete in, before anything else is done."""
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
    """Delete what is not in `kept`, and the folders that this leaves empty."""
    for files in sorted(out.glob(f"{FILES}*")):
        for here, folders, names in os.walk(files, topdown=False):
            below = Path(here).relative_to(out)
            for name in (*names, *(folder for folder in folders if Path(here, folder).is_symlink())):
                if (below / name).as_posix() not in kept:
                    Path(here, name).unlink()
            with contextlib.suppress(OSError):  # not empty
                Path(here).rmdir()


class Setting(Struct, frozen=True):
    """A kit, and the files and listed folders of the project that it was made from."""

    kit: Kit
    reads: tuple[Path, ...]


def read_setting(config: Config) -> tuple[Setting | None, tuple[Diagnostic, ...]]:
    """Make the kit of a configuration with the profiles and templates that it names, or say why not."""
    profiles, problems = profiles_of(config)
    problems = (*problems, *unknown_providers(config, profiles.chosen, profiles.known))
    texts, unreadable = _templates(config.templates)
    targets, unusable = targets_of(config, staged=True)
    if problems := (*problems, *unreadable, *unusable):
        return None, problems
    kit = make_kit(
        profiles.chosen,
        profiles=profiles.own,
        models=config.models,
        targets=targets,
        grammars=config.grammars,
        templates=texts,
        defaults=config.defaults,
    )
    files = list(config.profiles)
    if config.file is not None:
        files.append(config.file)
    if config.templates is not None and texts is not None:
        folders = {config.templates, *((config.templates / name).parent for name in texts)}
        files += [*folders, *(config.templates / name for name in texts)]
    for folder in (each.folder for each in config.targets if each.folder is not None):
        files += [folder, *(path for path in folder.iterdir() if path.is_file())]
    return Setting(kit, tuple(sorted(files))), ()


def _templates(folder: Path | None) -> tuple[dict[str, str] | None, tuple[Diagnostic, ...]]:
    if folder is None:
        return None, ()
    from ...languages.python.bindings.templates import TemplateFailedError, read_templates

    try:
        return dict(read_templates(folder, staged=True)), ()
    except TemplateFailedError as error:
        hint = "correct that, or remove the file"
        problem = Diagnostic(file=show(folder), code="template-unreadable", message=str(error), hint=hint)
        return None, (problem,)


def generator_files(*, models: bool) -> tuple[Path, ...]:
    """Return the files that an upgrade of toolcast, or of a library that the output depends on, changes."""
    own = [Path(file) for module in tuple(sys.modules.values()) if (file := _source(module))]
    profiles = PACKAGE / "providers" / "profiles"
    support = PACKAGE / "languages" / "typescript" / "support"
    data = [*profiles.glob("*.toml"), *_template_files(), *support.glob("*.[jt]s")]
    used = [library.metadata for library in libraries(models=models) if library.metadata is not None]
    return (*sorted(own), *sorted(data), *sorted(used))


def _template_files() -> list[Path]:
    folder = templates_dir()
    return [*folder.glob("*.jinja"), *(path for path in folder.glob("targets/*/*") if path.is_file())]


def _source(module: ModuleType) -> str | None:
    file = getattr(module, "__file__", None)
    return file if isinstance(file, str) and file.startswith(f"{PACKAGE}{os.sep}") else None


class Folders(Mapping[str, bytes]):
    """The files of the specs folder, or several that make it up, and of types outside; read on request."""

    def __init__(self, roots: Sequence[Path], types: Sequence[TypeFolder] = ()) -> None:
        """Search `types` with relative paths from each of `roots`."""
        self._roots = [os.path.abspath(root) for root in roots]  # noqa: PTH100 - links stay as they are
        self._folders = [(each.prefix, folder) for each in types for folder in self._folders_of(each)]

    def _folders_of(self, types: TypeFolder) -> list[str]:
        if is_packaged(types.prefix):
            return [types.folder]
        return [os.path.normpath(f"{root}/{types.prefix}") for root in self._roots]

    def place(self, path: str) -> str:
        """Return where the file is. Raises KeyError where there is no regular file."""
        for place in self._places(path):
            try:
                if stat.S_ISREG(os.stat(place).st_mode):  # noqa: PTH116 - a pipe would never end
                    return place
            except (OSError, ValueError):
                continue
        raise KeyError(path)

    def _places(self, path: str) -> list[str]:
        if not is_outside(path):
            return [f"{root}/{path}" for root in self._roots]
        return [
            f"{folder}{path[len(prefix) :]}"
            for prefix, folder in self._folders
            if path.startswith(f"{prefix}/") and type_place(path) is not None
        ]

    def below(self, place: str) -> str | None:
        """Return the path of a file as the specs folder has it; None if it is in no folder."""
        absolute = os.path.abspath(place)  # noqa: PTH100
        for prefix, folder in (*(("", root) for root in self._roots), *self._folders):
            if absolute.startswith(folder + os.sep):
                path = absolute[len(folder) + 1 :].replace(os.sep, "/")
                return f"{prefix}/{path}" if prefix else path
        return None

    def __getitem__(self, path: str) -> bytes:
        """Read a file. Raises KeyError."""
        try:
            with open(self.place(path), "rb") as file:  # noqa: PTH123
                return file.read(MAX_BYTES + 1)
        except OSError:
            raise KeyError(path) from None

    def __iter__(self) -> Iterator[str]:
        """List nothing: paths are requested."""
        return iter(())

    def __len__(self) -> int:
        return 0


def render_depfile(target: str, inputs: Iterable[str]) -> bytes:
    """Write what a step read as a rule for Make and Ninja, and an empty rule for each input that may be
    deleted.
    """
    names = [_escaped(name) for name in sorted(set(inputs))]
    rule = " \\\n  ".join([f"{_escaped(target)}:", *names])
    return "\n".join([rule, *(f"{name}:" for name in names), ""]).encode()


def _escaped(path: str) -> str:
    """Write a path as one word; neither reader has one for a backslash before a space."""
    if "\n" in path:
        raise ValueError(f"{path!r} cannot stand in a depfile: it has a line break")
    for plain, written in (("$", "$$"), ("#", "\\#"), (" ", "\\ "), (":", "\\:")):
        path = path.replace(plain, written)
    return path
