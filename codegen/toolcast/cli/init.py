"""`toolcast init`."""

import json
import os
import tomllib
from pathlib import Path, PurePath

import click

from ..config import show
from ..console import one_line, printable, write_line
from ..replace_file import replace_file
from ..spec.discovery import SUFFIXES
from .new import EXAMPLE
from .options import configuration, create, examples, refuse
from .project_files import OFFERS, Offer, text_of
from .schema import (
    SettingsError,
    merged_settings,
    modeline,
    project_schema,
    schema_path,
    settings_of,
    write_schema,
)

_TABLE = """[tool.toolcast]
specs = "specs"
output = "generated"
providers = ["openai", "openai-responses", "anthropic", "gemini", "mcp"]
"""


@click.command(
    "init",
    epilog=examples(
        "toolcast init",
        "toolcast init --editor   and what editors need to complete and check specs",
        "toolcast init --add gitattributes --add github   and what git and CI need",
        "toolcast generate",
    ),
)
@click.option(
    "--add",
    "additions",
    multiple=True,
    type=click.Choice(sorted(OFFERS)),
    help="Also add the file that this tool reads (repeatable).",
)
@click.option(
    "--editor", is_flag=True, help="Also write the schema of specs, and name it in VS Code's settings."
)
def command(additions: tuple[str, ...], editor: bool) -> None:
    """Set up toolcast in the current folder.

    Adds [tool.toolcast] to pyproject.toml (or makes that file) and a specs folder with one example.
    Nothing that exists is changed or overwritten; .vscode/settings.json keeps what it has.
    """
    here = Path.cwd()
    try:
        _set_up(here, additions, editor=editor)
    except OSError as error:
        location = show(Path(error.filename)) if error.filename else "."
        message = f"cannot be made or read: {error.strerror or error}"
        raise refuse(location, "io-error", message, "correct that, then run `toolcast init` again") from None


def _set_up(here: Path, additions: tuple[str, ...], *, editor: bool) -> None:
    table = _table(here / "pyproject.toml")
    specs = here / str(table.get("specs", "specs"))
    has_specs = any(not each.name.startswith(".") for end in SUFFIXES for each in specs.rglob(f"*{end}"))
    if editor:
        _help_editors(here)
    if has_specs:
        write_line(f"kept      {specs.name}/ (it has specs already)")
    else:
        path = specs / "text" / "count_words.yaml"
        create(path, modeline(path) + EXAMPLE.replace("{name}", "count_words"))
        write_line(f"created   {path.relative_to(here).as_posix() if here in path.parents else path}")
    output = str(table.get("output", "generated"))
    for addition in dict.fromkeys(additions):
        _add(here, OFFERS[addition], output, _requirement(here / "pyproject.toml"))
    click.echo(
        f"\nNext: change the spec or add one (toolcast new GROUP/TOOL), then run toolcast generate.\n"
        f"Commit {one_line(output)}/, too. .toolcast/ is a local cache that hides itself from git.\n"
        f"For git, Make, pre-commit or GitHub: toolcast init --help says what --add puts into place."
    )


def _help_editors(here: Path) -> None:
    config = configuration(None)
    schema, settings = schema_path(config), here / ".vscode/settings.json"
    changed = write_schema(schema, project_schema(config)[0])
    write_line(f"{'written  ' if changed else 'kept     '} {show(schema)}")
    specs = PurePath(os.path.relpath(config.specs, here)).as_posix()
    try:
        text = settings.read_bytes().decode("utf-8-sig") if settings.exists() else None
        merged = merged_settings(text, specs)
    except (SettingsError, UnicodeDecodeError) as error:
        ours = json.dumps(settings_of(specs), indent=4)
        message = str(error) if isinstance(error, SettingsError) else "it is not UTF-8"
        raise refuse(show(settings), "editor-settings", message, f"add to it by hand:\n{ours}") from None
    if merged is None:
        write_line(f"kept      {show(settings)}")
        return
    settings.parent.mkdir(exist_ok=True)
    replace_file(settings, merged.encode())
    write_line(f"{'created  ' if text is None else 'extended '} {show(settings)}")


def _add(here: Path, offer: Offer, output: str, requirement: str) -> None:
    try:
        text = text_of(offer, output, requirement)
    except ValueError as error:
        write_line(f"left out  {offer.path}: {error}")
        return
    try:
        create(here / offer.path, text)
    except FileExistsError:
        click.echo(f"kept      {offer.path}; if it does not say so yet, add:\n\n{printable(text)}")
    else:
        write_line(f"created   {offer.path}; next: {offer.next}")
    root = next((each for each in (here, *here.parents) if (each / ".git").exists()), here)
    if offer.root and root != here:
        below = f"{here.relative_to(root).as_posix()}/pyproject.toml"
        write_line(
            f"          it is read in the root of the repository only: move it to {show(root)},"
            f" and add `--config {below}` to its commands"
        )


def _requirement(path: Path) -> str:
    """Return what pip installs in CI: this version of toolcast, or its own checkout."""
    from .. import distribution

    project = tomllib.loads(path.read_text("utf-8")).get("project")
    own = isinstance(project, dict) and project.get("name") == distribution.NAME
    return ".[build]" if own else distribution.requirement("build")


def _table(path: Path) -> dict[str, object]:
    if not path.exists():
        create(path, _TABLE)
        write_line("created   pyproject.toml")
        return {}
    raw = path.read_bytes()
    try:
        before = tomllib.loads(raw.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise refuse(
            "pyproject.toml", "config-unreadable", f"not TOML: {error}", "correct it first"
        ) from None
    tool = before.get("tool")
    if isinstance(tool, dict) and "toolcast" in tool:
        write_line("kept      pyproject.toml (it has [tool.toolcast] already)")
        found = tool["toolcast"]
        return found if isinstance(found, dict) else {}
    ending = "\r\n" if b"\r\n" in raw else "\n"
    text = raw.decode("utf-8")
    gap = "" if not text.strip() else "\n" if text.endswith("\n") else "\n\n"
    new = text + (gap + _TABLE).replace("\n", ending)
    expected = {
        **before,
        "tool": {**(tool if isinstance(tool, dict) else {}), **tomllib.loads(_TABLE)["tool"]},
    }
    try:
        appended = tomllib.loads(new) == expected
    except tomllib.TOMLDecodeError:
        appended = False
    if not appended:
        hint = "add it by hand: see https://toml.io for how tables and inline tables exclude each other"
        raise refuse("pyproject.toml", "config-closed", "[tool.toolcast] cannot be appended", hint)
    replace_file(path, new.encode())
    write_line("extended  pyproject.toml with [tool.toolcast]")
    return {}
