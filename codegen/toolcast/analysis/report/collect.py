"""A report from a project: its specs compiled, checked and compared, and the places of its losses."""

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from ...config import Config, show
from ...diagnostics import Diagnostic
from ...jsonschema.pointers import join, resolve, split
from ...languages.python.structs.module import tool_module
from ...languages.python.structs.module_model import ClassDefinition, Module
from ...languages.typescript.modules import offered_contract
from ...output_layout import python_path
from ...project.core.compiler import tool_names
from ...project.core.tool_definitions import tool_info, wanted_strict
from ...project.generate import Report as BuildReport
from ...project.generate import build
from ...project.worker import FRONTEND
from ...providers import LedgerEntry, Profile, envelope_pointers, omits, pointer_to, profile_for
from ...providers.profiles.envelope import CARRIERS
from ...providers.walk_steps import written_at
from ...runtime.definitions import bare_definition, cut_definition
from ...runtime.hidden_parameters import without_parameters
from ...runtime.standalone_schema import standalone_at
from ...spec.deprecation import notice, shown_description, shown_summary
from ...spec.parsed_document import Path
from ...spec.read_file import SourceDocument
from ...spec.tool_spec import ToolSpec
from ...version import __version__
from ..diff.compare_tools import project_table
from ..diff.outcome import RANKS, DiffOutcome
from ..diff.places import contract_pointer
from ..lint.all_checks import Settings, lint_project, set_findings
from ..lint.finding import Finding
from ..lint.linted_tool import LintedTool, Project, is_selected, load_project
from ..lint.provider_checks import request_use, strict_tools, tools_for
from ..lint.tokens import ESTIMATED, definition, sent_text, tool_costs
from .report_model import (
    ArgumentCheck,
    Cell,
    ComparedChange,
    Loss,
    ProviderDetail,
    ProviderInfo,
    ProviderSet,
    Report,
    StateComparison,
    Strictness,
    ToolDetail,
    ToolRow,
)


def _comparison(outcome: DiffOutcome) -> StateComparison:
    both = [(each, False) for each in outcome.findings] + [(each, True) for each in outcome.suppressed]
    changes = (
        ComparedChange(
            level=each.level,
            audience=each.change.audience,
            rule=each.change.rule,
            tool=each.change.tool,
            message=each.change.message,
            hint=each.change.hint,
            file=each.change.file,
            line=each.change.line,
            old=each.change.old,
            providers=each.change.providers,
            witness=each.change.witness,
            undecided=each.change.undecided,
            suppressed=suppressed,
        )
        for each, suppressed in both
    )
    return StateComparison(
        old=outcome.old,
        new=outcome.new,
        compared=len(outcome.pairs),
        unchanged=outcome.unchanged,
        changes=tuple(sorted(changes, key=lambda each: (each.suppressed, RANKS[each.level], each.tool))),
        diagnostics=outcome.diagnostics,
    )


Value = TypeVar("Value")

_RESULTS: Mapping[str, str] = {
    **dict.fromkeys(CARRIERS["result"], ""),
    "$result_response": "/properties/output",
}
"""The name of the schema of results in an envelope → where that schema stands in it."""

_Lines = Mapping[str, int]
"""Lines of a generated module, by pointer into the contract."""


def _module_lines(text: str, module: Module) -> _Lines:
    definitions = {each.name: each for each in (*module.definitions, *module.late_definitions)}
    lines: dict[str, int] = {}
    for owner, name, line in _definition_lines(ast.parse(text).body):
        definition = definitions.get(owner)
        if definition is not None and not name:
            lines.setdefault(definition.pointer, line)
        elif isinstance(definition, ClassDefinition):
            pointer = next((each.pointer for each in definition.fields if each.name == name), "")
            if pointer:
                lines[pointer] = line
    return lines


def _definition_lines(body: Sequence[ast.stmt]) -> Iterator[tuple[str, str, int]]:
    """Yield classes and aliases with an empty second name, and fields with the class that owns them."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield node.name, "", node.lineno
            for each in node.body:
                if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
                    yield node.name, each.target.id, each.lineno
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id, "", node.lineno
        elif isinstance(node, ast.If):
            yield from _definition_lines(node.body)


def _sent_pointers(subject: LintedTool, profile: Profile) -> Mapping[str, str]:
    """Return pointers into `subject.parameters` → the first pointer into the schema that a provider gets."""
    found: dict[str, str] = {}
    for sent, written in written_at(
        subject.parameters, profile, strict=wanted_strict(subject.tool, profile)
    ).items():
        found.setdefault(written, sent)
    return found


class _LossPlaces:
    def __init__(self, subject: LintedTool, lines: _Lines) -> None:
        self._subject, self._lines = subject, lines
        self._info = tool_info(subject.tool, subject.normal)
        self._sent: dict[int, Mapping[str, str]] = {}  # by schema: providers of one dialect share it

    def loss(self, entry: LedgerEntry, profile: Profile, definition: object) -> Loss:
        pointer = contract_pointer(entry)
        file, line, column = self._written(entry, pointer)
        text = isinstance(definition, str)
        return Loss(
            severity=entry.severity,
            action=entry.action,
            keyword=entry.keyword,
            of=entry.of,
            sentence=entry.sentence,
            pointer=pointer,
            shown_at=None if text else _existing(definition, self._shown(entry, profile)),
            file=file,
            line=line,
            column=column,
            struct_line=None if entry.of == "spec" else _nearest(self._lines, pointer),
        )

    def _written(self, entry: LedgerEntry, pointer: str) -> tuple[str, int, int]:
        """Return file, line and column of the keyword, or of the nearest thing around it."""
        if entry.of == "spec":
            document, path = self._subject.tool.document, tuple[str | int, ...](split(pointer))
        else:
            document, path = self._subject.normal.locate(pointer)
            path = (*path, entry.keyword)
        while (found := _find_path(document.data, path)) is None:
            path = path[:-1]
        return (document.file, *document.locate(found, key=True))

    def _shown(self, entry: LedgerEntry, profile: Profile) -> str:
        """Return the pointer in the tool object; it may lead to nothing."""
        own = profile_for(self._info, profile)
        if entry.of == "spec":
            return ""
        if entry.of == "result":
            places = ((pointer_to(value, own), below) for value, below in _RESULTS.items())
            start = next((f"{at}{below}" for at, below in places if at is not None), None)
            return "" if start is None else f"{start}{entry.path}/{entry.keyword}"
        at = pointer_to("$parameters", own)
        if at is None:
            return ""
        emitted = self._subject.emitted[profile.id]
        if id(emitted) not in self._sent:
            self._sent[id(emitted)] = _sent_pointers(self._subject, profile)
        place = _nearest(self._sent[id(emitted)], entry.path)
        exact = self._sent[id(emitted)].get(entry.path)
        return f"{at}{place or ''}" + (join((entry.keyword,)) if exact is not None else "")


def _find_path(data: object, segments: Sequence[str | int]) -> Path | None:
    path: list[str | int] = []
    for segment in segments:
        if isinstance(data, Mapping) and segment in data:
            data = data[segment]
            path.append(segment)
        elif isinstance(data, list) and str(segment).isdecimal() and int(segment) < len(data):
            data = data[int(segment)]
            path.append(int(segment))
        else:
            return None
    return tuple(path)


def _nearest(by_pointer: Mapping[str, Value], pointer: str) -> Value | None:
    """Return the value at a pointer, or at the nearest one around it."""
    while pointer not in by_pointer and pointer:
        pointer = pointer.rpartition("/")[0]
    return by_pointer.get(pointer)


def _existing(value: object, pointer: str) -> str:
    """Return the pointer, or the nearest one around it that leads to something."""
    while pointer:
        try:
            resolve(value, pointer)
            return pointer
        except (LookupError, TypeError):
            pointer = pointer.rpartition("/")[0]
    return ""


Progress = Callable[[int, int], None]
_LOSING = ("lost", "changed", "reject")


def collect(
    config: Config,
    choice: Settings,
    *,
    compared: DiffOutcome | None = None,
    progress: Progress = lambda _done, _total: None,
) -> Report:
    """Compile, check and measure the tools of a project that `choice` names, without writing.

    Specs that do not compile are among the diagnostics. `compared` are differences to show; `progress`
    receives (done, total).
    """
    project = load_project(config, choice.providers, progress)
    made = build(config, FRONTEND, mode="diff", progress=progress)
    outcome = lint_project(config, project, choice)
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
        diff=None if compared is None else _comparison(compared),
        details=tuple(details),
    )


_Costs = Mapping[tuple[str, str], tuple[int, int]]
"""Tokens in full and in brief, by tool and provider."""


def _costs(subjects: Sequence[LintedTool], profiles: Sequence[Profile]) -> _Costs:
    costs = (each for profile in profiles for each in tool_costs(subjects, profile))
    return {(each.tool, each.provider): (each.full, each.brief) for each in costs}


def _together(linted: Sequence[Diagnostic], built: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return findings and diagnostics, one for each place."""
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
        path = self._paths.get(tool.path)
        return "" if path is None else f"{show(self._output)}/{path}"

    def text(self, tool: ToolSpec) -> str:
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
    subject: LintedTool,
    project: Project,
    modules: _Modules,
    findings: tuple[Finding, ...],
) -> ToolDetail:
    tool, document = subject.tool, subject.tool.document
    built = subject.built
    module, _ = tool_module(built, name=tool.name, module=tool_names(tool).module)
    _, options = offered_contract(tool, built, module.plain_unions)
    text = modules.text(tool)
    places = _LossPlaces(subject, _module_lines(text, module))
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
            without_grammar=tool.input is not None and tool.input.grammar is not None,
            injected=tuple(tool.inject),
            example=msgspec.json.encode(tool.examples[0]).decode() if tool.examples else "",
        ),
    )


def _offered_text(subject: LintedTool) -> str:
    """Return the schema of the arguments as the runtime quotes it to a model."""
    document = subject.normal.contract_file()
    if subject.tool.inject:
        document["parameters"] = without_parameters(document["parameters"], subject.tool.inject)
    return msgspec.json.encode(standalone_at(document, "/parameters")).decode()


def _provider_detail(subject: LintedTool, profile: Profile, places: _LossPlaces) -> ProviderDetail:
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


def _strict(subject: LintedTool, profile: Profile) -> bool | None:
    return True if profile.always_strict else subject.emitted[profile.id].normalized.strict


def _row(
    subject: LintedTool,
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
    subjects: Sequence[LintedTool], profiles: Sequence[Profile], rows: Sequence[ToolRow]
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
    name = project_table(config.file).get("name")
    return name if isinstance(name, str) else config.base.name
