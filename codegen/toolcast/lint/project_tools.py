"""A project's tools and providers as lint needs them, or the reasons why not."""

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path

from msgspec import Struct

from ..config import Config, show
from ..contract.build import check_schemas
from ..diagnostics import Diagnostic
from ..project.profiles import find_types, profiles_of
from ..providers import Profile, load_profile
from ..spec.load import load_library
from ..spec.parsed_document import Document
from ..spec.tool_spec import ToolSpec
from .linted_tool import Subject, numbered, subject

Progress = Callable[[int, int], None]


class Project(Struct, frozen=True, kw_only=True):
    """What compiles, sorted by name as a request holds it. `refused` has the diagnostics of everything that
    does not, `broken` the names that the files of those tools suggest."""

    shown_root: str
    subjects: tuple[Subject, ...]
    profiles: tuple[Profile, ...]
    configured: tuple[str, ...]  # ids of the project's providers, whichever this run is about
    refused: tuple[Diagnostic, ...]
    broken: frozenset[str] = frozenset()
    types: Mapping[str, Document] = {}  # the shared types, by path


def load_project(config: Config, providers: Sequence[str], progress: Progress) -> Project:
    """Read everything below the specs root, and normalise it for `providers` (none: those configured)."""
    found, problems = profiles_of(config, providers)
    known = found.known
    wanted = tuple(providers) or found.chosen
    problems = (*problems, *_unknown(wanted, known, config, from_option=bool(providers)))
    profiles = () if problems else _profiles(wanted, found.own)
    shown_root = show(config.specs)
    folders, not_found = find_types(config)
    library = load_library(
        config.specs, shown_root=shown_root, known_providers=frozenset(known), folders=folders
    )
    dialects = numbered(profiles)
    subjects: list[Subject] = []
    broken = {path.rpartition("/")[2].rpartition(".")[0] for path in library.refused}
    refused = [*problems, *not_found, *library.diagnostics]
    for path, document in library.refused.items():
        refused += check_schemas(document, path, library.types).diagnostics
    tools: Sequence[ToolSpec] = sorted(library.tools, key=lambda tool: tool.name)
    for index, tool in enumerate(tools):
        made, wrong = subject(tool, library.types, dialects)
        refused += [each for each in wrong if made is None or each.severity == "error"]
        if made is not None:
            subjects.append(made)
        else:
            broken.add(tool.name)
        progress(index + 1, len(tools))
    return Project(
        shown_root=shown_root,
        subjects=tuple(subjects),
        profiles=profiles,
        configured=found.chosen,
        refused=tuple(sorted({*refused})),
        broken=frozenset(broken),
        types=library.types,
    )


def _profiles(wanted: Sequence[str], own: Mapping[str, Profile]) -> tuple[Profile, ...]:
    return tuple(own.get(id) or load_profile(id) for id in dict.fromkeys(wanted))


def _unknown(
    wanted: Sequence[str], known: Sequence[str], config: Config, *, from_option: bool
) -> tuple[Diagnostic, ...]:
    file = "--provider" if from_option else "pyproject.toml" if config.file is None else show(config.file)
    found: list[Diagnostic] = []
    for id in wanted:
        if id not in known:
            near = get_close_matches(id, known, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"known providers: {', '.join(known)}"
            found.append(
                Diagnostic(file=file, code="unknown-provider", message=f"unknown provider {id!r}", hint=hint)
            )
    return tuple(found)


def is_selected(wanted: Sequence[str], tool: ToolSpec, shown_root: str) -> bool:
    """Whether one of the names or paths means this tool: as shown, or below the specs root."""
    stem = tool.path.rpartition(".")[0]
    names = {tool.name, tool.path, stem, f"{shown_root}/{tool.path}", f"{shown_root}/{stem}"}
    return any(each in names or show(Path(each).absolute()) == f"{shown_root}/{tool.path}" for each in wanted)


def unknown_tools(wanted: Sequence[str], tools: Mapping[str, ToolSpec], project: Project) -> list[Diagnostic]:
    """Names of no tool. One that does not compile is reported already."""
    found: list[Diagnostic] = []
    for each in wanted:
        if any(is_selected((each,), tool, project.shown_root) for tool in tools.values()):
            continue
        if any(problem.file in (each, show(Path(each).absolute())) for problem in project.refused):
            continue
        near = get_close_matches(each, sorted(tools), 1)
        shown = ", ".join(sorted(tools)[:20]) or "none"
        hint = f"did you mean {near[0]!r}?" if near else f"tools here: {shown}"
        message = f"there is no tool called {each!r}"
        found.append(Diagnostic(file=project.shown_root, code="unknown-tool", message=message, hint=hint))
    return found
