"""Ask the sources of a lock for their tools; compare these with it, accept changes, or write it anew."""

import click
from msgspec.structs import replace

from ..analysis.diff.lock import (
    Lock,
    LockedTool,
    Source,
    SourceNow,
    accept,
    ask,
    compare_source,
    kind_of_source,
    locked_state,
    next_version,
    read_lock,
    stated_secret,
)
from ..analysis.diff.outcome import DiffOutcome, version_change
from ..analysis.diff.states import UnreadableStateError
from ..config import Config, show
from ..console import count, one_line, write_line
from ..diagnostics import Diagnostic, has_errors
from ..importers.declared_tools import Declarations, ShapeError
from ..mcp import McpMissingError
from ..replace_file import replace_file
from .diff_text import plain_format, print_outcome
from .options import LockOptions, configuration, disk_problem, print_diagnostics, refuse

_UNUSABLE = 2  # exit status


def run_lock(options: LockOptions) -> int:
    """Run the command; return its exit status."""
    config = configuration(None, plain_format(options.form))
    shown_file = show(options.file)
    try:
        lock = read_lock(options.file, shown_file)
    except UnreadableStateError as error:
        print_diagnostics((error.problem,), plain_format(options.form))
        return _UNUSABLE
    sources = _sources(options, lock)
    answers = [_ask(name, source, options) for name, source in sources]
    if options.accepted:
        return _accept(options, config, lock, answers)
    if options.check:
        outcome = _compared(config, lock, answers, shown_file)
        print_outcome(outcome, options.form, fingerprints=True)
        return int(bool(outcome.findings) or has_errors(outcome.diagnostics))
    return _write(options, config, lock, answers)


def _sources(options: LockOptions, lock: Lock) -> list[tuple[str, Source]]:
    """Return the sources to ask, by name; "" where a source names itself."""
    if not options.source:
        if not lock.sources:
            message = "no source is locked"
            hint = "name one: toolcast lock -- COMMAND…, or an address, a file or MODULE:NAME"
            raise refuse(options.file, "no-lock", message, hint, form=plain_format(options.form))
        return sorted(lock.sources.items())
    words = options.source
    kind = options.kind or kind_of_source(words)
    source = Source(kind=kind, words=words, env=options.env, headers=options.headers)
    secret = stated_secret(source)
    if secret is not None:
        raise click.UsageError(
            f"The value of {secret} would be written to the lock: name a variable instead, as in "
            f"--env {secret} or --header '{secret}: $VARIABLE'."
        )
    known = next((name for name, each in lock.sources.items() if each.words == words), "")
    return [(options.name or known, source)]


def _ask(name: str, source: Source, options: LockOptions) -> SourceNow:
    write_line(f"toolcast: asking {one_line(' '.join(source.words))}", err=True)
    form = plain_format(options.form)
    try:
        declared = ask(source, name, options.timeout)
    except McpMissingError as problem:
        raise refuse("toolcast", "mcp-missing", str(problem), form=form) from None
    except (KeyError, ValueError) as problem:
        message = f"a variable that the source needs cannot be filled in: {problem}"
        raise refuse(name or source.words[0], "no-variable", message, "set it", form=form) from None
    if not declared.tools and has_errors(declared.diagnostics):
        print_diagnostics(declared.diagnostics, form)
        raise click.exceptions.Exit(_UNUSABLE)
    return _answer(name or declared.label or source.words[0], source, declared)


def _answer(name: str, source: Source, declared: Declarations) -> SourceNow:
    tools: dict[str, LockedTool] = {}
    problems = [*declared.diagnostics]
    for each in declared.tools:
        try:
            tools[each.name] = LockedTool.of(each, name)
        except ShapeError as error:
            message = f"tool {each.name!r} {error}"
            problems.append(Diagnostic(file=each.file, line=each.line, code="import-shape", message=message))
    present = {*(declared.present or ()), *(each.name for each in declared.tools)}
    return SourceNow(name, source, tuple(tools.values()), tuple(problems), frozenset(present - tools.keys()))


def _compared(config: Config, lock: Lock, answers: list[SourceNow], shown_file: str) -> DiffOutcome:
    """Compare sources with the lock; the outcome is about all of them."""
    outcomes = [compare_source(config, lock, each, shown_file) for each in answers]
    return DiffOutcome(
        old=shown_file,
        new=", ".join(each.name for each in answers),
        pairs=tuple(pair for each in outcomes for pair in each.pairs),
        unchanged=sum(each.unchanged for each in outcomes),
        findings=tuple(finding for each in outcomes for finding in each.findings),
        suppressed=tuple(finding for each in outcomes for finding in each.suppressed),
        diagnostics=tuple(problem for each in outcomes for problem in each.diagnostics),
    )


def _accept(options: LockOptions, config: Config, lock: Lock, answers: list[SourceNow]) -> int:
    left = {*options.accepted}
    for answer in answers:
        outcome = compare_source(config, lock, answer, show(options.file))
        found = [each for each in outcome.findings if each.change.fingerprint in left]
        left -= {each.change.fingerprint for each in (*found, *outcome.suppressed)}
        lock = accept(lock, answer.name, found, options.reason)
        for each in found:
            change = each.change
            write_line(f"accepted {change.fingerprint}  {change.tool}: {one_line(change.message)}")
    if left:
        message = f"no change has the fingerprint {', '.join(sorted(left))}"
        hint = "`toolcast lock --check` shows the fingerprint of each"
        raise refuse(options.file, "unknown-fingerprint", message, hint, form=plain_format(options.form))
    _save(options, lock)
    return 0


def _write(options: LockOptions, config: Config, lock: Lock, answers: list[SourceNow]) -> int:
    """Keep what the sources are now, each with its next version."""
    failed = False
    for each in answers:
        version, words = _version(config, lock, each, show(options.file))
        state = locked_state(each.tools, each.name, each.problems)
        print_diagnostics(state.diagnostics, plain_format(options.form))
        failed = failed or has_errors(state.diagnostics)
        lock = lock.with_source(each.name, replace(each.source, version=version), each.tools)
        tools = count(len(each.tools), "tool")
        write_line(f"locked   {one_line(each.name)} {version}: {tools}{words}")
    _save(options, lock)
    return int(failed)


def _version(config: Config, lock: Lock, answer: SourceNow, shown_file: str) -> tuple[str, str]:
    before = lock.sources.get(answer.name)
    if before is None:
        return answer.source.version, ""
    outcome = compare_source(config, lock, answer, shown_file)
    changes = [each.change for each in (*outcome.findings, *outcome.suppressed)]
    change = version_change(changes)
    words = "" if change == "none" else f", {change}: {count(len(outcome.pairs), 'tool')} changed"
    return next_version(before.version, change), words


def _save(options: LockOptions, lock: Lock) -> None:
    try:
        options.file.parent.mkdir(parents=True, exist_ok=True)
        replace_file(options.file, lock.written())
    except OSError as error:
        raise disk_problem(error, options.file, plain_format(options.form)) from None
