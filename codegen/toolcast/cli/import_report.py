"""What an import prints: what changed for each tool and field, problems, and what is undecided."""

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click
from msgspec import UNSET, Struct
from msgspec.structs import asdict

from ..console import DECIDE, Format, inert_json, one_line, print_diagnostics, write_line
from ..diagnostics import Diagnostic
from ..hidden_characters import escape_hidden

if TYPE_CHECKING:
    from ..importers.merge import FieldChange
    from ..importers.update import ToolChange

_SHOWN = 160
"""Characters of a name or a value that are shown."""
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


class Counts(Struct, frozen=True, kw_only=True):
    """What an import wrote and found, by name; `differing` are tools that are not as imported."""

    specs: int = 0
    types: int = 0
    deleted: int = 0
    conflicts: int = 0
    renamed: int = 0
    undecided: int = 0
    differing: int = 0
    errors: int = 0
    warnings: int = 0


class ImportOutcome(Struct, frozen=True, kw_only=True):
    """What an import found and did.

    Attributes:
        root: the folder that the paths of `changes` are below, as shown.
        check: whether nothing was to be written, and a difference is a failure.
        changes: what is new, changed or gone, by tool; empty for the first import of a source.
        problems: of any severity.
        counts: the summary of `--format json`.
        lines: the summary of `--format text`.
    """

    root: str = ""
    check: bool = False
    changes: Sequence["ToolChange"] = ()
    problems: Sequence[Diagnostic] = ()
    counts: Counts = Counts()
    lines: Sequence[str] = ()


def print_outcome(outcome: ImportOutcome, form: Format) -> None:
    """Print an outcome: as text (problems on stderr), as JSON, or as CI annotations, one per problem and one
    per tool that changed."""
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


def summary(counts: Counts, into: str) -> str:
    """What was done, in one line."""
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
    """How undecided lines are set: in the configured specs folder by a command of its own."""
    return f"undecided: {DECIDE if configured else 'the same import with --permission and --secrets'}"


def print_problems(problems: Iterable[Diagnostic]) -> None:
    """One line per problem, on stderr."""
    for problem in problems:
        click.echo(_line(problem), err=True)


def count(number: int, noun: str) -> str:
    """`1 spec`, `2 specs`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _print_json(outcome: ImportOutcome) -> None:
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


def _as_data(field: "FieldChange") -> dict[str, Any]:
    """A changed field; a side without a value has no key."""
    sides = {"here": field.here, "upstream": field.upstream}
    values = {side: value for side, value in sides.items() if value is not UNSET}
    return {"path": field.pointer, "kind": field.kind, **values}


def _annotation(change: "ToolChange", outcome: ImportOutcome) -> Diagnostic:
    """One annotation for all that changed of a tool; an error where it fails the check."""
    title = f"{_short(escape_hidden(change.name))} is {_STATES[change.kind]}"
    return Diagnostic(
        file=f"{outcome.root}/{change.path}" if change.path else outcome.root,
        severity="error" if outcome.check and change.kind != "deleted" else "note",
        code=f"import-{change.kind}",
        message="\n".join([title, *(_field(field, check=outcome.check) for field in change.fields)]),
        hint=_HINTS.get(change.kind, ""),
    )


def _print_changes(outcome: ImportOutcome) -> None:
    """One line per tool, and one per field that changed."""
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


def _value(value: Any) -> str:
    if value is UNSET:
        return "nothing"
    return _short(escape_hidden(json.dumps(value, ensure_ascii=False)))


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _line(problem: Diagnostic) -> str:
    """One line, whatever the problem quotes from its input."""
    location = problem.file
    if problem.line:
        location += f":{problem.line}" + (f":{problem.column}" if problem.column else "")
    hint = f"; {problem.hint}" if problem.hint else ""
    return one_line(
        f"{location}: {problem.severity}[{problem.code}]: {problem.message}{hint}".replace("\n", " ")
    )
