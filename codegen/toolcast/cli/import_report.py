"""What an import prints: problems, what changed for each tool and field, and what is undecided."""

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click
from msgspec import UNSET

from ..console import DECIDE, one_line, write_line
from ..diagnostics import Diagnostic
from ..runtime.hidden_characters import escape_hidden

if TYPE_CHECKING:
    from ..importers.merge import FieldChange
    from ..importers.update import ToolChange

_SHOWN = 160
"""Characters of a name or a value that are shown."""


def print_problems(problems: Iterable[Diagnostic]) -> None:
    """One line per problem, on stderr."""
    for problem in problems:
        click.echo(_line(problem), err=True)


def print_changes(changes: Sequence["ToolChange"], shown_root: str, *, check: bool) -> None:
    """One line per tool, and one per field that changed."""
    hints = {
        "gone": ": the source has it no more; --prune deletes the spec",
        "deleted": ": deleted here; --restore writes it again",
    }
    for change in changes:
        place = f" ({shown_root}/{change.path})" if change.path else ""
        write_line(f"{change.kind:8} {_short(escape_hidden(change.name))}{place}{hints.get(change.kind, '')}")
        for field in change.fields:
            write_line(f"  {_field(field, check=check)}")


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


def print_summary(
    written: int, into: str, renamed: int, undecided: int, problems: Sequence[Diagnostic], more: Sequence[str]
) -> None:
    """What was done, in one line."""
    errors = sum(problem.severity == "error" for problem in problems)
    warned = len(problems) - errors
    write_line(
        f"{count(written, 'spec')} written to {into}, "
        + "".join(f"{each}, " for each in more)
        + f"{renamed} renamed, {undecided} with TODO lines, {count(errors, 'problem')}"
        + (f", {count(warned, 'warning')}" if warned else "")
    )


def print_advice(*, configured: bool) -> None:
    """How undecided lines are set: in the configured specs folder by a command of its own."""
    write_line(f"undecided: {DECIDE if configured else 'the same import with --permission and --secrets'}")


def _line(problem: Diagnostic) -> str:
    """One line, whatever the problem quotes from its input."""
    location = problem.file
    if problem.line:
        location += f":{problem.line}" + (f":{problem.column}" if problem.column else "")
    hint = f"; {problem.hint}" if problem.hint else ""
    return one_line(
        f"{location}: {problem.severity}[{problem.code}]: {problem.message}{hint}".replace("\n", " ")
    )


def count(number: int, noun: str) -> str:
    """`1 spec`, `2 specs`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
