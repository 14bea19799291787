"""What `compile` and `assemble`, the steps of a build, share: lists of files, and the configuration."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..config import Config
from ..console import Format
from .options import print_diagnostics

if TYPE_CHECKING:
    from ..project.steps.shard import Setting


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
    from ..project.steps.shard import read_setting

    setting, problems = read_setting(config)
    if setting is None:
        print_diagnostics(problems, form)
        raise click.exceptions.Exit(1)
    return setting
