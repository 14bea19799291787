"""A report from a project: its specs compiled, checked and compared."""

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

import msgspec
from msgspec import Struct

from ..config import Config, show
from ..diagnostics import Diagnostic
from ..diff.compare_states import Outcome as DiffOutcome
from ..lint.all_checks import Settings, lint_project, set_findings
from ..lint.finding import Finding
from ..lint.linted_tool import Subject
from ..lint.project_tools import Project, is_selected, load_project
from ..lint.request_use import request_use, strict_tools, tools_for
from ..lint.tokens import ESTIMATED, definition, estimate, sent_text, tool_costs
from ..output_layout import python_path
from ..project.core.compiler import tool_names
from ..project.core.tool_definitions import tool_info
from ..project.frontend import FRONTEND
from ..project.generate import Report as BuildReport
from ..project.generate import build
from ..providers import Profile, envelope_pointers, omits, pointer_to, profile_for
from ..python.structs.module import tool_module
from ..runtime.definitions import bare_definition, cut_definition
from ..runtime.hidden_parameters import without_parameters
from ..runtime.standalone_schema import standalone_at
from ..spec.deprecation import notice, shown_description, shown_summary
from ..spec.read_file import SourceDocument
from ..spec.tool_spec import ToolSpec
from ..typescript.modules import offered_contract
from ..version import __version__
from .comparison import comparison
from .places_of_losses import LossPlaces, module_lines
from .report_model import (
    ArgumentCheck,
    Cell,
    ProviderDetail,
    ProviderInfo,
    ProviderSet,
    Report,
    Strictness,
    ToolDetail,
    ToolRow,
)

Progress = Callable[[int, int], None]
_LOSING = ("lost", "changed", "reject")


class Choice(Struct, frozen=True, kw_only=True):
    """What a report is about. Empty tuples mean all; `tools` are names or paths of specs. `today` ends
    suppressions, as in `lint`."""

    today: date
    tools: tuple[str, ...] = ()
    providers: tuple[str, ...] = ()


def collect(
    config: Config,
    choice: Choice,
    *,
    compared: DiffOutcome | None = None,
    progress: Progress = lambda _done, _total: None,
) -> Report:
    """Compile, check and measure the tools of a project. Writes nothing.

    Args:
        config: the configuration.
        choice: what the report is about.
        compared: the differences to another state, if they are to be shown.
        progress: receives how many of how many steps are done.

    Returns:
        The report. What does not compile is among its diagnostics.
    """
    project = load_project(config, choice.providers, progress)
    made = build(config, FRONTEND, mode="diff", progress=progress)
    settings = Settings(today=choice.today, tools=choice.tools, providers=choice.providers)
    outcome = lint_project(config, project, settings)
    subjects = project.subjects
    if choice.tools:
        subjects = tuple(
            each for each in subjects if is_selected(choice.tools, each.tool, project.shown_root)
        )
    costs = _costs(subjects, project.profiles)
    modules = _Modules(config, made)
    details: list[ToolDetail] = []
    for number, subject in enumerate(subjects):
        own = tuple(each for each in outcome.findings if each.tool == subject.tool.name)
        details.append(_detail(subject, project, modules, own))
        progress(number + 1, len(subjects))
    rows = [
        _row(subject, project.profiles, detail, costs)
        for subject, detail in zip(subjects, details, strict=True)
    ]
    return Report(
        title=_title(config),
        version=__version__,
        note=ESTIMATED,
        providers=tuple(map(_provider, project.profiles)),
        tools=tuple(rows),
        sets=tuple(_sets(subjects, project.profiles, rows)),
        findings=set_findings(config, project, subjects),
        diagnostics=_together(outcome.refused, made.diagnostics),
        diff=None if compared is None else comparison(compared),
        details=tuple(details),
    )


_Costs = Mapping[tuple[str, str], tuple[int, int]]
"""Tokens in full and in brief, by tool and provider."""


def _costs(subjects: Sequence[Subject], profiles: Sequence[Profile]) -> _Costs:
    """Costs by the estimate, which is equal on every machine."""
    costs = (each for profile in profiles for each in tool_costs(subjects, profile, estimate))
    return {(each.tool, each.provider): (each.full, each.brief) for each in costs}


def _together(linted: Sequence[Diagnostic], built: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """What both say of a place in other words stands once."""
    known = {(each.file, each.line, each.column, each.code) for each in linted}
    more = {each for each in built if (each.file, each.line, each.column, each.code) not in known}
    return tuple(sorted({*linted, *more}))


class _Modules:
    """The generated modules as a build would leave them: from its plan, or as they are."""

    def __init__(self, config: Config, made: BuildReport) -> None:
        self._output = config.output
        self._written = {each.path: each.content for each in made.plan.writes}
        self._paths = {each.path: python_path(each.module.split(".")) for each in made.entries}

    def file(self, tool: ToolSpec) -> str:
        """The module of a tool as a person types it."""
        path = self._paths.get(tool.path)
        return "" if path is None else f"{show(self._output)}/{path}"

    def text(self, tool: ToolSpec) -> str:
        """Its text; empty where the build refused the tool."""
        path = self._paths.get(tool.path)
        if path is None:
            return ""
        content = self._written.get(path)
        if content is None:
            try:
                content = (self._output / path).read_bytes()
            except OSError:  # an obstacle stands there, of which a diagnostic tells
                return ""
        return content.decode("utf-8", "replace")


def _detail(
    subject: Subject,
    project: Project,
    modules: _Modules,
    findings: tuple[Finding, ...],
) -> ToolDetail:
    tool, document = subject.tool, subject.tool.document
    built = subject.built
    module, _ = tool_module(built, name=tool.name, module=tool_names(tool).module)
    _, options = offered_contract(tool, built, module.plain_unions)
    text = modules.text(tool)
    places = LossPlaces(subject, module_lines(text, module))
    providers = [
        _provider_detail(subject, profile, places)
        for profile in project.profiles
        if profile.id in subject.emitted
    ]
    return ToolDetail(
        name=tool.name,
        spec_file=document.file,
        spec_text=document.text if isinstance(document, SourceDocument) else "",
        struct_file=modules.file(tool),
        struct_text=text,
        description=shown_description(tool),
        contract=subject.normal.contract_file(),
        providers=tuple(providers),
        findings=findings,
        check=ArgumentCheck(
            name=tool.name,
            schema=_offered_text(subject),
            options=options,
            without_grammar=tool.input is not None and bool(tool.input.grammar) and "grammar" not in options,
            injected=tuple(tool.inject),
            example=msgspec.json.encode(tool.examples[0]).decode() if tool.examples else "",
        ),
    )


def _offered_text(subject: Subject) -> str:
    """The schema of the arguments as the runtime quotes it to a model."""
    document = subject.normal.contract_file()
    if subject.tool.inject:
        document["parameters"] = without_parameters(document["parameters"], subject.tool.inject)
    return msgspec.json.encode(standalone_at(document, "/parameters")).decode()


def _provider_detail(subject: Subject, profile: Profile, places: LossPlaces) -> ProviderDetail:
    tool, whole = subject.tool, definition(subject, profile)
    own = profile_for(tool_info(tool, subject.normal), profile)
    pointers, summary = envelope_pointers(own), shown_summary(tool)
    views: list[Any] = [
        whole,
        cut_definition(whole, tool.name, summary, pointers),
        bare_definition(whole, tool.name, summary, pointers),
    ]
    if profile.declaration is not None:
        views = [sent_text(view, profile) for view in views]
    emitted = subject.emitted[profile.id].normalized
    no_schema = profile.declaration is not None or omits(profile, emitted)
    return ProviderDetail(
        id=profile.id,
        strict=_strict(subject, profile),
        definition=views[0],
        brief=views[1],
        summary=views[2],
        schema_pointer=None if no_schema else pointer_to("$parameters", own),
        losses=tuple(places.loss(entry, profile, views[0]) for entry in subject.ledger(profile)),
    )


def _strict(subject: Subject, profile: Profile) -> bool | None:
    return True if profile.always_strict else subject.emitted[profile.id].normalized.strict


def _row(
    subject: Subject,
    profiles: Sequence[Profile],
    detail: ToolDetail,
    costs: _Costs,
) -> ToolRow:
    tool, found = subject.tool, detail.findings
    by_id = {each.id: each for each in detail.providers}
    cells: list[Cell] = []
    for profile in profiles:
        provider = by_id.get(profile.id)
        full, brief = costs.get((tool.name, profile.id), (None, None))
        losses = () if provider is None else provider.losses
        lost = sum(each.severity in _LOSING for each in losses)
        cells.append(
            Cell(
                strict=None if provider is None else provider.strict,
                tokens=full,
                brief=brief,
                lost=lost,
                kept=len(losses) - lost,
                findings=sum(profile.id in each.providers for each in found),
            )
        )
    return ToolRow(
        name=tool.name,
        group=tool.group,
        path=tool.path,
        file=tool.document.file,
        summary=shown_summary(tool),
        permission=tool.permission,
        secrets=tool.secrets,
        deprecated=None if tool.deprecated is None else notice(tool.deprecated),
        tags=tuple(_tags(tool)),
        errors=sum(each.severity == "error" for each in found),
        warnings=sum(each.severity == "warning" for each in found),
        notes=sum(each.severity == "note" for each in found),
        codes=tuple(sorted({each.code for each in found})),
        parameters=tuple(subject.normal.offered(tool.inject).get("properties", ())),
        cells=tuple(cells),
    )


def _tags(tool: ToolSpec) -> Iterator[str]:
    facts = {
        "deferred": tool.defer,
        "external": tool.external,
        "http": tool.http is not None,
        "text input": tool.input is not None,
        "typed result": tool.result is not None,
        "injected": tool.inject,
        "examples": tool.examples,
        "runs alone": not tool.parallel,
        "imported": tool.source is not None,
    }
    return (name for name, fact in facts.items() if fact)


def _provider(profile: Profile) -> ProviderInfo:
    optional: Strictness = "optional" if profile.strict is not None else "none"
    return ProviderInfo(
        id=profile.id,
        title=profile.title or profile.id,
        strict="always" if profile.always_strict else optional,
        language=profile.declaration,
        dated=profile.dated,
    )


def _sets(
    subjects: Sequence[Subject], profiles: Sequence[Profile], rows: Sequence[ToolRow]
) -> Iterator[ProviderSet]:
    for number, profile in enumerate(profiles):
        tools, cells = tools_for(subjects, profile), [row.cells[number] for row in rows]
        marks = len(tools) + 1 if tools else 0  # the brackets and commas of the array that a request holds
        yield ProviderSet(
            id=profile.id,
            tools=len(tools),
            strict_tools=len(strict_tools(tools, profile)),
            tokens=sum(cell.tokens or 0 for cell in cells) + marks,
            brief=sum(cell.brief or 0 for cell in cells) + marks,
            lost=sum(cell.lost for cell in cells),
            limits=request_use(subjects, profile),
        )


def _title(config: Config) -> str:
    """The project's name as `pyproject.toml` states it, else that of its folder."""
    if config.file is not None:
        try:
            project = tomllib.loads(config.file.read_text(encoding="utf-8")).get("project")
        except (OSError, ValueError):  # who reads the configuration reports it
            project = None
        if isinstance(project, dict) and isinstance(project.get("name"), str):
            return str(project["name"])
    return config.base.name
