"""Which profiles a project has: built-in ones, its own files, and installed ones that it names; and which of
them are sent examples."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ..config import Config, setting_problem, show
from ..diagnostics import Diagnostic
from ..providers import Profile, ProfileError, available, load_profile, load_profiles


class Profiles(Struct, frozen=True, kw_only=True):
    """`files` are all that are not built in, and `own` what they hold, by id, with built-in ones that the
    configuration changes. `known` has the ids of all, sorted, `chosen` those that the configuration names."""

    files: tuple[str, ...]
    own: Mapping[str, Profile]
    known: tuple[str, ...]
    chosen: tuple[str, ...]


def profiles_of(config: Config, wanted: Sequence[str] = ()) -> tuple[Profiles, tuple[Diagnostic, ...]]:
    """The profiles of a project, and what is wrong with them. `wanted`: further ids to search for.

    Installed packages are searched, which takes milliseconds, only for an id that is found nowhere else: so
    none of them replaces a built-in profile or a file of the project.
    """
    profiles, problems = _load(config, tuple(str(path) for path in config.profiles))
    named = dict.fromkeys((*(config.providers or ()), *config.examples, *wanted))
    missing = [id for id in named if id not in profiles.known]
    if missing and not problems:
        found, problems = _installed(missing, _shown_file(config))
        if found:
            profiles, more = _load(config, (*profiles.files, *found))
            problems = (*problems, *more)
    if problems:
        return profiles, problems
    return _with_examples(config, profiles)


def _with_examples(config: Config, profiles: Profiles) -> tuple[Profiles, tuple[Diagnostic, ...]]:
    """The profiles, of which those that `examples` names are sent the examples of specs."""
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
    config: Config, providers: Sequence[str], known: Sequence[str]
) -> tuple[Diagnostic, ...]:
    """A diagnostic for each of `providers` that is not among `known`."""
    return tuple(
        Diagnostic(
            file=_shown_file(config),
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


def _shown_file(config: Config) -> str:
    return "pyproject.toml" if config.file is None else show(config.file)


def _load(config: Config, files: tuple[str, ...]) -> tuple[Profiles, tuple[Diagnostic, ...]]:
    own: Mapping[str, Profile] = {}
    problems: tuple[Diagnostic, ...] = ()
    try:
        own = load_profiles(files)
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
    known = tuple(sorted({*available(), *own}))
    chosen = known if config.providers is None else config.providers
    return Profiles(files=files, own=own, known=known, chosen=chosen), problems


def _installed(ids: Sequence[str], shown: str) -> tuple[tuple[str, ...], tuple[Diagnostic, ...]]:
    """The profile files of installed packages for `ids`, and what is wrong with them."""
    from ..providers.profiles.load_profiles import installed_file

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
