"""`toolcast show`."""

import difflib
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click
import msgspec
from msgspec.structs import replace

from ..config import Config
from ..console import inert_json, printable, wants_colour, write_line
from ..output_layout import CONTRACTS, schemas_folder
from .complete_values import complete_providers, complete_tools
from .options import config_option, configuration, examples, json_option, print_diagnostics, refuse

if TYPE_CHECKING:
    from ..project.core.compiled import Options
    from ..project.worker import Context
    from ..providers import LedgerEntry
    from ..spec.parsed_document import Document


@click.command(
    "show",
    epilog=examples(
        "toolcast show edit                        the contract",
        "toolcast show edit --provider gemini      the tool object that Gemini gets",
        "toolcast show edit --provider typescript  its declaration for code that a model writes",
        "toolcast show edit --ledger               what each provider's JSON lacks",
        "toolcast show edit --provider gemini --steps   how that comes about, pass by pass",
        "toolcast show --providers                 the providers there are, and where they come from",
    ),
)
@click.argument("tool", required=False, shell_complete=complete_tools)
@click.option(
    "--provider", metavar="ID", shell_complete=complete_providers,
    help="Show the tool object of this provider.",
)  # fmt: skip
@click.option("--ledger", is_flag=True, help="Show what providers' JSON lacks, and why.")
@click.option("--steps", is_flag=True, help="Show how the provider's schema comes about, pass by pass.")
@click.option("--providers", is_flag=True, help="List the providers there are.")
@json_option("How declarations, ledger, steps and providers are printed: for people, or for programs.")
@config_option
def command(
    tool: str | None,
    provider: str | None,
    ledger: bool,
    steps: bool,
    providers: bool,
    form: Literal["text", "json"],
    config_file: Path | None,
) -> int:
    """Print what one tool compiles to, straight from its spec.

    The exit status is 1 if there is no such tool, or if it does not compile.
    """
    if providers and (tool is not None or provider is not None or ledger or steps):
        raise click.UsageError("--providers lists all there are: leave out what else to show.")
    from ..project.worker import Task, compile_task, load_types

    config = configuration(config_file)
    if providers:
        return _list(config, form)
    if tool is None:
        raise click.UsageError("name a tool, or ask for --providers")
    if steps and provider is None:
        raise click.UsageError("--steps needs --provider: each provider has its own.")
    if steps and ledger:
        raise click.UsageError("--steps shows the ledger, too: leave out --ledger.")
    context, path, known = _find(config, tool, provider)
    types = load_types(context)
    compiled = compile_task(context, types, Task(path, "tool"))
    if compiled.entry is None:
        print_diagnostics(compiled.diagnostics)
        return 1
    print_diagnostics(compiled.diagnostics)
    _notices(context, path)
    if steps and provider is not None:
        _steps(context, types, path, provider, form)
        return 0
    if ledger:
        losses = compiled.losses
        shown = (provider,) if provider else [id for id in context.options.providers if id in losses]
        _ledger({id: losses.get(id, ()) for id in shown}, form)
        return 0
    folder = schemas_folder(provider) if provider else f"{CONTRACTS}/"
    for path, content in sorted(compiled.files.items()):
        if path.startswith(folder):
            _definition(content, provider, context.options, form)
            return 0
    near = difflib.get_close_matches(provider or "", known, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"known providers: {', '.join(known)}"
    raise refuse(tool, "unknown-provider", f"there is no JSON for the provider {provider!r}", hint)


def _notices(context: "Context", path: str) -> None:
    """Print what the spec states beside the contract: deprecation, words for approval, injection."""
    from ..project.worker import Task, load_task
    from ..spec.deprecation import notice
    from ..spec.tool_spec import ToolSpec

    tool, _ = load_task(context, Task(path, "tool"))
    if not isinstance(tool, ToolSpec):
        return
    if tool.deprecated is not None:
        write_line(f"{tool.name}: {notice(tool.deprecated)}", err=True)
    if tool.described_by is not None:
        words = f"`{tool.described_by}` has words for who approves a call; an approval does not depend on it"
        write_line(f"{tool.name}: {words}", err=True)
    for name, source in tool.inject.items():
        write_line(f"{tool.name}: `{name}` is filled in from `{source}`; models do not see it", err=True)


def _ledger(entries: Mapping[str, Sequence["LedgerEntry"]], form: str) -> None:
    from .show_text import ledger_lines

    if form == "json":
        _print(msgspec.json.encode(entries))
        return
    colour = wants_colour(sys.stdout)
    for line in ledger_lines(entries, colour=colour):
        click.echo(line, color=colour)
    if not entries:
        click.echo("no configured provider's JSON differs from the contract")


def _list(config: Config, form: str) -> int:
    from ..project.profiles import profiles_of
    from ..providers import ProfileError
    from .show_text import provider_lines, provider_rows

    profiles, problems = profiles_of(config)
    if problems:
        print_diagnostics(problems)
        return 1
    try:
        rows = provider_rows(profiles)
    except ProfileError as error:
        raise refuse("pyproject.toml", "bad-profile", str(error)) from None
    if form == "json":
        _print(msgspec.json.encode(rows))
        return 0
    colour = wants_colour(sys.stdout)
    for line in provider_lines(rows, colour=colour):
        click.echo(line, color=colour)
    return 0


def _steps(context: "Context", types: Mapping[str, "Document"], path: str, provider: str, form: str) -> None:
    from ..contract.build import build_tool
    from ..project.core.compiled import profile_of
    from ..project.core.tool_definitions import wanted_strict
    from ..project.worker import Task, load_task
    from ..providers import normalize, steps
    from ..spec.tool_spec import ToolSpec
    from .show_text import step_lines, strict_mode

    tool, _ = load_task(context, Task(path, "tool"))
    assert isinstance(tool, ToolSpec)
    profile = profile_of(provider, context.options)
    schema = build_tool(tool, types).normal.offered(tool.inject)
    wanted = wanted_strict(tool, profile)
    found, flag = steps(schema, profile, strict=wanted), normalize(schema, profile, strict=wanted).strict
    as_text = tool.input is not None and profile.text_envelope is not None
    if as_text:
        found, flag = (), None
    if form == "json":
        data = {"tool": tool.name, "provider": provider, "strict": flag, "steps": found}
        _print(msgspec.json.encode(data))
        return
    colour = wants_colour(sys.stdout)
    if as_text:
        click.echo(f"{tool.name} for {provider}: no schema is sent, since the argument is one text")
        return
    sent = strict_mode(profile, flag)
    click.echo(f"{tool.name} for {provider}{f', {sent}' if sent else ''}:")
    for line in step_lines(found, diff=colour or sys.stdout.isatty(), colour=colour):
        click.echo(line, color=colour)


def _find(config: Config, name: str, provider: str | None) -> tuple["Context", str, tuple[str, ...]]:
    """Find the spec of a tool: the context of its compilation, its path, and all providers."""
    from ..project.profiles import profiles_of, suggest_provider, unknown_providers
    from ..project.worker import FRONTEND, project_context

    profiles, problems = profiles_of(config, (provider,) if provider else ())
    known = profiles.known
    if problems:
        print_diagnostics(problems)
        raise click.exceptions.Exit(1)
    if provider is not None and provider not in known:
        raise refuse(
            name, "unknown-provider", f"unknown provider {provider!r}", suggest_provider(provider, known)
        )
    providers = (provider,) if provider else profiles.chosen
    wrong = unknown_providers(config, providers, known)
    if wrong:
        print_diagnostics(wrong)
        raise click.exceptions.Exit(1)
    context, found = project_context(config, profiles, FRONTEND)
    context = replace(context, options=replace(context.options, providers=providers))
    path = find_spec(context.root, context.shown_root, found.tools, known, name)
    return context, path, known


def find_spec(root: str, shown_root: str, paths: tuple[str, ...], known: tuple[str, ...], name: str) -> str:
    """Find the spec of a tool by name or path; files of that name are tried first."""
    from ..project.worker import FRONTEND
    from ..spec.tool_spec import ToolSpec

    names: list[str] = []
    wanted = name.removesuffix(".yaml").removesuffix(".yml").removesuffix(".json")
    for path in sorted(paths, key=lambda path: (Path(path).stem != name, path)):
        if path.rpartition(".")[0] == wanted or f"{shown_root}/{path}" == name:
            return path
        spec, _ = FRONTEND.load_tool(
            Path(root), path, shown_root=shown_root, known_providers=frozenset(known)
        )
        tool_name = spec.name if isinstance(spec, ToolSpec) else Path(path).stem
        if tool_name == name:
            return path  # where it has errors, compiling reports them
        names.append(tool_name)
    near = difflib.get_close_matches(name, names, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"tools here: {', '.join(sorted(names)[:20]) or 'none'}"
    raise refuse(shown_root, "unknown-tool", f"there is no tool called {name!r}", hint)


def _definition(content: bytes, provider: str | None, options: "Options", form: str) -> None:
    """Print a definition: as JSON, or as the declaration that it is for a language."""
    from ..declarations.one_tool import declaration
    from ..project.core.compiled import profile_of

    language = None if provider is None else profile_of(provider, options).declaration
    if language is None or form == "json":
        _print(content)
    else:
        click.echo(printable(declaration(msgspec.json.decode(content), language)), nl=False)


def _print(content: bytes) -> None:
    text = inert_json(msgspec.json.format(content, indent=2).decode())
    if not wants_colour(sys.stdout):
        click.echo(text)
        return
    from .show_text import print_json

    print_json(text)
