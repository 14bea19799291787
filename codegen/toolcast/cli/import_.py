"""`toolcast import`: specs from lists of tools, or from samples of a tool's arguments."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..console import one_line, write_line
from ..diagnostics import Diagnostic

if TYPE_CHECKING:
    from ..importers.import_tools import Imported
    from ..spec.model import Permission

_Command = TypeVar("_Command", bound=Callable[..., Any])
_FILES = click.Path(exists=True, dir_okay=False, path_type=Path)
_FOLDER = click.Path(file_okay=False, path_type=Path)
_PERMISSIONS = click.Choice(["read", "write", "execute", "network"])
_COUNT = click.IntRange(0, 100)
_TODO = re.compile(r"^(?:permission|secrets): TODO", re.MULTILINE)


def _secrets(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    """`a,b` → names, `none` → no names, absent → None."""
    if value is None:
        return None
    names = () if value == "none" else tuple(name.strip() for name in value.split(","))
    if not all(names):
        raise click.BadParameter("expected names separated by commas, or `none`", ctx, param)
    return names


def _group(ctx: click.Context, param: click.Parameter, value: str) -> str:
    from ..spec.tool_names import group_problem

    problem = group_problem(value)
    if problem is not None:
        message = f"{problem}; expected a folder such as `web` or `web/search`"
        raise click.BadParameter(message, ctx, param)
    return value


def _common(command: _Command) -> _Command:
    """The options that both subcommands take."""
    options = [
        click.option("--into", required=True, type=_FOLDER, help="Specs folder."),
        click.option("--group", default="", callback=_group, help="Folder below --into."),
        click.option("--permission", type=_PERMISSIONS, help="For all tools; else a TODO line."),
        click.option("--secrets", callback=_secrets, help="Parameters that may carry secrets: a,b or none."),
        click.option("--examples", default=3, show_default=True, type=_COUNT, help="Calls kept per tool."),
        click.option("--force", is_flag=True, help="Overwrite existing specs."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


@click.group("import")
def import_group() -> None:
    """Turn existing tool definitions, or samples of arguments, into specs."""


@import_group.command("tools")
@click.argument("files", nargs=-1, required=True, type=_FILES)
@_common
@click.option("--trust-hints", is_flag=True, help="Permissions as MCP's hints claim them.")
def import_tools_command(
    files: tuple[Path, ...],
    into: Path,
    group: str,
    permission: "Permission | None",
    secrets: tuple[str, ...] | None,
    examples: int,
    force: bool,
    trust_hints: bool,
) -> None:
    """Write one spec per tool found in FILES.

    Each file is a JSON array, JSON lines or a tools/list answer; each tool as MCP, OpenAI, Anthropic
    or Gemini write it. Without --permission or --trust-hints a person decides what each tool may do.
    """
    from ..importers.import_tools import import_tools
    from ..importers.spec_text import Choices

    choices = Choices(permission=permission, trust_hints=trust_hints, secrets=secrets, examples=examples)
    imported = import_tools(files, choices, group=group)
    _write(imported, into, force=force)


@import_group.command("sample")
@click.argument("files", nargs=-1, required=True, type=_FILES)
@click.option("--name", required=True, help="Name of the tool.")
@_common
def import_sample_command(
    files: tuple[Path, ...],
    name: str,
    into: Path,
    group: str,
    permission: "Permission | None",
    secrets: tuple[str, ...] | None,
    examples: int,
    force: bool,
) -> None:
    """Infer one spec from samples of a tool's arguments in FILES (JSON objects)."""
    from ..importers.sample import import_sample
    from ..importers.spec_text import Choices

    choices = Choices(permission=permission, secrets=secrets, examples=examples)
    imported = import_sample(files, choices, name=name, group=group)
    _write(imported, into, force=force)


def _write(imported: "Imported", into: Path, *, force: bool) -> None:
    """Write what may be written, print one line per problem and a summary; exit 1 if there was an error."""
    written = 0
    problems = list(imported.diagnostics)
    for name, text in imported.specs.items():
        path = into / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("w" if force else "x", encoding="utf-8", newline="\n") as file:
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
        f"{_count(written, 'spec')} written to {into.as_posix()}, {len(imported.renamed)} renamed, "
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
