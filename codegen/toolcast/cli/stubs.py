"""`toolcast stubs`."""

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..config import Config, show
from ..console import write_line
from .generated_package import module_of
from .options import config_option, configuration, create, disk_problem, examples, print_diagnostics, refuse

if TYPE_CHECKING:
    from ..project.core.compiled import ToolEntry
    from ..project.generate import Report
    from ..python.bindings.templates import Templates


@click.command("stubs", epilog=examples("toolcast stubs", "toolcast stubs --config app/pyproject.toml"))
@config_option
def command(config_file: Path | None) -> int:
    """Write a handler file for every tool that has none, and once the program that registers them.

    A spec that was imported from a Python function gets a handler that calls it. A file is written once, and
    never touched again: it is yours. Told are the lines that the program lacks for a later tool, and handlers
    that have no tool any more. External tools have no handler. The exit status is 1 if a spec has an error.
    """
    config = configuration(config_file)

    from ..project.generate import build
    from ..project.worker import FRONTEND
    from ..python.bindings.templates import TemplateFailedError
    from .progress import Bar

    # `check` compiles everything: what an earlier run remembers would name the files to write.
    with Bar() as bar:
        report = build(config, FRONTEND, mode="check", progress=bar)
    print_diagnostics(report.diagnostics)
    templates = _templates(config)
    handled = [entry for entry in report.entries if not entry.external]
    try:
        written = _write_handlers(config, templates, handled)
        wired = _write_app(config, templates, report, written)
    except TemplateFailedError as error:
        raise _failed(config, error) from None
    forwarded = _tell_forwarded(config, handled)
    kept = len(handled) - len(written) - forwarded
    _tell_orphans(config, report)
    count = f"{len(written)} handler{'s'[: len(written) != 1]}"
    write_line(f"toolcast: {count} written, {kept} kept as they are{wired}")
    return int(report.failed)


def _write_handlers(
    config: Config, templates: "Templates", entries: Sequence["ToolEntry"]
) -> list["ToolEntry"]:
    """Write the handlers that are missing; their tools. Raises TemplateFailedError."""
    from .handler_files import (
        handler_path,
        handler_text,
        imported_function,
        is_forwarded,
        leads_out,
        package_markers,
    )

    written: list[ToolEntry] = []
    for entry in entries:
        path = handler_path(config, entry)
        if path.exists() or path.is_symlink() or is_forwarded(entry):
            continue
        if leads_out(config, path):
            message = "a link leads from here out of the folder of the configuration"
            raise refuse(show(path), "config-outside", message, "remove the link")
        text = handler_text(templates, config, entry)
        try:
            for marker in package_markers(config, path):
                create(marker, "")
            create(path, text)
        except OSError as error:
            raise disk_problem(error, path) from None
        written.append(entry)
        adapted = imported_function(entry)
        calls = "" if adapted is None else f", which calls {adapted[0]}:{adapted[1]}{adapted[2]}"
        write_line(f"created   {show(path)}{calls}")
    return written


def _write_app(
    config: Config, templates: "Templates", report: "Report", written: Sequence["ToolEntry"]
) -> str:
    """Write the program that registers the handlers, or tell what it lacks; how to run one that is new.
    Raises TemplateFailedError."""
    from .handler_files import (
        app_path,
        app_target,
        app_text,
        handlers_package,
        hidden_app,
        is_open,
    )
    from .registry_target import APP

    path = app_path(config)
    if path.exists() or path.is_symlink():
        _tell_wiring(config, path, report, written)
        return ""
    if not written:
        return ""
    if hidden_app(config):
        write_line(f"note: {show(path)} is not written: Python would import the folder {APP}/ in its place")
        return ""
    try:
        create(path, app_text(templates, config, report.entries))
    except OSError as error:
        raise disk_problem(error, path) from None
    write_line(f"created   {show(path)}")
    folders = {handlers_package(config)[0], module_of(config.output)[0]}
    elsewhere = sorted(shlex.quote(show(folder)) for folder in folders if folder != Path.cwd())
    prefix = f"PYTHONPATH={os.pathsep.join(elsewhere)} " if elsewhere else ""
    first = (
        "write what the handlers do, then toolcast generate"
        if any(map(is_open, written))
        else "toolcast generate"
    )
    target = app_target(config)
    served = config.providers is None or "mcp" in config.providers
    then = f"serve {target}" if served else f"call TOOL JSON --app {target}"
    return f"; next: {first}, then {prefix}toolcast {then}"


def _tell_wiring(config: Config, path: Path, report: "Report", written: Sequence["ToolEntry"]) -> None:
    """Tell the lines that a program lacks, and what it registers in vain.

    Where its calls cannot be read, only handlers that are new are told.
    """
    from ..python.structs.python_names import unique
    from .handler_files import (
        APP_NAMES,
        function_name,
        handler_path,
        import_line,
        is_forwarded,
        registered_keywords,
    )

    entries, registered = [each for each in report.entries if not each.external], registered_keywords(path)
    missing = [entry for entry in entries if registered is not None and entry.keyword not in registered]
    for entry in written if registered is None else missing:
        if is_forwarded(entry) and not handler_path(config, entry).exists():
            write_line(f"note: add to the register_all of {show(path)}:  {entry.keyword}=None,")
            continue
        name = unique(function_name(entry), set(APP_NAMES))
        write_line(f"note: add to {show(path)}:  {import_line(config, entry, name)}")
        write_line(f"      and to its register_all:  {entry.keyword}={name},")
    known = {*(entry.keyword for entry in entries), *(each.keyword for each in report.stale)}
    external = {entry.keyword for entry in report.entries if entry.external}
    for name in sorted((registered or frozenset()) - known):
        reason = "is external" if name in external else "is no tool that compiles"
        write_line(f"note: {show(path)} registers {name}, which {reason}: take it out")


def _tell_forwarded(config: Config, entries: Sequence["ToolEntry"]) -> int:
    """Tell how tools of MCP servers are registered; how many they are. One that has a handler is no such."""
    from .handler_files import handler_path, is_forwarded

    found = [entry for entry in entries if is_forwarded(entry) and not handler_path(config, entry).exists()]
    if found:
        servers = sorted({entry.source.label for entry in found if entry.source is not None})
        write_line(
            f"note: {len(found)} tool{'s'[: len(found) != 1]} of {', '.join(servers)}: a program that is "
            "connected to that server registers them, by toolcast.mcp.register_mcp (docs/reference/mcp.md)"
        )
    return len(found)


def _tell_orphans(config: Config, report: "Report") -> None:
    from ..spec.discovery import discover
    from .handler_files import orphans

    compiled = {entry.path for entry in report.entries}
    refused = [path for path in discover(config.specs).tools if path not in compiled]
    external = {entry.name for entry in report.entries if entry.external}
    for path, tool in orphans(config, [each for each in report.entries if not each.external], refused):
        reason = "is external" if tool in external else "is no tool any more"
        write_line(f"note: {show(path)} is the handler of {tool}, which {reason}: delete the file")


def _templates(config: Config) -> "Templates":
    from ..python.bindings.templates import TemplateFailedError, Templates

    try:
        return Templates(() if config.templates is None else str(config.templates))
    except TemplateFailedError as error:
        raise _failed(config, error) from None


def _failed(config: Config, error: Exception) -> click.exceptions.Exit:
    shown = show(config.templates or config.base)
    return refuse(shown, "template-failed", str(error), "correct the template, or remove it")
