"""Files that commands write, and what the disk refuses."""

from pathlib import Path

import click

from ..console import Format
from .options import refuse


def create(path: Path, text: str) -> None:
    """Write a new file; raises FileExistsError rather than touch one that is there, or a link."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("x", encoding="utf-8", newline="") as file:
        file.write(text)


def disk_problem(error: OSError, location: Path, form: Format = "text") -> click.exceptions.Exit:
    """Print what the disk refused; raise the result to end the command. `location` is used where the error
    names no file."""
    from ..project.output.faults import reason, remedy

    message = f"cannot read or write: {reason(error)}"
    return refuse(Path(str(error.filename or location)), "io-error", message, remedy(error), form=form)
