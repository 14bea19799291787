"""What an import writes: new specs, changes of those that are there, and the lock file."""

import os
import re
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from msgspec import UNSET
from msgspec.structs import replace

from ..config import load_config
from ..diagnostics import Diagnostic
from ..spec.discovery import TYPES
from .editor_files import modeline
from .import_options import ImportOptions
from .import_report import Counts, ImportOutcome, advice, count, print_outcome, summary

if TYPE_CHECKING:
    from ..importers.declared_tools import Declarations
    from ..importers.import_tools import Imported
    from ..importers.update import Update

_TODO = re.compile(r"^\"?(?:permission|secrets)\"?: *\[?\"?TODO", re.MULTILINE)


def write_specs(declarations: "Declarations", options: ImportOptions) -> None:
    """Write the specs of what a source declares, or merge them with those of an earlier import; print what
    was done. Exits with 1 after an error, and with `--check` after a difference.

    Args:
        declarations: what the reader of a kind of source found.
        options: the common options.
    """
    from ..importers.import_tools import specs_of
    from ..importers.imported_specs import find_imported
    from ..importers.lock import NAME, LockError, load_lock
    from ..importers.suspicious_text import suspicious
    from ..importers.update import plan_update
    from .progress import Bar

    root, below = specs_root(options.into)
    with Bar("importing") as bar:
        imported = specs_of(
            declarations,
            options.choices,
            group=f"{below}{options.group}".rstrip("/"),
            share="all" if options.share else "definitions",
            progress=bar,
        )
    if not imported.drafts and any(each.severity == "error" for each in imported.diagnostics):
        write_nothing(imported.diagnostics, options)
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
        (declarations.kind, declarations.label),
        here,
        lock,
        options.settling,
        present=_present(declarations, imported),
        shown_root=shown_root,
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
    counts = Counts(
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
    outcome = ImportOutcome(root=shown_root, changes=() if is_first else update.changes, problems=problems)
    _finish(outcome, counts, options, configured=_is_configured(root))


def _finish(outcome: ImportOutcome, counts: Counts, options: ImportOptions, *, configured: bool) -> None:
    """Print what was done. Exits with 1 after an error or a conflict."""
    errors = sum(problem.severity == "error" for problem in outcome.problems)
    counts = replace(counts, errors=errors, warnings=len(outcome.problems) - errors)
    lines = [summary(counts, options.into.as_posix())]
    lines += [advice(configured=configured)] if counts.undecided else []
    print_outcome(replace(outcome, counts=counts, lines=lines), options.form)
    if errors or counts.conflicts:
        raise SystemExit(1)


def write_nothing(problems: Sequence[Diagnostic], options: ImportOptions) -> None:
    """Print why nothing is imported. Exits with 1 after an error.

    Args:
        problems: the problems; may be warnings, or none.
        options: the common options.
    """
    _finish(ImportOutcome(problems=problems), Counts(), options, configured=False)


def _present(declarations: "Declarations", imported: "Imported") -> Collection[str] | None:
    """Names of all tools that the source has; None where they are not known."""
    if declarations.present is not None:
        return declarations.present
    if any(problem.severity == "error" for problem in imported.diagnostics):
        return None
    return [tool.name for tool in declarations.tools]


def specs_root(into: Path) -> tuple[Path, str]:
    """The specs folder that an import belongs to, and the way from there to `into`: the configured one where
    `into` lies in it, `into` itself elsewhere. The lock file lies at this root."""
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
    """A root as a person would write it from here."""
    try:
        return root.absolute().relative_to(Path.cwd()).as_posix()
    except ValueError:
        return root.as_posix()


def _write(update: "Update", root: Path, shown_root: str, lock: Path) -> list[Diagnostic]:
    """Write specs, then the lock file: killed in between, the next run finds the specs as they should be."""
    from ..importers.lock import write_text

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
    """Say whether the source is as it was imported; exit 1 if it is not."""
    differing = sum(change.kind != "deleted" for change in update.changes)
    line = f"{count(differing, 'tool')} not as imported, {count(len(problems), 'problem')}"
    errors = sum(problem.severity == "error" for problem in problems)
    outcome = ImportOutcome(
        root=shown_root,
        check=True,
        changes=update.changes,
        problems=problems,
        counts=Counts(differing=differing, errors=errors, warnings=len(problems) - errors),
        lines=[line if differing or problems else "the source is as it was imported"],
    )
    print_outcome(outcome, options.form)
    if differing or problems:
        raise SystemExit(1)


def _stop(options: ImportOptions, *problems: Diagnostic) -> NoReturn:
    print_outcome(ImportOutcome(problems=problems, counts=Counts(errors=len(problems))), options.form)
    raise SystemExit(1)


def write_imported(imported: "Imported", options: ImportOptions) -> None:
    """Write specs of a source that has no label, and is not found again: samples. Print one line per problem
    and a summary; exit 1 if there was an error.

    Args:
        imported: the texts of specs.
        options: the common options.
    """
    from ..importers.lock import write_text

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
    counts = Counts(specs=written, renamed=len(imported.renamed), undecided=undecided)
    configured = _is_configured(specs_root(options.into)[0])
    _finish(ImportOutcome(problems=problems), counts, options, configured=configured)
