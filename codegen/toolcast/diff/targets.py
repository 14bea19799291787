"""The states that `--against` and `--to` name: the work tree, a commit, a folder, or a list of tools."""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from ..config import Config, find_config, load_config, show
from ..project.profiles import find_types
from .git_state import EXACT, Repository, head, holds, is_commit, open_repository, read_commit, resolve
from .states import SpecFiles, State, UnreadableStateError, read_folder, read_listed, read_states, unreadable

WORK_TREE: Final = ""
"""The target of the specs as they are now."""
_DEFAULT: Final = "HEAD"


class Target(Struct, frozen=True):
    """One side as it was asked for."""

    kind: Literal["work tree", "commit", "folder", "list"]
    text: str
    option: str  # as messages name it: "--against v1.4"


def open_states(
    config: Config, against: str | None, to: str | None, known_providers: frozenset[str]
) -> tuple[State, State]:
    """Read the two states of a comparison; of two sets of specs, only the files that differ.

    Args:
        config: the configuration; it reads both states.
        against: a commit, folder or file; None for the one that the configuration names, else HEAD.
        to: a commit, folder or file; None for the work tree.
        known_providers: ids of the providers that a spec may name.

    Raises:
        UnreadableStateError: a state cannot be read.
    """
    if against is None and config.diff.against is not None:
        option = f"`against = {config.diff.against!r}`"
        old = _target(config, config.diff.against, option, config.base)
    else:
        against = _DEFAULT if against is None else against
        old = _target(config, against, f"--against {against}", Path())
    new = Target("work tree", "", "--to") if to is None else _target(config, to, f"--to {to}", Path())
    sides = _Opened(config, old, new)
    one = read_listed(Path(old.text), known_providers) if old.kind == "list" else sides.files(old)
    other = read_listed(Path(new.text), known_providers) if new.kind == "list" else sides.files(new)
    if isinstance(one, SpecFiles) and isinstance(other, SpecFiles):
        return read_states(one, other, known_providers)
    return _whole(one, known_providers), _whole(other, known_providers)


def _whole(side: State | SpecFiles, known_providers: frozenset[str]) -> State:
    if isinstance(side, State):
        return side
    return read_states(side, side, known_providers, everything=True)[0]


def _target(config: Config, text: str, option: str, base: Path) -> Target:
    """Return the target of a text. A path that exists, seen from `base`, is a path; the name of a commit,
    too, has to be written otherwise then.
    """
    path = base / (text or "\0")
    kind: Literal["folder", "list"] | None = None
    with suppress(OSError, ValueError):  # too long, or with a character that no path has
        kind = "folder" if path.is_dir() else "list" if path.is_file() else None
    if kind is None:
        return Target("commit", text, option)
    is_path = text.startswith(("./", "../")) or Path(text).is_absolute()
    if is_path or not is_commit(config.base, text):
        return Target(kind, os.fspath(path), option)
    hint = (
        f"write ./{text} for the {'folder' if kind == 'folder' else 'file'}, or {text}{EXACT} for the commit"
    )
    raise unreadable(option, "ambiguous-state", f"{text!r} is a path and a commit", hint)


class _Opened:
    """Reads sides; the repository is opened once, where a side is a commit."""

    def __init__(self, config: Config, old: Target, new: Target) -> None:
        self._config = config
        self._old = old
        self._new = new
        self._shown_root = show(config.specs)
        self._repository: Repository | None = None

    def files(self, target: Target) -> SpecFiles:
        if target.kind == "work tree":
            return self._folder(self._config.specs, "the work tree", self._config)
        if target.kind == "folder":
            folder = Path(os.path.abspath(target.text))  # noqa: PTH100 - without `..`
            return self._folder(*self._project_of(folder))
        since = ""
        if target is self._old and self._new.kind == "work tree":
            since = head(self._open(target.option))
        elif target is self._old and self._new.kind == "commit":
            since = resolve(self._open(target.option), self._new.text, "", self._new.option).id
        repository = self._open(target.option)
        commit = resolve(repository, target.text, since, target.option)
        prefixes = [each.prefix for each in self._config.types if holds(repository, each.prefix)]
        files = read_commit(repository, commit, prefixes)
        return replace(files, contents={**files.contents, **self._types_elsewhere(prefixes)})

    def _folder(self, root: Path, label: str, config: Config) -> SpecFiles:
        folders, problems = find_types(config)
        if problems:
            raise UnreadableStateError(problems[0])
        return read_folder(root, shown_root=show(root), label=label, folders=folders)

    def _types_elsewhere(self, prefixes: Sequence[str]) -> dict[str, bytes]:
        """Return types that no commit has, those of installed packages above all: as they are now, in both
        states.
        """
        others = [each for each in self._config.types if each.prefix not in prefixes]
        if not others:
            return {}
        files = self._folder(self._config.specs, "", replace(self._config, types=tuple(others)))
        starts = tuple(f"{each.prefix}/" for each in others)
        return {path: data for path, data in files.contents.items() if path.startswith(starts)}

    def _open(self, option: str) -> Repository:
        if self._repository is None:
            self._repository = open_repository(self._config, self._shown_root, option)
        return self._repository

    def _project_of(self, folder: Path) -> tuple[Path, str, Config]:
        """Return the specs folder of the project in a folder, or the folder itself; its name in messages; and
        the configuration that names folders of types.
        """
        if find_config(folder) != folder / "pyproject.toml":
            return folder, show(folder), self._config
        config, problems = load_config(Path.cwd(), folder / "pyproject.toml")
        if config is None:
            raise UnreadableStateError(problems[0])
        return config.specs, show(folder), config
