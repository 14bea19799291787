"""Find what the configuration names elsewhere: profiles of providers, targets, and folders of shared types.

No code of a package with types runs: only its outermost name is located, which imports nothing. Providers are
imported where a profile is read.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from ..config import Config, setting_place, setting_problem, show
from ..diagnostics import Diagnostic, did_you_mean
from ..package_files import profile_ids, target_folder
from ..spec.type_folders import PACKAGE_FOLDER, TypeFolder
from ..toml_tables import Locator, TableReader

if TYPE_CHECKING:
    from ..providers import Profile
    from ..targets.target import Target


class Profiles(Struct, frozen=True, kw_only=True):
    """The profiles that a project has. `own` are those of its files, by id, with built-in ones that the
    configuration changes. `known` has all ids, sorted; `chosen` those that the configuration names.
    """

    own: Mapping[str, Profile]
    known: tuple[str, ...]
    chosen: tuple[str, ...]


def profiles_of(config: Config) -> tuple[Profiles, tuple[Diagnostic, ...]]:
    """Return the profiles of a project, and their problems."""
    profiles, problems = _load(config)
    return _with_examples(config, profiles) if config.examples and not problems else (profiles, problems)


def chosen_profiles(profiles: Profiles) -> tuple[Profile, ...]:
    """Return the profiles that are chosen, each once."""
    from ..providers import load_profile

    return tuple(profiles.own.get(id) or load_profile(id) for id in dict.fromkeys(profiles.chosen))


def _with_examples(config: Config, profiles: Profiles) -> tuple[Profiles, tuple[Diagnostic, ...]]:
    from ..providers import load_profile

    own = dict(profiles.own)
    problems: list[Diagnostic] = []
    for id in config.examples:
        if id not in profiles.known:
            message, hint = f"unknown provider {id!r} in 'examples'", suggest_provider(id, profiles.known)
            problems.append(setting_problem(config, ("examples",), "unknown-provider", message, hint))
            continue
        profile = own.get(id) or load_profile(id)
        if profile.examples is None:
            message = f"the tool objects of {id!r} have no place for examples"
            hint = "leave it out of `examples`"
            problems.append(setting_problem(config, ("examples",), "config-examples", message, hint))
            continue
        own[id] = replace(profile, examples=replace(profile.examples, shown=True))
    return replace(profiles, own=own), tuple(problems)


def unknown_providers(
    config: Config, providers: Sequence[str], known: Sequence[str], *, option: bool = False
) -> tuple[Diagnostic, ...]:
    """Return a diagnostic for each of `providers` that is not known, at the `option` or the configuration."""
    file, line, column = ("--provider", 0, 0) if option else setting_place(config, ("providers",))
    return tuple(
        Diagnostic(
            file=file,
            line=line,
            column=column,
            code="unknown-provider",
            message=f"unknown provider {name!r}",
            hint=suggest_provider(name, known),
        )
        for name in providers
        if name not in known
    )


def suggest_provider(name: str, known: Sequence[str]) -> str:
    """Return a hint for an unknown provider: the nearest known name, or all."""
    return did_you_mean(name, known, f"known providers: {', '.join(known)}")


def _load(config: Config) -> tuple[Profiles, tuple[Diagnostic, ...]]:
    own, problems = _load_own(config.profiles) if config.profiles else ({}, ())
    known = tuple(sorted({*profile_ids(), *own}))
    chosen = known if config.providers is None else config.providers
    return Profiles(own=own, known=known, chosen=chosen), problems


def _load_own(files: Sequence[Path]) -> tuple[Mapping[str, Profile], tuple[Diagnostic, ...]]:
    from ..providers import ProfileError, load_profiles

    try:
        return load_profiles(files), ()
    except ProfileError as error:
        hint = "correct the file, or `profiles` in [tool.toolcast]"
        problems = tuple(
            Diagnostic(
                file=show(Path(problem.file)),
                line=problem.line,
                code="bad-profile",
                message=problem.message,
                hint=problem.hint or hint,
            )
            for problem in error.problems
        )
    return {}, problems


def targets_of(config: Config, *, staged: bool = False) -> tuple[tuple[Target, ...], tuple[Diagnostic, ...]]:
    """Read the targets that the configuration names, with their problems. `staged`: see `load_target`."""
    if not config.targets:
        return (), ()
    from ..targets.target import TargetFolder, load_target

    file, content = "pyproject.toml", ""
    if config.file is not None:
        file, content = show(config.file), config.file.read_text(encoding="utf-8", errors="replace")
    reader = TableReader(Locator(file, content), ("tool", "toolcast", "targets"))
    found: list[Target] = []
    problems: list[Diagnostic] = []
    for each in config.targets:
        folder = target_folder(each.id) if each.folder is None else each.folder
        where = TargetFolder(
            id=each.id,
            folder=folder,
            shown=f"targets/{each.id}" if each.folder is None else show(folder),
            built_in=each.folder is None,
            stated=each.options,
            project=config.project,
        )
        target, wrong = load_target(where, reader.below(each.id), staged=staged)
        problems += wrong
        found += [] if target is None else [target]
        missing = () if target is None else sorted({*target.needs} - {other.id for other in config.targets})
        if missing:
            message, hint = f"the target {each.id!r} needs {missing[0]!r}", f"add {missing[0]!r} to `targets`"
            problems.append(reader.problem(each.id, "config-target", message, hint))
    return tuple(found), tuple(problems)


def find_types(
    config: Config, *, staged: bool = False
) -> tuple[tuple[TypeFolder, ...], tuple[Diagnostic, ...]]:
    """Find the folders of shared types outside the specs folder, with a problem for each that is missing.
    With `staged`, where a build engine put the inputs into place, a folder without inputs may be missing.
    """
    found: list[TypeFolder] = []
    problems: list[Diagnostic] = []
    for each in config.types:
        if each.folder:
            folder, reason, hint = each.folder, "does not exist", "correct the path, or create the folder"
        else:
            folder, reason, hint = _package_folder(each.prefix)
        if folder and (staged or Path(folder).is_dir()):
            found.append(replace(each, folder=folder))
        else:
            message = f"the folder of shared types {each.prefix!r}, seen from the specs folder, {reason}"
            if not each.folder:
                message = f"{each.prefix!r} in 'types' {reason}"
            problems.append(setting_problem(config, ("types",), "no-types", message, hint))
    return tuple(found), tuple(problems)


def _package_folder(name: str) -> tuple[str, str, str]:
    """Return the folder that a package entry names; or "", the reason why there is none, and a remedy."""
    match = PACKAGE_FOLDER.fullmatch(name)
    assert match is not None  # the configuration was read
    package, below = match[1], match[2]
    install = f"install the distribution that provides {package!r} beside toolcast"
    spec = _spec(package)
    if spec is None:
        return "", f"names the package {package!r}, which is not installed for {sys.executable}", install
    folders = list(spec.submodule_search_locations or ())
    if not folders:
        return "", f"names {package!r}, which is a module and no package", "name a package with files in it"
    if not spec.origin:
        reason = f"names {package!r}, which is a namespace of several distributions, not a package"
        return "", reason, "name a package that has an __init__.py"
    folder = Path(folders[0])
    if not folder.is_dir():
        return "", f"names {package!r}, which is inside of an archive", "install it as files"
    if below and not (folder / below.lstrip("/")).is_dir():
        return "", f"names a folder that the package {package!r} does not have", "correct the name"
    return f"{folder}{below}", "", ""


def _spec(package: str) -> ModuleSpec | None:
    try:
        return find_spec(package)
    except (ImportError, ValueError, AttributeError):  # of finders, or of a module without a specification
        return None
