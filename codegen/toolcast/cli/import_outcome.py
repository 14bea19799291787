"""Write what an import finds (new specs, changes of those that are there, the lock file), and print it."""

import json
import os
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click
from msgspec import UNSET, Struct
from msgspec.structs import asdict, replace

from ..analysis.lint.tool_list import drafted
from ..config import load_config, show
from ..console import DECIDE, Format, count, inert_json, one_line, print_diagnostics, write_line
from ..diagnostics import Diagnostic, has_errors
from ..hidden_characters import escape_hidden
from ..importers.import_tools import specs_of
from ..importers.imported_specs import NAME, LockError, find_imported, load_lock, write_text
from ..importers.spec_text import Choices
from ..importers.suspicious_text import suspicious
from ..importers.update import Settling, Source, plan_update
from ..jsonschema.json_values import JsonObject
from ..project.profiles import profiles_of
from ..providers import load_profile
from ..spec.discovery import TYPES
from ..spec.tool_names import group_problem
from .schema import modeline
from .terminal import Bar

if TYPE_CHECKING:
    from ..importers.declared_tools import Declarations
    from ..importers.import_tools import Imported
    from ..importers.merge import FieldChange
    from ..importers.update import ToolChange, Update


_SHOWN = 160
"""Characters of a name or a value that are shown."""
_PROVIDERS = 6
"""Providers whose costs are shown."""
_HINTS = {
    "gone": "the source has it no more; --prune deletes the spec",
    "deleted": "deleted here; --restore writes it again",
}
_STATES = {
    "new": "new in the source",
    "changed": "not as it was imported",
    "gone": "gone from the source",
    "deleted": "in the source, and deleted here",
}


class ImportOptions(Struct, frozen=True, kw_only=True):
    """The options of any import.

    Specs go to the `group` below `into`. `check` writes nothing, and a difference is a failure.
    """

    into: Path
    group: str = ""
    choices: Choices = Choices()
    settling: Settling = Settling()
    check: bool = False
    form: Format = "text"


class _Counts(Struct, frozen=True, kw_only=True):
    """The counts of an import; `differing` are tools that are not as imported."""

    specs: int = 0
    types: int = 0
    deleted: int = 0
    conflicts: int = 0
    renamed: int = 0
    undecided: int = 0
    differing: int = 0
    errors: int = 0
    warnings: int = 0


class _ImportOutcome(Struct, frozen=True, kw_only=True):
    """The outcome of an import; `changes` are below `root`, and empty for the first import of a source."""

    root: str = ""
    check: bool = False
    changes: Sequence["ToolChange"] = ()
    problems: Sequence[Diagnostic] = ()
    counts: _Counts = _Counts()
    lines: Sequence[str] = ()


def _print_outcome(outcome: _ImportOutcome, form: Format) -> None:
    """Print an outcome as text (problems on stderr), as JSON, or as annotations."""
    if form == "json":
        _print_json(outcome)
    elif form == "github":
        changes = [_annotation(change, outcome) for change in outcome.changes]
        print_diagnostics([*outcome.problems, *changes], form)
    else:
        _print_changes(outcome)
        print_problems(outcome.problems)
        for line in outcome.lines:
            write_line(line)


def summary(counts: _Counts, into: str) -> str:
    """Say in one line what was done."""
    more = [count(counts.types, "shared type")] if counts.types else []
    more += [f"{counts.deleted} deleted"] if counts.deleted else []
    more += [count(counts.conflicts, "conflict")] if counts.conflicts else []
    return (
        f"{count(counts.specs, 'spec')} written to {into}, "
        + "".join(f"{each}, " for each in more)
        + f"{counts.renamed} renamed, {counts.undecided} with TODO lines, {count(counts.errors, 'problem')}"
        + (f", {count(counts.warnings, 'warning')}" if counts.warnings else "")
    )


def advice(*, configured: bool) -> str:
    """Say how undecided lines are set: in the configured specs folder by a command."""
    return f"undecided: {DECIDE if configured else 'the same import with --permission and --secrets'}"


def print_problems(problems: Iterable[Diagnostic]) -> None:
    """Print a line for each problem on stderr."""
    for problem in problems:
        click.echo(_line(problem), err=True)


def _print_json(outcome: _ImportOutcome) -> None:
    changes = [
        {
            "kind": change.kind,
            "name": change.name,
            **({"file": f"{outcome.root}/{change.path}"} if change.path else {}),
            "fields": [_as_data(field) for field in change.fields],
        }
        for change in outcome.changes
    ]
    answer = {
        "changes": changes,
        "diagnostics": [asdict(problem) for problem in outcome.problems],
        "summary": asdict(outcome.counts),
    }
    click.echo(inert_json(json.dumps(answer, indent=2, ensure_ascii=False)))


def _as_data(field: "FieldChange") -> JsonObject:
    """Return a changed field; a side without a value has no key."""
    sides = {"here": field.here, "upstream": field.upstream}
    values = {side: value for side, value in sides.items() if value is not UNSET}
    return {"path": field.pointer, "kind": field.kind, **values}


def _annotation(change: "ToolChange", outcome: _ImportOutcome) -> Diagnostic:
    """Return one annotation for all that changed of a tool."""
    title = f"{_short(escape_hidden(change.name))} is {_STATES[change.kind]}"
    return Diagnostic(
        file=f"{outcome.root}/{change.path}" if change.path else outcome.root,
        severity="error" if outcome.check and change.kind != "deleted" else "note",
        code=f"import-{change.kind}",
        message="\n".join([title, *(_field(field, check=outcome.check) for field in change.fields)]),
        hint=_HINTS.get(change.kind, ""),
    )


def _print_changes(outcome: _ImportOutcome) -> None:
    for change in outcome.changes:
        place = f" ({outcome.root}/{change.path})" if change.path else ""
        hint = f": {_HINTS[change.kind]}" if change.kind in _HINTS else ""
        write_line(f"{change.kind:8} {_short(escape_hidden(change.name))}{place}{hint}")
        for field in change.fields:
            write_line(f"  {_field(field, check=outcome.check)}")


def _field(field: "FieldChange", *, check: bool) -> str:
    name = _short(escape_hidden(field.pointer))
    here, upstream = _value(field.here), _value(field.upstream)
    if field.kind == "applied":
        return f"{'differs' if check else 'applied'}   {name}: {here} → {upstream}"
    if field.kind == "noted":
        advice = "see whether the permission is still right"
        return f"{'differs' if check else 'noted'}   {name}: {here} → {upstream}; {advice}"
    hint = "" if check else "; kept as it is here, --take local or upstream settles it"
    return f"conflict  {name}: here {here}, upstream {upstream}{hint}"


def _value(value: object) -> str:
    if value is UNSET:
        return "nothing"
    return _short(escape_hidden(json.dumps(value, ensure_ascii=False)))


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _line(problem: Diagnostic) -> str:
    """Return one line, whatever the problem quotes."""
    location = problem.file
    if problem.line:
        location += f":{problem.line}" + (f":{problem.column}" if problem.column else "")
    hint = f"; {problem.hint}" if problem.hint else ""
    return one_line(
        f"{location}: {problem.severity}[{problem.code}]: {problem.message}{hint}".replace("\n", " ")
    )


_TODO = re.compile(r"^\"?(?:permission|secrets)\"?: *\[?\"?TODO", re.MULTILINE)


def write_specs(
    declarations: "Declarations", options: ImportOptions, note: str = "", *, costs: bool = False
) -> None:
    """Write the specs of what a source declares, or merge them with those of an earlier import.

    Prints what was done, `note`, and with `costs` the tokens of all tools by provider. Exits with 1 after an
    error, and with `--check` after a difference.
    """

    root, below = _specs_root(options.into)
    if problem := group_problem(below.rstrip("/")):
        raise click.UsageError(f"Invalid value for '--into': {problem}.")
    with Bar("importing") as bar:
        imported = specs_of(
            declarations,
            options.choices,
            group=f"{below}{options.group}".rstrip("/"),
            share=True,
            progress=bar,
        )
    if not imported.drafts and has_errors(imported.diagnostics):
        _finish(_ImportOutcome(problems=imported.diagnostics), _Counts(), options, configured=False)
    shown_root = _shown(root)
    try:
        lock = load_lock(root / NAME)
    except LockError as problem:
        _stop(
            options,
            Diagnostic(
                file=f"{shown_root}/{NAME}",
                code="import-lock",
                message=str(problem),
                hint="restore it from version control",
            ),
        )
    here = find_imported(root, shown_root)
    if here.diagnostics:
        message = "nothing is imported until these specs can be read"
        _stop(options, *here.diagnostics, Diagnostic(file=shown_root, code="import-specs", message=message))
    update = plan_update(
        (*imported.types, *imported.drafts),
        Source(declarations.kind, declarations.label, _present(declarations, imported)),
        here,
        lock,
        options.settling,
    )
    findings: list[Diagnostic] = []
    for draft in imported.drafts:
        tool = lock.tools.get((declarations.kind, declarations.label, draft.original))
        base = UNSET if tool is None else tool.fields
        findings += suspicious(draft, base, f"{shown_root}/{draft.path}")
    for type_ in imported.types:
        locked = lock.types.get(type_.path)
        base = UNSET if locked is None else locked.fields
        findings += suspicious(type_, base, f"{shown_root}/{type_.path}")
    problems = [*imported.diagnostics, *update.diagnostics, *findings]
    if options.check:
        errors = [problem for problem in problems if problem.severity == "error" or problem in findings]
        _finish_check(update, errors, shown_root, options)
        return
    problems += _write(update, root, shown_root, root / NAME)
    texts = {spec.path: spec.text for spec in here.specs.values()} | dict(update.writes)
    mine = {
        each.path for key, each in here.specs.items() if key[:2] == (declarations.kind, declarations.label)
    }
    shared = sum(path.startswith(f"{TYPES}/") for path in update.writes)
    counts = _Counts(
        specs=len(update.writes) - shared,
        types=shared,
        deleted=len(update.deletes),
        conflicts=sum(field.kind == "conflict" for change in update.changes for field in change.fields),
        renamed=len(imported.renamed),
        undecided=sum(
            bool(_TODO.search(texts[path])) for path in {*mine, *update.writes} - {*update.deletes}
        ),
    )
    is_first = not any(lock.of_source(declarations.kind, declarations.label))
    lines = ([note] if note else []) + (_costs(imported) if costs and imported.drafts else [])
    outcome = _ImportOutcome(
        root=shown_root, changes=() if is_first else update.changes, problems=problems, lines=lines
    )
    _finish(outcome, counts, options, configured=_is_configured(root))


def _finish(outcome: _ImportOutcome, counts: _Counts, options: ImportOptions, *, configured: bool) -> None:
    errors = sum(problem.severity == "error" for problem in outcome.problems)
    counts = replace(counts, errors=errors, warnings=len(outcome.problems) - errors)
    lines = [summary(counts, options.into.as_posix()), *outcome.lines]
    lines += [advice(configured=configured)] if counts.undecided else []
    config, _ = load_config(Path.cwd())
    if counts.specs and not configured and config is not None and config.file is not None:
        lines.append(f"note: toolcast generate reads {show(config.specs)}, and not {options.into.as_posix()}")
    _print_outcome(replace(outcome, counts=counts, lines=lines), options.form)
    if errors or counts.conflicts:
        raise SystemExit(1)


def _costs(imported: "Imported") -> list[str]:
    """Say what the definitions cost in a request, the dearest provider first."""
    config, _ = load_config(Path.cwd())
    found, problems = profiles_of(config) if config is not None else (None, ())
    if found is None or problems:
        return []  # `generate` says what is wrong with the configuration
    chosen = [found.own.get(id) or load_profile(id) for id in found.chosen if id in found.known]
    with Bar("counting") as bar:
        tokens = drafted(imported, chosen, bar)
    sums = [f"{each.full:,} for {each.provider}" for each in tokens.totals if each.full > 1]
    more = [f"{len(sums) - _PROVIDERS} cheaper"] if len(sums) > _PROVIDERS else []
    return [f"tokens, {tokens.note}: {', '.join(sums[:_PROVIDERS] + more)}"] if sums else []


def _present(declarations: "Declarations", imported: "Imported") -> Collection[str] | None:
    if declarations.present is not None:
        return declarations.present
    if has_errors(imported.diagnostics):
        return None
    return [tool.name for tool in declarations.tools]


def _specs_root(into: Path) -> tuple[Path, str]:
    """Return the configured specs folder where `into` lies in it, else `into`; and the path from there to
    `into`.
    """
    config, _ = load_config(Path.cwd())
    target = Path(os.path.abspath(into))  # noqa: PTH100 - links stay as they are written
    if config is not None and target.is_relative_to(config.specs):
        below = target.relative_to(config.specs).as_posix()
        return config.specs, "" if below == "." else f"{below}/"
    return into, ""


def _is_configured(root: Path) -> bool:
    config, _ = load_config(Path.cwd())
    return config is not None and root.absolute() == config.specs


def _shown(root: Path) -> str:
    try:
        return root.absolute().relative_to(Path.cwd()).as_posix()
    except ValueError:
        return root.as_posix()


def _write(update: "Update", root: Path, shown_root: str, lock: Path) -> list[Diagnostic]:
    """Write specs, then the lock file: killed in between, the next run finds the specs as they should be."""

    problems: list[Diagnostic] = []
    for name, text in update.writes.items():
        path = root / name
        is_new_spec = not path.exists() and not name.startswith(f"{TYPES}/")
        head = modeline(path) if is_new_spec else ""
        problems += _tried(f"{shown_root}/{name}", partial(write_text, path, head + text))
    for name in update.deletes:
        problems += _tried(f"{shown_root}/{name}", (root / name).unlink)
    if problems:
        return problems
    text = update.lock.text()
    if not update.lock.tools and not lock.exists():
        return []
    if lock.exists() and lock.read_bytes() == text.encode():
        return []
    return _tried(f"{shown_root}/{lock.name}", partial(write_text, lock, text))


def _tried(place: str, action: Callable[[], None]) -> list[Diagnostic]:
    try:
        action()
    except OSError as error:
        message = f"cannot be written: {error.strerror or error}"
        return [Diagnostic(file=place, code="import-unwritten", message=message)]
    return []


def _finish_check(
    update: "Update", problems: Sequence[Diagnostic], shown_root: str, options: ImportOptions
) -> None:
    differing = sum(change.kind != "deleted" for change in update.changes)
    line = f"{count(differing, 'tool')} not as imported, {count(len(problems), 'problem')}"
    errors = sum(problem.severity == "error" for problem in problems)
    outcome = _ImportOutcome(
        root=shown_root,
        check=True,
        changes=update.changes,
        problems=problems,
        counts=_Counts(differing=differing, errors=errors, warnings=len(problems) - errors),
        lines=[line if differing or problems else "the source is as it was imported"],
    )
    _print_outcome(outcome, options.form)
    if differing or problems:
        raise SystemExit(1)


def _stop(options: ImportOptions, *problems: Diagnostic) -> NoReturn:
    _print_outcome(_ImportOutcome(problems=problems, counts=_Counts(errors=len(problems))), options.form)
    raise SystemExit(1)


def write_imported(imported: "Imported", options: ImportOptions) -> None:
    """Write specs of a source without a label, as samples are. Exits with 1 after an error."""

    written = 0
    problems = list(imported.diagnostics)
    for name, text in imported.specs.items():
        path = options.into / name
        if path.exists() and not options.settling.force:
            message, hint = "is there already", "--force overwrites it"
            problems.append(
                Diagnostic(file=path.as_posix(), code="import-exists", message=message, hint=hint)
            )
            continue
        head = "" if path.exists() else modeline(path)
        failed = _tried(path.as_posix(), partial(write_text, path, head + text))
        problems += failed
        written += not failed
    undecided = sum(bool(_TODO.search(text)) for text in imported.specs.values())
    counts = _Counts(specs=written, renamed=len(imported.renamed), undecided=undecided)
    configured = _is_configured(_specs_root(options.into)[0])
    _finish(_ImportOutcome(problems=problems), counts, options, configured=configured)
