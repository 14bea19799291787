"""What an import writes, and what it prints."""

import re
from typing import TYPE_CHECKING

import click

from ..console import one_line, write_line
from ..diagnostics import Diagnostic
from .import_options import ImportOptions

if TYPE_CHECKING:
    from ..importers.declarations import Declarations
    from ..importers.import_tools import Imported

_TODO = re.compile(r"^(?:permission|secrets): TODO", re.MULTILINE)


def write_specs(declarations: "Declarations", options: ImportOptions) -> None:
    """Write the specs of what a source declares, and print what was done. Exits with 1 after an error.

    Args:
        declarations: what the reader of a kind of source found.
        options: the common options.
    """
    from ..importers.import_tools import specs_of

    write_imported(specs_of(declarations, options.choices, group=options.group), options)


def write_imported(imported: "Imported", options: ImportOptions) -> None:
    """Write what may be written, print one line per problem and a summary; exit 1 if there was an error.

    Args:
        imported: the texts of specs.
        options: the common options.
    """
    written = 0
    problems = list(imported.diagnostics)
    for name, text in imported.specs.items():
        path = options.into / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("w" if options.force else "x", encoding="utf-8", newline="\n") as file:
                file.write(text)
        except FileExistsError:
            message, hint = "is there already", "--force overwrites it"
            problems.append(
                Diagnostic(file=path.as_posix(), code="import-exists", message=message, hint=hint)
            )
        except OSError as error:
            message = f"cannot be written: {error.strerror or error}"
            problems.append(Diagnostic(file=path.as_posix(), code="import-unwritten", message=message))
        else:
            written += 1
    for problem in problems:
        click.echo(_line(problem), err=True)
    errors = [problem for problem in problems if problem.severity == "error"]
    warned = len(problems) - len(errors)
    undecided = sum(bool(_TODO.search(text)) for text in imported.specs.values())
    write_line(
        f"{_count(written, 'spec')} written to {options.into.as_posix()}, {len(imported.renamed)} renamed, "
        f"{undecided} with TODO lines, {_count(len(errors), 'problem')}"
        + (f", {_count(warned, 'warning')}" if warned else "")
    )
    if errors:
        raise SystemExit(1)


def _line(problem: Diagnostic) -> str:
    """One line, whatever the problem quotes from its input."""
    location = problem.file
    if problem.line:
        location += f":{problem.line}" + (f":{problem.column}" if problem.column else "")
    hint = f"; {problem.hint}" if problem.hint else ""
    return one_line(
        f"{location}: {problem.severity}[{problem.code}]: {problem.message}{hint}".replace("\n", " ")
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
