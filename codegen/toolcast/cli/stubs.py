"""`toolcast stubs`: handlers, their packages, and the program that registers them."""

import ast
import keyword
import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from ..config import Config, show
from ..console import count, write_line
from ..spec.discovery import discover
from .options import config_option, configuration, create, disk_problem, examples, print_diagnostics, refuse
from .program import APP, module_of, package_name
from .terminal import Bar

if TYPE_CHECKING:
    from ..languages.python.bindings.templates import Templates
    from ..project.core.compiled import ToolEntry
    from ..project.generate import Report


@click.command("stubs", epilog=examples("toolcast stubs", "toolcast stubs --config app/pyproject.toml"))
@config_option
def command(config_file: Path | None) -> int:
    """Write a handler file for every tool that has none, and once the program that registers them.

    A spec that was imported from a Python function gets a handler that calls it. A file is written once, and
    never touched again: it is yours. Told are the lines that the program lacks for a later tool, and handlers
    that have no tool any more. External tools have no handler. The exit status is 1 if a spec has an error.
    """
    config = configuration(config_file)

    from ..languages.python.bindings.templates import TemplateFailedError, Templates
    from ..project.generate import build
    from ..project.worker import FRONTEND

    # `check` compiles everything: what an earlier run remembers would name the files to write.
    with Bar() as bar:
        report = build(config, FRONTEND, mode="check", progress=bar)
    print_diagnostics(report.diagnostics)
    handled = [entry for entry in report.entries if not entry.external]
    try:
        templates = Templates(() if config.templates is None else str(config.templates))
        by_hand = _by_hand(config, handled)
        written = _write_handlers(config, templates, handled, by_hand)
        open_ = any(_is_open(entry) or entry.path in by_hand for entry in written)
        wired = _write_app(config, templates, report, written, open_=open_)
    except TemplateFailedError as error:
        raise _failed(config, error) from None
    forwarded = _tell_forwarded(config, handled)
    kept = len(handled) - len(written) - forwarded
    _tell_orphans(config, report)
    made = count(len(written), "handler")
    write_line(f"toolcast: {made} written, {kept} kept as they are{wired}")
    return int(report.failed)


def _write_handlers(
    config: Config, templates: "Templates", entries: Sequence["ToolEntry"], by_hand: Mapping[str, str]
) -> list["ToolEntry"]:
    """Write the handlers that are missing, and return their tools. Raises TemplateFailedError."""

    written: list[ToolEntry] = []
    for entry in entries:
        path = _handler_path(config, entry)
        if path.exists() or path.is_symlink() or _is_forwarded(entry):
            continue
        if _leads_out(config, path):
            message = "a link leads from here out of the folder of the configuration"
            raise refuse(show(path), "config-outside", message, "remove the link")
        text = _handler_text(templates, config, entry, by_hand.get(entry.path, ""))
        try:
            for marker in _package_markers(config, path):
                create(marker, "")
            create(path, text)
        except OSError as error:
            raise disk_problem(error, path) from None
        written.append(entry)
        adapted = None if entry.path in by_hand else _imported_function(entry)
        calls = "" if adapted is None else f", which calls {adapted[0]}:{adapted[1]}{adapted[2]}"
        write_line(f"created   {show(path)}{calls}")
    for entry in written:
        if entry.path in by_hand:
            write_line(f"note: {show(_handler_path(config, entry))} is yours to write: {by_hand[entry.path]}")
    return written


def _by_hand(config: Config, entries: Sequence["ToolEntry"]) -> dict[str, str]:
    """Return by path of the spec why no handler can be made of the function that it was imported from, as the
    import found it: nothing that a spec names is imported here.
    """
    from ..importers.imported_specs import NAME, LockError, load_lock

    try:
        lock = load_lock(config.specs / NAME)
    except LockError as error:
        raise refuse(show(config.specs / NAME), "import-lock", str(error), "restore it") from None
    sources = [(entry.path, entry.source) for entry in entries if entry.source is not None]
    locked = [(path, lock.tools.get((each.kind, each.label, each.name))) for path, each in sources]
    return {path: tool.by_hand for path, tool in locked if tool is not None and tool.by_hand}


def _write_app(
    config: Config, templates: "Templates", report: "Report", written: Sequence["ToolEntry"], *, open_: bool
) -> str:
    """Write the program, or print what it lacks; return how to run a new one, after what is `open_`. Raises
    TemplateFailedError.
    """
    path = _app_path(config)
    if path.exists() or path.is_symlink():
        _tell_wiring(config, path, report, written)
        return ""
    if not written:
        return ""
    if _hidden_app(config):
        write_line(f"note: {show(path)} is not written: Python would import the folder {APP}/ in its place")
        return ""
    try:
        create(path, _app_text(templates, config, report.entries))
    except OSError as error:
        raise disk_problem(error, path) from None
    write_line(f"created   {show(path)}")
    folders = {_handlers_package(config)[0], module_of(config.output)[0]}
    elsewhere = sorted(shlex.quote(show(folder)) for folder in folders if folder != Path.cwd())
    prefix = f"PYTHONPATH={os.pathsep.join(elsewhere)} " if elsewhere else ""
    first = "write what the handlers do, then toolcast generate" if open_ else "toolcast generate"
    target = _app_target(config)
    served = config.providers is None or "mcp" in config.providers
    then = f"serve {target}" if served else f"call TOOL JSON --app {target}"
    return f"; next: {first}, then {prefix}toolcast {then}"


def _tell_wiring(config: Config, path: Path, report: "Report", written: Sequence["ToolEntry"]) -> None:
    """Print the lines that a program lacks, and what it registers in vain; new handlers alone where its calls
    cannot be read.
    """
    entries, registered = [each for each in report.entries if not each.external], _registered_keywords(path)
    missing = [entry for entry in entries if registered is not None and entry.keyword not in registered]
    for entry in written if registered is None else missing:
        if _is_forwarded(entry) and not _handler_path(config, entry).exists():
            write_line(f"note: add to the register_all of {show(path)}:  {entry.keyword}=None,")
            continue
        name = _unique(function_name(entry), set(_APP_NAMES))
        write_line(f"note: add to {show(path)}:  {_import_line(config, entry, name)}")
        write_line(f"      and to its register_all:  {entry.keyword}={name},")
    known = {*(entry.keyword for entry in entries), *(each.keyword for each in report.stale)}
    external = {entry.keyword for entry in report.entries if entry.external}
    for name in sorted((registered or frozenset()) - known):
        reason = "is external" if name in external else "is no tool that compiles"
        write_line(f"note: {show(path)} registers {name}, which {reason}: take it out")


def _tell_forwarded(config: Config, entries: Sequence["ToolEntry"]) -> int:
    """Print how tools of MCP servers are registered; return how many have no handler."""

    found = [entry for entry in entries if _is_forwarded(entry) and not _handler_path(config, entry).exists()]
    if found:
        servers = sorted({entry.source.label for entry in found if entry.source is not None})
        write_line(
            f"note: {count(len(found), 'tool')} of {', '.join(servers)}: a program that is "
            "connected to that server registers them, by toolcast.mcp.register_mcp (docs/reference/mcp.md)"
        )
    return len(found)


def _tell_orphans(config: Config, report: "Report") -> None:
    compiled = {entry.path for entry in report.entries}
    refused = [path for path in discover(config.specs).tools if path not in compiled]
    external = {entry.name for entry in report.entries if entry.external}
    for path, tool in _orphans(config, [each for each in report.entries if not each.external], refused):
        reason = "is external" if tool in external else "is no tool any more"
        write_line(f"note: {show(path)} is the handler of {tool}, which {reason}: delete the file")


def _failed(config: Config, error: Exception) -> click.exceptions.Exit:
    shown = show(config.templates or config.base)
    return refuse(shown, "template-failed", str(error), "correct the template, or remove it")


_APP_NAMES: Final = frozenset({"register_all", "ToolRegistry", "registry"})
"""Names that the module of the application uses itself."""

_MARK = re.compile(r'"""Handler of the tool `([A-Za-z0-9_-]{1,64})`[.:] Written once by `toolcast stubs`')
_IMPORTED = re.compile(r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*):([A-Za-z_]\w*)((?:\.[A-Za-z_]\w*)*)", re.ASCII)
_TAKEN: Final = frozenset({"ToolContext", "ToolResult", "HttpHandler", "adapt"})
_MAX_BYTES = 1024 * 1024
_MOST = 20_000
"""Files that are searched for handlers without a tool."""


def _is_forwarded(entry: "ToolEntry") -> bool:
    """Return whether a tool runs on the MCP server of its spec, which `register_mcp` registers."""
    return entry.source is not None and entry.source.kind == "mcp"


def _leads_out(config: Config, path: Path) -> bool:
    return not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(config.base))


def _handler_path(config: Config, entry: "ToolEntry") -> Path:
    return config.stubs.joinpath(*entry.module.split(".")).with_suffix(".py")


def _app_path(config: Config) -> Path:
    folder = config.base if config.stubs == config.base else config.stubs.parent
    return folder / f"{APP}.py"


def _app_target(config: Config) -> str:
    return f"{module_of(_app_path(config).with_suffix(''))[1]}:registry"


def _handlers_package(config: Config) -> tuple[Path, str]:
    """Return the folder from which handlers are imported, and the prefix of their modules; the
    configuration's folder is no package.
    """
    if config.stubs == config.base:
        return config.base, ""
    above, package = module_of(config.stubs)
    return above, f"{package}."


def function_name(entry: "ToolEntry") -> str:
    """Return the name of a handler: as in `register_all`, unless its file imports that name."""
    return _unique(entry.keyword, {*_TAKEN, entry.params, entry.result, entry.constant})


def _unique(name: str, used: set[str]) -> str:
    from ..languages.python.structs.python_names import unique

    return unique(name, used)


def _handler_text(templates: "Templates", config: Config, entry: "ToolEntry", by_hand: str) -> str:
    """Return a handler: a call of the imported function, an HTTP request, or a body to write, such as one
    `by_hand`. Raises TemplateFailedError.
    """
    package, function = package_name(config), function_name(entry)
    if not by_hand and (found := _imported_function(entry)) is not None:
        module, name, path = found
        return templates.render(
            "stub_adapt.py.jinja",
            entry=entry,
            package=package,
            function=function,
            source_module=module,
            source_name=name,
            source_path=path,
        )
    if entry.http:
        return templates.render("stub_http.py.jinja", entry=entry, package=package, function=function)
    values = f"{entry.result}(…), or text" if entry.result else "text"
    return templates.render(
        "stub.py.jinja",
        entry=entry,
        package=package,
        function=function,
        types=", ".join(sorted(filter(None, (entry.params, entry.result)))),
        returns=f'"{entry.result} | ToolResult"' if entry.result else "ToolResult",
        advice=f"Return {values} by ToolResult.ok; a failure tells the model what it can change.",
    )


def _imported_function(entry: "ToolEntry") -> tuple[str, str, str] | None:
    """Return module, name and attributes of the function that a spec was imported from; None where Python
    does not find it by name, or a class described it.
    """
    if entry.source is None or entry.source.kind != "python":
        return None
    found = _IMPORTED.fullmatch(entry.source.name)
    if found is None or any(map(keyword.iskeyword, re.split(r"[.:]", entry.source.name))):
        return None
    last = (found[2] + found[3]).rpartition(".")[2]
    return None if last[:1].isupper() else (found[1], found[2], found[3])


def _is_open(entry: "ToolEntry") -> bool:
    return _imported_function(entry) is None and not entry.http


def _package_markers(config: Config, path: Path) -> Iterator[Path]:
    """Yield the `__init__.py` that are missing for a handler, outermost first."""
    folders = [folder for folder in path.parents if folder.is_relative_to(config.stubs)]
    for folder in reversed(folders):
        marker = folder / "__init__.py"
        if folder != config.base and not marker.exists() and not marker.is_symlink():
            yield marker


def _app_text(templates: "Templates", config: Config, entries: Sequence["ToolEntry"]) -> str:
    """Return the program that registers all handlers. Raises TemplateFailedError."""
    used = set(_APP_NAMES)
    imports: list[str] = []
    handlers: list[str] = []
    for entry in sorted(entries, key=lambda entry: entry.name):
        if entry.external:
            continue
        if _is_forwarded(entry) and not _handler_path(config, entry).exists():
            handlers.append(f"{entry.keyword}=None,  # by toolcast.mcp.register_mcp")
            continue
        function = function_name(entry)
        name = _unique(function, used)
        imports.append(_import_line(config, entry, name))
        handlers.append(f"{entry.keyword}={name},")
    return templates.render(
        "app.py.jinja",
        package=package_name(config),
        target=_app_target(config),
        imports=sorted(imports),
        handlers=handlers,
    )


def _import_line(config: Config, entry: "ToolEntry", name: str) -> str:
    function = function_name(entry)
    renamed = "" if name == function else f" as {name}"
    return f"from {_handlers_package(config)[1]}{entry.module} import {function}{renamed}"


def _hidden_app(config: Config) -> bool:
    """Return whether a folder of the program's name would be imported in its place."""
    return _app_path(config).with_suffix("").is_dir() or APP in (config.stubs.name, config.output.name)


def _registered_keywords(path: Path) -> frozenset[str] | None:
    """Return the keywords in calls of `register_all`, without running the program; None where they
    cannot be read.
    """
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > _MAX_BYTES:
            return None
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _registers(node.func)]
    keywords = [each.arg for call in calls for each in call.keywords]
    if not calls or None in keywords:  # `**handlers`
        return None
    return frozenset(filter(None, keywords))


def _registers(function: ast.expr) -> bool:
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name == "register_all"


def _orphans(
    config: Config, entries: Sequence["ToolEntry"], refused: Sequence[str]
) -> Iterator[tuple[Path, str]]:
    """Yield handler files with the names of tools that are gone; specs in `refused` do not compile, so theirs
    stay.
    """
    paths = {_handler_path(config, entry) for entry in entries}
    left = {path.rpartition(".")[0].replace("-", "_") for path in refused}
    for number, path in enumerate(sorted(config.stubs.rglob("*.py"))):
        if number >= _MOST:
            return
        if (
            path in paths
            or path.is_symlink()
            or not path.is_file()
            or path.relative_to(config.stubs).with_suffix("").as_posix() in left
        ):
            continue
        found = _MARK.match(_head(path))
        if found is not None and found[1] not in {entry.name for entry in entries}:
            yield path, found[1]


def _head(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(500).decode("utf-8", "replace")
    except OSError:
        return ""
