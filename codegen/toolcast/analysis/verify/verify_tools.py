"""Verifies the tools of a project, in this process or in several, and applies its settings.

The outcome is the same, in the same order, however many processes there are.
"""

import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool
from datetime import date
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ...command_settings import Level
from ...config import Config
from ...contract.build import check_schemas
from ...diagnostics import Diagnostic, Severity
from ...project.core.compiled import Options
from ...project.pool import process_pool, processors
from ...project.profiles import profiles_of, unknown_providers
from ...project.worker import FRONTEND, Context, load_types, project_context
from ...spec.load import load_spec
from ...spec.parsed_document import Document, diagnose
from ...spec.suppressions import VERIFY_CODES, in_force
from ...spec.tool_names import shown
from ...spec.tool_spec import ToolSpec
from ..lint.finding import unknown_levels
from ..lint.linted_tool import is_selected, names_spec, unknown_tools
from .tool_laws import Effort, check_laws
from .verified_tool import TITLES, ToolReport

_SECOND_OPINION: Final = "second-opinion"
_LEVELS: Final[Mapping[str, Level]] = {
    **dict.fromkeys(TITLES, "error"),
    "few-instances": "warning",
    "not-verified": "warning",
    _SECOND_OPINION: "note",
}
"""The severities that count without settings."""


def ended(tool: ToolSpec, today: date) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each suppression of a tool that has ended."""
    for code, each in tool.verify_ignore.items():
        if each.until is not None and each.until < today:
            message = f"the suppression of {code!r} ended on {each.until}: it suppresses nothing"
            hint = "correct what is found, or decide anew and change `until`"
            path = ("verify", "ignore", code, "until")
            yield diagnose(tool.document, path, "ended-ignore", message, hint, severity="warning")


def _judged(report: ToolReport, tool: ToolSpec, levels: Mapping[str, Level], today: date) -> ToolReport:
    """Return a report with the project's `levels`, without findings that are off or that the spec suppresses
    until `today`.
    """
    chosen: dict[str, Level] = {**_LEVELS, **levels}
    severities: dict[str, Severity] = {}
    for code, level in chosen.items():
        if level != "off":
            severities[code] = level
    ignored = in_force(tool.verify_ignore, today).keys() & severities.keys()
    hidden = ignored | (chosen.keys() - severities.keys())
    opinions = report.second_opinion
    codes = [each.law for each in report.counterexamples], [each.code for each in report.warnings]
    found = [*codes[0], *codes[1], *(_SECOND_OPINION for _ in opinions or ())]
    if opinions and _SECOND_OPINION in hidden:
        opinions = None  # none at all would say that the models agree
    return replace(
        report,
        counterexamples=tuple(
            replace(each, severity=severities[each.law])
            for each in report.counterexamples
            if each.law not in hidden
        ),
        warnings=tuple(
            replace(each, severity=severities.get(each.code, each.severity))
            for each in report.warnings
            if each.code not in hidden
        ),
        second_opinion=opinions
        and tuple(replace(each, severity=severities[_SECOND_OPINION]) for each in opinions),
        suppressed=sum(code in ignored for code in found),
    )


_FEW_TOOLS = 4
"""Up to this number of tools, starting processes does not pay."""

Progress = Callable[[int, int], None]


class VerifyRun(Struct, frozen=True, kw_only=True):
    """The date that ends suppressions, and the number of processes (None: one per processor)."""

    today: date
    jobs: int | None = None


class VerifyOutcome(Struct, frozen=True, kw_only=True):
    """The outcome of a run. `diagnostics` are warnings, and reasons why something could not be verified."""

    seed: int
    examples: int
    reports: tuple[ToolReport, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def failed(self) -> bool:
        """Return whether there is a counterexample, or something could not be verified."""
        found = [each.severity for each in self.diagnostics]
        for report in self.reports:
            found += [each.severity for each in report.counterexamples]
            found += [each.severity for each in report.second_opinion or ()]
        return "error" in found


def verify(
    config: Config, wanted: Sequence[str], settings: Effort, run: VerifyRun, progress: Progress
) -> VerifyOutcome:
    """Hold the tools of a project to the laws: those named by path or tool name in `wanted`, else all.
    `progress` receives (done, total).
    """
    context, paths, problems = _open(config)
    problems += unknown_levels(config, "verify", config.verify.levels, VERIFY_CODES)
    root = context.shown_root
    tools: dict[str, ToolSpec] = {}
    refused: dict[str, Document] = {}
    for path in paths:
        spec, found = _load(context, path)
        if isinstance(spec, ToolSpec):
            tools[path] = spec
        elif spec is not None:
            refused[path] = spec
        if not isinstance(spec, ToolSpec) or not wanted or is_selected(wanted, spec, root):
            problems += found
    types = load_types(context) if refused else {}
    for path, document in refused.items():
        problems += check_schemas(document, path, types).diagnostics
    if wanted:
        mentioned = {
            shown(root, path) for path in paths if any(names_spec(each, path, root) for each in wanted)
        }
        problems = [each for each in problems if each.severity == "warning" or each.file in mentioned]
        problems += unknown_tools(wanted, tools.values(), mentioned, root)
        tools = {path: spec for path, spec in tools.items() if is_selected(wanted, spec, root)}
    specs = list(tools.values())
    count = min(run.jobs or processors(), len(specs))
    if count < 2 or len(specs) <= _FEW_TOOLS:
        types = load_types(context)
        reports = []
        for spec in specs:
            reports.append(_hold(context, types, spec, settings))
            progress(len(reports), len(specs))
    else:
        reports = _in_processes(context, list(tools), settings, count, progress)
    kept = [
        _judged(report, spec, config.verify.levels, run.today)
        for spec, (report, _) in zip(specs, reports, strict=True)
    ]
    problems += [problem for report in kept for problem in report.warnings]
    problems += [problem for _, problem in reports if problem is not None]
    problems += [problem for spec in specs for problem in ended(spec, run.today)]
    return VerifyOutcome(
        seed=settings.seed,
        examples=settings.examples,
        reports=tuple(kept),
        diagnostics=tuple(sorted({*problems})),
    )


_Held = tuple[ToolReport, Diagnostic | None]


def _open(config: Config) -> tuple[Context, tuple[str, ...], list[Diagnostic]]:
    profiles, problems = profiles_of(config)
    wrong = unknown_providers(config, profiles.chosen, profiles.known)
    context, found = project_context(config, profiles, FRONTEND)
    # The built-in templates: no code that a template of the project adds is run, and every definition and
    # binding that one prints was checked to be as these print it.
    providers = tuple(name for name in profiles.chosen if name in profiles.known)
    context = replace(context, options=Options(providers=providers, profiles=profiles.own))
    return context, found.tools, [*problems, *wrong, *found.diagnostics]


def _hold(context: Context, types: Mapping[str, Document], spec: ToolSpec, settings: Effort) -> _Held:
    """Hold one tool. Never raises: a bug here must not hide the reports of other tools."""
    try:
        return check_laws(spec, types, context.options, settings), None
    except Exception as error:  # reported with its location; the run fails
        frames = traceback.extract_tb(error.__traceback__)
        place = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
        return _failed(spec, f"verification failed: {type(error).__name__}: {error}{place}")


def _failed(spec: ToolSpec, message: str) -> _Held:
    line, column = spec.document.locate(("parameters",))
    hint = "this is a fault of toolcast, not of the spec; please report it with the spec"
    file = spec.document.file
    problem = Diagnostic(
        file=file, line=line, column=column, code="internal-error", message=message, hint=hint
    )
    return ToolReport(tool=spec.name, file=file, line=line, column=column), problem


_context: tuple[Context, Mapping[str, Document], Effort] | None = None  # one per worker, set when it starts


def _start(context: Context, settings: Effort) -> None:
    global _context  # a process pool's initializer can pass a value only so
    _context = (context, load_types(context), settings)


def _load(context: Context, path: str) -> tuple[ToolSpec | Document | None, tuple[Diagnostic, ...]]:
    known = context.known_providers
    return load_spec(Path(context.root), path, shown_root=context.shown_root, known_providers=known)


def _reload(context: Context, path: str) -> ToolSpec:
    spec, _ = _load(context, path)
    assert isinstance(spec, ToolSpec)  # it was read a moment ago
    return spec


def _work(path: str) -> _Held:
    assert _context is not None
    context, types, settings = _context
    return _hold(context, types, _reload(context, path), settings)


def _in_processes(
    context: Context, paths: Sequence[str], settings: Effort, count: int, progress: Progress
) -> list[_Held]:
    held: dict[str, _Held] = {}
    with process_pool(count, _start, context, settings) as submit:
        futures = {}
        try:
            for path in paths:
                futures[submit(_work, path)] = path
            for future in as_completed(futures):
                held[futures[future]] = future.result()
                progress(len(held), len(paths))
        except BrokenProcessPool:
            pass  # what is missing is tried again below, each in a process of its own
    for path in paths:
        if path not in held:
            held[path] = _alone(context, path, settings)
            progress(len(held), len(paths))
    return [held[path] for path in paths]


def _alone(context: Context, path: str, settings: Effort) -> _Held:
    with process_pool(1, _start, context, settings) as submit:
        try:
            held: _Held = submit(_work, path).result()
            return held
        except BrokenProcessPool:
            return _failed(_reload(context, path), "the process that verified this tool died")
