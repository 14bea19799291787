"""`toolwright show`."""

import difflib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from ..config import Config, show
from .console import wants_colour
from .options import config_option, configuration, examples, refuse, tell

if TYPE_CHECKING:
    from ..build.compile import Compiled


@click.command(
    "show",
    epilog=examples(
        "toolwright show edit                        the contract",
        "toolwright show edit --provider gemini      the tool object that Gemini gets",
        "toolwright show edit --ledger               what each provider's JSON lacks",
    ),
)
@click.argument("tool")
@click.option("--provider", metavar="ID", help="Show the tool object of this provider.")
@click.option("--ledger", is_flag=True, help="Show what providers' JSON lacks, and why.")
@config_option
def command(tool: str, provider: str | None, ledger: bool, config_file: Path | None) -> int:
    """Print what one tool compiles to, straight from its spec."""
    config = configuration(config_file)
    compiled, known = _compile(config, tool, provider)
    if compiled.entry is None:
        tell(compiled.diagnostics)
        return 1
    tell(compiled.diagnostics)
    if ledger:
        entries = compiled.entry.ledger
        _print(msgspec.json.encode({provider: entries.get(provider, ())} if provider else entries))
        return 0
    folder = f"schemas/{provider}/" if provider else "contracts/"
    for path, content in sorted(compiled.files.items()):
        if path.startswith(folder):
            _print(content)
            return 0
    near = difflib.get_close_matches(provider or "", known, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"known providers: {', '.join(known)}"
    raise refuse(tool, "unknown-provider", f"there is no JSON for the provider {provider!r}", hint)


def _compile(config: Config, name: str, provider: str | None) -> tuple["Compiled", tuple[str, ...]]:
    """Compile the tool called `name`, for one provider or for those of the configuration."""
    from ..build.compile import Options
    from ..build.rooms import FRONTEND
    from ..build.workers import Shop, Task, load_types, run

    profiles = tuple(str(path) for path in config.profiles)
    known, problems = FRONTEND.known_providers(profiles)
    tell(problems)
    if provider is not None and provider not in known:
        near = difflib.get_close_matches(provider, known, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"known providers: {', '.join(known)}"
        raise refuse(name, "unknown-provider", f"unknown provider {provider!r}", hint)
    providers = (provider,) if provider else known if config.providers is None else config.providers
    shown_root = show(config.specs)
    found = FRONTEND.discover(config.specs, shown_root)
    shop = Shop(
        frontend=FRONTEND,
        root=str(config.specs),
        shown_root=shown_root,
        types=found.types,
        known_providers=known,
        options=Options(
            providers=providers,
            models=config.models,
            templates=None if config.templates is None else str(config.templates),
            profiles=profiles,
        ),
    )
    path = _find(shop.root, shown_root, found.tools, known, name)
    return run(shop, load_types(shop), Task(path, "tool")), known


def _find(root: str, shown_root: str, paths: tuple[str, ...], known: tuple[str, ...], name: str) -> str:
    """The spec of the tool called `name`; files of that name are tried first, and may be meant by path."""
    from ..build.rooms import FRONTEND

    names: list[str] = []
    wanted = name.removesuffix(".yaml").removesuffix(".yml").removesuffix(".json")
    for path in sorted(paths, key=lambda path: (Path(path).stem != name, path)):
        if path.rpartition(".")[0] == wanted or f"{shown_root}/{path}" == name:
            return path
        spec, _ = FRONTEND.load_tool(Path(root), path, shown_root, known)
        if spec is None and Path(path).stem == name:
            return path  # it has errors; compiling tells them
        if spec is not None and spec.name == name:
            return path
        names.append(spec.name if spec else Path(path).stem)
    near = difflib.get_close_matches(name, names, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"tools here: {', '.join(sorted(names)[:20]) or 'none'}"
    raise refuse(shown_root, "unknown-tool", f"there is no tool called {name!r}", hint)


def _print(content: bytes) -> None:
    text = msgspec.json.format(content, indent=2).decode()
    if not wants_colour(sys.stdout):
        click.echo(text)
        return
    from rich.console import Console
    from rich.syntax import Syntax

    Console(force_terminal=True).print(Syntax(text, "json", background_color="default", word_wrap=True))
