"""Which profiles a project has: built-in ones, its own files, and installed ones that it names."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from ..config import Config, show
from ..diagnostics import Diagnostic

Known = Callable[[tuple[str, ...]], tuple[tuple[str, ...], tuple[Diagnostic, ...]]]


class Profiles(Struct, frozen=True, kw_only=True):
    """`files` are all that are not built in, `known` the ids of all, sorted."""

    files: tuple[str, ...]
    known: tuple[str, ...]


def profiles_of(
    config: Config, known_providers: Known, wanted: Sequence[str] = ()
) -> tuple[Profiles, tuple[Diagnostic, ...]]:
    """The profiles of a project, and what is wrong with them. `wanted`: further ids to look for.

    Installed packages are searched, which takes milliseconds, only for an id that is found nowhere else: so
    none of them replaces a built-in profile or a file of the project.
    """
    files = tuple(str(path) for path in config.profiles)
    known, problems = known_providers(files)
    missing = [id for id in dict.fromkeys((*(config.providers or ()), *wanted)) if id not in known]
    if problems or not missing:
        return Profiles(files=files, known=known), problems
    found, problems = _installed(missing, "pyproject.toml" if config.file is None else show(config.file))
    if found:
        files = (*files, *found)
        known, more = known_providers(files)
        problems = (*problems, *more)
    return Profiles(files=files, known=known), problems


def unknown_providers(
    config: Config, providers: Sequence[str], known: Sequence[str]
) -> tuple[Diagnostic, ...]:
    """A diagnostic for each of `providers` that is not among `known`."""
    file = "pyproject.toml" if config.file is None else show(config.file)
    return tuple(
        Diagnostic(
            file=file,
            code="unknown-provider",
            message=f"unknown provider {name!r}",
            hint=suggest_provider(name, known),
        )
        for name in providers
        if name not in known
    )


def suggest_provider(name: str, known: Sequence[str]) -> str:
    """A hint for an unknown provider: the nearest known name, or all of them."""
    from difflib import get_close_matches

    near = get_close_matches(name, known, 1)
    return f"did you mean {near[0]!r}?" if near else f"known providers: {', '.join(known)}"


def _installed(ids: Sequence[str], shown: str) -> tuple[tuple[str, ...], tuple[Diagnostic, ...]]:
    from ..providers import ProfileError
    from ..providers.installed_profiles import installed_file

    files: list[str] = []
    problems: list[Diagnostic] = []
    for id in ids:
        try:
            found = installed_file(id)
        except ProfileError as error:
            hint = "correct `providers` in [tool.toolcast], or what is installed"
            problems.append(Diagnostic(file=shown, code="bad-profile", message=str(error), hint=hint))
            continue
        if found is not None:
            files.append(str(found))
    return tuple(files), tuple(problems)
