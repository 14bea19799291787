"""What `compile` and `assemble` share."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..config import Config, show
from ..console import Format
from ..diagnostics import Diagnostic
from .options import print_diagnostics

if TYPE_CHECKING:
    from ..project.steps.inputs import Setting


def expanded(arguments: Sequence[str]) -> list[str]:
    """Arguments with each `@FILE` replaced by the lines of FILE."""
    found: list[str] = []
    for argument in arguments:
        if not argument.startswith("@"):
            found.append(argument)
            continue
        try:
            text = Path(argument[1:]).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise click.UsageError(f"{argument[1:]} cannot be read: {error}") from None
        found += [line for line in text.splitlines() if line]
    return found


def setting_of(config: Config, form: Format) -> "Setting":
    """The configuration; ends the command if it cannot be read."""
    from ..project.steps.inputs import read_setting

    setting, problems = read_setting(config)
    if setting is None:
        print_diagnostics(problems, form)
        raise click.exceptions.Exit(1)
    return setting


def stop(form: Format, file: Path | str, code: str, message: str, hint: str) -> click.exceptions.Exit:
    """Tell one problem; raise the answer to end the command."""
    shown = show(file) if isinstance(file, Path) else file
    print_diagnostics((Diagnostic(file=shown, code=code, message=message, hint=hint),), form)
    return click.exceptions.Exit(1)


def disk_problem(form: Format, error: OSError, location: Path) -> click.exceptions.Exit:
    """Print what the disk refused; raise the result to end the command. `location` is used where the error
    names no file."""
    from ..project.output.faults import reason, remedy

    message = f"cannot read or write: {reason(error)}"
    return stop(form, Path(str(error.filename or location)), "io-error", message, remedy(error))
