"""All examinations, in the order in which one fault explains the next."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from ..config import load_config
from .examination import Finding


def examine(start: Path, file: Path | None = None) -> list[Finding]:
    """All findings about the installation, and about the project that a run in `start` would build.

    Writes nothing but one small entry in a shared cache. No fault of one examination ends the others.
    """
    from .installation import examine_installation

    found = list(_guarded("installation", examine_installation))
    config, problems = load_config(start, file)
    for problem in problems:
        location = f"{problem.file}:{problem.line}: " if problem.line else f"{problem.file}: "
        found.append(Finding("configuration", "broken", location + problem.message, problem.hint))
    if config is None:
        return found
    try:
        from ..project.frontend import FRONTEND
        from .git import examine_git
        from .project_setup import examine_project
        from .shared_cache import examine_cache
    except ImportError as error:
        fix = "run: pip install 'toolcast[build]'"
        return [*found, Finding("project", "broken", f"cannot be examined: {error}", fix)]
    found += _guarded("project", lambda: examine_project(config, FRONTEND))
    found += _guarded("git", lambda: examine_git(config))
    found += _guarded("shared cache", lambda: examine_cache(config))
    return found


def _guarded(topic: str, examination: Callable[[], Iterable[Finding]]) -> Iterator[Finding]:
    try:
        yield from examination()
    except OSError as error:
        location = f" {error.filename}" if error.filename else ""
        text = f"cannot be examined:{location} {error.strerror or error}"
        yield Finding(topic, "broken", text, "correct that, then run `toolcast doctor` again")
