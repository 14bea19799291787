"""`toolcast init` and `toolcast new`.

Their specs are commented, so that they teach. That of `init` compiles; that of `new` only after a person has
decided what it leaves open.
"""

import difflib
import json
import os
import posixpath
import re
import tomllib
from importlib.resources import files
from pathlib import Path, PurePath, PurePosixPath

import click
from msgspec import Struct

from .. import distribution
from ..config import show
from ..console import one_line, printable, write_line
from ..output_layout import MANIFEST, REGISTRY, TYPESCRIPT
from ..replace_file import replace_file
from ..spec.discovery import SUFFIXES
from ..spec.tool_names import NAME, group_problem, module_problem, name_hint
from .options import config_option, configuration, create, disk_problem, examples, refuse
from .schema import modeline, project_schema, schema_path, settings_of, write_schema

_TABLE = """[tool.toolcast]
specs = "specs"
output = "generated"
providers = ["openai", "openai-responses", "anthropic", "gemini", "mcp"]
"""


class Offer(Struct, frozen=True):
    """`template` stands in `files/`; `path` is posix, below the project; `next` says what is left to do.
    `root`: it is read nowhere but in the root of a repository.
    """

    template: str
    path: str
    next: str
    root: bool = False


OFFERS = {
    "gitattributes": Offer("gitattributes", ".gitattributes", "git add .gitattributes"),
    "github": Offer("workflow.yml", ".github/workflows/toolcast.yml", "adapt branches and Python", root=True),
    "make": Offer("toolcast.mk", "toolcast.mk", "put `include toolcast.mk` into your Makefile"),
    "pre-commit": Offer(
        "pre-commit-config.yaml", ".pre-commit-config.yaml", "run: pre-commit install", root=True
    ),
}


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
    "--editor", is_flag=True, help="Also write the schema of specs, and settings of VS Code that name it."
)
def command(additions: tuple[str, ...], editor: bool) -> None:
    """Set up toolcast in the current folder.

    Adds [tool.toolcast] to pyproject.toml (or makes that file) and a specs folder with one example.
    Nothing that exists is changed or overwritten.
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
        create(path, modeline(path) + _EXAMPLE.replace("{name}", "count_words"))
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
    schema = schema_path(config)
    changed = write_schema(schema, project_schema(config)[0])
    write_line(f"{'written  ' if changed else 'kept     '} {show(schema)}")
    settings = settings_of(PurePath(os.path.relpath(config.specs, here)).as_posix())
    if _offer(here, ".vscode/settings.json", f"{json.dumps(settings, indent=4, ensure_ascii=False)}\n"):
        write_line("created   .vscode/settings.json")


def _offer(here: Path, path: str, text: str) -> bool:
    """Create a file, and return whether it is new; print what one that is there may lack."""
    try:
        create(here / path, text)
    except FileExistsError:
        click.echo(f"kept      {path}; if it does not say so yet, add:\n\n{printable(text)}")
        return False
    return True


def _add(here: Path, offer: Offer, output: str, requirement: str) -> None:
    try:
        text = text_of(offer, output, requirement)
    except ValueError as error:
        write_line(f"left out  {offer.path}: {error}")
        return
    if _offer(here, offer.path, text):
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


def text_of(offer: Offer, output: str, requirement: str) -> str:
    """Return the file's text, for a project whose output folder is `output`, as the configuration writes it.
    `requirement` is what pip installs to get the compiler: a pinned version, or `.[build]` in a checkout
    of toolcast. Raises ValueError where the file can say nothing of that folder.
    """
    raw = files("toolcast.cli").joinpath("files", offer.template).read_text(encoding="utf-8")
    raw = raw.replace("{requirement}", requirement)
    if "{every}" not in raw:
        return raw
    folder = posixpath.normpath(PurePath(output).as_posix())
    if folder.startswith(("../", "/")) or folder == ".." or re.match(r"[A-Za-z]:", folder):
        raise ValueError(f"{folder} lies outside of this folder: what git does there, a file there must say")
    prefix = "" if folder == "." else f"{folder}/"
    shown = folder if folder == "." else prefix
    patterns = {
        "every": "**",
        "manifest": MANIFEST,
        "registry": REGISTRY,
        "index": f"{TYPESCRIPT}/index.*",
    }
    for name, rest in patterns.items():
        raw = raw.replace(f"{{{name}}}", _pattern(prefix, rest))
    return raw.replace("{output}", shown)


def _pattern(prefix: str, rest: str) -> str:
    """Return a pattern of `.gitattributes` that takes `prefix` as it stands, quoted where it must be."""
    text = re.sub(r"[*?\[\]\\]|^[#!]", r"\\\g<0>", prefix) + rest
    if re.search(r'[\s"\\]', text):
        return '"' + re.sub(r'["\\]', r"\\\g<0>", text) + '"'
    return text


_EXAMPLE = """\
# One tool. `toolcast generate` compiles this file; `toolcast init --editor` lets editors check it.

# The name that the model calls: 1 to 64 of A-Z a-z 0-9 _ -, a letter or _ first. Default: the file's name.
name: {name}

# One line, for lists where every tool must be brief. Default: the first sentence of the description.
summary: Count the words in a text.

# What the model reads: what the tool does, when to use it, what it gives back.
description: |-
  Counts the words in a text. Words are runs of characters between white space.

# Required. What a call may do: read | write | execute | network
permission: read

# Required. Parameters that may carry a reference to a secret, such as <secret_ref:NAME>.
# [] says: none, on purpose.
secrets: []

# What the model must send, as JSON Schema 2020-12. A property that is not in `required` is optional.
# Types that several tools share live in specs/_types/ and are referred to by `$ref: ../_types/name.yaml`.
parameters:
  type: object
  required: [text]
  additionalProperties: false
  properties:
    text:
      type: string
      description: The text to look at.
    min_length:
      type: integer
      minimum: 1
      default: 1
      description: Count only words with at least so many characters.

# Optional: what the tool gives back, as JSON Schema. It becomes a typed Struct, and MCP's outputSchema.
result:
  type: object
  required: [count]
  properties:
    count: {type: integer, minimum: 0}

# Optional: calls that must fit the parameters; checked when the spec is compiled.
examples:
  - {text: to be or not to be}
  - {text: to be or not to be, min_length: 3}

# Optional: hints for programs that ask before they act.
annotations: {title: Count words, destructive: false, idempotent: true, open_world: false}

# Also optional:
# runtime_enums: {agent: agents}         parameters whose values are known only when the program runs
# described_by: reason                   the parameter with words for the person who approves a call
# inject: {user_id: context.user_id}     parameters that the program fills in and models do not see
# input: text                            in place of parameters: the argument is one text
# parallel: false                        a call runs alone among the calls of an answer
# external: true                         calls are carried out outside of the program: there is no handler
# callers: [model, code]                 who may call it: the model itself, programs that it writes, or both
# defer: true                            models read it only once they have searched for it
# providers: {openai: {strict: false}}   settings for one provider
"""

_BLANK = """\
# One tool. It compiles when every TODO below is decided: `toolcast generate` names those that are left.
# `toolcast init --editor` lets editors check it.

# The name that the model calls: 1 to 64 of A-Z a-z 0-9 _ -, a letter or _ first. Default: the file's name.
name: {name}

# Required. What the model reads: what the tool does, when to use it, what it gives back.
# The first sentence is the summary in brief lists, unless `summary:` states another.
description: TODO

# Required. What a call may do: read | write | execute | network
permission: TODO

# Required. Parameters that may carry a reference to a secret, such as <secret_ref:NAME>.
# [] says: none, on purpose.
secrets: TODO

# What the model must send, as JSON Schema 2020-12. A property that is not in `required` is optional.
# Types that several tools share live in specs/_types/ and are referred to by `$ref: ../_types/name.yaml`.
parameters:
  type: object
  required: []
  additionalProperties: false
  properties: {}
  #   text: {type: string, description: The text to look at.}
  #   limit: {type: integer, minimum: 1, default: 10, description: How many to give back at most.}

# Also optional:
# result: {type: object, properties: {}}  what the tool gives back: a typed Struct, and MCP's outputSchema
# examples: [{text: to be}]               calls that must fit the parameters; checked when this is compiled
# annotations: {destructive: false}       hints for programs: title, destructive, idempotent, open_world
# deprecated: {since: "2.1", use: other, remove_after: 2027-03-01}    what models are told before all else
# runtime_enums: {agent: agents}          parameters whose values are known only when the program runs
# described_by: reason                    the parameter with words for the person who approves a call
# inject: {user_id: context.user_id}      parameters that the program fills in and models do not see
# input: text                             in place of parameters: the argument is one text
# parallel: false                         a call runs alone among the calls of an answer
# external: true                          calls are carried out outside of the program: there is no handler
# callers: [model, code]                  who may call it: the model itself, programs that it writes, or both
# defer: true                             models read it only once they have searched for it
# providers: {openai: {strict: false}}    settings for one provider
"""


@click.command("new", epilog=examples("toolcast new files/edit", "toolcast new search"))
@click.argument("name", metavar="[GROUP/]NAME")
@config_option
def new_command(name: str, config_file: Path | None) -> None:
    """Write a commented spec to start from.

    It compiles when a person has decided what it leaves open: description, permission, secrets. The group is
    the folder below the specs folder.
    """
    config = configuration(config_file)
    posix = PurePosixPath(name)
    tool, group = posix.name.removesuffix(".yaml"), posix.parent.as_posix()
    group = "" if group == "." else group
    if posix.is_absolute() or ".." in posix.parts or "\\" in name:
        raise refuse(name, "bad-name", "this leaves the specs folder", "write it as group/name")
    below = name.removeprefix(f"{show(config.specs)}/")
    if below != name and not (config.specs / posix.parts[0]).is_dir():
        raise refuse(name, "bad-name", "this names the specs folder, too", f"write it as {below}")
    if not NAME.fullmatch(tool):
        raise refuse(name, "bad-name", f"{tool!r} is no name for a tool", name_hint(tool))
    problem = group_problem(group) or module_problem(tool, group)
    if problem is not None:
        raise refuse(name, "bad-name", problem, "choose another name")
    path = config.specs / group / f"{tool}.yaml"
    for other in (path, path.with_suffix(".yml"), path.with_suffix(".json")):
        if other.exists() or other.is_symlink():
            raise refuse(
                show(other), "exists", "there is such a spec already", "choose another name, or edit it"
            )
    groups = [each.name for each in config.specs.glob("*/") if not each.name.startswith(("_", "."))]
    near = difflib.get_close_matches(group, groups, 1) if group and group not in groups else []
    try:
        create(path, modeline(path) + _BLANK.replace("{name}", tool))
    except OSError as error:
        raise disk_problem(error, path) from None
    write_line(f"created   {show(path)}; next: decide what is TODO there, then toolcast generate")
    if near:
        write_line(f"note: the group {group!r} is new; there is one called {near[0]!r}")
