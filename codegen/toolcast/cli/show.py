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
from ..console import inert_json, wants_colour
from .options import config_option, configuration, examples, print_diagnostics, refuse

if TYPE_CHECKING:
    from ..project.core.compiled import Compiled
    from ..providers import LedgerEntry


@click.command(
    "show",
    epilog=examples(
        "toolcast show edit                        the contract",
        "toolcast show edit --provider gemini      the tool object that Gemini gets",
        "toolcast show edit --ledger               what each provider's JSON lacks",
        "toolcast show --providers                 the providers there are, and where they come from",
    ),
)
@click.argument("tool", required=False)
@click.option("--provider", metavar="ID", help="Show the tool object of this provider.")
@click.option("--ledger", is_flag=True, help="Show what providers' JSON lacks, and why.")
@click.option("--providers", is_flag=True, help="List the providers there are.")
@click.option(
    "--format",
    "form",
    type=click.Choice(("text", "json")),
    default="text",
    show_default=True,
    help="How the ledger and the providers are printed: as a table, or for programs.",
)
@config_option
def command(
    tool: str | None,
    provider: str | None,
    ledger: bool,
    providers: bool,
    form: Literal["text", "json"],
    config_file: Path | None,
) -> int:
    """Print what one tool compiles to, straight from its spec."""
    if providers and (tool is not None or provider is not None or ledger):
        raise click.UsageError("--providers lists all there are: leave out what else to show.")
    config = configuration(config_file)
    if providers:
        return _list(config, form)
    if tool is None:
        raise click.UsageError("name a tool, or ask for --providers")
    compiled, known = _compile(config, tool, provider)
    if compiled.entry is None:
        print_diagnostics(compiled.diagnostics)
        return 1
    print_diagnostics(compiled.diagnostics)
    if ledger:
        entries = compiled.entry.losses
        _ledger({provider: entries.get(provider, ())} if provider else entries, form)
        return 0
    folder = f"schemas/{provider}/" if provider else "contracts/"
    for path, content in sorted(compiled.files.items()):
        if path.startswith(folder):
            _print(content)
            return 0
    near = difflib.get_close_matches(provider or "", known, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"known providers: {', '.join(known)}"
    raise refuse(tool, "unknown-provider", f"there is no JSON for the provider {provider!r}", hint)


def _ledger(entries: Mapping[str, Sequence["LedgerEntry"]], form: str) -> None:
    from .tables import ledger_lines

    if form == "json":
        _print(msgspec.json.encode(entries))
        return
    for line in ledger_lines(entries, colour=wants_colour(sys.stdout)):
        click.echo(line)
    if not entries:
        click.echo("every configured provider's JSON says all that the contract says")


def _list(config: Config, form: str) -> int:
    from ..project.profiles import profiles_of
    from ..providers import ProfileError
    from .tables import provider_lines, provider_rows

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
    for line in provider_lines(rows, colour=wants_colour(sys.stdout)):
        click.echo(line)
    return 0


def _compile(config: Config, name: str, provider: str | None) -> tuple["Compiled", tuple[str, ...]]:
    """Compile the tool called `name`, for one provider or for those of the configuration."""
    from ..project.frontend import FRONTEND
    from ..project.profiles import profiles_of, suggest_provider, unknown_providers
    from ..project.worker import Task, compile_task, load_types, project_context

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
    return compile_task(context, load_types(context), Task(path, "tool")), known


def find_spec(root: str, shown_root: str, paths: tuple[str, ...], known: tuple[str, ...], name: str) -> str:
    """The spec of the tool called `name`; files of that name are tried first, and may be named by path."""
    from ..project.frontend import FRONTEND

    names: list[str] = []
    wanted = name.removesuffix(".yaml").removesuffix(".yml").removesuffix(".json")
    for path in sorted(paths, key=lambda path: (Path(path).stem != name, path)):
        if path.rpartition(".")[0] == wanted or f"{shown_root}/{path}" == name:
            return path
        spec, _ = FRONTEND.load_tool(
            Path(root), path, shown_root=shown_root, known_providers=frozenset(known)
        )
        if spec is None and Path(path).stem == name:
            return path  # it has errors; compiling reports them
        if spec is not None and spec.name == name:
            return path
        names.append(spec.name if spec else Path(path).stem)
    near = difflib.get_close_matches(name, names, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"tools here: {', '.join(sorted(names)[:20]) or 'none'}"
    raise refuse(shown_root, "unknown-tool", f"there is no tool called {name!r}", hint)


def _print(content: bytes) -> None:
    text = inert_json(msgspec.json.format(content, indent=2).decode())
    if not wants_colour(sys.stdout):
        click.echo(text)
        return
    from rich.console import Console
    from rich.syntax import Syntax

    Console(force_terminal=True).print(Syntax(text, "json", background_color="default", word_wrap=True))
