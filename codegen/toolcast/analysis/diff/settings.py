"""A project's settings for comparisons: its providers, the levels of rules, its version."""

import tomllib
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path

from ...config import Config, setting_problem
from ...diagnostics import Diagnostic
from ...project.profiles import profiles_of, suggest_provider, unknown_providers
from ...providers import Profile, load_profile
from .change import AUDIENCES, Level
from .rules import RULES


def diff_profiles(
    config: Config, providers: Sequence[str]
) -> tuple[tuple[Profile, ...], frozenset[str], tuple[Diagnostic, ...]]:
    """Return the providers to compare (`providers`, else those configured), all known ids, and problems."""
    found, problems = profiles_of(config)
    asked = tuple(
        Diagnostic(
            file="--provider",
            code="unknown-provider",
            message=f"unknown provider {name!r}",
            hint=suggest_provider(name, found.known),
        )
        for name in providers
        if name not in found.known
    )
    wanted = tuple(providers) or found.chosen
    wrong = (*problems, *asked, *(() if providers else unknown_providers(config, wanted, found.known)))
    if wrong:
        return (), frozenset(found.known), wrong
    profiles = tuple(found.own.get(id) or load_profile(id) for id in dict.fromkeys(wanted))
    return profiles, frozenset(found.known), ()


def setting_problems(config: Config) -> Iterator[Diagnostic]:
    """Report names in `[tool.toolcast.diff.levels]` that are neither a rule nor an audience."""
    for name in config.diff.levels:
        if name not in RULES and name not in AUDIENCES:
            near = get_close_matches(name, (*AUDIENCES, *RULES), 1)
            hint = f"did you mean {near[0]!r}?" if near else "see `toolcast diff --list`"
            message = f"{name!r} is neither a rule nor an audience of diff"
            path = ("diff", "levels", name)
            yield setting_problem(config, path, "unknown-rule", message, hint)


def level_of(rule: str, config: Config) -> Level:
    """Return the level of a rule in a project: its own, else that of its audience, else the default."""
    levels = config.diff.levels
    known = RULES[rule]
    return levels.get(rule) or levels.get(known.audience) or known.level


def stated_version(pyproject: Path | None) -> str | None:
    """Read `version` of `[project]`; None where it is not stated there, as where a build backend finds it."""
    if pyproject is None:
        return None
    try:
        project = tomllib.loads(pyproject.read_text(encoding="utf-8")).get("project")
    except (OSError, ValueError):  # who reads the configuration reports it
        return None
    version = project.get("version") if isinstance(project, dict) else None
    return version if isinstance(version, str) else None
