"""`toolcast stubs`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..config import Config, show
from ..console import write_line
from ..python.structs.python_names import unique
from .generated_package import package_name
from .init import create
from .options import config_option, configuration, examples, print_diagnostics, refuse
from .steps import disk_problem

if TYPE_CHECKING:
    from ..python.bindings.templates import Templates


@click.command("stubs", epilog=examples("toolcast stubs", "toolcast stubs --config app/pyproject.toml"))
@config_option
def command(config_file: Path | None) -> int:
    """Write a handler file for every tool that has none.

    A file is written once, and never touched again: it is yours.
    """
    config = configuration(config_file)

    from ..project.frontend import FRONTEND
    from ..project.generate import build
    from ..python.bindings.templates import TemplateFailedError

    # `check` compiles everything: what an earlier run remembers would name the files to write.
    report = build(config, FRONTEND, mode="check")
    print_diagnostics(report.diagnostics)
    package = package_name(config)
    # Every string that the template prints is a name checked by the compiler; nothing here is HTML.
    templates = _templates(config)
    written = 0
    for entry in report.entries:
        path = config.stubs.joinpath(*entry.module.split(".")).with_suffix(".py")
        if path.exists() or path.is_symlink():
            continue
        try:
            function = function_name(entry.keyword)
            text = templates.render("stub.py.jinja", entry=entry, package=package, function=function)
            create(path, text)
        except TemplateFailedError as error:
            raise _failed(config, error) from None
        except OSError as error:
            raise disk_problem("text", error, path) from None
        written += 1
        write_line(f"created   {show(path)}")
    kept = len(report.entries) - written
    write_line(f"toolcast: {written} handler{'s'[: written != 1]} written, {kept} kept as they are")
    return int(report.failed)


def function_name(keyword: str) -> str:
    """What a handler is called: as the tool is in `register_all`, unless its file imports that name."""
    return unique(keyword, {"ToolContext", "ToolResult"})


def _templates(config: Config) -> "Templates":
    from ..python.bindings.templates import TemplateFailedError, Templates

    try:
        return Templates(() if config.templates is None else str(config.templates))
    except TemplateFailedError as error:
        raise _failed(config, error) from None


def _failed(config: Config, error: Exception) -> click.exceptions.Exit:
    shown = show(config.templates or config.base)
    return refuse(shown, "template-failed", str(error), "correct the template, or remove it")
