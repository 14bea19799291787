"""What a step reads: the configuration with all that it names, and files below the specs folder."""

import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType

from msgspec import Struct

from ...config import Config, show
from ...diagnostics import Diagnostic
from ...package_files import PACKAGE, templates_dir
from ...spec.reader_problems import MAX_BYTES
from ...spec.type_folders import TypeFolder, is_outside, is_packaged, type_place
from ..core.pure import Kit, make_kit
from ..profiles import profiles_of, unknown_providers
from ..state.libraries import libraries


class Setting(Struct, frozen=True):
    """A kit, and the files of the project that it was made from, with the folders that were listed."""

    kit: Kit
    reads: tuple[Path, ...]


def read_setting(config: Config) -> tuple[Setting | None, tuple[Diagnostic, ...]]:
    """The kit of `config`, with the profiles and templates that it names; or why there is none."""
    profiles, problems = profiles_of(config)
    problems = (*problems, *unknown_providers(config, profiles.chosen, profiles.known))
    texts, unreadable = _templates(config.templates)
    if problems := (*problems, *unreadable):
        return None, problems
    kit = make_kit(
        profiles.chosen,
        profiles=profiles.own,
        models=config.models,
        targets=config.targets,
        templates=texts,
        defaults=config.defaults,
    )
    files = [Path(file) for file in profiles.files]
    if config.file is not None:
        files.append(config.file)
    if config.templates is not None and texts is not None:
        folders = {config.templates, *((config.templates / name).parent for name in texts)}
        files += [*folders, *(config.templates / name for name in texts)]
    return Setting(kit, tuple(sorted(files))), ()


def _templates(folder: Path | None) -> tuple[dict[str, str] | None, tuple[Diagnostic, ...]]:
    if folder is None:
        return None, ()
    from ...python.bindings.templates import TemplateFailedError, read_templates

    try:
        return dict(read_templates(folder, staged=True)), ()
    except TemplateFailedError as error:
        hint = "correct that, or remove the file"
        problem = Diagnostic(file=show(folder), code="template-unreadable", message=str(error), hint=hint)
        return None, (problem,)


def generator_files(*, models: bool) -> tuple[Path, ...]:
    """What of toolcast itself this process has read, and one file for each library that has a part in the
    output: an upgrade of either changes them."""
    own = [Path(file) for module in tuple(sys.modules.values()) if (file := _source(module))]
    profiles = PACKAGE / "providers" / "profiles"
    support = PACKAGE / "typescript" / "support"
    data = [*profiles.glob("*.toml"), *templates_dir().glob("*.jinja"), *support.glob("*.[jt]s")]
    used = [library.metadata for library in libraries(models=models) if library.metadata is not None]
    return (*sorted(own), *sorted(data), *sorted(used))


def _source(module: ModuleType) -> str | None:
    file = getattr(module, "__file__", None)
    return file if isinstance(file, str) and file.startswith(f"{PACKAGE}{os.sep}") else None


class Folders(Mapping[str, bytes]):
    """The files of the specs folder, which one or several folders make up, and of folders of shared types
    outside; each is read on request."""

    def __init__(self, roots: Sequence[Path], types: Sequence[TypeFolder] = ()) -> None:
        """`types` with relative paths are sought from each of `roots`."""
        self._roots = [os.path.abspath(root) for root in roots]  # noqa: PTH100 - links stay as they are
        self._folders = [(each.prefix, folder) for each in types for folder in self._folders_of(each)]

    def _folders_of(self, types: TypeFolder) -> list[str]:
        if is_packaged(types.prefix):
            return [types.folder]
        return [os.path.normpath(f"{root}/{types.prefix}") for root in self._roots]

    def place(self, path: str) -> str:
        """Where the file at `path` is. Raises KeyError where there is no regular file."""
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
        """The path of a file as the specs folder has it, posix; None if it is in no folder."""
        absolute = os.path.abspath(place)  # noqa: PTH100
        for prefix, folder in (*(("", root) for root in self._roots), *self._folders):
            if absolute.startswith(folder + os.sep):
                path = absolute[len(folder) + 1 :].replace(os.sep, "/")
                return f"{prefix}/{path}" if prefix else path
        return None

    def __getitem__(self, path: str) -> bytes:
        """Raises KeyError where there is no file that can be read."""
        try:
            with open(self.place(path), "rb") as file:  # noqa: PTH123
                return file.read(MAX_BYTES + 1)
        except OSError:
            raise KeyError(path) from None

    def __iter__(self) -> Iterator[str]:
        """None: nobody lists the folder."""
        return iter(())

    def __len__(self) -> int:
        return 0


def render_depfile(target: str, inputs: Iterable[str]) -> bytes:
    """What a step read, for Make and Ninja: one rule, and an empty one for each input, so that a deleted one
    does not stop Make."""
    names = [_escaped(name) for name in sorted(set(inputs))]
    rule = " \\\n  ".join([f"{_escaped(target)}:", *names])
    return "\n".join([rule, *(f"{name}:" for name in names), ""]).encode()


def _escaped(path: str) -> str:
    """A path as one word. Backslashes stay: neither reader has a word for one before a space."""
    if "\n" in path:
        raise ValueError(f"{path!r} cannot stand in a depfile: it has a line break")
    for plain, written in (("$", "$$"), ("#", "\\#"), (" ", "\\ "), (":", "\\:")):
        path = path.replace(plain, written)
    return path
