"""The commands of `toolcast import`, and the options that every kind of source takes."""

import functools
import os
from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, TypeVar, cast

import click
from msgspec import Struct

from ..analysis.lint.tool_list import undecided_keys, within_budget
from ..config import show
from ..console import Format, count, inert_json, one_line, print_diagnostics, write_line
from ..diagnostics import Diagnostic
from ..http_operation import ARRAYS, METHODS, Arrays
from ..importers.edit_yaml import EditError
from ..importers.import_tools import import_sample, read_tools
from ..importers.imported_specs import ImportedSpec, write_text
from ..importers.mcp_server import ServerAddress, read_server
from ..importers.merge import Side
from ..importers.openapi.operations import Selection
from ..importers.openapi.read_openapi import OpenApiChoices, read_openapi
from ..importers.python_objects import read_python
from ..importers.spec_text import Choices, property_names
from ..importers.update import Settling
from ..jsonschema.json_values import JsonObject
from ..mcp import McpMissingError
from ..permissions import PERMISSIONS, Permission
from ..spec.discovery import discover
from ..spec.read_file import SourceDocument, read_document
from ..spec.tool_names import group_problem
from .complete_values import complete_tools
from .import_outcome import ImportOptions, print_problems, write_imported, write_specs
from .options import config_option, configuration, examples, format_option, refuse, takes

_Command = TypeVar("_Command", bound=Callable[..., Any])
_FOLDER = click.Path(file_okay=False, path_type=Path)
_COUNT = click.IntRange(0, 100)
_SIDES: tuple[Side, ...] = ("local", "upstream")


def _common_options(command: _Command) -> _Command:
    """Add the common options; the command receives them as `options: ImportOptions`."""

    @functools.wraps(command)
    def collect(*, into: Path, group: str, check: bool, form: Format, **own: Any) -> object:
        choices = Choices(
            permission=own["permission"][0],
            permissions=own["permission"][1],
            secrets=own["secrets"][0],
            secrets_of=own["secrets"][1],
            trust_hints=own["trust_hints"],
            examples=own["examples"],
        )
        settling = Settling(take=own["take"], restore=own["restore"], prune=own["prune"], force=own["force"])
        for name in ("permission", "secrets", "trust_hints", "examples", "take", "restore", "prune", "force"):
            del own[name]
        options = ImportOptions(
            into=into,
            group=group,
            choices=choices,
            settling=settling,
            check=check,
            form=form,
        )
        return command(**own, options=options)

    found: object = collect
    for option in reversed(_OPTIONS):
        found = option(found)
    return cast(_Command, found)


_Value = TypeVar("_Value")
_ByPattern = tuple[_Value | None, tuple[tuple[str, _Value], ...]]
"""A value for all tools, and values for those whose name matches a pattern."""


def _by_pattern(
    values: tuple[str, ...], read: Callable[[str], _Value | None], expected: str
) -> _ByPattern[_Value]:
    """Read `VALUE` for all tools, `PATTERN=VALUE` for some."""
    plain: _Value | None = None
    patterns: list[tuple[str, _Value]] = []
    for value in values:
        pattern, separator, word = value.rpartition("=")
        found = read(word)
        if found is None or (separator and not pattern):
            raise click.BadParameter(f"{value!r}: expected {expected}")
        if separator:
            patterns.append((pattern, found))
        else:
            plain = found
    return plain, tuple(patterns)


def _permissions(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> _ByPattern[Permission]:
    def read(word: str) -> Permission | None:
        return word if word in PERMISSIONS else None

    return _by_pattern(values, read, f"{', '.join(PERMISSIONS)} or PATTERN=PERMISSION")


def _secrets(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> _ByPattern[tuple[str, ...]]:
    def read(words: str) -> tuple[str, ...] | None:
        names = () if words == "none" else tuple(name.strip() for name in words.split(","))
        return names if all(names) else None

    return _by_pattern(values, read, "names separated by commas, `none`, or PATTERN=NAMES")


def _take(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> tuple[tuple[str, Side], ...]:
    """Read `local` for all tools, `get_*=upstream` for some."""
    found: list[tuple[str, Side]] = []
    for value in values:
        pattern, separator, side = value.rpartition("=")
        if side not in _SIDES or (separator and not pattern):
            message = "expected local, upstream, or PATTERN=local or PATTERN=upstream"
            raise click.BadParameter(message, ctx, param)
        found.append((pattern or "*", side))
    return tuple(found)


def _group(ctx: click.Context, param: click.Parameter, value: str) -> str:
    problem = group_problem(value)
    if problem is not None:
        message = f"{problem}; expected a folder such as `web` or `web/search`"
        raise click.BadParameter(message, ctx, param)
    return value


_PERMISSION = click.option(
    "--permission",
    multiple=True,
    callback=_permissions,
    metavar="[PATTERN=]PERMISSION",
    help="What tools may do: all, or those whose name matches; without it, a TODO line. May be repeated.",
)
_SECRETS = click.option(
    "--secrets",
    multiple=True,
    callback=_secrets,
    metavar="[PATTERN=]NAMES",
    help="Parameters that may carry secrets: a,b or none. May be repeated.",
)
_OPTIONS = (
    click.option("--into", required=True, type=_FOLDER, help="Specs folder."),
    click.option("--group", default="", callback=_group, help="Folder below --into."),
    _PERMISSION,
    _SECRETS,
    click.option(
        "--trust-hints",
        is_flag=True,
        help="Permissions as MCP's hints claim them; --permission is for the other tools.",
    ),
    click.option("--examples", default=3, show_default=True, type=_COUNT, help="Calls kept per tool."),
    click.option(
        "--check",
        is_flag=True,
        help="Write nothing; exit 1 if the source differs from what was imported (for CI).",
    ),
    click.option(
        "--take",
        multiple=True,
        callback=_take,
        metavar="[PATTERN=]SIDE",
        help="Which side wins where both changed: local or upstream. May be repeated.",
    ),
    click.option("--restore", is_flag=True, help="Write specs again that were deleted here."),
    click.option("--prune", is_flag=True, help="Delete specs of tools that the source has no more."),
    click.option("--force", is_flag=True, help="Write specs anew, whatever was changed in them."),
    format_option,
)


_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command(
    "tools",
    epilog=examples(
        "toolcast import tools tools.json --into specs/github",
        "toolcast import tools tools.json --into specs --permission 'get_*=read' --secrets none",
    ),
)
@click.argument("files", nargs=-1, required=True, type=_FILE)
@_common_options
def tools_command(files: tuple[Path, ...], options: ImportOptions) -> None:
    """Write one spec per tool found in FILES.

    Each file is a JSON array, JSON lines or a tools/list answer; each tool as MCP, OpenAI, Anthropic
    or Gemini write it. Without --permission or --trust-hints a person decides what each tool may do.
    """

    write_specs(read_tools(files), options)


@click.command(
    "sample",
    epilog=examples(
        "toolcast import sample calls.jsonl --name weather --into specs    parameters of recorded arguments",
    ),
)
@click.argument("files", nargs=-1, required=True, type=_FILE)
@click.option("--name", required=True, help="Name of the tool.")
@_common_options
def sample_command(files: tuple[Path, ...], name: str, options: ImportOptions) -> None:
    """Infer one spec from samples of a tool's arguments in FILES (JSON objects)."""

    write_imported(import_sample(files, options.choices, name=name, group=options.group), options)


@click.command(
    "format",
    epilog=examples(
        "toolcast import format tokenizer_config.json > acme.toml",
        "toolcast call --answer answer.txt --in acme.toml    reads an answer with it",
    ),
)
@click.argument("file", type=_FILE)
@format_option
def format_command(file: Path, form: Format) -> None:
    """Print the text format that the response template of a tokenizer's configuration describes.

    FILE is a tokenizer_config.json with `response_template`, as transformers reads it. Comments name what it
    does not state. No expression in it is run. What a text format cannot say is refused.
    """
    from ..importers.response_template import (
        read_response_template,  # of all commands this one reads text formats
    )

    found = read_response_template(file, show(file))
    if isinstance(found, str):
        click.echo(inert_json(found), nl=False)
        return
    print_diagnostics(found, form)
    raise click.exceptions.Exit(1)


class _McpOptions(Struct, frozen=True, kw_only=True):
    server: tuple[str, ...]
    env: tuple[str, ...]
    header: tuple[str, ...]
    timeout: float
    label: str
    options: ImportOptions


@click.command(
    "mcp",
    epilog=examples(
        "toolcast import mcp --into specs/git -- uvx mcp-server-git",
        "toolcast import mcp https://mcp.example.com/mcp --into specs/example",
        "toolcast import mcp --into specs/git --check -- uvx mcp-server-git    (in CI)",
    ),
)
@click.argument("server", nargs=-1, required=True, metavar="URL | -- COMMAND…")
@click.option("--env", multiple=True, metavar="NAME[=VALUE]", help="A variable for COMMAND. May be repeated.")
@click.option("--header", multiple=True, metavar="'NAME: VALUE'", help="A header for URL. May be repeated.")
@click.option(
    "--timeout", type=click.FloatRange(min=0, min_open=True), default=60.0, show_default=True, metavar="S",
    help="Seconds to start the server and list its tools.",
)  # fmt: skip
@click.option("--label", default="", help="Name of the source in the specs (default: the server's own).")
@_common_options
@takes(_McpOptions)
def mcp_command(stated: _McpOptions) -> None:
    """Write one spec per tool of a running MCP server: one that COMMAND starts, or one at URL.

    COMMAND runs with your rights. Tools alone are read; nothing is called.
    """
    is_url = len(stated.server) == 1 and stated.server[0].startswith(("http://", "https://"))
    if is_url and stated.env:
        raise click.UsageError("--env is for a COMMAND; a server at a URL has its own variables.")
    if stated.header and not is_url:
        raise click.UsageError("--header is for a URL; a COMMAND takes --env.")
    address = ServerAddress(
        command=() if is_url else stated.server,
        url=stated.server[0] if is_url else "",
        env=dict(map(_variable, stated.env)),
        headers=dict(map(_header, stated.header)),
        seconds=stated.timeout,
    )
    try:
        declarations = read_server(address, label=stated.label)
    except McpMissingError as problem:
        raise refuse("toolcast", "mcp-missing", str(problem), form=stated.options.form) from None
    write_specs(declarations, stated.options)


def _variable(text: str) -> tuple[str, str]:
    """Read `NAME=VALUE`, or `NAME` as it is set here."""
    name, separator, value = text.partition("=")
    if separator:
        return name, value
    if name not in os.environ:
        raise click.UsageError(f"--env {name}: there is no variable of that name here; write {name}=VALUE.")
    return name, os.environ[name]


def _header(text: str) -> tuple[str, str]:
    name, separator, value = text.partition(":")
    if not separator or not name.strip():
        raise click.UsageError("--header needs the form 'Name: value'.")
    return name.strip(), value.strip()


class _OpenApiOptions(Struct, frozen=True, kw_only=True):
    source: str
    options: ImportOptions
    no_deprecated: bool
    no_results: bool
    arrays: Arrays | None
    budget: int
    tags: tuple[str, ...]
    paths: tuple[str, ...]
    operations: tuple[str, ...]
    methods: tuple[str, ...]


@click.command(
    "openapi",
    epilog=examples(
        "toolcast import openapi api.yaml --into specs/shop",
        "toolcast import openapi https://api.example.com/openapi.json --into specs/shop --check    (in CI)",
        "toolcast import openapi api.yaml --into specs/shop --tag orders --method get --method post",
        "toolcast import openapi api.yaml --into specs/shop --permission network --secrets none",
    ),
)
@click.argument("source", metavar="FILE|URL")
@click.option("--tag", "tags", multiple=True, help="Only operations with this tag.")
@click.option("--path", "paths", multiple=True, metavar="GLOB", help="Only paths like '/pets*'.")
@click.option(
    "--operation", "operations", multiple=True, metavar="GLOB", help="Only operation ids like 'get*'."
)
@click.option(
    "--method", "methods", multiple=True, type=click.Choice(METHODS, case_sensitive=False),
    help="Only operations with this method. May be repeated.",
)  # fmt: skip
@click.option("--no-deprecated", is_flag=True, help="Without deprecated operations.")
@click.option("--no-results", is_flag=True, help="Without response schemas.")
@click.option(
    "--arrays", type=click.Choice(ARRAYS),
    help="Names of the items of an array in `deepObject`: a[0], a[], or a again.",
)  # fmt: skip
@click.option(
    "--budget", type=click.IntRange(min=0), default=2_000, show_default=True, metavar="TOKENS",
    help="Schemas of results stay out of definitions with more than this.",
)  # fmt: skip
@_common_options
@takes(_OpenApiOptions)
def openapi_command(stated: _OpenApiOptions) -> None:
    """Write one spec per operation of an OpenAPI document, 3.0 to 3.2, in YAML or JSON.

    What is selected fits one of each option: `--tag pets --method get` are the GET operations with the tag
    pets. --trust-hints gives GET and HEAD the permission network and all others write.
    """
    selection = Selection(
        tags=stated.tags,
        paths=stated.paths,
        operations=stated.operations,
        methods=stated.methods,
        deprecated=not stated.no_deprecated,
    )
    choices = OpenApiChoices(selection=selection, results=not stated.no_results, arrays=stated.arrays)
    declarations, over = within_budget(read_openapi(stated.source, choices), stated.budget)
    described = "results are not described, since definitions would have more than"
    note = f"{count(len(over), 'tool')}: {described} {stated.budget:,} tokens (--budget)" if over else ""
    write_specs(declarations, stated.options, note, costs=True)


@click.command(
    "python",
    epilog=examples(
        "toolcast import python app.weather:get_forecast --into specs/weather",
        "toolcast import python server:mcp --into specs         all tools of a FastMCP server",
        "toolcast import python app.tools:TOOLS --into specs    a list or dict of tools",
    ),
)
@click.argument("targets", nargs=-1, required=True, metavar="MODULE:NAME…")
@click.option(
    "--timeout", default=120.0, show_default=True, type=click.FloatRange(0.1, 3600), help="Seconds to import."
)
@_common_options
def python_command(targets: tuple[str, ...], timeout: float, options: ImportOptions) -> None:
    """Write one spec per tool that Python objects declare. Runs their modules.

    NAME is a function, a pydantic model, dataclass, Struct or TypedDict (its fields are the parameters), a
    FastMCP server, a tool of LangChain or openai-agents, a tool, toolset or agent of pydantic-ai, or a
    list or dict of such. Modules are found as `python -m` finds them. Each NAME is a source of its own,
    which a later import finds again.
    """

    modules = dict.fromkeys(target.partition(":")[0] for target in targets)
    write_line(f"toolcast: running {', '.join(modules)}", err=True)
    failed = False
    for declarations in read_python(targets, timeout=timeout):  # each is a source of its own
        try:
            write_specs(declarations, options)
        except SystemExit:
            failed = True
    if failed:
        raise SystemExit(1)


@click.command(
    "decide",
    epilog=examples(
        "toolcast import decide --permission read --secrets none",
        "toolcast import decide 'git_*' --permission read --permission 'git_commit=write'",
    ),
)
@click.argument("patterns", nargs=-1, metavar="[NAME…]", shell_complete=complete_tools)
@_PERMISSION
@_SECRETS
@config_option
def decide_command(
    patterns: tuple[str, ...],
    permission: _ByPattern[Permission],
    secrets: _ByPattern[tuple[str, ...]],
    config_file: Path | None,
) -> int:
    """Decide what specs leave open: lines that say TODO, of the tools whose names match NAME, or of all.

    What a person decided stays, and so does everything else in the files. The exit status is 1 if a spec
    cannot be read or written.
    """
    choices = Choices(
        permission=permission[0],
        permissions=permission[1],
        secrets=secrets[0],
        secrets_of=secrets[1],
    )
    if choices == Choices():
        raise click.UsageError("Nothing to decide: give --permission or --secrets, or both.")
    config = configuration(config_file)

    changed = open_ = 0
    problems: list[Diagnostic] = []
    for path in discover(config.specs, shown_root=show(config.specs)).tools:
        outcome = _decide(config.specs, path, patterns, choices)
        if isinstance(outcome, Diagnostic):
            problems.append(outcome)
            continue
        decisions, left = outcome
        open_ += left
        if decisions:
            changed += 1
            words = ", ".join(f"{key} {_value_text(value)}" for key, value in decisions.items())
            write_line(f"decided  {one_line(show(config.specs / path))}: {words}")
    print_problems(problems)
    write_line(
        f"{count(changed, 'spec')} changed, {open_} still undecided, {count(len(problems), 'problem')}"
    )
    return int(bool(problems))


def _value_text(value: Any) -> str:
    return value if isinstance(value, str) else "none" if not value else ",".join(value)


def _decide(
    root: Path, path: str, patterns: tuple[str, ...], choices: Choices
) -> tuple[JsonObject, bool] | Diagnostic:
    """Decide one spec; return what was decided, and whether something is left open."""
    file = root / path
    document = read_document(file, show(file))
    if not isinstance(document, SourceDocument) or not isinstance(document.data, dict):
        return {}, False  # what is wrong with it, `generate` says
    data = document.data
    keys = undecided_keys(data)
    stem = path.rpartition("/")[2].rpartition(".")[0]
    names = (str(data.get("name", stem)), stem)
    found: JsonObject = {}
    if not patterns or any(fnmatchcase(name, pattern) for name in names for pattern in patterns):
        chosen, named = choices.permission_for(*names), choices.secrets_for(*names)
        if "permission" in keys and "permission" in data and chosen is not None:
            found["permission"] = chosen
        if "secrets" in keys and "secrets" in data and named is not None:
            found["secrets"] = [name for name in property_names(data.get("parameters")) if name in named]
    if found:
        try:
            write_text(file, ImportedSpec(path, document.text, data).decided(found).text)
        except (EditError, OSError) as problem:
            message = f"cannot be changed: {problem}"
            return Diagnostic(file=show(file), code="decide", message=message, hint="write it by hand")
    return found, bool(set(keys) - set(found))
